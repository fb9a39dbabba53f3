/* gradients_elementwise.c: functions of each element, operations with broadcasting, and entries
 * with a number for each row or column. */
#include "gradients.h"

/* --- unary, clip ------------------------------------------------------------------------------ */

/* The sum of functions from `first` to `last` of x. */
static sparcl_node sum_of(model *m, sparcl_node x, int first, int last) {
    sparcl_node sum = sparcl_graph_unary(m->graph, (sparcl_unary_op)first, x);
    for (int op = first + 1; op <= last; ++op)
        sum = sparcl_graph_binary(m->graph, SPARCL_BINARY_ADD, sum,
                                  sparcl_graph_unary(m->graph, (sparcl_unary_op)op, x));
    return sum;
}
/* All that are smooth, between 0 and 1. */
static sparcl_node smooth(model *m) {
    const sparcl_node x = sparcl_graph_unary(m->graph, SPARCL_UNARY_SIGMOID, hidden(m));
    const sparcl_node y = sum_of(m, x, SPARCL_UNARY_SQRT, SPARCL_UNARY_NEGATIVE);
    return squared_head(m,
                        sparcl_graph_binary(m->graph, SPARCL_BINARY_ADD, y,
                                            sum_of(m, x, SPARCL_UNARY_CBRT, SPARCL_UNARY_RSQRT)));
}
/* All that have gradients between -1 and 1; those of the steps are 0. */
static sparcl_node around_0(model *m) {
    const sparcl_node x = sparcl_graph_unary(m->graph, SPARCL_UNARY_TANH, hidden(m));
    const sparcl_node y = sum_of(m, x, SPARCL_UNARY_SIN, SPARCL_UNARY_EXP);
    return squared_head(m, y);
}
static sparcl_node kinked(model *m) {
    const sparcl_node x = hidden(m);
    const sparcl_node y = sparcl_graph_unary(m->graph, SPARCL_UNARY_ABS, x);
    return squared_head(m,
                        sparcl_graph_binary(m->graph, SPARCL_BINARY_ADD, y,
                                            sum_of(m, x, SPARCL_UNARY_RELU, SPARCL_UNARY_RADIANS)));
}
/* Functions that jump, times x: theirs are 0. A jump is 1/64 from the elements of the table, which
 * is twice the step of a difference. */
static sparcl_node steps(model *m) {
    const sparcl_node t = table(m);
    sparcl_node x = t;
    for (int i = 0; i < 4; ++i)
        x = sparcl_graph_binary(m->graph, SPARCL_BINARY_ADD, x, x);
    x = sparcl_graph_binary(m->graph, SPARCL_BINARY_ADD, x,
                            sparcl_graph_clip(m->graph, t, 0.75, 0.75));
    const sparcl_node y = sum_of(m, x, SPARCL_UNARY_SIGN, SPARCL_UNARY_TRUNC);
    const sparcl_node z = sparcl_graph_binary(m->graph, SPARCL_BINARY_MULTIPLY, y, t);
    return squared_head(m, sparcl_graph_spmm(m->graph, m->x, z));
}
static sparcl_node degrees(model *m) {
    return squared_head(m, sparcl_graph_unary(m->graph, SPARCL_UNARY_DEGREES, hidden(m)));
}
static sparcl_node unary_of_matrix(model *m) {
    const sparcl_node a = sparcl_graph_unary(m->graph, SPARCL_UNARY_EXPM1, weighted(m));
    return squared_head(m, sparcl_graph_spmm(m->graph, a, parameter(m, "v", COLS, WIDTH)));
}
static sparcl_node clip(model *m) {
    return squared_head(m, sparcl_graph_clip(m->graph, hidden(m), -0.21, 0.33));
}
static sparcl_node clip_of_matrix(model *m) {
    const sparcl_node a = sparcl_graph_clip(m->graph, weighted(m), -0.13, 0.2);
    return squared_head(m, sparcl_graph_spmm(m->graph, a, parameter(m, "v", COLS, WIDTH)));
}

/* --- binary ----------------------------------------------------------------------------------- */

