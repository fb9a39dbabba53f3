/* test_file.c: whole files, written so that nobody ever sees a partial one, and texts of fixed
 * size.
 */
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
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "folder_test.h"

typedef struct fixture {
    char folder[64], path[96];
    sparcl_error error;
    int open; /* descriptors at the beginning */
} fixture;

static int setup(void **state) {
    fixture *f = calloc(1, sizeof *f);
    if (!f) return -1;
    snprintf(f->folder, sizeof f->folder, "/tmp/sparcl-file-XXXXXX");
    if (!mkdtemp(f->folder)) return -1;
    snprintf(f->path, sizeof f->path, "%s/file", f->folder);
    f->open = count_descriptors();
    *state = f;
    return 0;
}

/* The folder must be empty but for the file itself. */
static int teardown(void **state) {
    fixture *f = *state;
    unlink(f->path);
    const int left = rmdir(f->folder), opened = count_descriptors() - f->open;
    free(f);
    return left || opened;
}

static void must_hold(fixture *f, const char *text) {
    char *bytes = NULL;
    size_t size = 0;
    assert_int_equal(spc_file_read(f->path, 1 << 20, NULL, &bytes, &size, &f->error), SPARCL_OK);
    assert_int_equal(size, strlen(text));
    assert_string_equal(bytes, text); /* a NUL stands behind the bytes */
    spc_free(NULL, bytes, size + 1);
}

static void a_file_is_its_parts_one_after_another(void **state) {
    fixture *f = *state;
    const spc_bytes parts[] = {{"abc", 3}, {NULL, 0}, {"defg", 4}};
    assert_int_equal(spc_file_write(f->path, parts, 3, &f->error), SPARCL_OK);
    must_hold(f, "abcdefg");
    assert_int_equal(spc_file_write(f->path, parts, 1, &f->error), SPARCL_OK);
    must_hold(f, "abc");
    assert_int_equal(spc_file_write(f->path, NULL, 0, &f->error), SPARCL_OK);
    must_hold(f, "");
}

