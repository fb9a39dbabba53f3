/* feed.h: provides batches of rows of a data set on the device, from the place that has its
 * entries: the device, the host or a file. The batches are the same. */
#ifndef SPC_TRAIN_FEED_H
#define SPC_TRAIN_FEED_H

#include <stdbool.h>

#include "sparcl/data.h"
#include "train/batch_memory.h"
#include "train/scaling.h"

typedef struct spc_feed spc_feed;

/* A place of entries. Functions may be NULL: nothing to do. */
typedef struct spc_feed_place {
    bool on_host;
    sparcl_status (*open)(spc_feed *feed, sparcl_error *error);
    /* Begin a pass with the order of the feed, which is not NULL. */
    sparcl_status (*start)(spc_feed *feed, sparcl_error *error);
    /* Rows first .. first + rows - 1: x, labels and weights; in the order of the pass, or (NULL) as
     * stored. */
    sparcl_status (*rows)(spc_feed *feed, const int64_t *order, int64_t first, int64_t rows,
                          spc_inputs *in, sparcl_error *error);
    int64_t (*bytes)(const void *state); /* on the device, without batches */
    void (*close)(void *state);
} spc_feed_place;

/* feed_device.c; feed_host.c: rows are gathered on the host, those of a file as stored. */
extern const spc_feed_place spc_feed_device, spc_feed_host, spc_feed_file;

struct spc_feed {
    sparcl_ctx *ctx;
    const sparcl_data *data;
    int64_t rows;
    const float *numbers[SPC_ROW_NUMBERS]; /* [rows] */
    const spc_scaling *scaling;            /* of the values; NULL: as they are */
    const int64_t *order;                  /* of the rows of a pass; NULL: as stored */
    const spc_feed_place *place;
    void *state; /* of the place */
    spc_batch_memory batch;
};

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
void spc_feed_close(spc_feed *feed);

/* Bytes of the complete data set on the device, without batches; and those that it has there. */
int64_t spc_feed_full_bytes(const spc_feed *feed);
int64_t spc_feed_bytes(const spc_feed *feed);

/* Set the row order of the next batches; the array must stay valid. NULL: as stored. */
sparcl_status spc_feed_pass(spc_feed *feed, const int64_t *order, sparcl_error *error);

/* Rows first .. first + rows - 1 of the order: x, labels and weights. The views are valid until the
 * next batch. */
sparcl_status spc_feed_batch(spc_feed *feed, int64_t first, int64_t rows, spc_inputs *in,
                             sparcl_error *error);

/* The same as stored, for any order of the pass. */
sparcl_status spc_feed_slice(spc_feed *feed, int64_t first, int64_t rows, spc_inputs *in,
                             sparcl_error *error);

#endif
