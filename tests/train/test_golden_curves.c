/* test_golden_curves.c: trains the models that PyTorch can express with the data, initial values,
 * order of rows and negative samples of tests/golden/curves, and compares the loss of each of 50
 * steps. */
#include "model_gradient_test.h"
#include "sparcl/optim_text.h"
#include "train/run.h"

enum { STEPS = 50, MAX_NODES = 128 };

/* Of the loss; tests/golden/README.md says why. */
static const double bound = 4e-6;

typedef struct curve {
    const char *name;
    char model[80], data[40], edges[40], own[80];
    sparcl_train_desc desc;
    int64_t nodes[MAX_NODES];
    int node_count, steps;
    double losses[STEPS];
} curve;

/* --- the losses of each step ------------------------------------------------------------------ */

static double sums[STEPS + 1];
static int64_t sum_count, rows_of[STEPS + 1];

sparcl_status __real_spc_run_pass_loss(spc_run *run, double *sum, sparcl_error *error);
sparcl_status __wrap_spc_run_pass_loss(spc_run *run, double *sum, sparcl_error *error);

/* Called at the end of a pass: keep the sums of its steps. */
sparcl_status __wrap_spc_run_pass_loss(spc_run *run, double *sum, sparcl_error *error) {
    float values[STEPS + 1];
    assert_true(run->steps <= STEPS);
    assert_int_equal(sparcl_dense_read(run->ctx, &run->step_losses, values), SPARCL_OK);
    for (int64_t s = 0; s < run->steps && sum_count < STEPS; ++s)
        sums[sum_count++] = (double)values[s];
    return __real_spc_run_pass_loss(run, sum, error);
}

/* Called after each step: how many rows it had. */
static int count_rows(void *user, const sparcl_train_progress *now) {
    (void)user;
    if (now->step <= STEPS) rows_of[now->step] = now->rows;
    return 0;
}

/* --- files ------------------------------------------------------------------------------------ */

static void read_nodes(curve *c, char *text) {
    for (char *at = strtok(text, " \n"); at; at = strtok(NULL, " \n")) {
        assert_true(c->node_count < MAX_NODES);
        c->nodes[c->node_count++] = strtoll(at, NULL, 10);
    }
}

static void copy(char *to, size_t capacity, const char *from) {
    assert_true(strlen(from) < capacity);
    strcpy(to, from);
}

static void read_optimizers(curve *c, const char *key, const char *value) {
    static sparcl_parameter_optim own[SPARCL_PARAMETER_OPTIMS];
    sparcl_error error = {0};
    if (strcmp(key, "optimizer") == 0)
        assert_done(error, sparcl_optim_parse(&c->desc.optim, value, &error));
    if (strcmp(key, "own") != 0) return;
    assert_done(error,
                sparcl_parameter_optims_parse(own, &c->desc.parameter_optim_count, value, &error));
    c->desc.parameter_optims = own;
}

static void read_setting(curve *c, const char *key, char *value) {
    sparcl_error error = {0};
    if (strcmp(key, "model") == 0) copy(c->model, sizeof c->model, value);
    if (strcmp(key, "data") == 0) copy(c->data, sizeof c->data, value);
    if (strcmp(key, "edges") == 0) copy(c->edges, sizeof c->edges, value);
    if (strcmp(key, "nodes") == 0) read_nodes(c, value);
    if (strcmp(key, "loss") == 0)
        assert_done(error, sparcl_loss_parse(&c->desc.loss, value, &error));
    if (strcmp(key, "l2") == 0) c->desc.l2 = strtod(value, NULL);
    if (strcmp(key, "clip_global_norm") == 0) c->desc.clip_global_norm = strtod(value, NULL);
    if (strcmp(key, "batch") == 0) c->desc.batch = strtoll(value, NULL, 10);
    if (strcmp(key, "epochs") == 0) c->desc.epochs = strtoll(value, NULL, 10);
    if (strcmp(key, "seed") == 0) c->desc.seed = strtoull(value, NULL, 10);
    read_optimizers(c, key, value);
}

