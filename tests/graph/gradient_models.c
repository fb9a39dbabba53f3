/* gradient_models.c: the models of gradients.h: their inputs, their parameters and their graphs. */
#include "gradients.h"

/* All cases, one family after the other. */
static const gradient_case *const families[] = {
    gradients_basic,       gradients_reductions,      gradients_conversions,
    gradients_elementwise, gradients_sparse_products, gradients_structure,
    gradients_layers,      gradients_row_sparse,      gradients_coo};

const gradient_case *case_at(int i) {
    for (size_t f = 0; f < COUNT(families); ++f)
        for (const gradient_case *c = families[f]; c->operation; ++c)
            if (i-- == 0) return c;
    return NULL;
}

/* --- inputs ----------------------------------------------------------------------------------- */

static sparcl_dense put_table(sparcl_ctx *ctx, int64_t rows, int64_t cols, sparcl_dtype dtype,
                              int seed) {
    sparcl_dense to = {.rank = cols ? 2 : 1, .dtype = dtype, .shape = {rows, cols}};
    const int64_t count = rows * (cols ? cols : 1);
    double *const values = must_have(calloc((size_t)count + 1, sizeof *values));
    for (int64_t k = 0; k < count; ++k)
        values[k] = (double)((k + seed) * 37 % 19 - 9) / 32;
    assert_ok(ctx, spec_put_reals(ctx, &to.values, values, count, dtype));
    free(values);
    return to;
}

static sparcl_list put_list(sparcl_ctx *ctx, int64_t count, sparcl_itype type, int seed) {
    sparcl_list list = {.limit = COLS, .count = count, .index_type = type};
    int64_t indices[INDICES];
    for (int64_t i = 0; i < count; ++i)
        indices[i] = (i * 7 + seed) % COLS;
    list.indices = put_ints(ctx, indices, count, type);
    assert_ok(ctx, sparcl_list_validate(ctx, &list, SPARCL_VALID));
    return list;
}

static sparcl_csr put_matrix(sparcl_ctx *ctx, spec_matrix *matrix, sparcl_dtype dtype,
                             sparcl_dtype rounded, sparcl_itype type) {
    sparcl_csr a;
    for (int64_t k = 0; k < matrix->nnz; ++k)
        matrix->values[k] = spec_store(rounded, matrix->values[k]);
    assert_ok(ctx, spec_put_csr(ctx, &a, matrix, dtype, type, type));
    return a;
}

inputs make_inputs(sparcl_ctx *ctx, const model *m, sparcl_dtype rounded, sparcl_itype type,
                   int classes) {
    const sparcl_dtype dtype = m->dtype;
    inputs in = {.y = {.rank = 1, .dtype = wide(m), .shape = {ROWS}}};
    double labels[ROWS];
    const int64_t ids[] = {3, 17, 3};
    assert_true(spec_matrix_make(&in.matrix, SPEC_UNIFORM, ROWS, COLS, ENTRIES, 3));
    in.x = put_matrix(ctx, &in.matrix, dtype, rounded, type);
    assert_true(spec_matrix_make(&in.square_matrix, SPEC_UNIFORM, COLS, COLS, 3 * COLS, 4));
    spec_matrix_unique(&in.square_matrix);
    in.square = put_matrix(ctx, &in.square_matrix, dtype, rounded, type);
    for (int64_t i = 0; i < ROWS; ++i)
        labels[i] = (double)(i * 7 % classes);
    assert_ok(ctx, spec_put_reals(ctx, &in.y.values, labels, ROWS, wide(m)));
    in.list = put_list(ctx, INDICES, type, 2);
    in.per_row = put_list(ctx, ROWS, SPARCL_INDEX32, 5);
    const sparcl_dense values = put_table(ctx, 3, WIDTH, dtype, 8);
    in.sparse = (sparcl_rows){.rank = 2,
                              .dtype = dtype,
                              .index_type = type,
                              .shape = {COLS, WIDTH},
                              .nnr = 3,
                              .indices = put_ints(ctx, ids, 3, type),
                              .values = values.values};
    assert_ok(ctx, sparcl_rows_validate(ctx, &in.sparse, SPARCL_VALID));
    return in;
}

void free_inputs(inputs *in) {
    spec_matrix_free(&in->matrix);
    spec_matrix_free(&in->square_matrix);
    sparcl_csr_free(&in->x);
    sparcl_csr_free(&in->square);
    sparcl_dense_free(&in->y);
    sparcl_list_free(&in->list);
    sparcl_list_free(&in->per_row);
    sparcl_rows_free(&in->sparse);
}

/* --- graphs ----------------------------------------------------------------------------------- */

