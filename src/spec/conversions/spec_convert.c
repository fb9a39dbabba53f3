/* spec_convert.c: converting matrices between formats, in plain C. Variant 0: COO to CSR; 1: CSR to
 * COO; 2: CSR to CSC; 3 to 5: the same with CSC for CSR, which is CSR with rows and columns
 * exchanged; + 8: the capacity of `from` is larger than its number of entries. */
#include <string.h>

#include "spec/bench/bench.h"
#include "spec/shared/harness_sparse.h"

enum { FROM_COO, TO_COO, TRANSPOSED, FORMATS, ALL_FORMATS = 6, MORE = 8 };
enum { ROUND = 3, SHARED = 4, MEASURED = 16 }; /* of measurements: MEASURED times this */

static int format_of(const spec_case *c) {
    return c->variant >= MEASURED ? c->variant / MEASURED : c->variant % MORE % FORMATS;
}
static bool is_exchanged(const spec_case *c) {
    return c->variant % MORE >= FORMATS;
}

/* Rows, columns, entries. The last one has keys of 66 bits, and too many columns for CSC. */
static const int64_t sizes[][3] = {{0, 0, 0},           {0, 5, 0},
                                   {4, 0, 0},           {3, 3, 0},
                                   {1, 1, 1},           {1, 7, 5},
                                   {9, 4, 20},          {37, 23, 200},
                                   {5, 300, 1500},      {3000, 2, 900},
                                   {700, 5000, 30000},  {100000, 30, 2000},
                                   {1, 70000, 40000},   {300000, 300000, 20000},
                                   {20, 2000000, 9000}, {9, (int64_t)1 << 62, 300}};

/* The number of columns. CSC has one offset per column, so there are fewer. */
static int64_t columns_of(const int64_t *size, int format, bool small) {
    if (format != 2) return size[1];
    return size[1] > INT32_MAX ? 1000 : small && size[1] > 9000 ? size[1] / 400 : size[1];
}

/* Other element types, and CSC with all types; the sizes with entries. */
static bool get_other(int i, bool small, spec_case *c) {
    const int format = i % ALL_FORMATS, k = i / ALL_FORMATS;
    if (k >= (small ? 12 : 45)) return false;
    const int64_t *const size = sizes[4 + k % (small ? 4 : 11)];
    const sparcl_dtype dtype = format < FORMATS ? spec_other_dtype(k) : spec_any_dtype(k + i);
    *c = (spec_case){.kind = (spec_kind)((i + k) % SPEC_KINDS),
                     .rows = size[0],
                     .cols = size[1],
                     .nnz = size[2],
                     .dtype = dtype,
                     .offset_type = k % 3 == 1 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .index_type = k % 4 == 2 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .seed = (uint64_t)i + 6001,
                     .variant = format + (k / 2 % 2 ? MORE : 0)};
    return true;
}

static bool get_case(int i, bool small, spec_case *c) {
    const int n_sizes = (int)(sizeof sizes / sizeof sizes[0]), kinds = (int)SPEC_KINDS;
    const int each = small ? 4 : kinds; /* cases per format and size */
    const int number = i / each / FORMATS, format = i / each % FORMATS;
    if (number >= n_sizes) return get_other(i - n_sizes * each * FORMATS, small, c);
    const int64_t *size = sizes[number];
    const bool wide = size[1] > INT32_MAX;
    *c = (spec_case){.kind = (spec_kind)((i % each + number) % kinds),
                     .rows = small && size[0] > 9000 ? size[0] / 40 : size[0],
                     .cols = columns_of(size, format, small),
                     .nnz = small && size[2] > 2000 ? 500 : size[2],
                     .dtype = i % 5 == 3 ? SPARCL_F64 : SPARCL_F32,
                     .offset_type = wide || i % 3 == 1 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .index_type = wide || i % 4 == 2 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .seed = (uint64_t)i + 1,
                     .variant = format + (i / 2 % 2 ? MORE : 0)};
    return true;
}

typedef struct state {
    spec_case c; /* with the sizes of what is stored */
    int format;
    bool is_exchanged;
    spec_matrix a, want; /* want: a CSR result */
    spec_entries entries;
    sparcl_csr csr, csr_to;
    sparcl_coo coo; /* an operand, or a result */
} state;

/* --- operands --------------------------------------------------------------------------------- */

