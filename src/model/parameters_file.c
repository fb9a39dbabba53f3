/* parameters_file.c: the parameters of a graph as a safetensors file. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "model/core.h"
#include "model/regular.h"
#include "model/safetensors.h"
#include "sparcl/model.h"
#include "sparcl/views.h"

#define FORMAT "sparcl.1"
#define KIND   "parameters"

static int count_parameters(const sparcl_graph *graph) {
    int count = 0;
    for (sparcl_node node = 0; node < sparcl_graph_nodes(graph); ++node)
        count += sparcl_graph_is_parameter(graph, node);
    return count;
}

/* The parameters as tensors with host memory, in the order of the graph. */
typedef struct table {
    int count;
    spc_tensor *tensors;
    sparcl_node *nodes;
    spc_bytes *parts; /* [count + 1]: the head, then each tensor */
} table;

static void free_table(table *t) {
    for (int i = 0; t->parts && i <= t->count; ++i)
        spc_free(NULL, (void *)(uintptr_t)t->parts[i].at, t->parts[i].size);
    spc_free(NULL, t->tensors, (size_t)t->count * sizeof *t->tensors);
    spc_free(NULL, t->nodes, (size_t)t->count * sizeof *t->nodes);
    spc_free(NULL, t->parts, ((size_t)t->count + 1) * sizeof *t->parts);
}

static sparcl_status set_tensor(table *t, int i, const sparcl_graph *graph, sparcl_node node,
                                const sparcl_dense *view, sparcl_error *error) {
    spc_tensor *const tensor = &t->tensors[i];
    size_t bytes = sizeof(float);
    *tensor = (spc_tensor){
        .name = sparcl_graph_node_name(graph, node), .dtype = "F32", .rank = view->rank};
    for (int d = 0; d < view->rank; ++d) {
        tensor->shape[d] = view->shape[d];
        bytes *= (size_t)view->shape[d];
    }
    t->nodes[i] = node;
    t->parts[i + 1].at = spc_alloc(NULL, bytes > 0 ? bytes : 1);
    if (!t->parts[i + 1].at) return spc_fail_memory(error, tensor->name, bytes);
    t->parts[i + 1].size = bytes;
    return SPARCL_OK;
}

static sparcl_status make_table(table *t, sparcl_ctx *ctx, sparcl_graph *graph,
                                sparcl_error *error) {
    *t = (table){.count = count_parameters(graph)};
    const size_t count = (size_t)t->count;
    t->tensors = spc_alloc_zero(NULL, count, sizeof *t->tensors);
    t->nodes = spc_alloc_zero(NULL, count, sizeof *t->nodes);
    t->parts = spc_alloc_zero(NULL, count + 1, sizeof *t->parts);
    if (!t->parts || (count > 0 && (!t->tensors || !t->nodes)))
        return spc_fail_memory(error, "parameters", count * sizeof *t->tensors);
    int i = 0;
    for (sparcl_node node = 0; node < sparcl_graph_nodes(graph); ++node) {
        sparcl_dense view;
        if (!sparcl_graph_is_parameter(graph, node)) continue;
        SPC_TRY(spc_core(ctx, sparcl_graph_value(graph, node, &view), error));
        SPC_TRY(set_tensor(t, i++, graph, node, &view, error));
    }
    return SPARCL_OK;
}

/* --- writing ---------------------------------------------------------------------------------- */

static sparcl_status check_finite(const table *t, const char *path, sparcl_status status,
                                  sparcl_error *error) {
    for (int i = 0; i < t->count; ++i) {
        const float *const values = t->parts[i + 1].at;
        for (size_t k = 0; k < t->parts[i + 1].size / sizeof(float); ++k)
            if (!isfinite(values[k]))
                return spc_fail(error, status,
                                "%s: element %zu of %s is %g, expected finite values", path, k,
                                t->tensors[i].name, (double)values[k]);
    }
    return SPARCL_OK;
}

static sparcl_status save(table *t, sparcl_ctx *ctx, sparcl_graph *graph, const char *path,
                          sparcl_error *error) {
    const spc_note notes[] = {{"format", FORMAT}, {"kind", KIND}};
    char *head = NULL;
    for (int i = 0; i < t->count; ++i) {
        sparcl_dense view;
        void *const to = (void *)(uintptr_t)t->parts[i + 1].at;
        SPC_TRY(spc_core(ctx, sparcl_graph_current(graph, t->nodes[i], &view), error));
        SPC_TRY(spc_core(ctx, sparcl_dense_read(ctx, &view, to), error));
    }
    SPC_TRY(check_finite(t, path, SPARCL_E_DIVERGED, error));
    SPC_TRY(spc_tensors_head(t->tensors, t->count, notes, SPC_COUNT(notes), &head,
                             &t->parts[0].size, error));
    t->parts[0].at = head;
    return spc_file_write(path, t->parts, (size_t)t->count + 1, error);
}

