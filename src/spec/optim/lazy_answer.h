/* lazy_answer.h: the tables and the catch-ups of exact lazy optimizers (cl/missed.cl and
 * cl/remade.cl), in plain C. */
#ifndef SPC_SPEC_LAZY_ANSWER_H
#define SPC_SPEC_LAZY_ANSWER_H

#include "spec/shared/spec.h"

#define SPEC_LAZY_TABLES 4 /* weights and at most three states */
#define SPEC_LAZY_TERMS  4

typedef struct spec_lazy_pair {
    double high, low;
} spec_lazy_pair;

typedef struct spec_lazy_record {
    double rate, epsilon, share; /* rounded */
    double exact_rate, exact_epsilon, exact_share;
    double mantissa, rest; /* of the product of 1 - share: both rounded */
    int exponent;
    spec_lazy_pair sums[SPEC_LAZY_TERMS];
    sparcl_optim optim;
} spec_lazy_record;

/* The steps so far; zeroed but for dtype, at (step 0 first, whose mantissa is 1) and mantissa 1. */
typedef struct spec_lazy_history {
    sparcl_dtype dtype;
    int form; /* 1: momentum; 2: Adam; 3: AMSGrad; 4 to 7: a state fades; 8: cl/remade.cl */
    spec_lazy_record *at;
    double ratio[SPEC_LAZY_TERMS], first, second, root, unit, largest_epsilon, limit;
    int64_t window, done;
    double mantissa;
    int exponent;
} spec_lazy_history;

/* The form of a rule, and its series, before the first step. */
void spec_lazy_begin(spec_lazy_history *h, const sparcl_optim *optim);
void spec_lazy_take_step(spec_lazy_history *h, const sparcl_optim *optim);
/* A weight and its states that had step `from` last, in the order of operations of the kernel; and
 * step by step in double, with the error bound. */
void spec_lazy_order(const spec_lazy_history *h, int64_t from, double x[SPEC_LAZY_TABLES]);
void spec_lazy_truth(const spec_lazy_history *h, int64_t from, double x[SPEC_LAZY_TABLES],
                     double bound[SPEC_LAZY_TABLES]);

#endif
