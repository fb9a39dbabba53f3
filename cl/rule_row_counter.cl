/* rule_row_counter.cl: Adagrad with one sum of squares for each row, and a counter of each row that
 * changes its rate and its decay (FBGEMM's counter-based regularization and CowClip), for step.cl
 * and by_row.cl. After elementary.cl and pair_power.cl.
 *
 * States   of rows: s; the number of the row's last step; its counter
 * Hyper    lr; a: epsilon; b: ln 2 / halflife; c: halflife; d: the number of the step; e: the rate
 *          of each row; f: the tail's threshold; g: max_counter; h: adjustment_ub; i: the steps
 *          since adjustments began, 0 where they did not, or the coefficient of COWCLIP; j: its
 *          lower bound; decay: a coupled one; shrink: a decoupled one
 * Form     the counter_mode; + 8: the threshold is a share of the largest counter
 * Order    docs/numerics.md, "Optimizer rules"
 */
#define BY_ROW
#define STATES 0
#define MODE (SPC_FORM & 7)
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
        const REAL threshold = SPC_FORM & 8 ? floor(h.f * h.g) : h.f;                              \
        if (MODE == EQUAL || !(counter > threshold)) return rate;                                  \
        if (MODE == COUNTER_SGD) return DIVIDE(h.lr, ROOT(h.h * counter) + h.a);                   \
        return rate * factor_of_tail(counter, h.g, h.h);                                           \
    }                                                                                              \
    static void adjust(hyper h, REAL rate, REAL counter, REAL gap, hyper *own) {                   \
        own->e = rate;                                                                             \
        if (h.i == 0) return;                                                                      \
        if (MODE == ADAGRADW) {                                                                    \
            const REAL once = 1 - h.shrink * h.lr;                                                 \
            const REAL missed = power_of_pairs(once, (long)min(gap, h.i) - 1);                     \
            own->e = rate * ROOT(counter) * missed;                                                \
            own->keep = h.keep * (once * missed);                                                  \
        } else {                                                                                   \
            own->e = adjusted(h, rate, counter);                                                   \
            own->keep = h.keep * kept(h, DIVIDE(h.c, counter), rate);                              \
        }                                                                                          \
    }                                                                                              \
    static void clip_by_weights(hyper h, REAL rate, REAL counter, REAL weight, REAL gradient,      \
                                hyper *own) {                                                      \
        const REAL limit = counter * max(h.i * weight, h.j);                                       \
        own->e = gradient > limit ? DIVIDE(limit, gradient) * rate : rate;                         \
        own->keep = h.keep * kept(h, 1, own->e);                                                   \
    }                                                                                              \
    static void row_rule(row x, hyper h, hyper *own) {                                             \
        const REAL before = *x.s, last = *x.t, seen = *x.u;                                        \
        const REAL squares = gradient_squares(x, h);                                               \
        const REAL weight = MODE == COWCLIP ? ROOT(weight_squares(x)) : (REAL)0;                   \
        const REAL sum = before + DIVIDE(squares, (REAL)x.width);                                  \
        const REAL gap = last == 0 ? (REAL)1 : h.d - last;                                         \
        const REAL counter = next_counter(seen, gap, h.c, h.b);                                    \
        const REAL rate = DIVIDE(h.lr, ROOT(sum) + h.a);                                           \
        if (FIRST_LANE_OF(x)) {                                                                    \
            *x.s = sum;                                                                            \
            *x.t = h.d;                                                                            \
            *x.u = counter;                                                                        \
        }                                                                                          \
        if (MODE == COWCLIP)                                                                       \
            clip_by_weights(h, rate, counter, weight, ROOT(squares), own);                         \
        else                                                                                       \
            adjust(h, rate, counter, gap, own);                                                    \
        own->decay = own->shrink = 0;                                                              \
    }

#define RULE(T, n)                                                                                 \
    static void rule##n(T *w, T *s, T *t, T *u, T g, hyper h) {                                    \
        *w -= h.e * g;                                                                             \
    }
