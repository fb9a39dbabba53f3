/* matmul.c: the product of two matrices in any formats, by the products that there are. */
#include "sparcl/ops.h"

#include "launch/scratch.h"
#include "ops/products/bsr_product.h"
#include "ops/shared/check.h"
#include "ops/shared/csr_parts.h"
#include "ops/shared/match.h"

static const char *const formats[] = {"dense", "csr", "csc", "coo", "row-sparse", "bsr"};

/* The arguments, and the sparse operand as a CSR matrix that is multiplied with B, or as blocks
 * until it is needed as one. */
typedef struct product {
    sparcl_matrix *c;
    double alpha, beta;
    sparcl_op op;
    sparcl_csr a;
    const sparcl_bsr *blocks; /* or NULL */
    sparcl_pattern *pattern;
} product;

static sparcl_op flip(sparcl_op op) {
    return op == SPARCL_OP_N ? SPARCL_OP_T : SPARCL_OP_N;
}

static bool is_sparse(const sparcl_matrix *x) {
    return x->format == SPARCL_FORMAT_CSR || x->format == SPARCL_FORMAT_CSC ||
           x->format == SPARCL_FORMAT_COO || x->format == SPARCL_FORMAT_BSR;
}

static sparcl_status check_arguments(sparcl_ctx *ctx, const sparcl_matrix *c, sparcl_op op_a,
                                     const sparcl_matrix *a, sparcl_op op_b,
                                     const sparcl_matrix *b) {
    const sparcl_matrix *const views[] = {c, a, b};
    static const char *const names[] = {"C", "A", "B"};
    if (!ctx) return SPARCL_E_ARG;
    for (size_t i = 0; i < SPC_COUNT(views); ++i) {
        if (!views[i]) return spc_ctx_fail(ctx, SPARCL_E_ARG, "matmul: %s is NULL", names[i]);
        if ((unsigned)views[i]->format >= SPC_COUNT(formats))
            return spc_ctx_fail(ctx, SPARCL_E_ARG,
                                "matmul: the format of %s is %d, expected 0 to 5", names[i],
                                (int)views[i]->format);
    }
    if ((op_a != SPARCL_OP_N && op_a != SPARCL_OP_T) ||
        (op_b != SPARCL_OP_N && op_b != SPARCL_OP_T))
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "matmul: op of A is %d and of B %d, expected N or T",
                            (int)op_a, (int)op_b);
    return SPARCL_OK;
}

static sparcl_status fail_formats(sparcl_ctx *ctx, const sparcl_matrix *c, const sparcl_matrix *a,
                                  const sparcl_matrix *b) {
    const bool both = is_sparse(a) && is_sparse(b);
    return spc_ctx_fail(ctx, SPARCL_E_UNSUPPORTED, "matmul: A is %s, B %s and C %s, %s",
                        formats[a->format], formats[b->format], formats[c->format],
                        both ? "expected one of A and B to be dense (sparcl_spgemm multiplies two "
                               "sparse matrices)"
                             : "which is not in the table of ops/products.h; convert one of them");
}

/* Only offsets are new. */
static sparcl_status sorted_to_csr(sparcl_ctx *ctx, const sparcl_coo *from, sparcl_csr *to) {
    const spc_sorted_ids rows = {from->indices[0], from->indices_at[0], from->index_type};
    SPC_TRY(spc_scratch_push(ctx, &to->offsets, to->rows + 1, sparcl_itype_size(to->offset_type)));
    to->indices = from->indices[1];
    to->indices_at = from->indices_at[1];
    to->values = from->values;
    to->values_at = from->values_at;
    to->proof.flags = SPARCL_TRUSTED | (sparcl_coo_flags(from) & (SPARCL_SORTED | SPARCL_UNIQUE));
    return spc_write_offsets(ctx, to->offsets, 0, to->offset_type, &rows, to->rows,
                             spc_coo_items(from));
}

