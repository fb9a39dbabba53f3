/* bags.h: bags of indices, checked and as arguments of kernels. */
#ifndef SPC_OPS_BAGS_H
#define SPC_OPS_BAGS_H

#include "launch/launch.h"
#include "ops/shared/check.h"
#include "ops/structure/unique.h"
#include "sparcl/ops/layers.h"
#include "sparcl/ops/products.h"

/* Bags for values of a dtype: their fields, their arrays and, where indices must be in range, their
 * proof. */
sparcl_status spc_check_bags(sparcl_ctx *ctx, const char *op, const sparcl_bags *bags,
                             sparcl_dtype dtype);
/* Does a dense array have `rows` rows (`what`: bags, entries, ...) and as many columns as `like`?
 */
sparcl_status spc_check_bag_array(sparcl_ctx *ctx, const char *op, const char *name,
                                  const sparcl_dense *array, int64_t rows, const char *what,
                                  const sparcl_dense *like);
/* E_UNSUPPORTED where a device would stop the loops over one bag with all entries. */
sparcl_status spc_check_bag_loops(sparcl_ctx *ctx, const char *op, const sparcl_bags *bags,
                                  int64_t width);
/* The arrays of the bags, as operands. */
spc_spans spc_bags_spans(const sparcl_bags *bags, sparcl_dtype dtype);

/* The first arguments of each kernel after cl/bags.cl, and its build options. */
spc_args spc_bags_args(const sparcl_bags *bags);
uint32_t spc_bags_options(const sparcl_bags *bags, sparcl_dtype dtype);
/* A loop over all entries, bag by bag, with rows of some width. */
spc_range spc_range_bags(const sparcl_ctx *ctx, const sparcl_bags *bags, int64_t width);
/* Add a dense array: its values, position and leading dimension. */
void spc_args_add_dense(spc_args *list, spc_arg values, const sparcl_dense *array);

/* values[k] := the value of entry k in sparcl_embedding_bag_matrix, or 0 where the entry is left
 * out. For checked bags. */
sparcl_status spc_bag_coefficients(sparcl_ctx *ctx, const sparcl_bags *bags, sparcl_dtype dtype,
                                   sparcl_buf *values, int64_t values_at);

/* The entries of bags that are not left out, in scratch memory of the caller: count[count_at]
 * indices (of the type of the list) and the bag of each. */
typedef struct spc_bag_entries {
    sparcl_buf *ids, *owners, *count;
    int64_t count_at;
} spc_bag_entries;

sparcl_status spc_list_bag_entries(sparcl_ctx *ctx, const sparcl_bags *bags, sparcl_dtype dtype,
                                   sparcl_itype owner_type, spc_bag_entries *entries);
/* to [bags, width], without gaps := row i of g times what the entries of bag i, which have no
 * weights, are multiplied by. */
sparcl_status spc_bag_shares(sparcl_ctx *ctx, sparcl_buf *to, const sparcl_bags *bags,
                             const sparcl_dense *g);
/* Check the gradient `g` of the results of checked bags, and the positions of maxima, or NULL. */
sparcl_status spc_check_bag_gradient(sparcl_ctx *ctx, const char *op, const sparcl_bags *bags,
                                     const sparcl_dense *g, const sparcl_dense *positions);

/* Row k of `to` := row k of `rows`, or 0 where entry k of the list is left out. For checked bags.
 */
sparcl_status spc_embedding_rows(sparcl_ctx *ctx, const sparcl_dense *to, const sparcl_dense *rows,
                                 const sparcl_bags *bags);

/* values [count of the list, d] := for each entry the gradient g of its bag where the entry is its
 * maximum, else 0. With `source`, positions have source[e] for entry e. For
 * checked bags. */
sparcl_status spc_bag_max_rows(sparcl_ctx *ctx, const sparcl_bags *bags, const sparcl_dense *g,
                               const sparcl_dense *positions, const sparcl_buf *source,
                               sparcl_buf *values, int64_t values_at);
/* The same, with the positions that a forward call has, which is repeated in scratch memory. */
sparcl_status spc_bag_max_gradient(sparcl_ctx *ctx, const sparcl_bags *bags, const sparcl_dense *g,
                                   const sparcl_dense *table, sparcl_buf *values,
                                   int64_t values_at);

/* The rows of a table that have entries in checked bags: each once, ascending; run u has the
 * entries of row u. In scratch memory of the caller. */
typedef struct spc_bag_rows {
    sparcl_buf *unique;
    spc_ordered_runs runs;
} spc_bag_rows;

sparcl_status spc_find_bag_rows(sparcl_ctx *ctx, const sparcl_bags *bags, sparcl_dtype dtype,
                                spc_bag_rows *rows);

/* Each row of R := itself divided by the number of entries of its column in a matrix with this
 * pattern, whose columns are the indices of R. */
sparcl_status spc_divide_by_pattern(sparcl_ctx *ctx, const sparcl_rows *r,
                                    const sparcl_pattern *pattern);

#endif
