/* raw_input.h: reads the bytes of a file or of standard input, as they are stored. */
#ifndef SPC_DATA_RAW_INPUT_H
#define SPC_DATA_RAW_INPUT_H

#include <stdbool.h>

#include "data/set/dataset.h"

typedef struct spc_raw {
    int file;
    bool owned;                   /* opened here, not standard input */
    int64_t size;                 /* of a plain regular file, else -1 */
    char name[SPC_NAME_CAPACITY]; /* for messages: the path; of a long one only the end */
    sparcl_allocator allocator;
    char *bytes;
    size_t capacity;         /* of bytes: no more than a short file needs */
    size_t at, end;          /* the range of bytes not consumed yet */
    bool at_end;             /* the file has no more bytes */
    int64_t read;            /* bytes that were read */
    int64_t stored;          /* of a regular file; else -1 */
    sparcl_read_fn progress; /* NULL: no calls */
    void *progress_user;
} spc_raw;

enum { SPC_RAW_CAPACITY = 128 * 1024 };

/* Open `path`, or standard input for "-", and read its first bytes; close also after a failure. */
SPARCL_MUST_CHECK sparcl_status spc_raw_open(spc_raw *raw, const char *path,
                                             const sparcl_allocator *allocator,
                                             sparcl_error *error);
void spc_raw_close(spc_raw *raw);

/* Read more bytes after those not consumed yet. Returns 0 or an errno. */
int spc_raw_refill(spc_raw *raw);

/* Read up to `size` bytes, or to the end, and report progress. Returns 0 or an errno. */
int spc_raw_fill(spc_raw *raw, void *buffer, size_t size, size_t *got);
/* Report progress from now on. */
void spc_raw_watch(spc_raw *raw, sparcl_read_fn progress, void *user);

/* How many bytes to request at once, at most `most`: of a file of known size one more than it has,
 * so that its end is seen. */
static inline size_t spc_raw_request(const spc_raw *raw, size_t most) {
    return raw->size >= 0 && (uint64_t)raw->size < most ? (size_t)raw->size + 1 : most;
}

/* E_IO: "name: what: the text of an errno". */
sparcl_status spc_raw_fail(const spc_raw *raw, const char *what, int failure, sparcl_error *error);

#endif
