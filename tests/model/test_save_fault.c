/* test_save_fault.c: a model is saved with its 1st, 2nd, 3rd ... call for a file or for memory
 * failing: each time the file is the complete old or the complete new one, and no other file is
 * left. The linker replaces those of the C library by these functions (--wrap). */
#include "model_fixture.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
ssize_t __real_write(int file, const void *bytes, size_t size);
ssize_t __wrap_write(int file, const void *bytes, size_t size);
int __real_fsync(int file);
int __wrap_fsync(int file);
int __real_close(int file);
int __wrap_close(int file);
int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);
void *__real_realloc(void *memory, size_t size);
void *__wrap_realloc(void *memory, size_t size);

typedef enum way { ONCE, FOR_EVER, SHORT, INTERRUPTED } way;

static long calls, fail_at;
static way how;
static int fired, folder_calls, open_files;

/* Only writes are short or interrupted. */
static bool fails(bool is_write) {
    if (how >= SHORT && !is_write) return false;
    ++calls;
    const bool now = fail_at && (calls == fail_at || (calls > fail_at && how == FOR_EVER));
    if (now) ++fired;
    return now;
}

int __wrap_open(const char *path, int flags, ...) {
    if (fails(false)) {
        errno = EMFILE;
        return -1;
    }
    const int file = __real_open(path, flags, 0666);
    if (file >= 0) ++open_files;
    return file;
}

/* A short write is no failure: the next one writes the rest. */
ssize_t __wrap_write(int file, const void *bytes, size_t size) {
    if (!fails(true)) return __real_write(file, bytes, size);
    if (how == SHORT) return __real_write(file, bytes, size / 2);
    errno = how == INTERRUPTED ? EINTR : ENOSPC;
    return -1;
}

int __wrap_fsync(int file) {
    if (!fails(false)) return __real_fsync(file);
    errno = EIO;
    return -1;
}

/* The file is closed nevertheless. */
int __wrap_close(int file) {
    const int code = __real_close(file);
    --open_files;
    if (!fails(false)) return code;
    errno = EIO;
    return -1;
}

int __wrap_rename(const char *from, const char *to) {
    if (!fails(false)) return __real_rename(from, to);
    errno = EACCES;
    return -1;
}

void *__wrap_realloc(void *memory, size_t size) {
    return fails(false) ? NULL : __real_realloc(memory, size);
}

static int files_in(const char *folder) {
    int count = 0;
    DIR *const dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir));)
        count += e->d_name[0] != '.';
    closedir(dir);
    return count;
}

/* Save over a file of other bytes (or none) with call n failing; false where there is no such call.
 */
static bool save_with_fault(const fixture *f, const sparcl_model *model, bool over, long n, way w) {
    unsigned char now[MOST];
    sparcl_error error = {0};
    if (over) write_bytes(f->other, "old", 3);
    calls = 0, fired = 0, open_files = 0;
    how = w;
    fail_at = n;
    const sparcl_status status = sparcl_model_save(model, f->other, &error);
    fail_at = 0;
    assert_int_equal(open_files, 0);
    if (w >= SHORT) assert_int_equal(status, SPARCL_OK);
    assert_int_equal(error.status, status);
    if (status == SPARCL_OK) {
        /* The new file is complete; a folder that cannot be synced is no error. */
        assert_int_equal(read_model(f->other, now), f->size);
        assert_memory_equal(now, f->bytes, f->size);
    } else {
        assert_true(fired && (status == SPARCL_E_IO || status == SPARCL_E_MEMORY));
        assert_true(error.message[0]);
        if (over) {
            assert_int_equal(read_model(f->other, now), 3);
            assert_memory_equal(now, "old", 3);
        } else {
            assert_int_equal(access(f->other, F_OK), -1);
        }
    }
    assert_int_equal(files_in(f->folder), over || status == SPARCL_OK ? 2 : 1);
    unlink(f->other);
    if (fired && status == SPARCL_OK) ++folder_calls;
    return fired;
}

static void a_failing_call_leaves_the_old_file_or_the_new_one(void **state) {
    const fixture *f = *state;
    const sparcl_model_info info = logistic_info();
    sparcl_model *const model = make(&info, three_weights, one_bias);
    for (int over = 0; over < 2; ++over)
        for (way w = ONCE; w < SHORT; ++w) {
            long n = 1;
            folder_calls = 0;
            while (save_with_fault(f, model, over, n, w))
                ++n;
            print_message("           %ld calls failed\n", n - 1);
            assert_true(n > 8); /* open, 3 writes, fsync, close, rename, and memory */
            /* Only of the folder: open, fsync, close; and close of the file that was synced. */
            assert_in_range(folder_calls, 1, 4);
        }
    sparcl_model_free(model);
}

static void a_short_or_interrupted_write_is_continued(void **state) {
    const fixture *f = *state;
    const sparcl_model_info info = logistic_info();
    sparcl_model *const model = make(&info, three_weights, one_bias);
    for (way w = SHORT; w <= INTERRUPTED; ++w) {
        long n = 1;
        while (save_with_fault(f, model, true, n, w))
            ++n;
        assert_true(n > 3); /* head, weights, bias */
    }
    sparcl_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_FIXTURE(a_failing_call_leaves_the_old_file_or_the_new_one),
        WITH_FIXTURE(a_short_or_interrupted_write_is_continued),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
