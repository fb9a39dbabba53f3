/* graph_run.c: runs a graph: memory and views of values, patterns, launches, steps. */
#include <string.h>

#include "base/size.h"
#include "graph/engine/graph_profile.h"
#include "graph/engine/inputs.h"
#include "graph/engine/operations.h"
#include "graph/engine/schedule.h"
#include "ops/products/pattern.h"
#include "optim/step.h"

/* --- values ----------------------------------------------------------------------------------- */

/* No value outlives a run that needs more memory. */
static sparcl_status grow_memory(sparcl_graph *graph) {
    if (graph->arena.bytes < graph->schedule.bytes) graph->has_values = false;
    return spc_arena_grow(&graph->arena, graph->schedule.bytes);
}

static int64_t constants_capacity(const sparcl_graph *graph, const spc_node *node) {
    if (node->op->constants == SPC_POSITIONS)
        return spc_dim_capacity(graph, spc_operand(graph, node, 0)->shape[2]);
    const int64_t rows = spc_dim_capacity(graph, node->shape[0]);
    return node->rank > 1 ? spc_max_i64(rows, spc_dim_capacity(graph, node->shape[1])) : rows;
}

static void write_constants(const spc_node *node, void *to, int64_t count) {
    for (int64_t i = 0; i < count; ++i)
        if (node->op->constants == SPC_POSITIONS)
            ((int64_t *)to)[i] = i;
        else if (node->dtype == SPARCL_F64)
            ((double *)to)[i] = 1;
        else if (node->dtype == SPARCL_F32)
            ((float *)to)[i] = 1;
        else /* the bits of 1 */
            ((uint16_t *)to)[i] = node->dtype == SPARCL_F16 ? 0x3c00 : 0x3f80;
}

static sparcl_status make_constants(sparcl_graph *graph, spc_node *node) {
    const sparcl_allocator *const allocator = spc_ctx_allocator(graph->ctx);
    const int64_t count = constants_capacity(graph, node);
    const size_t size =
        node->op->constants == SPC_POSITIONS ? sizeof(int64_t) : sparcl_dtype_size(node->dtype);
    const int64_t bytes = count * (int64_t)size;
    if (count == 0 || (node->constants && sparcl_buf_bytes(node->constants) >= bytes))
        return SPARCL_OK;
    void *const host = spc_alloc_zero(allocator, (size_t)count, size);
    if (!host) return spc_node_fail(graph, node, SPARCL_E_MEMORY, "no host memory");
    write_constants(node, host, count);
    sparcl_buf_free(node->constants);
    node->constants = NULL;
    const sparcl_status status = sparcl_buf_upload(graph->ctx, &node->constants, host, bytes);
    spc_free(allocator, host, (size_t)bytes);
    return status;
}

/* A vector of one number that the host knows, such as 1 / rows, stays from run to run. */
static bool is_kept(const sparcl_graph *graph, const spc_node *node) {
    return node->op == &spc_op_expand && node->rank == 1 && !node->is_output && !node->has_target &&
           spc_operand(graph, node, 0)->kind == SPC_VALUE_CONSTANT;
}

static sparcl_status make_kept(sparcl_graph *graph, spc_node *node) {
    const int64_t count = spc_dim_capacity(graph, node->shape[0]);
    const int64_t bytes = count * (int64_t)sparcl_dtype_size(node->dtype);
    if (count == 0 || (node->kept && sparcl_buf_bytes(node->kept) >= bytes)) return SPARCL_OK;
    sparcl_buf_free(node->kept);
    node->kept = NULL;
    node->kept_count = 0;
    return sparcl_buf_create(graph->ctx, &node->kept, bytes);
}

static sparcl_status make_all_constants(sparcl_graph *graph) {
    for (int i = 0; i < graph->count; ++i) {
        spc_node *const node = spc_node_at(graph, i);
        if (!node->runs || !node->op || !node->op->constants || node->is_product) continue;
        SPC_TRY(spc_node_status(graph, node, make_constants(graph, node)));
        if (is_kept(graph, node)) SPC_TRY(spc_node_status(graph, node, make_kept(graph, node)));
    }
    return SPARCL_OK;
}

