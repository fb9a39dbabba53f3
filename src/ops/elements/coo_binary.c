/* coo_binary.c: sums and products of COO arrays of any rank element by element: those of CSR
 * matrices of one row, whose columns are the positions of entries in row-major order. */
#include "launch/launch.h"
#include "ops/elements/csr_binary.h"
#include "ops/shared/coo_positions.h"
#include "ops/shared/pair.h"
#include "sparcl/ops/elements.h"

/* The operation, and its operands as they are given. */
typedef struct arrays {
    sparcl_coo *c;
    const sparcl_coo *a, *b;
    spc_csr_binary job;
} arrays;

/* --- checks ----------------------------------------------------------------------------------- */

static sparcl_status check_same(sparcl_ctx *ctx, const char *op, const char *name,
                                const sparcl_coo *x, const sparcl_coo *a) {
    SPC_TRY(spc_check_same_shape(ctx, op, name, x->rank, x->shape, "A", a->rank, a->shape));
    SPC_TRY(spc_check_same_dtype(ctx, op, name, x->dtype, "A", a->dtype));
    return spc_check_same_itype(ctx, op, name, x->index_type, "A", a->index_type);
}

/* C, the needed count and sources do not overlap an operand or one another. */
static sparcl_status check_overlap(sparcl_ctx *ctx, const arrays *s) {
    const spc_csr_binary *const j = &s->job;
    const spc_spans a = spc_coo_spans("A", s->a), b = spc_coo_spans("B", s->b);
    spc_spans results = spc_coo_spans("C", s->c);
    SPC_TRY(spc_check_sources(ctx, j->name, j->sources, s->c->nnz, &results));
    SPC_TRY(spc_check_spans(ctx, j->name, &results, &a));
    return spc_check_spans(ctx, j->name, &results, &b);
}

static sparcl_status check(sparcl_ctx *ctx, const arrays *s, int64_t *elements) {
    const char *const op = s->job.name;
    const uint32_t need = SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE;
    SPC_TRY(spc_check_coo_of(ctx, op, "C", s->c, SPC_FLOATS));
    SPC_TRY(spc_check_coo_of(ctx, op, "A", s->a, SPC_FLOATS));
    SPC_TRY(spc_check_coo_of(ctx, op, "B", s->b, SPC_FLOATS));
    SPC_TRY(check_same(ctx, op, "B", s->b, s->a));
    SPC_TRY(check_same(ctx, op, "C", s->c, s->a));
    if (!s->c->count)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "%s: C has no count, expected one", op);
    if (!spc_coo_elements(s->a, elements))
        return spc_ctx_fail(ctx, SPARCL_E_UNSUPPORTED,
                            "%s: an array of more than 2^63 - 1 elements; positions in it do not "
                            "fit in 64 bits",
                            op);
    SPC_TRY(check_overlap(ctx, s));
    SPC_TRY(spc_need_coo(ctx, op, "A", s->a, need));
    return spc_need_coo(ctx, op, "B", s->b, need);
}

/* --- rows of one matrix ----------------------------------------------------------------------- */

/* An array as a matrix of one row, without its columns. */
static sparcl_csr as_row(const sparcl_coo *a, int64_t elements, sparcl_buf *offsets,
                         sparcl_buf *columns) {
    return (sparcl_csr){.rows = 1,
                        .cols = elements,
                        .nnz = a->nnz,
                        .dtype = a->dtype,
                        .offset_type = SPARCL_INDEX64,
                        .index_type = SPARCL_INDEX64,
                        .offsets = offsets,
                        .indices = columns,
                        .values = a->values,
                        .values_at = a->values_at,
                        .proof = {.flags = SPARCL_TRUSTED | SPARCL_SORTED | SPARCL_UNIQUE}};
}

/* The offsets 0 and the number of entries; `none` says that there are none. */
static sparcl_status push_offsets(sparcl_ctx *ctx, const sparcl_coo *a, bool none,
                                  sparcl_buf **offsets) {
    SPC_TRY(spc_scratch_push(ctx, offsets, 2, sizeof(int64_t)));
    SPC_TRY(sparcl_buf_fill(ctx, *offsets, 0, 2 * (int64_t)sizeof(int64_t), 0));
    return none ? SPARCL_OK : spc_write_count(ctx, *offsets, 1, spc_coo_items(a));
}

static sparcl_status push_row(sparcl_ctx *ctx, const sparcl_coo *a, int64_t elements,
                              bool is_result, sparcl_csr *row) {
    const bool none = is_result || elements == 0 || a->nnz == 0;
    sparcl_buf *offsets = NULL, *columns = NULL;
    SPC_TRY(push_offsets(ctx, a, none, &offsets));
    SPC_TRY(spc_scratch_push(ctx, &columns, a->nnz, sizeof(int64_t)));
    if (!none) SPC_TRY(spc_coo_linearize(ctx, a, columns));
    *row = as_row(a, elements, offsets, columns);
    return SPARCL_OK;
}