static sparcl_status check_arguments(const sparcl_ctx *ctx, const sparcl_graph *graph,
                                     const char *path, sparcl_error *error) {
    if (ctx && graph && path) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_ARG, "parameters: the context, the graph or the path is NULL");
}

static sparcl_status save_parameters(sparcl_ctx *ctx, sparcl_graph *graph, const char *path,
                                     sparcl_error *error) {
    table t;
    SPC_TRY(check_arguments(ctx, graph, path, error));
    sparcl_status status = make_table(&t, ctx, graph, error);
    if (status == SPARCL_OK) status = save(&t, ctx, graph, path, error);
    free_table(&t);
    return status;
}

sparcl_status sparcl_parameters_save(sparcl_ctx *ctx, sparcl_graph *graph, const char *path,
                                     sparcl_error *error) {
    sparcl_error found = {0};
    return sparcl_ctx_report(ctx, save_parameters(ctx, graph, path, &found), &found, error);
}

/* --- reading ---------------------------------------------------------------------------------- */

static bool have_one_shape(const spc_tensor *a, const spc_tensor *b) {
    bool equal = a->rank == b->rank && strcmp(a->dtype, b->dtype) == 0;
    for (int d = 0; d < a->rank && equal; ++d)
        equal = a->shape[d] == b->shape[d];
    return equal;
}

static sparcl_status check_file(const spc_tensors *in, const table *t, sparcl_error *error) {
    const char *const kind = spc_tensors_note(in, "kind");
    if (!kind || strcmp(kind, KIND) != 0)
        return spc_fail(error, SPARCL_E_FORMAT,
                        "%s: its kind is %s, expected %s, as sparcl_parameters_save writes it",
                        in->path, kind ? kind : "missing", KIND);
    if (in->count != t->count)
        return spc_fail(error, SPARCL_E_FORMAT, "%s: has %lld tensors, expected %d, as the graph",
                        in->path, (long long)in->count, t->count);
    for (int i = 0; i < t->count; ++i) {
        const spc_tensor *const found = spc_tensors_find(in, t->tensors[i].name);
        if (!found || !have_one_shape(found, &t->tensors[i]))
            return spc_fail(error, SPARCL_E_FORMAT, "%s: %s %s, expected that of the graph",
                            in->path, t->tensors[i].name,
                            found ? "has another shape or type" : "is missing");
    }
    return SPARCL_OK;
}

/* Everything is read and checked before a parameter changes. */
static sparcl_status load(const spc_tensors *in, const table *t, sparcl_ctx *ctx,
                          sparcl_graph *graph, sparcl_error *error) {
    SPC_TRY(check_file(in, t, error));
    for (int i = 0; i < t->count; ++i)
        SPC_TRY(spc_tensors_read(in, spc_tensors_find(in, t->tensors[i].name),
                                 (void *)(uintptr_t)t->parts[i + 1].at, error));
    SPC_TRY(check_finite(t, in->path, SPARCL_E_FORMAT, error));
    SPC_TRY(spc_core(ctx, sparcl_graph_finish(graph), error));
    for (int i = 0; i < t->count; ++i) {
        sparcl_dense view;
        SPC_TRY(spc_core(ctx, sparcl_graph_value(graph, t->nodes[i], &view), error));
        SPC_TRY(spc_core(ctx, sparcl_dense_upload(ctx, &view, t->parts[i + 1].at), error));
    }
    return SPARCL_OK;
}

static sparcl_status load_file(const table *t, sparcl_ctx *ctx, sparcl_graph *graph,
                               const char *path, sparcl_error *error) {
    FILE *file = NULL;
    spc_tensors in;
    SPC_TRY(spc_open_regular(&file, path, error));
    sparcl_status status = spc_tensors_open(&in, file, path, error);
    if (status == SPARCL_OK) {
        status = load(&in, t, ctx, graph, error);
        spc_tensors_close(&in);
    }
    fclose(file);
    return status;
}

static sparcl_status load_parameters(sparcl_ctx *ctx, sparcl_graph *graph, const char *path,
                                     sparcl_error *error) {
    table t;
    SPC_TRY(check_arguments(ctx, graph, path, error));
    sparcl_status status = make_table(&t, ctx, graph, error);
    if (status == SPARCL_OK) status = load_file(&t, ctx, graph, path, error);
    free_table(&t);
    return status;
}

sparcl_status sparcl_parameters_load(sparcl_ctx *ctx, sparcl_graph *graph, const char *path,
                                     sparcl_error *error) {
    sparcl_error found = {0};
    return sparcl_ctx_report(ctx, load_parameters(ctx, graph, path, &found), &found, error);
}
