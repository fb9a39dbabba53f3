/* spec_validate.c: finding invalid entries of sparse views, in plain C. Variant: the format (0 CSR,
 * 1 CSC, 2 COO, of shape number `n`), plus FORMATS times the violation. `alpha`: the parameter
 * `want`; with `beta` 1 the indices of a COO array of one dimension are a list. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spec/shared/harness_sparse.h"

#define FORMATS 3
#define NOWHERE INT64_MAX

/* A change of a valid array, at random positions. */
typedef enum violation {
    NONE,
    BEGIN,   /* the first offset is not 0 */
    DESCEND, /* an offset is less than its predecessor */
    PAST,    /* an offset is larger than the number of entries */
    NEGATIVE,
    LARGE, /* an index is as large as its dimension */
    SWAPPED,
    TWICE, /* a duplicate of an entry, adjacent or far away */
    NOT_FINITE,
    VIOLATIONS
} violation;

static const int64_t sizes[][3] = {{0, 5, 0},        {4, 0, 0},         {1, 1, 1},
                                   {9, 4, 20},       {37, 23, 200},     {5, 300, 1500},
                                   {3000, 20, 9000}, {50, 4000, 60000}, {70000, 9, 100},
                                   {60, 7, 300},     {12, 500, 333},    {2, 2, 3}};
static const int coo_shapes[] = {2, 6, 3, 8, 10, 12, 13, 14, 16, 7, 11, 9};

/* Other arrays whose indices are in range but unsorted, so that duplicates are found by sorting:
 * alternately matrices, arrays of one or two dimensions, and arrays of more dimensions. */
#define MORE 72

static bool get_more(int i, spec_case *c) {
    static const spec_kind kinds[] = {SPEC_UNIFORM, SPEC_DUPLICATE, SPEC_RAGGED, SPEC_ONE_COL};
    static const violation violations[] = {NONE, TWICE, SWAPPED, NOT_FINITE};
    static const int few[] = {6, 7, 3}, many[] = {8, 10, 12, 14};
    const int format = i % 3 ? 2 : i / 3 % 2;
    if (i >= MORE) return false;
    *c = (spec_case){.kind = format == 2 ? kinds[i / 3 % 4] : SPEC_DUPLICATE,
                     .rows = 2 + i * 11 % 60,
                     .cols = 3 + i * 7 % 50,
                     .nnz = 30 + i * 53 % 500,
                     .n = i % 3 == 1 ? few[i / 3 % 3] : many[i / 3 % 4],
                     .dtype = i % 5 == 3 ? SPARCL_F64 : SPARCL_F32,
                     .offset_type = i % 4 == 1 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .index_type = i % 8 > 5 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .alpha = i % 2 ? SPARCL_UNIQUE : SPARCL_FINITE,
                     .seed = (uint64_t)i + 4001,
                     .variant = format + FORMATS * (int)violations[i / 3 % 4]};
    if (format == 2 && spec_entries_is_wide((int)c->n)) c->index_type = SPARCL_INDEX64;
    return true;
}

/* Lists of some hundred indices, most of them with a duplicate; some have three different ones. */
#define LISTS 32

static bool get_list(int i, spec_case *c) {
    static const violation violations[] = {NONE, TWICE, SWAPPED};
    static const spec_kind kinds[] = {SPEC_UNIFORM, SPEC_RAGGED, SPEC_UNIFORM, SPEC_DUPLICATE};
    if (i >= LISTS) return false;
    *c = (spec_case){.kind = kinds[i % 4],
                     .nnz = 260 + i * 97 % 900,
                     .n = 3,
                     .offset_type = SPARCL_INDEX32,
                     .index_type = i % 5 > 2 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .alpha = i % 8 ? SPARCL_UNIQUE : SPARCL_FINITE,
                     .beta = 1,
                     .seed = (uint64_t)i + 5001,
                     .variant = 2 + FORMATS * (int)violations[i % 3]};
    return true;
}

static bool get_case(int i, bool small, spec_case *c) {
    static const uint32_t wants[] = {0, SPARCL_SORTED, SPARCL_UNIQUE, SPARCL_FINITE,
                                     SPARCL_SORTED | SPARCL_UNIQUE | SPARCL_FINITE};
    const int variants = FORMATS * (int)VIOLATIONS, number = i / variants;
    const int n_sizes = (int)(sizeof sizes / sizeof sizes[0]);
    if (number >= n_sizes)
        return get_more(i - n_sizes * variants, c) || get_list(i - n_sizes * variants - MORE, c);
    const int format = i % variants % FORMATS, shape = coo_shapes[number];
    const bool wide = format == 2 && spec_entries_is_wide(shape);
    *c = (spec_case){.kind = (spec_kind)((i + number) % SPEC_KINDS),
                     .rows = small && sizes[number][0] > 9000 ? 3000 : sizes[number][0],
                     .cols = sizes[number][1],
                     .nnz = small && sizes[number][2] > 2000 ? 600 : sizes[number][2],
                     .n = shape,
                     .dtype = i % 5 == 3 ? SPARCL_F64 : SPARCL_F32,
                     .offset_type = i % 3 == 1 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .index_type = wide || i % 4 == 2 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .alpha = (double)wants[(i + i / 7) % 5],
                     .seed = (uint64_t)i + 1,
                     .variant = i % variants};
    return true;
}

