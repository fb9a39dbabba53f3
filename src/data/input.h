/* input.h: the bytes of a file or of standard input, seen through compression. */
#ifndef SPC_DATA_INPUT_H
#define SPC_DATA_INPUT_H

#include <stdbool.h>

#include "data/dataset.h"

typedef struct spc_decoder spc_decoder; /* see decode.h */

typedef struct spc_input {
    int file;
    bool owned;                   /* opened here, not standard input */
    int64_t size;                 /* of a plain regular file, else -1 */
    char name[SPC_NAME_CAPACITY]; /* for messages: the path, its beginning cut when long */
    sparcl_allocator allocator;
    char *raw;              /* bytes as they come from the file */
    size_t raw_at, raw_end; /* those not taken yet */
    bool raw_done;          /* the file has no more */
    spc_decoder *decoder;   /* NULL for a plain file */
    const char *window;     /* decoded bytes not taken yet */
    size_t window_size;
} spc_input;

enum { SPC_RAW_CAPACITY = 128 * 1024 };

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

/* Move in a plain regular file (`size` >= 0), as lseek does: the new place, or -1. */
int64_t spc_input_seek(spc_input *input, int64_t offset, int whence);

/* For the decoder: more raw bytes behind those not taken. 0 or an errno. */
int spc_input_refill(spc_input *input);

#endif