/* Where a value begins in its buffer, in elements of some size. */
static int64_t position(const sparcl_graph *graph, int64_t at, size_t size) {
    return at % graph->arena.limit / (int64_t)size;
}

static void set_dense(const sparcl_graph *graph, spc_node *node) {
    node->dense =
        (sparcl_dense){.rank = node->rank,
                       .dtype = node->dtype,
                       .values = spc_arena_buffer(&graph->arena, node->at),
                       .values_at = position(graph, node->at, sparcl_dtype_size(node->dtype))};
    for (int d = 0; d < node->rank; ++d)
        node->dense.shape[d] = spc_dim_size(graph, node->shape[d]);
    if (node->op->of_stored && spc_operand(graph, node, 0)->kind == SPC_VALUE_ROWS)
        node->dense.shape[0] = spc_operand(graph, node, 0)->rows.nnr;
    if (!node->kept || !is_kept(graph, node)) return;
    node->dense.values = node->kept;
    node->dense.values_at = 0;
}

/* The index type that an operand gives a row-sparse result. */
static sparcl_itype index_type_of(const spc_node *x) {
    const bool is_long = x->kind == SPC_VALUE_DENSE && x->dense.shape[0] > INT32_MAX;
    return x->kind == SPC_VALUE_LIST   ? x->list.index_type
           : x->kind == SPC_VALUE_CSR  ? x->csr.index_type
           : x->kind == SPC_VALUE_ROWS ? x->rows.index_type
           : is_long                   ? SPARCL_INDEX64
                                       : SPARCL_INDEX32;
}

/* Those of a matrix that this run computes are known once it is: find_rows() sets them then. */
static sparcl_rows columns_of(const spc_node *matrix) {
    const sparcl_csr *const a = &matrix->csr;
    if (matrix->bound_pattern) return sparcl_pattern_columns(matrix->bound_pattern);
    if (matrix->pattern && !matrix->is_new) return sparcl_pattern_columns(matrix->pattern);
    return (sparcl_rows){.index_type = a->index_type, .nnr = spc_min_i64(a->nnz, a->cols)};
}

/* Indices and count: those of the pattern of a transposed product, or the node's own, which have
 * the wider type of its operands. */
static void set_indices(const sparcl_graph *graph, spc_node *node) {
    sparcl_rows *const rows = &node->rows;
    if (!node->op->owns_indices) {
        *rows = columns_of(spc_matrix_base(graph, spc_operand(graph, node, 0)));
        return;
    }
    *rows = (sparcl_rows){.index_type = SPARCL_INDEX32, .nnr = spc_dim_size(graph, node->stored)};
    for (int i = 0; i < node->use_count; ++i) {
        const spc_node *const x = spc_operand(graph, node, i);
        if (node->op->sums_stored) rows->nnr += x->rows.nnr;
        if (index_type_of(x) == SPARCL_INDEX64) rows->index_type = SPARCL_INDEX64;
    }
    rows->indices = spc_arena_buffer(&graph->arena, node->at);
    rows->count = node->op->is_full ? NULL : rows->indices;
    rows->indices_at =
        position(graph, node->at + node->indices_at, sparcl_itype_size(rows->index_type));
    if (rows->count) rows->count_at = position(graph, node->at + node->count_at, sizeof(int64_t));
}

/* Arrays of `count` positions. */
static void set_maps(const sparcl_graph *graph, spc_node *node, int64_t count) {
    for (int i = 0; i < node->op->maps; ++i)
        node->maps[i] = (sparcl_list){.count = count,
                                      .index_type = SPARCL_INDEX64,
                                      .indices = spc_arena_buffer(&graph->arena, node->at),
                                      .indices_at = position(graph, node->at + node->maps_at[i], 8),
                                      .proof = {.flags = SPARCL_TRUSTED}};
}