static sparcl_status combine(sparcl_ctx *ctx, const arrays *s, int64_t elements) {
    spc_csr_binary job = s->job;
    sparcl_csr a, b, c;
    SPC_TRY(push_row(ctx, s->a, elements, false, &a));
    SPC_TRY(push_row(ctx, s->b, elements, false, &b));
    SPC_TRY(push_row(ctx, s->c, elements, true, &c));
    job.a = &a;
    job.b = &b;
    job.c = &c;
    job.by_entries = true;
    SPC_TRY(spc_csr_combine(ctx, &job));
    const spc_items items = {s->c->nnz, c.offsets, 1};
    SPC_TRY(spc_write_count(ctx, s->c->count, s->c->count_at, items));
    if (elements == 0 || s->c->nnz == 0) return SPARCL_OK;
    return spc_coo_delinearize(ctx, s->c, items, c.indices);
}

static sparcl_status compute(sparcl_ctx *ctx, const arrays *s) {
    int64_t elements = 0;
    SPC_TRY(check(ctx, s, &elements));
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = combine(ctx, s, elements);
    spc_scratch_release(ctx, mark);
    if (status == SPARCL_OK) spc_prove_coo(s->c, SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE);
    return status;
}

sparcl_status sparcl_coo_add(sparcl_ctx *ctx, sparcl_coo *c, double alpha, const sparcl_coo *a,
                             double beta, const sparcl_coo *b, const sparcl_csr_sources *sources) {
    const arrays s = {
        c, a, b, {.name = "coo_add", .alpha = alpha, .beta = beta, .sources = sources}};
    return compute(ctx, &s);
}

sparcl_status sparcl_coo_multiply(sparcl_ctx *ctx, sparcl_coo *c, const sparcl_coo *a,
                                  const sparcl_coo *b, const sparcl_csr_sources *sources) {
    const arrays s = {
        c,
        a,
        b,
        {.name = "coo_multiply", .is_product = true, .alpha = 1, .beta = 1, .sources = sources}};
    return compute(ctx, &s);
}

/* --- gradients -------------------------------------------------------------------------------- */

/* Of columns, only the buffer is checked. */
static sparcl_csr with_first_indices(const sparcl_coo *a, sparcl_buf *offsets) {
    sparcl_csr row = as_row(a, a->shape[0], offsets, a->indices[0]);
    row.indices_at = a->indices_at[0];
    row.index_type = a->index_type;
    return row;
}

/* A and B only of a product. */
static sparcl_status combine_gradients(sparcl_ctx *ctx, spc_csr_gradients job, const sparcl_coo *c,
                                       const sparcl_coo *a, const sparcl_coo *b) {
    sparcl_csr rows[3];
    sparcl_buf *offsets = NULL;
    SPC_TRY(spc_check_coo_of(ctx, job.name, "C", c, SPC_FLOATS));
    if (a) SPC_TRY(spc_check_coo_of(ctx, job.name, "A", a, SPC_FLOATS));
    if (b) SPC_TRY(spc_check_coo_of(ctx, job.name, "B", b, SPC_FLOATS));
    SPC_TRY(spc_need_coo(ctx, job.name, "C", c, SPARCL_VALID));
    const int mark = spc_scratch_mark(ctx);
    sparcl_status status = push_offsets(ctx, c, false, &offsets);
    rows[0] = with_first_indices(c, offsets);
    job.c = &rows[0];
    if (a && b) {
        rows[1] = with_first_indices(a, offsets);
        rows[2] = with_first_indices(b, offsets);
        job.a = &rows[1];
        job.b = &rows[2];
    }
    if (status == SPARCL_OK) status = spc_csr_combine_gradients(ctx, &job);
    spc_scratch_release(ctx, mark);
    return status;
}

sparcl_status sparcl_coo_add_gradient(sparcl_ctx *ctx, const sparcl_dense *ga,
                                      const sparcl_dense *gb, double alpha, double beta,
                                      const sparcl_dense *g, const sparcl_coo *c,
                                      const sparcl_csr_sources *sources) {
    const spc_csr_gradients job = {.name = "coo_add_gradient",
                                   .ga = ga,
                                   .gb = gb,
                                   .g = g,
                                   .sources = sources,
                                   .alpha = alpha,
                                   .beta = beta};
    return combine_gradients(ctx, job, c, NULL, NULL);
}

sparcl_status sparcl_coo_multiply_gradient(sparcl_ctx *ctx, const sparcl_dense *ga,
                                           const sparcl_dense *gb, const sparcl_dense *g,
                                           const sparcl_coo *c, const sparcl_coo *a,
                                           const sparcl_coo *b, const sparcl_csr_sources *sources) {
    const spc_csr_gradients job = {.name = "coo_multiply_gradient",
                                   .ga = ga,
                                   .gb = gb,
                                   .g = g,
                                   .sources = sources,
                                   .alpha = 1,
                                   .beta = 1};
    SPC_TRY(spc_check_coo_of(ctx, job.name, "A", a, SPC_FLOATS));
    SPC_TRY(spc_check_coo_of(ctx, job.name, "B", b, SPC_FLOATS));
    return combine_gradients(ctx, job, c, a, b);
}
