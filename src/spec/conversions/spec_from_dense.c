/* spec_from_dense.c: the elements of an array above a threshold, in plain C. Variant 0: dense to
 * CSR; 1: dense to COO of the shape n; 2: dense to row-sparse; 3: row-sparse to CSR; 4: CSR to CSR
 * (prune); 5: CSR to row-sparse; 6: the elements of a dense matrix at a pattern. alpha: the
 * threshold; beta: the part of the entries for which there is capacity. */
#include <math.h>
#include <string.h>

#include "spec/bench/bench.h"
#include "spec/shared/harness_sparse.h"
#include "spec/shared/stored.h"

enum { TO_CSR, TO_COO, TO_ROWS, ROWS_TO_CSR, PRUNE, CSR_TO_ROWS, MASK, VARIANTS };

/* Rows, columns, elements that are not 0 (or rows that are stored). */
static const int64_t sizes[][3] = {
    {0, 0, 0},       {0, 5, 0},       {4, 0, 0},      {1, 1, 1},        {1, 70, 30},
    {9, 4, 20},      {37, 23, 200},   {5, 300, 700},  {300, 2, 400},    {64, 64, 4096},
    {1, 9000, 4000}, {700, 90, 3000}, {3, 9000, 300}, {40000, 8, 9000}, {2, 90000, 3000}};
#define N_SIZES     (int)(sizeof sizes / sizeof sizes[0])
#define SMALL_SIZES 10
#define N_SHAPES    12

static bool get_case(int i, bool small, spec_case *c) {
    static const double thresholds[] = {0, 0.4, 0, -1}, parts[] = {1, 1, 0.5, 1, 0};
    const int number = i / VARIANTS, variant = i % VARIANTS;
    const int n = (small ? SMALL_SIZES : N_SIZES) * 4, size = number % n / 4;
    if (number >= n) return false;
    *c = (spec_case){.kind = (spec_kind)((number + variant) % (int)SPEC_KINDS),
                     .rows = sizes[size][0],
                     .cols = sizes[size][1],
                     .nnz = sizes[size][2],
                     .n = variant == TO_COO ? number % N_SHAPES : 0,
                     .dtype = (sparcl_dtype)((number * 3 + variant) % 7),
                     .offset_type = i % 3 == 1 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .index_type = i % 4 == 2 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .alpha = thresholds[(number + variant) % 4],
                     .beta = parts[(number + 2 * variant) % 5],
                     .seed = (uint64_t)i + 1,
                     .variant = variant};
    if (variant == CSR_TO_ROWS || variant == MASK) c->alpha = -1;
    if (variant == ROWS_TO_CSR && c->nnz > 300) c->nnz /= 10;
    if (variant == ROWS_TO_CSR && c->cols > 900) c->cols = 900; /* as in spec_to_dense.c */
    if (variant == ROWS_TO_CSR && c->alpha < 0) c->alpha = 0;   /* rows that are not stored */
    if (c->dtype <= SPARCL_BF16) return true;
    c->alpha = c->alpha > 0 ? 0 : c->alpha;
    c->kind = SPEC_DIAGONAL; /* integers are not added */
    if (c->nnz > c->rows) c->nnz = c->rows;
    return true;
}

typedef struct state {
    int variant;
    double alpha;
    spec_matrix m; /* of PRUNE, CSR_TO_ROWS and MASK */
    int rank;
    int64_t shape[SPARCL_MAX_RANK], height, width;
    double *elements; /* [height, width]: what the results are taken from */
    int64_t needed, capacity;
    spec_matrix want;
    spec_entries want_entries;
    spec_rowset want_rows;
    int64_t *source; /* of PRUNE */
    sparcl_dense dense, values;
    sparcl_csr csr, csr_to;
    sparcl_coo coo_to;
    sparcl_rows rows, rows_to;
    sparcl_moved moved;
    bool has_moved;
} state;

/* --- operands --------------------------------------------------------------------------------- */

/* As many elements as `nnz`, at random places; a few of them special. Of a measurement of MASK:
 * random numbers. */
