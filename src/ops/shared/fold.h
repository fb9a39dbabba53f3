/* fold.h: reductions of runs of items: what all of them share. cl/reduce.cl, cl/segment_reduce.cl,
 * cl/reduce_gradient.cl. */
#ifndef SPC_OPS_FOLD_H
#define SPC_OPS_FOLD_H

#include "launch/launch.h"
#include "ops/shared/check.h"
#include "ops/shared/order.h"
#include "sparcl/ops/products.h"
#include "sparcl/ops/reductions.h"

/* How items are put together: the files cl/fold_X.cl. */
typedef enum spc_fold {
    SPC_FOLD_SUM,
    SPC_FOLD_SQUARE,
    SPC_FOLD_ABS,
    SPC_FOLD_PROD,
    SPC_FOLD_MAX,
    SPC_FOLD_MIN,
    SPC_FOLD_DOT,
    SPC_FOLD_NONZERO, /* products of the items that are not 0 */
    SPC_FOLD_ZEROS    /* the number of the others */
} spc_fold;

/* What a run's result is made of: FINISH_... of cl/blocks.cl. */
typedef enum spc_finish {
    SPC_FINISH_NONE = 0,
    SPC_FINISH_MEAN = 1,
    SPC_FINISH_SQRTN = 2,
    SPC_FINISH_ROOT = 3,
    SPC_FINISH_COUNT = 4
} spc_finish;

/* Runs of items. */
typedef struct spc_item_runs {
    int64_t count;             /* runs */
    int64_t items;             /* of all runs; with offsets their maximum */
    int64_t length;            /* of each run, without offsets */
    const sparcl_buf *offsets; /* [count + 1] of `type`, or NULL */
    int64_t offsets_at;
    sparcl_itype type;
    const sparcl_buf *perm; /* item k of the order is item perm[k], of `type`; NULL: item k */
    int64_t longest;        /* no run has more items */
    const sparcl_buf
        *found; /* NULL, or the number of runs, at most `count` (int64); of rows only */
    int64_t found_at;
} spc_item_runs;

spc_item_runs spc_equal_runs(int64_t count, int64_t length);
/* The rows of a matrix, of its entries. */
spc_item_runs spc_row_runs(const sparcl_csr *a);
/* The functions below push scratch memory, which must stay as long as the runs. */
/* One run of the first `width` times `items` numbers. */
sparcl_status spc_one_run(sparcl_ctx *ctx, spc_items items, int64_t width, spc_item_runs *runs);
/* Items by their ids, which are less than `limit`; `sorted`: they ascend. */
typedef struct spc_segment_ids {
    const sparcl_buf *ids;
    int64_t at, limit;
    sparcl_itype type;
    bool sorted;
} spc_segment_ids;
sparcl_status spc_runs_of_ids(sparcl_ctx *ctx, const spc_segment_ids *ids, spc_items items,
                              spc_item_runs *runs);
/* The columns of a matrix, of its entries, by its pattern. */
sparcl_status spc_runs_of_pattern(sparcl_ctx *ctx, const sparcl_pattern *pattern,
                                  spc_item_runs *runs);

/* An array of values: element j of row i is buf[at + i * ld + j]. */
typedef struct spc_values {
    const sparcl_buf *buf;
    int64_t at, ld;
} spc_values;

spc_values spc_values_of(const sparcl_dense *x);

typedef struct spc_fold_job {
    spc_fold fold;
    spc_finish finish;
    int64_t all;  /* items with those that are not stored; 0: only stored ones count */
    int64_t rows; /* 0: an item is a number, rule S with one column; else a row of this length, rule
                     R */
    sparcl_dtype dtype;
    spc_item_runs runs;
    spc_values x, other; /* `other`: of SPC_FOLD_DOT */
    sparcl_buf *to;      /* NULL: `wide` */
    int64_t to_at, to_ld;
    sparcl_buf *wide;      /* the result, packed, in the type that is computed with */
    sparcl_buf *positions; /* NULL, or int64 */
    int64_t positions_at;
} spc_fold_job;

/* A row of the table of reductions. */
typedef struct spc_reduction {
    spc_fold fold;
    spc_finish finish;
} spc_reduction;

