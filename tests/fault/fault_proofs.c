/* fault_proofs.c: scenarios of operations, whose results are not marked as proven where they fail.
 */
#include <string.h>

#include "base/macros.h"
#include "fault.h"

/* One matrix of 2 x 3 in all formats, and buffers for the results. */
typedef struct results {
    sparcl_buf *ints, *reals, *made[12];
    sparcl_csr csr, to_csr;
    sparcl_csc to_csc;
    sparcl_coo coo, to_coo, sorted;
    sparcl_rows rows, summed, product;
    sparcl_pattern *pattern;
} results;

enum { OFFSETS_AT = 0, ROWS_AT = 3, COLUMNS_AT = 7, ENTRIES = 4, WIDE = 3 };

static sparcl_status make_results(sparcl_ctx *ctx, results *r) {
    static const int32_t ints[] = {0, 2, 4, 0, 0, 1, 1, 0, 2, 0, 1};
    static const float reals[ENTRIES * WIDE] = {1, 2, 3, 4, 5, 6};
    const sparcl_proof trust = {.flags = SPARCL_TRUSTED};
    SPC_TRY(sparcl_buf_upload(ctx, &r->ints, ints, sizeof ints));
    SPC_TRY(sparcl_buf_upload(ctx, &r->reals, reals, sizeof reals));
    for (size_t i = 0; i < sizeof r->made / sizeof *r->made; ++i)
        SPC_TRY(sparcl_buf_create(ctx, &r->made[i], 64));
    r->csr = (sparcl_csr){.rows = 2, .cols = WIDE, .nnz = ENTRIES, .offsets = r->ints};
    r->csr.indices = r->ints;
    r->csr.indices_at = COLUMNS_AT;
    r->csr.values = r->reals;
    r->csr.proof = trust;
    r->coo = (sparcl_coo){.rank = 2, .shape = {2, WIDE}, .nnz = ENTRIES, .values = r->reals};
    r->coo.indices[0] = r->coo.indices[1] = r->ints;
    r->coo.indices_at[0] = ROWS_AT;
    r->coo.indices_at[1] = COLUMNS_AT;
    r->coo.proof = trust;
    r->rows = (sparcl_rows){.rank = 2, .shape = {WIDE, WIDE}, .nnr = ENTRIES, .values = r->reals};
    r->rows.indices = r->ints;
    r->rows.indices_at = COLUMNS_AT;
    r->rows.proof = trust;
    return sparcl_pattern_create(ctx, &r->pattern);
}

/* The same views on other buffers, unproven. */
static void place_results(results *r) {
    sparcl_buf *const *made = r->made;
    r->to_csr = (sparcl_csr){.rows = 2, .cols = WIDE, .nnz = ENTRIES, .offsets = made[0]};
    r->to_csr.indices = made[1];
    r->to_csr.values = made[2];
    r->to_csc = (sparcl_csc){.rows = 2, .cols = WIDE, .nnz = ENTRIES, .offsets = made[3]};
    r->to_csc.indices = made[4];
    r->to_csc.values = made[5];
    r->to_coo = (sparcl_coo){.rank = 2, .shape = {2, WIDE}, .nnz = ENTRIES, .values = made[8]};
    r->to_coo.indices[0] = made[6];
    r->to_coo.indices[1] = made[7];
    r->to_coo.count = made[9];
    r->sorted = r->to_coo;
    r->summed = (sparcl_rows){.rank = 2, .shape = {WIDE, WIDE}, .nnr = ENTRIES};
    r->summed.indices = made[6];
    r->summed.values = made[8];
    r->summed.count = made[10];
    r->product = r->summed;
}

/* What a failed call has left is not marked as proven. */
static void check_unproven(sparcl_status status, const char *name, uint32_t flags) {
    if (status != SPARCL_OK && flags != 0)
        fault_found("proofs", "a failed call has marked its result", name);
}

#define PROVE(name, call, flags)                                                                   \
    do {                                                                                           \
        status = (call);                                                                           \
        check_unproven(status, name, flags);                                                       \
        if (status != SPARCL_OK) goto done;                                                        \
    } while (0)

