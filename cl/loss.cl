/* loss.cl: losses with their gradients, and predictions; row by row.
 *
 * Defines  loss_gradient, loss_predict; FOR_BLOCKS and losses_of, for one score a row
 * Range    loss_gradient: FOR_BLOCKS over rows; loss_predict: FOR_EACH
 * Order    softmax adds exp(s - max) in ascending order of the classes
 */

#define LOGISTIC 0
#define SOFTMAX  1
#define SQUARED  2
#define POISSON  3

static REAL score_of(__global const REAL *scores, __global const REAL *bias, int has_bias, long j) {
    return has_bias ? scores[j] + bias[j] : scores[j];
}

static REAL largest_of(__global const REAL *s, __global const REAL *bias, int has_bias, long k,
                       long *where) {
    REAL largest = score_of(s, bias, has_bias, 0);
    *where = 0;
    for (long j = 1; j < k; ++j) {
        const REAL x = score_of(s, bias, has_bias, j);
        if (x > largest || x != x) {
            largest = x;
            *where = j;
        }
    }
    return largest;
}

static REAL sum_of_exps(__global const REAL *s, __global const REAL *bias, int has_bias, long k,
                        REAL largest) {
    REAL sum = 0;
    IN_ORDER
    for (long j = 0; j < k; ++j)
        sum += own_exp(score_of(s, bias, has_bias, j) - largest);
    return sum;
}

/* FOR_BLOCKS(first, count, n): `count` rows, at most BLOCK, from `first` on. CPU workers compute a
 * block in arrays of their own: compilers then use vectors, although the residual may be the array
 * of scores. */
#if SPC_GPU
#define BLOCK 1
#define FOR_BLOCKS(first, count, n)                                                                \
    const long count = 1;                                                                          \
    FOR_EACH(first, n)
