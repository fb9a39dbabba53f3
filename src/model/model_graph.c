/* model_graph.c: the graph of a model: runs its forward function, and checks what it has made. */
#include "model/model_graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/size.h"
#include "model/core.h"
#include "model/model_object.h"
#include "model/parameter_list.h"
#include "model/parameter_optims.h"

/* --- parameters ------------------------------------------------------------------------------- */

static sparcl_status refuse_parameter(const spc_model_graph *b, const char *name, const char *why,
                                      sparcl_error *error) {
    return spc_fail(error, SPARCL_E_ARG, "architecture %s: parameter %.47s %s",
                    b->architecture->name, name ? name : "NULL", why);
}

static sparcl_status check_parameter(const spc_model_graph *b, const char *name, int rank,
                                     const int64_t *shape, sparcl_error *error) {
    const int i = spc_architecture_find(b->architecture, name);
    if (i < 0) return refuse_parameter(b, name, "is not in the list of its parameters", error);
    if (b->parameters[i].shape.rank > 0)
        return refuse_parameter(b, name, "was added twice, expected once", error);
    if (!shape || rank < 1 || rank > SPARCL_MAX_RANK)
        return refuse_parameter(b, name, "has no shape, expected a rank from 1 to 8", error);
    int64_t width = 1;
    for (int d = 0; d < rank; ++d) {
        if (shape[d] < 0)
            return refuse_parameter(b, name, "has a size that changes, expected fixed sizes",
                                    error);
        if (d > 0 && !spc_mul_i64(width, shape[d], &width)) width = INT64_MAX;
    }
    return spc_check_table(shape[0], width, error);
}

sparcl_node sparcl_build_parameter(sparcl_build *build, const char *name, int rank,
                                   const int64_t *shape, const sparcl_optim *optim) {
    spc_model_graph *const b = (spc_model_graph *)build; /* its first member */
    sparcl_error error = {0};
    if (!build) return SPARCL_NO_NODE;
    const sparcl_parameter_optim *const own =
        name ? spc_find_parameter_optim(b->own, b->own_count, name) : NULL;
    if (own || !optim) optim = own ? &own->optim : &build->optim;
    if (check_parameter(b, name, rank, shape, &error) != SPARCL_OK) {
        if (b->error.status == SPARCL_OK) b->error = error;
        return SPARCL_NO_NODE;
    }
    spc_built *const to = &b->parameters[spc_architecture_find(b->architecture, name)];
    to->shape = (sparcl_tensor){.rank = rank};
    memcpy(to->shape.shape, shape, sizeof *shape * (size_t)rank);
    to->l2 = optim->decay.kind == SPARCL_DECAY_COUPLED ? optim->decay.weight : 0;
    to->node = b->trains ? sparcl_graph_parameter(build->graph, name, rank, shape, optim)
                         : sparcl_graph_dense(build->graph, name, rank, shape);
    return to->node;
}

double spc_model_graph_penalty(const spc_model_graph *b, const sparcl_model *model) {
    double penalty = 0;
    for (int i = 0; i < b->count; ++i) {
        const sparcl_tensor *const t = &model->tensors[i].tensor;
        double sum = 0;
        for (int64_t k = 0; b->parameters[i].l2 != 0 && k < spc_tensor_elements(t); ++k)
            sum += (double)t->values[k] * t->values[k];
        penalty += b->parameters[i].l2 * (0.5 * sum);
    }
    return penalty;
}

/* --- the graph -------------------------------------------------------------------------------- */

static sparcl_status check_added(const spc_model_graph *b, sparcl_ctx *ctx, int i,
                                 sparcl_error *error) {
    const char *const name = b->architecture->parameters[i];
    sparcl_node_info info;
    if (b->parameters[i].shape.rank == 0)
        return refuse_parameter(b, name, "is in its list, but build did not add it", error);
    SPC_TRY(
        spc_core(ctx, sparcl_graph_node_info(b->build.graph, b->parameters[i].node, &info), error));
    if (info.dtype == SPARCL_F32) return SPARCL_OK;
    return refuse_parameter(b, name, "is not F32", error);
}

static sparcl_status check_parameters(const spc_model_graph *b, sparcl_ctx *ctx,
                                      sparcl_error *error) {
    int in_graph = 0;
    for (int i = 0; i < b->count; ++i)
        SPC_TRY(check_added(b, ctx, i, error));
    for (sparcl_node node = 0; node < sparcl_graph_nodes(b->build.graph); ++node)
        in_graph += sparcl_graph_is_parameter(b->build.graph, node);
    if (in_graph == (b->trains ? b->count : 0)) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_ARG,
                    "architecture %s: build added %d parameters of the graph, expected %d; use "
                    "sparcl_build_parameter",
                    b->architecture->name, in_graph, b->trains ? b->count : 0);
}

