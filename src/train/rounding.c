/* rounding.c: rounds the parameters of a linear model to floats. */
#include "train/rounding.h"

#include <math.h>

enum { UNITS = 2048, MOST_COLUMNS = 64 };

/* Where the weights of an output are, and what the scores should be. */
typedef struct rounding {
    const spc_scaling *scaling;
    const double *from;
    double *to;
    int64_t output;
    double level,
        sum; /* the mean score; what the weights add to it where columns have their means */
    double bias, cost; /* the best so far, and the mean square of its error */
} rounding;

/* Keep a weight of a column, if it is better. */
static void try_weight(rounding *r, int64_t column, double weight, double *best) {
    const spc_scaling *const s = r->scaling;
    const int64_t at = column * s->outputs + r->output;
    const double off = weight - r->from[at] / s->scale[column];
    const double variance = fmax(s->square[column] - s->mean[column] * s->mean[column], 0);
    const double sum = r->sum + s->shift[column] * (weight - r->to[at]);
    const double bias = (double)(float)(r->level - sum), error = bias + sum - r->level;
    const double cost = error * error + variance * off * off;
    if (!(cost < r->cost)) return;
    r->cost = cost;
    r->bias = bias;
    *best = weight;
}

static void try_column(rounding *r, int64_t column) {
    double *const weight = &r->to[column * r->scaling->outputs + r->output];
    const float at = (float)*weight;
    const double unit = (double)(nextafterf(fabsf(at), INFINITY) - fabsf(at));
    double best = *weight;
    for (int t = -UNITS; t <= UNITS && at != 0; ++t)
        try_weight(r, column, (double)(float)((double)at + t * unit), &best);
    r->sum += r->scaling->shift[column] * (best - *weight);
    *weight = best;
}

/* That of the bias, and of the other weights, which are rounded to the nearest. */
static double error_of(const rounding *r) {
    const spc_scaling *const s = r->scaling;
    const double error = r->bias + r->sum - r->level;
    double sum = error * error;
    for (int64_t j = 0; j < s->columns; ++j) {
        const int64_t at = j * s->outputs + r->output;
        const double off = r->to[at] - r->from[at] / s->scale[j];
        sum += fmax(s->square[j] - s->mean[j] * s->mean[j], 0) * off * off;
    }
    return sum;
}

static double round_output(rounding *r, double most) {
    const spc_scaling *const s = r->scaling;
    const int64_t at = s->columns * s->outputs + r->output;
    int tried = 0;
    r->level = r->from[at] / s->bias_scale + s->label_shift;
    r->sum = spc_scaling_shift(s, r->to, r->output);
    r->bias = (double)(float)(r->level - r->sum);
    r->cost = (r->bias + r->sum - r->level) * (r->bias + r->sum - r->level);
    for (int64_t j = 0; j < s->columns && tried < MOST_COLUMNS && r->cost > most; ++j)
        if (s->shift[j] != 0) {
            try_column(r, j);
            ++tried;
        }
    r->to[at] = r->bias;
    return error_of(r);
}

double spc_round_model(const spc_scaling *s, const double *from, double most, double *to) {
    double sum = 0;
    for (int64_t i = 0; i < s->columns * s->outputs; ++i)
        to[i] = (double)(float)(from[i] / s->scale[i / s->outputs]);
    for (int64_t k = 0; s->has_bias && k < s->outputs; ++k) {
        rounding r = {.scaling = s, .from = from, .to = to, .output = k};
        sum += round_output(&r, most);
    }
    return sum;
}
