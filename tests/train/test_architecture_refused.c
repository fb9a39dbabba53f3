/* test_architecture_refused.c: forward functions and descriptions that are wrong, and values that
 * are not finite, get the errors of architecture.h. */
#include "architecture_test.h"

/* What a forward function does wrong. */
typedef enum mistake {
    NO_SCORES,
    UNKNOWN_NAME,
    MISSING,
    TWICE,
    NOT_OURS,
    NO_SHAPE,
    CHANGING,
    TOO_LARGE,
    OTHER_SHAPE,
    OWN_STATUS,
    NO_PARAMETER_READ,
    SCALAR_LOSS,
    WIDE_SCORES,
    INPUT_AS_SCORES,
    NO_SUCH_NODE,
    IN_F64
} mistake;

static sparcl_status build_wrong(void *user, sparcl_build *b) {
    const mistake what = *(const mistake *)user;
    const int64_t shape[] = {b->columns, b->outputs + (what == WIDE_SCORES)},
                  huge[] = {INT64_MAX / 2, 3}, rows[] = {b->rows, b->outputs},
                  other[] = {b->columns + 1, b->outputs};
    const int64_t *const size = what == CHANGING      ? rows
                                : what == TOO_LARGE   ? huge
                                : what == OTHER_SHAPE ? other
                                : what == NO_SHAPE    ? NULL
                                                      : shape;
    sparcl_node w = SPARCL_NO_NODE;
    if (what == IN_F64) sparcl_graph_set_dtype(b->graph, SPARCL_F64);
    if (what == OWN_STATUS) return SPARCL_E_UNSUPPORTED;
    if (what == NOT_OURS) w = sparcl_graph_parameter(b->graph, "v", 2, shape, &b->optim);
    if (what != MISSING) w = sparcl_build_parameter(b, "w", 2, size, NULL);
    if (what == TWICE) w = sparcl_build_parameter(b, "w", 2, shape, NULL);
    if (what == UNKNOWN_NAME) w = sparcl_build_parameter(b, "u", 2, shape, NULL);
    if (what == NO_PARAMETER_READ) w = sparcl_graph_dense(b->graph, "in", 2, shape);
    if (what == IN_F64) { /* the scores do not read it */
        sparcl_graph_set_dtype(b->graph, SPARCL_F32);
        w = sparcl_graph_dense(b->graph, "in", 2, shape);
    }
    if (what != NO_SCORES) b->scores = sparcl_graph_spmm(b->graph, b->x, w);
    if (what == SCALAR_LOSS)
        b->losses =
            sparcl_graph_mean(b->graph, sparcl_graph_loss(b->graph, b->loss, b->scores, b->labels));
    if (what == INPUT_AS_SCORES) b->scores = b->x;
    if (what == NO_SUCH_NODE) b->scores = 99;
    return SPARCL_OK;
}

static void wrong_forward_functions_are_refused(void **state) {
    static const char *const names[] = {"w", NULL};
    static const struct {
        mistake what;
        sparcl_status status;
        const char *part;
    } cases[] = {
        {NO_SCORES, SPARCL_E_ARG, "architecture wrong: build did not set the scores"},
        {UNKNOWN_NAME, SPARCL_E_ARG, "parameter u is not in the list of its parameters"},
        {MISSING, SPARCL_E_ARG, "parameter w is in its list, but build did not add it"},
        {TWICE, SPARCL_E_ARG, "parameter w was added twice"},
        {NOT_OURS, SPARCL_E_ARG, "use sparcl_build_parameter"},
        {NO_SHAPE, SPARCL_E_ARG, "parameter w has no shape"},
        {CHANGING, SPARCL_E_ARG, "parameter w has a size that changes"},
        {TOO_LARGE, SPARCL_E_MEMORY, "too large for any memory"},
        {OTHER_SHAPE, SPARCL_E_SHAPE, "x has 23 columns, w has 24 rows"},
        {OWN_STATUS, SPARCL_E_UNSUPPORTED, "architecture wrong: build returned"},
        {NO_PARAMETER_READ, SPARCL_E_ARG, "depends on no parameter"},
        {SCALAR_LOSS, SPARCL_E_SHAPE, "architecture wrong: the losses are mean"},
        {WIDE_SCORES, SPARCL_E_SHAPE, "architecture wrong: the scores are spmm"},
        {INPUT_AS_SCORES, SPARCL_E_SHAPE, "the scores are x"},
        {NO_SUCH_NODE, SPARCL_E_ARG, "node 99, expected 0 to"},
        {IN_F64, SPARCL_E_ARG, "parameter w is not F32"},
    };
    sparcl_data *data = make_data(SPARCL_LOSS_LOGISTIC, 4);
    sparcl_error error;
    for (size_t i = 0; i < COUNT(cases); ++i) {
        mistake what = cases[i].what;
        if (what == IN_F64 && !sparcl_ctx_device(*state)->has_f64) continue;
        const sparcl_architecture a = {
            .name = "wrong", .build = build_wrong, .parameters = names, .user = &what};
        const sparcl_train_desc desc = run_of(&a, SPARCL_LOSS_LOGISTIC, SPARCL_RULE_SGD);
        sparcl_model *model = (sparcl_model *)data;
        assert_failed(error, sparcl_train(*state, &model, data, NULL, &desc, NULL, &error),
                      cases[i].status, cases[i].part);
        assert_null(model);
    }
    assert_int_equal(sparcl_build_parameter(NULL, "w", 1, NULL, NULL), SPARCL_NO_NODE);
    sparcl_data_free(data);
}

