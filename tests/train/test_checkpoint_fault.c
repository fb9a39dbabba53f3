/* test_checkpoint_fault.c: a checkpoint is written while the power is cut after each call for a
 * file, and while each of these calls fails: a complete checkpoint can be read each time. The
 * linker replaces the calls of the C library by these functions (--wrap). */
#include "folder_test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sparcl/train.h"
#include "train/checkpoint_file.h"

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
ssize_t __real_write(int file, const void *bytes, size_t size);
ssize_t __wrap_write(int file, const void *bytes, size_t size);
int __real_fsync(int file);
int __wrap_fsync(int file);
int __real_ftruncate(int file, off_t size);
int __wrap_ftruncate(int file, off_t size);
int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);
int __real_flock(int file, int operation);
int __wrap_flock(int file, int operation);

/* --- the calls, in order ---------------------------------------------------------------------- */

typedef enum kind { OPEN, TRUNCATE, WRITE, SYNC, SYNC_FOLDER, RENAME_AWAY, RENAME_TO } kind;
enum { MOST_CALLS = 64 };
static kind calls[MOST_CALLS];
static int call_count;
static long counter, fail_at; /* 0: none */
static int fail_code;

static bool fails(void) {
    ++counter;
    if (counter != fail_at) return false;
    errno = fail_code;
    return true;
}

static void note(kind k) {
    if (call_count < MOST_CALLS) calls[call_count++] = k;
}

static bool is_folder(int file) {
    struct stat about;
    return fstat(file, &about) == 0 && S_ISDIR(about.st_mode);
}

int __wrap_open(const char *path, int flags, ...) {
    if (fails()) return -1;
    const int file = __real_open(path, flags, 0666);
    if (file >= 0 && !is_folder(file)) note(OPEN);
    return file;
}

ssize_t __wrap_write(int file, const void *bytes, size_t size) {
    if (fails()) return -1;
    note(WRITE);
    return __real_write(file, bytes, size);
}

int __wrap_fsync(int file) {
    if (fails()) return -1;
    note(is_folder(file) ? SYNC_FOLDER : SYNC);
    return __real_fsync(file);
}

int __wrap_ftruncate(int file, off_t size) {
    if (fails()) return -1;
    note(TRUNCATE);
    return __real_ftruncate(file, size);
}

int __wrap_rename(const char *from, const char *to) {
    if (fails()) return -1;
    note(strstr(to, ".previous") ? RENAME_AWAY : RENAME_TO);
    return __real_rename(from, to);
}

int __wrap_flock(int file, int operation) {
    return fails() ? -1 : __real_flock(file, operation);
}

/* --- checkpoints ------------------------------------------------------------------------------ */

static char folder[] = "/tmp/sparcl-checkpoint-XXXXXX", path[64], temporary[80], previous[80];

/* A checkpoint after `step` steps: the counts, and some bytes more. */
static sparcl_status put(int64_t step, sparcl_error *error) {
    int64_t counts[] = {0, step, step, step, 0};
    double more[300];
    spc_items items = {0};
    const spc_note notes[] = {{"format", "sparcl.checkpoint.1"}};
    const spc_item first = {.dtype = "I64", .count = 5, .bytes = sizeof counts, .host = counts};
    const spc_item second = {.dtype = "F64", .count = 300, .bytes = sizeof more, .host = more};
    for (int i = 0; i < 300; ++i)
        more[i] = (double)step;
    assert_int_equal(spc_items_add(&items, "run", NULL, "counts", &first, NULL), SPARCL_OK);
    assert_int_equal(spc_items_add(&items, "parameter", "w", "values", &second, NULL), SPARCL_OK);
    const sparcl_status status = spc_checkpoint_write(NULL, path, notes, 1, &items, error);
    spc_items_free(&items);
    return status;
}

/* The step of the checkpoint that would be gone on with; -1: none. */
static int64_t step_found(bool *is_previous) {
    sparcl_checkpoint_info info;
    sparcl_error error = {0};
    if (sparcl_checkpoint_find(path, &info, &error) != SPARCL_OK) return -1;
    if (is_previous) *is_previous = info.is_previous != 0;
    return info.exists ? info.step : -1;
}

static void begin(void) {
    sparcl_error error = {0};
    unlink(temporary);
    unlink(path);
    unlink(previous);
    fail_at = 0;
    assert_int_equal(put(1, &error), SPARCL_OK);
    assert_int_equal(put(2, &error), SPARCL_OK);
    assert_int_equal(step_found(NULL), 2);
    call_count = 0;
}

