/* input.h: reads the bytes of a file or of standard input, decompressed. */
#ifndef SPC_DATA_INPUT_H
#define SPC_DATA_INPUT_H

#include <stdbool.h>

#include "data/io/raw_input.h"

typedef struct spc_decoder spc_decoder; /* see decode.h */

enum { SPC_BEGUN_BYTES = SPC_RAW_CAPACITY };

typedef struct spc_input {
    spc_raw raw;
    spc_decoder *decoder; /* NULL for a plain file */
    const char *window;   /* decoded bytes not consumed yet */
    size_t window_size;
    const char *member; /* the name of a member of an archive to be read; NULL: none */
    char *begun;        /* the first windows of a decoder, put together; or NULL */
    const char *after;  /* the window after them, or NULL */
    size_t after_size;
    sparcl_error later; /* why decoding failed, where it did: it fails so again */
} spc_input;

/* Open `path`, or standard input for "-"; call spc_input_close also after a failure. */
SPARCL_MUST_CHECK sparcl_status spc_input_open(spc_input *input, const char *path,
                                               const sparcl_allocator *allocator,
                                               sparcl_error *error);
void spc_input_close(spc_input *input);

/* At the beginning: the first bytes of the content, which are not consumed; at least
 * SPC_BEGUN_BYTES / 2, or all. */
SPARCL_MUST_CHECK sparcl_status spc_input_peek(spc_input *input, const char **bytes, size_t *size,
                                               sparcl_error *error);

/* Of text in memory: *skipped becomes the bytes of the byte order mark of UTF-8. UTF-16 and UTF-32
 * are refused: E_FORMAT, "name:1:1: ...". */
SPARCL_MUST_CHECK sparcl_status spc_text_begin(const char *bytes, size_t size, const char *name,
                                               size_t *skipped, sparcl_error *error);
/* The same at the beginning of an input of any format: skip that mark; *skipped: there was one. */
SPARCL_MUST_CHECK sparcl_status spc_input_begin_text(spc_input *input, bool *skipped,
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
