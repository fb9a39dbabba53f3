/* file.h: reads and writes complete files. */
#ifndef SPC_BASE_FILE_H
#define SPC_BASE_FILE_H

#include "base/macros.h"

/* Some bytes; a file is written from several of these. */
typedef struct spc_bytes {
    const void *at;
    size_t size;
} spc_bytes;

/* Write `path` from its parts, one after another, as writer.h says. */
SPARCL_MUST_CHECK sparcl_status spc_file_write(const char *path, const spc_bytes *parts,
                                               size_t part_count, sparcl_error *error);

/*
 * Read all of `path`, at most `limit` bytes; a longer file is E_FORMAT. *bytes has *size bytes and
 * one NUL after them, and is freed with spc_free(allocator, *bytes, *size + 1).
 */
SPARCL_MUST_CHECK sparcl_status spc_file_read(const char *path, size_t limit,
                                              const sparcl_allocator *allocator, char **bytes,
                                              size_t *size, sparcl_error *error);

/* Write the parts to a descriptor, sync it, and close it, also after a failure. 0 or an errno. */
int spc_file_put(int file, const spc_bytes *parts, size_t part_count);

/* Fill `buffer` from a descriptor; *got < size only at the end of the file. 0 or an errno. */
int spc_file_fill(int file, void *buffer, size_t size, size_t *got);

#endif
