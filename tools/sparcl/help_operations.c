/* help_operations.c: the help topic about the operations of graphs, from their table. */
#include <string.h>

#include "help.h"
#include "sparcl/graph.h"

static void print_operation(const sparcl_operation_info *op, FILE *out) {
    fprintf(out, "  %s\n    operands  %s\n    result    %s\n", op->name, op->operands, op->result);
    if (op->gradients) fprintf(out, "    gradient  %s\n", op->gradients);
}

void print_operations(FILE *out) {
    const sparcl_operation_info *op = NULL;
    const char *last = "";
    fputs("A model is a graph of operations (sparcl/graph.h). sparcl_graph_NAME adds one;\n"
          "sparcl_graph_backward also adds those of the last kind.\n",
          out);
    for (int i = 0; (op = sparcl_graph_operation(i)) != NULL; i++) {
        const char *kind = sparcl_graph_operation_kind(i);
        if (strcmp(kind, last) != 0) fprintf(out, "\n%s\n\n", kind);
        last = kind;
        print_operation(op, out);
    }
}
