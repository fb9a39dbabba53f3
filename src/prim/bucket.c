/* bucket.c: a stable sort for few wide cores, by buckets that fit in the cache of a core. */
#include "prim/bucket.h"

#include "prim/bucket_fill.h"
#include "prim/sort.h"
#include "tune/tuned.h"

static void add_result(sparcl_ctx *ctx, const spc_bucket_source *s, spc_args *list,
                       const spc_bucket_result *to) {
    spc_args_add_array(list, SPC_OUT(to->a), to->a_at);
    spc_args_add_array(list, SPC_OUT(to->b), to->b_at);
    spc_args_add_array(list, SPC_OUT(to->payload), to->payload_at);
    spc_args_add_array(list, SPC_OUT(to->count), to->count_at);
    spc_args_add(list, SPC_I32(spc_tuned(ctx, SPC_TUNE_SORT_STREAM, spc_bucket_class(s))));
}

/* Keys of a large bucket are moved between items and result, so the result needs arrays for them.
 */
static sparcl_status push_keys(sparcl_ctx *ctx, const spc_bucket_source *s, spc_bucket_result *to) {
    const bool split_keys = spc_bucket_is_wide(s) && s->type == SPARCL_INDEX32;
    if (!to->a && (!to->b || split_keys))
        SPC_TRY(spc_scratch_push(ctx, &to->a, s->n, sparcl_itype_size(s->type)));
    if (!to->b && split_keys) return spc_scratch_push(ctx, &to->b, s->n, sizeof(int32_t));
    return SPARCL_OK;
}

static sparcl_status write_order(sparcl_ctx *ctx, const spc_bucket_source *s,
                                 spc_bucket_result *to) {
    spc_args list = {.count = 0};
    spc_buckets b;
    SPC_TRY(push_keys(ctx, s, to));
    SPC_TRY(spc_bucket_fill(ctx, s, false, &b));
    spc_bucket_add_source(&list, s);
    spc_bucket_add_args(&list, &b);
    add_result(ctx, s, &list, to);
    return spc_bucket_launch(ctx, &b, "bucket_order", s->type, b.range, &list);
}

static sparcl_status write_sums(sparcl_ctx *ctx, const spc_bucket_source *s,
                                spc_bucket_result *to) {
    spc_args sums = {.count = 0}, list = {.count = 0};
    spc_buckets b;
    SPC_TRY(push_keys(ctx, s, to));
    SPC_TRY(spc_bucket_fill(ctx, s, false, &b));
    spc_bucket_add_source(&sums, s);
    spc_bucket_add_args(&sums, &b);
    add_result(ctx, s, &sums, to);
    SPC_TRY(spc_bucket_launch(ctx, &b, "bucket_sums", s->type, b.range, &sums));
    if (b.serial) return SPARCL_OK;
    spc_bucket_add_args(&list, &b);
    spc_args_add(&list, SPC_I32(s->b_bits));
    add_result(ctx, s, &list, to);
    return spc_bucket_launch(ctx, &b, "bucket_write_sums", s->type, b.range, &list);
}

sparcl_status spc_bucket_order(sparcl_ctx *ctx, const spc_bucket_source *source,
                               const spc_bucket_result *to) {
    const int mark = spc_scratch_mark(ctx);
    spc_bucket_result result = *to;
    const sparcl_status status = write_order(ctx, source, &result);
    spc_scratch_release(ctx, mark);
    return status;
}

sparcl_status spc_bucket_sums(sparcl_ctx *ctx, const spc_bucket_source *source,
                              const spc_bucket_result *to) {
    const int mark = spc_scratch_mark(ctx);
    spc_bucket_result result = *to;
    const sparcl_status status = write_sums(ctx, source, &result);
    spc_scratch_release(ctx, mark);
    return status;
}

/* --- duplicate keys --------------------------------------------------------------------------- */

static sparcl_status find_duplicates(sparcl_ctx *ctx, const spc_bucket_source *s,
                                     sparcl_buf *minimum) {
    spc_args list = {.count = 0};
    spc_buckets b;
    SPC_TRY(spc_bucket_fill(ctx, s, !s->scratch_bytes, &b));
    if (!s->scratch_bytes) b.spare_size = s->n;
    spc_bucket_add_source(&list, s);
    spc_bucket_add_args(&list, &b);
    spc_args_add(&list, SPC_OUT(minimum));
    return spc_launch(ctx, "scan+bucket+bucket_order",
                      spc_options(SPARCL_F32, s->offset_type, s->type) |
                          (s->offsets ? SPC_VARIANT : 0u) | (b.wide ? SPC_VALUE64 : 0u),
                      "bucket_duplicates", b.range, list.at, list.count);
}

sparcl_status spc_bucket_duplicates(sparcl_ctx *ctx, const spc_bucket_source *source,
                                    sparcl_buf *minimum) {
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = find_duplicates(ctx, source, minimum);
    spc_scratch_release(ctx, mark);
    return status;
}
