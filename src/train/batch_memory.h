/* batch_memory.h: the memory of a batch of rows: on the host, where it is gathered, and on the
 * device. One batch after the other uses it. */
#ifndef SPC_TRAIN_BATCH_MEMORY_H
#define SPC_TRAIN_BATCH_MEMORY_H

#include "model/model_graph.h"
#include "train/csr_arrays.h"

/* The numbers of a row: its label for the loss, and its weight. */
enum { SPC_TARGETS = 0, SPC_WEIGHTS = 1, SPC_ROW_NUMBERS = 2 };

typedef struct spc_batch_memory {
    sparcl_ctx *ctx;
    int64_t columns;
    int64_t fields;   /* limit of the fields of entries; 0: not read */
    int number_count; /* without weights only the targets */
    /* on the device; x.nnz is the capacity */
    sparcl_csr x;
    sparcl_buf *x_fields, *x_numbers[SPC_ROW_NUMBERS];
    /* on the host */
    void *offsets, *indices;
    float *values, *numbers[SPC_ROW_NUMBERS];
    int32_t *entry_fields;
    int64_t host_rows, host_nnz; /* the capacity */
} spc_batch_memory;

void spc_batch_close(spc_batch_memory *memory);

/* The bytes on the device of a matrix, and of a batch. */
int64_t spc_csr_bytes(const sparcl_csr *x);
int64_t spc_batch_bytes(const spc_batch_memory *memory);

/* Have memory for a batch on the device, and set the inputs to its views. */
sparcl_status spc_batch_reserve(spc_batch_memory *memory, int64_t rows, int64_t nnz, spc_inputs *in,
                                sparcl_error *error);

/* Have memory for `rows` rows of a matrix whose offsets are I64, from `first` on, in an order
 * (NULL: as stored), and gather them on the host; without their entries where values are NULL. */
sparcl_status spc_batch_gather(spc_batch_memory *memory, const sparcl_csr_arrays *from,
                               const float *const numbers[SPC_ROW_NUMBERS], const int64_t *order,
                               int64_t first, int64_t rows, spc_inputs *in, sparcl_error *error);
/* Copy the gathered batch to the device. */
sparcl_status spc_batch_send(const spc_batch_memory *memory, const sparcl_csr *x,
                             sparcl_error *error);
/* Only the offsets of consecutive rows, from 0, to those of x. */
sparcl_status spc_batch_send_offsets(spc_batch_memory *memory, const int64_t *offsets, int64_t rows,
                                     spc_inputs *in, sparcl_error *error);

/* The entries of rows. */
int64_t spc_batch_entries(const int64_t *offsets, const int64_t *order, int64_t first,
                          int64_t rows);

/* Set the inputs to views of other buffers: the fields of the entries of in->x, from a position on;
 * `count` numbers of rows from `first` on. */
void spc_batch_view_fields(const spc_batch_memory *memory, sparcl_buf *buf, int64_t at,
                           spc_inputs *in);
void spc_batch_view_numbers(const spc_batch_memory *memory, sparcl_buf *const bufs[SPC_ROW_NUMBERS],
                            int64_t first, int64_t count, spc_inputs *in);

#endif
