/* bucket_columns.c: sorts the entries of a CSR matrix by column, for a CSC matrix or a pattern. */
#include "base/size.h"
#include "prim/bucket_fill.h"

/* A small matrix has at most this many counters of columns for each entry. */
#define MAX_COUNTERS 2

/* A small matrix with a counter for each column: cl/columns.cl. */
bool spc_bucket_is_direct(const sparcl_ctx *ctx, const spc_bucket_source *s,
                          const spc_bucket_columns *to) {
    return spc_bucket_is_small(ctx, s->n) && s->columns <= MAX_COUNTERS * s->n &&
           s->type == to->index_type && s->offset_type == to->offset_type;
}

static void add_values(spc_args *list, const spc_bucket_columns *to) {
    spc_args_add_array(list, SPC_IN(to->from_values), to->from_values_at);
    spc_args_add(list, SPC_OUT(to->values));
}

/* Two cores get half of the columns each where rows are sorted, so that a search finds the middle.
 */
int64_t spc_bucket_direct_groups(const sparcl_ctx *ctx, const spc_bucket_source *s) {
    if (!s->ascends || spc_ctx_units(ctx) == 1) return 1;
    return spc_min_i64(2, spc_workers(ctx, s->n, spc_bucket_chunk_grain(ctx) / 2));
}

static sparcl_status write_directly(sparcl_ctx *ctx, const spc_bucket_source *s,
                                    const spc_bucket_columns *to) {
    const bool pattern = to->found != NULL;
    const int64_t groups = spc_bucket_direct_groups(ctx, s);
    const int64_t split_rows = groups > 1 ? groups * s->rows : 1;
    spc_args list = {.count = 0};
    sparcl_buf *splits = NULL, *ends = NULL, *seen = NULL;
    SPC_TRY(spc_scratch_push(ctx, &splits, split_rows, sparcl_itype_size(s->offset_type)));
    spc_args_add_array(&list, SPC_IN(s->a), s->a_at);
    spc_args_add_array(&list, SPC_IN(s->offsets), s->offsets_at);
    spc_args_add(&list, SPC_I64(s->rows));
    spc_args_add(&list, SPC_I64(s->n));
    spc_args_add(&list, SPC_I64(s->columns));
    spc_args_add_array(&list, SPC_IN(s->payload), s->payload_at);
    spc_args_add_array(&list, SPC_OUT(to->rows), to->rows_at);
    spc_args_add_array(&list, SPC_OUT(to->payload), to->payload_at);
    if (pattern) {
        add_values(&list, to);
        SPC_TRY(spc_scratch_push(ctx, &ends, s->columns + 1, sparcl_itype_size(to->offset_type)));
        SPC_TRY(spc_scratch_push(ctx, &seen, groups > 1 ? s->columns : 1, 1));
        spc_args_add(&list, SPC_OUT(splits));
        spc_args_add(&list, SPC_OUT(ends));
        spc_args_add(&list, SPC_OUT(seen));
        spc_args_add(&list, SPC_OUT(to->present));
        spc_args_add(&list, SPC_OUT(to->offsets));
        spc_args_add(&list, SPC_OUT(to->found));
    } else {
        spc_args_add(&list, SPC_OUT(splits));
        spc_args_add_array(&list, SPC_OUT(to->offsets), to->offsets_at);
    }
    return spc_launch(ctx, "scan+columns", spc_options(SPARCL_F32, to->offset_type, to->index_type),
                      pattern ? "columns_pattern" : "columns_csc", spc_range_groups(ctx, groups),
                      list.at, list.count);
}

static sparcl_status write_columns(sparcl_ctx *ctx, const spc_bucket_source *s,
                                   const spc_bucket_columns *to) {
    const bool pattern = to->found != NULL;
    spc_args moves = {.count = 0}, list = {.count = 0};
    spc_buckets b;
    if (spc_bucket_is_direct(ctx, s, to)) return write_directly(ctx, s, to);
    SPC_TRY(spc_bucket_fill(ctx, s, false, &b));
    spc_bucket_add_args(&moves, &b);
    spc_args_add_array(&moves, SPC_OUT(to->rows), to->rows_at);
    spc_args_add_array(&moves, SPC_OUT(to->payload), to->payload_at);
    if (!pattern) {
        spc_args_add_array(&moves, SPC_OUT(to->offsets), to->offsets_at);
        spc_args_add(&moves, SPC_I64(s->columns));
        return spc_bucket_launch_columns(ctx, &b, "bucket_columns", to->offset_type, to->index_type,
                                         b.range, &moves);
    }
    SPC_TRY(spc_bucket_launch_columns(ctx, &b, "bucket_pattern", to->offset_type, to->index_type,
                                      b.range, &moves));
    spc_bucket_add_args(&list, &b);
    spc_args_add(&list, SPC_OUT(to->present));
    spc_args_add(&list, SPC_OUT(to->offsets));
    spc_args_add(&list, SPC_OUT(to->found));
    return spc_bucket_launch_columns(ctx, &b, "bucket_write_pattern", to->offset_type,
                                     to->index_type, b.range, &list);
}

sparcl_status spc_bucket_by_columns(sparcl_ctx *ctx, const spc_bucket_source *source,
                                    const spc_bucket_columns *to) {
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = write_columns(ctx, source, to);
    spc_scratch_release(ctx, mark);
    return status;
}