/* Capacity for more entries than there are: indices past them are out of range. */
static sparcl_csr put_csr(spec_test *t, const state *s) {
    spec_matrix spare = spec_matrix_room(t, s->a.rows, s->a.cols, s->entries.capacity);
    memcpy(spare.offsets, s->a.offsets, (size_t)(s->a.rows + 1) * sizeof *spare.offsets);
    for (int64_t k = 0; k < spare.nnz; ++k) {
        spare.indices[k] = k < s->a.nnz ? s->a.indices[k] : -5;
        spare.values[k] = k < s->a.nnz ? s->a.values[k] : -5;
    }
    return spec_csr_as(t, &s->c, &spare);
}

/* An empty CSR view; of a case with the offset and index types of the operand swapped. */
static sparcl_csr put_result(spec_test *t, const state *s) {
    spec_case swapped = s->c;
    if (!t->given) {
        swapped.offset_type = s->c.index_type;
        swapped.index_type = s->c.offset_type;
    }
    const spec_matrix room = spec_matrix_room(t, s->want.rows, s->want.cols, s->entries.capacity);
    sparcl_csr view = spec_csr_as(t, &swapped, &room);
    view.proof = (sparcl_proof){0};
    return view;
}

static void make_matrix(spec_test *t, state *s) {
    const spec_case *const c = &s->c;
    if (t->given)
        s->a = spec_matrix_of(t, 0, 0);
    else
        spec_own_matrix(t, &s->a,
                        spec_matrix_make(&s->a, c->kind, c->rows, c->cols, c->nnz, c->seed));
    for (int64_t k = 0; k < s->a.nnz; ++k)
        s->a.values[k] = spec_moved_value(c->dtype, s->a.values[k]);
    spec_own_entries(
        t, &s->entries,
        spec_entries_of_matrix(&s->entries, &s->a, s->a.nnz + (c->variant & MORE ? 7 : 0)));
}

/* The matrix that the entries represent: rows are sorted. */
static spec_matrix sort_rows(spec_test *t, const state *s) {
    const int64_t *const order = spec_own(t, spec_entries_order(&s->entries));
    spec_matrix sorted = spec_matrix_room(t, s->a.rows, s->a.cols, s->a.nnz);
    memcpy(sorted.offsets, s->a.offsets, (size_t)(s->a.rows + 1) * sizeof *sorted.offsets);
    for (int64_t k = 0; k < sorted.nnz; ++k) {
        sorted.indices[k] = s->entries.indices[1][order[k]];
        sorted.values[k] = s->entries.values[order[k]];
    }
    return sorted;
}

/* The entries are shuffled, except for DIAGONAL. */
static void make_from_coo(spec_test *t, state *s) {
    if (s->c.kind != SPEC_DIAGONAL) spec_entries_shuffle(&s->entries, s->c.seed);
    s->want = sort_rows(t, s);
    s->coo = spec_coo(t, &s->entries, 2, false);
    s->csr_to = put_result(t, s);
}

static void make_to_coo(spec_test *t, state *s) {
    spec_case swapped = s->c;
    spec_entries room = spec_entries_room(t, &s->entries);
    swapped.index_type = s->c.offset_type;
    if (!(s->c.variant & MORE)) room.stored = room.capacity;
    s->csr = put_csr(t, s);
    s->coo = spec_coo_as(t, &swapped, &room, 3, s->c.variant & MORE);
}

static void make_transposed(spec_test *t, state *s) {
    s->want = spec_transposed(t, &s->a);
    s->csr = put_csr(t, s);
    s->csr_to = put_result(t, s);
}

/* To COO and back. */
static void make_round(spec_test *t, state *s) {
    const spec_entries room = spec_entries_room(t, &s->entries);
    s->want = sort_rows(t, s);
    s->csr = spec_csr(t, &s->a);
    s->csr_to = put_result(t, s);
    s->coo = spec_coo(t, &room, 0, true);
    spec_need(t, sparcl_csr_validate(t->ctx, &s->csr, SPARCL_VALID));
}

/* With the columns and values of the operand, which is sorted: the second conversion of an unsorted
 * one would move its entries. */
static void make_shared(spec_test *t, state *s) {
    s->want = sort_rows(t, s);
    s->csr = spec_csr(t, &s->want);
    spec_need(t, sparcl_csr_validate(t->ctx, &s->csr, SPARCL_VALID));
    s->csr_to = s->csr;
    s->csr_to.offsets =
        spec_result_buf(t, (s->a.rows + 1) * (int64_t)sparcl_itype_size(s->csr.offset_type));
    s->csr_to.offsets_at = 0;
    const int64_t index = (int64_t)sparcl_itype_size(s->csr.index_type);
    s->coo = (sparcl_coo){.rank = 2,
                          .index_type = s->csr.index_type,
                          .shape = {s->a.rows, s->a.cols},
                          .nnz = s->a.nnz,
                          .indices = {spec_result_buf(t, index * (s->a.nnz + 1)), s->csr.indices},
                          .indices_at = {0, s->csr.indices_at},
                          .values = s->csr.values,
                          .values_at = s->csr.values_at,
                          .count = spec_result_buf(t, 8)};
}

