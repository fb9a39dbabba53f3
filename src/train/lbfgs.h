/* lbfgs.h: minimizes a function of many numbers: L-BFGS, and OWL-QN where the sum of their absolute
 * values is added. Host code in double; the function decides where it is computed. */
#ifndef SPC_TRAIN_LBFGS_H
#define SPC_TRAIN_LBFGS_H

#include <stdbool.h>

#include "base/macros.h"

/* The value at x [count] and the gradient [count] there, without the absolute values. */
typedef sparcl_status (*spc_evaluate)(void *user, const double *x, double *value, double *gradient,
                                      sparcl_error *error);

/* x := M^-1 x, M near the curvature of the function. */
typedef void (*spc_precondition)(void *user, double *x);

/* Set M to the curvature at x. */
typedef sparcl_status (*spc_recondition)(void *user, const double *x, sparcl_error *error);

/* Whether a point is near enough to the minimum, whatever the tolerance is; `gradient` is without
 * the absolute values. */
typedef bool (*spc_is_enough)(void *user, const double *x, const double *gradient);

/* After iteration `iteration`, from 1: nonzero ends the search. */
typedef int (*spc_after_iteration)(void *user, int64_t iteration, double value);

enum { SPC_LBFGS_PAIRS = 10, SPC_RECONDITIONED = 4 };

/* Where a search is between two iterations: with `done`, `evaluations`, `value`, `first_norm` and
 * `first_value` all that it goes on from. */
typedef struct spc_lbfgs_state {
    double *x;        /* [count]: the point, which the caller has */
    double *gradient; /* [count]: of the function there, without the absolute values */
    /* [SPC_LBFGS_PAIRS, count]: the last steps, and how the gradient changed with them; floats are
     * enough for a direction. */
    float *steps, *changes;
    double inverse[SPC_LBFGS_PAIRS]; /* 1 / (step * change) */
    int64_t held, next;              /* pairs, and where the next one goes */
} spc_lbfgs_state;

typedef struct spc_lbfgs {
    int64_t count;
    int64_t with_l1;  /* the first of them have a penalty */
    const double *l1; /* [with_l1]: its factors; NULL: none */
    double tolerance; /* ends where the norm of the gradient is this times the first one, and the
                         decrease that is expected of a step is as small */
    int64_t iterations;
    const double *reference; /* [count]: the point whose norm is the first one; NULL: x */
    double first_step; /* how far to go along the first direction; 0: as far as 1 / its norm */
    spc_evaluate evaluate;
    spc_precondition precondition; /* NULL: M is 1 */
    spc_recondition recondition; /* or NULL; called when SPC_RECONDITIONED iterations are done, and
                                    each time that twice as many are */
    spc_is_enough is_enough;     /* or NULL */
    spc_after_iteration after;
    void *user;
    /* results */
    int64_t done, evaluations;
    double value; /* with the penalty */
    double gradient_norm, first_norm, first_value;
    double expected; /* decrease of the function, of the next step */
    bool converged, stopped;
    spc_lbfgs_state state;
} spc_lbfgs;

/*
 * Minimize from x on; x becomes the best point. Where rounding ends the descent before the
 * tolerance is met, this is no error, but `converged` is false. Two-loop recursion with 10 steps
 * (Liu and Nocedal, 1989); weak Wolfe conditions, by bisection; near the minimum, where values
 * differ by rounding only, those of Hager and Zhang (2005), which need the gradient alone. Absolute
 * values: OWL-QN (Andrew and Gao, ICML 2007). E_MEMORY; E_DIVERGED: the function is not finite at
 * the beginning; errors of the function.
 */
sparcl_status spc_minimize(spc_lbfgs *search, double *x, sparcl_error *error);

/* The same in three parts. Between the first two the caller may set what the search goes on from to
 * that of a search that was ended after an iteration: this one then has its bits. Close it also
 * after a failure. */
sparcl_status spc_lbfgs_open(spc_lbfgs *search, double *x, sparcl_error *error);
sparcl_status spc_lbfgs_run(spc_lbfgs *search, sparcl_error *error);
void spc_lbfgs_close(spc_lbfgs *search);

#endif