/* --- power cuts ------------------------------------------------------------------------------- */

static void copy_file(const char *from, const char *to, double part) {
    static char bytes[1 << 16];
    FILE *const in = fopen(from, "rb"), *const out = fopen(to, "wb");
    assert_true(in && out);
    const size_t size = fread(bytes, 1, sizeof bytes, in);
    fwrite(bytes, 1, (size_t)((double)size * part), out);
    fclose(in);
    fclose(out);
}

/* What the disk has after the first `done` calls: names that were not synced may have reached it or
 * not, in any combination (bit 0: the first rename, bit 1: the second), and so may data. */
static void make_disk(const char *old, const char *older, const char *new, int done, int names,
                      double part) {
    bool synced = false, away = false, to = false, names_synced = false;
    for (int i = 0; i < done; ++i) {
        synced |= calls[i] == SYNC;
        away |= calls[i] == RENAME_AWAY;
        to |= calls[i] == RENAME_TO;
        names_synced |= calls[i] == SYNC_FOLDER;
    }
    away &= names_synced || (names & 1);
    to &= names_synced || (names & 2);
    unlink(path);
    unlink(temporary);
    copy_file(away ? old : older, previous, 1);
    if (to)
        copy_file(new, path, synced ? 1 : part);
    else if (!away)
        copy_file(old, path, 1);
    if (!to) copy_file(new, temporary, synced ? 1 : part);
}

static void a_power_cut_leaves_a_complete_checkpoint(void **state) {
    (void)state;
    char old[160], older[160], new[160];
    sparcl_error error = {0};
    begin();
    snprintf(old, sizeof old, "%s.old", path);
    snprintf(older, sizeof older, "%s.older", path);
    snprintf(new, sizeof new, "%s.new", path);
    copy_file(path, old, 1);
    copy_file(previous, older, 1);
    call_count = 0;
    assert_int_equal(put(3, &error), SPARCL_OK);
    const int count = call_count;
    copy_file(path, new, 1);
    assert_true(count >= 8 && calls[count - 1] == SYNC_FOLDER);
    for (int done = 0; done <= count; ++done)
        for (int names = 0; names < 4; ++names)
            for (int half = 0; half < 2; ++half) {
                make_disk(old, older, new, done, names, half ? 0.5 : 0);
                const int64_t step = step_found(NULL);
                if (step != 2 && step != 3)
                    fail_msg("after call %d, names %d: the step is %lld", done, names,
                             (long long)step);
                if (done == count) assert_int_equal(step, 3);
                if (access(path, F_OK) == 0) { /* what has that name is complete */
                    bool is_previous;
                    assert_true(step_found(&is_previous) > 0 && !is_previous);
                }
                call_count = count;
            }
    unlink(old);
    unlink(older);
    unlink(new);
}

/* The bytes are on the disk before their name is. */
static void bytes_are_synced_before_names_change(void **state) {
    (void)state;
    int synced = -1, away = -1, to = -1, last_write = -1, folder_synced = -1;
    sparcl_error error = {0};
    begin();
    assert_int_equal(put(3, &error), SPARCL_OK);
    for (int i = 0; i < call_count; ++i) {
        if (calls[i] == WRITE) last_write = i;
        if (calls[i] == SYNC) synced = i;
        if (calls[i] == RENAME_AWAY) away = i;
        if (calls[i] == RENAME_TO) to = i;
        if (calls[i] == SYNC_FOLDER) folder_synced = i;
    }
    assert_true(0 <= last_write && last_write < synced && synced < away && away < to &&
                to < folder_synced);
}

/* --- failing calls ---------------------------------------------------------------------------- */

static int files(void) {
    int count = 0;
    DIR *const dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir));)
        count += e->d_name[0] != '.';
    closedir(dir);
    return count;
}

static void a_failing_call_leaves_a_complete_checkpoint(void **state) {
    static const int codes[] = {ENOSPC, EIO, EACCES};
    (void)state;
    for (size_t c = 0; c < 3; ++c)
        for (long n = 1;; ++n) {
            sparcl_error error = {0};
            begin();
            counter = 0;
            fail_at = n;
            fail_code = codes[c];
            const sparcl_status status = put(3, &error);
            const bool fired = counter >= n;
            fail_at = 0;
            const int64_t step = step_found(NULL);
            if (!fired) {
                assert_true(n > 8);
                break;
            }
            if (status == SPARCL_OK) { /* only the sync of the folder may fail */
                assert_int_equal(step, 3);
            } else {
                assert_int_equal(status, SPARCL_E_IO);
                assert_non_null(strstr(error.message, path));
                assert_int_equal(step, 2);
            }
            assert_true(access(temporary, F_OK) != 0 || status != SPARCL_OK);
            assert_true(files() <= 3);
            assert_int_equal(put(4, &error), SPARCL_OK); /* and the next one is written */
            assert_int_equal(step_found(NULL), 4);
            assert_int_equal(files(), 2);
        }
}

