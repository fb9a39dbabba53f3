/* step.cl: one optimizer step on rows of a table and of its states. Before it come panel.cl,
 * partition.cl, runs.cl and rule_<name>.cl, which defines
 *   STATES   0, 1, 2 or 3
 *   RULE(T, n)  rule##n(T *w, T *first state, T *second state, T *third state, T gradient, hyper h),
 *            where T has n elements and DIVIDE##n, ROOT##n, CLIP are for it
 *
 * Defines  step_rows; step_rows_and_array: the first group also takes the step of a small array,
 *          which would make step_rows slower; step_runs, step_carry: a step with the sums of the
 *          rows of one index, which are not stored (runs that are split between partitions:
 *          step_carry); step_separately: the rows of one index one after the other
 * Range    step_rows, step_rows_and_array: FOR_ROWS; step_runs: one group per partition; step_carry: `chunks` groups per
 *          partition; step_separately: FOR_ROWS over the runs
 * Memory   ids, count, last: may be NULL; without ids, row i is row i of the table;
 *          keys: the sorted ids; starts, perm, carry: runs.cl; distance: of prefetches, in rows
 * Order    docs/numerics.md, rule R and "Optimizer rules"
 */

/* lr to h: see rule_<name>.cl. The others: docs/numerics.md, "Optimizer rules". */
typedef struct {
    REAL lr, a, b, c, d, e, f, g, h, rescale, clip, decay, clip_decayed, keep, shrink, shrink_lr;
} hyper;
#define HYPER_OF(p)                                                                                \
    REAL p##lr, REAL p##a, REAL p##b, REAL p##c, REAL p##d, REAL p##e, REAL p##f, REAL p##g,       \
        REAL p##h, REAL p##rescale, REAL p##clip, REAL p##decay, REAL p##clip_decayed,             \
        REAL p##keep, REAL p##shrink, REAL p##shrink_lr
#define MAKE_HYPER(p)                                                                              \
    {p##lr, p##a,       p##b,    p##c,     p##d,            p##e,    p##f,      p##g,              \
     p##h,  p##rescale, p##clip, p##decay, p##clip_decayed, p##keep, p##shrink, p##shrink_lr}

/* A NaN stays. */
#define CLIP(T, x, limit) ((x) > (T)(limit) ? (T)(limit) : (x) < -(T)(limit) ? -(T)(limit) : (x))

#define DIVIDE1 DIVIDE
#define ROOT1 ROOT
#if SPC_OWN_DIVIDE && !SPC_F64 && !SPC_GPU
/* Element by element, not by halves: Oclgrind 21.10 takes half a vector for uninitialised. */
#define EACH2(f) f(s0), f(s1)
#define EACH4(f) EACH2(f), f(s2), f(s3)
#define EACH8(f) EACH4(f), f(s4), f(s5), f(s6), f(s7)
#define EACH16(f) EACH8(f), f(s8), f(s9), f(sa), f(sb), f(sc), f(sd), f(se), f(sf)
#define QUOTIENT(e) DIVIDE(a.e, b.e)
#define ROOT_OF(e) ROOT(x.e)
#define BY_ELEMENT(n)                                                                              \
    static REAL##n divide##n(REAL##n a, REAL##n b) {                                               \
        return (REAL##n)(EACH##n(QUOTIENT));                                                       \
    }                                                                                              \
    static REAL##n root##n(REAL##n x) {                                                            \
        return (REAL##n)(EACH##n(ROOT_OF));                                                        \
    }
BY_ELEMENT(2)
BY_ELEMENT(4)
BY_ELEMENT(8)
BY_ELEMENT(16)
#define DIVIDE2 divide2
#define DIVIDE4 divide4
#define DIVIDE8 divide8
#define DIVIDE16 divide16
#define ROOT2 root2
#define ROOT4 root4
#define ROOT8 root8
#define ROOT16 root16
#else
#define DIVIDE2 DIVIDE
#define DIVIDE4 DIVIDE
#define DIVIDE8 DIVIDE
#define DIVIDE16 DIVIDE
#define ROOT2 ROOT
#define ROOT4 ROOT
#define ROOT8 ROOT
#define ROOT16 ROOT
#endif

EACH_WIDTH(RULE)

#define TABLES                                                                                     \
    __global REAL *w, long w_at, long w_ld, __global REAL *s, long s_at, long s_ld,                \
        __global REAL *t, long t_at, long t_ld, __global REAL *u, long u_at, long u_ld
#define HYPER HYPER_OF(h_)
#define LAST __global long *last, long last_at, long number
/* Pointers to a row of each table. */
#define FIND_ROW(row)                                                                              \
    __global REAL *w_row = w + (w_at + (row) * w_ld), *s_row = s + (s_at + (row) * s_ld),          \
                  *t_row = t + (t_at + (row) * t_ld), *u_row = u + (u_at + (row) * u_ld)
#define STEP_PANEL_OF_ROW(n, j, g)                                                                 \
    step_panel##n(w_row + (j), s_row + (j), t_row + (j), u_row + (j), g, h)

#if SPC_HINTS
#define PREFETCH_LATER_ROW(i)                                                                      \
    if (ids && (i) + distance < i##_end) {                                                         \
        const long later = (long)ids[ids_at + (i) + distance];                                     \
        prefetch_row(w + (w_at + later * w_ld), width);                                            \
        if (STATES > 0) prefetch_row(s + (s_at + later * s_ld), width);                            \
        if (STATES > 1) prefetch_row(t + (t_at + later * t_ld), width);                            \
        if (STATES > 2) prefetch_row(u + (u_at + later * u_ld), width);                            \
    }
#else
#define PREFETCH_LATER_ROW(i)
#endif

/* What comes before every rule: the gradient is scaled and clipped, the weights decay. */
#if SPC_DIALS
#define PREPARE(T, n)                                                                              \
    ALWAYS_INLINE T prepare##n(T *w, T g, hyper h) {                                               \
        g *= h.rescale;                                                                            \
        if (h.clip < INFINITY) g = CLIP(T, g, h.clip);                                             \
        if (h.decay != 0) g += h.decay * *w;                                                       \
        if (h.clip_decayed < INFINITY) g = CLIP(T, g, h.clip_decayed);                             \
        if (h.keep != 1) *w *= h.keep;                                                             \
        if (h.shrink != 0) *w -= *w * h.shrink * h.shrink_lr;                                      \
        return g;                                                                                  \
    }
