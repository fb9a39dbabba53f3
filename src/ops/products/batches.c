/* batches.c: batches of rows of a CSR matrix, selected and sorted together. */
#include "sparcl/ops/products.h"
#include "sparcl/ops/structure.h"

#include "base/memory.h"
#include "base/size.h"
#include "launch/launch.h"
#include "ops/products/pattern.h"
#include "ops/shared/check.h"
#include "prim/segment.h"
#include "prim/sort.h"

#define PROGRAM "scan+entries+batches"

/* Of one selection: bytes per entry, without its field, and the maximum of entries. */
#define ENTRY_BYTES  40
#define MOST_ENTRIES (INT64_C(1) << 22)
#define DIGIT_BITS   8 /* as in cl/sort.cl, on many lanes */

struct sparcl_batches {
    sparcl_ctx *ctx;
    sparcl_csr all;           /* the rows of all batches; indices and offsets of 32 bits */
    int64_t rows, count;      /* rows of a batch; batches */
    int64_t largest;          /* entries of a batch */
    int64_t *entries;         /* [count] */
    int64_t entries_capacity; /* elements of that array */
    uint32_t flags;           /* of the matrix */
    int64_t longest;          /* its longest row */
    int column_bits;
    int64_t field_limit;    /* -1: without fields */
    sparcl_buf *fields;     /* [nnz] of each entry */
    sparcl_buf *row_of;     /* [nnz] the row of each entry in its batch */
    sparcl_buf *order;      /* [nnz] entries by batch and column */
    sparcl_buf *starts;     /* [runs + 1] runs of entries of one batch and column */
    sparcl_buf *keys;       /* [runs] batch and column */
    sparcl_buf *first_runs; /* [count + 1] of each batch */
    sparcl_buf *found;      /* one int64: runs */
    sparcl_buf *needed;     /* one int64: entries */
};

sparcl_status sparcl_batches_create(sparcl_ctx *ctx, sparcl_batches **batches) {
    if (!ctx || !batches) return spc_ctx_fail(ctx, SPARCL_E_ARG, "batches: batches is NULL");
    *batches = spc_alloc_zero(spc_ctx_allocator(ctx), 1, sizeof **batches);
    if (!*batches) return spc_ctx_fail(ctx, SPARCL_E_MEMORY, "batches: no host memory");
    (*batches)->ctx = ctx;
    return SPARCL_OK;
}

void sparcl_batches_free(sparcl_batches *b) {
    if (!b) return;
    const sparcl_allocator *const memory = spc_ctx_allocator(b->ctx);
    sparcl_buf_free(b->all.offsets);
    sparcl_buf_free(b->all.indices);
    sparcl_buf_free(b->all.values);
    sparcl_buf_free(b->fields);
    sparcl_buf_free(b->row_of);
    sparcl_buf_free(b->order);
    sparcl_buf_free(b->starts);
    sparcl_buf_free(b->keys);
    sparcl_buf_free(b->first_runs);
    sparcl_buf_free(b->found);
    sparcl_buf_free(b->needed);
    spc_free(memory, b->entries, (size_t)b->entries_capacity * sizeof *b->entries);
    spc_free(memory, b, sizeof *b);
}

static bool is_float(sparcl_dtype dtype) {
    return dtype == SPARCL_F32 || dtype == SPARCL_F64 || dtype == SPARCL_F16 ||
           dtype == SPARCL_BF16;
}

/* As many batches as have numbers in the bits that the last digit of the columns leaves, or in one
 * digit more. */
static int64_t most_batches(int column_bits) {
    int bits = (int)spc_ceil_div(column_bits, DIGIT_BITS) * DIGIT_BITS - column_bits;
    if (bits < DIGIT_BITS / 2) bits += DIGIT_BITS;
    return (int64_t)1 << (bits + column_bits > 32 ? 32 - column_bits : bits);
}

int64_t sparcl_batches_fit(const sparcl_ctx *ctx, const sparcl_csr *from, const int64_t *entries,
                           int64_t count) {
    const int64_t most =
        spc_min_i64(MOST_ENTRIES, sparcl_ctx_device(ctx)->memory / 64 / ENTRY_BYTES);
    int64_t fit = 0, sum = 0;
    if (!spc_ctx_is_gpu(ctx) || from->index_type != SPARCL_INDEX32 || !is_float(from->dtype))
        return 0;
    count = spc_min_i64(count, most_batches(spc_key_bits(from->cols)));
    while (fit < count && entries[fit] <= most - sum)
        sum += entries[fit++];
    return fit;
}

/* --- selecting -------------------------------------------------------------------------------- */

