/* test_golden.c: the optimizers of other systems, as they computed (tests/golden): each step from
 * the arrays that the system had before it. How near we must come is in the table of
 * tests/golden/README.md: as near as its own formula with every operation rounded by itself.
 *
 *     test_golden [PREFIX]     only the files whose names begin so */
#include "golden_sources.h"
#include "spec/optim/half_states.h"
#include "spec/shared/stored.h"

/* --- a step on the device -------------------------------------------------------------------- */

static sparcl_dense put_array(sparcl_ctx *ctx, const golden_array *a, int step,
                              sparcl_dtype dtype) {
    float x[GOLDEN_ROWS * GOLDEN_COLUMNS]; /* or elements of 16 bits */
    const int64_t count = a->rows * a->columns;
    for (int64_t i = 0; i < count; ++i)
        spec_encode(dtype, x, i, a->at[step][i]);
    return (sparcl_dense){.rank = 2,
                          .dtype = dtype,
                          .shape = {a->rows, a->columns},
                          .values = put(ctx, x, count * (int64_t)sizeof *x)};
}

static void step_rows(sparcl_ctx *ctx, const golden *g, int t, const sparcl_optim *o,
                      const sparcl_dense *table, const sparcl_dense *states) {
    sparcl_rows rows = {.rank = 2,
                        .shape = {g->array[0].rows, g->width},
                        .nnr = g->count[t],
                        .index_type = SPARCL_INDEX64,
                        .proof.flags = SPARCL_TRUSTED};
    rows.indices = put(ctx, g->ids[t], (g->count[t] + 1) * 8);
    rows.values = put(ctx, g->rows[t], (g->count[t] + 1) * g->width * 4);
    assert_ok(ctx, sparcl_step(ctx, o, table, states, &rows));
    sparcl_rows_free(&rows);
}

/* The rows of one id are added in the order stored; other rows are 0. */
static void step_dense(sparcl_ctx *ctx, const golden *g, int t, const sparcl_optim *o,
                       const sparcl_dense *table, const sparcl_dense *states) {
    float x[GOLDEN_ROWS * GOLDEN_COLUMNS] = {0};
    bool seen[GOLDEN_ROWS] = {false};
    for (int64_t k = 0; k < g->count[t]; ++k) {
        float *const to = x + g->ids[t][k] * g->width;
        for (int64_t j = 0; j < g->width; ++j)
            to[j] = seen[g->ids[t][k]] ? to[j] + g->rows[t][k * g->width + j]
                                       : g->rows[t][k * g->width + j];
        seen[g->ids[t][k]] = true;
    }
    sparcl_dense gradient = *table;
    gradient.values = put(ctx, x, g->array[0].rows * g->width * 4);
    assert_ok(ctx, sparcl_step_dense(ctx, o, table, states, &gradient));
    sparcl_dense_free(&gradient);
}

/* --- how near -------------------------------------------------------------------------------- */

typedef struct nearness {
    int equal, all;
    double ulp; /* the largest difference of a weight, in ulp of the larger before and after */
} nearness;

static double ulp_of(double x) {
    return nextafterf(fabsf((float)x), INFINITY) - (double)fabsf((float)x);
}

static void compare(sparcl_ctx *ctx, const sparcl_dense *found, const golden_array *a, int t,
                    bool is_weight, nearness *near) {
    float x[GOLDEN_ROWS * GOLDEN_COLUMNS];
    const int64_t bytes = a->rows * a->columns * (int64_t)sparcl_dtype_size(found->dtype);
    assert_ok(ctx, sparcl_buf_read(ctx, found->values, 0, bytes, x));
    for (int64_t i = 0; i < a->rows * a->columns; ++i) {
        const float got = (float)spec_decode(found->dtype, x, i), want = (float)a->at[t][i];
        const double larger = fmax(fabs(a->at[t][i]), fabs(a->at[t - 1][i]));
        ++near->all;
        near->equal += memcmp(&got, &want, sizeof got) == 0 || (isnan(got) && isnan(want));
        if (is_weight && !isnan(want))
            near->ulp = fmax(near->ulp, fabs((double)got - (double)want) / ulp_of(larger));
    }
}

/* NULL where the system has none: LARS without momentum. */
static const golden_array *find_array(const golden *g, const char *name) {
    for (int n = 0; n < g->arrays; ++n)
        if (strcmp(g->array[n].name, name) == 0) return &g->array[n];
    if (strcmp(g->optimizer, "mxnet.optimizer.LARS") != 0)
        fail_msg("%s has no array %s", g->name, name);
    return NULL;
}