static void make_elements(spec_test *t, state *s) {
    static const double special[] = {-0.0, NAN, INFINITY, -INFINITY, 0.4, -0.4};
    const spec_case *const c = t->c;
    const int64_t count = s->height * s->width;
    uint64_t seed = c->seed;
    s->elements = t->given ? spec_drawn(t, count, 1) : spec_reals(t, count);
    for (int64_t k = 0; !t->given && count > 0 && k < c->nnz; ++k) {
        double value = spec_uniform(&seed);
        spec_make_storable(c->dtype, &value, 1);
        if (c->dtype <= SPARCL_BF16 && k % 9 == 8) value = spec_store(c->dtype, special[k / 9 % 6]);
        s->elements[spec_random(&seed) % (uint64_t)count] = value;
    }
}

/* The sums of a matrix's entries. */
static void sum_entries(spec_test *t, state *s, const spec_matrix *m) {
    const int64_t count = s->height * s->width;
    spec_entries e = {0};
    s->elements = spec_reals(t, count);
    spec_own_entries(t, &e, spec_entries_of_matrix(&e, m, m->nnz));
    spec_need(t, spec_entries_dense(&e, t->c->dtype, s->elements, NULL, NULL, count)
                     ? SPARCL_OK
                     : SPARCL_E_MEMORY);
}

static void put_dense(spec_test *t, state *s) {
    const int64_t gap = t->c->seed % 2 ? 3 : 0, ld = s->width + gap;
    double *const padded = spec_reals(t, s->height * ld);
    for (int64_t i = 0; i < s->height; ++i)
        for (int64_t j = 0; j < ld; ++j)
            padded[i * ld + j] = j < s->width ? s->elements[i * s->width + j] : 7;
    s->dense = (sparcl_dense){.rank = s->rank,
                              .dtype = t->c->dtype,
                              .ld = gap ? ld : 0,
                              .values = spec_reals_buf(t, padded, s->height * ld, t->c->dtype)};
    memcpy(s->dense.shape, s->shape, sizeof s->shape);
}

static void make_dense(spec_test *t, state *s) {
    if (t->given)
        sum_entries(t, s, &s->m);
    else
        make_elements(t, s);
    put_dense(t, s);
}

static void draw_rows(spec_test *t, state *s, spec_rowset *rows) {
    const spec_case *const c = t->c;
    spec_rowset sums = {0};
    *rows = spec_rowset_drawn(t, c->rows, c->nnz, c->cols, c->seed);
    spec_make_storable(c->dtype, rows->values, rows->capacity * c->cols);
    for (int64_t i = 0; i < rows->capacity * c->cols && c->dtype <= SPARCL_BF16; i += 3)
        rows->values[i] = 0;
    s->elements = spec_reals(t, s->height * s->width);
    spec_own_rowset(t, &sums, spec_rowset_sum(&sums, rows, c->dtype, NULL, NULL));
    for (int64_t i = 0; i < sums.stored * c->cols; ++i)
        s->elements[sums.ids[i / c->cols] * c->cols + i % c->cols] =
            spec_store(c->dtype, sums.values[i]);
}

static void make_rows(spec_test *t, state *s) {
    spec_rowset rows = {0};
    if (t->given) {
        rows = spec_rowset_of_matrix(t, &s->m);
        sum_entries(t, s, &s->m);
    } else {
        draw_rows(t, s, &rows);
    }
    s->rows = spec_row_sparse(t, &rows);
    s->rows.rank = 2;
    s->rows.shape[0] = t->c->rows;
    s->rows.shape[1] = t->c->cols;
    if (t->given) s->rows.proof.flags |= SPARCL_SORTED | SPARCL_UNIQUE;
}

static void make_matrix(spec_test *t, state *s) {
    const spec_case *const c = t->c;
    if (!t->given) {
        s->m = spec_matrix_of(t, c->nnz, c->seed);
        spec_make_storable(c->dtype, s->m.values, s->m.nnz);
        for (int64_t k = 0; k < s->m.nnz && s->variant == PRUNE; k += 4)
            s->m.values[k] = c->dtype <= SPARCL_BF16 && k % 8 ? -0.0 : 0;
    }
    s->csr = spec_csr(t, &s->m);
    if (s->variant == CSR_TO_ROWS) sum_entries(t, s, &s->m);
    if (s->variant == MASK) make_elements(t, s);
    if (s->variant == MASK) put_dense(t, s);
}

/* Of measurements of COO and row-sparse arrays: without duplicates; three of four rows. */
static void take_matrix(spec_test *t, state *s) {
    const int v = s->variant;
    s->m = spec_matrix_of(t, 0, 0);
    if (v == TO_COO || v == TO_ROWS || v == ROWS_TO_CSR || v == CSR_TO_ROWS)
        spec_matrix_unique(&s->m);
    if (v == TO_ROWS || v == ROWS_TO_CSR || v == CSR_TO_ROWS) spec_matrix_empty_rows(&s->m);
}

