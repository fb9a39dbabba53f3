/* train_plan.c: the output of train --dry-run: the device memory that a run would take. */
#include "train_plan.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "message.h"
#include "output.h"

/* ---- reading the graph ---------------------------------------------------------------------- */

static json_t *shape_of(const sparcl_node_info *info) {
    json_t *const shape = json_array();
    for (int d = 0; d < info->rank; d++)
        json_array_append_new(shape, json_integer(info->shape[d]));
    return shape;
}

static bool share(const sparcl_node_info *a, const sparcl_node_info *b) {
    return a->at >= 0 && b->at >= 0 && a->at < b->at + b->bytes && b->at < a->at + a->bytes;
}

/* The nodes whose values use some of the same memory. */
static json_t *sharers_of(sparcl_graph *graph, sparcl_node node, const sparcl_node_info *info) {
    json_t *const list = json_array();
    sparcl_node_info other;
    for (sparcl_node i = 0; i < sparcl_graph_nodes(graph); i++)
        if (i != node && sparcl_graph_node_info(graph, i, &other) == SPARCL_OK &&
            share(info, &other))
            json_array_append_new(list, json_integer(i));
    return list;
}

static json_t *describe_node(sparcl_graph *graph, sparcl_node node) {
    sparcl_node_info info;
    if (sparcl_graph_node_info(graph, node, &info) != SPARCL_OK) return NULL;
    return json_pack("{s:i, s:s, s:s, s:s, s:o, s:I, s:b, s:I, s:o}", "node", (int)node, "name",
                     info.name, "operation", info.operation, "kind", info.kind, "shape",
                     shape_of(&info), "stored", (json_int_t)info.stored, "fused",
                     !info.runs && info.bytes > 0, "bytes", (json_int_t)info.bytes, "shares_with",
                     sharers_of(graph, node, &info));
}

void plan_take(void *user, const sparcl_train_memory *memory) {
    train_plan *const plan = user;
    int64_t values = 0;
    plan->memory = *memory;
    plan->memory.graph = NULL;
    if (sparcl_graph_memory(memory->graph, &values, &plan->unshared) != SPARCL_OK) return;
    plan->nodes = json_array();
    for (sparcl_node i = 0; plan->nodes && i < sparcl_graph_nodes(memory->graph); i++)
        if (json_array_append_new(plan->nodes, describe_node(memory->graph, i)) != 0)
            plan_end(plan);
}

void plan_end(train_plan *plan) {
    json_decref(plan->nodes);
    plan->nodes = NULL;
}

/* ---- the output ----------------------------------------------------------------------------- */

static json_t *describe(const train_plan *plan, const sparcl_ctx *ctx, const sparcl_data *train,
                        const sparcl_train_result *result) {
    const sparcl_train_memory *const m = &plan->memory;
    const sparcl_data_info *const info = sparcl_data_get_info(train);
    const int64_t peak = sparcl_ctx_peak_memory(ctx);
    const int64_t known =
        m->parameters + m->values + m->evaluation + m->data + m->valid + m->batches;
    return json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:b, s:o, "
        "s:o}",
        "rows", (json_int_t)info->rows, "cols", (json_int_t)info->columns, "nnz",
        (json_int_t)info->nnz, "steps", (json_int_t)result->steps, "batch_rows",
        (json_int_t)m->rows, "batch_entries", (json_int_t)m->entries, "parameter_bytes",
        (json_int_t)m->parameters, "value_bytes", (json_int_t)m->values, "unshared_value_bytes",
        (json_int_t)plan->unshared, "evaluation_bytes", (json_int_t)m->evaluation, "data_bytes",
        (json_int_t)m->data, "valid_bytes", (json_int_t)m->valid, "batch_bytes",
        (json_int_t)m->batches, "other_bytes", (json_int_t)(peak - known), "peak_bytes",
        (json_int_t)peak, "data_on_host", result->on_host, "device",
        json_text(sparcl_ctx_device(ctx)->name), "platform", json_text(sparcl_ctx_platform(ctx)));
}

static const char *text_at(const json_t *node, const char *key) {
    return json_string_value(json_object_get(node, key));
}

static int64_t number_at(const json_t *node, const char *key) {
    return json_integer_value(json_object_get(node, key));
}

/* Numbers with a separator; what does not fit is left out. */
static void list_numbers(char *text, size_t size, const json_t *list, const char *separator) {
    size_t at = 0, i;
    json_t *item;
    *text = '\0';
    json_array_foreach(list, i, item) {
        const int length = snprintf(text + at, size - at, "%s%" PRId64, i ? separator : "",
                                    (int64_t)json_integer_value(item));
        if (length < 0 || (size_t)length >= size - at) break;
        at += (size_t)length;
    }
}

static void add_node(struct libscols_table *table, const json_t *node) {
    char number[NUMBER_BYTES], shape[96], bytes[NUMBER_BYTES] = "", sharers[96], name[96];
    snprintf(number, sizeof number, "%" PRId64, number_at(node, "node"));
    list_numbers(shape, sizeof shape, json_object_get(node, "shape"), " x ");
    if (number_at(node, "stored") > 0)
        snprintf(shape + strlen(shape), sizeof shape - strlen(shape), ", %" PRId64 " rows",
                 number_at(node, "stored"));
    if (number_at(node, "bytes") > 0)
        snprintf(bytes, sizeof bytes, "%" PRId64, number_at(node, "bytes"));
    list_numbers(sharers, sizeof sharers, json_object_get(node, "shares_with"), " ");
    snprintf(name, sizeof name, "%s%s", text_at(node, "operation"),
             json_is_true(json_object_get(node, "fused")) ? " (fused)" : "");
    /* Nodes without a name of their own are called by their operation and number. */
    const char *const own_name =
        strstr(text_at(node, "name"), " (node ") ? "" : text_at(node, "name");
    const char *const cells[] = {number, own_name, name,   text_at(node, "kind"),
                                 shape,  bytes,    sharers};
    table_add(table, NULL, cells);
}

static exit_code print_nodes(const train_plan *plan) {
    static const char *const names[] = {">node", "name",   "operation",   "kind",
                                        "shape", ">bytes", "shares with", NULL};
    size_t i;
    json_t *node;
    printf("\n");
    struct libscols_table *const table = table_new(names);
    json_array_foreach(plan->nodes, i, node) add_node(table, node);
    const exit_code code = table_print(table);
    return code == EXIT_OK ? flush_results() : code;
}

exit_code plan_show(const train_plan *plan, const sparcl_ctx *ctx, const sparcl_data *train,
                    const sparcl_train_result *result, const char *json) {
    json_t *const object = plan->nodes ? describe(plan, ctx, train, result) : NULL;
    exit_code code = EXIT_OK;
    if (!object) return out_of_memory();
    if (!json || strcmp(json, "-") != 0) {
        code = print_object(json_incref(object), false);
        if (code == EXIT_OK) code = print_nodes(plan);
    }
    json_object_set(object, "nodes", plan->nodes);
    if (code == EXIT_OK && json) code = save_object(json_incref(object), json);
    json_decref(object);
    return code;
}
