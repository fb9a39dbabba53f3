/* catch_up.cl: the steps that rows have missed, in closed form. After panel.cl.
 *
 * Defines  powers (writes 16 numbers to the table of powers), clear_owners, claim_rows, catch_up,
 *          mark_steps (on many lanes: writes `last`, which catch_up only reads there)
 * Range    powers: one group; clear_owners, claim_rows, mark_steps: FOR_EACH; catch_up: FOR_ROWS
 * Memory   ids, count: may be NULL, as in step.cl; power: entry i is for 2^i steps; owner: NULL
 *          where no id is stored twice, else for each row its first place in ids
 * Order    docs/numerics.md, "Missed steps": from the lowest set bit of their number
 * Variant  0: a power is one factor, SGD; 1: it is a 2 x 2 matrix on (b, w), momentum
 */

KERNEL powers(__global REAL *to, long at, REAL p0, REAL p1, REAL p2, REAL p3, REAL p4, REAL p5,
              REAL p6, REAL p7, REAL p8, REAL p9, REAL pa, REAL pb, REAL pc, REAL pd, REAL pe,
              REAL pf) {
    const REAL16 p = {p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, pa, pb, pc, pd, pe, pf};
    if (get_global_id(0) == 0) vstore16(p, 0, to + at);
}

#if SPC_VARIANT
#define CATCH_UP_PANEL(T, n)                                                                       \
    static void catch_up_panel##n(__global REAL *w, __global REAL *b, long missed,                 \
                                  __global const REAL *power) {                                    \
        T x = LOAD##n(w), y = LOAD##n(b);                                                          \
        IN_ORDER                                                                                   \
        for (; missed > 0; missed >>= 1, power += 4) {                                             \
            if (!(missed & 1)) continue;                                                           \
            const T old = y;                                                                       \
            y = power[0] * old + power[1] * x;                                                     \
            x = power[2] * old + power[3] * x;                                                     \
        }                                                                                          \
        STORE##n(x, w);                                                                            \
        STORE##n(y, b);                                                                            \
    }
#else
#define CATCH_UP_PANEL(T, n)                                                                       \
    static void catch_up_panel##n(__global REAL *w, __global REAL *b, long missed,                 \
                                  __global const REAL *power) {                                    \
        T x = LOAD##n(w);                                                                          \
        IN_ORDER                                                                                   \
        for (; missed > 0; missed >>= 1, ++power)                                                  \
            if (missed & 1) x *= *power;                                                           \
        STORE##n(x, w);                                                                            \
    }
#endif
EACH_WIDTH(CATCH_UP_PANEL)

/* Only the rows that are selected are written: the table may be much larger. */
KERNEL clear_owners(__global const INDEX *ids, long ids_at, __global const long *count,
                    long count_at, long capacity, __global int *owner) {
    const long n = item_count(capacity, count, count_at);
    FOR_EACH(i, n) owner[ids[ids_at + i]] = INT_MAX;
}

KERNEL claim_rows(__global const INDEX *ids, long ids_at, __global const long *count, long count_at,
                  long capacity, volatile __global int *owner) {
    const long n = item_count(capacity, count, count_at);
    FOR_EACH(i, n) atomic_min(owner + ids[ids_at + i], (int)i);
}

KERNEL catch_up(__global REAL *w, long w_at, long w_ld, __global REAL *b, long b_at, long b_ld,
                __global const INDEX *ids, long ids_at, __global const long *count, long count_at,
                long capacity, __global const int *owner, long width, __global const REAL *power,
                __global long *last, long last_at, long done) {
    const long n = item_count(capacity, count, count_at);
    FOR_ROWS(i, n, width) {
        const long row = ids ? (long)ids[ids_at + i] : i;
        if (owner && owner[row] != i) continue;
        /* The table of powers covers `done` steps; a negative `last` must not exceed it. */
        const long missed = done - max(last[last_at + row], 0l);
        __global REAL *to = w + (w_at + row * w_ld), *state = b + (b_at + row * b_ld);
        if (missed <= 0) continue;
#define CATCH_UP(n, j) catch_up_panel##n(to + j, state + j, missed, power)
        EACH_PANEL(j, width, CATCH_UP);
#undef CATCH_UP
#if !SPC_GPU
        last[last_at + row] = done;
#endif
    }
}

/* A separate kernel, because in catch_up other lanes of the row may still read `last`. */
KERNEL mark_steps(__global const INDEX *ids, long ids_at, __global const long *count, long count_at,
                  long capacity, __global const int *owner, __global long *last, long last_at,
                  long done) {
    const long n = item_count(capacity, count, count_at);
    FOR_EACH(i, n) {
        const long row = ids ? (long)ids[ids_at + i] : i;
        if (owner && owner[row] != i) continue;
        last[last_at + row] = max(last[last_at + row], done);
    }
}
