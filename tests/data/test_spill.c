/* test_spill.c: data that are larger than the memory of the process, in files of a folder. */
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "data_test.h"

#if defined(__SANITIZE_ADDRESS__) /* which needs more memory than a limit would leave */
enum { IS_SANITIZED = 1 };
#else
enum { IS_SANITIZED = 0 };
#endif

enum { MANY_ROWS = 900000, ENTRIES = 5, LEFT = 24 << 20 };

/* 90 MB in memory: offsets, indices, values and labels. */
static void write_many(const char *path) {
    FILE *const file = fopen(path, "w");
    assert_non_null(file);
    for (int i = 0; i < MANY_ROWS; ++i) {
        fprintf(file, "%d", i % 2);
        for (int k = 0; k < ENTRIES; ++k)
            fprintf(file, " %d:%d", i % 9 + 10 * k + 1, (i + k) % 100 + 1);
        fputc('\n', file);
    }
    assert_int_equal(fclose(file), 0);
}

static int64_t data_bytes(void) {
    char line[200];
    long long kibibytes = 0;
    FILE *const file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "VmData: %lld kB", &kibibytes) == 1) break;
    if (file) fclose(file);
    return kibibytes * 1024;
}

/* In a process of its own, so that limits end with it; the exit status is that of `run`. */
static int in_child(int (*run)(const fixture *f), const fixture *f) {
    int status = -1;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) _exit(run(f));
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

static uint64_t expected_sum;

static int read_within_a_limit(const fixture *f) {
    const rlim_t most = (rlim_t)data_bytes() + LEFT;
    sparcl_data_desc desc = {.threads = 1};
    sparcl_data *data = NULL, *rest = NULL, *held = NULL;
    sparcl_error error = {0};
    if (!IS_SANITIZED && setrlimit(RLIMIT_DATA, &(struct rlimit){most, most}) != 0) return 1;
    if (!IS_SANITIZED && sparcl_data_read(&data, f->path, &desc, &error) != SPARCL_E_MEMORY)
        return 2;
    desc.spill = "/tmp";
    if (sparcl_data_read(&data, f->path, &desc, &error) != SPARCL_OK) return 3;
    if (sparcl_data_get_info(data)->fingerprint != expected_sum) return 4;
    if (sparcl_data_split(data, 0.25, 1, &rest, &held, &error) != SPARCL_OK) return 5;
    sparcl_data_free(data); /* the parts stay */
    const int64_t rows = sparcl_data_get_info(rest)->rows + sparcl_data_get_info(held)->rows;
    sparcl_data_free(rest);
    const bool is_whole = rows == MANY_ROWS && sparcl_data_values(held)[7] >= 1;
    sparcl_data_free(held);
    return is_whole ? 0 : 6;
}

static void data_may_be_larger_than_memory(void **state) {
    fixture *const f = *state;
    write_many(f->path);
    sparcl_data *const data = must_read(f, f->path, NULL);
    expected_sum = sparcl_data_get_info(data)->fingerprint;
    sparcl_data_free(data);
    assert_int_equal(in_child(read_within_a_limit, f), 0);
}

static int read_with_small_files(const fixture *f) {
    const sparcl_data_desc desc = {.threads = 1, .spill = "/tmp"};
    sparcl_data *data = NULL;
    sparcl_error error = {0};
    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &(struct rlimit){5 << 20, 5 << 20}) != 0) return 1;
    if (sparcl_data_read(&data, f->path, &desc, &error) != SPARCL_E_IO || data) return 2;
    return strstr(error.message, "spill folder /tmp: a file of ") ? 0 : 3;
}

static void a_full_disk_is_an_error(void **state) {
    fixture *const f = *state;
    write_many(f->path);
    assert_int_equal(in_child(read_with_small_files, f), 0);
}

static void a_folder_that_cannot_be_used_is_refused(void **state) {
    fixture *const f = *state;
    sparcl_data *data = NULL;
    sparcl_data_desc desc = {.spill = "/tmp/there/is/no/such/folder"};
    write_text(f->path, "1 1:1\n");
    assert_int_equal(sparcl_data_read(&data, f->path, &desc, &f->error), SPARCL_E_IO);
    assert_non_null(strstr(f->error.message, "no file can be made in it: No such file"));
    desc.spill = "/tmp";
    sparcl_data *const small = must_read(f, f->path, &desc);
    assert_true(sparcl_data_values(small)[0] == 1);
    sparcl_data_free(small);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(data_may_be_larger_than_memory),
        TEST(a_full_disk_is_an_error),
        TEST(a_folder_that_cannot_be_used_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