static sparcl_status coo_to_csr(sparcl_ctx *ctx, const sparcl_coo *from, sparcl_csr *to) {
    SPC_TRY(spc_check_coo_of(ctx, "matmul", "the coo matrix", from, SPC_FLOATS));
    if (from->rank != 2)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "matmul: the coo matrix has rank %d, expected 2",
                            from->rank);
    *to = (sparcl_csr){.rows = from->shape[0],
                       .cols = from->shape[1],
                       .nnz = from->nnz,
                       .dtype = from->dtype,
                       .offset_type = from->nnz > INT32_MAX ? SPARCL_INDEX64 : SPARCL_INDEX32,
                       .index_type = from->index_type};
    SPC_TRY(spc_need_coo(ctx, "matmul", "the coo matrix", from, SPARCL_VALID));
    if (sparcl_coo_flags(from) & SPARCL_SORTED) return sorted_to_csr(ctx, from, to);
    SPC_TRY(spc_csr_push(ctx, to));
    return sparcl_coo_to_csr(ctx, to, from);
}

static sparcl_status check_bsr(sparcl_ctx *ctx, const sparcl_bsr *x) {
    SPC_TRY(spc_check_bsr_of(ctx, "matmul", "the bsr matrix", x, SPC_FLOATS));
    return spc_need_bsr(ctx, "matmul", "the bsr matrix", x, SPARCL_VALID);
}

static sparcl_status need_csr(sparcl_ctx *ctx, product *p) {
    const sparcl_bsr *const from = p->blocks;
    if (!from) return SPARCL_OK;
    const int64_t nnz = spc_bsr_count(from);
    p->a = (sparcl_csr){.rows = from->rows,
                        .cols = from->cols,
                        .nnz = nnz,
                        .dtype = from->dtype,
                        .offset_type = nnz > INT32_MAX ? SPARCL_INDEX64 : SPARCL_INDEX32,
                        .index_type = from->cols > INT32_MAX ? SPARCL_INDEX64 : from->index_type};
    p->blocks = NULL;
    SPC_TRY(spc_csr_push(ctx, &p->a));
    return sparcl_bsr_to_csr(ctx, &p->a, from);
}

/* p->op, and p->a or p->blocks for a sparse operand. */
static sparcl_status set_sparse(sparcl_ctx *ctx, product *p, sparcl_op op, const sparcl_matrix *x) {
    p->op = op;
    if (x->format == SPARCL_FORMAT_CSR) p->a = x->as.csr;
    if (x->format == SPARCL_FORMAT_COO) return coo_to_csr(ctx, &x->as.coo, &p->a);
    if (x->format == SPARCL_FORMAT_BSR) {
        p->blocks = &x->as.bsr;
        return check_bsr(ctx, p->blocks);
    }
    if (x->format != SPARCL_FORMAT_CSC) return SPARCL_OK;
    SPC_TRY(spc_check_csc_of(ctx, "matmul", "the csc matrix", &x->as.csc, SPC_FLOATS));
    SPC_TRY(spc_need_csc(ctx, "matmul", "the csc matrix", &x->as.csc, SPARCL_VALID));
    p->op = flip(op);
    p->a = spc_csc_transposed(&x->as.csc);
    p->a.proof = (sparcl_proof){.flags = SPARCL_TRUSTED | sparcl_csc_flags(&x->as.csc),
                                .longest_row = x->as.csc.proof.longest_row};
    return SPARCL_OK;
}

static sparcl_status check_rows_result(sparcl_ctx *ctx, const product *p) {
    if (p->op != SPARCL_OP_T)
        return spc_ctx_fail(ctx, SPARCL_E_UNSUPPORTED,
                            "matmul: C is row-sparse, expected dense: A is not transposed (a csc "
                            "matrix is, unless its transpose is used)");
    if (p->beta != 0)
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "matmul: C is row-sparse and beta is %g, expected 0",
                            p->beta);
    return SPARCL_OK;
}

