/* fuzz_file.h: a file in memory for a reader that takes a path, and the entry of a target. */
#ifndef FUZZ_FILE_H
#define FUZZ_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

typedef struct fuzz_file {
    int file;
    char path[32];
} fuzz_file;

/* The whole content; it is read by way of the descriptor, again from its beginning. */
static inline void fuzz_write(fuzz_file *f, const void *bytes, size_t size) {
    if (f->path[0] == '\0') {
        f->file = memfd_create("sparcl-fuzz", MFD_CLOEXEC);
        if (f->file < 0) abort();
        snprintf(f->path, sizeof f->path, "/proc/self/fd/%d", f->file);
    }
    if (ftruncate(f->file, 0) != 0 || pwrite(f->file, bytes, size, 0) != (ssize_t)size) abort();
}

#endif