#else
#define PREPARE(T, n)                                                                              \
    ALWAYS_INLINE T prepare##n(T *w, T g, hyper h) {                                               \
        if (h.decay != 0) g += h.decay * *w;                                                       \
        return g;                                                                                  \
    }
#endif
EACH_WIDTH(PREPARE)

/* n elements of a row, with their gradient. */
#define STEP_PANEL(T, n)                                                                           \
    ALWAYS_INLINE void step_panel##n(__global REAL *w, __global REAL *s, __global REAL *t,         \
                                     __global REAL *u, T g, hyper h) {                             \
        T x = LOAD##n(w), p = 0, q = 0, r = 0;                                                     \
        if (STATES > 0) p = LOAD##n(s);                                                            \
        if (STATES > 1) q = LOAD##n(t);                                                            \
        if (STATES > 2) r = LOAD##n(u);                                                            \
        g = prepare##n(&x, g, h);                                                                  \
        rule##n(&x, &p, &q, &r, g, h);                                                             \
        STORE##n(x, w);                                                                            \
        if (STATES > 0) STORE##n(p, s);                                                            \
        if (STATES > 1) STORE##n(q, t);                                                            \
        if (STATES > 2) STORE##n(r, u);                                                            \
    }
EACH_WIDTH(STEP_PANEL)

#if SPC_HINTS
ALWAYS_INLINE void step_panel64(__global REAL *w, __global REAL *s, __global REAL *t,
                                __global REAL *u, REAL64 g, hyper h) {
    step_panel16(w, s, t, u, g.a, h);
    step_panel16(w + 16, s + 16, t + 16, u + 16, g.b, h);
    step_panel16(w + 32, s + 32, t + 32, u + 32, g.c, h);
    step_panel16(w + 48, s + 48, t + 48, u + 48, g.d, h);
}
#endif

#define ROWS                                                                                       \
    __global const REAL *g, long g_at, long g_ld, __global const INDEX *ids, long ids_at,          \
        __global const long *count, long count_at, long capacity, long width

/* Rules that need a number of each row have the kernels of by_row.cl. */
#ifndef BY_ROW
#define STEP(n, j) STEP_PANEL_OF_ROW(n, j, LOAD##n(from + (j)))
#define STEP_ROWS(panels)                                                                          \
    FOR_ROWS(i, n, width) {                                                                        \
        PREFETCH_LATER_ROW(i)                                                                      \
        const long row = ids ? (long)ids[ids_at + i] : i;                                          \
        FIND_ROW(row);                                                                             \
        __global const REAL *from = g + (g_at + i * g_ld);                                         \
        panels(STEP);                                                                              \
        if (last && FIRST_LANE) last[last_at + row] = number;                                      \
    }

KERNEL step_rows(TABLES, ROWS, HYPER, LAST, int distance) {
    const hyper h = MAKE_HYPER(h_);
    const long n = item_count(capacity, count, count_at);
    BY_WIDTH(STEP_ROWS)
}