static model make(sparcl_ctx *ctx, const gradient_case *c, sparcl_dtype dtype, bool is_reference) {
    model m = {.dtype = dtype, .is_reference = is_reference};
    const int64_t shape[] = {COLS, WIDTH};
    assert_ok(ctx, sparcl_graph_create(ctx, &m.graph));
    sparcl_graph_set_dtype(m.graph, dtype);
    m.rows = sparcl_graph_dim(m.graph, "rows", ROWS + 3);
    m.entries = sparcl_graph_dim(m.graph, "entries", ENTRIES + 5);
    m.indices = sparcl_graph_dim(m.graph, "indices", INDICES + 2);
    m.x = sparcl_graph_csr(m.graph, "x", m.rows, COLS, m.entries);
    m.list = sparcl_graph_list(m.graph, "list", m.indices, COLS);
    m.per_row = sparcl_graph_list(m.graph, "per_row", m.rows, COLS);
    m.sparse = sparcl_graph_rows(m.graph, "sparse", 2, shape, 3);
    m.square = sparcl_graph_csr(m.graph, "square", COLS, COLS,
                                sparcl_graph_dim(m.graph, "square", 3 * COLS));
    sparcl_graph_set_dtype(m.graph, wide(&m));
    m.y = sparcl_graph_dense(m.graph, "y", 1, &m.rows);
    sparcl_graph_set_dtype(m.graph, dtype);
    m.result = c->build(&m);
    sparcl_graph_output(m.graph, m.result);
    assert_ok(ctx, sparcl_graph_backward(m.graph, m.result));
    for (int p = 0; p < m.count; ++p)
        sparcl_graph_output(m.graph, sparcl_graph_gradient(m.graph, m.parameters[p]));
    return m;
}

model make_model(sparcl_ctx *ctx, const gradient_case *c, sparcl_dtype dtype) {
    return make(ctx, c, dtype, false);
}

model make_reference(sparcl_ctx *ctx, const gradient_case *c) {
    return make(ctx, c, SPARCL_F32, true);
}

void bind_inputs(sparcl_ctx *ctx, const model *m, const inputs *in) {
    assert_ok(ctx, sparcl_graph_bind_csr(m->graph, m->x, &in->x));
    assert_ok(ctx, sparcl_graph_bind_dense(m->graph, m->y, &in->y));
    assert_ok(ctx, sparcl_graph_bind_list(m->graph, m->list, &in->list));
    assert_ok(ctx, sparcl_graph_bind_list(m->graph, m->per_row, &in->per_row));
    assert_ok(ctx, sparcl_graph_bind_rows(m->graph, m->sparse, &in->sparse));
    assert_ok(ctx, sparcl_graph_bind_csr(m->graph, m->square, &in->square));
}

void put_parameters(sparcl_ctx *ctx, const model *m) {
    for (int p = 0; p < m->count; ++p) {
        sparcl_dense to;
        assert_ok(ctx, sparcl_graph_value(m->graph, m->parameters[p], &to));
        sparcl_dense from =
            put_table(ctx, to.shape[0], to.rank == 2 ? to.shape[1] : 0, to.dtype, 11 * p);
        assert_ok(
            ctx, sparcl_buf_copy(ctx, to.values, 0, from.values, 0, sparcl_buf_bytes(from.values)));
        sparcl_dense_free(&from);
    }
}

int64_t parameter_size(sparcl_ctx *ctx, const model *m, int p) {
    sparcl_dense w;
    assert_ok(ctx, sparcl_graph_value(m->graph, m->parameters[p], &w));
    return w.shape[0] * (w.rank == 2 ? w.shape[1] : 1);
}

double *read_gradient(sparcl_ctx *ctx, const model *m, int p) {
    const int64_t count = parameter_size(ctx, m, p);
    const sparcl_node node = sparcl_graph_gradient(m->graph, m->parameters[p]);
    double *const all = must_have(calloc((size_t)count + 1, sizeof *all));
    sparcl_dense dense;
    sparcl_rows rows;
    int64_t stored = 0;
    if (sparcl_graph_value(m->graph, node, &dense) == SPARCL_OK) {
        assert_ok(ctx, spec_get_reals(ctx, dense.values, dense.values_at, count, dense.dtype, all));
        return all;
    }
    assert_ok(ctx, sparcl_graph_rows_value(m->graph, node, &rows));
    const int64_t width = rows.rank == 2 ? rows.shape[1] : 1;
    stored = int_at(ctx, rows.count, rows.count_at);
    assert_in_range(stored, 1, rows.shape[0]);
    int64_t *const ids = must_have(calloc((size_t)stored, sizeof *ids));
    double *const values = must_have(calloc((size_t)(stored * width), sizeof *values));
    assert_ok(ctx, spec_get_ints(ctx, rows.indices, rows.indices_at, stored, rows.index_type, ids));
    assert_ok(ctx,
              spec_get_reals(ctx, rows.values, rows.values_at, stored * width, rows.dtype, values));
    for (int64_t k = 0; k < stored; ++k) {
        assert_true(k == 0 || ids[k] > ids[k - 1]);
        memcpy(all + ids[k] * width, values + k * width, (size_t)width * sizeof *all);
    }
    free(values);
    free(ids);
    return all;
}