/* Numbers around 1. */
static sparcl_node positive(model *m, sparcl_node x) {
    return sparcl_graph_unary(m->graph, SPARCL_UNARY_EXP, x);
}
static sparcl_node with(model *m, sparcl_binary_op op, sparcl_node x, sparcl_node y) {
    return squared_head(m, sparcl_graph_binary(m->graph, op, x, y));
}
static sparcl_node add_row(model *m) {
    return with(m, SPARCL_BINARY_ADD, hidden(m), parameter(m, "b", WIDTH, 0));
}
static sparcl_node subtract_row(model *m) {
    return with(m, SPARCL_BINARY_SUBTRACT, hidden(m), parameter(m, "b", 1, WIDTH));
}
static sparcl_node multiply_each(model *m) {
    const sparcl_node y = sparcl_graph_spmm(m->graph, m->x, parameter(m, "v", COLS, WIDTH));
    return with(m, SPARCL_BINARY_MULTIPLY, hidden(m), y);
}
static sparcl_node multiply_row(model *m) {
    return with(m, SPARCL_BINARY_MULTIPLY, hidden(m), parameter(m, "b", WIDTH, 0));
}
static sparcl_node multiply_column(model *m) {
    const sparcl_node y = sparcl_graph_spmm(m->graph, m->x, parameter(m, "v", COLS, 1));
    return with(m, SPARCL_BINARY_MULTIPLY, hidden(m), y);
}
static sparcl_node multiply_everything(model *m) {
    return with(m, SPARCL_BINARY_MULTIPLY, hidden(m), parameter(m, "b", 1, 0));
}
static sparcl_node divide_each(model *m) {
    const sparcl_node y = sparcl_graph_spmm(m->graph, m->x, parameter(m, "v", COLS, WIDTH));
    return with(m, SPARCL_BINARY_DIVIDE, hidden(m), positive(m, y));
}
static sparcl_node divide_column(model *m) {
    const sparcl_node y = sparcl_graph_spmm(m->graph, m->x, parameter(m, "v", COLS, 1));
    return with(m, SPARCL_BINARY_DIVIDE, hidden(m), positive(m, y));
}
static sparcl_node maximum_row(model *m) {
    return with(m, SPARCL_BINARY_MAXIMUM, hidden(m), parameter(m, "b", WIDTH, 0));
}
static sparcl_node minimum_each(model *m) {
    const sparcl_node y = sparcl_graph_spmm(m->graph, m->x, parameter(m, "v", COLS, WIDTH));
    return with(m, SPARCL_BINARY_MINIMUM, hidden(m), y);
}
/* One array with itself: both gradients. */
static sparcl_node squares(model *m) {
    const sparcl_node h = hidden(m);
    return with(m, SPARCL_BINARY_MULTIPLY, h, h);
}

/* --- binary_scalar ---------------------------------------------------------------------------- */

static sparcl_node scalars(model *m) {
    const sparcl_node twice =
        sparcl_graph_binary_scalar(m->graph, SPARCL_BINARY_MULTIPLY, hidden(m), 2.5);
    const sparcl_node third = sparcl_graph_binary_scalar(m->graph, SPARCL_BINARY_DIVIDE, twice, 3);
    const sparcl_node more = sparcl_graph_binary_scalar(m->graph, SPARCL_BINARY_ADD, third, 0.75);
    return squared_head(m, sparcl_graph_binary_scalar(m->graph, SPARCL_BINARY_SUBTRACT, more, 0.5));
}
static sparcl_node scalar_maximum(model *m) {
    return squared_head(
        m, sparcl_graph_binary_scalar(m->graph, SPARCL_BINARY_MAXIMUM, hidden(m), 0.033));
}
static sparcl_node scalar_minimum(model *m) {
    return squared_head(
        m, sparcl_graph_binary_scalar(m->graph, SPARCL_BINARY_MINIMUM, hidden(m), 0.033));
}
/* Of a matrix, and of the rows of a list. */
static sparcl_node scalar_of_sparse(model *m) {
    const sparcl_node a =
        sparcl_graph_binary_scalar(m->graph, SPARCL_BINARY_MULTIPLY, weighted(m), -1.5);
    const sparcl_node rows =
        sparcl_graph_as_rows(m->graph, sparcl_graph_gather(m->graph, table(m), m->list), m->list);
    const sparcl_node b =
        sparcl_graph_unary(m->graph, SPARCL_UNARY_SIN,
                           sparcl_graph_binary_scalar(m->graph, SPARCL_BINARY_DIVIDE, rows, 0.5));
    return squared_head(m, sparcl_graph_spmm_rows(m->graph, a, b));
}

