/* select_rows.c: the rows of a CSR matrix, or of a dense one, whose numbers are in a list. */
#include "base/size.h"
#include "ops/shared/beside.h"
#include "ops/shared/moved.h"
#include "ops/shared/rows.h"
#include "prim/chunks.h"
#include "prim/scan.h"

#define PROGRAM "panel+words+select_rows"

#define LIST_ARGS(list)                                                                            \
    SPC_IN((list)->indices), SPC_I64((list)->indices_at),                                          \
        SPC_I32((list)->index_type == SPARCL_INDEX64), SPC_I64((list)->count)

/* A selection of rows, checked. */
typedef struct selection {
    const sparcl_csr *to, *from;
    const sparcl_list *list;
    const sparcl_moved *moved;
    uint32_t options;
} selection;

#define FROM_ARGS(from)                                                                            \
    SPC_IN((from)->offsets), SPC_I64((from)->offsets_at), SPC_IN((from)->indices),                 \
        SPC_I64((from)->indices_at), SPC_IN((from)->values), SPC_I64((from)->values_at)
#define TO_ARGS(to, SPC_KIND)                                                                      \
    SPC_KIND((to)->offsets), SPC_I64((to)->offsets_at),                                            \
        SPC_I32((to)->offset_type == SPARCL_INDEX64), SPC_OUT((to)->indices),                      \
        SPC_I64((to)->indices_at), SPC_OUT((to)->values), SPC_I64((to)->values_at)
#define NEEDED_ARGS(s)                                                                             \
    SPC_OUT((s)->moved->needed), SPC_I64((s)->moved->needed_at), SPC_I32((s)->moved->needed != NULL)

/* Many lanes. The result's offsets: prefix sums of the lengths, at most the capacity. */
static sparcl_status make_offsets(sparcl_ctx *ctx, const selection *s) {
    const sparcl_csr *const to = s->to;
    const int64_t count = s->list->count;
    sparcl_buf *sums = NULL;
    SPC_TRY(spc_scratch_push(ctx, &sums, count + 1, 8));
    if (count > 0)
        SPC_TRY(SPC_LAUNCH(ctx, PROGRAM, s->options, "row_lengths", spc_range_each(ctx, count),
                           SPC_IN(s->from->offsets), SPC_I64(s->from->offsets_at),
                           LIST_ARGS(s->list), SPC_OUT(sums)));
    const spc_scan_job scan = {.n = count,
                               .from_type = SPARCL_INDEX64,
                               .to_type = SPARCL_INDEX64,
                               .from = sums,
                               .to = sums};
    SPC_TRY(spc_scan(ctx, &scan));
    return SPC_LAUNCH(ctx, PROGRAM, s->options, "cut_offsets", spc_range_each(ctx, count + 1),
                      SPC_IN(sums), SPC_I64(count), SPC_I64(to->nnz), SPC_OUT(to->offsets),
                      SPC_I64(to->offsets_at), SPC_I32(to->offset_type == SPARCL_INDEX64),
                      NEEDED_ARGS(s));
}

static sparcl_status select_by_entry(sparcl_ctx *ctx, const selection *s) {
    SPC_TRY(make_offsets(ctx, s));
    if (s->to->nnz == 0 || s->list->count == 0) return SPARCL_OK;
    return SPC_LAUNCH(ctx, PROGRAM, s->options, "copy_entries", spc_range_each(ctx, s->to->nnz),
                      FROM_ARGS(s->from), LIST_ARGS(s->list), TO_ARGS(s->to, SPC_IN));
}

/* Rows are at random positions, so their entries cost more than those of a scan. */
const sparcl_tunable spc_tunable_select_grain = {
    .name = "select.grain",
    .description = "minimum of rows plus entries per CPU worker when rows of a matrix are selected",
    .kernels = SPARCL_CLASS_CPU,
    SPC_CLASSES(spc_no_classes),
    .minimum = 256,
    .maximum = 1 << 20,
    .candidates = {1024, 4096, 16384},
    .candidate_count = 3,
    .defaults = {{4096}}};

/* Wide cores: chunks of rows and entries. */
static sparcl_status select_by_chunk(sparcl_ctx *ctx, const selection *s) {
    const int64_t chunks = spc_chunks_by(ctx, s->list->count + s->to->nnz, SPC_TUNE_SELECT_GRAIN);
    const spc_range range = spc_range_groups(ctx, chunks);
    sparcl_buf *sums = NULL;
    SPC_TRY(spc_scratch_push(ctx, &sums, chunks, sizeof(int64_t)));
    SPC_TRY(SPC_LAUNCH(ctx, PROGRAM, s->options, "select_sums", range, SPC_IN(s->from->offsets),
                       SPC_I64(s->from->offsets_at), LIST_ARGS(s->list), SPC_OUT(sums)));
    return SPC_LAUNCH(ctx, PROGRAM, s->options, "select_rows", range, FROM_ARGS(s->from),
                      LIST_ARGS(s->list), SPC_IN(sums), SPC_I64(s->to->nnz),
                      TO_ARGS(s->to, SPC_OUT), NEEDED_ARGS(s));
}

sparcl_status spc_csr_select_rows(sparcl_ctx *ctx, const sparcl_csr *to, const sparcl_csr *from,
                                  const sparcl_list *list, const sparcl_moved *moved) {
    const selection s = {to, from, list, moved,
                         spc_word_options(from->dtype) |
                             spc_itype_options(from->offset_type, from->index_type) |
                             (to->index_type == SPARCL_INDEX64 ? SPC_VARIANT : 0)};
    return spc_ctx_is_gpu(ctx) ? select_by_entry(ctx, &s) : select_by_chunk(ctx, &s);
}

