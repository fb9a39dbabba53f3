/* help_operations.c: the help topic about the operations of graphs, from their table. */
#include "help.h"
#include "sparcl/graph.h"

static void print_all(int with_gradients, FILE *out) {
    const sparcl_operation_info *op = NULL;
    for (int i = 0; (op = sparcl_graph_operation(i)) != NULL; i++) {
        if ((op->gradients != NULL) != with_gradients) continue;
        fprintf(out, "  %s\n    operands  %s\n    result    %s\n", op->name, op->operands,
                op->result);
        if (op->gradients) fprintf(out, "    gradient  %s\n", op->gradients);
    }
}

void print_operations(FILE *out) {
    fputs("A model is a graph of operations (sparcl/graph.h). sparcl_graph_NAME adds one:\n\n",
          out);
    print_all(1, out);
    fputs("\nsparcl_graph_backward adds these, too:\n\n", out);
    print_all(0, out);
}