/* The rows of a matrix, and the fields of its entries or NULL. */
typedef struct source {
    const sparcl_csr *from;
    const sparcl_list *fields, *list;
} source;

static sparcl_status check_fields(sparcl_ctx *ctx, const sparcl_list *fields, int64_t count) {
    if (!fields) return SPARCL_OK;
    SPC_TRY(spc_check_list(ctx, "batches", "fields", fields));
    if (fields->index_type != SPARCL_INDEX32)
        return spc_ctx_fail(ctx, SPARCL_E_DTYPE, "batches: fields of 64 bits, expected 32");
    if (fields->count == count) return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                        "batches: %lld fields, expected one for each of %lld entries",
                        (long long)fields->count, (long long)count);
}

static sparcl_status check_selected(sparcl_ctx *ctx, const sparcl_batches *b, const source *s,
                                    int64_t rows, const int64_t *entries) {
    const sparcl_csr *const from = s->from;
    if (!b || b->ctx != ctx || !entries || rows < 1)
        return spc_ctx_fail(ctx, SPARCL_E_ARG,
                            "batches: expected batches of this context, the number of entries of "
                            "each, and rows from 1, found %s",
                            !b              ? "batches NULL"
                            : b->ctx != ctx ? "batches of another context"
                            : !entries      ? "entries NULL"
                                            : "no row in a batch");
    SPC_TRY(spc_check_csr_of(ctx, "batches", "the matrix", from, SPC_FLOATS));
    if (from->index_type != SPARCL_INDEX32)
        return spc_ctx_fail(ctx, SPARCL_E_UNSUPPORTED,
                            "batches: the matrix has indices of 64 bits, expected 32; select rows "
                            "and build patterns one by one");
    SPC_TRY(spc_check_list(ctx, "batches", "the list", s->list));
    SPC_TRY(check_fields(ctx, s->fields, from->nnz));
    return spc_need_csr(ctx, "batches", "the matrix", from, SPARCL_VALID);
}

static sparcl_status keep_entries(sparcl_batches *b, const int64_t *entries, int64_t *nnz) {
    const sparcl_allocator *const memory = spc_ctx_allocator(b->ctx);
    if (b->count > b->entries_capacity) {
        spc_free(memory, b->entries, (size_t)b->entries_capacity * sizeof *b->entries);
        b->entries_capacity = 0;
        b->entries = spc_alloc_zero(memory, (size_t)b->count, sizeof *b->entries);
        if (!b->entries) return spc_ctx_fail(b->ctx, SPARCL_E_MEMORY, "batches: no host memory");
        b->entries_capacity = b->count;
    }
    *nnz = b->largest = 0;
    for (int64_t i = 0; i < b->count; ++i) {
        if (entries[i] < 0 || entries[i] > INT32_MAX - *nnz)
            return spc_ctx_fail(b->ctx, SPARCL_E_UNSUPPORTED,
                                "batches: batch %lld has %lld entries after %lld, expected less "
                                "than 2^31 in all; select fewer batches",
                                (long long)i, (long long)entries[i], (long long)*nnz);
        b->entries[i] = entries[i];
        b->largest = spc_max_i64(b->largest, entries[i]);
        *nnz += entries[i];
    }
    return SPARCL_OK;
}

/* The number of entries differs from selection to selection: an eighth more, so that memory seldom
 * grows. */
static sparcl_status reserve(sparcl_ctx *ctx, sparcl_batches *b) {
    const int64_t nnz = b->all.nnz, runs = nnz + 1;
    const size_t value = sparcl_dtype_size(b->all.dtype);
    struct array {
        sparcl_buf **buf;
        int64_t count;
        size_t size;
    } arrays[] = {{&b->all.offsets, b->all.rows + 1, 4},
                  {&b->all.indices, nnz, 4},
                  {&b->all.values, nnz, value},
                  {&b->fields, b->field_limit < 0 ? 0 : nnz, 4},
                  {&b->row_of, nnz, 4},
                  {&b->order, nnz, 4},
                  {&b->starts, runs, 4},
                  {&b->keys, nnz, 4},
                  {&b->first_runs, b->count + 1, 4},
                  {&b->found, 1, 8},
                  {&b->needed, 1, 8}};
    for (size_t i = 0; i < SPC_COUNT(arrays); ++i) {
        const struct array *const a = &arrays[i];
        if (a->count == 0 || (*a->buf && sparcl_buf_bytes(*a->buf) >= a->count * (int64_t)a->size))
            continue;
        SPC_TRY(spc_grow_array(ctx, a->buf, a->count + a->count / 8, a->size));
    }
    return SPARCL_OK;
}

