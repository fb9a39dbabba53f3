/* layer_files.c: a library to preload, which lets a call for a file fail. It counts the calls for
 * files in the folder FAULT_FOLDER, and what call FAULT_AT is, it appends to FAULT_LOG. FAULT_HOW:
 * that call fails ("once"), that one and all after it
 * ("forever"), reads and writes take half of the bytes ("short"), or were interrupted
 * ("interrupted"). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES = 1024 };

static bool ours[FILES]; /* descriptors of files in the folder */
static long calls;

/* The function that ours hides. */
#define REAL(type, name, ...)                                                                      \
    static type (*real)(__VA_ARGS__);                                                              \
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, #name)

static int real_open(const char *path, int flags, mode_t mode) {
    REAL(int, open, const char *, int, ...);
    return real(path, flags, mode);
}

static bool is_in_folder(const char *path) {
    const char *const folder = getenv("FAULT_FOLDER");
    return folder && path && strncmp(path, folder, strlen(folder)) == 0;
}

static bool is_ours(int file) {
    return file >= 0 && file < FILES && ours[file];
}

static void real_close(int file) {
    REAL(int, close, int);
    real(file);
}

/* What the script looks for in the message. */
static void note(const char *call, int code) {
    const char *const log = getenv("FAULT_LOG");
    char line[160];
    const int length = snprintf(line, sizeof line, "%s: %s\n", call, strerror(code));
    const int file = log ? real_open(log, O_WRONLY | O_CREAT | O_APPEND, 0666) : -1;
    REAL(ssize_t, write, int, const void *, size_t);
    if (file < 0 || real(file, line, (size_t)length) < 0) abort();
    real_close(file);
}

static bool is_partial(const char *how) {
    return strcmp(how, "short") == 0 || strcmp(how, "interrupted") == 0;
}

/* True where this call fails, with errno. */
static bool fails(const char *call, int code) {
    const char *const at = getenv("FAULT_AT"), *const how = getenv("FAULT_HOW");
    if (!at || !how || is_partial(how)) return false;
    const long number = ++calls, first = atol(at);
    if (number != first && !(number > first && strcmp(how, "forever") == 0)) return false;
    note(call, code);
    errno = code;
    return true;
}

/* The bytes that a read or a write takes; -1: it was interrupted. */
static ssize_t part_of(const char *call, size_t size) {
    const char *const at = getenv("FAULT_AT"), *const how = getenv("FAULT_HOW");
    if (!at || !how || !is_partial(how) || ++calls != atol(at)) return (ssize_t)size;
    note(call, EINTR);
    errno = EINTR;
    return strcmp(how, "short") == 0 ? (ssize_t)(size + 1) / 2 : -1;
}

static int remember(const char *path, int file) {
    if (file >= 0 && file < FILES) ours[file] = is_in_folder(path);
    return file;
}

int open(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    const mode_t mode = flags & O_CREAT ? (mode_t)va_arg(more, int) : 0;
    va_end(more);
    if (is_in_folder(path) && fails("open", EMFILE)) return -1;
    return remember(path, real_open(path, flags, mode));
}

ssize_t read(int file, void *bytes, size_t size) {
    REAL(ssize_t, read, int, void *, size_t);
    if (!is_ours(file)) return real(file, bytes, size);
    if (fails("read", EIO)) return -1;
    const ssize_t part = part_of("read", size);
    return part < 0 ? -1 : real(file, bytes, (size_t)part);
}

ssize_t write(int file, const void *bytes, size_t size) {
    REAL(ssize_t, write, int, const void *, size_t);
    if (!is_ours(file)) return real(file, bytes, size);
    if (fails("write", ENOSPC)) return -1;
    const ssize_t part = part_of("write", size);
    return part < 0 ? -1 : real(file, bytes, (size_t)part);
}

int close(int file) {
    REAL(int, close, int);
    const bool counts = is_ours(file);
    if (counts) ours[file] = false;
    const int code = real(file); /* also where it fails */
    return counts && fails("close", EIO) ? -1 : code;
}

int fsync(int file) {
    REAL(int, fsync, int);
    return is_ours(file) && fails("fsync", EIO) ? -1 : real(file);
}

int fchmod(int file, mode_t mode) {
    REAL(int, fchmod, int, mode_t);
    return is_ours(file) && fails("fchmod", EPERM) ? -1 : real(file, mode);
}

void *mmap(void *at, size_t size, int protection, int flags, int file, off_t from) {
    REAL(void *, mmap, void *, size_t, int, int, int, off_t);
    return is_ours(file) && fails("mmap", ENOMEM) ? MAP_FAILED
                                                  : real(at, size, protection, flags, file, from);
}

int rename(const char *from, const char *to) {
    REAL(int, rename, const char *, const char *);
    return is_in_folder(to) && fails("rename", EACCES) ? -1 : real(from, to);
}

int mkdir(const char *path, mode_t mode) {
    REAL(int, mkdir, const char *, mode_t);
    return is_in_folder(path) && fails("mkdir", EACCES) ? -1 : real(path, mode);
}

/* ---- streams that are read: through the functions above ---------------------------------------
 */

static ssize_t read_stream(void *cookie, char *bytes, size_t size) {
    return read((int)(long)cookie, bytes, size);
}

static int seek_stream(void *cookie, off64_t *at, int from) {
    *at = lseek((int)(long)cookie, *at, from);
    return *at < 0 ? -1 : 0;
}

static int close_stream(void *cookie) {
    return close((int)(long)cookie);
}

FILE *fopen(const char *path, const char *mode) {
    REAL(FILE *, fopen, const char *, const char *);
    const cookie_io_functions_t functions = {
        .read = read_stream, .seek = seek_stream, .close = close_stream};
    if (!is_in_folder(path) || mode[0] != 'r') return real(path, mode);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    return file < 0 ? NULL : fopencookie((void *)(long)file, "rb", functions);
}
