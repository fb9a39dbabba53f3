/* coming.h: the next batches of a pass, where data on the device are selected for several together.
 */
#ifndef SPC_TRAIN_COMING_H
#define SPC_TRAIN_COMING_H

#include "model/model_graph.h"
#include "sparcl/ops/products.h"

/* The rows of a pass, of which batches are made. */
typedef struct spc_pass_rows {
    sparcl_ctx *ctx;
    const sparcl_csr *all;     /* the data set on the device */
    const sparcl_list *fields; /* of its entries, or NULL */
    const int64_t *offsets;    /* of its rows, on the host */
    const int64_t *order;      /* [rows] of the pass; on the device: list */
    const sparcl_list *list;
    int64_t rows;
} spc_pass_rows;

typedef struct spc_coming {
    sparcl_batches *batches;
    sparcl_pattern *pattern; /* of the batch that was taken */
    int64_t batch_rows;
    int64_t first, rows; /* rows of the pass that were selected; rows 0: none */
    int64_t *entries;    /* [counted] of each batch from row counted_first on */
    int64_t counted_first, counted, capacity;
} spc_coming;

void spc_coming_close(spc_coming *coming);
/* A new pass: nothing is selected. */
void spc_coming_reset(spc_coming *coming);

/* Have rows first .. first + count - 1 of the pass selected, with those after them. *entries is the
 * number of their entries, or -1 where they should be selected alone. */
sparcl_status spc_coming_select(spc_coming *coming, const spc_pass_rows *pass, int64_t first,
                                int64_t count, int64_t *entries, sparcl_error *error);
/* Take the batch that begins with row `first`, which was selected, as in->x, which has memory for
 * it, with its pattern. */
sparcl_status spc_coming_take(spc_coming *coming, sparcl_ctx *ctx, int64_t first, spc_inputs *in,
                              sparcl_error *error);

#endif