sparcl_status fault_proofs(sparcl_ctx *ctx, sparcl_error *error) {
    results r = {0};
    sparcl_rows columns;
    sparcl_status status = SPARCL_OK;
    (void)error;
    SPC_GO(make_results(ctx, &r));
    const sparcl_dense b = {.rank = 2, .shape = {2, WIDE}, .values = r.reals};
    place_results(&r);
    PROVE("rows_coalesce", sparcl_rows_coalesce(ctx, &r.summed, &r.rows, SPARCL_SUM, NULL),
          sparcl_rows_flags(&r.summed));
    PROVE("coo_to_csr", sparcl_coo_to_csr(ctx, &r.to_csr, &r.coo), sparcl_csr_flags(&r.to_csr));
    PROVE("csr_to_csc", sparcl_csr_to_csc(ctx, &r.to_csc, &r.csr), sparcl_csc_flags(&r.to_csc));
    PROVE("csr_to_coo", sparcl_csr_to_coo(ctx, &r.to_coo, &r.csr), sparcl_coo_flags(&r.to_coo));
    PROVE("coo_sort", sparcl_coo_sort(ctx, &r.sorted, &r.coo, NULL, 0),
          sparcl_coo_flags(&r.sorted));
    r.sorted.proof = (sparcl_proof){0};
    PROVE("coo_coalesce", sparcl_coo_coalesce(ctx, &r.sorted, &r.coo, SPARCL_SUM, NULL),
          sparcl_coo_flags(&r.sorted));
    PROVE("spmm_t_rows", sparcl_spmm_t_rows(ctx, &r.product, 1, &r.csr, &b, NULL),
          sparcl_rows_flags(&r.product));
    PROVE("pattern", sparcl_pattern_build(ctx, r.pattern, &r.csr),
          (columns = sparcl_pattern_columns(r.pattern), sparcl_rows_flags(&columns)));
done:
    sparcl_pattern_free(r.pattern);
    sparcl_buf_free(r.ints);
    sparcl_buf_free(r.reals);
    for (size_t i = 0; i < sizeof r.made / sizeof *r.made; ++i)
        sparcl_buf_free(r.made[i]);
    return status;
}

/* --- one scenario for each family of operations ---------------------------------------------- */

enum { SIDE = 3, STORED = 5, CAPACITY = 12 };

/* A matrix of 3 x 3 in two formats, its dense form, a list, and places for results. */
typedef struct stock {
    sparcl_csr a, c, d;
    sparcl_coo from, to;
    sparcl_rows rows;
    sparcl_bsr blocks;
    sparcl_dense x, y;
    sparcl_list list;
} stock;

static sparcl_status make_stock(sparcl_ctx *ctx, stock *s) {
    static const int32_t offsets[] = {0, 2, 3, 5}, columns[] = {0, 2, 1, 0, 2}, ids[] = {2, 0, 2};
    static const int32_t rows[] = {0, 0, 1, 2, 2};
    static const float values[] = {1, 2, 3, 4, 5}, dense[] = {1, 0, 2, 0, 3, 0, 4, 0, 5};
    const void *const indices[] = {rows, columns};
    s->a = (sparcl_csr){.rows = SIDE, .cols = SIDE, .nnz = STORED};
    s->c = s->d = (sparcl_csr){.rows = SIDE, .cols = SIDE, .nnz = CAPACITY};
    s->from = (sparcl_coo){.rank = 2, .shape = {SIDE, SIDE}, .nnz = STORED};
    s->to = (sparcl_coo){.rank = 2, .shape = {SIDE, SIDE}, .nnz = CAPACITY};
    s->rows = (sparcl_rows){.rank = 2, .shape = {SIDE, SIDE}, .nnr = SIDE};
    s->blocks = (sparcl_bsr){SIDE, SIDE, SIDE, 1, .nnzb = SIDE};
    s->x = s->y = (sparcl_dense){.rank = 2, .shape = {SIDE, SIDE}};
    s->list = (sparcl_list){.count = SIDE, .limit = SIDE};
    SPC_TRY(sparcl_csr_upload(ctx, &s->a, offsets, columns, values, SPARCL_UNIQUE));
    SPC_TRY(sparcl_csr_create(ctx, &s->c));
    SPC_TRY(sparcl_csr_create(ctx, &s->d));
    SPC_TRY(sparcl_coo_upload(ctx, &s->from, indices, values, 0));
    SPC_TRY(sparcl_coo_create(ctx, &s->to));
    SPC_TRY(sparcl_rows_create(ctx, &s->rows));
    SPC_TRY(sparcl_bsr_create(ctx, &s->blocks));
    SPC_TRY(sparcl_dense_upload(ctx, &s->x, dense));
    SPC_TRY(sparcl_dense_zeros(ctx, &s->y));
    return sparcl_list_upload(ctx, &s->list, ids, 0);
}

static void free_stock(stock *s) {
    sparcl_csr_free(&s->a);
    sparcl_csr_free(&s->c);
    sparcl_csr_free(&s->d);
    sparcl_coo_free(&s->from);
    sparcl_coo_free(&s->to);
    sparcl_rows_free(&s->rows);
    sparcl_bsr_free(&s->blocks);
    sparcl_dense_free(&s->x);
    sparcl_dense_free(&s->y);
    sparcl_list_free(&s->list);
}