static void set_rows(const sparcl_graph *graph, spc_node *node) {
    set_indices(graph, node);
    set_maps(graph, node, node->rows.nnr);
    node->rows.rank = node->rank;
    node->rows.dtype = node->dtype;
    for (int d = 0; d < node->rank; ++d)
        node->rows.shape[d] = spc_dim_size(graph, node->shape[d]);
    node->rows.values = spc_arena_buffer(&graph->arena, node->at);
    node->rows.values_at = position(graph, node->at, sparcl_dtype_size(node->dtype));
}

/* Is an index array of 64 bits needed for a size, or given by an operand? */
static sparcl_itype widest_index(const sparcl_graph *graph, const spc_node *node, int64_t size) {
    bool wide = size > INT32_MAX;
    for (int i = 0; i < node->use_count; ++i) {
        const spc_node *const x = spc_operand(graph, node, i);
        wide |= x->kind == SPC_VALUE_CSR && x->csr.index_type == SPARCL_INDEX64;
        wide |= x->kind == SPC_VALUE_COO && x->coo.index_type == SPARCL_INDEX64;
    }
    return wide ? SPARCL_INDEX64 : SPARCL_INDEX32;
}

static void set_csr(const sparcl_graph *graph, spc_node *node) {
    const int64_t entries = spc_dim_size(graph, node->shape[2]);
    sparcl_csr *const a = &node->csr;
    *a = (sparcl_csr){.rows = spc_dim_size(graph, node->shape[0]),
                      .cols = spc_dim_size(graph, node->shape[1]),
                      .nnz = entries,
                      .dtype = node->dtype,
                      .offset_type = entries > INT32_MAX ? SPARCL_INDEX64 : SPARCL_INDEX32,
                      .index_type = widest_index(graph, node, spc_dim_size(graph, node->shape[1]))};
    a->offsets = a->indices = a->values = spc_arena_buffer(&graph->arena, node->at);
    a->values_at = position(graph, node->at, sparcl_dtype_size(node->dtype));
    a->offsets_at = position(graph, node->at + node->offsets_at, sparcl_itype_size(a->offset_type));
    a->indices_at = position(graph, node->at + node->indices_at, sparcl_itype_size(a->index_type));
    set_maps(graph, node, entries);
    spc_trust_csr(node);
    node->is_new = true;
}

static void set_coo(const sparcl_graph *graph, spc_node *node) {
    int64_t largest = 0;
    sparcl_coo *const a = &node->coo;
    *a = (sparcl_coo){
        .rank = node->rank, .nnz = spc_dim_size(graph, node->stored), .dtype = node->dtype};
    a->values = a->count = spc_arena_buffer(&graph->arena, node->at);
    a->values_at = position(graph, node->at, sparcl_dtype_size(node->dtype));
    a->count_at = position(graph, node->at + node->count_at, sizeof(int64_t));
    for (int d = 0; d < node->rank; ++d) {
        a->shape[d] = spc_dim_size(graph, node->shape[d]);
        largest = spc_max_i64(largest, a->shape[d]);
    }
    a->index_type = widest_index(graph, node, largest);
    for (int d = 0; d < node->rank; ++d) {
        a->indices[d] = a->values;
        a->indices_at[d] = position(graph, node->at + node->indices_at + d * node->indices_step,
                                    sparcl_itype_size(a->index_type));
    }
    set_maps(graph, node, a->nnz);
    spc_trust_coo(node);
}

/* Forward, a parameter is a copy where rows have missed steps. */
static sparcl_status set_parameter(const sparcl_graph *graph, spc_node *node) {
    node->dense = node->parameter->weights;
    if (graph->with_steps) return SPARCL_OK;
    return spc_node_status(graph, node,
                           spc_parameter_current(node->parameter, graph->ctx, &node->dense));
}

/* Constants and views launch nothing. */
static bool is_free(const spc_node *node) {
    return node->kind == SPC_VALUE_CONSTANT || node->op->is_view;
}

/* The indices of a row-sparse gradient are the columns of a matrix that this run computes. */
static bool finds_rows_late(const sparcl_graph *graph, const spc_node *gradient) {
    return gradient->op->needs_pattern && !gradient->op->owns_indices &&
           !spc_knows_rows(graph, gradient->in[0]);
}

