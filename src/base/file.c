/* file.c: read and write complete files: written under a temporary name and renamed, read up to a
 * limit. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"

enum { NAME_TRIES = 100, FIRST_CAPACITY = 65536 };

static sparcl_status fail_errno(sparcl_error *error, const char *path, const char *what) {
    return spc_fail(error, SPARCL_E_IO, "%s: %s: %s", path, what, strerror(errno));
}

static int put(int file, const char *bytes, size_t size) {
    while (size > 0) {
        const ssize_t done = write(file, bytes, size);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return done < 0 ? errno : EIO;
        bytes += done;
        size -= (size_t)done;
    }
    return 0;
}

static int put_parts(int file, const spc_bytes *parts, size_t part_count) {
    for (size_t i = 0; i < part_count; i++) {
        const int failure = put(file, parts[i].at, parts[i].size);
        if (failure) return failure;
    }
    return 0;
}

/* Always close, and return the first failure, 0 or an errno: a late write error appears only at
 * close. */
static int put_and_close(int file, const spc_bytes *parts, size_t part_count, bool sync) {
    int failure = put_parts(file, parts, part_count);
    if (!failure && sync && fsync(file) != 0) failure = errno;
    if (close(file) != 0 && !failure) failure = errno;
    return failure;
}

int spc_file_put(int file, const spc_bytes *parts, size_t part_count) {
    return put_and_close(file, parts, part_count, true);
}

/* The rename must reach the disk, too; a folder that cannot be synced is no error. */
static void sync_folder(char *path) {
    char *slash = strrchr(path, '/');
    if (slash) slash[slash == path ? 1 : 0] = '\0';
    const int folder = open(slash ? path : ".", O_RDONLY | O_CLOEXEC);
    if (folder < 0) return;
    (void)fsync(folder);
    (void)close(folder);
}

/* Numbered names with O_EXCL: two writers never use the same one, and the umask applies. */
static int open_temporary(const char *path, char *name, size_t capacity) {
    for (int i = 0; i < NAME_TRIES; i++) {
        snprintf(name, capacity, "%s.%ld-%d.tmp", path, (long)getpid(), i);
        const int file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file >= 0 || errno != EEXIST) return file;
    }
    return -1;
}

static sparcl_status write_and_rename(const char *path, char *name, size_t capacity,
                                      const spc_bytes *parts, size_t part_count,
                                      sparcl_error *error) {
    const int file = open_temporary(path, name, capacity);
    if (file < 0 && errno == EEXIST)
        return spc_fail(error, SPARCL_E_IO,
                        "%s: cannot be written: %s and the %d other temporary names beside it are "
                        "taken; remove those files",
                        path, name, NAME_TRIES - 1);
    if (file < 0) return fail_errno(error, path, "cannot be written");
    errno = spc_file_put(file, parts, part_count);
    if (errno == 0 && rename(name, path) == 0) {
        sync_folder(name);
        return SPARCL_OK;
    }
    const sparcl_status status = fail_errno(error, path, "cannot be written");
    (void)unlink(name);
    return status;
}

static sparcl_status write_directly(const char *path, const spc_bytes *parts, size_t part_count,
                                    sparcl_error *error) {
    const int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0) return fail_errno(error, path, "cannot be written");
    errno = put_and_close(file, parts, part_count, false);
    return errno ? fail_errno(error, path, "cannot be written") : SPARCL_OK;
}

sparcl_status spc_file_write(const char *path, const spc_bytes *parts, size_t part_count,
                             sparcl_error *error) {
    struct stat about;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
        return write_directly(path, parts, part_count, error);
    const size_t capacity = strlen(path) + 48;
    char *name = spc_alloc(NULL, capacity);
    if (!name) return spc_fail_memory(error, path, capacity);
    const sparcl_status status = write_and_rename(path, name, capacity, parts, part_count, error);
    spc_free(NULL, name, capacity);
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