/* And moves their fields. */
static sparcl_status make_keys(sparcl_ctx *ctx, const sparcl_batches *b, const source *s,
                               sparcl_buf *keys) {
    static const sparcl_list none = {.count = 0};
    const sparcl_csr *const all = &b->all, *const from = s->from;
    const sparcl_list *const list = s->list, *const fields = s->fields ? s->fields : &none;
    return SPC_LAUNCH(ctx, PROGRAM, spc_word_options(all->dtype), "batch_keys",
                      spc_range_each(ctx, all->nnz), SPC_IN(all->offsets), SPC_IN(all->indices),
                      SPC_I64(all->rows), SPC_I64(b->rows), SPC_I64(all->nnz),
                      SPC_I32(b->column_bits), SPC_OUT(keys), SPC_OUT(b->row_of),
                      SPC_IN(list->indices), SPC_I64(list->indices_at),
                      SPC_I32(list->index_type == SPARCL_INDEX64), SPC_IN(from->offsets),
                      SPC_I64(from->offsets_at), SPC_I32(from->offset_type == SPARCL_INDEX64),
                      SPC_IN(fields->indices), SPC_I64(fields->indices_at), SPC_OUT(b->fields));
}

static sparcl_status sort_entries(sparcl_ctx *ctx, const sparcl_batches *b, const source *s) {
    const sparcl_csr *const all = &b->all;
    sparcl_buf *keys = NULL, *sorted = NULL;
    SPC_TRY(spc_scratch_push(ctx, &sorted, all->nnz, 4));
    SPC_TRY(spc_scratch_push(ctx, &keys, all->nnz, 4));
    SPC_TRY(make_keys(ctx, b, s, keys));
    const spc_sort_job sort = {.n = all->nnz,
                               .count = b->needed,
                               .key_type = SPARCL_INDEX32,
                               .bits = b->column_bits + spc_key_bits(b->count),
                               .from_keys = keys,
                               .keys = sorted,
                               .payload_type = SPARCL_INDEX32,
                               .payload = b->order};
    SPC_TRY(spc_sort(ctx, &sort));
    const spc_segment_job segment = {.n = all->nnz,
                                     .count = b->needed,
                                     .key_type = SPARCL_INDEX32,
                                     .keys = sorted,
                                     .start_type = SPARCL_INDEX32,
                                     .starts = b->starts,
                                     .unique = b->keys,
                                     .found = b->found};
    SPC_TRY(spc_segments(ctx, &segment));
    return SPC_LAUNCH(ctx, PROGRAM, spc_word_options(all->dtype), "batch_runs",
                      spc_range_each(ctx, b->count + 1), SPC_IN(all->offsets), SPC_I64(all->rows),
                      SPC_I64(b->rows), SPC_I64(b->count), SPC_IN(b->starts), SPC_IN(b->found),
                      SPC_OUT(b->first_runs));
}

/* Without batches until they are complete. */
static void describe(sparcl_batches *b, const source *s, int64_t rows) {
    const sparcl_csr *const from = s->from;
    b->rows = rows;
    b->count = spc_ceil_div(s->list->count, rows);
    b->column_bits = spc_key_bits(from->cols);
    b->flags = sparcl_csr_flags(from);
    b->longest = spc_csr_longest(from);
    b->field_limit = s->fields ? s->fields->limit : -1;
    b->all.rows = s->list->count;
    b->all.cols = from->cols;
    b->all.dtype = from->dtype;
    b->all.offset_type = b->all.index_type = SPARCL_INDEX32;
}

static sparcl_status select_all(sparcl_ctx *ctx, sparcl_batches *b, const source *s,
                                const int64_t *entries) {
    if (b->column_bits + spc_key_bits(b->count) > 32)
        return spc_ctx_fail(ctx, SPARCL_E_UNSUPPORTED,
                            "batches: %lld batches of %lld columns need keys of %d bits, expected "
                            "at most 32; select fewer batches",
                            (long long)b->count, (long long)s->from->cols,
                            b->column_bits + spc_key_bits(b->count));
    SPC_TRY(keep_entries(b, entries, &b->all.nnz));
    SPC_TRY(reserve(ctx, b));
    SPC_TRY(
        sparcl_csr_take_rows(ctx, &b->all, s->from, s->list, &(sparcl_moved){.needed = b->needed}));
    return sort_entries(ctx, b, s);
}