static void make_operands(spec_test *t, state *s) {
    const spec_case *const c = t->c;
    s->rank = 2;
    s->shape[0] = c->rows;
    s->shape[1] = c->cols;
    if (t->given)
        take_matrix(t, s);
    else if (s->variant == TO_COO)
        (void)spec_entries_shape((int)c->n, &s->rank, s->shape);
    else if (s->variant == TO_ROWS)
        s->rank = spec_shape(s->shape, c->rows, c->cols, c->seed);
    s->height = s->shape[0];
    s->width = sparcl_row_width(s->rank, s->shape);
    (s->variant <= TO_ROWS       ? make_dense
     : s->variant == ROWS_TO_CSR ? make_rows
                                 : make_matrix)(t, s);
}

/* --- expected results, and room for them ------------------------------------------------------ */

static bool is_kept(const state *s, double x) {
    return s->alpha < 0 || isnan(x) || fabs(x) > s->alpha;
}

/* Room for a part of the entries. */
static void count(const spec_test *t, state *s, int64_t needed) {
    const spec_case *const c = t->c;
    s->needed = needed;
    s->capacity = t->given       ? needed
                  : c->beta == 1 ? needed + (int64_t)c->seed % 3
                                 : (int64_t)(c->beta * (double)needed);
}

static void count_elements(const spec_test *t, state *s) {
    int64_t kept = 0;
    for (int64_t i = 0; i < s->height * s->width; ++i)
        kept += is_kept(s, s->elements[i]);
    count(t, s, kept);
}

static void make_csr_result(spec_test *t, state *s) {
    const spec_case *const c = t->c;
    const bool swap = !t->given && (s->variant != PRUNE || c->seed % 2);
    spec_case types = *c;
    types.offset_type = swap ? c->index_type : c->offset_type;
    types.index_type = swap ? c->offset_type : c->index_type;
    s->csr_to = spec_csr_result_as(t, &types, s->height, s->width, s->capacity);
    s->want = spec_matrix_room(t, s->height, s->width, s->capacity);
    s->want.nnz = 0;
}

static void add_entry(state *s, int64_t row, int64_t column, double value) {
    spec_matrix *const want = &s->want;
    if (want->nnz < s->capacity) {
        want->indices[want->nnz] = column;
        want->values[want->nnz++] = value;
    }
    want->offsets[row + 1] = want->nnz;
}

static void expect_csr(spec_test *t, state *s) {
    count_elements(t, s);
    make_csr_result(t, s);
    for (int64_t i = 0; i < s->height; ++i) {
        s->want.offsets[i + 1] = s->want.nnz;
        for (int64_t j = 0; j < s->width; ++j)
            if (is_kept(s, s->elements[i * s->width + j]))
                add_entry(s, i, j, s->elements[i * s->width + j]);
    }
}

/* Every third case wants no source. */
static void expect_prune(spec_test *t, state *s) {
    const spec_matrix *const m = &s->m;
    int64_t needed = 0;
    for (int64_t k = 0; k < m->nnz; ++k)
        needed += is_kept(s, m->values[k]);
    count(t, s, needed);
    make_csr_result(t, s);
    s->source = spec_int64s(t, s->capacity);
    if (t->c->seed % 3) s->moved.source = spec_ints_buf(t, s->source, s->capacity, SPARCL_INDEX64);
    for (int64_t r = 0; r < m->rows; ++r) {
        s->want.offsets[r + 1] = s->want.nnz;
        for (int64_t k = m->offsets[r]; k < m->offsets[r + 1]; ++k) {
            if (!is_kept(s, m->values[k])) continue;
            if (s->want.nnz < s->capacity) s->source[s->want.nnz] = k;
            add_entry(s, r, m->indices[k], m->values[k]);
        }
    }
}

/* Counts of results are invalid, written by the host: Oclgrind 21.10 takes one that was filled with
 * 0 for uninitialised, whatever a kernel writes to it later. */
