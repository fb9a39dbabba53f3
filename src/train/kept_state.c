/* kept_state.c: the states of optimizers that a model keeps, for trainings that begin with it. */
#include "train/kept_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/core.h"
#include "model/model_object.h"
#include "model/parameter_optims.h"
#include "sparcl/graph.h"
#include "sparcl/optim_text.h"

/* An array of a graph; its values are of the model. */
typedef struct kept_array {
    void *bytes;
    int64_t size;
} kept_array;

typedef struct kept_state {
    char *optimizers; /* text */
    int64_t step;     /* of the graph */
    int parameters, count;
    sparcl_counters *counters; /* [parameters] */
    kept_array *arrays;        /* [count] */
} kept_state;

static void free_state(void *of) {
    kept_state *const k = of;
    if (!k) return;
    for (int i = 0; i < k->count; ++i)
        free(k->arrays[i].bytes);
    free(k->arrays);
    free(k->counters);
    free(k->optimizers);
    free(k);
}

/* --- what it is of ---------------------------------------------------------------------------- */

static size_t text_capacity(const spc_run *run) {
    return ((size_t)run->desc.parameter_optim_count + 1) * (SPARCL_OPTIM_TEXT + 64) + 64;
}

/* All that the meaning of the states depends on; malloc'ed. */
static char *describe(const spc_run *run) {
    const size_t capacity = text_capacity(run);
    char *const text = calloc(1, capacity);
    if (!text) return NULL;
    sparcl_optim_print(&run->desc.optim, text);
    size_t at = strlen(text);
    at += (size_t)snprintf(text + at, capacity - at, " l2=%.17g ", run->desc.l2);
    spc_print_parameter_optims(text + at, capacity - at, run->own, run->desc.parameter_optim_count);
    return text;
}

static bool is_state(const sparcl_state_array *a) {
    return strcmp(a->part, "values") != 0;
}

static sparcl_status array_at(const spc_run *run, int i, sparcl_state_array *a,
                              sparcl_error *error) {
    return spc_core(run->ctx, sparcl_graph_state_array(run->model.build.graph, i, a), error);
}

/* --- keeping ---------------------------------------------------------------------------------- */

static sparcl_status keep_array(const spc_run *run, kept_array *to, const sparcl_state_array *a,
                                sparcl_error *error) {
    to->bytes = malloc((size_t)a->bytes + 1);
    if (!to->bytes) return spc_fail_memory(error, "states of the optimizer", (size_t)a->bytes);
    to->size = a->bytes;
    if (a->bytes == 0) return SPARCL_OK;
    return spc_core(run->ctx, sparcl_buf_read(run->ctx, a->buf, a->at, a->bytes, to->bytes), error);
}

static sparcl_status keep_arrays(const spc_run *run, kept_state *k, sparcl_error *error) {
    sparcl_state_array a;
    int all = 0;
    do
        SPC_TRY(array_at(run, all, &a, error));
    while (a.type && ++all);
    k->arrays = calloc((size_t)all + 1, sizeof *k->arrays);
    if (!k->arrays) return spc_fail_memory(error, "states", (size_t)all * sizeof *k->arrays);
    for (int i = 0; i < all; ++i) {
        SPC_TRY(array_at(run, i, &a, error));
        if (is_state(&a)) SPC_TRY(keep_array(run, &k->arrays[k->count++], &a, error));
    }
    return SPARCL_OK;
}

static sparcl_status keep_counters(const spc_run *run, kept_state *k, sparcl_error *error) {
    const size_t bytes = ((size_t)run->model.count + 1) * sizeof *k->counters;
    k->parameters = run->model.count;
    k->step = sparcl_graph_get_step(run->model.build.graph);
    k->counters = calloc(1, bytes);
    k->optimizers = describe(run);
    if (!k->counters || !k->optimizers) return spc_fail_memory(error, "states", bytes);
    for (int i = 0; i < k->parameters; ++i)
        SPC_TRY(spc_core(run->ctx,
                         sparcl_graph_counters(run->model.build.graph,
                                               run->model.parameters[i].node, &k->counters[i]),
                         error));
    return SPARCL_OK;
}

sparcl_status spc_state_keep(const spc_run *run, sparcl_model *model, sparcl_error *error) {
    if (!run->desc.keep_state) return SPARCL_OK;
    kept_state *const k = calloc(1, sizeof *k);
    if (!k) return spc_fail_memory(error, "states", sizeof *k);
    model->state = k;
    model->free_state = free_state;
    SPC_TRY(keep_counters(run, k, error));
    return keep_arrays(run, k, error);
}

/* --- taking ----------------------------------------------------------------------------------- */

/* The shapes are the same, as those of the parameters are. */
static sparcl_status take_arrays(const spc_run *run, const kept_state *k, sparcl_error *error) {
    sparcl_state_array a;
    int next = 0;
    for (int i = 0;; ++i) {
        SPC_TRY(array_at(run, i, &a, error));
        if (!a.type) return SPARCL_OK;
        if (!is_state(&a)) continue;
        if (next == k->count || k->arrays[next].size != a.bytes)
            return spc_fail(error, SPARCL_E_ARG,
                            "train: the states that start has kept are of another graph");
        if (a.bytes > 0)
            SPC_TRY(spc_core(
                run->ctx, sparcl_buf_write(run->ctx, a.buf, a.at, a.bytes, k->arrays[next].bytes),
                error));
        ++next;
    }
}

static bool is_of(const kept_state *k, const spc_run *run, bool *is_same) {
    char *const text = describe(run);
    if (!text) return false;
    *is_same = k->parameters == run->model.count && strcmp(text, k->optimizers) == 0;
    free(text);
    return true;
}

sparcl_status spc_state_take(const spc_run *run, sparcl_error *error) {
    const kept_state *const k = run->desc.start ? run->desc.start->state : NULL;
    sparcl_graph *const graph = run->model.build.graph;
    bool is_same = false;
    if (!k) return SPARCL_OK;
    if (!is_of(k, run, &is_same)) return spc_fail_memory(error, "states", text_capacity(run));
    if (!is_same) return SPARCL_OK;
    sparcl_graph_set_step(graph, k->step);
    for (int i = 0; i < k->parameters; ++i)
        SPC_TRY(spc_core(
            run->ctx,
            sparcl_graph_set_counters(graph, run->model.parameters[i].node, &k->counters[i]),
            error));
    return take_arrays(run, k, error);
}

void spc_state_sum(const sparcl_model *model, spc_sum *sum) {
    const kept_state *const k = model->state;
    if (!k) return;
    spc_sum_add(sum, k->optimizers, strlen(k->optimizers));
    spc_sum_add(sum, &k->step, sizeof k->step);
    for (int i = 0; i < k->count; ++i)
        spc_sum_add(sum, k->arrays[i].bytes, (size_t)k->arrays[i].size);
}
