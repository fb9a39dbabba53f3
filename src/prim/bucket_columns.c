/* bucket_columns.c: sorts the entries of a CSR matrix by column, for a CSC matrix or a pattern. */
#include "base/size.h"
#include "prim/bucket_fill.h"

/* A small matrix has at most this many counters of columns for each entry. */
#define MAX_COUNTERS 2
/* Two groups process at most this many rows, for each of which they search its middle, and have
 * loops whose ends processors do not predict. */
#define MAX_ROWS     (1 << 13)
/* Bits of columns are in words, of which there are at most n / 2 and these, 0.8 MB. */
#define WORD_COLUMNS 32
#define MAX_WORDS    (5 << 14)

static bool has_counters(const spc_bucket_source *s) {
    return s->columns <= MAX_COUNTERS * s->n;
}

/* Do most columns of a pattern have no entries, so that each has a bit, not a counter? */
static bool has_bits(const spc_bucket_source *s, const spc_bucket_columns *to) {
    return to->found && !has_counters(s) && s->columns <= INT32_MAX &&
           s->columns / WORD_COLUMNS <= s->n / 2 + MAX_WORDS;
}

/* Two cores get half of the columns each where rows are sorted, so that a search finds the middle.
 */
int64_t spc_bucket_direct_groups(const sparcl_ctx *ctx, const spc_bucket_source *s) {
    if (!s->ascends || spc_ctx_units(ctx) == 1) return 1;
    return spc_min_i64(2, spc_workers(ctx, s->n, spc_bucket_chunk_grain(ctx) / 2));
}

/* A small matrix with a counter or a bit for each column: cl/columns.cl, cl/columns_sparse.cl. */
bool spc_bucket_is_direct(const sparcl_ctx *ctx, const spc_bucket_source *s,
                          const spc_bucket_columns *to) {
    return spc_bucket_is_small(ctx, s->n) && (has_counters(s) || has_bits(s, to)) &&
           s->type == to->index_type && s->offset_type == to->offset_type &&
           (s->rows <= MAX_ROWS || spc_bucket_direct_groups(ctx, s) == 1);
}

static void add_values(spc_args *list, const spc_bucket_columns *to) {
    spc_args_add_array(list, SPC_IN(to->from_values), to->from_values_at);
    spc_args_add(list, SPC_OUT(to->values));
}

static void add_moves(spc_args *list, const spc_bucket_source *s, const spc_bucket_columns *to) {
    spc_args_add_array(list, SPC_IN(s->a), s->a_at);
    spc_args_add_array(list, SPC_IN(s->offsets), s->offsets_at);
    spc_args_add(list, SPC_I64(s->rows));
    spc_args_add(list, SPC_I64(s->n));
    spc_args_add(list, SPC_I64(s->columns));
    spc_args_add_array(list, SPC_IN(s->payload), s->payload_at);
    spc_args_add_array(list, SPC_OUT(to->rows), to->rows_at);
    spc_args_add_array(list, SPC_OUT(to->payload), to->payload_at);
}

/* Scratch memory of a pattern. */
static sparcl_status add_counters(sparcl_ctx *ctx, spc_args *list, const spc_bucket_source *s,
                                  const spc_bucket_columns *to, int64_t groups) {
    sparcl_buf *ends = NULL, *seen = NULL;
    SPC_TRY(spc_scratch_push(ctx, &ends, s->columns + 1, sparcl_itype_size(to->offset_type)));
    SPC_TRY(spc_scratch_push(ctx, &seen, groups > 1 ? s->columns : 1, 1));
    spc_args_add(list, SPC_OUT(ends));
    spc_args_add(list, SPC_OUT(seen));
    return SPARCL_OK;
}

static sparcl_status add_bits(sparcl_ctx *ctx, spc_args *list, const spc_bucket_source *s,
                              int64_t groups) {
    const int64_t words = spc_ceil_div(s->columns, groups) / WORD_COLUMNS + 1;
    sparcl_buf *all = NULL, *seen = NULL, *ranks = NULL;
    SPC_TRY(spc_scratch_push(ctx, &all, groups * words, sizeof(uint64_t)));
    SPC_TRY(spc_scratch_push(ctx, &seen, groups > 1 ? words : 1, sizeof(uint32_t)));
    SPC_TRY(spc_scratch_push(ctx, &ranks, s->n, sizeof(uint32_t)));
    spc_args_add(list, SPC_OUT(all));
    spc_args_add(list, SPC_OUT(seen));
    spc_args_add(list, SPC_OUT(ranks));
    return SPARCL_OK;
}

static sparcl_status write_directly(sparcl_ctx *ctx, const spc_bucket_source *s,
                                    const spc_bucket_columns *to) {
    const bool pattern = to->found != NULL, bits = has_bits(s, to);
    const int64_t groups = spc_bucket_direct_groups(ctx, s);
    const int64_t split_rows = groups > 1 ? groups * s->rows : 1;
    spc_args list = {.count = 0};
    sparcl_buf *splits = NULL;
    SPC_TRY(spc_scratch_push(ctx, &splits, split_rows, sparcl_itype_size(s->offset_type)));
    add_moves(&list, s, to);
    if (pattern) add_values(&list, to);
    spc_args_add(&list, SPC_OUT(splits));
    if (pattern) {
        SPC_TRY(bits ? add_bits(ctx, &list, s, groups) : add_counters(ctx, &list, s, to, groups));
        spc_args_add(&list, SPC_OUT(to->present));
        spc_args_add(&list, SPC_OUT(to->offsets));
        spc_args_add(&list, SPC_OUT(to->found));
    } else {
        spc_args_add_array(&list, SPC_OUT(to->offsets), to->offsets_at);
    }
    return spc_launch(ctx, bits ? "scan+columns+columns_sparse" : "scan+columns",
                      spc_options(SPARCL_F32, to->offset_type, to->index_type),
                      bits      ? "columns_sparse"
                      : pattern ? "columns_pattern"
                                : "columns_csc",
                      spc_range_groups(ctx, groups), list.at, list.count);
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