/* --- cast ------------------------------------------------------------------------------------- */

/* Another type, which has all numbers of these models. */
static sparcl_node cast_and_back(model *m, sparcl_node x) {
    const sparcl_dtype other = m->dtype == SPARCL_F64 ? SPARCL_F32 : SPARCL_BF16;
    return sparcl_graph_cast(m->graph, sparcl_graph_cast(m->graph, x, other), m->dtype);
}
static sparcl_node sum_of_squares(model *m, sparcl_node x) {
    return sparcl_graph_sum(m->graph, sparcl_graph_dot_rows(m->graph, x, x));
}
static sparcl_node cast(model *m) {
    return sum_of_squares(m, cast_and_back(m, table(m)));
}
static sparcl_node cast_matrix(model *m) {
    const sparcl_node v = sparcl_graph_gather(m->graph, parameter(m, "edge", COLS, 0),
                                              sparcl_graph_columns(m->graph, m->x));
    const sparcl_node a = cast_and_back(m, sparcl_graph_with_values(m->graph, m->x, v));
    return sum_of_squares(m, sparcl_graph_values(m->graph, a));
}
static sparcl_node cast_rows(model *m) {
    const sparcl_node v = sparcl_graph_gather(m->graph, table(m), m->list);
    const sparcl_node rows = cast_and_back(m, sparcl_graph_as_rows(m->graph, v, m->list));
    return sum_of_squares(m, sparcl_graph_values(m->graph, rows));
}

/* --- csr_broadcast ---------------------------------------------------------------------------- */

static sparcl_node scaled(model *m, sparcl_binary_op op, int axis) {
    const sparcl_node w = parameter(m, "v", COLS, 0);
    const sparcl_node v = positive(m, axis ? sparcl_graph_spmm(m->graph, m->x, w) : w);
    const sparcl_node a = sparcl_graph_csr_broadcast(m->graph, op, weighted(m), v, axis);
    return squared(m, sparcl_graph_spmm(m->graph, a, parameter(m, "w", COLS, 0)));
}
static sparcl_node multiply_rows(model *m) {
    return scaled(m, SPARCL_BINARY_MULTIPLY, 1);
}
static sparcl_node multiply_columns(model *m) {
    return scaled(m, SPARCL_BINARY_MULTIPLY, 0);
}
static sparcl_node divide_rows(model *m) {
    return scaled(m, SPARCL_BINARY_DIVIDE, 1);
}
static sparcl_node divide_columns(model *m) {
    return scaled(m, SPARCL_BINARY_DIVIDE, 0);
}

const gradient_case gradients_elementwise[] = {
    {"unary", smooth, STEEP},
    {"unary", around_0, STEEP},
    {"unary", kinked, KINKED},
    {"unary", steps, CURVED},
    {"unary", degrees, QUADRATIC},
    {"unary", unary_of_matrix, CURVED},
    {"clip", clip, KINKED},
    {"clip", clip_of_matrix, KINKED},
    {"binary", add_row, QUADRATIC},
    {"binary", subtract_row, QUADRATIC},
    {"binary", multiply_each, CURVED},
    {"binary", multiply_row, CURVED},
    {"binary", multiply_column, CURVED},
    {"binary", multiply_everything, CURVED},
    {"binary", divide_each, CURVED},
    {"binary", divide_column, CURVED},
    {"binary", maximum_row, KINKED},
    {"binary", minimum_each, KINKED},
    {"binary", squares, CURVED},
    {"binary_scalar", scalars, QUADRATIC},
    {"binary_scalar", scalar_maximum, KINKED},
    {"binary_scalar", scalar_minimum, KINKED},
    {"binary_scalar", scalar_of_sparse, CURVED},
    {"cast", cast, QUADRATIC},
    {"cast", cast_matrix, QUADRATIC},
    {"cast", cast_rows, QUADRATIC},
    {"csr_broadcast", multiply_rows, CURVED},
    {"csr_broadcast", multiply_columns, CURVED},
    {"csr_broadcast", divide_rows, CURVED},
    {"csr_broadcast", divide_columns, CURVED},
    {NULL},
};
