/* run.c: the graph of a training, and its step. */
#include "train/run.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/size.h"
#include "model/core.h"
#include "model/model_object.h"
#include "train/start.h"

/* --- the graph -------------------------------------------------------------------------------- */

/* l2 is a coupled decay. */
static sparcl_optim optim_of(const sparcl_train_desc *desc) {
    sparcl_optim o = desc->optim;
    if (desc->l2 == 0) return o;
    o.decay.weight = desc->l2;
    o.decay.kind = SPARCL_DECAY_COUPLED;
    return o;
}

static sparcl_status set_parameter(spc_run *run, int i, const float *values, sparcl_error *error) {
    sparcl_dense view;
    sparcl_status status =
        sparcl_graph_value(run->model.build.graph, run->model.parameters[i].node, &view);
    if (status == SPARCL_OK) status = sparcl_dense_upload(run->ctx, &view, values);
    return spc_core(run->ctx, status, error);
}

static sparcl_status init_parameter(spc_run *run, int i, sparcl_error *error) {
    const sparcl_architecture *const a = run->model.architecture;
    const sparcl_tensor *const shape = &run->model.parameters[i].shape;
    const size_t elements = (size_t)spc_tensor_elements(shape);
    float *const values = calloc(elements + 1, sizeof *values);
    if (!values) return spc_fail_memory(error, a->parameters[i], elements * sizeof *values);
    a->init(a->user, run->desc.seed, i, shape->rank, shape->shape, values);
    const sparcl_status status = set_parameter(run, i, values, error);
    free(values);
    return status;
}

static sparcl_status start_parameter(spc_run *run, int i, sparcl_error *error) {
    const sparcl_architecture *const a = run->model.architecture;
    const sparcl_tensor *const shape = &run->model.parameters[i].shape;
    const size_t elements = (size_t)spc_tensor_elements(shape);
    const float *from;
    SPC_TRY(spc_start_values(&run->desc, a->parameters[i], shape, &from, error));
    float *const values = malloc(elements * sizeof *values + 1);
    if (!values) return spc_fail_memory(error, a->parameters[i], elements * sizeof *values);
    memcpy(values, from, elements * sizeof *values);
    if (run->units.scale > 0) {
        const spc_label_units back = spc_label_units_inverse(&run->units);
        spc_label_units_to_model(&back, a, i, (int64_t)elements, values);
    }
    const sparcl_status status = set_parameter(run, i, values, error);
    free(values);
    return status;
}

static sparcl_status begin_parameters(spc_run *run, sparcl_error *error) {
    for (int i = 0; i < run->model.count; ++i) {
        if (run->desc.start)
            SPC_TRY(start_parameter(run, i, error));
        else if (run->desc.architecture->init)
            SPC_TRY(init_parameter(run, i, error));
    }
    return SPARCL_OK;
}

/* The objective is the mean loss; what a step reports is the sum. */
static sparcl_status build(spc_run *run, sparcl_error *error) {
    sparcl_graph *const g = run->model.build.graph;
    const sparcl_node losses = run->model.build.losses;
    run->loss = sparcl_graph_sum(g, losses);
    if (run->varies) SPC_TRY(spc_core(run->ctx, sparcl_graph_vary_rates(g), error));
    if (run->desc.clip_global_norm > 0)
        SPC_TRY(spc_core(run->ctx, sparcl_graph_clip_global_norm(g, run->desc.clip_global_norm),
                         error));
    SPC_TRY(spc_core(run->ctx, sparcl_graph_backward(g, sparcl_graph_mean(g, losses)), error));
    SPC_TRY(begin_parameters(run, error));
    return spc_core(run->ctx, sparcl_graph_allocate(g), error);
}

/* The graph keeps the number of the step. */
static void copy_own(spc_run *run) {
    for (int i = 0; i < run->desc.parameter_optim_count; ++i) {
        run->own[i] = run->desc.parameter_optims[i];
        run->own[i].optim.step = 1;
        run->own[i].optim.lazy.last_steps = NULL;
        run->own[i].optim.lazy.last_steps_at = 0;
        run->own[i].optim.lazy.object = NULL;
    }
}