/* Scores and losses have a row for each of the batch. */
static sparcl_status check_result(const spc_model_graph *b, sparcl_ctx *ctx, const char *what,
                                  sparcl_node node, bool is_vector, sparcl_error *error) {
    const sparcl_build *const build = &b->build;
    sparcl_node_info info, labels;
    SPC_TRY(spc_core(ctx, sparcl_graph_node_info(build->graph, build->labels, &labels), error));
    SPC_TRY(spc_core(ctx, sparcl_graph_node_info(build->graph, node, &info), error));
    const int64_t outputs = is_vector ? 1 : build->outputs;
    const bool fits =
        info.rank == 1 ? outputs == 1 : info.rank == 2 && info.shape[1] == outputs && !is_vector;
    if (fits && strcmp(info.kind, "dense") == 0 && info.dtype == SPARCL_F32 &&
        info.shape[0] == labels.shape[0])
        return SPARCL_OK;
    return spc_fail(error, SPARCL_E_SHAPE,
                    "architecture %s: the %s are %s, of rank %d, expected %s",
                    b->architecture->name, what, info.name, info.rank,
                    is_vector ? "a vector with an element for each row of the batch"
                              : "a row for each row of the batch, and a column for each output");
}

static sparcl_status check_codes(const spc_model_graph *b, sparcl_ctx *ctx, sparcl_error *error) {
    const sparcl_build *const build = &b->build;
    sparcl_node_info codes, labels;
    if (build->codes == SPARCL_NO_NODE) return SPARCL_OK;
    SPC_TRY(spc_core(ctx, sparcl_graph_node_info(build->graph, build->labels, &labels), error));
    SPC_TRY(spc_core(ctx, sparcl_graph_node_info(build->graph, build->codes, &codes), error));
    if (strcmp(codes.kind, "csr") == 0 && codes.dtype == SPARCL_F32 &&
        codes.shape[0] == labels.shape[0])
        return SPARCL_OK;
    return spc_fail(error, SPARCL_E_SHAPE,
                    "architecture %s: the codes are %s, expected a CSR matrix with a row for each "
                    "row of the batch",
                    b->architecture->name, codes.name);
}

/* The vectors of users and items, where no error says why there are none. */
static sparcl_status check_table(const spc_model_graph *b, sparcl_ctx *ctx, sparcl_error *error) {
    const sparcl_build *const build = &b->build;
    sparcl_node_info table;
    if (b->error.status != SPARCL_OK || sparcl_graph_memory(build->graph, NULL, NULL) != SPARCL_OK)
        return SPARCL_OK; /* reported by the check of the whole graph */
    if (build->table == SPARCL_NO_NODE)
        return spc_fail(error, SPARCL_E_ARG, "architecture %s: build did not set the table",
                        b->architecture->name);
    SPC_TRY(spc_core(ctx, sparcl_graph_node_info(build->graph, build->table, &table), error));
    if (strcmp(table.kind, "dense") == 0 && table.rank == 2 && table.shape[0] == build->node_count)
        return SPARCL_OK;
    return spc_fail(
        error, SPARCL_E_SHAPE,
        "architecture %s: the table is %s, of rank %d, expected a matrix with a row for "
        "each of %lld users and items",
        b->architecture->name, table.name, table.rank, (long long)build->node_count);
}

/* The first error of the graph explains why a node is missing. */
static sparcl_status check(const spc_model_graph *b, sparcl_ctx *ctx, sparcl_error *error) {
    if (b->error.status != SPARCL_OK) {
        if (error) *error = b->error;
        return b->error.status;
    }
    SPC_TRY(spc_core(ctx, sparcl_graph_memory(b->build.graph, NULL, NULL), error));
    SPC_TRY(check_parameters(b, ctx, error));
    if (b->build.scores != SPARCL_NO_NODE) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_ARG, "architecture %s: build did not set the scores",
                    b->architecture->name);
}

static sparcl_status call(spc_model_graph *b, sparcl_error *error) {
    const sparcl_status status = b->architecture->build(b->architecture->user, &b->build);
    if (status == SPARCL_OK) return status;
    return spc_fail(error, status, "architecture %s: build returned: %s", b->architecture->name,
                    sparcl_status_text(status));
}