sparcl_status sparcl_batches_select(sparcl_ctx *ctx, sparcl_batches *b, const sparcl_csr *from,
                                    const sparcl_list *fields, const sparcl_list *list,
                                    int64_t rows, const int64_t *entries) {
    const source s = {from, fields, list};
    SPC_TRY(check_selected(ctx, b, &s, rows, entries));
    describe(b, &s, rows);
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = select_all(ctx, b, &s, entries);
    spc_scratch_release(ctx, mark);
    if (status != SPARCL_OK) b->count = 0;
    return status;
}

/* --- taking ----------------------------------------------------------------------------------- */

static sparcl_status check_taken_fields(sparcl_ctx *ctx, const sparcl_batches *b,
                                        const sparcl_list *fields, int64_t count) {
    if (!fields) return SPARCL_OK;
    if (b->field_limit < 0)
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "batches: fields are wanted, but were not selected");
    SPC_TRY(check_fields(ctx, fields, count));
    if (fields->limit == b->field_limit) return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "batches: fields below %lld, expected %lld",
                        (long long)fields->limit, (long long)b->field_limit);
}

static sparcl_status check_taken(sparcl_ctx *ctx, const sparcl_batches *b, int64_t i,
                                 const sparcl_csr *x, const sparcl_pattern *pattern) {
    if (!b || b->ctx != ctx || i < 0 || i >= b->count)
        return spc_ctx_fail(ctx, SPARCL_E_ARG,
                            "batches: there is no batch %lld, expected 0 to %lld", (long long)i,
                            b && b->ctx == ctx ? (long long)b->count - 1 : -1);
    if (!pattern || pattern->ctx != ctx)
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "batches: expected a pattern of this context, %s",
                            pattern ? "found one of another" : "found NULL");
    SPC_TRY(spc_check_csr_of(ctx, "batches", "the batch", x, SPC_FLOATS));
    const int64_t rows = spc_min_i64(b->rows, b->all.rows - i * b->rows);
    if (x->rows != rows || x->cols != b->all.cols || x->nnz != b->entries[i])
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "batches: the result is %lld x %lld with %lld entries, batch %lld is "
                            "%lld x %lld with %lld",
                            (long long)x->rows, (long long)x->cols, (long long)x->nnz, (long long)i,
                            (long long)rows, (long long)b->all.cols, (long long)b->entries[i]);
    if (x->index_type != SPARCL_INDEX32)
        return spc_ctx_fail(ctx, SPARCL_E_DTYPE,
                            "batches: the result has indices of 64 bits, expected 32");
    return spc_check_same_dtype(ctx, "batches", "the result", x->dtype, "the matrix", b->all.dtype);
}

sparcl_status sparcl_batches_take(sparcl_ctx *ctx, const sparcl_batches *b, int64_t i,
                                  sparcl_csr *x, const sparcl_list *fields, sparcl_pattern *p) {
    static const sparcl_list none = {.count = 0};
    SPC_TRY(check_taken(ctx, b, i, x, p));
    SPC_TRY(check_taken_fields(ctx, b, fields, x->nnz));
    const sparcl_buf *const from = fields ? b->fields : NULL;
    if (!fields) fields = &none;
    const sparcl_csr *const all = &b->all;
    SPC_TRY(spc_pattern_reserve(ctx, p, x, b->largest));
    SPC_TRY(SPC_LAUNCH(
        ctx, PROGRAM, spc_word_options(all->dtype), "batch_take",
        spc_range_each(ctx, spc_max_i64(x->rows + 1, x->nnz)), SPC_IN(all->offsets),
        SPC_IN(all->indices), SPC_IN(all->values), SPC_IN(b->row_of), SPC_IN(b->order),
        SPC_IN(b->starts), SPC_IN(b->keys), SPC_IN(b->first_runs), SPC_I64(i), SPC_I64(i * b->rows),
        SPC_I64(x->rows), SPC_I64(x->nnz), SPC_I32(b->column_bits), SPC_OUT(x->offsets),
        SPC_I64(x->offsets_at), SPC_I32(x->offset_type == SPARCL_INDEX64), SPC_OUT(x->indices),
        SPC_I64(x->indices_at), SPC_OUT(x->values), SPC_I64(x->values_at), SPC_OUT(p->starts),
        SPC_OUT(p->row_of), SPC_OUT(p->perm), SPC_OUT(p->columns), SPC_OUT(p->found),
        SPC_OUT(p->values), SPC_IN(from), SPC_OUT(fields->indices), SPC_I64(fields->indices_at)));
    spc_prove_csr(x, b->flags);
    if (b->longest <= UINT32_MAX) x->proof.longest_row = (uint32_t)b->longest;
    p->stamp = spc_csr_stamp(x);
    p->values_stamp = spc_csr_values_stamp(x);
    return SPARCL_OK;
}
