/* rule_row_counter.cl: Adagrad with one sum of squares for each row, and a counter of each row that
 * changes its rate and its decay (FBGEMM's counter-based regularization and CowClip), for step.cl
 * and by_row.cl. After elementary.cl and pair_power.cl.
 *
 * States   of rows: s; the number of the row's last step; its counter
 * Order    docs/numerics.md, "Optimizer rules"
 */
#define BY_ROW
#define COEFFICIENTS SPC_ROW_COUNTER_COEFFICIENTS
#define STATES 0
#define MODE FORM(COUNTER_MODE) /* a sparcl_counter_mode */
#define LARGEST_COUNTER max_counter
#define EQUAL 0
#define TAIL_LR_INCREASE 1
#define COUNTER_SGD 3
#define ADAGRADW 4
#define COWCLIP 5

static REAL next_counter(REAL before, REAL gap, REAL halflife, REAL rate) {
    if (halflife > 0) return own_exp(-(gap * rate)) * before + 1;
    return halflife == 0 ? (REAL)1 : before + 1;
}

static REAL power_of(REAL x, REAL p) {
    return p == 1 ? x : own_exp(p * own_log(x));
}

/* What the rate of a row is multiplied by whose counter is larger than the threshold. */
static REAL factor_of_tail(REAL counter, REAL most, REAL p) {
    const int grows = MODE == TAIL_LR_INCREASE;
    const REAL power = grows ? power_of(DIVIDE(most, counter + 1), p)
                             : power_of(DIVIDE(counter + 1, most), p);
    const REAL least = grows ? (REAL)1 : (REAL)0.1f, largest = grows ? (REAL)10 : (REAL)1;
    return power > largest ? largest : power > least ? power : least;
}

#define ROW_RULE                                                                                   \
    /* `share`: of weight_decay. */                                                                \
    static REAL kept(hyper h, REAL share, REAL rate) {                                             \
        return h.decay != 0 ? 1 - share * h.decay * rate : 1 - share * h.shrink * h.lr;            \
    }                                                                                              \
    static REAL adjusted(hyper h, REAL rate, REAL counter) {                                       \
        const REAL threshold =                                                                     \
            FORM(THRESHOLD_IS_RATIO) ? floor(h.threshold * h.max_counter) : h.threshold;           \
        if (MODE == EQUAL || !(counter > threshold)) return rate;                                  \
        if (MODE == COUNTER_SGD)                                                                   \
            return DIVIDE(h.lr, ROOT(h.adjustment_ub * counter) + h.epsilon);                      \
        return rate * factor_of_tail(counter, h.max_counter, h.adjustment_ub);                     \
    }                                                                                              \
    static void adjust(hyper h, REAL rate, REAL counter, REAL gap, hyper *own) {                   \
        own->lr = rate;                                                                            \
        if (h.adjusted_steps == 0) return;                                                         \
        if (MODE == ADAGRADW) {                                                                    \
            const REAL once = 1 - h.shrink * h.lr;                                                 \
            const REAL missed = power_of_pairs(once, (long)min(gap, h.adjusted_steps) - 1);        \
            own->lr = rate * ROOT(counter) * missed;                                               \
            own->keep = h.keep * (once * missed);                                                  \
        } else {                                                                                   \
            own->lr = adjusted(h, rate, counter);                                                  \
            own->keep = h.keep * kept(h, DIVIDE(h.halflife, counter), rate);                       \
        }                                                                                          \
    }                                                                                              \
    static void clip_by_weights(hyper h, REAL rate, REAL counter, REAL weight, REAL gradient,      \
                                hyper *own) {                                                      \
        const REAL limit = counter * max(h.norm_factor * weight, h.lower_bound);                   \
        own->lr = gradient > limit ? DIVIDE(limit, gradient) * rate : rate;                        \
        own->keep = h.keep * kept(h, 1, own->lr);                                                  \
    }                                                                                              \
    static void row_rule(row x, hyper h, hyper *own) {                                             \
        const REAL before = *x.s, last = *x.t, seen = *x.u;                                        \
        const REAL squares = gradient_squares(x, h);                                               \
        const REAL weight = MODE == COWCLIP ? ROOT(weight_squares(x)) : (REAL)0;                   \
        const REAL sum = before + DIVIDE(squares, (REAL)x.width);                                  \
        const REAL gap = last == 0 ? (REAL)1 : h.step - last;                                      \
        const REAL counter = next_counter(seen, gap, h.halflife, h.decline);                         \
        const REAL rate = DIVIDE(h.lr, ROOT(sum) + h.epsilon);                                     \
        if (FIRST_LANE_OF(x)) {                                                                    \
            *x.s = sum;                                                                            \
            *x.t = h.step;                                                                         \
            *x.u = counter;                                                                        \
        }                                                                                          \
        if (MODE == COWCLIP)                                                                       \
            clip_by_weights(h, rate, counter, weight, ROOT(squares), own);                         \
        else                                                                                       \
            adjust(h, rate, counter, gap, own);                                                    \
        own->decay = own->shrink = 0;                                                              \
    }

#define RULE(T, n)                                                                                 \
    static void rule##n(T *w, T *s, T *t, T *u, T g, hyper h) { *w -= h.lr * g; }
