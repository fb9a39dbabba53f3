/* lbfgs.c: minimizes a function of many numbers. */
#include "train/lbfgs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { HISTORY = SPC_LBFGS_PAIRS, PARTS = 8, MAX_TRIALS = 20 };

static const double armijo = 1e-4, curvature = 0.9, rounding = 1e-7;

/* Of the decrease that is expected, relative to the value and to the first one: what of it follows
 * from the tolerance, and what rounding of floats allows to ask for. */
static const double of_tolerance = 1e-3, of_value = 1e-7, of_first_value = 1e-13;

/* A smaller tolerance is one that sums of floats need not reach. */
static const double least_tolerance = 1e-6;

typedef struct search {
    spc_lbfgs *of;
    int64_t n;
    spc_lbfgs_state *at;
    double *slope; /* the gradient with the penalty: the pseudo-gradient */
    double *direction, *new_x, *new_gradient;
    double *change; /* of the gradient, preconditioned */
} search;

/* --- vectors ---------------------------------------------------------------------------------- */

static double dot(const double *x, const double *y, int64_t n) {
    double parts[PARTS] = {0};
    for (int64_t i = 0; i < n; ++i)
        parts[i % PARTS] += x[i] * y[i];
    return ((parts[0] + parts[1]) + (parts[2] + parts[3])) +
           ((parts[4] + parts[5]) + (parts[6] + parts[7]));
}

static double dot_float(const float *x, const double *y, int64_t n) {
    double parts[PARTS] = {0};
    for (int64_t i = 0; i < n; ++i)
        parts[i % PARTS] += (double)x[i] * y[i];
    return ((parts[0] + parts[1]) + (parts[2] + parts[3])) +
           ((parts[4] + parts[5]) + (parts[6] + parts[7]));
}

static void add_scaled(double *to, double a, const float *x, int64_t n) {
    for (int64_t i = 0; i < n; ++i)
        to[i] += a * (double)x[i];
}

/* --- the penalty ------------------------------------------------------------------------------ */

static double sign(double x) {
    return (double)((x > 0) - (x < 0));
}

static double penalty(const spc_lbfgs *of, const double *x) {
    double sum = 0;
    for (int64_t i = 0; of->l1 && i < of->with_l1; ++i)
        sum += of->l1[i] * fabs(x[i]);
    return sum;
}

/* The derivative towards the side on which the sum falls; 0 where it falls on neither. */
static void set_slope(const search *s, const double *x, const double *gradient, double *slope) {
    const spc_lbfgs *const of = s->of;
    memcpy(slope, gradient, (size_t)s->n * sizeof *slope);
    for (int64_t i = 0; of->l1 && i < of->with_l1; ++i) {
        const double g = gradient[i], l1 = of->l1[i];
        if (x[i] != 0)
            slope[i] = g + l1 * sign(x[i]);
        else
            slope[i] = g + l1 < 0 ? g + l1 : g - l1 > 0 ? g - l1 : 0;
    }
}

static sparcl_status evaluate(const search *s, const double *x, double *value, double *gradient,
                              sparcl_error *error) {
    ++s->of->evaluations;
    SPC_TRY(s->of->evaluate(s->of->user, x, value, gradient, error));
    *value += penalty(s->of, x);
    return SPARCL_OK;
}

/* --- direction -------------------------------------------------------------------------------- */

static void precondition(const search *s, double *x) {
    if (s->of->precondition) s->of->precondition(s->of->user, x);
}

/* Numbers that stay at 0 have no part in a direction: the others would be moved for them. */
static void keep_free(const search *s, double *x) {
    for (int64_t i = 0; s->of->l1 && i < s->of->with_l1; ++i)
        if (s->slope[i] == 0 && s->at->x[i] == 0) x[i] = 0;
}

/* direction := M^-1 direction, with the length that the last step had by its change. */
static void scale_direction(search *s) {
    const spc_lbfgs_state *const h = s->at;
    const int64_t n = s->n;
    precondition(s, s->direction);
    if (h->held == 0) return;
    const int64_t last = (h->next - 1 + HISTORY) % HISTORY;
    const float *const change = h->changes + last * n;
    for (int64_t i = 0; i < n; ++i)
        s->change[i] = (double)change[i];
    precondition(s, s->change);
    const double scale = 1 / (h->inverse[last] * dot_float(change, s->change, n));
    for (int64_t i = 0; i < n; ++i)
        s->direction[i] *= scale;
}