sparcl_status spc_run_open(spc_run *run, sparcl_ctx *ctx, const sparcl_train_desc *checked,
                           const spc_run_size *size, sparcl_error *error) {
    *run = (spc_run){.ctx = ctx,
                     .desc = *checked,
                     .steps = size->steps,
                     .weighs = size->weighs,
                     .units = size->units};
    const spc_model_graph_desc desc = {.architecture = checked->architecture,
                                       .loss = checked->loss,
                                       .optim = optim_of(checked),
                                       .columns = size->columns,
                                       .outputs = size->outputs,
                                       .nodes = size->nodes,
                                       .trains = true,
                                       .weighs = size->weighs,
                                       .fields = size->fields,
                                       .seed = checked->seed,
                                       .own = run->own,
                                       .own_count = checked->parameter_optim_count};
    copy_own(run);
    run->varies =
        checked->schedule.kind != SPARCL_SCHEDULE_CONSTANT || checked->schedule.warmup > 0;
    run->step_losses = (sparcl_dense){.rank = 1, .shape = {size->steps}};
    SPC_TRY(spc_core(ctx, sparcl_dense_zeros(ctx, &run->step_losses), error));
    SPC_TRY(spc_model_graph_open(&run->model, ctx, &desc, error));
    return build(run, error);
}

void spc_run_close(spc_run *run) {
    spc_model_graph_close(&run->model);
    spc_forward_close(&run->forward);
    sparcl_dense_free(&run->step_losses);
    memset(run, 0, sizeof *run);
}

/* --- steps ------------------------------------------------------------------------------------ */

/* Batches have different numbers of entries: a larger one than before gets an eighth more. */
static sparcl_status reserve(spc_run *run, const spc_inputs *in) {
    sparcl_graph *const g = run->model.build.graph;
    const sparcl_csr *const x = &in->x;
    const int64_t capacity = spc_max_i64(x->nnz, spc_min_i64(x->cols, x->nnz + x->nnz / 8));
    SPC_TRY(sparcl_graph_reserve(g, run->model.build.rows, in->labels.shape[0]));
    if (run->model.entries == 0 || x->nnz <= run->bound_entries) return SPARCL_OK;
    run->bound_entries = capacity;
    return sparcl_graph_reserve(g, run->model.entries, capacity);
}

static sparcl_status bind(spc_run *run, const spc_inputs *in) {
    if (run->keeps_batch && run->is_bound) return SPARCL_OK;
    if (!run->is_bound) SPC_TRY(spc_model_graph_bind_all(&run->model, in));
    SPC_TRY(reserve(run, in));
    SPC_TRY(spc_model_graph_bind(&run->model, in));
    run->is_bound = true;
    return SPARCL_OK;
}

sparcl_status spc_run_set_rate(spc_run *run, int64_t done, int64_t passes, double *lr,
                               sparcl_error *error) {
    const sparcl_schedule *const s = &run->desc.schedule;
    const int64_t epochs = run->desc.epochs;
    *lr = run->desc.optim.lr;
    if (!run->varies) return SPARCL_OK;
    const double factor = sparcl_schedule_factor(s, s->per_pass ? passes : done,
                                                 s->per_pass ? epochs : epochs * run->steps);
    *lr *= factor;
    return spc_core(run->ctx, sparcl_graph_set_rate(run->model.build.graph, factor), error);
}

sparcl_status spc_run_step(spc_run *run, int64_t step, const spc_inputs *inputs,
                           sparcl_error *error) {
    const sparcl_dense sum = {
        .rank = 1, .shape = {1}, .values = run->step_losses.values, .values_at = step};
    SPC_TRY(spc_core(run->ctx, bind(run, inputs), error));
    sparcl_graph *const g = run->model.build.graph;
    SPC_TRY(spc_core(run->ctx, sparcl_graph_bind_output(g, run->loss, &sum), error));
    return spc_core(run->ctx, sparcl_graph_step(g), error);
}

sparcl_status spc_run_pass_loss(const spc_run *run, int64_t steps, double *sum,
                                sparcl_error *error) {
    sparcl_dense view = run->step_losses;
    float *losses = malloc((size_t)steps * sizeof *losses);
    if (!losses) return spc_fail_memory(error, "losses", (size_t)steps * sizeof *losses);
    view.shape[0] = steps;
    const sparcl_status status =
        spc_core(run->ctx, sparcl_dense_read(run->ctx, &view, losses), error);
    *sum = 0;
    for (int64_t s = 0; status == SPARCL_OK && s < steps; ++s)
        *sum += losses[s];
    *sum *= spc_label_units_loss(&run->units);
    free(losses);
    return status;
}

sparcl_status spc_run_value(const spc_run *run, int parameter, sparcl_dense *view,
                            sparcl_error *error) {
    return spc_core(
        run->ctx,
        sparcl_graph_current(run->model.build.graph, run->model.parameters[parameter].node, view),
        error);
}