typedef struct state {
    spec_matrix a;
    spec_entries e; /* also of a matrix, in the order stored */
    bool is_coo, is_csc, is_list;
    uint32_t want;
    sparcl_csr csr;
    sparcl_csc csc;
    sparcl_coo coo;
    sparcl_list list;
    sparcl_status status; /* of the call */
} state;

static int64_t any(uint64_t *seed, int64_t count) {
    return (int64_t)(spec_random(seed) >> 1) % count;
}

/* The dimension to corrupt; for a matrix, that of its indices. */
static int any_dimension(const state *x, uint64_t *seed) {
    return x->is_coo ? (int)any(seed, x->e.rank) : 1;
}

static void corrupt_offsets(state *x, violation kind, uint64_t *seed) {
    const int64_t at = x->a.rows > 0 ? any(seed, x->a.rows) + 1 : 0;
    if (kind == BEGIN) x->a.offsets[0] = -1;
    if (kind == DESCEND) x->a.offsets[at] = at > 0 ? x->a.offsets[at - 1] - 1 : -1;
    if (kind == PAST) x->a.offsets[at] = x->a.nnz + 3;
}

static void corrupt_entries(state *x, violation kind, uint64_t *seed) {
    spec_entries *e = &x->e;
    const int64_t k = any(seed, e->stored), i = any(seed, e->stored);
    const int d = any_dimension(x, seed);
    const double value = e->values[k];
    const int64_t index = e->indices[d][k];
    if (kind == NEGATIVE) e->indices[d][k] = -1 - any(seed, 5);
    if (kind == LARGE) e->indices[d][k] = e->shape[d] + any(seed, 5) * (d == 0);
    if (kind == NOT_FINITE) e->values[k] = spec_random(seed) % 2 ? (double)NAN : -(double)INFINITY;
    if (kind == SWAPPED) {
        e->indices[d][k] = e->indices[d][i];
        e->indices[d][i] = index;
    }
    if (kind == TWICE && x->is_coo) spec_entries_copy(e, k, e, i);
    if (kind == TWICE && !x->is_coo && k > 0) e->indices[1][k] = e->indices[1][k - 1];
    if (kind == TWICE) e->values[k] = value;
}

/* A matrix, and its entries. */
static void make_matrix(spec_test *t, state *x) {
    const spec_case *const c = t->c;
    x->a = spec_matrix_drawn(t, c->rows, c->cols, c->nnz, c->seed);
    spec_own_entries(t, &x->e, spec_entries_of_matrix(&x->e, &x->a, x->a.nnz));
}

static void put_matrix(spec_test *t, state *x) {
    x->csr = spec_csr(t, &x->a);
    x->csr.proof = (sparcl_proof){0};
    x->csc = spec_as_csc(&x->csr);
}

static void put_entries(spec_test *t, state *x) {
    x->coo = spec_coo(t, &x->e, 2, false);
    x->coo.proof = (sparcl_proof){0};
    x->list = (sparcl_list){.count = x->e.stored,
                            .limit = x->coo.shape[0],
                            .index_type = x->coo.index_type,
                            .indices = x->coo.indices[0],
                            .indices_at = x->coo.indices_at[0]};
}

static void make(spec_test *t) {
    const spec_case *const c = t->c;
    const violation kind = (violation)(c->variant / FORMATS);
    state *const x = t->state;
    uint64_t seed = c->seed;
    x->want = (uint32_t)c->alpha;
    x->is_coo = c->variant % FORMATS == 2;
    x->is_csc = c->variant % FORMATS == 1;
    x->is_list = c->beta == 1;
    if (x->is_coo) {
        x->e = spec_entries_drawn(t, (int)c->n, c->nnz, c->seed % 3 == 0, seed);
    } else {
        make_matrix(t, x);
        corrupt_offsets(x, kind, &seed);
    }
    if (x->e.stored > 0) corrupt_entries(x, kind, &seed);
    for (int64_t k = 0; !x->is_coo && k < x->a.nnz; ++k) {
        x->a.indices[k] = x->e.indices[1][k];
        x->a.values[k] = x->e.values[k];
    }
    if (x->is_coo)
        put_entries(t, x);
    else
        put_matrix(t, x);
}

/* --- the answer --------------------------------------------------------------------------------
 */

typedef struct answer {
    uint32_t flags;   /* expected of the view after success */
    char message[96]; /* the expected beginning of the message, else "" */
} answer;

static int64_t wrong_offset(const spec_matrix *a) {
    for (int64_t r = 0; r <= a->rows; ++r) {
        const int64_t x = a->offsets[r], before = r > 0 ? a->offsets[r - 1] : 0;
        if (x < before || x > a->nnz || (r == 0 && x != 0)) return r;
    }
    return NOWHERE;
}