/* direction := -H slope, where H has the curvature of the last steps, and else M^-1. */
static void set_direction(search *s) {
    const spc_lbfgs_state *const h = s->at;
    double factors[HISTORY];
    const int64_t n = s->n;
    for (int64_t i = 0; i < n; ++i)
        s->direction[i] = -s->slope[i];
    for (int64_t k = 0; k < h->held; ++k) {
        const int64_t at = (h->next - 1 - k + HISTORY) % HISTORY;
        factors[at] = h->inverse[at] * dot_float(h->steps + at * n, s->direction, n);
        add_scaled(s->direction, -factors[at], h->changes + at * n, n);
        keep_free(s, s->direction);
    }
    scale_direction(s);
    for (int64_t k = h->held - 1; k >= 0; --k) {
        const int64_t at = (h->next - 1 - k + HISTORY) % HISTORY;
        const double b = h->inverse[at] * dot_float(h->changes + at * n, s->direction, n);
        add_scaled(s->direction, factors[at] - b, h->steps + at * n, n);
        keep_free(s, s->direction);
    }
    for (int64_t i = 0; s->of->l1 && i < s->of->with_l1; ++i)
        if (s->at->x[i] == 0 && s->direction[i] * s->slope[i] >= 0) s->direction[i] = 0;
}

/* Remember the step to new_x, unless the function is not convex along it. */
static void remember(search *s) {
    spc_lbfgs_state *const h = s->at;
    float *const step = h->steps + h->next * s->n, *const change = h->changes + h->next * s->n;
    double product = 0, squares = 0;
    for (int64_t i = 0; i < s->n; ++i) {
        step[i] = (float)(s->new_x[i] - s->at->x[i]);
        change[i] = (float)(s->new_gradient[i] - s->at->gradient[i]);
        product += (double)step[i] * (double)change[i];
        squares += (double)change[i] * (double)change[i];
    }
    if (!(product > 1e-10 * squares)) return;
    h->inverse[h->next] = 1 / product;
    h->next = (h->next + 1) % HISTORY;
    if (h->held < HISTORY) ++h->held;
}

/* --- line search ------------------------------------------------------------------------------ */

/* new_x := x + a direction; with a penalty, numbers stop at 0 instead of changing their sign. */
static void move(search *s, double a) {
    for (int64_t i = 0; i < s->n; ++i)
        s->new_x[i] = s->at->x[i] + a * s->direction[i];
    for (int64_t i = 0; s->of->l1 && i < s->of->with_l1; ++i) {
        const double side = s->at->x[i] != 0 ? sign(s->at->x[i]) : -sign(s->slope[i]);
        if (s->new_x[i] * side <= 0) s->new_x[i] = 0;
    }
}

typedef enum verdict { TOO_LONG, TOO_SHORT, GOOD } verdict;

/* `falls`: the derivative along the direction at the beginning, negative. */
static verdict judge(const search *s, double a, double value, double falls) {
    const double before = s->of->value, slope = dot(s->new_gradient, s->direction, s->n);
    if (!isfinite(value)) return TOO_LONG;
    if (s->of->l1) {
        double expected = 0;
        for (int64_t i = 0; i < s->n; ++i)
            expected += s->slope[i] * (s->new_x[i] - s->at->x[i]);
        /* Steps that promise less than rounding are taken for what the slope says. */
        const double slack = -expected <= rounding * fabs(before) ? rounding * fabs(before) : 0;
        return value <= before + armijo * expected + slack ? GOOD : TOO_LONG;
    }
    const bool within_rounding =
        value <= before + rounding * fabs(before) && slope <= (2 * armijo - 1) * falls;
    if (value > before + armijo * a * falls && !within_rounding) return TOO_LONG;
    return slope < curvature * falls ? TOO_SHORT : GOOD;
}

/* False in *found: no step was good. */
static sparcl_status find_step(search *s, double a, double *value, bool *found,
                               sparcl_error *error) {
    const double falls = dot(s->slope, s->direction, s->n);
    double low = 0, high = INFINITY;
    *found = false;
    if (!(falls < 0)) return SPARCL_OK;
    for (int trial = 0; trial < MAX_TRIALS; ++trial) {
        move(s, a);
        SPC_TRY(evaluate(s, s->new_x, value, s->new_gradient, error));
        const verdict found_to_be = judge(s, a, *value, falls);
        *found = found_to_be == GOOD;
        if (*found) return SPARCL_OK;
        *(found_to_be == TOO_LONG ? &high : &low) = a;
        a = isfinite(high) ? (low + high) / 2 : 2 * a;
    }
    return SPARCL_OK;
}

/* --- iterations ------------------------------------------------------------------------------- */

static void take_step(search *s, double value) {
    double *const x = s->at->x, *const gradient = s->at->gradient;
    remember(s);
    memcpy(x, s->new_x, (size_t)s->n * sizeof *x);
    memcpy(gradient, s->new_gradient, (size_t)s->n * sizeof *gradient);
    s->of->value = value;
    ++s->of->done;
}

/* A gradient may be small where the curvature is smaller still. */
static bool promises_little(const spc_lbfgs *of) {
    const double accuracy = fmax(of_tolerance * of->tolerance, of_value);
    return of->expected <= accuracy * fabs(of->value) + of_first_value * fabs(of->first_value);
}

