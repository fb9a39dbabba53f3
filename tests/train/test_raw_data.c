/* test_raw_data.c: on columns and labels that nobody has scaled, L-BFGS ends at the minimum that
 * Newton's method finds in double, or says that it does not. */
#include "train_test.h"

enum { RAW_ROWS = 400, RAW_COLUMNS = 4, CLASSES = 3, MOST = (RAW_COLUMNS + 1) * CLASSES };

/* --- data ------------------------------------------------------------------------------------- */

typedef struct raw {
    float x[RAW_ROWS * RAW_COLUMNS];
    float weights[RAW_ROWS];
    double y[RAW_ROWS];
    int32_t indices[RAW_ROWS * RAW_COLUMNS];
    int64_t offsets[RAW_ROWS + 1];
} raw;

/* How a plain column x, about from -1 to 1, becomes that of a table: x * scale + offset. */
typedef struct table {
    const char *name;
    double scale[RAW_COLUMNS], offset[RAW_COLUMNS];
} table;

static const table tables[] = {
    {"plain", {1, 1, 1, 1}, {0, 0, 0, 0}},
    {"years and areas", {35, 140, 1, 3}, {1985, 160, 0, 5}},
    {"offsets of 1e6", {1, 2, 3, 1}, {1e6, 1e6, -1e6, 1e5}},
    {"scales from 1e-6 to 1e6", {1e-6, 1, 1e6, 1e3}, {0, 0, 0, 0}},
    {"scales and offsets", {1e-6, 1e3, 1e6, 1}, {1e-3, 1e5, 1e9, 300}},
};

static double uniform(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 4503599627370496.0 - 1;
}

/* Labels follow from the plain columns; `scale` and `offset` are of those of squared loss. */
static double label_of(sparcl_loss loss, double line, double noise, double scale, double offset) {
    if (loss == SPARCL_LOSS_SQUARED) return offset + scale * (line + noise);
    if (loss == SPARCL_LOSS_LOGISTIC) return line + 2 * noise > 0;
    if (loss == SPARCL_LOSS_POISSON) return floor(exp(line / 2) + noise + 1);
    return line + noise > 1 ? 2 : line + noise > -1;
}

static raw *make_raw(const table *t, sparcl_loss loss, double scale, double offset) {
    static const double line_of[RAW_COLUMNS] = {1, -2, 0.5, 1.5};
    raw *const r = calloc(1, sizeof *r);
    uint64_t state = 7;
    assert_non_null(r);
    for (int64_t i = 0; i < RAW_ROWS; ++i) {
        double line = 0;
        for (int64_t j = 0; j < RAW_COLUMNS; ++j) {
            const double value = uniform(&state);
            line += line_of[j] * value;
            r->x[i * RAW_COLUMNS + j] = (float)(value * t->scale[j] + t->offset[j]);
            r->indices[i * RAW_COLUMNS + j] = (int32_t)j;
        }
        r->y[i] = label_of(loss, line, uniform(&state), scale, offset);
        r->weights[i] = i % 3 == 0 ? 2 : 0.5F;
        r->offsets[i + 1] = (i + 1) * RAW_COLUMNS;
    }
    return r;
}

static sparcl_data *data_of(const raw *r, bool weighs) {
    const sparcl_data_arrays arrays = {.rows = RAW_ROWS,
                                       .columns = RAW_COLUMNS,
                                       .offsets = r->offsets,
                                       .indices = r->indices,
                                       .values = r->x,
                                       .labels = r->y,
                                       .weights = weighs ? r->weights : NULL};
    sparcl_data *data = NULL;
    sparcl_error error = {0};
    assert_done(error, sparcl_data_create(&data, &arrays, &error));
    return data;
}

/* --- the minimum, in double ------------------------------------------------------------------- */

typedef struct problem {
    const raw *r;
    sparcl_loss loss;
    double l2;
    bool weighs;
    int outputs;
    double mean[RAW_COLUMNS], scale[RAW_COLUMNS], level; /* of columns, of labels */
    double mean_weight;
} problem;

/* Their mean is 1. */
static double weight_at(const problem *p, int64_t i) {
    return p->weighs ? (double)p->r->weights[i] / p->mean_weight : 1;
}

