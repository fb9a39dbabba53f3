/* input.h: reads the bytes of a file or of standard input, decompressed. */
#ifndef SPC_DATA_INPUT_H
#define SPC_DATA_INPUT_H

#include <stdbool.h>

#include "data/raw_input.h"

typedef struct spc_decoder spc_decoder; /* see decode.h */

typedef struct spc_input {
    spc_raw raw;
    spc_decoder *decoder; /* NULL for a plain file */
    const char *window;   /* decoded bytes not consumed yet */
    size_t window_size;
    const char *member; /* the name of a member of an archive to be read; NULL: none */
} spc_input;

/* Open `path`, or standard input for "-"; call spc_input_close also after a failure. */
SPARCL_MUST_CHECK sparcl_status spc_input_open(spc_input *input, const char *path,
                                               const sparcl_allocator *allocator,
                                               sparcl_error *error);
void spc_input_close(spc_input *input);

/* *begins: the content begins with these bytes, which are not consumed. */
SPARCL_MUST_CHECK sparcl_status spc_input_begins(spc_input *input, const char *bytes, size_t size,
                                                 bool *begins, sparcl_error *error);

/* The bytes at the beginning of the content, which are not consumed; fewer than all of it. */
SPARCL_MUST_CHECK sparcl_status spc_input_peek(spc_input *input, const char **bytes, size_t *size,
                                               sparcl_error *error);

/*
 * Fill `buffer`; *got < size only at the end or with an error. When decoding fails, *got counts the
 * bytes decoded before, and `error` has the reason without the position.
 */
SPARCL_MUST_CHECK sparcl_status spc_input_read(spc_input *input, void *buffer, size_t size,
                                               size_t *got, sparcl_error *error);

/* Seek in a plain regular file (`raw.size` >= 0), as lseek does; returns the new position, or
 * -1. */
int64_t spc_input_seek(spc_input *input, int64_t offset, int whence);

#endif