static void expect_coo(spec_test *t, state *s) {
    count_elements(t, s);
    spec_entries like = {.rank = s->rank, .capacity = s->capacity}, room;
    memcpy(like.shape, s->shape, sizeof like.shape);
    spec_entries *const e = &s->want_entries;
    *e = spec_entries_room(t, &like);
    room = spec_entries_room(t, &like);
    room.stored = -1;
    s->coo_to = spec_coo(t, &room, 0, true);
    s->coo_to.proof = (sparcl_proof){0};
    for (int64_t i = 0; i < s->height * s->width && e->stored < s->capacity; ++i) {
        if (!is_kept(s, s->elements[i])) continue;
        int64_t place = i;
        for (int d = s->rank - 1; d >= 0; place /= s->shape[d--])
            e->indices[d][e->stored] = place % s->shape[d];
        e->values[e->stored++] = s->elements[i];
    }
}

static bool is_stored(const state *s, int64_t row) {
    if (s->variant == CSR_TO_ROWS) return s->m.offsets[row + 1] > s->m.offsets[row];
    for (int64_t j = 0; j < s->width; ++j)
        if (is_kept(s, s->elements[row * s->width + j])) return true;
    return false;
}

static void expect_rows(spec_test *t, state *s) {
    int64_t needed = 0;
    for (int64_t i = 0; i < s->height; ++i)
        needed += is_stored(s, i);
    count(t, s, needed);
    spec_rowset *const want = &s->want_rows, room;
    *want = spec_rowset_room(t, s->height, s->capacity, s->width);
    room = *want;
    room.stored = -1;
    s->rows_to = spec_row_sparse(t, &room);
    s->rows_to.rank = s->rank;
    memcpy(s->rows_to.shape, s->shape, sizeof s->shape);
    s->rows_to.proof = (sparcl_proof){0};
    for (int64_t i = 0; i < s->height && want->stored < s->capacity; ++i) {
        if (!is_stored(s, i)) continue;
        want->ids[want->stored] = i;
        memcpy(want->values + want->stored++ * s->width, s->elements + i * s->width,
               (size_t)s->width * sizeof *s->elements);
    }
}

static void expect_mask(spec_test *t, state *s) {
    const int64_t nnz = s->m.nnz;
    s->needed = -1; /* it has none */
    s->want = spec_matrix_room(t, s->height, s->width, nnz);
    for (int64_t r = 0; r < s->m.rows; ++r)
        for (int64_t k = s->m.offsets[r]; k < s->m.offsets[r + 1]; ++k)
            s->want.values[k] = s->elements[r * s->width + s->m.indices[k]];
    s->values =
        (sparcl_dense){.rank = 1,
                       .dtype = t->c->dtype,
                       .shape = {nnz},
                       .values = spec_result_buf(t, nnz * (int64_t)sparcl_dtype_size(t->c->dtype))};
}

static void make(spec_test *t) {
    static void (*const makers[])(spec_test *, state *) = {
        expect_csr, expect_coo, expect_rows, expect_csr, expect_prune, expect_rows, expect_mask};
    const int64_t none = -1;
    state *const s = t->state;
    s->variant = t->c->variant;
    s->alpha = t->c->alpha;
    s->has_moved = !t->given;
    if (!t->given) s->moved.needed = spec_ints_buf(t, &none, 1, SPARCL_INDEX64);
    make_operands(t, s);
    makers[s->variant](t, s);
}

/* --- calls ------------------------------------------------------------------------------------ */

static sparcl_status call(sparcl_ctx *ctx, void *made, int number) {
    state *const s = made;
    sparcl_buf *const needed = s->moved.needed;
    (void)number;
    switch (s->variant) {
    case TO_CSR:
        return sparcl_dense_to_csr(ctx, &s->csr_to, &s->dense, s->alpha,
                                   &(sparcl_moved){.needed = needed});
    case TO_COO:
        return sparcl_dense_to_coo(ctx, &s->coo_to, &s->dense, s->alpha,
                                   &(sparcl_moved){.needed = needed});
    case TO_ROWS:
        return sparcl_dense_to_rows(ctx, &s->rows_to, &s->dense, s->alpha,
                                    &(sparcl_moved){.needed = needed});
    case ROWS_TO_CSR:
        return sparcl_rows_to_csr(ctx, &s->csr_to, &s->rows, s->alpha,
                                  &(sparcl_moved){.needed = needed});
    case PRUNE:
        return sparcl_csr_prune(ctx, &s->csr_to, &s->csr, s->alpha,
                                s->has_moved ? &s->moved : NULL);
    case CSR_TO_ROWS:
        return sparcl_csr_to_rows(ctx, &s->rows_to, &s->csr, &(sparcl_moved){.needed = needed});
    default:
        return sparcl_sparse_mask(ctx, &s->values, &s->dense, &s->csr);
    }
}

