/* loss.cl: losses with their gradients, and predictions; row by row.
 *
 * Defines  loss_gradient, loss_predict
 * Range    FOR_EACH over rows
 * Order    softmax adds exp(s - max) in ascending order of the classes
 */

#define LOGISTIC 0
#define SOFTMAX 1

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
    for (long j = 0; j < k; ++j) sum += own_exp(score_of(s, bias, has_bias, j) - largest);
    return sum;
}

KERNEL loss_gradient(int loss, __global const REAL *scores, long scores_at, long ld,
                     __global const REAL *bias, long bias_at, int has_bias,
                     __global const REAL *labels, long labels_at, REAL scale,
                     __global REAL *residual, long residual_at, long residual_ld, int has_residual,
                     __global REAL *losses, long losses_at, int has_losses, long m, long k) {
    FOR_EACH(i, m) {
        __global const REAL *s = scores + scores_at + i * ld;
        __global const REAL *b = bias + bias_at;
        __global REAL *r = residual + residual_at + i * residual_ld;
        const REAL y = labels[labels_at + i];
        REAL value;
        if (loss == LOGISTIC) {
            const REAL x = score_of(s, b, has_bias, 0);
            /* log(1 + exp(x)) - y x = max(x, 0) - y x + log1p(exp(-|x|)) */
            value = (fmax(x, (REAL)0) - y * x) + own_log1p(own_exp(-fabs(x)));
            if (x != x) value = x;
            if (has_residual) r[0] = (own_sigmoid(x) - y) * scale;
        } else if (loss == SOFTMAX) {
            long where;
            const REAL largest = largest_of(s, b, has_bias, k, &where);
            const REAL sum = sum_of_exps(s, b, has_bias, k, largest);
            const long label = y >= 0 && y < (REAL)k ? (long)y : -1;
            value = label < 0 ? NAN
                              : own_log(sum) + (largest - score_of(s, b, has_bias, label));
            for (long j = 0; has_residual && j < k; ++j) {
                const REAL p = DIVIDE(own_exp(score_of(s, b, has_bias, j) - largest), sum);
                r[j] = (p - (j == label ? 1.0f : 0.0f)) * scale;
            }
        } else {
            const REAL d = score_of(s, b, has_bias, 0) - y;
            value = 0.5f * d * d;
            if (has_residual) r[0] = d * scale;
        }
        if (has_losses) losses[losses_at + i] = value;
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
        } else {
            best = probability = score_of(s, b, has_bias, 0);
        }
        label[label_at + i] = best;
        p[p_at + i] = probability;
    }
}