static void a_new_file_obeys_the_umask(void **state) {
    fixture *f = *state;
    const spc_bytes part = {"x", 1};
    struct stat about;
    const mode_t before = umask(027);
    assert_int_equal(spc_file_write(f->path, &part, 1, &f->error), SPARCL_OK);
    umask(before);
    assert_int_equal(stat(f->path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0640);
}

/* A limit on the file size makes the write fail half-way. */
static void a_write_that_fails_leaves_the_old_file_and_nothing_else(void **state) {
    fixture *f = *state;
    static char large[1 << 20];
    const spc_bytes old = {"old", 3}, many = {large, sizeof large};
    assert_int_equal(spc_file_write(f->path, &old, 1, &f->error), SPARCL_OK);
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 4096;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    const sparcl_status status = spc_file_write(f->path, &many, 1, &f->error);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(status, SPARCL_E_IO);
    assert_non_null(strstr(f->error.message, "cannot be written: File too large"));
    must_hold(f, "old"); /* the teardown checks that the folder holds no other file */
}

static void a_device_is_written_directly_and_stays_a_device(void **state) {
    fixture *f = *state;
    const spc_bytes part = {"x", 1};
    struct stat about;
    assert_int_equal(spc_file_write("/dev/null", &part, 1, &f->error), SPARCL_OK);
    assert_int_equal(stat("/dev/null", &about), 0);
    assert_true(S_ISCHR(about.st_mode));
    assert_int_equal(spc_file_write("/dev/full", &part, 1, &f->error), SPARCL_E_IO);
}

static void a_folder_that_is_not_there_is_an_io_error(void **state) {
    fixture *f = *state;
    const spc_bytes part = {"x", 1};
    assert_int_equal(spc_file_write("/nowhere/file", &part, 1, &f->error), SPARCL_E_IO);
    assert_string_equal(f->error.message,
                        "/nowhere/file: cannot be written: No such file or directory");
    assert_int_equal(spc_file_write(f->folder, &part, 1, &f->error), SPARCL_E_IO);
}

static void a_file_past_the_limit_is_refused(void **state) {
    fixture *f = *state;
    static char large[200000];
    memset(large, 'a', sizeof large);
    const spc_bytes part = {large, sizeof large};
    char *bytes = NULL;
    size_t size = 0;
    assert_int_equal(spc_file_write(f->path, &part, 1, &f->error), SPARCL_OK);
    assert_int_equal(spc_file_read(f->path, sizeof large, NULL, &bytes, &size, &f->error),
                     SPARCL_OK);
    assert_int_equal(size, sizeof large);
    assert_memory_equal(bytes, large, sizeof large);
    const int file = open(f->path, O_RDONLY | O_CLOEXEC);
    size_t got = 0;
    alarm(10);
    errno = EINTR; /* of before */
    assert_int_equal(spc_file_fill(file, large, sizeof large - 1, &got), 0);
    assert_int_equal(got, sizeof large - 1);
    errno = EINTR;
    assert_int_equal(spc_file_fill(file, large, 10, &got), 0);
    assert_int_equal(got, 1); /* and the end */
    alarm(0);
    close(file);
    spc_free(NULL, bytes, size + 1);
    assert_int_equal(spc_file_read(f->path, sizeof large - 1, NULL, &bytes, &size, &f->error),
                     SPARCL_E_FORMAT);
    assert_null(bytes);
    assert_int_equal(spc_file_read("/dev/zero", 1 << 20, NULL, &bytes, &size, &f->error),
                     SPARCL_E_FORMAT);
    assert_int_equal(spc_file_read("/nowhere", 10, NULL, &bytes, &size, &f->error), SPARCL_E_IO);
    assert_int_equal(spc_file_read(f->folder, 10, NULL, &bytes, &size, &f->error), SPARCL_E_IO);
    assert_null(bytes);
}

/* No memory is available. */
static void *no_memory(void *user, void *memory, size_t old_size, size_t size) {
    (void)user;
    (void)memory;
    (void)old_size;
    (void)size;
    return NULL;
}

static void missing_memory_is_reported(void **state) {
    fixture *f = *state;
    const spc_bytes part = {"x", 1};
    const sparcl_allocator none = {.fn = no_memory};
    char *bytes = NULL;
    size_t size = 0;
    assert_int_equal(spc_file_write(f->path, &part, 1, &f->error), SPARCL_OK);
    assert_int_equal(spc_file_read(f->path, 10, &none, &bytes, &size, &f->error), SPARCL_E_MEMORY);
}

static void a_text_is_cut_and_never_overrun(void **state) {
    (void)state;
    char buffer[8];
    spc_text text = spc_text_in(buffer, sizeof buffer);
    assert_string_equal(text.at, "");
    spc_text_add(&text, "%d", 123);
    spc_text_add(&text, "%s", "4567");
    assert_string_equal(buffer, "1234567");
    assert_int_equal(text.length, 7);
    assert_false(text.cut);
    spc_text_add(&text, "8");
    assert_true(text.cut);
    spc_text_add(&text, "9");
    assert_string_equal(buffer, "1234567");
    text = spc_text_in(buffer, 1);
    spc_text_add(&text, "x");
    assert_string_equal(buffer, "");
    assert_true(text.cut);
}

static void bytes_that_cannot_be_printed_are_shown_as_escapes(void **state) {
    (void)state;
    char buffer[64];
    spc_text text = spc_text_in(buffer, sizeof buffer);
    spc_text_add_shown(&text, "a~ \n\r\t\0\x1b\x7f\xff", 10);
    assert_string_equal(buffer, "a~ \\n\\r\\t\\x00\\x1b\\x7f\\xff");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_file_is_its_parts_one_after_another),
        TEST(a_new_file_obeys_the_umask),
        TEST(a_write_that_fails_leaves_the_old_file_and_nothing_else),
        TEST(a_device_is_written_directly_and_stays_a_device),
        TEST(a_folder_that_is_not_there_is_an_io_error),
        TEST(a_file_past_the_limit_is_refused),
        TEST(missing_memory_is_reported),
        cmocka_unit_test(a_text_is_cut_and_never_overrun),
        cmocka_unit_test(bytes_that_cannot_be_printed_are_shown_as_escapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