/* C overlaps no array of the bsr matrix, also where its csr format is what is multiplied. */
static sparcl_status check_overlap(sparcl_ctx *ctx, const sparcl_matrix *c, const sparcl_bsr *a) {
    const spc_spans operands = spc_bsr_spans("the bsr matrix", a);
    spc_spans results = {.count = 1};
    if (c->format == SPARCL_FORMAT_ROWS) {
        SPC_TRY(spc_check_rows_of(ctx, "matmul", "C", &c->as.rows, SPC_FLOATS));
        results = spc_rows_spans("C", &c->as.rows);
    } else {
        SPC_TRY(spc_check_dense_of(ctx, "matmul", "C", &c->as.dense, SPC_FLOATS | SPC_ANY_ORDER));
        results.at[0] = spc_dense_span("C", &c->as.dense);
    }
    return spc_check_spans(ctx, "matmul", &results, &operands);
}

/* C := alpha * op(A) * B + beta * C. */
static sparcl_status multiply(sparcl_ctx *ctx, product *p, const sparcl_dense *b) {
    sparcl_matrix *const c = p->c;
    if (p->blocks) SPC_TRY(check_overlap(ctx, c, p->blocks));
    if (p->blocks && c->format == SPARCL_FORMAT_DENSE && p->op == SPARCL_OP_N &&
        spc_bsr_product_applies(ctx, p->blocks, &c->as.dense))
        return spc_bsr_product(ctx, &c->as.dense, p->alpha, p->blocks, b, p->beta);
    SPC_TRY(need_csr(ctx, p));
    if (c->format == SPARCL_FORMAT_ROWS) {
        SPC_TRY(check_rows_result(ctx, p));
        return sparcl_spmm_t_rows(ctx, &c->as.rows, p->alpha, &p->a, b, p->pattern);
    }
    return p->op == SPARCL_OP_N
               ? sparcl_spmm(ctx, &c->as.dense, p->alpha, &p->a, b, p->beta)
               : sparcl_spmm_t(ctx, &c->as.dense, p->alpha, &p->a, b, p->beta, p->pattern);
}

/* The transpose of a dense matrix is one in the other order. */
static sparcl_status transposed(sparcl_ctx *ctx, const char *name, const sparcl_dense *x,
                                sparcl_dense *to) {
    SPC_TRY(spc_check_dense_of(ctx, "matmul", name, x, SPC_FLOATS | SPC_ANY_ORDER));
    if (x->rank != 2)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "matmul: %s has rank %d, expected 2", name,
                            x->rank);
    *to = spc_dense_transposed(x);
    return SPARCL_OK;
}

static sparcl_status sparse_dense(sparcl_ctx *ctx, product *p, sparcl_op op_b,
                                  const sparcl_matrix *b) {
    sparcl_dense own = b->as.dense;
    if (op_b == SPARCL_OP_T) SPC_TRY(transposed(ctx, "B", &b->as.dense, &own));
    return multiply(ctx, p, &own);
}

/* The transpose of C is op(B)' op(A)', where the sparse matrix comes first. */
static sparcl_status dense_sparse(sparcl_ctx *ctx, product *p, sparcl_op op_a,
                                  const sparcl_matrix *a) {
    sparcl_dense own = a->as.dense;
    sparcl_matrix c = *p->c;
    if (op_a == SPARCL_OP_N) SPC_TRY(transposed(ctx, "A", &a->as.dense, &own));
    SPC_TRY(transposed(ctx, "C", &p->c->as.dense, &c.as.dense));
    p->op = flip(p->op);
    p->c = &c;
    return multiply(ctx, p, &own);
}

/* Each row once, in ascending order, in scratch memory. */
static sparcl_status coalesce(sparcl_ctx *ctx, const sparcl_rows *from, sparcl_rows *to) {
    const uint32_t both = SPARCL_SORTED | SPARCL_UNIQUE;
    const int64_t width = spc_shape_width(from->rank, from->shape);
    *to = *from;
    if ((sparcl_rows_flags(from) & both) == both) return SPARCL_OK;
    to->indices_at = to->values_at = to->count_at = 0;
    SPC_TRY(spc_scratch_push(ctx, &to->indices, to->nnr, sparcl_itype_size(to->index_type)));
    SPC_TRY(spc_scratch_push(ctx, &to->values, to->nnr * width, sparcl_dtype_size(to->dtype)));
    SPC_TRY(spc_scratch_push(ctx, &to->count, 1, sizeof(int64_t)));
    return sparcl_rows_coalesce(ctx, to, from, SPARCL_SUM, NULL);
}