spc_reduction spc_reduction_of(sparcl_reduction kind);

/* `op` begins the message of a refusal. The job is checked. */
sparcl_status spc_fold_runs(sparcl_ctx *ctx, const char *op, const spc_fold_job *job);

/* The same for segments by ids in no order, without runs, where the first function says that it
 * can: cl/segment_unsorted.cl. Pushes scratch memory. */
bool spc_folds_unsorted(const sparcl_ctx *ctx, const spc_fold_job *job, const spc_segment_ids *ids);
sparcl_status spc_fold_unsorted(sparcl_ctx *ctx, const spc_fold_job *job,
                                const spc_segment_ids *ids, int64_t items);

/* Only the blocks of its long runs: cl/blocks.cl. */
sparcl_status spc_fold_blocks(sparcl_ctx *ctx, const spc_fold_job *job, sparcl_buf *blocks);

/* That of a kernel with FOLD_LONG_RUNS (cl/stage.cl) whose other loops have `range`. */
spc_range spc_range_long_runs(const sparcl_ctx *ctx, spc_range range, int64_t runs, int64_t width);

/* The positions of maxima or minima, in scratch memory: those of the job without its results. */
sparcl_status spc_fold_positions(sparcl_ctx *ctx, const char *op, const spc_fold_job *job,
                                 const sparcl_buf **positions);

/* The gradient by items of `width` numbers: cl/reduce_gradient.cl. */
typedef struct spc_fold_gradient {
    int kind; /* a sparcl_reduction, or SPC_GRADIENT_DOT */
    sparcl_dtype dtype;
    spc_item_runs runs; /* in the order of items: without perm; not used where ids are set */
    const spc_segment_ids *ids;  /* or NULL */
    const spc_item_runs *sorted; /* for counts and products by ids: the runs in their order */
    int64_t items, width, all;   /* all: the number of items of each run; 0: it is counted */
    bool by_column; /* gy, y and positions have `width` numbers for each run; else one */
    bool by_number; /* sums are rule S, of numbers */
    spc_values x, gy, y, to;
    const sparcl_buf *positions;
    int64_t positions_at;
} spc_fold_gradient;

enum { SPC_GRADIENT_DOT = SPARCL_REDUCE_COUNT };

sparcl_status spc_fold_gradient_run(sparcl_ctx *ctx, const char *op, const spc_fold_gradient *job,
                                    sparcl_buf *to);

/* --- checks ----------------------------------------------------------------------------------- */

/* E_ARG where the kind is none of the bits 1 << kind of `allowed`. */
sparcl_status spc_check_reduction(sparcl_ctx *ctx, const char *op, sparcl_reduction kind,
                                  unsigned allowed);
/* A packed dense array of this dtype, of rank 1 with `count` elements. */
sparcl_status spc_check_packed(sparcl_ctx *ctx, const char *op, const char *name,
                               const sparcl_dense *view, int64_t count, sparcl_dtype dtype);

/* Positions that a call writes: NULL, or `count` for a kind that has them. */
sparcl_status spc_check_positions(sparcl_ctx *ctx, const char *op, sparcl_reduction kind,
                                  const sparcl_buf *positions, int64_t at, int64_t count);
static inline bool spc_picks(sparcl_reduction kind) {
    return kind == SPARCL_REDUCE_MAX || kind == SPARCL_REDUCE_MIN;
}

/* Does the gradient divide by the number of items? */
static inline bool spc_divides(sparcl_reduction kind) {
    return kind == SPARCL_REDUCE_MEAN || kind == SPARCL_REDUCE_SQRTN;
}

#define SPC_KIND(kind)   (1u << (SPARCL_REDUCE_##kind))
#define SPC_ALL_KINDS    ((1u << (SPARCL_REDUCE_COUNT + 1)) - 1)
#define SPC_SMOOTH_KINDS (SPC_ALL_KINDS & ~SPC_KIND(COUNT))
#define SPC_DENSE_KINDS                                                                            \
    (SPC_KIND(SUM) | SPC_KIND(MEAN) | SPC_KIND(SQUARE_SUM) | SPC_KIND(NORM) | SPC_KIND(NORM1))

#endif
