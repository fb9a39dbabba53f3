/* sparse_network.c: inference of deep networks with sparse weights. */
#include "sparcl/apply.h"
#include "sparcl/ops.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/size.h"
#include "model/core.h"
#include "train/problem.h"

/* Elements of a block of rows, at most. */
enum { BLOCK_ELEMENTS = 1 << 24 };

/* The elements that are not 0, in CSR format. */
typedef struct entries {
    int64_t rows, count, capacity;
    int64_t *offsets, *columns;
    float *values;
} entries;

typedef struct inference {
    sparcl_ctx *ctx;
    const sparcl_sparse_network *network;
    sparcl_csr *layers; /* [count], on the device */
    int64_t widest, block;
    sparcl_dense now, next; /* [block, widest] */
    float *values;          /* a block on the host */
    entries found;
} inference;

/* --- checks ----------------------------------------------------------------------------------- */

static sparcl_status check_numbers(const sparcl_sparse_network *n, sparcl_error *error) {
    if (!n->layers || n->count < 1 || n->repeats < 1)
        return spc_fail(error, SPARCL_E_ARG,
                        "network: %d layers, %d times, expected at least 1 of both", n->count,
                        n->repeats);
    if (!(n->bias <= 0 && n->bias > -INFINITY && n->cap >= 0 && n->cap < INFINITY))
        return spc_fail(error, SPARCL_E_ARG,
                        "network: bias is %g and cap %g, expected a number up to 0 and one from 0",
                        n->bias, n->cap);
    for (int i = 0; i < n->count; ++i)
        if (!n->layers[i]) return spc_fail(error, SPARCL_E_ARG, "network: layer %d is NULL", i);
    return SPARCL_OK;
}

/* Layer i follows the inputs, or the layer before; the first one also the last. */
static sparcl_status check_layer(const inference *f, const sparcl_data *inputs, int i, bool again,
                                 sparcl_error *error) {
    const sparcl_sparse_network *const n = f->network;
    const sparcl_data *const before = i > 0   ? n->layers[i - 1]
                                      : again ? n->layers[n->count - 1]
                                              : inputs;
    const int64_t has = sparcl_data_get_info(n->layers[i])->rows;
    const int64_t needs = sparcl_data_get_info(before)->columns;
    if (has == needs) return SPARCL_OK;
    return spc_fail(
        error, SPARCL_E_FORMAT,
        "network: layer %d has %lld inputs, expected %lld, as many as what comes before "
        "has columns",
        i + 1, (long long)has, (long long)needs);
}

static sparcl_status check_layers(inference *f, const sparcl_data *inputs, sparcl_error *error) {
    const sparcl_sparse_network *const n = f->network;
    f->widest = sparcl_data_get_info(inputs)->columns;
    for (int i = 0; i < n->count; ++i) {
        SPC_TRY(check_layer(f, inputs, i, false, error));
        f->widest = spc_max_i64(f->widest, sparcl_data_get_info(n->layers[i])->columns);
    }
    return n->repeats > 1 ? check_layer(f, inputs, 0, true, error) : SPARCL_OK;
}

/* --- one block of rows ------------------------------------------------------------------------ */

static sparcl_status upload_block(inference *f, const sparcl_data *inputs, int64_t first,
                                  int64_t rows, sparcl_dense *to, sparcl_error *error) {
    const int64_t *const offsets = sparcl_data_offsets(inputs) + first;
    const sparcl_itype type = sparcl_data_index_type(inputs);
    const size_t at = (size_t)offsets[0];
    int64_t *const own = malloc(((size_t)rows + 1) * sizeof *own);
    if (!own) return spc_fail_memory(error, "rows", ((size_t)rows + 1) * sizeof *own);
    for (int64_t i = 0; i <= rows; ++i)
        own[i] = offsets[i] - offsets[0];
    sparcl_csr x = {.rows = rows,
                    .cols = sparcl_data_get_info(inputs)->columns,
                    .nnz = own[rows],
                    .offset_type = SPARCL_INDEX64,
                    .index_type = type};
    const char *const columns = sparcl_data_indices(inputs);
    sparcl_status status =
        sparcl_csr_upload(f->ctx, &x, own, columns + at * sparcl_itype_size(type),
                          sparcl_data_values(inputs) + at, SPARCL_VALID);
    *to = f->now;
    to->shape[0] = rows;
    to->shape[1] = x.cols;
    if (status == SPARCL_OK) status = sparcl_csr_to_dense(f->ctx, to, &x);
    status = spc_core(f->ctx, status, error);
    sparcl_csr_free(&x);
    free(own);
    return status;
}

/* *y := min(cap, max(0, y W + bias)), in the other buffer. */
static sparcl_status apply_layer(inference *f, const sparcl_csr *layer, sparcl_dense *y,
                                 sparcl_dense *other) {
    const sparcl_sparse_network *const n = f->network;
    other->shape[0] = y->shape[0];
    other->shape[1] = layer->cols;
    sparcl_matrix product = sparcl_matrix_dense(*other);
    const sparcl_matrix from = sparcl_matrix_dense(*y), weights = sparcl_matrix_csr(*layer);
    SPC_TRY(sparcl_matmul(f->ctx, &product, 1, SPARCL_OP_N, &from, SPARCL_OP_N, &weights, 0, NULL));
    SPC_TRY(sparcl_binary_scalar(f->ctx, SPARCL_BINARY_ADD, other, other, n->bias));
    SPC_TRY(sparcl_clip(f->ctx, other, other, 0, n->cap));
    const sparcl_dense swap = *y;
    *y = *other;
    *other = swap;
    return SPARCL_OK;
}