static sparcl_status check_row_sparse(sparcl_ctx *ctx, const product *p, const sparcl_rows *r) {
    const int64_t inner = p->op == SPARCL_OP_N ? p->a.cols : p->a.rows;
    SPC_TRY(spc_check_rows_of(ctx, "matmul", "B", r, SPC_FLOATS));
    SPC_TRY(spc_need_rows(ctx, "matmul", "B", r, SPARCL_VALID));
    SPC_TRY(spc_check_csr_of(ctx, "matmul", "A", &p->a, SPC_FLOATS));
    SPC_TRY(spc_need_csr(ctx, "matmul", "A", &p->a, SPARCL_VALID));
    if (r->rank > 2 || r->shape[0] != inner)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "matmul: op(A) has %lld columns, B has rank %d and %lld rows, expected "
                            "rank 1 or 2 and as many",
                            (long long)inner, r->rank, (long long)r->shape[0]);
    return SPARCL_OK;
}

static sparcl_status sparse_rows(sparcl_ctx *ctx, product *p, const sparcl_matrix *b) {
    sparcl_rows r;
    if (p->blocks) SPC_TRY(check_overlap(ctx, p->c, p->blocks));
    SPC_TRY(need_csr(ctx, p));
    const sparcl_csr a = p->a;
    SPC_TRY(check_row_sparse(ctx, p, &b->as.rows));
    SPC_TRY(coalesce(ctx, &b->as.rows, &r));
    SPC_TRY(p->op == SPARCL_OP_N ? spc_match_columns(ctx, &p->a, &a, &r)
                                 : spc_match_rows(ctx, &p->a, &a, &r));
    p->pattern = NULL; /* it is that of another matrix */
    const sparcl_dense own = {.rank = r.rank,
                              .dtype = r.dtype,
                              .shape = {r.nnr, r.rank > 1 ? r.shape[1] : 0},
                              .values = r.values,
                              .values_at = r.values_at};
    return multiply(ctx, p, &own);
}

static sparcl_status choose(sparcl_ctx *ctx, product *p, sparcl_op op_a, const sparcl_matrix *a,
                            sparcl_op op_b, const sparcl_matrix *b) {
    const bool dense_c = p->c->format == SPARCL_FORMAT_DENSE;
    const bool any_c = dense_c || p->c->format == SPARCL_FORMAT_ROWS;
    if (is_sparse(a)) SPC_TRY(set_sparse(ctx, p, op_a, a));
    if (is_sparse(b)) SPC_TRY(set_sparse(ctx, p, op_b, b));
    if (any_c && is_sparse(a) && b->format == SPARCL_FORMAT_DENSE)
        return sparse_dense(ctx, p, op_b, b);
    if (any_c && is_sparse(a) && b->format == SPARCL_FORMAT_ROWS && op_b == SPARCL_OP_N)
        return sparse_rows(ctx, p, b);
    if (dense_c && a->format == SPARCL_FORMAT_DENSE && is_sparse(b))
        return dense_sparse(ctx, p, op_a, a);
    if (dense_c && a->format == SPARCL_FORMAT_DENSE && b->format == SPARCL_FORMAT_DENSE)
        return sparcl_gemm(ctx, &p->c->as.dense, p->alpha, op_a, &a->as.dense, op_b, &b->as.dense,
                           p->beta, SPARCL_MATH_EXACT);
    return fail_formats(ctx, p->c, a, b);
}

sparcl_status sparcl_matmul(sparcl_ctx *ctx, sparcl_matrix *c, double alpha, sparcl_op op_a,
                            const sparcl_matrix *a, sparcl_op op_b, const sparcl_matrix *b,
                            double beta, sparcl_pattern *pattern) {
    SPC_TRY(check_arguments(ctx, c, op_a, a, op_b, b));
    if (is_sparse(a) && is_sparse(b)) return fail_formats(ctx, c, a, b);
    product p = {.c = c, .alpha = alpha, .beta = beta, .pattern = pattern};
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = choose(ctx, &p, op_a, a, op_b, b);
    spc_scratch_release(ctx, mark);
    return status;
}