/* Inputs of which each run has others: rows, or nodes of the batch. */
static void open_batch(spc_model_graph *b, const spc_model_graph_desc *desc) {
    sparcl_build *const build = &b->build;
    const bool has_x = b->architecture->task != SPARCL_TASK_RANK;
    const bool has_nodes = b->architecture->task == SPARCL_TASK_NODES;
    sparcl_graph *const g = build->graph;
    build->rows = sparcl_graph_dim(g, "rows", desc->rows);
    b->entries = has_x ? sparcl_graph_dim(g, "entries", desc->entries) : 0;
    if (has_x)
        build->x = sparcl_graph_csr(g, "x", has_nodes ? desc->nodes : build->rows, build->columns,
                                    b->entries);
    if (b->architecture->reads_fields)
        build->fields = sparcl_graph_list(g, "fields", b->entries, desc->fields);
    build->labels = sparcl_graph_dense(g, "labels", 1, &build->rows);
    if (desc->weighs) b->weights = sparcl_graph_dense(g, "weights", 1, &build->rows);
    if (has_nodes) build->nodes = sparcl_graph_list(g, "nodes", build->rows, desc->nodes);
    if (has_x) return;
    b->user = sparcl_graph_list(g, "users", build->rows, desc->nodes);
    b->item = sparcl_graph_list(g, "items", build->rows, desc->nodes);
    b->other = sparcl_graph_list(g, "negatives", build->rows, desc->nodes);
}

/* What the forward function gets. */
static sparcl_status open_inputs(spc_model_graph *b, sparcl_ctx *ctx,
                                 const spc_model_graph_desc *desc, sparcl_error *error) {
    sparcl_build *const build = &b->build;
    *build = (sparcl_build){.x = SPARCL_NO_NODE,
                            .fields = SPARCL_NO_NODE,
                            .field_count = desc->fields,
                            .adjacency = SPARCL_NO_NODE,
                            .nodes = SPARCL_NO_NODE,
                            .node_count = desc->nodes,
                            .columns = desc->columns,
                            .outputs = desc->outputs,
                            .loss = desc->loss,
                            .optim = desc->optim,
                            .optim_without_l2 = desc->optim,
                            .trains = desc->trains,
                            .seed = desc->seed,
                            .scores = SPARCL_NO_NODE,
                            .losses = SPARCL_NO_NODE,
                            .table = SPARCL_NO_NODE,
                            .own_table = SPARCL_NO_NODE,
                            .codes = SPARCL_NO_NODE};
    build->optim_without_l2.decay.weight = 0;
    SPC_TRY(spc_core(ctx, sparcl_graph_create(ctx, &build->graph), error));
    open_batch(b, desc);
    if (b->architecture->adjacency == SPARCL_ADJACENCY_NONE) return SPARCL_OK;
    b->edges = sparcl_graph_dim(build->graph, "edges", desc->entries);
    build->adjacency =
        sparcl_graph_csr(build->graph, "adjacency", desc->nodes, desc->nodes, b->edges);
    return SPARCL_OK;
}

/* --- what the library adds -------------------------------------------------------------------- */

static sparcl_node half_squares(sparcl_graph *g, sparcl_node rows, double factor) {
    return sparcl_graph_binary_scalar(
        g, SPARCL_BINARY_MULTIPLY,
        sparcl_graph_reduce(g, SPARCL_REDUCE_SQUARE_SUM, SPARCL_OVER_ALL, rows, 1), factor / 2);
}

/* Ranking: the score of the item of each row minus that of the other, whose label is 1. */
static void add_ranking(spc_model_graph *b) {
    sparcl_build *const build = &b->build;
    sparcl_graph *const g = build->graph;
    const sparcl_node lists[] = {b->user, b->item, b->other};
    sparcl_node rows[3], own[3];
    for (int i = 0; i < 3; ++i)
        rows[i] = own[i] = sparcl_graph_gather(g, build->table, lists[i]);
    build->scores = sparcl_graph_dot_rows(
        g, rows[0], sparcl_graph_binary(g, SPARCL_BINARY_SUBTRACT, rows[1], rows[2]));
    build->losses = sparcl_graph_loss(g, build->loss, build->scores, build->labels);
    for (int i = 0; i < 3 && build->penalty != 0; ++i) {
        if (build->own_table != SPARCL_NO_NODE)
            own[i] = sparcl_graph_gather(g, build->own_table, lists[i]);
        build->losses = sparcl_graph_binary(g, SPARCL_BINARY_ADD, build->losses,
                                            half_squares(g, own[i], build->penalty));
    }
}

