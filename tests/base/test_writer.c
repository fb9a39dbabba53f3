/* test_writer.c: files that are written under a temporary name: what an attacker may have put
 * there, links, modes, and what is left. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/writer.h"
#include "folder_test.h"

typedef struct fixture {
    char folder[64], path[96], other[96];
    sparcl_error error;
    int open; /* descriptors at the beginning */
} fixture;

static int setup(void **state) {
    fixture *const f = calloc(1, sizeof *f);
    if (!f) return -1;
    snprintf(f->folder, sizeof f->folder, "/tmp/sparcl-writer-XXXXXX");
    if (!mkdtemp(f->folder)) return -1;
    snprintf(f->path, sizeof f->path, "%s/file", f->folder);
    snprintf(f->other, sizeof f->other, "%s/other", f->folder);
    f->open = count_descriptors();
    *state = f;
    return 0;
}

/* The folder must be empty but for these. */
static int teardown(void **state) {
    fixture *const f = *state;
    unlink(f->path);
    unlink(f->other);
    const int left = rmdir(f->folder), opened = count_descriptors() - f->open;
    free(f);
    return left || opened;
}

static sparcl_status put(fixture *f, const char *path, const char *text) {
    const spc_bytes part = {text, strlen(text)};
    return spc_file_write(path, &part, 1, &f->error);
}

static void must_hold(const char *path, const char *text) {
    char found[64] = "";
    FILE *const file = fopen(path, "r");
    assert_non_null(file);
    assert_true(fread(found, 1, sizeof found - 1, file) > 0);
    fclose(file);
    assert_string_equal(found, text);
}

static mode_t mode_of(const char *path) {
    struct stat about;
    assert_int_equal(lstat(path, &about), 0);
    return about.st_mode;
}

/* ---- what stands at the temporary name ------------------------------------------------------ */

static void a_link_at_the_temporary_name_is_not_followed(void **state) {
    fixture *const f = *state;
    char *const name = spc_temporary_name(f->path, 0);
    assert_int_equal(put(f, f->other, "precious"), SPARCL_OK);
    assert_int_equal(symlink("other", name), 0);
    assert_int_equal(put(f, f->path, "new"), SPARCL_OK);
    must_hold(f->other, "precious");
    must_hold(f->path, "new");
    assert_true(S_ISLNK(mode_of(name)));
    unlink(name);
    free(name);
}

static void names_that_are_all_taken_are_reported(void **state) {
    fixture *const f = *state;
    for (int i = 0; i < SPC_TEMPORARIES; ++i) {
        char *const name = spc_temporary_name(f->path, i);
        assert_int_equal(mkdir(name, 0777), 0);
        free(name);
    }
    assert_int_equal(put(f, f->path, "new"), SPARCL_E_IO);
    assert_non_null(strstr(f->error.message, "file.sparcl-0.tmp to -9.tmp, are taken"));
    for (int i = 0; i < SPC_TEMPORARIES; ++i) {
        char *const name = spc_temporary_name(f->path, i);
        assert_int_equal(rmdir(name), 0);
        free(name);
    }
}