static sparcl_status set_value(sparcl_graph *graph, spc_node *node) {
    if (node->runs && node->parameter) return set_parameter(graph, node);
    if (!node->runs || !node->op || node->has_target) return SPARCL_OK;
    if (is_free(node)) return spc_node_status(graph, node, node->op->launch(graph, node));
    if (node->kind == SPC_VALUE_ROWS)
        set_rows(graph, node);
    else if (node->kind == SPC_VALUE_CSR)
        set_csr(graph, node);
    else if (node->kind == SPC_VALUE_COO)
        set_coo(graph, node);
    else
        set_dense(graph, node);
    return SPARCL_OK;
}

/* --- steps ------------------------------------------------------------------------------------ */

/* Before the run, where that is possible: steps read the columns. */
static sparcl_status build_pattern(sparcl_graph *graph, const spc_node *product) {
    const spc_node *const a = spc_operand(graph, product, 0);
    sparcl_pattern *pattern = NULL;
    if (spc_matrix_base(graph, a)->op) return SPARCL_OK;
    spc_profile_pattern(graph, product);
    return spc_graph_pattern(graph, a, &pattern);
}

static sparcl_status build_patterns(sparcl_graph *graph) {
    for (int i = 0; i < graph->count; ++i) {
        spc_node *const node = spc_node_at(graph, i);
        if (node->runs && node->op && node->op->needs_pattern)
            SPC_TRY(spc_node_status(graph, node, build_pattern(graph, node)));
    }
    return SPARCL_OK;
}

static sparcl_status catch_up_rows(sparcl_graph *graph, const spc_node *parameter,
                                   const sparcl_rows *rows) {
    spc_profile_catch_up(graph, parameter, rows);
    return spc_parameter_catch_up(parameter->parameter, graph->ctx, rows);
}

/* The rows that a step reads catch up before they are read. */
static sparcl_status catch_up(sparcl_graph *graph, const spc_node *parameter,
                              sparcl_node gradient) {
    const spc_node *const node = spc_node_at(graph, gradient);
    if (finds_rows_late(graph, node)) return SPARCL_OK;
    if (!node->op->owns_indices) return catch_up_rows(graph, parameter, &node->rows);
    for (int i = 0; i < node->in_count; ++i)
        SPC_TRY(catch_up(graph, parameter, node->in[i]));
    return SPARCL_OK;
}

static bool has_rows(const sparcl_graph *graph, const spc_node *node) {
    return spc_node_at(graph, node->step)->kind == SPC_VALUE_ROWS;
}

static sparcl_status begin_step(sparcl_graph *graph, spc_node *node) {
    if (node->reads_more) SPC_TRY(spc_parameter_finish(node->parameter, graph->ctx));
    spc_parameter_begin(node->parameter);
    return has_rows(graph, node) ? catch_up(graph, node, node->step) : SPARCL_OK;
}

/* Where rows are for the entries of a matrix that was bound: its pattern, if there is one. */
static const sparcl_pattern *columns_of_rows(const sparcl_graph *graph, const spc_node *rows) {
    const spc_node *const list = rows->op == &spc_op_as_rows ? spc_operand(graph, rows, 1) : NULL;
    if (!list || list->op != &spc_op_columns || graph->no_fusion) return NULL;
    const spc_node *const matrix = spc_matrix_base(graph, list);
    const sparcl_pattern *const pattern =
        matrix->bound_pattern ? matrix->bound_pattern : matrix->pattern;
    const bool is_built = !matrix->op && !matrix->is_new && pattern;
    return is_built && pattern->stamp == spc_csr_stamp(&matrix->csr) ? pattern : NULL;
}