static sparcl_status grow(entries *e, int64_t more, sparcl_error *error) {
    if (e->count + more <= e->capacity) return SPARCL_OK;
    const int64_t capacity = 2 * e->capacity + more;
    int64_t *const columns = realloc(e->columns, (size_t)capacity * sizeof *columns);
    if (columns) e->columns = columns;
    float *const values = realloc(e->values, (size_t)capacity * sizeof *values);
    if (values) e->values = values;
    if (!columns || !values) return spc_fail_memory(error, "result", (size_t)capacity * 12);
    e->capacity = capacity;
    return SPARCL_OK;
}

static sparcl_status take_block(inference *f, const sparcl_dense *y, sparcl_error *error) {
    const int64_t rows = y->shape[0], columns = y->shape[1];
    entries *const e = &f->found;
    SPC_TRY(spc_core(f->ctx, sparcl_dense_read(f->ctx, y, f->values), error));
    for (int64_t i = 0; i < rows; ++i) {
        SPC_TRY(grow(e, columns, error));
        for (int64_t j = 0; j < columns; ++j) {
            const float value = f->values[i * columns + j];
            if (value == 0) continue;
            e->columns[e->count] = j;
            e->values[e->count++] = value;
        }
        e->offsets[++e->rows] = e->count;
    }
    return SPARCL_OK;
}

static sparcl_status apply_block(inference *f, const sparcl_data *inputs, int64_t first,
                                 int64_t rows, sparcl_error *error) {
    const sparcl_sparse_network *const n = f->network;
    sparcl_dense y, other = f->next;
    SPC_TRY(upload_block(f, inputs, first, rows, &y, error));
    for (int64_t step = 0; step < (int64_t)n->count * n->repeats; ++step)
        SPC_TRY(spc_core(f->ctx, apply_layer(f, &f->layers[step % n->count], &y, &other), error));
    return take_block(f, &y, error);
}

/* --- all -------------------------------------------------------------------------------------- */

static sparcl_status open_network(inference *f, const sparcl_data *inputs, sparcl_error *error) {
    const int64_t rows = sparcl_data_get_info(inputs)->rows;
    const int count = f->network->count;
    f->block = spc_max_i64(1, spc_min_i64(rows, BLOCK_ELEMENTS / spc_max_i64(1, f->widest)));
    f->now = f->next = (sparcl_dense){.rank = 2, .shape = {f->block, f->widest}};
    f->layers = calloc((size_t)count, sizeof *f->layers);
    f->values = malloc((size_t)(f->block * f->widest) * sizeof *f->values + 1);
    f->found.offsets = calloc((size_t)rows + 1, sizeof *f->found.offsets);
    if (!f->layers || !f->values || !f->found.offsets)
        return spc_fail_memory(error, "network", (size_t)(f->block * f->widest) * sizeof(float));
    SPC_TRY(spc_core(f->ctx, sparcl_dense_create(f->ctx, &f->now), error));
    SPC_TRY(spc_core(f->ctx, sparcl_dense_create(f->ctx, &f->next), error));
    for (int i = 0; i < count; ++i)
        SPC_TRY(sparcl_data_upload(f->ctx, f->network->layers[i], &f->layers[i], NULL, error));
    return SPARCL_OK;
}

static void close_network(inference *f) {
    for (int i = 0; f->layers && i < f->network->count; ++i)
        sparcl_csr_free(&f->layers[i]);
    free(f->layers);
    sparcl_dense_free(&f->now);
    sparcl_dense_free(&f->next);
    free(f->values);
    free(f->found.offsets);
    free(f->found.columns);
    free(f->found.values);
}

static sparcl_status make_result(const inference *f, sparcl_data **result, sparcl_error *error) {
    const sparcl_data *const last = f->network->layers[f->network->count - 1];
    const sparcl_data_arrays arrays = {.rows = f->found.rows,
                                       .columns = sparcl_data_get_info(last)->columns,
                                       .offsets = f->found.offsets,
                                       .index_type = SPARCL_INDEX64,
                                       .indices = f->found.columns,
                                       .values = f->found.values};
    return sparcl_data_create(result, &arrays, error);
}

static sparcl_status apply_network(sparcl_ctx *ctx, const sparcl_sparse_network *network,
                                   const sparcl_data *inputs, sparcl_data **result,
                                   sparcl_error *error) {
    inference f = {.ctx = ctx, .network = network};
    sparcl_status status = SPARCL_OK;
    if (result) *result = NULL;
    if (!ctx || !network || !inputs || !result)
        return spc_fail(error, SPARCL_E_ARG, "network: ctx, network, inputs or result is NULL");
    SPC_TRY(spc_check_entries(inputs, error));
    const int64_t rows = sparcl_data_get_info(inputs)->rows;
    SPC_TRY(check_numbers(network, error));
    SPC_TRY(check_layers(&f, inputs, error));
    SPC_GO(open_network(&f, inputs, error));
    for (int64_t first = 0; first < rows; first += f.block)
        SPC_GO(apply_block(&f, inputs, first, spc_min_i64(f.block, rows - first), error));
    SPC_GO(make_result(&f, result, error));
done:
    close_network(&f);
    return status;
}

sparcl_status sparcl_sparse_network_apply(sparcl_ctx *ctx, const sparcl_sparse_network *network,
                                          const sparcl_data *inputs, sparcl_data **result,
                                          sparcl_error *error) {
    sparcl_error found = {0};
    return sparcl_ctx_report(ctx, apply_network(ctx, network, inputs, result, &found), &found,
                             error);
}
