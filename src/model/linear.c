/* linear.c: the built-in architecture: scores = x * weight + bias. */
#include "model/linear.h"

#include "base/macros.h"

static sparcl_status build_product(void *user, sparcl_build *b) {
    const int64_t shape[] = {b->columns, b->outputs};
    (void)user;
    b->scores =
        sparcl_graph_spmm(b->graph, b->x, sparcl_build_parameter(b, "weight", 2, shape, NULL));
    return SPARCL_OK;
}

static sparcl_status build(void *user, sparcl_build *b) {
    SPC_TRY(build_product(user, b));
    b->scores = sparcl_graph_binary(
        b->graph, SPARCL_BINARY_ADD, b->scores,
        sparcl_build_parameter(b, "bias", 1, &b->outputs, &b->optim_without_l2));
    return SPARCL_OK;
}

static const char *const names[] = {"weight", "bias", NULL};
static const char *const weight_only[] = {"weight", NULL};

const spc_builtin spc_builtin_linear = {.kind = {.name = "linear",
                                                 .formula = "x weight + bias",
                                                 .source = "",
                                                 .settings = "",
                                                 .optimizer = "sgd",
                                                 .epochs = 10},
                                        .build = build,
                                        .parameters = {"weight", "bias"}};

const sparcl_architecture spc_linear = {.name = "linear", .build = build, .parameters = names};
const sparcl_architecture spc_linear_without_bias = {
    .name = "linear", .build = build_product, .parameters = weight_only};