static double no_metric(void *user, int64_t rows, int64_t outputs, const float *scores,
                        const float *targets) {
    (void)user, (void)rows, (void)outputs, (void)scores, (void)targets;
    return 0;
}

static void wrong_architectures_are_refused(void **state) {
    static const char *const none[] = {NULL}, *const twice[] = {"w", "v", "w", NULL};
    static const char *const bad_name[] = {"w", "a b", NULL}, *const empty[] = {"", NULL};
    static const char *const metadata[] = {"__metadata__", NULL};
    static const sparcl_metric no_function[] = {{"m", NULL}}, no_name[] = {{NULL, no_metric}};
    sparcl_data *data = make_data(SPARCL_LOSS_LOGISTIC, 4);
    sparcl_error error;
    sparcl_model *model = NULL;
#define REFUSED(violation, part)                                                                   \
    do {                                                                                           \
        sparcl_architecture x = two_layers();                                                      \
        sparcl_train_desc desc = run_of(&x, SPARCL_LOSS_LOGISTIC, SPARCL_RULE_SGD);                \
        violation;                                                                                 \
        assert_failed(error, sparcl_train(*state, &model, data, NULL, &desc, NULL, &error),        \
                      SPARCL_E_ARG, part);                                                         \
    } while (0)
    REFUSED(x.name = NULL, "train: the architecture's name is not 1 to 47");
    REFUSED(x.name = "", "name is not");
    REFUSED(x.name = "a/b", "name is not");
    REFUSED(x.name = "linear", "is linear, which is a model of the library");
    REFUSED(x.name = "parameters", "or it is parameters");
    REFUSED(x.name = "0123456789012345678901234567890123456789abcdefgh", "name is not 1 to 47");
    REFUSED(x.settings = "a\nb", "the settings are not up to 255 characters of printable ASCII");
    REFUSED(x.build = NULL, "architecture two-layers: build is NULL");
    REFUSED(x.parameters = NULL, "its list of parameters is empty");
    REFUSED(x.parameters = none, "its list of parameters is empty");
    REFUSED(x.parameters = twice, "two parameters are named w");
    REFUSED(x.parameters = bad_name, "the name of parameter 1");
    REFUSED(x.parameters = empty, "the name of parameter 0");
    REFUSED(x.parameters = metadata, "the name of parameter 0");
    REFUSED(x.metric_count = -1, "metric_count is -1, expected 0 to 8");
    REFUSED(x.metric_count = 9, "metric_count is 9");
    REFUSED(x.metric_count = 1, "metric 0 has no name or no function");
    REFUSED((x.metric_count = 1, x.metrics = no_function), "metric 0 has no");
    REFUSED((x.metric_count = 1, x.metrics = no_name), "metric 0 has no");
    REFUSED(x.size = 1, "size is 1, expected 0 or ");
    REFUSED(desc.no_bias = 1, "train: no_bias is set");
#undef REFUSED
    sparcl_data_free(data);
}

static void init_not_finite(void *user, uint64_t seed, int parameter, int rank,
                            const int64_t *shape, float *values) {
    (void)user, (void)seed, (void)rank, (void)shape;
    if (parameter == 3) values[0] = NAN;
}

static void values_that_are_not_finite_end_the_run(void **state) {
    sparcl_data *data = make_data(SPARCL_LOSS_LOGISTIC, 4);
    sparcl_architecture a = two_layers();
    a.init = init_not_finite;
    sparcl_train_desc desc = run_of(&a, SPARCL_LOSS_LOGISTIC, SPARCL_RULE_SGD);
    sparcl_model *model = NULL;
    sparcl_error error;
    assert_failed(error, sparcl_train(*state, &model, data, NULL, &desc, NULL, &error),
                  SPARCL_E_DIVERGED, "the loss of pass 1");
    desc.epochs = 0;
    assert_failed(error, sparcl_train(*state, &model, data, NULL, &desc, NULL, &error),
                  SPARCL_E_DIVERGED, "b2 [0] is not a finite number");
    assert_null(model);
    sparcl_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_forward_functions_are_refused),
        cmocka_unit_test(wrong_architectures_are_refused),
        cmocka_unit_test(values_that_are_not_finite_end_the_run),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