static void read_curve(curve *c, const char *name) {
    char path[512], line[1024], key[32];
    int used = 0, step = 0;
    *c = (curve){.name = name};
    sparcl_train_init(&c->desc, SPARCL_RULE_SGD);
    snprintf(path, sizeof path, "%s/curves/losses.txt", GOLDEN_DIR);
    FILE *const file = fopen(path, "r");
    if (!file) fail_msg("%s cannot be opened", path);
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "== %31s", key) == 1 && strcmp(key, name) == 0) break;
    while (fgets(line, sizeof line, file) && sscanf(line, "%31s %n", key, &used) == 1 &&
           strcmp(key, "==") != 0) {
        line[strcspn(line, "\n")] = '\0';
        if (strcmp(key, "step") != 0) {
            read_setting(c, key, line + used);
            continue;
        }
        assert_int_equal(sscanf(line + used, "%d %lf", &step, &c->losses[c->steps]), 2);
        assert_int_equal(step, ++c->steps);
    }
    fclose(file);
    assert_int_equal(c->steps, STEPS);
}

static sparcl_data *read_data(const char *name) {
    const sparcl_data_desc desc = {0};
    char path[512];
    sparcl_data *data = NULL;
    sparcl_error error = {0};
    if (!*name) return NULL;
    snprintf(path, sizeof path, "%s/curves/%s", GOLDEN_DIR, name);
    assert_done(error, sparcl_data_read(&data, path, &desc, &error));
    return data;
}

/* --- comparing -------------------------------------------------------------------------------- */

static void train(sparcl_ctx *ctx, curve *c) {
    const sparcl_architecture *const a = must_parse(c->model);
    sparcl_data *const data = read_data(c->data), *const edges = read_data(c->edges);
    const sparcl_train_nodes nodes = {
        .edges = edges, .train = c->nodes, .train_count = c->node_count};
    c->desc.architecture = a;
    c->desc.nodes = edges ? &nodes : NULL;
    c->desc.progress = count_rows;
    sum_count = 0;
    memset(rows_of, 0, sizeof rows_of);
    sparcl_model_free(must_train(ctx, data, NULL, &c->desc, NULL));
    assert_int_equal(sum_count, STEPS);
    sparcl_architecture_free(a);
    sparcl_data_free(data);
    sparcl_data_free(edges);
}

static void check_curve(sparcl_ctx *ctx, const char *name) {
    curve c;
    double worst = 0;
    read_curve(&c, name);
    train(ctx, &c);
    for (int i = 0; i < STEPS; ++i) {
        const double loss = sums[i] / (double)(rows_of[i + 1] - rows_of[i]);
        const double off = fabs(loss - c.losses[i]) / c.losses[i];
        worst = fmax(worst, off);
        if (!(off <= bound))
            fail_msg("%s: step %d: loss %.9g, PyTorch's is %.9g", name, i + 1, loss, c.losses[i]);
    }
    assert_true(c.losses[STEPS - 1] < 0.98 * c.losses[0]); /* it has learnt something */
    print_message("           %-16s at most %.2g off\n", name, worst);
}

static void linear_models_have_the_losses_of_pytorch(void **state) {
    static const char *const names[] = {"linear_logistic", "linear_softmax", "linear_squared",
                                        "linear_poisson", "linear_hinge"};
    for (size_t i = 0; i < SPC_COUNT(names); ++i)
        check_curve(*state, names[i]);
}

static void other_models_of_rows_have_the_losses_of_pytorch(void **state) {
    static const char *const names[] = {"fm", "mlp", "mlp_clipped", "wide_deep", "autoencoder"};
    for (size_t i = 0; i < SPC_COUNT(names); ++i)
        check_curve(*state, names[i]);
}

static void models_of_nodes_have_the_losses_of_pytorch(void **state) {
    static const char *const names[] = {"gcn", "bpr", "lightgcn"};
    for (size_t i = 0; i < SPC_COUNT(names); ++i)
        check_curve(*state, names[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_models_have_the_losses_of_pytorch),
        cmocka_unit_test(other_models_of_rows_have_the_losses_of_pytorch),
        cmocka_unit_test(models_of_nodes_have_the_losses_of_pytorch),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