/* The result of a family is that of its last operation, written as a dense matrix. */
static sparcl_status check_result(sparcl_ctx *ctx, const sparcl_dense *y, const float *expected) {
    float got[SIDE * SIDE];
    SPC_TRY(sparcl_dense_read(ctx, y, got));
    return memcmp(got, expected, sizeof got) == 0 ? SPARCL_OK : SPARCL_E_DATA;
}

/* An operation with a CSR result, which is not marked where it fails. A result that was marked
 * before is not one of this call. */
#define PROVE_CSR(to, call)                                                                        \
    do {                                                                                           \
        (to)->proof = (sparcl_proof){.flags = 0};                                                  \
        PROVE(#call, call, sparcl_csr_flags(to));                                                  \
    } while (0)

sparcl_status fault_structure(sparcl_ctx *ctx, sparcl_error *error) {
    static const float expected[] = {1, 0, 4, 0, 3, 0, 2, 0, 5};
    stock s = {0};
    sparcl_status status = SPARCL_OK;
    (void)error;
    SPC_GO(make_stock(ctx, &s));
    PROVE_CSR(&s.c, sparcl_csr_slice_columns(ctx, &s.c, &s.a, 0, NULL));
    PROVE_CSR(&s.c, sparcl_csr_take_columns(ctx, &s.c, &s.a, &s.list, NULL));
    PROVE_CSR(&s.c, sparcl_csr_take_rows(ctx, &s.c, &s.a, &s.list, NULL));
    PROVE_CSR(&s.c, sparcl_csr_concat_columns(ctx, &s.c, &s.a, 1, NULL));
    PROVE_CSR(&s.c, sparcl_csr_block_diagonal(ctx, &s.c, &s.a, 1, NULL));
    PROVE_CSR(&s.c, sparcl_csr_reshape(ctx, &s.c, &s.a, NULL));
    PROVE_CSR(&s.c, sparcl_csr_fill_empty_rows(ctx, &s.c, &s.a, 1, NULL));
    PROVE_CSR(&s.c, sparcl_csr_transpose(ctx, &s.c, &s.a, NULL));
    PROVE_CSR(&s.d, sparcl_csr_sum_duplicates(ctx, &s.d, &s.c, NULL, 0));
    SPC_GO(sparcl_csr_to_dense(ctx, &s.y, &s.d));
    status = check_result(ctx, &s.y, expected);
done:
    free_stock(&s);
    return status;
}

#define PROVE_COO(to, call)                                                                        \
    do {                                                                                           \
        (to)->proof = (sparcl_proof){.flags = 0};                                                  \
        PROVE(#call, call, sparcl_coo_flags(to));                                                  \
    } while (0)

sparcl_status fault_arrays(sparcl_ctx *ctx, sparcl_error *error) {
    static const int axes[] = {1, 0};
    static const int64_t start[] = {0, 0};
    static const float expected[] = {1, 0, 4, 0, 3, 0, 2, 0, 5};
    stock s = {0};
    sparcl_status status = SPARCL_OK;
    (void)error;
    SPC_GO(make_stock(ctx, &s));
    PROVE_COO(&s.to, sparcl_coo_slice(ctx, &s.to, &s.from, start, NULL));
    PROVE_COO(&s.to, sparcl_coo_reshape(ctx, &s.to, &s.from));
    PROVE_COO(&s.to, sparcl_coo_concat(ctx, &s.to, &s.from, 1, 0, NULL));
    PROVE_COO(&s.to, sparcl_coo_fill_empty_rows(ctx, &s.to, &s.from, 1, NULL));
    PROVE_COO(&s.to, sparcl_coo_coalesce(ctx, &s.to, &s.from, SPARCL_MAX, NULL));
    PROVE_COO(&s.to, sparcl_coo_multiply(ctx, &s.to, &s.from, &s.from, NULL));
    PROVE_COO(&s.to, sparcl_coo_add(ctx, &s.to, 1, &s.from, 2, &s.from, NULL));
    PROVE_COO(&s.to, sparcl_coo_permute(ctx, &s.to, &s.from, axes, NULL));
    SPC_GO(sparcl_coo_to_dense(ctx, &s.y, &s.to));
    status = check_result(ctx, &s.y, expected);
done:
    free_stock(&s);
    return status;
}

sparcl_status fault_products(sparcl_ctx *ctx, sparcl_error *error) {
    static const float expected[] = {9, 0, 12, 0, 9, 0, 24, 0, 33};
    stock s = {0};
    sparcl_spgemm *plan = NULL;
    int64_t entries = 0;
    sparcl_status status = SPARCL_OK;
    (void)error;
    SPC_GO(make_stock(ctx, &s));
    SPC_GO(sparcl_sddmm(ctx, &(sparcl_dense){1, .shape = {STORED}, .values = s.c.values}, 1, &s.a,
                        &s.x, &s.x, 0));
    PROVE_CSR(&s.c, sparcl_csr_multiply(ctx, &s.c, &s.a, &s.a, NULL));
    PROVE_CSR(&s.c, sparcl_csr_add(ctx, &s.c, 1, &s.a, 2, &s.a, NULL));
    SPC_GO(sparcl_spgemm_create(ctx, &plan));
    SPC_GO(sparcl_spgemm_symbolic(ctx, plan, &s.a, &s.a));
    SPC_GO(sparcl_spgemm_entries(ctx, plan, &entries));
    PROVE_CSR(&s.d, sparcl_spgemm_numeric(ctx, plan, &s.d, &s.a, &s.a, NULL));
    SPC_GO(sparcl_csr_to_dense(ctx, &s.y, &s.d));
    status = entries == STORED ? check_result(ctx, &s.y, expected) : SPARCL_E_DATA;
done:
    sparcl_spgemm_free(plan);
    free_stock(&s);
    return status;
}

sparcl_status fault_conversions(sparcl_ctx *ctx, sparcl_error *error) {
    static const float expected[] = {1, 0, 2, 0, 3, 0, 4, 0, 5};
    stock s = {0};
    sparcl_status status = SPARCL_OK;
    (void)error;
    SPC_GO(make_stock(ctx, &s));
    PROVE_CSR(&s.c, sparcl_dense_to_csr(ctx, &s.c, &s.x, 0, NULL));
    PROVE_COO(&s.to, sparcl_dense_to_coo(ctx, &s.to, &s.x, 0, NULL));
    s.rows.proof = s.blocks.proof = (sparcl_proof){.flags = 0};
    PROVE("csr_to_rows", sparcl_csr_to_rows(ctx, &s.rows, &s.c, NULL), sparcl_rows_flags(&s.rows));
    PROVE("csr_to_bsr", sparcl_csr_to_bsr(ctx, &s.blocks, &s.c, NULL), sparcl_bsr_flags(&s.blocks));
    PROVE_CSR(&s.d, sparcl_rows_to_csr(ctx, &s.d, &s.rows, 0, NULL));
    PROVE_CSR(&s.c, sparcl_bsr_to_csr(ctx, &s.c, &s.blocks));
    PROVE_CSR(&s.d, sparcl_csr_prune(ctx, &s.d, &s.c, 0, NULL));
    SPC_GO(sparcl_csr_to_dense(ctx, &s.y, &s.d));
    status = check_result(ctx, &s.y, expected);
done:
    free_stock(&s);
    return status;
}

/* Embeddings, and the layers beside them. */
sparcl_status fault_bags(sparcl_ctx *ctx, sparcl_error *error) {
    static const float expected[] = {0, 3, 0, 0, 0, 0, 5, 0, 7}; /* of ids 2, 0, 2 */
    stock s = {0};
    sparcl_status status = SPARCL_OK;
    (void)error;
    SPC_GO(make_stock(ctx, &s));
    const sparcl_bags bags = {.bags = SIDE, .indices = s.list};
    SPC_GO(sparcl_layer_norm(ctx, &s.y, &s.x, NULL, NULL, 1, NULL, NULL));
    SPC_GO(sparcl_batch_norm(ctx, &s.y, &s.x, NULL, NULL, 1, NULL, NULL, 0, NULL, NULL));
    SPC_GO(sparcl_dropout(ctx, &s.y, &s.x, 0.5, 1, 2));
    SPC_GO(sparcl_embedding_bag(ctx, &s.y, &s.x, &bags, NULL, NULL, 0));
    PROVE_CSR(&s.c, sparcl_embedding_bag_matrix(ctx, &s.c, &bags, NULL, 0));
    s.rows.proof = (sparcl_proof){.flags = 0};
    PROVE("embedding_bag_gradient", sparcl_embedding_bag_gradient(ctx, &s.rows, &s.x, &bags, NULL),
          sparcl_rows_flags(&s.rows));
    SPC_GO(sparcl_rows_to_dense(ctx, &s.y, &s.rows));
    status = check_result(ctx, &s.y, expected);
done:
    free_stock(&s);
    return status;
}
