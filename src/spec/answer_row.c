/* answer_row.c: the plain-C answers of the rules that need numbers of a row. */
#include <math.h>

#include "spec/rule_answer.h"

/* Rule S as one of several columns. */
#define BLOCK 256

/* The sum of the squares of the gradient after the dials; of the weights where g is NULL. */
static spec_num sum_squares(const spec_hyper *h, const spec_row *x, const spec_num *g) {
    spec_num total = num_exact(h->dtype, 0), sum = total;
    for (int64_t j = 0; j < x->n; ++j) {
        spec_num w = x->w[j];
        const spec_num term = g ? spec_dials(h, &w, g[j]) : w;
        if (j % BLOCK == 0) {
            total = num_add(total, sum);
            sum = num_exact(h->dtype, 0);
        }
        sum = num_add(sum, num_mul(term, term));
    }
    return num_add(total, sum);
}

static spec_num mean_square(const spec_hyper *h, const spec_row *x, const spec_num *g) {
    return num_div(sum_squares(h, x, g), num_exact(h->dtype, (double)x->n));
}

/* A row that is longer than max_norm becomes as long as that. */
static void shorten(const spec_hyper *h, const spec_row *x) {
    if (isinf(h->optim.max_norm)) return;
    const spec_num limit = num_of(h->dtype, h->optim.max_norm);
    const spec_num norm = num_root(sum_squares(h, x, NULL));
    const spec_num scale = num_div(limit, norm);
    const bool is_long = norm.truth > limit.truth, is_found_long = norm.order > limit.order;
    for (int64_t j = 0; j < x->n; ++j) {
        const spec_num w = x->w[j], scaled = num_mul(w, scale);
        if (is_found_long) x->w[j].order = scaled.order;
        if (is_long) x->w[j].truth = scaled.truth;
        x->w[j].bound = fmax(w.bound, scaled.bound);
        /* Where only one of the two is longer, they are as near as the norm is to the limit. */
        if (is_long != is_found_long)
            x->w[j].bound += fabs(w.truth) * (norm.bound + limit.bound) / fabs(limit.truth);
    }
}

/* FBGEMM: the quotient is a rate of the row, and the coupled decay a factor of the weights. */
static void step_with_rate(const spec_hyper *h, const spec_row *x, const spec_num *g,
                           spec_num root) {
    const sparcl_optim *const o = &h->optim;
    const spec_num rate = num_div(h->lr, root), decay = num_of(h->dtype, o->weight_decay);
    const bool is_coupled = o->decay == SPARCL_DECAY_COUPLED && o->weight_decay != 0;
    const spec_num keep = num_sub(num_exact(h->dtype, 1), num_mul(rate, decay));
    spec_hyper apart = *h;
    if (is_coupled) apart.optim.weight_decay = 0;
    for (int64_t j = 0; j < x->n; ++j) {
        const spec_num d = spec_dials(&apart, &x->w[j], g[j]);
        if (is_coupled) x->w[j] = num_mul(x->w[j], keep);
        x->w[j] = num_sub(x->w[j], num_mul(rate, d));
    }
}

void spec_rowwise_adagrad(const spec_hyper *h, const spec_row *x, const spec_num *g) {
    spec_num *const s = x->s[0];
    *s = num_add(*s, mean_square(h, x, g));
    const spec_num root = num_add(num_root(num_add(*s, h->inside)), h->outside);
    if (h->optim.profile == SPARCL_PROFILE_FBGEMM)
        step_with_rate(h, x, g, root);
    else
        for (int64_t j = 0; j < x->n; ++j) {
            const spec_num d = spec_dials(h, &x->w[j], g[j]);
            x->w[j] = num_sub(x->w[j], num_div(num_mul(h->lr, d), root));
        }
    shorten(h, x);
}
