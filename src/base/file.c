/* file.c: reads and writes complete files. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/writer.h"

enum { FIRST_CAPACITY = 65536 };

static sparcl_status fail_errno(sparcl_error *error, const char *path, const char *what) {
    return spc_fail(error, SPARCL_E_IO, "%s: %s: %s", path, what, strerror(errno));
}

/* Always close, and return the first failure: a late write error appears only at close. */
int spc_file_put(int file, const spc_bytes *parts, size_t part_count) {
    int failure = 0;
    for (size_t i = 0; i < part_count && !failure; i++)
        failure = spc_put_bytes(file, parts[i].at, parts[i].size);
    if (!failure && fsync(file) != 0) failure = errno;
    if (close(file) != 0 && !failure) failure = errno;
    return failure;
}

sparcl_status spc_file_write(const char *path, const spc_bytes *parts, size_t part_count,
                             sparcl_error *error) {
    spc_writer writer;
    SPC_TRY(spc_writer_open(&writer, path, false, error));
    sparcl_status status = SPARCL_OK;
    for (size_t i = 0; i < part_count && status == SPARCL_OK; i++)
        status = spc_writer_put(&writer, parts[i].at, parts[i].size, error);
    if (status == SPARCL_OK) return spc_writer_commit(&writer, NULL, error);
    spc_writer_discard(&writer);
    return status;
}

int spc_file_fill(int file, void *buffer, size_t size, size_t *got) {
    *got = 0;
    while (*got < size) {
        const ssize_t done = read(file, (char *)buffer + *got, size - *got);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return errno;
        if (done == 0) return 0;
        *got += (size_t)done;
    }
    return 0;
}

/* The buffer grows with the bytes read: a size that the system reports is not trusted. */
static sparcl_status read_all(int file, const char *path, size_t limit,
                              const sparcl_allocator *allocator, char **bytes, size_t *capacity,
                              size_t *size, sparcl_error *error) {
    for (;;) {
        const size_t more = *capacity ? *capacity * 2 : FIRST_CAPACITY;
        char *grown = spc_realloc(allocator, *bytes, *capacity, more);
        if (!grown) return spc_fail_memory(error, path, more);
        *bytes = grown;
        *capacity = more;
        size_t got = 0;
        errno = spc_file_fill(file, *bytes + *size, *capacity - *size, &got);
        if (errno) return fail_errno(error, path, "cannot be read");
        *size += got;
        if (*size > limit)
            return spc_fail(error, SPARCL_E_FORMAT, "%s: is longer than %zu bytes", path, limit);
        if (*size < *capacity) return SPARCL_OK;
    }
}

sparcl_status spc_file_read(const char *path, size_t limit, const sparcl_allocator *allocator,
                            char **bytes, size_t *size, sparcl_error *error) {
    *bytes = NULL;
    *size = 0;
    size_t capacity = 0;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return fail_errno(error, path, "cannot be opened");
    sparcl_status status = read_all(file, path, limit, allocator, bytes, &capacity, size, error);
    (void)close(file);
    if (status == SPARCL_OK) {
        (*bytes)[*size] = '\0';
        char *fitted = spc_realloc(allocator, *bytes, capacity, *size + 1);
        if (fitted) {
            *bytes = fitted;
            capacity = *size + 1;
        } else {
            status = spc_fail_memory(error, path, *size + 1);
        }
    }
    if (status != SPARCL_OK) {
        spc_free(allocator, *bytes, capacity);
        *bytes = NULL;
        *size = 0;
    }
    return status;
}