static sparcl_dense put_state(sparcl_ctx *ctx, const golden *g, const char *name, int step,
                              sparcl_dtype dtype) {
    const golden_array *const a = find_array(g, name);
    if (a) return put_array(ctx, a, step, dtype);
    sparcl_dense zeros = {.rank = 2, .shape = {g->array[0].rows, g->array[0].columns}};
    assert_ok(ctx, sparcl_dense_zeros(ctx, &zeros));
    return zeros;
}

static nearness repeat(sparcl_ctx *ctx, const golden *g, const source *s) {
    sparcl_optim o = optim_of(g, s);
    const int count = sparcl_rule_states(o.rule);
    nearness near = {0};
    for (int t = 1; t <= GOLDEN_STEPS; ++t) {
        sparcl_dense table = put_array(ctx, &g->array[0], t - 1, SPARCL_F32);
        sparcl_dense states[SPARCL_MAX_STATES];
        for (int i = 0; i < count; ++i) {
            const sparcl_dtype dtype = spec_state_dtype(&o, i, SPARCL_F32);
            states[i] = put_state(ctx, g, s->states[i], t - 1, dtype);
            if (sparcl_rule_state_is_row(o.rule, i)) states[i].rank = 1;
        }
        o.step = t;
        if (golden_flag(g, "momentum_correction") && t > 1) o.momentum.last_lr = g->lr[t - 1];
        o.lr = s->adjust == mxnet_no_rate ? 1 : g->lr[t];
        (g->is_dense ? step_dense : step_rows)(ctx, g, t, &o, &table, states);
        compare(ctx, &table, &g->array[0], t, true, &near);
        sparcl_dense_free(&table);
        for (int i = 0; i < count; ++i) {
            if (find_array(g, s->states[i]))
                compare(ctx, &states[i], find_array(g, s->states[i]), t, false, &near);
            sparcl_dense_free(&states[i]);
        }
    }
    return near;
}

/* The line of a file in the table of README.md: "equal of all" and "ulp of w", every operation
 * rounded by itself. */
static nearness expected_of(const char *name) {
    char path[512], line[512], wanted[96];
    nearness near = {.equal = -1};
    snprintf(path, sizeof path, "%s/README.md", GOLDEN_DIR);
    snprintf(wanted, sizeof wanted, "| `%s` |", name);
    FILE *const file = fopen(path, "r");
    assert_non_null(file);
    while (near.equal < 0 && fgets(line, sizeof line, file))
        if (strncmp(line, wanted, strlen(wanted)) == 0 &&
            sscanf(line + strlen(wanted), " %*[^|]| %*[^|]| %d of %d | %lf", &near.equal, &near.all,
                   &near.ulp) != 3)
            fail_msg("%s: cannot read %s", path, line);
    fclose(file);
    if (near.equal < 0) fail_msg("README.md has no line of %s", name);
    return near;
}

static int compare_file(sparcl_ctx *ctx, const char *name) {
    golden *const g = read_golden(name);
    const source *const s = find_source(g);
    int wrong = 0;
    if (s && !why_left_out(name)) {
        const nearness want = expected_of(name), found = repeat(ctx, g, s);
        const double allowed = allowed_ulp(name);
        wrong = allowed >= 0 ? found.ulp > allowed
                             : found.all - found.equal > want.all - want.equal ||
                                   found.ulp > want.ulp * 1.05; /* the table has two digits */
        printf("%-45s %d of %d, %.4g ulp; expected %d of %d, %g ulp%s\n", name, found.equal,
               found.all, found.ulp, want.equal, want.all, want.ulp, wrong ? "  WRONG" : "");
    } else {
        printf("%-45s not compared: %s\n", name, s ? why_left_out(name) : "no rule yet");
    }
    free(g);
    return wrong;
}

/* The names of the sections to compare begin with it. */
static const char *prefix = "";

static bool is_compared(const char *name) {
    return !strstr(name, "refuses") && strncmp(name, prefix, strlen(prefix)) == 0;
}

static void steps_are_those_of_the_systems(void **state) {
    static const char *const systems[] = {"addons", "dgl", "fbgemm", "keras",
                                          "mxnet",  "tf",  "tf1",    "torch"};
    int wrong = 0, count = 0;
    for (size_t i = 0; i < sizeof systems / sizeof systems[0]; ++i) {
        char line[512], name[64];
        FILE *const file = open_golden_system(systems[i]);
        while (fgets(line, sizeof line, file)) {
            if (sscanf(line, "== %63s", name) != 1) continue;
            if (is_compared(name) && test_is_chosen(count, test_every(), 0))
                wrong += compare_file(*state, name);
            ++count;
        }
        fclose(file);
    }
    assert_true(count > 200);
    assert_int_equal(wrong, 0);
}

int main(int count, char **arguments) {
    if (count > 1) prefix = arguments[1];
    const struct CMUnitTest tests[] = {cmocka_unit_test(steps_are_those_of_the_systems)};
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