static spc_step_job step_job(const sparcl_graph *graph, const spc_node *node) {
    const spc_parameter *const p = node->parameter;
    const spc_node *const gradient =
        spc_node_at(graph, node->clipped != SPARCL_NO_NODE ? node->clipped : node->step);
    return (spc_step_job){&p->optim,        &p->weights,
                          p->states,        has_rows(graph, node) ? &gradient->rows : NULL,
                          &gradient->dense, columns_of_rows(graph, gradient)};
}

static sparcl_status begin_steps(sparcl_graph *graph) {
    for (int i = 0; i < graph->count; ++i) {
        spc_node *const node = spc_node_at(graph, i);
        if (node->step != SPARCL_NO_NODE)
            SPC_TRY(spc_node_status(graph, node, begin_step(graph, node)));
    }
    return SPARCL_OK;
}

/* Another small dense parameter whose step is to be taken, or NULL. */
static spc_node *small_beside(const sparcl_graph *graph, const spc_node *node) {
    for (int i = 0; i < graph->count && !graph->no_fusion; ++i) {
        spc_node *const other = spc_node_at(graph, i);
        if (other->steps && other != node && !has_rows(graph, other) &&
            spc_step_is_small(&other->parameter->weights))
            return other;
    }
    return NULL;
}

/* A parameter and a small one, such as its bias, are often one launch. */
static sparcl_status take_step_with(sparcl_graph *graph, spc_node *node) {
    spc_node *const other = small_beside(graph, node);
    node->steps = false;
    spc_profile_step(graph, node, other);
    const spc_step_job own = step_job(graph, node);
    if (!other) return spc_node_status(graph, node, spc_step_one(graph->ctx, &own));
    const spc_step_job small = step_job(graph, other);
    other->steps = false;
    return spc_node_status(graph, node, spc_step_two(graph->ctx, &own, &small));
}

/* Those with row-sparse gradients first. */
static sparcl_status take_steps(sparcl_graph *graph) {
    for (int i = 0; i < graph->count; ++i)
        spc_node_at(graph, i)->steps = spc_node_at(graph, i)->step != SPARCL_NO_NODE;
    for (int dense = 0; dense < 2; ++dense)
        for (int i = 0; i < graph->count; ++i) {
            spc_node *const node = spc_node_at(graph, i);
            if (node->steps && (dense || has_rows(graph, node)))
                SPC_TRY(take_step_with(graph, node));
        }
    return SPARCL_OK;
}

/* Before a node reads the rows of a table that are the columns of a computed matrix. */
static sparcl_status catch_up_late(sparcl_graph *graph, const spc_node *node) {
    const spc_node *const table =
        node->op->reads_columns ? spc_operand(graph, node, node->op->rows_of - 1) : NULL;
    if (!table || !table->parameter || table->step == SPARCL_NO_NODE) return SPARCL_OK;
    if (spc_node_at(graph, table->step)->kind != SPC_VALUE_ROWS) return SPARCL_OK;
    if (spc_knows_rows(graph, node->in[0])) return SPARCL_OK;
    const sparcl_dense *const weights = &table->parameter->weights;
    sparcl_pattern *pattern = NULL;
    spc_profile_pattern(graph, node);
    SPC_TRY(spc_graph_pattern(graph, spc_operand(graph, node, 0), &pattern));
    sparcl_rows rows = sparcl_pattern_columns(pattern);
    rows.rank = weights->rank;
    rows.dtype = weights->dtype;
    memcpy(rows.shape, weights->shape, sizeof rows.shape);
    return catch_up_rows(graph, table, &rows);
}

static sparcl_status find_rows(sparcl_graph *graph, spc_node *node) {
    sparcl_pattern *pattern = NULL;
    if (node->kind != SPC_VALUE_ROWS || !finds_rows_late(graph, node)) return SPARCL_OK;
    spc_profile_pattern(graph, node);
    SPC_TRY(spc_graph_pattern(graph, spc_operand(graph, node, 0), &pattern));
    set_rows(graph, node);
    return SPARCL_OK;
}

