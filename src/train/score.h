/* score.h: applies a model to a data set: scores, losses, predictions. */
#ifndef SPC_TRAIN_SCORE_H
#define SPC_TRAIN_SCORE_H

#include "model/model_graph.h"
#include "train/feed.h"

/*
 * The rows are processed in slices. A slice has at most this many scores and entries, and its
 * values in the graph at most this many bytes (a linear model stays below); or it is a single row,
 * so that it fits on the device for any data set. The slices are the same for data on the device
 * and on the host, because the sum of a slice's losses is rounded.
 */
enum { SPC_SLICE_SCORES = 262144, SPC_SLICE_ENTRIES = 262144, SPC_SLICE_BYTES = 64 << 20 };

/* What takes the codes of a slice, rows first .. first + codes->rows - 1. */
typedef sparcl_status (*spc_take_codes)(void *user, int64_t first, const sparcl_csr *codes,
                                        sparcl_error *error);

/* The arrays for the results of each row, NULL: not requested: the scores [rows, outputs], the
 * predicted class (the value for squared loss), its probability; the mean loss; and what takes the
 * codes, of `code_columns` columns. */
typedef struct spc_scores {
    float *scores, *label, *p;
    double *mean_loss;
    spc_take_codes take_codes;
    void *codes_user;
    int64_t *code_columns;
} spc_scores;

/* The graph of a model, to run forward. */
typedef struct spc_forward {
    sparcl_ctx *ctx;
    spc_model_graph model;
    sparcl_node sum;       /* of the losses of a slice */
    int64_t rows;          /* of a slice, at most */
    sparcl_dense label, p; /* predictions of a slice */
    float *scores;         /* a slice on the host, for the caller's prediction; or NULL */
} spc_forward;

/* What a graph is built for. */
typedef struct spc_forward_desc {
    const sparcl_architecture *architecture;
    sparcl_loss loss;
    double l2;
    int64_t columns, outputs;
    int64_t nodes;  /* where the architecture has them */
    int64_t rows;   /* of a slice; 0: as many as the limits above allow */
    bool weighs;    /* rows have weights */
    int64_t fields; /* where the architecture reads them */
} spc_forward_desc;

/* Build the graph for what `wanted` requests. Close it also after a failure. */
sparcl_status spc_forward_open(spc_forward *forward, sparcl_ctx *ctx, const spc_forward_desc *desc,
                               const spc_scores *wanted, sparcl_error *error);
void spc_forward_close(spc_forward *forward);
/* Set the value of a parameter; the view's buffer must stay. */
sparcl_status spc_forward_bind(spc_forward *forward, int parameter, const sparcl_dense *view,
                               sparcl_error *error);

/* Run the graph, whose inputs are bound, and take the results of rows first .. first + rows - 1;
 * the sum of their losses is added to *total. */
sparcl_status spc_forward_run(spc_forward *forward, int64_t first, const spc_scores *out,
                              double *total, sparcl_error *error);

/* Rows that can be scored, of a feed or of something else. score NULL: none. */
typedef struct spc_scored {
    sparcl_status (*score)(void *source, spc_forward *forward, const spc_scores *out,
                           sparcl_error *error);
    void *source;
} spc_scored;

spc_scored spc_scored_feed(spc_feed *feed);

/* Process the rows of a feed once, in the order stored; `out` requests what the graph is for. */
sparcl_status spc_score(spc_feed *feed, spc_forward *forward, const spc_scores *out,
                        sparcl_error *error);

#endif