/* The pattern of a mask counts as zeros, as it ever has in the sum of the sweep. */
static void compare_mask(spec_test *t, const state *s) {
    spec_compare_ints(t->report, "offsets", s->want.offsets, s->want.offsets, s->want.rows + 1);
    spec_compare_ints(t->report, "indices", s->want.indices, s->want.indices, s->want.nnz);
    spec_expect_dense(t, "values", &s->values, s->want.values, NULL, NULL);
}

static void compare_matrix(spec_test *t, const state *s) {
    const sparcl_csr *const to = &s->csr_to;
    const int64_t nnz = s->want.nnz;
    spec_expect_ints(t, "offsets", to->offsets, 0, to->offset_type, s->want.offsets, to->rows + 1);
    spec_expect_ints(t, "indices", to->indices, 0, to->index_type, s->want.indices, nnz);
    if (s->moved.source)
        spec_expect_ints(t, "source", s->moved.source, 0, SPARCL_INDEX64, s->source, nnz);
    else if (s->source)
        spec_compare_ints(t->report, "source", s->source, s->source, nnz);
    spec_expect(t, "values", to->values, 0, to->dtype, nnz, s->want.values, NULL, NULL);
}

static void expect(spec_test *t) {
    const state *const s = t->state;
    t->report->zeros_expected = true;
    if (s->moved.needed)
        spec_expect_ints(t, "needed", s->moved.needed, 0, SPARCL_INDEX64, &s->needed, 1);
    switch (s->variant) {
    case TO_COO:
        spec_expect_entries(t, &s->coo_to, &s->want_entries, NULL, NULL);
        break;
    case TO_ROWS:
    case CSR_TO_ROWS:
        spec_expect_rows(t, &s->rows_to, &s->want_rows, NULL, NULL);
        break;
    case MASK:
        compare_mask(t, s);
        break;
    default:
        compare_matrix(t, s);
    }
}

/* The operand, and the result. */
static void work(const spec_test *t, int number, double *flops, double *bytes) {
    const state *const s = t->state;
    const double elements = (double)s->height * (double)s->width;
    const double row = 4 + 4 * (double)s->width;
    (void)number;
    *flops = 0;
    *bytes = s->variant <= TO_ROWS       ? 4 * elements
             : s->variant == ROWS_TO_CSR ? row * (double)s->rows.nnr
                                         : spec_csr_bytes(&s->csr);
    if (s->csr_to.values) *bytes += spec_csr_bytes(&s->csr_to);
    if (s->coo_to.values) *bytes += spec_coo_bytes(&s->coo_to, s->want_entries.stored);
    if (s->rows_to.values) *bytes += row * (double)s->want_rows.stored;
    if (s->variant == MASK) *bytes += 4 * (double)s->m.nnz; /* of the values */
}

extern const spec_op spec_from_dense;
static const spec_bench timed[] = {
    {"from-dense", "the elements of a dense array that are not 0, to CSR", .op = &spec_from_dense,
     .setting = {.variant = TO_CSR}},
    {"dense-to-coo", "the elements of a dense array that are not 0, to COO", .op = &spec_from_dense,
     .setting = {.variant = TO_COO}},
    {"dense-to-rows", "the rows of a dense array that are not 0, three of four",
     .op = &spec_from_dense, .setting = {.variant = TO_ROWS}},
    {"rows-to-csr", "the elements of such rows that are not 0, to CSR", .op = &spec_from_dense,
     .setting = {.variant = ROWS_TO_CSR}},
    {"csr-to-rows", "the rows that have entries, three of four, to a row-sparse array",
     .op = &spec_from_dense, .setting = {.variant = CSR_TO_ROWS, .alpha = -1}},
    {"csr-prune", "the entries whose magnitude is above 0.5", .op = &spec_from_dense,
     .setting = {.variant = PRUNE, .alpha = 0.5}},
    {"sparse-mask", "the elements of a dense matrix where A has entries", .op = &spec_from_dense,
     .setting = {.variant = MASK, .alpha = -1}},
    {0}};

const spec_op spec_from_dense = {.name = "from_dense",
                                 .get_case = get_case,
                                 .state_size = sizeof(state),
                                 .make = make,
                                 .call = call,
                                 .expect = expect,
                                 .work = work,
                                 .timed = timed};