/* The loss of a row by its scores, its first derivatives and the second ones. */
static double row_loss(const problem *p, const double *s, double y, double *g,
                       double h[CLASSES][CLASSES]) {
    if (p->loss == SPARCL_LOSS_SQUARED) return g[0] = s[0] - y, h[0][0] = 1, g[0] * g[0] / 2;
    if (p->loss == SPARCL_LOSS_POISSON) {
        const double e = exp(s[0]);
        return g[0] = e - y, h[0][0] = e, e - y * s[0];
    }
    if (p->loss == SPARCL_LOSS_LOGISTIC) {
        const double q = 1 / (1 + exp(-s[0]));
        return g[0] = q - y, h[0][0] = q * (1 - q),
               log1p(exp(-fabs(s[0]))) + fmax(s[0], 0) - y * s[0];
    }
    double z = 0, q[CLASSES];
    for (int k = 0; k < CLASSES; ++k)
        z += exp(s[k]);
    for (int k = 0; k < CLASSES; ++k)
        q[k] = exp(s[k]) / z, g[k] = q[k] - (k == (int)y);
    for (int k = 0; k < CLASSES; ++k)
        for (int o = 0; o < CLASSES; ++o)
            h[k][o] = q[k] * ((k == o) - q[o]);
    return log(z) - s[(int)y];
}

/* Of parameters of centred and scaled columns, v [RAW_COLUMNS + 1, outputs]; g, h: NULL or not. */
static double objective_at(const problem *p, const double *v, double *g, double (*h)[MOST]) {
    const int outputs = p->outputs, n = (RAW_COLUMNS + 1) * outputs;
    double value = 0;
    if (g) memset(g, 0, sizeof(double) * MOST), memset(h, 0, sizeof(double) * MOST * MOST);
    for (int64_t i = 0; i < RAW_ROWS; ++i) {
        double z[RAW_COLUMNS + 1], s[CLASSES] = {0}, d[CLASSES], dd[CLASSES][CLASSES];
        const double weight = weight_at(p, i) / RAW_ROWS;
        for (int j = 0; j <= RAW_COLUMNS; ++j) {
            z[j] = j == RAW_COLUMNS
                       ? 1
                       : ((double)p->r->x[i * RAW_COLUMNS + j] - p->mean[j]) / p->scale[j];
            for (int k = 0; k < outputs; ++k)
                s[k] += z[j] * v[j * outputs + k];
        }
        value += weight * row_loss(p, s, p->r->y[i] - p->level, d, dd);
        for (int a = 0; g && a < n; ++a) {
            g[a] += weight * d[a % outputs] * z[a / outputs];
            for (int b = 0; b < n; ++b)
                h[a][b] += weight * dd[a % outputs][b % outputs] * z[a / outputs] * z[b / outputs];
        }
    }
    for (int a = 0; a < RAW_COLUMNS * outputs; ++a) {
        const double penalty = p->l2 / p->scale[a / outputs] / p->scale[a / outputs];
        value += penalty * v[a] * v[a] / 2;
        if (g) g[a] += penalty * v[a], h[a][a] += penalty;
    }
    return value;
}

/* x := h^-1 x; h of softmax is singular, so its diagonal grows a little. */
static void solve(double (*h)[MOST], double *x, int n) {
    for (int i = 0; i < n; ++i)
        h[i][i] *= 1 + 1e-9;
    for (int i = 0; i < n; ++i)
        for (int k = i + 1; k < n; ++k) {
            const double factor = h[k][i] / h[i][i];
            for (int j = i; j < n; ++j)
                h[k][j] -= factor * h[i][j];
            x[k] -= factor * x[i];
        }
    for (int i = n - 1; i >= 0; --i) {
        for (int j = i + 1; j < n; ++j)
            x[i] -= h[i][j] * x[j];
        x[i] /= h[i][i];
    }
}

