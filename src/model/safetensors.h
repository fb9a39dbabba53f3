/*
 * safetensors.h: the safetensors format: 8 bytes of header length, a JSON header, and the tensors'
 * bytes without holes. A file is checked completely before any of it is used.
 */
#ifndef SPC_MODEL_SAFETENSORS_H
#define SPC_MODEL_SAFETENSORS_H

#include <stdbool.h>
#include <stdio.h>

#include "base/macros.h"

struct json_t;

enum { SPC_TENSOR_RANK = 8 };

typedef struct spc_tensor {
    const char *name;
    const char *dtype; /* as the format writes it: "F32", "I64", ... */
    int rank;          /* 0: a single number */
    int64_t shape[SPC_TENSOR_RANK];
    int64_t begin, bytes; /* its position after the header; set by reader and writer */
    const void *data;     /* the bytes to write; not used when reading */
} spc_tensor;

/* One entry of the header's "__metadata__". */
typedef struct spc_note {
    const char *key, *value;
} spc_note;

/*
 * Create the first bytes of a file (length, header, blanks up to a multiple of 8) for tensors that
 * are stored in the order of the array; sets begin and bytes of each. Keys are sorted, so equal
 * input gives equal bytes. *head is freed with spc_free(NULL, *head, *head_bytes). All texts must
 * be UTF-8.
 *
 * Errors: E_ARG: a shape is negative or too large; E_MEMORY.
 */
sparcl_status spc_tensors_head(spc_tensor *tensors, int count, const spc_note *notes,
                               int note_count, char **head, size_t *head_bytes,
                               sparcl_error *error);

/* A file that is open for reading. The caller owns `file`. */
typedef struct spc_tensors {
    FILE *file;
    const char *path; /* for messages */
    struct json_t *header;
    spc_tensor *tensors; /* in the order of their positions */
    int64_t count;
    size_t capacity; /* elements of `tensors` */
    int64_t data_at; /* where the bytes after the header begin */
} spc_tensors;

/*
 * Read and check the header: its length, JSON (UTF-8, no duplicate keys, not nested deeper than the
 * format), every dtype and shape against its number of bytes, no hole, no overlap, and the last
 * byte of the last tensor is the last byte of the file.
 *
 * Errors: E_FORMAT, E_IO, E_MEMORY; `in` is then closed.
 */
sparcl_status spc_tensors_open(spc_tensors *in, FILE *file, const char *path, sparcl_error *error);
void spc_tensors_close(spc_tensors *in);

/* NULL when there is no such tensor, or note. */
const spc_tensor *spc_tensors_find(const spc_tensors *in, const char *name);
const char *spc_tensors_note(const spc_tensors *in, const char *key);
int spc_tensors_note_count(const spc_tensors *in);
/* Call `each` for all notes, until it fails. */
sparcl_status spc_tensors_each_note(const spc_tensors *in,
                                    sparcl_status (*each)(void *user, const char *key,
                                                          const char *value),
                                    void *user);
/* Whether a file can have a text; also false without memory. */
bool spc_is_utf8(const char *text);

/* Copy a tensor's bytes to `out`, which has tensor->bytes bytes. E_IO. */
sparcl_status spc_tensors_read(const spc_tensors *in, const spc_tensor *tensor, void *out,
                               sparcl_error *error);

#endif