static void make(spec_test *t) {
    static void (*const makers[])(spec_test *, state *) = {
        make_from_coo, make_to_coo, make_transposed, make_round, make_shared};
    state *const s = t->state;
    s->c = *t->c;
    s->format = format_of(t->c);
    s->is_exchanged = is_exchanged(t->c);
    if (s->is_exchanged) s->c.rows = t->c->cols, s->c.cols = t->c->rows;
    make_matrix(t, s);
    makers[s->format](t, s);
}

/* --- calls ------------------------------------------------------------------------------------ */

/* The transpose in the same arrays; only the entries of a diagonal are in the order of both. */
static sparcl_coo exchange(const sparcl_coo *v, const spec_case *c) {
    sparcl_coo to = *v;
    for (int d = 0; d < 2; ++d) {
        to.shape[d] = v->shape[1 - d];
        to.indices[d] = v->indices[1 - d];
        to.indices_at[d] = v->indices_at[1 - d];
    }
    if (c->kind != SPEC_DIAGONAL) to.proof.flags &= ~(uint32_t)SPARCL_SORTED;
    return to;
}

static sparcl_status call(sparcl_ctx *ctx, void *made, int number) {
    state *const s = made;
    sparcl_coo exchanged = exchange(&s->coo, &s->c);
    sparcl_csc columns = spec_as_csc(&s->csr_to);
    const sparcl_csc from_columns = spec_as_csc(&s->csr);
    sparcl_status status;
    (void)number;
    switch (s->format) {
    case FROM_COO:
        return s->is_exchanged ? sparcl_coo_to_csc(ctx, &columns, &exchanged)
                               : sparcl_coo_to_csr(ctx, &s->csr_to, &s->coo);
    case TO_COO:
        return s->is_exchanged ? sparcl_csc_to_coo(ctx, &exchanged, &from_columns)
                               : sparcl_csr_to_coo(ctx, &s->coo, &s->csr);
    case TRANSPOSED:
        return s->is_exchanged ? sparcl_csc_to_csr(ctx, &s->csr_to, &from_columns)
                               : sparcl_csr_to_csc(ctx, &columns, &s->csr);
    default: /* the second conversion skips sorting only where the matrix is sorted */
        status = sparcl_csr_to_coo(ctx, &s->coo, &s->csr);
        return status == SPARCL_OK ? sparcl_coo_to_csr(ctx, &s->csr_to, &s->coo) : status;
    }
}

static void expect(spec_test *t) {
    const state *const s = t->state;
    t->report->zeros_expected = t->given || t->c->dtype == SPARCL_BOOL;
    if (s->format == TO_COO)
        spec_expect_entries(t, &s->coo, &s->entries, NULL, NULL);
    else
        spec_expect_csr(t, &s->csr_to, &s->want);
}

/* Both ways; what is shared is not moved. */
static void work(const spec_test *t, int number, double *flops, double *bytes) {
    const state *const s = t->state;
    const double values = (double)sparcl_dtype_size(s->csr.dtype) * (double)s->a.nnz;
    (void)number;
    *flops = 0;
    *bytes = spec_csr_bytes(&s->csr) + spec_csr_bytes(&s->csr_to);
    if (s->format == ROUND) *bytes += 2 * spec_coo_bytes(&s->coo, s->a.nnz);
    if (s->format == SHARED) *bytes -= 2 * values;
}

extern const spec_op spec_convert;
static const spec_bench timed[] = {
    {"transpose", "CSR to CSC", .op = &spec_convert, .setting = {.variant = TRANSPOSED}},
    {"convert", "CSR to COO and back", .op = &spec_convert,
     .setting = {.variant = MEASURED * ROUND}},
    {"convert-shared", "the same, without copies of columns and values", .op = &spec_convert,
     .setting = {.variant = MEASURED * SHARED}},
    {0}};

const spec_op spec_convert = {.name = "convert",
                              .get_case = get_case,
                              .state_size = sizeof(state),
                              .make = make,
                              .call = call,
                              .expect = expect,
                              .work = work,
                              .timed = timed};
