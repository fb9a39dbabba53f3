/* operations.c: the table of operations, by kind, as help and docs print it. */
#include "graph/engine/operations.h"

/* A kind, and then its operations. */
static const struct {
    const char *kind;
    const spc_operation *op;
} rows[] = {
#define KIND(title) {.kind = (title)},
#define ROW(name)   {.op = &spc_op_##name},
    SPC_OPERATIONS(KIND, ROW)
#undef KIND
#undef ROW
};

/* Row number of operation `index`, and the kind that it has; false after the last one. */
static bool find_operation(int index, const char **kind, const spc_operation **op) {
    *kind = NULL;
    *op = NULL;
    for (size_t i = 0; i < SPC_COUNT(rows) && index >= 0; ++i) {
        if (rows[i].kind) *kind = rows[i].kind;
        if (rows[i].op && index-- == 0) *op = rows[i].op;
    }
    return *op != NULL;
}

const sparcl_operation_info *sparcl_graph_operation(int index) {
    const char *kind;
    const spc_operation *op;
    return find_operation(index, &kind, &op) ? &op->about : NULL;
}

const char *sparcl_graph_operation_kind(int index) {
    const char *kind;
    const spc_operation *op;
    return find_operation(index, &kind, &op) ? kind : NULL;
}