static void standardize(problem *p) {
    for (int j = 0; j < RAW_COLUMNS; ++j) {
        double squares = 0;
        p->mean[j] = 0;
        for (int64_t i = 0; i < RAW_ROWS; ++i)
            p->mean[j] += (double)p->r->x[i * RAW_COLUMNS + j] / RAW_ROWS;
        for (int64_t i = 0; i < RAW_ROWS; ++i)
            squares += pow((double)p->r->x[i * RAW_COLUMNS + j] - p->mean[j], 2) / RAW_ROWS;
        p->scale[j] = sqrt(squares);
    }
    for (int64_t i = 0; i < RAW_ROWS; ++i)
        p->mean_weight += (double)p->r->weights[i] / RAW_ROWS;
    for (int64_t i = 0; p->loss == SPARCL_LOSS_SQUARED && i < RAW_ROWS; ++i)
        p->level += p->r->y[i] / RAW_ROWS;
}

static double minimum_of(const problem *p) {
    double v[MOST] = {0}, next[MOST], g[MOST], h[MOST][MOST];
    double value = objective_at(p, v, g, h);
    for (int step = 0; step < 100; ++step) {
        double length = 1;
        const int n = (RAW_COLUMNS + 1) * p->outputs;
        solve(h, g, n);
        for (double found = INFINITY; !(found <= value) && length > 1e-6; length /= 2) {
            for (int a = 0; a < n; ++a)
                next[a] = v[a] - length * g[a];
            found = objective_at(p, next, NULL, NULL);
        }
        memcpy(v, next, sizeof v);
        value = objective_at(p, v, g, h);
    }
    return value;
}

/* The objective of a model, computed with the weights of its file. */
static double objective_of(const problem *p, const sparcl_model *model) {
    double v[MOST];
    const float *const w = sparcl_model_weights(model), *const b = sparcl_model_bias(model);
    for (int k = 0; k < p->outputs; ++k) {
        double level = (double)b[k] - p->level;
        for (int j = 0; j < RAW_COLUMNS; ++j) {
            v[j * p->outputs + k] = (double)w[j * p->outputs + k] * p->scale[j];
            level += p->mean[j] * (double)w[j * p->outputs + k];
        }
        v[RAW_COLUMNS * p->outputs + k] = level;
    }
    return objective_at(p, v, NULL, NULL);
}

/* --- L-BFGS ----------------------------------------------------------------------------------- */

static sparcl_train_desc run_of(const problem *p) {
    return (sparcl_train_desc){.loss = p->loss,
                               .optim = OPTIM(.lr = 0.1),
                               .solver = SPARCL_SOLVER_LBFGS,
                               .l2 = p->l2,
                               .epochs = 1000,
                               .tolerance = 1e-6};
}

static problem problem_of(const raw *r, sparcl_loss loss, double l2, bool weighs) {
    problem p = {.r = r, .loss = loss, .l2 = l2, .weighs = weighs};
    p.outputs = loss == SPARCL_LOSS_SOFTMAX ? CLASSES : 1;
    standardize(&p);
    return p;
}

/* Train; how far the model is above the minimum, relative to it. */
static double train_raw(sparcl_ctx *ctx, const problem *p, const sparcl_train_desc *desc,
                        sparcl_train_result *result) {
    sparcl_data *const data = data_of(p->r, p->weighs);
    sparcl_model *const model = must_train(ctx, data, NULL, desc, result);
    const double minimum = minimum_of(p), above = objective_of(p, model) / minimum - 1;
    assert_true(above > -1e-8);
    assert_true(fabs(result->objective / minimum - 1 - above) < 2e-6);
    sparcl_model_free(model);
    sparcl_data_free(data);
    return above;
}

static void the_minimum_of_raw_columns_is_reached(void **state) {
    static const sparcl_loss of_linear[] = {SPARCL_LOSS_SQUARED, SPARCL_LOSS_LOGISTIC,
                                            SPARCL_LOSS_SOFTMAX, SPARCL_LOSS_POISSON};
    for (size_t t = 0; t < COUNT(tables); ++t)
        for (size_t k = 0; k < 3 * COUNT(of_linear); ++k) {
            const sparcl_loss loss = of_linear[k % COUNT(of_linear)];
            const double l2 = k < COUNT(of_linear) ? 0 : 0.01;
            raw *const r = make_raw(&tables[t], loss, 1, 0);
            const problem p = problem_of(r, loss, l2, k >= 2 * COUNT(of_linear));
            const sparcl_train_desc desc = run_of(&p);
            sparcl_train_result result;
            const double above = train_raw(*state, &p, &desc, &result);
            if (!(result.converged && above < 1e-6))
                fail_msg("%s, %s, l2 %g: %.1e above the minimum, converged %d", tables[t].name,
                         sparcl_loss_name(loss), l2, above, result.converged);
            assert_true(result.relative_gradient < 1e-3 && result.lost_by_rounding == 0);
            free(r);
        }
}

