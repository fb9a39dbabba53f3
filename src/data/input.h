/* input.h: the bytes of a file or of standard input, seen through compression. */
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
} spc_input;

/* Open `path`, or standard input for "-"; spc_input_close is right after a failure, too. */
SPARCL_MUST_CHECK sparcl_status spc_input_open(spc_input *input, const char *path,
                                               const sparcl_allocator *allocator,
                                               sparcl_error *error);
void spc_input_close(spc_input *input);

/* True when the content begins with these bytes; they are not taken. */
SPARCL_MUST_CHECK sparcl_status spc_input_begins(spc_input *input, const char *bytes, size_t size,
                                                 bool *begins, sparcl_error *error);

/*
 * Fill `buffer`; *got < size only at the end or with an error. A decoder that fails gives what it
 * decoded before and says in `error` what is wrong, without the place.
 */
SPARCL_MUST_CHECK sparcl_status spc_input_read(spc_input *input, void *buffer, size_t size,
                                               size_t *got, sparcl_error *error);

/* Move in a plain regular file (`raw.size` >= 0), as lseek does: the new place, or -1. */
int64_t spc_input_seek(spc_input *input, int64_t offset, int whence);

#endif
