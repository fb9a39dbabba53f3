/* bucket_fill.c: moves items into buckets, in one level or two. */
#include "prim/bucket_fill.h"

#include "launch/launch.h"

static sparcl_status push_buckets(sparcl_ctx *ctx, const spc_bucket_source *s, bool full_spare,
                                  spc_buckets *b) {
    const size_t item = spc_bucket_item_size(b);
    const int64_t all = (int64_t)b->count << b->split_bits;
    SPC_TRY(spc_scratch_push(ctx, &b->items, s->n, item));
    if (b->split_bits)
        SPC_TRY(spc_scratch_push(ctx, &b->spare, s->n, sizeof(int64_t)));
    else if (full_spare)
        SPC_TRY(spc_scratch_push(ctx, &b->spare, s->n, item));
    else if (!s->offsets)
        SPC_TRY(spc_scratch_push(ctx, &b->spare, b->spare_size * b->range.global, item));
    SPC_TRY(spc_scratch_push(ctx, &b->found, all, sizeof(int32_t)));
    return spc_scratch_push(ctx, &b->begins, all + 1, sizeof(int32_t));
}

void spc_bucket_add_source(spc_args *list, const spc_bucket_source *s) {
    spc_args_add_array(list, SPC_IN(s->a), s->a_at);
    if (s->offsets)
        spc_args_add_array(list, SPC_IN(s->offsets), s->offsets_at);
    else
        spc_args_add_array(list, SPC_IN(s->b), s->b_at);
    if (s->offsets) spc_args_add(list, SPC_I64(s->rows));
    spc_args_add(list, SPC_I32(s->b_bits));
    spc_args_add_array(list, SPC_IN(s->payload), s->payload_at);
    spc_args_add(list, SPC_I64(s->n));
    if (!s->offsets) spc_args_add_array(list, SPC_IN(s->count), s->count_at);
}

void spc_bucket_add_args(spc_args *list, const spc_buckets *b) {
    spc_args_add(list, SPC_I32(b->low_bits));
    spc_args_add(list, SPC_I32(b->count));
    spc_args_add(list, SPC_OUT(b->items));
    spc_args_add(list, SPC_OUT(b->begins));
    spc_args_add(list, SPC_OUT(b->spare));
    spc_args_add(list, SPC_I32(b->spare_size));
    spc_args_add(list, SPC_OUT(b->found));
    spc_args_add(list, SPC_I32(b->bit));
    spc_args_add(list, SPC_I32(b->passes));
    spc_args_add(list, SPC_I32(b->width));
}

sparcl_status spc_bucket_launch(sparcl_ctx *ctx, const spc_buckets *b, const char *kernel,
                                sparcl_itype index_type, spc_range range, const spc_args *list) {
    return spc_launch(ctx, "scan+bucket+bucket_order",
                      spc_options(SPARCL_F32, SPARCL_INDEX32, index_type) |
                          (b->wide ? SPC_VALUE64 : 0u),
                      kernel, range, list->at, list->count);
}

sparcl_status spc_bucket_launch_columns(sparcl_ctx *ctx, const spc_buckets *b, const char *kernel,
                                        sparcl_itype offset_type, sparcl_itype index_type,
                                        spc_range range, const spc_args *list) {
    return spc_launch(ctx, "scan+bucket+bucket_columns",
                      spc_options(SPARCL_F32, offset_type, index_type) | SPC_VARIANT |
                          (b->wide ? SPC_VALUE64 : 0u),
                      kernel, range, list->at, list->count);
}

/* Split items of 12 bytes into buckets of items of 8; the old ones become the second buffer. */
static sparcl_status split(sparcl_ctx *ctx, spc_buckets *b) {
    const sparcl_buf *const begins = b->found;
    sparcl_buf *const items = b->items;
    spc_args list = {.count = 0};
    spc_args_add(&list, SPC_IN(items));
    spc_args_add(&list, SPC_IN(begins));
    spc_args_add(&list, SPC_I32(b->low_bits));
    spc_args_add(&list, SPC_I32(b->count));
    spc_args_add(&list, SPC_I32(b->split_bits));
    spc_args_add(&list, SPC_OUT(b->spare));
    spc_args_add(&list, SPC_OUT(b->begins));
    SPC_TRY(spc_launch(ctx, "scan+bucket+bucket_split", SPC_VALUE64, "bucket_split", b->range,
                       list.at, list.count));
    b->items = b->spare;
    b->spare = items;
    b->wide = false;
    b->count <<= b->split_bits;
    b->low_bits -= b->split_bits;
    return SPARCL_OK;
}

/* The first level, unless one group does everything; and a second one where keys are long. */
sparcl_status spc_bucket_fill(sparcl_ctx *ctx, const spc_bucket_source *s, bool full_spare,
                              spc_buckets *b) {
    const spc_range range =
        spc_range_groups(ctx, spc_workers(ctx, s->n, spc_bucket_chunk_grain(ctx)));
    spc_args counts = {.count = 0}, moves = {.count = 0};
    sparcl_buf *table = NULL;
    spc_bucket_plan(ctx, s, b);
    SPC_TRY(push_buckets(ctx, s, full_spare, b));
    if (b->serial) return SPARCL_OK;
    SPC_TRY(spc_scratch_push(ctx, &table, range.global * b->count, sizeof(int32_t)));
    spc_bucket_add_source(&counts, s);
    spc_args_add(&counts, SPC_I32(b->low_bits));
    spc_args_add(&counts, SPC_I32(b->count));
    moves = counts;
    spc_args_add(&counts, SPC_OUT(table));
    spc_args_add(&moves, SPC_IN(table));
    spc_args_add(&moves, SPC_OUT(b->items));
    spc_args_add(&moves, SPC_OUT(b->split_bits ? b->found : b->begins));
    if (s->offsets) {
        SPC_TRY(spc_bucket_launch_columns(ctx, b, "bucket_count", s->offset_type, s->type, range,
                                          &counts));
        SPC_TRY(spc_bucket_launch_columns(ctx, b, "bucket_move", s->offset_type, s->type, range,
                                          &moves));
    } else {
        SPC_TRY(spc_bucket_launch(ctx, b, "bucket_count", s->type, range, &counts));
        SPC_TRY(spc_bucket_launch(ctx, b, "bucket_move", s->type, range, &moves));
    }
    return b->split_bits ? split(ctx, b) : SPARCL_OK;
}
