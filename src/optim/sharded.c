/* sharded.c: tables of several arrays: creation, reading and writing of rows. */
#include "optim/shard.h"

#include <string.h>

#include "base/memory.h"
#include "base/size.h"
#include "launch/launch.h"
#include "launch/scratch.h"
#include "ops/shared/rows.h"
#include "sparcl/ops/elements.h"
#include "sparcl/ops/structure.h"
#include "sparcl/views.h"

#define MAX_SHARDS (1 << 16)

/* --- checks ----------------------------------------------------------------------------------- */

static int64_t count_shards(const sparcl_sharded *t) {
    return t->rows_per_shard > 0 ? (t->shape[0] + t->rows_per_shard - 1) / t->rows_per_shard : 0;
}

/* Rows of shard s. */
static int64_t rows_of(const sparcl_sharded *t, int s) {
    return spc_min_i64(t->rows_per_shard, t->shape[0] - spc_shard_first(t, s));
}

/* Rank, shape and type, as of an array without a buffer. */
static sparcl_status check_shape(sparcl_ctx *ctx, const char *op, const char *name,
                                 const sparcl_sharded *t) {
    if (!ctx) return SPARCL_E_ARG;
    if (!t) return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: %s is NULL", op, name);
    if (t->reserved[0] || t->reserved[1])
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: the reserved fields of %s are not zero", op,
                            name);
    sparcl_dense whole = {.rank = t->rank, .dtype = t->dtype};
    memcpy(whole.shape, t->shape, sizeof whole.shape);
    SPC_TRY(spc_check_dense_shape(ctx, op, name, &whole));
    if (t->rows_per_shard < 0)
        return spc_ctx_fail(ctx, SPARCL_E_ARG,
                            "%s: rows_per_shard of %s is %lld, expected 0 or more", op, name,
                            (long long)t->rows_per_shard);
    return SPARCL_OK;
}

sparcl_status spc_check_sharded(sparcl_ctx *ctx, const char *op, const char *name,
                                const sparcl_sharded *t) {
    SPC_TRY(check_shape(ctx, op, name, t));
    if (t->count != count_shards(t) || (t->count > 0 && !t->shards))
        return spc_ctx_fail(ctx, SPARCL_E_ARG,
                            "%s: %s has %d shards, expected %lld, as sparcl_sharded_create makes "
                            "them",
                            op, name, t->shards ? t->count : 0, (long long)count_shards(t));
    for (int s = 0; s < t->count; ++s) {
        int64_t shape[SPARCL_MAX_RANK];
        memcpy(shape, t->shape, sizeof shape);
        shape[0] = rows_of(t, s);
        SPC_TRY(spc_check_dense_of(ctx, op, name, &t->shards[s], SPC_ALL_TYPES));
        SPC_TRY(spc_check_same_shape(ctx, op, "a shard", t->shards[s].rank, t->shards[s].shape,
                                     name, t->rank, shape));
        SPC_TRY(spc_check_same_dtype(ctx, op, "a shard", t->shards[s].dtype, name, t->dtype));
    }
    return SPARCL_OK;
}

/* --- creation --------------------------------------------------------------------------------- */

void sparcl_sharded_free(sparcl_sharded *t) {
    if (!t || !t->shards) return;
    for (int s = 0; s < t->count; ++s)
        sparcl_dense_free(&t->shards[s]);
    spc_free(spc_ctx_allocator(t->ctx), t->shards, (size_t)t->count * sizeof *t->shards);
    t->shards = NULL;
    t->count = 0;
}

/* Fill in rows_per_shard and count. */
static sparcl_status divide(sparcl_ctx *ctx, sparcl_sharded *t) {
    const int64_t most = sparcl_ctx_device(ctx)->max_allocation;
    const int64_t row = spc_shape_width(t->rank, t->shape) * (int64_t)sparcl_dtype_size(t->dtype);
    if (row > most)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "sharded_create: a row has %lld bytes, expected at most %lld, one "
                            "allocation of the device",
                            (long long)row, (long long)most);
    if (t->rows_per_shard == 0) t->rows_per_shard = row > 0 ? most / row : INT64_MAX;
    t->rows_per_shard = spc_min_i64(t->rows_per_shard, t->shape[0] > 0 ? t->shape[0] : 1);
    if (count_shards(t) > MAX_SHARDS)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "sharded_create: %lld rows are %lld shards of %lld, expected at most "
                            "%d; raise rows_per_shard",
                            (long long)t->shape[0], (long long)count_shards(t),
                            (long long)t->rows_per_shard, MAX_SHARDS);
    t->count = (int)count_shards(t);
    return SPARCL_OK;
}

static sparcl_dense shape_of_shard(const sparcl_sharded *t, int s) {
    sparcl_dense shard = {.rank = t->rank, .dtype = t->dtype};
    memcpy(shard.shape, t->shape, sizeof shard.shape);
    shard.shape[0] = rows_of(t, s);
    return shard;
}

static sparcl_status make_list(sparcl_ctx *ctx, sparcl_sharded *t) {
    const size_t bytes = (size_t)t->count * sizeof *t->shards;
    t->ctx = ctx;
    if (t->count == 0) return SPARCL_OK;
    t->shards = spc_alloc(spc_ctx_allocator(ctx), bytes);
    if (!t->shards) return spc_ctx_fail(ctx, SPARCL_E_MEMORY, "sharded_create: no host memory");
    memset(t->shards, 0, bytes);
    return SPARCL_OK;
}