/* The unit of floats at 1e6 is 0.06: labels there differ, not each bias. */
static void labels_of_any_size_are_reached_as_far_as_floats_go(void **state) {
    static const double sizes[][2] = {{1e6, 0}, {1e6, 1e6}, {1e-6, 0}, {1, 1000}, {20, 2000}};
    for (size_t i = 0; i < COUNT(sizes); ++i) {
        raw *const r = make_raw(&tables[1], SPARCL_LOSS_SQUARED, sizes[i][0], sizes[i][1]);
        const problem p = problem_of(r, SPARCL_LOSS_SQUARED, 0, false);
        const sparcl_train_desc desc = run_of(&p);
        sparcl_train_result result;
        assert_true(train_raw(*state, &p, &desc, &result) < 1e-6 && result.converged);
        free(r);
    }
}

static void a_minimum_that_floats_cannot_have_is_not_converged(void **state) {
    raw *const r = make_raw(&tables[0], SPARCL_LOSS_SQUARED, 1, 1e7 + 0.3);
    const problem p = problem_of(r, SPARCL_LOSS_SQUARED, 0, false);
    const sparcl_train_desc desc = run_of(&p);
    sparcl_train_result result;
    const double above = train_raw(*state, &p, &desc, &result);
    print_message("           rounding adds %.1e\n", result.lost_by_rounding);
    assert_true(above > 1e-6 && !result.converged && result.lost_by_rounding > 0);
    free(r);
}

static void a_tolerance_out_of_reach_is_not_converged(void **state) {
    raw *const r = make_raw(&tables[1], SPARCL_LOSS_LOGISTIC, 1, 0);
    const problem p = problem_of(r, SPARCL_LOSS_LOGISTIC, 0.01, false);
    sparcl_train_desc desc = run_of(&p);
    sparcl_train_result result;
    desc.tolerance = 1e-14;
    assert_true(train_raw(*state, &p, &desc, &result) < 1e-6 && !result.converged);
    assert_true(result.relative_gradient > 1e-14);
    desc = run_of(&p);
    desc.epochs = 2;
    (void)train_raw(*state, &p, &desc, &result);
    assert_true(!result.converged && result.epochs == 2 && result.relative_gradient > 1e-6 &&
                result.expected_decrease > 0);
    free(r);
}

static void dependent_columns_converge_with_l1(void **state) {
    raw *const r = make_raw(&tables[0], SPARCL_LOSS_LOGISTIC, 1, 0);
    for (int64_t i = 0; i < RAW_ROWS; ++i) {
        float *const x = r->x + i * RAW_COLUMNS;
        x[3] = x[0] - 2 * x[1] + 0.05F * x[3];
    }
    const problem p = problem_of(r, SPARCL_LOSS_LOGISTIC, 0, false);
    sparcl_train_desc desc = run_of(&p);
    desc.epochs = 200;
    for (desc.l1 = 0.001; desc.l1 < 0.2; desc.l1 *= 10) {
        sparcl_train_result result;
        sparcl_error error = {0};
        sparcl_model *model = NULL;
        sparcl_data *const data = data_of(r, false);
        assert_done(error, sparcl_train(*state, &model, data, NULL, &desc, &result, &error));
        print_message("           l1 %g: %d iterations, gradient %.1e\n", desc.l1,
                      (int)result.epochs, result.relative_gradient);
        assert_true(result.converged);
        sparcl_model_free(model);
        sparcl_data_free(data);
    }
    free(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_minimum_of_raw_columns_is_reached),
        cmocka_unit_test(labels_of_any_size_are_reached_as_far_as_floats_go),
        cmocka_unit_test(a_minimum_that_floats_cannot_have_is_not_converged),
        cmocka_unit_test(a_tolerance_out_of_reach_is_not_converged),
        cmocka_unit_test(dependent_columns_converge_with_l1),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
