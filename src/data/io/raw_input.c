/* raw_input.c: reads the bytes of a file or of standard input, as they are stored. */
#include "data/io/raw_input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/macros.h"
#include "base/memory.h"
#include "base/text.h"

sparcl_status spc_raw_fail(const spc_raw *raw, const char *what, int failure, sparcl_error *error) {
    return spc_fail(error, SPARCL_E_IO, "%s: %s: %s", raw->name, what, strerror(failure));
}

enum { REPORTED_BYTES = 4 << 20 }; /* at once, so that progress is reported */

/* Of a long path only the end is kept: the position and the reason must still fit in the
 * message. */
static void set_name(spc_raw *raw, const char *path) {
    spc_text name = spc_text_in(raw->name, sizeof raw->name);
    const size_t length = strlen(path), maximum = sizeof raw->name - 4;
    if (strcmp(path, "-") == 0) path = "standard input";
    spc_text_add(&name, "%s%s", length > maximum ? "..." : "",
                 length > maximum ? path + length - maximum : path);
}

static void report(const spc_raw *raw) {
    const bool is_over = raw->stored >= 0 && raw->read > raw->stored; /* parts are read again */
    if (raw->progress)
        raw->progress(raw->progress_user, is_over ? raw->stored : raw->read, raw->stored);
}

void spc_raw_watch(spc_raw *raw, sparcl_read_fn progress, void *user) {
    raw->progress = progress;
    raw->progress_user = user;
    report(raw);
}

int spc_raw_fill(spc_raw *raw, void *buffer, size_t size, size_t *got) {
    *got = 0;
    while (*got < size) {
        const size_t left = size - *got, request = left < REPORTED_BYTES ? left : REPORTED_BYTES;
        size_t part = 0;
        const int failure = spc_file_fill(raw->file, (char *)buffer + *got, request, &part);
        *got += part;
        raw->read += (int64_t)part;
        report(raw);
        if (failure || part < request) return failure;
    }
    return 0;
}

int spc_raw_refill(spc_raw *raw) {
    const size_t left = raw->end - raw->at;
    memmove(raw->bytes, raw->bytes + raw->at, left);
    raw->at = 0;
    raw->end = left;
    if (raw->at_end) return 0;
    size_t got = 0;
    const int failure = spc_raw_fill(raw, raw->bytes + left, raw->capacity - left, &got);
    raw->end += got;
    raw->at_end = failure != 0 || raw->end < raw->capacity;
    return failure;
}

static sparcl_status open_file(spc_raw *raw, const char *path, sparcl_error *error) {
    if (strcmp(path, "-") == 0) {
        raw->file = STDIN_FILENO;
        return SPARCL_OK;
    }
    raw->file = open(path, O_RDONLY | O_CLOEXEC);
    if (raw->file < 0) return spc_raw_fail(raw, "cannot be opened", errno, error);
    raw->owned = true;
    return SPARCL_OK;
}

/* The size is only known, and seeking only allowed, if the descriptor is at the beginning of a
 * regular file. */
static void measure(spc_raw *raw) {
    struct stat about;
    if (fstat(raw->file, &about) != 0 || !S_ISREG(about.st_mode)) return;
    raw->stored = about.st_size;
    if (lseek(raw->file, 0, SEEK_CUR) == 0) raw->size = about.st_size;
}

sparcl_status spc_raw_open(spc_raw *raw, const char *path, const sparcl_allocator *allocator,
                           sparcl_error *error) {
    *raw = (spc_raw){.file = -1, .size = -1, .stored = -1, .allocator = *allocator};
    set_name(raw, path);
    SPC_TRY(open_file(raw, path, error));
    measure(raw);
    raw->capacity = spc_raw_request(raw, SPC_RAW_CAPACITY);
    raw->bytes = spc_alloc(allocator, raw->capacity);
    if (!raw->bytes) return spc_fail_memory(error, raw->name, raw->capacity);
    const int failure = spc_raw_refill(raw);
    return failure ? spc_raw_fail(raw, "cannot be read", failure, error) : SPARCL_OK;
}

void spc_raw_close(spc_raw *raw) {
    spc_free(&raw->allocator, raw->bytes, raw->capacity);
    if (raw->owned) (void)close(raw->file);
    *raw = (spc_raw){.file = -1, .size = -1};
}
