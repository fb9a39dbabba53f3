/* tune_time.c: checks the candidates of a tunable for one class of inputs, then times them
 * alternately.
 */
#include "tune_time.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "bench_matrix.h"
#include "message.h"
#include "sparcl/optim_text.h"
#include "stop.h"

enum { MIN_ROUNDS = 7, MAX_ROUNDS = 200, MAX_CALLS = 1000 };
/* A turn is long enough that the resolution of the clock and the wait are negligible. */
static const double turn_seconds = 0.004;
/* A smaller gain does not justify another value. */
static const double min_gain = 1.01;
/* As the notch of a box plot, but for 99 %: the uncertainty of a median is this factor times the
 * interquartile range, divided by the square root of the number of measurements (McGill, Tukey,
 * Larsen 1978). */
static const double notch = 2.07;

typedef struct trial_run {
    sparcl_ctx *ctx;
    int tunable, input_class;
    const spec_bench *bench;
    spec_bench_call *call;
    tune_trials *trials;
    double seconds[TUNE_VALUES][MAX_ROUNDS]; /* per call */
    int rounds, calls;                       /* calls per turn */
} trial_run;

static exit_code failed(sparcl_ctx *ctx, sparcl_status status) {
    return status == SPARCL_E_MEMORY && sparcl_ctx_error(ctx)->status == SPARCL_OK
               ? out_of_memory()
               : report_device(ctx, sparcl_ctx_error(ctx));
}

static sparcl_status set_value(trial_run *t, int32_t value) {
    const sparcl_tuned tuned = {.value = value};
    return sparcl_tune_set(t->ctx, t->tunable, t->input_class, &tuned);
}

/* ---- the check ------------------------------------------------------------------------------ */

/* List the default, and the candidates that differ from it. */
static void list_values(const trial_run *t) {
    const sparcl_tunable *const about = sparcl_tune_at(t->tunable);
    const bool gpu = sparcl_ctx_class(t->ctx) == SPARCL_CLASS_GPU;
    *t->trials = (tune_trials){.count = 1};
    t->trials->at[0].value = about->defaults[gpu][t->input_class];
    for (int i = 0; i < about->candidate_count; i++)
        if (about->candidates[i] != t->trials->at[0].value)
            t->trials->at[t->trials->count++].value = about->candidates[i];
}

static exit_code check_value(trial_run *t, tune_trial *trial) {
    const sparcl_tunable *const about = sparcl_tune_at(t->tunable);
    spec_report found;
    sparcl_status status = set_value(t, trial->value);
    /* Discard the results of other values. */
    if (status == SPARCL_OK) status = spec_bench_reset(t->ctx, t->bench, t->call);
    sparcl_tune_reset_used(t->ctx);
    if (status == SPARCL_OK) status = spec_bench_run(t->ctx, t->bench, t->call);
    if (status == SPARCL_OK) status = spec_bench_check(t->ctx, t->bench, t->call, &found);
    if (status != SPARCL_OK) return failed(t->ctx, status);
    if (sparcl_tune_used(t->ctx, t->tunable, t->input_class)) t->trials->used = true;
    if (found.equal) return EXIT_OK;
    trial->refused = true;
    t->trials->refused++;
    print_error("%s, %s = %d for %s: the result is wrong, and the value is rejected: %s",
                t->bench->name, about->name, (int)trial->value, about->classes[t->input_class],
                found.why);
    return EXIT_OK;
}

static exit_code check_all(trial_run *t) {
    exit_code code = EXIT_OK;
    for (int i = 0; i < t->trials->count && code == EXIT_OK; i++)
        code = stop_was_requested() ? EXIT_INTERRUPTED : check_value(t, &t->trials->at[i]);
    return code;
}

/* ---- the times ------------------------------------------------------------------------------ */

static sparcl_status time_turn(trial_run *t, int i, double *seconds) {
    sparcl_status status = set_value(t, t->trials->at[i].value);
    const double begin = spc_clock();
    for (int call = 0; call < t->calls && status == SPARCL_OK; call++)
        status = spec_bench_run(t->ctx, t->bench, t->call);
    if (status == SPARCL_OK) status = sparcl_ctx_finish(t->ctx);
    *seconds = (spc_clock() - begin) / t->calls;
    return status;
}