/* What is left to do is measured by the slope, and by the decrease that the next step promises. */
static bool is_over(search *s) {
    spc_lbfgs *const of = s->of;
    set_slope(s, s->at->x, s->at->gradient, s->slope);
    of->gradient_norm = sqrt(dot(s->slope, s->slope, s->n));
    set_direction(s);
    of->expected = -dot(s->slope, s->direction, s->n) / 2;
    of->converged = (of->gradient_norm <= of->tolerance * of->first_norm && promises_little(of)) ||
                    (of->is_enough && of->is_enough(of->user, s->at->x, s->at->gradient));
    return of->converged || of->done >= of->iterations;
}

/* What the end is compared with. */
static sparcl_status evaluate_reference(search *s, sparcl_error *error) {
    spc_lbfgs *const of = s->of;
    const double *const x = of->reference ? of->reference : s->at->x;
    SPC_TRY(evaluate(s, x, &of->first_value, s->new_gradient, error));
    set_slope(s, x, s->new_gradient, s->slope);
    of->first_norm = sqrt(dot(s->slope, s->slope, s->n));
    return SPARCL_OK;
}

/* A search that goes on has done this. */
static sparcl_status begin(search *s, sparcl_error *error) {
    spc_lbfgs *const of = s->of;
    if (of->done > 0) return SPARCL_OK;
    SPC_TRY(evaluate_reference(s, error));
    of->value = of->first_value;
    memcpy(s->at->gradient, s->new_gradient, (size_t)s->n * sizeof *s->new_gradient);
    if (of->reference && memcmp(of->reference, s->at->x, (size_t)s->n * sizeof *s->at->x) != 0)
        SPC_TRY(evaluate(s, s->at->x, &of->value, s->at->gradient, error));
    if (isfinite(of->value)) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_DIVERGED, "the objective is %g at the beginning", of->value);
}

/* The more is done, the less changes. */
static sparcl_status recondition(search *s, sparcl_error *error) {
    spc_lbfgs *const of = s->of;
    const int64_t done = of->done;
    if (!of->recondition || done < SPC_RECONDITIONED || (done & (done - 1)) != 0) return SPARCL_OK;
    ++of->evaluations;
    return of->recondition(of->user, s->at->x, error);
}

static double first_trial(const search *s) {
    if (s->at->held > 0) return 1;
    return s->of->first_step > 0 ? s->of->first_step : 1 / s->of->gradient_norm;
}

static sparcl_status iterate(search *s, sparcl_error *error) {
    spc_lbfgs *const of = s->of;
    double promised = 0; /* with the steps that were forgotten */
    SPC_TRY(begin(s, error));
    SPC_TRY(recondition(s, error)); /* this, too, belongs to the iteration before */
    while (!is_over(s) && !of->stopped) {
        bool found;
        double value;
        SPC_TRY(find_step(s, first_trial(s), &value, &found, error));
        if (!found && s->at->held == 0) { /* rounding is larger than what is left */
            of->expected = fmax(of->expected, promised);
            of->converged = of->tolerance >= least_tolerance && promises_little(of);
            return SPARCL_OK;
        }
        if (!found) { /* try again down the slope itself */
            s->at->held = 0;
            promised = of->expected;
            continue;
        }
        promised = 0;
        take_step(s, value);
        of->stopped = of->after && of->after(of->user, of->done, of->value);
        if (!of->stopped) SPC_TRY(recondition(s, error));
    }
    return SPARCL_OK;
}

sparcl_status spc_lbfgs_open(spc_lbfgs *of, double *x, sparcl_error *error) {
    const size_t n = (size_t)of->count, pairs = HISTORY * n;
    of->done = of->evaluations = 0;
    of->converged = of->stopped = false;
    of->state = (spc_lbfgs_state){.x = x,
                                  .gradient = calloc(n + 1, sizeof(double)),
                                  .steps = calloc(pairs + 1, sizeof(float)),
                                  .changes = calloc(pairs + 1, sizeof(float))};
    if (of->state.gradient && of->state.steps && of->state.changes) return SPARCL_OK;
    return spc_fail_memory(error, "search", n * 8 + pairs * 8);
}

void spc_lbfgs_close(spc_lbfgs *of) {
    free(of->state.gradient);
    free(of->state.steps);
    free(of->state.changes);
    of->state = (spc_lbfgs_state){0};
}

sparcl_status spc_lbfgs_run(spc_lbfgs *of, sparcl_error *error) {
    const size_t n = (size_t)of->count;
    search s = {.of = of, .n = of->count, .at = &of->state};
    double *const memory = calloc(5 * n + 1, sizeof *memory);
    if (!memory) return spc_fail_memory(error, "search", 5 * n * sizeof *memory);
    double **const parts[] = {&s.slope, &s.direction, &s.new_x, &s.new_gradient, &s.change};
    for (size_t i = 0; i < SPC_COUNT(parts); ++i)
        *parts[i] = memory + i * n;
    const sparcl_status status = iterate(&s, error);
    free(memory);
    return status;
}

sparcl_status spc_minimize(spc_lbfgs *of, double *x, sparcl_error *error) {
    sparcl_status status = spc_lbfgs_open(of, x, error);
    if (status == SPARCL_OK) status = spc_lbfgs_run(of, error);
    spc_lbfgs_close(of);
    return status;
}