/* The gradient of a dense array is dense: that is no conversion that the context could refuse. */
static sparcl_status launch(sparcl_graph *graph, spc_node *node) {
    if (graph->with_steps) SPC_TRY(spc_node_status(graph, node, catch_up_late(graph, node)));
    SPC_TRY(spc_node_status(graph, node, find_rows(graph, node)));
    spc_profile_node(graph, node);
    spc_ctx_apply_densify(graph->ctx, !node->is_gradient);
    const sparcl_status status = node->op->launch(graph, node);
    spc_ctx_apply_densify(graph->ctx, true);
    return spc_node_status(graph, node, status);
}

static sparcl_status launch_all(sparcl_graph *graph) {
    for (int i = 0; i < graph->count; ++i) {
        spc_node *const node = spc_node_at(graph, i);
        const bool launches =
            node->runs && node->op && !is_free(node) && !node->is_fused && !node->is_late;
        if (launches) SPC_TRY(launch(graph, node));
    }
    return SPARCL_OK;
}

/* --- runs ------------------------------------------------------------------------------------- */

sparcl_status spc_graph_plan(sparcl_graph *graph, bool with_steps) {
    if (graph->first_error.status == SPARCL_OK) return spc_schedule_make(graph, with_steps);
    spc_ctx_set_error(graph->ctx, &graph->first_error);
    return graph->first_error.status;
}

static sparcl_status check_all(const sparcl_graph *graph) {
    for (int i = 0; i < graph->count; ++i) {
        const spc_node *const node = spc_node_at(graph, i);
        if (node->runs && node->op && node->op->check) SPC_TRY(node->op->check(graph, node));
    }
    return SPARCL_OK;
}

/* Everything that may fail for a reason that the caller knows, before anything is enqueued. */
static sparcl_status prepare(sparcl_graph *graph, bool with_steps) {
    SPC_TRY(spc_graph_plan(graph, with_steps));
    SPC_TRY(check_all(graph));
    SPC_TRY(spc_inputs_set_sizes(graph));
    SPC_TRY(grow_memory(graph));
    return make_all_constants(graph);
}

sparcl_status sparcl_graph_allocate(sparcl_graph *graph) {
    if (!graph) return SPARCL_E_ARG;
    SPC_TRY(spc_graph_plan(graph, true));
    SPC_TRY(grow_memory(graph));
    return make_all_constants(graph);
}

static sparcl_status run_prepared(sparcl_graph *graph, bool with_steps) {
    SPC_TRY(build_patterns(graph));
    for (int i = 0; i < graph->count; ++i)
        SPC_TRY(set_value(graph, spc_node_at(graph, i)));
    if (with_steps) SPC_TRY(begin_steps(graph));
    SPC_TRY(launch_all(graph));
    return with_steps ? take_steps(graph) : SPARCL_OK;
}

static sparcl_status run(sparcl_graph *graph, bool with_steps) {
    graph->has_values = false;
    SPC_TRY(prepare(graph, with_steps));
    const sparcl_status status = run_prepared(graph, with_steps);
    spc_profile_end_part(graph->ctx);
    if (status != SPARCL_OK) return status;
    graph->step += with_steps;
    graph->has_values = true;
    return SPARCL_OK;
}

sparcl_status sparcl_graph_forward(sparcl_graph *graph) {
    return graph ? run(graph, false) : SPARCL_E_ARG;
}

sparcl_status sparcl_graph_step(sparcl_graph *graph) {
    if (!graph) return SPARCL_E_ARG;
    if (!graph->has_backward && graph->first_error.status == SPARCL_OK)
        return spc_ctx_fail(graph->ctx, SPARCL_E_ARG,
                            "graph: it has no gradients, call sparcl_graph_backward first");
    return run(graph, true);
}

sparcl_status sparcl_graph_finish(sparcl_graph *graph) {
    if (!graph) return SPARCL_E_ARG;
    for (int i = 0; i < graph->count; ++i) {
        const spc_node *const node = spc_node_at(graph, i);
        if (node->parameter && node->gradient != SPARCL_NO_NODE)
            SPC_TRY(
                spc_node_status(graph, node, spc_parameter_finish(node->parameter, graph->ctx)));
    }
    return SPARCL_OK;
}
