/* csr_binary_gradient.c: gradients of sums and products of CSR matrices element by element. */
#include "launch/launch.h"
#include "ops/elements/csr_binary.h"

typedef spc_csr_gradients gradients;

static bool reads_sources(const gradients *s, const sparcl_dense *to) {
    return to || s->a;
}

static sparcl_status check_gradient(sparcl_ctx *ctx, const gradients *s, const char *to_name,
                                    const sparcl_dense *to, const sparcl_csr *operand) {
    if (!to) return SPARCL_OK;
    SPC_TRY(spc_check_entry_vector(ctx, s->name, to_name, to, operand ? operand->nnz : -1));
    SPC_TRY(spc_check_same_dtype(ctx, s->name, to_name, to->dtype, "G", s->g->dtype));
    return operand
               ? spc_check_same_dtype(ctx, s->name, "an operand", operand->dtype, "G", s->g->dtype)
               : SPARCL_OK;
}

static void add_positions(spc_spans *operands, const sparcl_buf *sources, int64_t at,
                          int64_t count) {
    operands->at[operands->count++] = spc_array_span(NULL, "the sources", sources, at, count, 8);
}

static void add_values(spc_spans *operands, const char *name, const sparcl_csr *a) {
    operands->at[operands->count++] = spc_array_span("values", name, a->values, a->values_at,
                                                     a->nnz, sparcl_dtype_size(a->dtype));
}

static sparcl_status check_gradients(sparcl_ctx *ctx, const gradients *s) {
    const sparcl_csr_sources *const from = s->sources;
    SPC_TRY(spc_check_csr_of(ctx, s->name, "C", s->c, SPC_FLOATS));
    const int64_t count = s->c->nnz;
    SPC_TRY(spc_check_entry_vector(ctx, s->name, "G", s->g, count));
    SPC_TRY(check_gradient(ctx, s, "ga", s->ga, s->a));
    SPC_TRY(check_gradient(ctx, s, "gb", s->gb, s->b));
    spc_spans operands = {.count = 1, .at = {spc_dense_span("G", s->g)}}, results = {.count = 0};
    if (reads_sources(s, s->ga)) {
        SPC_TRY(spc_check_buf(ctx, s->name, "the sources", from->a, from->a_at, count, 8));
        add_positions(&operands, from->a, from->a_at, count);
    }
    if (reads_sources(s, s->gb)) {
        SPC_TRY(spc_check_buf(ctx, s->name, "the sources", from->b, from->b_at, count, 8));
        add_positions(&operands, from->b, from->b_at, count);
    }
    if (s->a) add_values(&operands, "A", s->a);
    if (s->b) add_values(&operands, "B", s->b);
    if (s->ga) results.at[results.count++] = spc_dense_span("ga", s->ga);
    if (s->gb) results.at[results.count++] = spc_dense_span("gb", s->gb);
    SPC_TRY(spc_check_spans(ctx, s->name, &results, &operands));
    return spc_need_csr(ctx, s->name, "C", s->c, SPARCL_VALID);
}

static sparcl_status zero_vector(sparcl_ctx *ctx, const sparcl_dense *x) {
    const int64_t size = (int64_t)sparcl_dtype_size(x->dtype);
    return sparcl_buf_fill(ctx, x->values, x->values_at * size, x->shape[0] * size, 0);
}

/* Nothing is computed before both gradients are checked. */
sparcl_status spc_csr_combine_gradients(sparcl_ctx *ctx, const gradients *s) {
    const sparcl_dense absent = {.rank = 1}, *const ga = s->ga ? s->ga : &absent;
    const sparcl_dense *const gb = s->gb ? s->gb : &absent;
    const sparcl_csr none = {0}, *const a = s->a ? s->a : &none, *const b = s->b ? s->b : &none;
    spc_args list = {.count = 0};
    if (!s->sources) return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: sources is NULL", s->name);
    SPC_TRY(check_gradients(ctx, s));
    if (s->ga) SPC_TRY(zero_vector(ctx, s->ga));
    if (s->gb) SPC_TRY(zero_vector(ctx, s->gb));
    if (s->c->nnz == 0) return SPARCL_OK;
    spc_args_add_array(&list, SPC_IN(s->c->offsets), s->c->offsets_at);
    spc_args_add(&list, SPC_I64(s->c->rows));
    spc_args_add(&list, SPC_I64(s->c->nnz));
    spc_args_add_array(&list, SPC_IN(s->g->values), s->g->values_at);
    spc_args_add_array(&list, SPC_IN(s->sources->a), s->sources->a_at);
    spc_args_add_array(&list, SPC_IN(s->sources->b), s->sources->b_at);
    spc_args_add(&list, SPC_REAL(s->g->dtype, s->alpha));
    spc_args_add(&list, SPC_REAL(s->g->dtype, s->beta));
    spc_args_add_array(&list, SPC_IN(a->values), a->values_at);
    spc_args_add_array(&list, SPC_IN(b->values), b->values_at);
    spc_args_add(&list, SPC_I32(s->a != NULL));
    spc_args_add_array(&list, SPC_OUT(ga->values), ga->values_at);
    spc_args_add_array(&list, SPC_OUT(gb->values), gb->values_at);
    return spc_launch(ctx, SPC_CSR_BINARY,
                      spc_options(s->g->dtype, s->c->offset_type, SPARCL_INDEX32), "scatter_pair",
                      spc_range_each(ctx, s->c->nnz), list.at, list.count);
}

sparcl_status sparcl_csr_add_gradient(sparcl_ctx *ctx, const sparcl_dense *ga,
                                      const sparcl_dense *gb, double alpha, double beta,
                                      const sparcl_dense *g, const sparcl_csr *c,
                                      const sparcl_csr_sources *sources) {
    const gradients s = {"csr_add_gradient", ga, gb, g, c, sources, alpha, beta, NULL, NULL};
    return spc_csr_combine_gradients(ctx, &s);
}

sparcl_status sparcl_csr_multiply_gradient(sparcl_ctx *ctx, const sparcl_dense *ga,
                                           const sparcl_dense *gb, const sparcl_dense *g,
                                           const sparcl_csr *c, const sparcl_csr *a,
                                           const sparcl_csr *b, const sparcl_csr_sources *sources) {
    const gradients s = {"csr_multiply_gradient", ga, gb, g, c, sources, 1, 1, a, b};
    SPC_TRY(spc_check_csr_of(ctx, s.name, "A", a, SPC_FLOATS));
    SPC_TRY(spc_check_csr_of(ctx, s.name, "B", b, SPC_FLOATS));
    return spc_csr_combine_gradients(ctx, &s);
}