/* Time each value once; the first one differs from round to round. */
static sparcl_status time_round(trial_run *t) {
    sparcl_status status = SPARCL_OK;
    for (int k = 0; k < t->trials->count && status == SPARCL_OK; k++) {
        const int i = (t->rounds + k) % t->trials->count;
        if (!t->trials->at[i].refused) status = time_turn(t, i, &t->seconds[i][t->rounds]);
    }
    t->rounds++;
    return status;
}

static exit_code time_all(trial_run *t, double seconds) {
    double once = 0;
    t->calls = 1;
    sparcl_status status = time_turn(t, 0, &once);
    if (status == SPARCL_OK) status = time_turn(t, 0, &once);
    t->calls = (int)fmin(MAX_CALLS, fmax(1, turn_seconds / fmax(once, 1e-7)));
    const double begin = spc_clock();
    while (status == SPARCL_OK && t->rounds < MAX_ROUNDS && !stop_was_requested() &&
           (t->rounds < MIN_ROUNDS || spc_clock() - begin < seconds))
        status = time_round(t);
    if (status != SPARCL_OK) return failed(t->ctx, status);
    return stop_was_requested() ? EXIT_INTERRUPTED : EXIT_OK;
}

/* ---- the choice ----------------------------------------------------------------------------- */

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const double *x, int count) {
    return 0.5 * (x[(count - 1) / 2] + x[count / 2]);
}

static void judge(trial_run *t, tune_trial *trial, const double *seconds) {
    double ratios[MAX_ROUNDS], sorted[MAX_ROUNDS];
    for (int r = 0; r < t->rounds; r++) {
        ratios[r] = t->seconds[0][r] / seconds[r];
        sorted[r] = seconds[r];
    }
    qsort(ratios, (size_t)t->rounds, sizeof *ratios, compare);
    qsort(sorted, (size_t)t->rounds, sizeof *sorted, compare);
    trial->seconds = median(sorted, t->rounds);
    trial->gain = median(ratios, t->rounds);
    trial->spread = notch * (ratios[(3 * t->rounds) / 4] - ratios[t->rounds / 4]) / sqrt(t->rounds);
}

/* If the default stays, its spread is that of the fastest other value. */
static void choose(trial_run *t) {
    tune_trials *const all = t->trials;
    double next = 0;
    for (int i = 0; i < all->count; i++) {
        tune_trial *const trial = &all->at[i];
        if (trial->refused) continue;
        judge(t, trial, t->seconds[i]);
        if (i > 0 && trial->gain > all->at[all->chosen].gain && trial->gain > min_gain &&
            trial->gain - trial->spread > 1)
            all->chosen = i;
        if (i > 0 && trial->gain > next) {
            next = trial->gain;
            all->at[0].spread = trial->spread;
        }
    }
}

/* ---- all steps ------------------------------------------------------------------------------ */

static exit_code try_values(trial_run *t, double seconds) {
    list_values(t);
    exit_code code = check_all(t);
    if (code != EXIT_OK) return code;
    if (t->trials->at[0].refused || !t->trials->used) return EXIT_OK;
    code = time_all(t, seconds);
    if (code == EXIT_OK) choose(t);
    return code;
}

exit_code tune_try(sparcl_ctx *ctx, int tunable, int input_class, const tune_case *c,
                   double seconds, tune_trials *trials) {
    bench_matrix m;
    sparcl_tuned old;
    trial_run *const t = calloc(1, sizeof *t);
    if (!t) return out_of_memory();
    exit_code code = bench_matrix_open(&m, NULL, c->matrix);
    spec_bench_input input = {.matrix = &m.matrix, .n = c->n};
    sparcl_optim_init(&input.optim, SPARCL_RULE_ADAM);
    spec_bench_call call = {.input = &input};
    *t = (trial_run){ctx, tunable, input_class, c->bench, &call, trials, {{0}}, 0, 1};
    if (code == EXIT_OK) {
        sparcl_status status = sparcl_tune_get(ctx, tunable, input_class, &old);
        if (status == SPARCL_OK) status = spec_bench_open(ctx, c->bench, &call);
        code = status == SPARCL_OK ? try_values(t, seconds) : failed(ctx, status);
        spec_bench_close(&call);
        if (code == EXIT_OK && sparcl_tune_set(ctx, tunable, input_class, &old) != SPARCL_OK)
            code = failed(ctx, SPARCL_E_ARG);
    }
    bench_matrix_close(&m);
    free(t);
    return code;
}
