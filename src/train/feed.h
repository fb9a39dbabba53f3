/* feed.h: provides batches of rows on the device. They are selected from a data set on the device,
 * or gathered on the host where the data set does not fit, or come from a callback. The batches are
 * the same. */
#ifndef SPC_TRAIN_FEED_H
#define SPC_TRAIN_FEED_H

#include <stdbool.h>

#include "base/macros.h"
#include "model/model_graph.h"
#include "sparcl/data_stream.h"
#include "sparcl/sparcl.h"
#include "sparcl/train.h"
#include "train/scaling.h"

/* A number for each row: its label for the loss, or its weight. */
typedef struct spc_row_numbers {
    const float *host; /* [rows] */
    sparcl_dense all, pass,
        batch;     /* on the device: as stored; in the order of a pass; of a batch */
    float *staged; /* of a batch on the host */
} spc_row_numbers;
enum { SPC_TARGETS = 0, SPC_WEIGHTS = 1, SPC_ROW_NUMBERS = 2 };

typedef struct spc_feed {
    sparcl_ctx *ctx;
    const sparcl_data *data; /* NULL: batches come from the caller's callback */
    spc_row_numbers numbers[SPC_ROW_NUMBERS];
    int number_count; /* without weights only the targets */
    int64_t rows, columns;
    int64_t fields;             /* limit of the fields of entries; 0: not read */
    const spc_scaling *scaling; /* of the values; NULL: as they are */
    bool on_host;
    sparcl_row_reader *rows_of_file; /* of streamed data; else NULL */
    const int64_t *order;            /* row order of the current pass; NULL: as stored */
    /* the data set on the device */
    sparcl_csr all;
    sparcl_list list;                      /* `order` on the device */
    sparcl_csr batch;                      /* memory of a batch on the device */
    sparcl_buf *all_fields, *batch_fields; /* int32, of the entries of both */
    /* staging on the host */
    void *offsets, *indices;
    float *values;
    int32_t *staged_fields;
    int64_t staged_rows, staged_nnz;
} spc_feed;

/* Bytes that data may use on the device: as requested, or (0) half of the device's memory, minus
 * what the context uses now. */
int64_t spc_feed_limit(const sparcl_ctx *ctx, int64_t requested);

/* What a feed gives beside the entries of data. */
typedef struct spc_feed_desc {
    const float *targets, *weights; /* [rows], which must stay valid; weights NULL: none */
    int64_t columns;
    int64_t fields; /* more than the largest field of an entry; 0: fields are not read */
    const spc_scaling *scaling; /* of the values, which must stay valid; NULL: as they are */
} spc_feed_desc;

/* Open for a data set. Data that need more than `limit` bytes stay on the host. Close also after a
 * failure. */
sparcl_status spc_feed_open(spc_feed *feed, sparcl_ctx *ctx, const sparcl_data *data,
                            const spc_feed_desc *desc, int64_t limit, sparcl_error *error);
/* Bytes of the complete data set on the device, without batches; and the bytes that it uses there
 * now. */
int64_t spc_feed_full_bytes(const spc_feed *feed);
int64_t spc_feed_bytes(const spc_feed *feed);
/* Open for batches from a callback. */
void spc_feed_open_empty(spc_feed *feed, sparcl_ctx *ctx, int64_t columns, bool has_weights);
void spc_feed_close(spc_feed *feed);

/* Set the row order of the next batches; the array must stay valid. NULL: as stored. */
sparcl_status spc_feed_pass(spc_feed *feed, const int64_t *order, sparcl_error *error);

/* Rows first .. first + rows - 1 of the order: x, labels and weights. The views are valid until the
 * next batch. */
sparcl_status spc_feed_batch(spc_feed *feed, int64_t first, int64_t rows, spc_inputs *in,
                             sparcl_error *error);

/* As spc_feed_batch, for rows first .. first + rows - 1 as stored, for any order of the pass. */
sparcl_status spc_feed_slice(spc_feed *feed, int64_t first, int64_t rows, spc_inputs *in,
                             sparcl_error *error);

/* Check a callback's batch for everything that the reader of a data set guarantees. E_FORMAT. */
sparcl_status spc_feed_check(const spc_feed *feed, const sparcl_batch *batch, sparcl_error *error);
/* Copy a callback's batch, which was checked, to the device; numbers[i] are those of the rows. */
sparcl_status spc_feed_upload(spc_feed *feed, const sparcl_batch *batch,
                              const float *const numbers[SPC_ROW_NUMBERS], spc_inputs *in,
                              sparcl_error *error);

#endif