static bool is_outside(const spec_entries *e, int64_t k) {
    bool outside = false;
    for (int d = 0; d < e->rank; ++d)
        outside |= e->indices[d][k] < 0 || e->indices[d][k] >= e->shape[d];
    return outside;
}

/* The first position of an entry that equals an earlier entry. */
static int64_t duplicate_entry(const spec_entries *e) {
    int64_t first = NOWHERE, *order = spec_entries_order(e);
    for (int64_t i = 1; order && i < e->stored; ++i)
        if (spec_entries_compare(e, order[i - 1], order[i]) == 0 && order[i] < first)
            first = order[i];
    free(order);
    return first;
}

static void find_answer(const state *x, uint32_t want, answer *out) {
    int64_t range = NOWHERE, unsorted = NOWHERE, duplicate = NOWHERE, infinite = NOWHERE;
    const spec_entries *e = &x->e;
    const int64_t offset = x->is_coo ? NOWHERE : wrong_offset(&x->a);
    memset(out, 0, sizeof *out);
    if (offset != NOWHERE) {
        snprintf(out->message, sizeof out->message, "validate: A.offsets[%" PRId64 "] is ", offset);
        return;
    }
    for (int64_t k = e->stored - 1; k >= 0; --k) {
        if (is_outside(e, k)) range = k;
        if (k > 0 && spec_entries_compare(e, k, k - 1) < 0) unsorted = k;
        if (!isfinite(e->values[k])) infinite = k;
    }
    /* Duplicates of unsorted entries are only searched where all indices are in range. */
    if (unsorted == NOWHERE || range == NOWHERE) duplicate = duplicate_entry(e);
    int64_t first = range;
    if (want & SPARCL_SORTED && unsorted < first) first = unsorted;
    if (want & SPARCL_UNIQUE && duplicate < first) first = duplicate;
    out->flags = SPARCL_VALID | (unsorted == NOWHERE ? SPARCL_SORTED : 0u) |
                 (duplicate == NOWHERE ? SPARCL_UNIQUE : 0u);
    if (first != NOWHERE && (first == range || !x->is_coo) && e->rank > 1 && x->is_coo) {
        int d = 0;
        while (e->indices[d][first] >= 0 && e->indices[d][first] < e->shape[d])
            ++d;
        snprintf(out->message, sizeof out->message, "validate: A.indices[%d][%" PRId64 "] is ", d,
                 first);
    } else if (first != NOWHERE && (first == range || !x->is_coo)) {
        snprintf(out->message, sizeof out->message, "validate: A.indices[%" PRId64 "] is ", first);
    } else if (first != NOWHERE) {
        snprintf(out->message, sizeof out->message, "validate: entry %" PRId64 " of A is ", first);
    } else if (want & SPARCL_FINITE && infinite != NOWHERE) {
        snprintf(out->message, sizeof out->message, "validate: A.values[%" PRId64 "] is ",
                 infinite);
    }
    if (out->message[0]) out->flags = 0;
}

/* --- the call --------------------------------------------------------------------------------- */

/* What it refuses is a result. */
static sparcl_status call(sparcl_ctx *ctx, void *made, int number) {
    state *const x = made;
    (void)number;
    x->status = !x->is_coo   ? x->is_csc ? sparcl_csc_validate(ctx, &x->csc, x->want)
                                         : sparcl_csr_validate(ctx, &x->csr, x->want)
                  : x->is_list ? sparcl_list_validate(ctx, &x->list, x->want)
                             : sparcl_coo_validate(ctx, &x->coo, x->want);
    return x->status == SPARCL_E_DATA ? SPARCL_OK : x->status;
}

static uint32_t flags_of(const state *x) {
    if (x->is_coo) return x->is_list ? sparcl_list_flags(&x->list) : sparcl_coo_flags(&x->coo);
    return x->is_csc ? sparcl_csc_flags(&x->csc) : sparcl_csr_flags(&x->csr);
}

/* Also the beginning of the message, character by character. */
static void expect(spec_test *t) {
    const state *const x = t->state;
    spec_report *const report = t->report;
    answer expected;
    find_answer(x, x->want, &expected);
    const char *const message = x->status == SPARCL_OK ? "" : sparcl_ctx_error(t->ctx)->message;
    const sparcl_status right = expected.message[0] ? SPARCL_E_DATA : SPARCL_OK;
    const int64_t got[] = {x->status, flags_of(x)}, order[] = {right, expected.flags};
    spec_compare_ints(report, "status and flags", got, order, 2);
    for (size_t i = 0; expected.message[i]; ++i) {
        const int64_t character = i < strlen(message) ? message[i] : 0,
                      letter = expected.message[i];
        spec_compare_ints(report, "character", &character, &letter, 1);
    }
    if (report->equal) return;
    snprintf(report->why, sizeof report->why,
             "%s with flags %u, expected %s with flags %u; expected \"%s\", the message is: %.200s",
             sparcl_status_name(x->status), flags_of(x), sparcl_status_name(right), expected.flags,
             expected.message, message);
}

const spec_op spec_validate = {.name = "validate",
                               .get_case = get_case,
                               .state_size = sizeof(state),
                               .make = make,
                               .call = call,
                               .expect = expect};