static sparcl_status open_forward(spc_run *run, const spc_scores *wanted, sparcl_error *error) {
    const sparcl_build *const b = &run->model.build;
    if (run->forward.ctx) return SPARCL_OK;
    const spc_forward_desc desc = {.architecture = run->desc.architecture,
                                   .loss = b->loss,
                                   .l2 = run->desc.l2,
                                   .columns = b->columns,
                                   .outputs = b->outputs,
                                   .nodes = b->node_count,
                                   .weighs = run->weighs,
                                   .fields = b->field_count};
    return spc_forward_open(&run->forward, run->ctx, &desc, wanted, error);
}

static sparcl_status score(spc_run *run, const spc_scored *rows, double *loss,
                           sparcl_error *error) {
    const spc_scores wanted = {.mean_loss = loss};
    SPC_TRY(rows->score(rows->source, &run->forward, &wanted, error));
    *loss *= spc_label_units_loss(&run->units);
    return SPARCL_OK;
}

sparcl_status spc_run_mean_loss(spc_run *run, const spc_scored *rows, double *loss,
                                sparcl_error *error) {
    SPC_TRY(open_forward(run, &(const spc_scores){.mean_loss = loss}, error));
    for (int i = 0; i < run->model.count; ++i) {
        sparcl_dense view;
        SPC_TRY(spc_run_value(run, i, &view, error));
        SPC_TRY(spc_forward_bind(&run->forward, i, &view, error));
    }
    return score(run, rows, loss, error);
}

static sparcl_status bind_model(spc_run *run, const sparcl_model *model, sparcl_dense *values,
                                sparcl_error *error) {
    for (int i = 0; i < model->count; ++i) {
        const sparcl_tensor *const from = &model->tensors[i].tensor;
        values[i] = (sparcl_dense){.rank = from->rank};
        memcpy(values[i].shape, from->shape, sizeof from->shape);
        SPC_TRY(spc_core(run->ctx, sparcl_dense_create(run->ctx, &values[i]), error));
        SPC_TRY(spc_core(run->ctx, sparcl_dense_upload(run->ctx, &values[i], from->values), error));
        SPC_TRY(spc_forward_bind(&run->forward, i, &values[i], error));
    }
    return SPARCL_OK;
}

sparcl_status spc_run_model_loss(spc_run *run, const spc_scored *rows, const sparcl_model *model,
                                 double *loss, sparcl_error *error) {
    const size_t bytes = (size_t)model->count * sizeof(sparcl_dense);
    sparcl_dense *const values = calloc(1, bytes);
    if (!values) return spc_fail_memory(error, "model", bytes);
    sparcl_status status = open_forward(run, &(const spc_scores){.mean_loss = loss}, error);
    if (status == SPARCL_OK) status = bind_model(run, model, values, error);
    if (status == SPARCL_OK) status = score(run, rows, loss, error);
    for (int i = 0; i < model->count; ++i)
        sparcl_dense_free(&values[i]);
    free(values);
    return status;
}

/* --- memory ----------------------------------------------------------------------------------- */

static sparcl_status add_parameters(const spc_run *run, sparcl_train_memory *memory) {
    for (int i = 0; i < run->model.count; ++i) {
        sparcl_node_info info;
        SPC_TRY(sparcl_graph_node_info(memory->graph, run->model.parameters[i].node, &info));
        memory->parameters += info.bytes;
    }
    return SPARCL_OK;
}

/* The sizes of inputs are capacities. */
static sparcl_status add_graphs(const spc_run *run, sparcl_train_memory *memory) {
    const sparcl_build *const build = &run->model.build;
    sparcl_node_info labels, x = {0};
    SPC_TRY(add_parameters(run, memory));
    SPC_TRY(sparcl_graph_memory(memory->graph, &memory->values, NULL));
    SPC_TRY(sparcl_graph_node_info(memory->graph, build->labels, &labels));
    if (build->x != SPARCL_NO_NODE) SPC_TRY(sparcl_graph_node_info(memory->graph, build->x, &x));
    memory->rows = labels.shape[0];
    memory->entries = x.shape[2];
    if (!run->forward.ctx) return SPARCL_OK;
    return sparcl_graph_memory(run->forward.model.build.graph, &memory->evaluation, NULL);
}

sparcl_status spc_run_memory(const spc_run *run, sparcl_train_memory *memory, sparcl_error *error) {
    memory->graph = run->model.build.graph;
    return spc_core(run->ctx, add_graphs(run, memory), error);
}