static void what_a_killed_process_left_is_removed(void **state) {
    fixture *const f = *state;
    sparcl_error error = {0};
    const pid_t child = fork();
    if (child == 0) {
        spc_writer writer;
        if (spc_writer_open(&writer, f->path, false, &error) == SPARCL_OK) raise(SIGKILL);
        _exit(1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    char *const name = spc_temporary_name(f->path, 0);
    assert_int_equal(access(name, F_OK), 0);
    free(name);
    assert_int_equal(put(f, f->path, "new"), SPARCL_OK); /* the teardown finds nothing else */
}

static void two_writers_of_a_file_do_not_meet(void **state) {
    fixture *const f = *state;
    spc_writer one, two;
    assert_int_equal(spc_writer_open(&one, f->path, false, &f->error), SPARCL_OK);
    assert_int_equal(spc_writer_open(&two, f->path, false, &f->error), SPARCL_OK);
    assert_int_equal(spc_writer_put(&one, "one", 3, &f->error), SPARCL_OK);
    assert_int_equal(spc_writer_put(&two, "two", 3, &f->error), SPARCL_OK);
    assert_int_equal(spc_writer_commit(&two, NULL, &f->error), SPARCL_OK);
    must_hold(f->path, "two");
    assert_int_equal(spc_writer_commit(&one, NULL, &f->error), SPARCL_OK);
    must_hold(f->path, "one");
}

static void who_wants_to_be_alone_is_refused_beside_another(void **state) {
    fixture *const f = *state;
    spc_writer one, two;
    assert_int_equal(spc_writer_open(&one, f->path, false, &f->error), SPARCL_OK);
    assert_int_equal(spc_writer_open(&two, f->path, true, &f->error), SPARCL_E_IO);
    assert_non_null(strstr(f->error.message, "another process is writing it"));
    spc_writer_discard(&one);
    spc_writer_discard(&one); /* again: nothing happens */
}

/* ---- links ---------------------------------------------------------------------------------- */

static void what_a_link_leads_to_is_replaced(void **state) {
    fixture *const f = *state;
    assert_int_equal(symlink("other", f->path), 0);
    assert_int_equal(put(f, f->path, "new"), SPARCL_OK); /* it leads to nothing yet */
    must_hold(f->other, "new");
    assert_int_equal(put(f, f->path, "newer"), SPARCL_OK);
    must_hold(f->other, "newer");
    assert_true(S_ISLNK(mode_of(f->path)));
}

static void a_link_to_itself_is_an_error(void **state) {
    fixture *const f = *state;
    assert_int_equal(symlink("file", f->path), 0);
    assert_int_equal(put(f, f->path, "new"), SPARCL_E_IO);
    assert_non_null(strstr(f->error.message, strerror(ELOOP)));
}

/* As in /tmp. Only root can make a link for another user. */
static void a_link_of_another_user_in_a_shared_folder_is_refused(void **state) {
    fixture *const f = *state;
    if (geteuid() != 0) skip();
    assert_int_equal(put(f, f->other, "precious"), SPARCL_OK);
    assert_int_equal(symlink("other", f->path), 0);
    assert_int_equal(lchown(f->path, 65534, 65534), 0);
    assert_int_equal(put(f, f->path, "new"), SPARCL_OK); /* the folder is ours alone */
    assert_int_equal(chmod(f->folder, 01777), 0);
    assert_int_equal(put(f, f->path, "newer"), SPARCL_E_IO);
    assert_non_null(strstr(f->error.message, "a link of another user"));
    spc_writer log;
    assert_int_equal(spc_writer_open_growing(&log, f->path, &f->error), SPARCL_E_IO);
    must_hold(f->other, "new");
}

/* ---- modes and owners ----------------------------------------------------------------------- */

static void a_file_keeps_its_mode_and_owner(void **state) {
    static const mode_t modes[] = {0600, 0640, 0660, 0666, 0755, 0204};
    fixture *const f = *state;
    struct stat about;
    assert_int_equal(put(f, f->path, "old"), SPARCL_OK);
    const bool is_root = geteuid() == 0;
    if (is_root) assert_int_equal(chown(f->path, 65534, 65534), 0);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; ++i) {
        assert_int_equal(chmod(f->path, modes[i]), 0);
        assert_int_equal(put(f, f->path, "new"), SPARCL_OK);
        assert_int_equal(mode_of(f->path) & 07777, modes[i]);
    }
    assert_int_equal(stat(f->path, &about), 0);
    assert_int_equal(about.st_uid, is_root ? 65534 : geteuid());
}

static void what_replaces_a_secret_is_never_open_to_others(void **state) {
    fixture *const f = *state;
    spc_writer writer;
    assert_int_equal(put(f, f->path, "old"), SPARCL_OK);
    assert_int_equal(chmod(f->path, 0600), 0);
    assert_int_equal(spc_writer_open(&writer, f->path, false, &f->error), SPARCL_OK);
    assert_int_equal(mode_of(writer.temporary) & 077, 0);
    spc_writer_discard(&writer);
}

static void a_file_that_may_not_be_written_is_not_replaced(void **state) {
    fixture *const f = *state;
    if (geteuid() == 0) skip(); /* who may write all */
    assert_int_equal(put(f, f->path, "old"), SPARCL_OK);
    assert_int_equal(chmod(f->path, 0444), 0);
    assert_int_equal(put(f, f->path, "new"), SPARCL_E_IO);
    must_hold(f->path, "old");
}

/* ---- causes --------------------------------------------------------------------------------- */

static void without_descriptors_that_is_the_cause(void **state) {
    fixture *const f = *state;
    struct rlimit before, none;
    assert_int_equal(put(f, f->path, "old"), SPARCL_OK);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = before;
    none.rlim_cur = 0;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    const sparcl_status status = put(f, f->path, "new");
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(status, SPARCL_E_IO);
    assert_non_null(strstr(f->error.message, "file: cannot be written: Too many open files"));
    must_hold(f->path, "old");
}

/* ---- names and descriptors ------------------------------------------------------------------ */

static void a_name_of_255_bytes_is_written(void **state) {
    fixture *const f = *state;
    char path[400];
    const int folder = snprintf(path, sizeof path, "%s/", f->folder);
    memset(path + folder, 'n', 255);
    path[folder + 255] = '\0';
    assert_int_equal(put(f, path, "new"), SPARCL_OK);
    must_hold(path, "new");
    assert_int_equal(unlink(path), 0);
    strcpy(path + folder + 255, "n");
    assert_int_equal(put(f, path, "new"), SPARCL_E_IO);
    assert_non_null(strstr(f->error.message, "File name too long"));
}

/* Opened again, the file would be written from its beginning. */
static void a_named_descriptor_is_written_where_it_stands(void **state) {
    static const char *const forms[] = {"/dev/fd/%d", "/proc/self/fd/%d"};
    fixture *const f = *state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; ++i) {
        char name[64];
        const int file = open(f->path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
        assert_int_equal(write(file, "before ", 7), 7);
        snprintf(name, sizeof name, forms[i], file);
        assert_int_equal(put(f, name, "after"), SPARCL_OK);
        close(file);
        must_hold(f->path, "before after");
    }
    assert_int_equal(spc_named_descriptor("/dev/stdout"), 1);
    assert_int_equal(spc_named_descriptor("/dev/fd/"), -1);
    assert_int_equal(spc_named_descriptor("/dev/fd/1x"), -1);
    assert_int_equal(spc_named_descriptor("/tmp/dev/stdout"), -1);
}

static void what_grows_can_be_read_meanwhile(void **state) {
    fixture *const f = *state;
    spc_writer log;
    assert_int_equal(put(f, f->other, "old and longer"), SPARCL_OK);
    assert_int_equal(symlink("other", f->path), 0);
    assert_int_equal(spc_writer_open_growing(&log, f->path, &f->error), SPARCL_OK);
    assert_int_equal(spc_writer_put(&log, "one ", 4, &f->error), SPARCL_OK);
    must_hold(f->other, "one ");
    assert_int_equal(spc_writer_put(&log, "two", 3, &f->error), SPARCL_OK);
    assert_int_equal(spc_writer_commit(&log, NULL, &f->error), SPARCL_OK);
    must_hold(f->other, "one two");
}

static void the_suffix_is_for_the_file_before(void **state) {
    fixture *const f = *state;
    char previous[120];
    spc_writer writer;
    snprintf(previous, sizeof previous, "%s.previous", f->other);
    assert_int_equal(symlink("other", f->path), 0);
    for (int i = 0; i < 2; ++i) {
        const char *const text = i == 0 ? "first" : "second";
        assert_int_equal(spc_writer_open(&writer, f->path, true, &f->error), SPARCL_OK);
        assert_int_equal(spc_writer_put(&writer, text, strlen(text), &f->error), SPARCL_OK);
        assert_int_equal(spc_writer_commit(&writer, ".previous", &f->error), SPARCL_OK);
    }
    must_hold(f->path, "second");
    must_hold(previous, "first");
    assert_int_equal(unlink(previous), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_link_at_the_temporary_name_is_not_followed),
        TEST(names_that_are_all_taken_are_reported),
        TEST(what_a_killed_process_left_is_removed),
        TEST(two_writers_of_a_file_do_not_meet),
        TEST(who_wants_to_be_alone_is_refused_beside_another),
        TEST(what_a_link_leads_to_is_replaced),
        TEST(a_link_to_itself_is_an_error),
        TEST(a_link_of_another_user_in_a_shared_folder_is_refused),
        TEST(a_file_keeps_its_mode_and_owner),
        TEST(what_replaces_a_secret_is_never_open_to_others),
        TEST(a_file_that_may_not_be_written_is_not_replaced),
        TEST(without_descriptors_that_is_the_cause),
        TEST(a_name_of_255_bytes_is_written),
        TEST(a_named_descriptor_is_written_where_it_stands),
        TEST(what_grows_can_be_read_meanwhile),
        TEST(the_suffix_is_for_the_file_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