#else
#define BLOCK 64
#define FOR_BLOCKS(first, count, n)                                                                \
    const long first##_end = chunk_begin(n, get_global_size(0), get_global_id(0) + 1);             \
    for (long first = chunk_begin(n, get_global_size(0), get_global_id(0)), count;                 \
         (count = min((long)BLOCK, first##_end - first)) > 0; first += count)
#endif

/* log(1 + exp(x)) - y x = max(x, 0) - y x + log1p(exp(-|x|)); *slope is its derivative. */
ALWAYS_INLINE REAL logistic(REAL x, REAL y, REAL *slope) {
    const REAL e = own_exp(-fabs(x));
    const REAL value = (fmax(x, (REAL)0) - y * x) + own_log1p(e);
    *slope = DIVIDE(x >= 0 ? (REAL)1 : e, (REAL)1 + e) - y;
    return x != x ? x : value;
}

ALWAYS_INLINE REAL squared(REAL x, REAL y, REAL *slope) {
    const REAL d = x - y;
    *slope = d;
    return 0.5f * d * d;
}

ALWAYS_INLINE REAL poisson(REAL x, REAL y, REAL *slope) {
    const REAL e = own_exp(x);
    *slope = e - y;
    return e - y * x;
}

/* A NaN stays one. */
ALWAYS_INLINE REAL hinge(REAL x, REAL y, REAL *slope) {
    const REAL side = y > 0 ? 1 : -1, margin = 1 - side * x;
    *slope = margin > 0 ? -side : margin <= 0 ? 0 : margin;
    return margin <= 0 ? 0 : margin;
}

/* The losses of scores, of all kinds but softmax, and their derivatives. */
ALWAYS_INLINE void losses_of(int loss, const REAL *x, const REAL *y, REAL *value, REAL *slope,
                             long count) {
    if (loss == LOGISTIC) {
        for (long i = 0; i < count; ++i)
            value[i] = logistic(x[i], y[i], &slope[i]);
    } else if (loss == SQUARED) {
        for (long i = 0; i < count; ++i)
            value[i] = squared(x[i], y[i], &slope[i]);
    } else if (loss == POISSON) {
        for (long i = 0; i < count; ++i)
            value[i] = poisson(x[i], y[i], &slope[i]);
    } else {
        for (long i = 0; i < count; ++i)
            value[i] = hinge(x[i], y[i], &slope[i]);
    }
}

/* The loss of a row with k classes, and its gradient where r is not NULL. */
static REAL softmax(__global const REAL *s, __global const REAL *b, int has_bias, long k, REAL y,
                    REAL scale, __global REAL *r) {
    long where;
    const REAL largest = largest_of(s, b, has_bias, k, &where);
    const REAL sum = sum_of_exps(s, b, has_bias, k, largest);
    const long label = y >= 0 && y < (REAL)k ? (long)y : -1;
    const REAL value = label < 0 ? NAN : own_log(sum) + (largest - score_of(s, b, has_bias, label));
    for (long j = 0; r && j < k; ++j) {
        const REAL p = DIVIDE(own_exp(score_of(s, b, has_bias, j) - largest), sum);
        r[j] = (p - (j == label ? 1.0f : 0.0f)) * scale;
    }
    return value;
}

KERNEL loss_gradient(int loss, __global const REAL *scores, long scores_at, long ld,
                     __global const REAL *bias, long bias_at, int has_bias,
                     __global const REAL *labels, long labels_at, REAL scale,
                     __global REAL *residual, long residual_at, long residual_ld, int has_residual,
                     __global REAL *losses, long losses_at, int has_losses, long m, long k) {
    __global const REAL *b = bias + bias_at;
    FOR_BLOCKS(first, count, m) {
        REAL x[BLOCK], y[BLOCK], value[BLOCK], slope[BLOCK];
        __global const REAL *s = scores + scores_at + first * ld;
        __global REAL *r = residual + residual_at + first * residual_ld;
        for (long i = 0; i < count; ++i)
            y[i] = labels[labels_at + first + i];
        if (loss == SOFTMAX) {
            for (long i = 0; i < count; ++i)
                value[i] = softmax(s + i * ld, b, has_bias, k, y[i], scale,
                                   has_residual ? r + i * residual_ld : 0);
        } else {
            for (long i = 0; i < count; ++i)
                x[i] = score_of(s + i * ld, b, has_bias, 0);
            losses_of(loss, x, y, value, slope, count);
            for (long i = 0; has_residual && i < count; ++i)
                r[i * residual_ld] = slope[i] * scale;
        }
        for (long i = 0; has_losses && i < count; ++i)
            losses[losses_at + first + i] = value[i];
    }
}

KERNEL loss_predict(int loss, __global const REAL *scores, long scores_at, long ld,
                    __global const REAL *bias, long bias_at, int has_bias, __global REAL *label,
                    long label_at, __global REAL *p, long p_at, long m, long k) {
    FOR_EACH(i, m) {
        __global const REAL *s = scores + scores_at + i * ld;
        __global const REAL *b = bias + bias_at;
        REAL best, probability;
        if (loss == LOGISTIC) {
            const REAL x = score_of(s, b, has_bias, 0);
            best = x > 0 ? 1.0f : 0.0f;
            probability = own_sigmoid(x > 0 ? x : -x);
        } else if (loss == SOFTMAX) {
            long where;
            const REAL largest = largest_of(s, b, has_bias, k, &where);
            best = (REAL)where;
            probability = DIVIDE(1.0f, sum_of_exps(s, b, has_bias, k, largest));
        } else if (loss == SQUARED) {
            best = probability = score_of(s, b, has_bias, 0);
        } else if (loss == POISSON) {
            best = probability = own_exp(score_of(s, b, has_bias, 0));
        } else {
            probability = score_of(s, b, has_bias, 0);
            best = probability > 0 ? 1.0f : 0.0f;
        }
        label[label_at + i] = best;
        p[p_at + i] = probability;
    }
}