static sparcl_status check_gather(sparcl_ctx *ctx, const sparcl_dense *to, const sparcl_dense *from,
                                  const sparcl_list *list) {
    if (to->rank != from->rank)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "gather_rows: the result has rank %d, the table rank %d", to->rank,
                            from->rank);
    for (int d = 1; d < to->rank; ++d)
        if (to->shape[d] != from->shape[d])
            return spc_ctx_fail(
                ctx, SPARCL_E_SHAPE,
                "gather_rows: dimension %d is %lld in the result, %lld in the table", d,
                (long long)to->shape[d], (long long)from->shape[d]);
    if (to->shape[0] != list->count || from->shape[0] != list->limit)
        return spc_ctx_fail(
            ctx, SPARCL_E_SHAPE,
            "gather_rows: the list has %lld numbers below %lld, the result %lld rows "
            "and the table %lld",
            (long long)list->count, (long long)list->limit, (long long)to->shape[0],
            (long long)from->shape[0]);
    return spc_check_same_dtype(ctx, "gather_rows", "the result", to->dtype, "the table",
                                from->dtype);
}

static sparcl_status check_gather_call(sparcl_ctx *ctx, const sparcl_dense *to,
                                       const sparcl_dense *from, const sparcl_list *list) {
    SPC_TRY(spc_check_dense_of(ctx, "gather_rows", "the result", to, SPC_ALL_TYPES));
    SPC_TRY(spc_check_dense_of(ctx, "gather_rows", "the table", from, SPC_ALL_TYPES));
    SPC_TRY(spc_check_list(ctx, "gather_rows", "the list", list));
    SPC_TRY(check_gather(ctx, to, from, list));
    const spc_span operands[] = {spc_dense_span("the table", from),
                                 spc_list_span("the list", list)};
    const spc_span result = spc_dense_span("the result", to);
    SPC_TRY(spc_check_alias(ctx, "gather_rows", &result, operands, SPC_COUNT(operands)));
    return spc_need_list(ctx, "gather_rows", "the list", list, SPARCL_VALID);
}

sparcl_status sparcl_gather_rows(sparcl_ctx *ctx, const sparcl_dense *to, const sparcl_dense *from,
                                 const sparcl_list *list) {
    SPC_TRY(check_gather_call(ctx, to, from, list));
    const int64_t width = spc_shape_width(to->rank, to->shape);
    if (list->count == 0 || width == 0) return SPARCL_OK;
    return SPC_LAUNCH(ctx, PROGRAM, spc_word_options(to->dtype), "gather_rows",
                      spc_range_vectors(ctx, list->count, width), SPC_IN(from->values),
                      SPC_I64(from->values_at), SPC_I64(spc_dense_ld(from)), SPC_OUT(to->values),
                      SPC_I64(to->values_at), SPC_I64(spc_dense_ld(to)), LIST_ARGS(list),
                      SPC_I64(width));
}

sparcl_status spc_gather_beside(sparcl_ctx *ctx, const sparcl_dense *from,
                                const sparcl_dense *const *to, const sparcl_list *const *lists,
                                int count) {
    const int64_t width = spc_shape_width(from->rank, from->shape);
    int64_t most = 0;
    spc_args list = {.count = 0};
    SPC_ARGS_ADD(&list, SPC_IN(from->values), SPC_I64(from->values_at),
                 SPC_I64(spc_dense_ld(from)));
    for (int i = 0; i < SPC_BESIDE; ++i) {
        const int k = i < count ? i : 0;
        if (i < count) SPC_TRY(check_gather_call(ctx, to[i], from, lists[i]));
        const int64_t rows = i < count ? lists[i]->count : 0;
        SPC_ARGS_ADD(&list, SPC_OUT(to[k]->values), SPC_I64(to[k]->values_at),
                     SPC_I64(spc_dense_ld(to[k])), SPC_IN(lists[k]->indices),
                     SPC_I64(lists[k]->indices_at), SPC_I32(lists[k]->index_type == SPARCL_INDEX64),
                     SPC_I64(rows));
        most = spc_max_i64(most, rows);
    }
    spc_args_add(&list, SPC_I64(width));
    if (most == 0 || width == 0) return SPARCL_OK;
    return spc_launch(ctx, PROGRAM, spc_word_options(from->dtype), "gather_beside",
                      spc_range_vectors(ctx, most, width), list.at, list.count);
}

sparcl_status spc_gather_shard(sparcl_ctx *ctx, const sparcl_dense *to, const sparcl_dense *shard,
                               const sparcl_list *list, int64_t first) {
    const int64_t width = spc_shape_width(to->rank, to->shape);
    if (list->count == 0 || width == 0) return SPARCL_OK;
    return SPC_LAUNCH(ctx, PROGRAM, spc_word_options(to->dtype), "gather_shard",
                      spc_range_vectors(ctx, list->count, width), SPC_IN(shard->values),
                      SPC_I64(shard->values_at), SPC_I64(spc_dense_ld(shard)), SPC_I64(first),
                      SPC_I64(shard->shape[0]), SPC_OUT(to->values), SPC_I64(to->values_at),
                      SPC_I64(spc_dense_ld(to)), LIST_ARGS(list), SPC_I64(width));
}