/* Half the sum of the squares of scores - x, of each row. */
static sparcl_node reconstruction_losses(const sparcl_build *b) {
    sparcl_graph *const g = b->graph;
    return half_squares(
        g,
        sparcl_graph_binary(g, SPARCL_BINARY_SUBTRACT, b->scores, sparcl_graph_to_dense(g, b->x)),
        1);
}

static void add_losses(spc_model_graph *b) {
    sparcl_build *const build = &b->build;
    if (build->losses != SPARCL_NO_NODE) return;
    build->losses =
        b->architecture->task == SPARCL_TASK_RECONSTRUCT
            ? reconstruction_losses(build)
            : sparcl_graph_loss(build->graph, build->loss, build->scores, build->labels);
}

static void weigh_losses(spc_model_graph *b) {
    sparcl_build *const build = &b->build;
    sparcl_node losses = build->losses;
    build->losses = sparcl_graph_binary(build->graph, SPARCL_BINARY_MULTIPLY, losses, b->weights);
}

sparcl_status spc_model_graph_open(spc_model_graph *b, sparcl_ctx *ctx,
                                   const spc_model_graph_desc *desc, sparcl_error *error) {
    sparcl_build *const build = &b->build;
    *b = (spc_model_graph){.architecture = desc->architecture,
                           .trains = desc->trains,
                           .weights = SPARCL_NO_NODE,
                           .own = desc->own,
                           .own_count = desc->own_count};
    b->count = spc_architecture_count(desc->architecture);
    b->parameters = calloc((size_t)b->count, sizeof *b->parameters);
    if (!b->parameters)
        return spc_fail_memory(error, "graph", (size_t)b->count * sizeof *b->parameters);
    SPC_TRY(open_inputs(b, ctx, desc, error));
    SPC_TRY(call(b, error));
    if (desc->architecture->task == SPARCL_TASK_RANK) SPC_TRY(check_table(b, ctx, error));
    if (desc->architecture->task == SPARCL_TASK_RANK) add_ranking(b);
    SPC_TRY(check(b, ctx, error));
    SPC_TRY(check_result(b, ctx, "scores", build->scores, false, error));
    add_losses(b);
    SPC_TRY(check_codes(b, ctx, error));
    SPC_TRY(check_result(b, ctx, "losses", build->losses, true, error));
    if (desc->weighs) weigh_losses(b);
    return SPARCL_OK;
}

/* --- inputs of a run -------------------------------------------------------------------------- */

sparcl_status spc_model_graph_bind(const spc_model_graph *b, const spc_inputs *in) {
    sparcl_graph *const g = b->build.graph;
    SPC_TRY(sparcl_graph_bind_dense(g, b->build.labels, &in->labels));
    if (b->weights != SPARCL_NO_NODE) SPC_TRY(sparcl_graph_bind_dense(g, b->weights, &in->weights));
    switch (b->architecture->task) {
    case SPARCL_TASK_NODES:
        return sparcl_graph_bind_list(g, b->build.nodes, &in->nodes);
    case SPARCL_TASK_RANK:
        SPC_TRY(sparcl_graph_bind_list(g, b->user, &in->user));
        SPC_TRY(sparcl_graph_bind_list(g, b->item, &in->item));
        return sparcl_graph_bind_list(g, b->other, &in->other);
    default:
        SPC_TRY(sparcl_graph_bind_csr(g, b->build.x, &in->x));
        if (in->pattern) SPC_TRY(sparcl_graph_bind_pattern(g, b->build.x, in->pattern));
        return b->build.fields == SPARCL_NO_NODE
                   ? SPARCL_OK
                   : sparcl_graph_bind_list(g, b->build.fields, &in->fields);
    }
}

sparcl_status spc_model_graph_bind_all(const spc_model_graph *b, const spc_inputs *in) {
    sparcl_graph *const g = b->build.graph;
    if (b->architecture->task == SPARCL_TASK_NODES) {
        SPC_TRY(sparcl_graph_reserve(g, b->entries, in->x.nnz));
        SPC_TRY(sparcl_graph_bind_csr(g, b->build.x, &in->x));
    }
    if (b->architecture->adjacency == SPARCL_ADJACENCY_NONE) return SPARCL_OK;
    SPC_TRY(sparcl_graph_reserve(g, b->edges, in->adjacency.nnz));
    return sparcl_graph_bind_csr(g, b->build.adjacency, &in->adjacency);
}

void spc_model_graph_close(spc_model_graph *b) {
    sparcl_graph_free(b->build.graph);
    free(b->parameters);
    memset(b, 0, sizeof *b);
}