KERNEL step_rows_and_array(TABLES, ROWS, HYPER, LAST, int distance, long size,
                           __global REAL *array_w, long array_w_at, __global REAL *array_s,
                           long array_s_at, __global REAL *array_t, long array_t_at,
                           __global REAL *array_u, long array_u_at, __global const REAL *array_g,
                           long array_g_at, HYPER_OF(array_h_)) {
    if (get_group_id(0) == 0) {
        const hyper h = MAKE_HYPER(array_h_);
        for (long j = get_local_id(0); j < size; j += GROUP)
            step_panel1(array_w + (array_w_at + j), array_s + (array_s_at + j),
                        array_t + (array_t_at + j), array_u + (array_u_at + j),
                        array_g[array_g_at + j], h);
    }
    const hyper h = MAKE_HYPER(h_);
    const long n = item_count(capacity, count, count_at);
    BY_WIDTH(STEP_ROWS)
}
#undef STEP_ROWS
#undef STEP

/* The sum of rows of one index, or their mean. */
#define MEAN(T, n)                                                                                 \
    ALWAYS_INLINE T mean##n(T sum, long rows, int is_mean) {                                       \
        if (SPC_DIALS && is_mean && rows > 1) sum = DIVIDE##n(sum, (T)(REAL)rows);                              \
        return sum;                                                                                \
    }
EACH_WIDTH(MEAN)
#define DIVIDE_BY_ROWS(n, sum, rows) mean##n(sum, rows, is_mean)
#if SPC_HINTS
ALWAYS_INLINE REAL64 mean64(REAL64 x, long rows, int is_mean) {
    const REAL64 result = {mean16(x.a, rows, is_mean), mean16(x.b, rows, is_mean),
                           mean16(x.c, rows, is_mean), mean16(x.d, rows, is_mean)};
    return result;
}
#endif

KERNEL step_runs(TABLES, __global const OFFSET *starts, __global const long *found,
                 __global const INDEX *keys, long keys_at, __global const REAL *from, long from_at,
                 __global const OFFSET *perm, long width, HYPER, LAST, __global REAL *carry,
                 long slots, int distance, int is_mean) {
    const hyper h = MAKE_HYPER(h_);
    run g = {from + from_at, perm, 0, 0, starts[found[0]], width, distance};
    const partition mine = find_partition(starts, found[0], get_num_groups(0), get_group_id(0));
    sum_split_runs(g, &mine, starts, carry, slots);
#define STEP(n, j) STEP_PANEL_OF_ROW(n, j, DIVIDE_BY_ROWS(n, sum_run##n(g, j), g.end - g.begin))
#define STEP_RUNS(panels)                                                                          \
    FOR_SEGMENTS(i, mine.last - mine.first, width) {                                               \
        g.begin = starts[mine.first + i];                                                          \
        g.end = starts[mine.first + i + 1];                                                        \
        const long row = (long)keys[keys_at + g.begin];                                            \
        FIND_ROW(row);                                                                             \
        panels(STEP);                                                                              \
        if (last && FIRST_LANE) last[last_at + row] = number;                                      \
    }
    BY_WIDTH(STEP_RUNS)
#undef STEP_RUNS
#undef STEP
}

KERNEL step_carry(TABLES, __global const OFFSET *starts, __global const long *found,
                  __global const INDEX *keys, long keys_at, long width, HYPER, LAST,
                  __global const REAL *carry, long slots, long chunks, int is_mean) {
    const hyper h = MAKE_HYPER(h_);
    carried g;
    find_carried(&g, starts, found[0], carry, slots, width, chunks);
    ALL_LANES;
    if (!g.mine.has_tail) return;
    const long row = (long)keys[keys_at + starts[g.mine.end.row]];
    const long rows = starts[g.mine.end.row + 1] - starts[g.mine.end.row];
    FIND_ROW(row);
#define STEP(n, j)                                                                                 \
    STEP_PANEL_OF_ROW(n, g.first + (j),                                                            \
                      DIVIDE_BY_ROWS(n, sum_carry##n(g, starts, g.first + (j)), rows))
    EACH_PANEL(j, g.columns, STEP);
#undef STEP
    if (last && g.first == 0 && FIRST_LANE) last[last_at + row] = number;
}

KERNEL step_separately(TABLES, __global const OFFSET *starts, __global const long *found,
                       __global const INDEX *keys, long keys_at, __global const REAL *from,
                       long from_at, __global const OFFSET *perm, long width, HYPER, LAST) {
    const hyper h = MAKE_HYPER(h_);
    const run g = {from + from_at, perm, 0, 0, starts[found[0]], width, 0};
    FOR_ROWS(i, found[0], width) {
        const long row = (long)keys[keys_at + starts[i]];
        FIND_ROW(row);
        for (long k = starts[i]; k < starts[i + 1]; ++k) {
            __global const REAL *here = row_of(g, k);
#define STEP(n, j) STEP_PANEL_OF_ROW(n, j, LOAD##n(here + (j)))
            EACH_PANEL(j, width, STEP);
#undef STEP
        }
        if (last && FIRST_LANE) last[last_at + row] = number;
    }
}
#endif