sparcl_status sparcl_sharded_create(sparcl_ctx *ctx, sparcl_sharded *table) {
    SPC_TRY(check_shape(ctx, "sharded_create", "the table", table));
    sparcl_sharded made = *table;
    made.shards = NULL;
    SPC_TRY(divide(ctx, &made));
    sparcl_status status = make_list(ctx, &made);
    for (int s = 0; status == SPARCL_OK && s < made.count; ++s) {
        made.shards[s] = shape_of_shard(&made, s);
        status = sparcl_dense_zeros(ctx, &made.shards[s]);
    }
    if (status != SPARCL_OK)
        sparcl_sharded_free(&made);
    else
        *table = made;
    return status;
}

/* --- rows ------------------------------------------------------------------------------------- */

sparcl_status sparcl_sharded_gather(sparcl_ctx *ctx, const sparcl_dense *to,
                                    const sparcl_sharded *t, const sparcl_list *list) {
    static const char op[] = "sharded_gather";
    SPC_TRY(spc_check_sharded(ctx, op, "the table", t));
    SPC_TRY(spc_check_dense_of(ctx, op, "the result", to, SPC_ALL_TYPES));
    SPC_TRY(spc_check_list(ctx, op, "the list", list));
    int64_t shape[SPARCL_MAX_RANK];
    memcpy(shape, t->shape, sizeof shape);
    shape[0] = list->count;
    SPC_TRY(spc_check_same_shape(ctx, op, "the result", to->rank, to->shape,
                                 "the table, with a row for each index,", t->rank, shape));
    SPC_TRY(spc_check_same_dtype(ctx, op, "the result", to->dtype, "the table", t->dtype));
    if (list->limit != t->shape[0])
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "%s: the list has numbers below %lld, the table has %lld rows, "
                            "expected the same",
                            op, (long long)list->limit, (long long)t->shape[0]);
    const spc_span result = spc_dense_span("the result", to);
    const spc_span of_list = spc_list_span("the list", list);
    SPC_TRY(spc_check_alias(ctx, op, &result, &of_list, 1));
    for (int s = 0; s < t->count; ++s) {
        const spc_span shard = spc_dense_span("a shard", &t->shards[s]);
        SPC_TRY(spc_check_alias(ctx, op, &result, &shard, 1));
    }
    SPC_TRY(spc_need_list(ctx, op, "the list", list, SPARCL_VALID));
    for (int s = 0; s < t->count; ++s)
        SPC_TRY(spc_gather_shard(ctx, to, &t->shards[s], list, spc_shard_first(t, s)));
    return SPARCL_OK;
}

sparcl_status spc_shard_of_rows(sparcl_ctx *ctx, const sparcl_sharded *t, int s,
                                const sparcl_rows *from, sparcl_rows *slice) {
    const bool is_unique = sparcl_rows_flags(from) & SPARCL_UNIQUE;
    const int64_t width = spc_shape_width(t->rank, t->shape), rows = rows_of(t, s);
    *slice = (sparcl_rows){.rank = from->rank,
                           .dtype = from->dtype,
                           .index_type = from->index_type,
                           .nnr = is_unique ? spc_min_i64(from->nnr, rows) : from->nnr};
    memcpy(slice->shape, t->shape, sizeof slice->shape);
    slice->shape[0] = rows;
    SPC_TRY(
        spc_scratch_push(ctx, &slice->indices, slice->nnr, sparcl_itype_size(from->index_type)));
    SPC_TRY(spc_scratch_push(ctx, &slice->count, 1, sizeof(int64_t)));
    SPC_TRY(spc_scratch_push(ctx, &slice->values, slice->nnr * width, sparcl_dtype_size(t->dtype)));
    return sparcl_rows_slice(ctx, slice, from, spc_shard_first(t, s), NULL);
}

static sparcl_status assign_shard(sparcl_ctx *ctx, const sparcl_sharded *t, int s,
                                  const sparcl_rows *r) {
    const int mark = spc_scratch_mark(ctx);
    sparcl_rows slice;
    sparcl_status status = spc_shard_of_rows(ctx, t, s, r, &slice);
    if (status == SPARCL_OK) status = sparcl_assign_rows(ctx, &t->shards[s], &slice);
    spc_scratch_release(ctx, mark);
    return status;
}

sparcl_status sparcl_sharded_assign_rows(sparcl_ctx *ctx, const sparcl_sharded *t,
                                         const sparcl_rows *r) {
    static const char op[] = "sharded_assign_rows";
    SPC_TRY(spc_check_sharded(ctx, op, "the table", t));
    SPC_TRY(spc_check_rows_of(ctx, op, "rows", r, SPC_ALL_TYPES));
    SPC_TRY(
        spc_check_same_shape(ctx, op, "rows", r->rank, r->shape, "the table", t->rank, t->shape));
    SPC_TRY(spc_check_same_dtype(ctx, op, "rows", r->dtype, "the table", t->dtype));
    SPC_TRY(spc_need_rows(ctx, op, "rows", r, SPARCL_VALID));
    const spc_spans operands = spc_rows_spans("rows", r);
    for (int s = 0; s < t->count; ++s) {
        const spc_span shard = spc_dense_span("a shard", &t->shards[s]);
        SPC_TRY(spc_check_alias(ctx, op, &shard, operands.at, operands.count));
    }
    for (int s = 0; s < t->count; ++s)
        SPC_TRY(assign_shard(ctx, t, s, r));
    return SPARCL_OK;
}