/* --- damaged files ---------------------------------------------------------------------------- */

static void flip(const char *file, long at) {
    FILE *const f = fopen(file, "r+b");
    assert_non_null(f);
    fseek(f, at, SEEK_SET);
    const int byte = fgetc(f);
    fseek(f, at, SEEK_SET);
    fputc(byte ^ 4, f);
    fclose(f);
}

static void every_flipped_bit_is_seen(void **state) {
    struct stat about;
    (void)state;
    begin();
    assert_int_equal(stat(path, &about), 0);
    for (long at = 0; at < about.st_size; ++at) {
        bool is_previous = false;
        flip(path, at);
        if (step_found(&is_previous) != 1 || !is_previous) fail_msg("byte %ld", at);
        flip(path, at);
    }
    assert_int_equal(step_found(NULL), 2);
}

static void a_file_that_ends_early_is_seen(void **state) {
    struct stat about;
    (void)state;
    begin();
    assert_int_equal(stat(path, &about), 0);
    for (long size = about.st_size - 1; size >= 0; size -= size > 64 ? 37 : 1) {
        bool is_previous = false;
        assert_int_equal(truncate(path, size), 0);
        if (step_found(&is_previous) != 1 || !is_previous) fail_msg("%ld bytes", size);
    }
}

static void without_a_usable_file_there_is_an_error(void **state) {
    sparcl_checkpoint_info info;
    sparcl_error error = {0};
    (void)state;
    begin();
    flip(path, 300);
    flip(previous, 300);
    assert_int_equal(sparcl_checkpoint_find(path, &info, &error), SPARCL_E_FORMAT);
    assert_non_null(strstr(error.message, path));
    assert_int_equal(info.exists, 0);
    unlink(path);
    assert_int_equal(sparcl_checkpoint_find(path, &info, &error), SPARCL_E_FORMAT);
    unlink(previous);
    assert_int_equal(sparcl_checkpoint_find(path, &info, &error), SPARCL_OK);
    assert_int_equal(info.exists, 0);
    assert_int_equal(sparcl_checkpoint_find(NULL, &info, &error), SPARCL_E_ARG);
}

static void what_another_process_writes_is_left_alone(void **state) {
    sparcl_error error = {0};
    (void)state;
    begin();
    const int file = __real_open(temporary, O_WRONLY | O_CREAT, 0666);
    assert_int_equal(__real_flock(file, LOCK_EX), 0);
    assert_int_equal(put(3, &error), SPARCL_E_IO);
    assert_non_null(strstr(error.message, "another process is writing it"));
    assert_int_equal(access(temporary, F_OK), 0);
    close(file);
    assert_int_equal(put(3, &error), SPARCL_OK);
}

static void a_folder_or_a_device_is_refused(void **state) {
    sparcl_error error = {0};
    (void)state;
    begin();
    unlink(path);
    assert_int_equal(mkdir(path, 0777), 0);
    assert_int_equal(put(3, &error), SPARCL_E_IO);
    assert_non_null(strstr(error.message, "not a regular file"));
    rmdir(path);
    begin();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_power_cut_leaves_a_complete_checkpoint),
        cmocka_unit_test(bytes_are_synced_before_names_change),
        cmocka_unit_test(a_failing_call_leaves_a_complete_checkpoint),
        cmocka_unit_test(every_flipped_bit_is_seen),
        cmocka_unit_test(a_file_that_ends_early_is_seen),
        cmocka_unit_test(without_a_usable_file_there_is_an_error),
        cmocka_unit_test(what_another_process_writes_is_left_alone),
        cmocka_unit_test(a_folder_or_a_device_is_refused),
    };
    if (!mkdtemp(folder)) return 1;
    snprintf(path, sizeof path, "%s/run", folder);
    snprintf(temporary, sizeof temporary, "%s.sparcl-0.tmp", path);
    snprintf(previous, sizeof previous, "%s.previous", path);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(temporary);
    unlink(path);
    unlink(previous);
    rmdir(folder);
    return failed;
}
