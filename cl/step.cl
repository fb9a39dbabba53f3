/* step.cl: one optimizer step on rows of a table and of its states. Before it come panel.cl,
 * partition.cl, runs.cl, with SPC_STATES half_states.cl, and rule_<name>.cl, which defines
 *   COEFFICIENTS  its names of hyper.cl
 *   STATES      0, 1, 2 or 3
 *   UPDATES_AT  the place of the updates among the states, from 1, of a rule by table (table_ratio.cl)
 *   RULE(T, n)  rule##n(T *w, T *first state, T *second state, T *third state, T gradient, hyper h),
 *               where T has n elements and DIVIDE##n, ROOT##n, CLIP are for it; or
 *   TERM(g)     a term of a gradient, and in RULE rule_of_sums##n, with the sum of the terms before h
 *
 * Defines  step_rows; step_rows_and_array: the first group also takes the step of a small array,
 *          which would make step_rows slower; step_runs, step_carry: a step with the sums of the
 *          rows of one index, which are not stored (step_carry: of long runs); step_separately: the
 *          rows of one index one after the other
 * Range    step_rows, step_rows_and_array: FOR_ROWS; step_runs, step_carry: as rows_sum and rows_carry
 *          (rows.cl); step_separately: FOR_ROWS over the runs
 * Memory   ids, count, last: may be NULL; without ids, row i is row i of the table; keys: the sorted
 *          ids; starts, perm, RUN_SUMS, BLOCK_SUMS: runs.cl; distance: of prefetches, in rows
 * Order    docs/numerics.md, rule R and "Optimizer rules"
 */

/* Beside hyper.cl: docs/numerics.md, "Optimizer rules"; seed, number and element: what the random bits
 * of states depend on. */
typedef struct {
    REAL lr, COEFFICIENTS;
    REAL rescale, clip, decay, clip_decayed, keep, shrink, shrink_lr;
    long seed, number, element;
} hyper;
#define HYPER_OF(p)                                                                                \
    REAL p##lr, REAL p##0, REAL p##1, REAL p##2, REAL p##3, REAL p##4, REAL p##5, REAL p##6,       \
        REAL p##7, REAL p##8, REAL p##9, REAL p##rescale, REAL p##clip, REAL p##decay,             \
        REAL p##clip_decayed, REAL p##keep, REAL p##shrink, REAL p##shrink_lr, long p##seed,       \
        long p##number, long p##element
#define MAKE_HYPER(p)                                                                              \
    {p##lr, p##0, p##1, p##2, p##3, p##4, p##5, p##6, p##7, p##8, p##9, p##rescale, p##clip,       \
     p##decay, p##clip_decayed, p##keep, p##shrink, p##shrink_lr, p##seed, p##number, p##element}

/* A NaN stays. */
#define CLIP(T, x, limit) ((x) > (T)(limit) ? (T)(limit) : (x) < -(T)(limit) ? -(T)(limit) : (x))
#define SIGN_OF(T, x) ((x) > 0 ? (T)1 : (x) < 0 ? (T)-1 : (x) - (x))
#define MAGNITUDE(x) ((x) < 0 ? -(x) : (x))

#define DIVIDE1 DIVIDE
#define ROOT1 ROOT
#if SPC_OWN_DIVIDE && !SPC_F64
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
#ifdef TERM
#define RULE_OF_ONE(T, n)                                                                          \
    static void rule##n(T *w, T *p, T *q, T *r, T g, hyper h) {                                    \
        rule_of_sums##n(w, p, q, r, g, TERM(g), h);                                                \
    }
EACH_WIDTH(RULE_OF_ONE)
#endif

/* The states of elements, from the first, have type STATE; those of rows REAL, and the updates of
 * a rule by table, which are in the place of state UPDATES_AT (table_ratio.cl). */
#ifndef UPDATES_AT
#define UPDATES_AT 0
#endif
#if !SPC_STATES
typedef REAL STATE;
#define READ_STATE(n, p)        LOAD##n(p)
#define WRITE_STATE(n, k, x, p) STORE##n(x, p)
#define RANDOM_WORDS_OF(n, element, number, seed)
#endif
#define NOTHING(x)
#define ITSELF(x) x
#if STATES > 0
typedef STATE first_state;
#define IF_FIRST ITSELF
#else
typedef REAL first_state;
#define IF_FIRST NOTHING
#endif
#if STATES > 1 && UPDATES_AT == 2
typedef REAL second_state;
#define IF_SECOND             ITSELF
#define READ_SECOND(n, p)     LOAD##n(p)
#define WRITE_SECOND(n, x, p) STORE##n(x, p)
#elif STATES > 1
typedef STATE second_state;
#define IF_SECOND             ITSELF
#define READ_SECOND           READ_STATE
#define WRITE_SECOND(n, x, p) WRITE_STATE(n, 1, x, p)
#else
typedef REAL second_state;
#define IF_SECOND NOTHING
#endif
#if STATES > 2 && UPDATES_AT == 3
typedef REAL third_state;
#define IF_THIRD             ITSELF
#define READ_THIRD(n, p)     LOAD##n(p)
#define WRITE_THIRD(n, x, p) STORE##n(x, p)
#elif STATES > 2
typedef STATE third_state;
#define IF_THIRD             ITSELF
#define READ_THIRD           READ_STATE
#define WRITE_THIRD(n, x, p) WRITE_STATE(n, 2, x, p)
#else
typedef REAL third_state;
#define IF_THIRD NOTHING
#endif
/* p, q, r: the states of n elements at s, t, u. */
#define READ_STATES(n)                                                                             \
    IF_FIRST(p = READ_STATE(n, s);)                                                                \
    IF_SECOND(q = READ_SECOND(n, t);)                                                              \
    IF_THIRD(r = READ_THIRD(n, u);)
#define WRITE_STATES(n)                                                                            \
    RANDOM_WORDS_OF(n, h.element + element, h.number, h.seed)                                                \
    IF_FIRST(WRITE_STATE(n, 0, p, s);)                                                             \
    IF_SECOND(WRITE_SECOND(n, q, t);)                                                              \
    IF_THIRD(WRITE_THIRD(n, r, u);)

#define TABLES                                                                                     \
    __global REAL *w, long w_at, long w_ld, __global first_state *s, long s_at, long s_ld,         \
        __global second_state *t, long t_at, long t_ld, __global third_state *u, long u_at,        \
        long u_ld
#define HYPER HYPER_OF(h_)
#define LAST __global long *last, long last_at, long number
/* Pointers to a row of each table. */
#define FIND_ROW(row)                                                                              \
    const long element_of_row = (row) * width;                                                     \
    (void)element_of_row;                                                                          \
    __global REAL *w_row = w + (w_at + (row) * w_ld);                                              \
    __global first_state *s_row = s + (s_at + (row) * s_ld);                                       \
    __global second_state *t_row = t + (t_at + (row) * t_ld);                                      \
    __global third_state *u_row = u + (u_at + (row) * u_ld)
#define TABLES_ALIGNED                                                                             \
    (!SPC_F64 && ((w_ld | s_ld | t_ld | u_ld) & 3) == 0 && ALIGNED(w + w_at) &&                    \
     ALIGNED(s + s_at) && ALIGNED(t + t_at) && ALIGNED(u + u_at))
#define STEP_PANEL_OF_ROW(n, j, g)                                                                 \
    step_panel##n(w_row + (j), s_row + (j), t_row + (j), u_row + (j), g, h, element_of_row + (j))

#if SPC_HINTS
#define PREFETCH_STATE(row)                                                                        \
    prefetch_row((__global const STORED *)(row), SPC_STATES ? width / 2 : width)
#define PREFETCH_TABLES(row)                                                                       \
    do {                                                                                           \
        const long later = row;                                                                    \
        prefetch_row(w + (w_at + later * w_ld), width);                                            \
        IF_FIRST(PREFETCH_STATE(s + (s_at + later * s_ld));)                                       \
        IF_SECOND(PREFETCH_STATE(t + (t_at + later * t_ld));)                                      \
        IF_THIRD(PREFETCH_STATE(u + (u_at + later * u_ld));)                                       \
    } while (0)
#define PREFETCH_LATER_ROW(i)                                                                      \
    if (ids && (i) + distance < i##_end) PREFETCH_TABLES((long)ids[ids_at + (i) + distance]);
/* The row of a run some runs ahead. */
#define RUNS_AHEAD 8
#define PREFETCH_LATER_RUN(i)                                                                      \
    if (distance > 0 && (i) + RUNS_AHEAD < mine.last)                                              \
        PREFETCH_TABLES((long)keys[keys_at + starts[(i) + RUNS_AHEAD]]);
#else
#define PREFETCH_LATER_ROW(i)
#define PREFETCH_LATER_RUN(i)
#endif

/* What comes before every rule: the gradient is scaled and clipped, the weights decay. */
#if SPC_PREPARE
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

/* The weights and states of n elements. Many lanes: one element after the other, because four at once
 * need more registers than half of the lanes of a GPU can have. */
#define APPLY(T, n)                                                                                \
    ALWAYS_INLINE void apply##n(T *x, T *p, T *q, T *r, T g, hyper h) {                            \
        g = prepare##n(x, g, h);                                                                   \
        rule##n(x, p, q, r, g, h);                                                                 \
    }
#if SPC_GPU
#define APPLY_AT(e)                                                                                \
    REAL x_##e = x->e, p_##e = p->e, q_##e = q->e, r_##e = r->e;                                   \
    apply1(&x_##e, &p_##e, &q_##e, &r_##e, g.e, h)
/* Converted to what it is: in Oclgrind 21.10 a call, without which it takes the vector for uninitialised
 * before its elements are. */
#if SPC_F64
#define OF_ELEMENTS(a) convert_double4((REAL4)(a##_s0, a##_s1, a##_s2, a##_s3))
#else
#define OF_ELEMENTS(a) convert_float4((REAL4)(a##_s0, a##_s1, a##_s2, a##_s3))
#endif
APPLY(REAL, 1)
ALWAYS_INLINE void apply4(REAL4 *x, REAL4 *p, REAL4 *q, REAL4 *r, REAL4 g, hyper h) {
    APPLY_AT(s0);
    APPLY_AT(s1);
    APPLY_AT(s2);
    APPLY_AT(s3);
    *x = OF_ELEMENTS(x), *p = OF_ELEMENTS(p), *q = OF_ELEMENTS(q), *r = OF_ELEMENTS(r);
}
#else
EACH_WIDTH(APPLY)
#endif

/* n elements of a row, with their gradient. */
#define STEP_PANEL(T, n)                                                                           \
    ALWAYS_INLINE void step_panel##n(__global REAL *w, __global first_state *s,                    \
                                     __global second_state *t, __global third_state *u, T g,       \
                                     hyper h, long element) {                                      \
        T x = LOAD##n(w), p = 0, q = 0, r = 0;                                                     \
        READ_STATES(n)                                                                             \
        apply##n(&x, &p, &q, &r, g, h);                                                            \
        STORE##n(x, w);                                                                            \
        WRITE_STATES(n)                                                                            \
    }
EACH_WIDTH(STEP_PANEL)

#if SPC_HINTS
ALWAYS_INLINE void step_panel64(__global REAL *w, __global first_state *s,
                                __global second_state *t, __global third_state *u, REAL64 g,
                                hyper h, long element) {
    step_panel16(w, s, t, u, g.a, h, element);
    step_panel16(w + 16, s + 16, t + 16, u + 16, g.b, h, element + 16);
    step_panel16(w + 32, s + 32, t + 32, u + 32, g.c, h, element + 32);
    step_panel16(w + 48, s + 48, t + 48, u + 48, g.d, h, element + 48);
}
#endif

#define ROWS                                                                                       \
    __global const REAL *g, long g_at, long g_ld, __global const INDEX *ids, long ids_at,          \
        __global const long *count, long count_at, long capacity, long width

/* Rules that need a number of each row have the kernels of by_row.cl; after missed.cl come those of
 * step_late.cl, and after remade.cl. */
#if !defined(BY_ROW) && !defined(MISSED) && !defined(REMADE)
#define STEP(n, j) STEP_PANEL_OF_ROW(n, j, LOAD##n(from + (j)))
#define STEP_ROWS(panels)                                                                          \
    FOR_ROWS_OF_FOURS(i, n) {                                                                      \
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
    FOURS((g_ld & 3) == 0 && ALIGNED(g + g_at) && TABLES_ALIGNED);
    BY_WIDTH(STEP_ROWS)
}

KERNEL step_rows_and_array(TABLES, ROWS, HYPER, LAST, int distance, long size,
                           __global REAL *array_w, long array_w_at,
                           __global first_state *array_s, long array_s_at,
                           __global second_state *array_t, long array_t_at,
                           __global third_state *array_u, long array_u_at,
                           __global const REAL *array_g, long array_g_at, HYPER_OF(array_h_)) {
    if (get_group_id(0) == 0) {
        const hyper h = MAKE_HYPER(array_h_);
        for (long j = get_local_id(0); j < size; j += GROUP)
            step_panel1(array_w + (array_w_at + j), array_s + (array_s_at + j),
                        array_t + (array_t_at + j), array_u + (array_u_at + j),
                        array_g[array_g_at + j], h, j);
    }
    const hyper h = MAKE_HYPER(h_);
    const long n = item_count(capacity, count, count_at);
    FOURS((g_ld & 3) == 0 && ALIGNED(g + g_at) && TABLES_ALIGNED);
    BY_WIDTH(STEP_ROWS)
}
#undef STEP_ROWS
#undef STEP

/* The sum of rows of one index, or their mean. `zero` is -0, which changes nothing; or 0, which is
 * what sums begin with: then a sum of -0 is 0. */
#define MEAN(T, n)                                                                                 \
    ALWAYS_INLINE T mean##n(T sum, long rows, int is_mean, REAL zero) {                            \
        sum += zero;                                                                               \
        if (SPC_PREPARE && is_mean && rows > 1) sum = DIVIDE##n(sum, (T)(REAL)rows);               \
        return sum;                                                                                \
    }
EACH_WIDTH(MEAN)
#define DIVIDE_BY_ROWS(n, sum, rows) mean##n(sum, rows, is_mean, zero)
#if SPC_HINTS
ALWAYS_INLINE REAL64 mean64(REAL64 x, long rows, int is_mean, REAL zero) {
    const REAL64 result = {mean16(x.a, rows, is_mean, zero), mean16(x.b, rows, is_mean, zero),
                           mean16(x.c, rows, is_mean, zero), mean16(x.d, rows, is_mean, zero)};
    return result;
}
#endif

LANES_16 KERNEL step_runs(TABLES, __global const OFFSET *starts, __global const long *found,
                 __global const INDEX *keys, long keys_at, __global const REAL *from, long from_at,
                 __global const OFFSET *perm, long width, HYPER, LAST, int is_mean, REAL zero,
                 RUN_SUMS) {
    const hyper h = MAKE_HYPER(h_);
    run r = {from + from_at, perm, 0, 0, starts[found[0]], width, 0, 0};
    FOURS(SPC_SMALL && (width & 3) == 0 && ALIGNED(r.from) && TABLES_ALIGNED);
    OPEN_RUNS(r, found[0]);
#define STEP(n, j) STEP_PANEL_OF_ROW(n, j, DIVIDE_BY_ROWS(n, sum_run##n(r, j), r.end - r.begin))
#define STEP_RUNS(panels)                                                                          \
    FOR_WHOLE_RUNS(r) {                                                                            \
        PREFETCH_LATER_RUN(r.u)                                                                    \
        const long row = (long)keys[keys_at + r.begin];                                            \
        FIND_ROW(row);                                                                             \
        panels(STEP);                                                                              \
        if (last && FIRST_LANE) last[last_at + row] = number;                                      \
    }
    BY_WIDTH(STEP_RUNS)
#undef STEP_RUNS
#undef STEP
}

KERNEL step_carry(TABLES, __global const OFFSET *starts, __global const long *found,
                  __global const INDEX *keys, long keys_at, long width, HYPER, LAST, int is_mean,
                  REAL zero, BLOCK_SUMS) {
    const hyper h = MAKE_HYPER(h_);
    FOURS(0); /* few runs are long, and vectors would need too many registers */
    FOR_LONG_RUNS(r, found[0]) {
        const long row = (long)keys[keys_at + starts[r.u]], rows = starts[r.u + 1] - starts[r.u];
        FIND_ROW(row);
#define STEP(n, j)                                                                                 \
    STEP_PANEL_OF_ROW(n, LONG_COLUMN(r, j),                                                        \
                      DIVIDE_BY_ROWS(n, sum_long##n(&r, starts, LONG_COLUMN(r, j)), rows))
        EACH_LONG_PANEL(r, STEP);
#undef STEP
        if (last && FIRST_OF_LONG(r)) last[last_at + row] = number;
    }
}

KERNEL step_separately(TABLES, __global const OFFSET *starts, __global const long *found,
                       __global const INDEX *keys, long keys_at, __global const REAL *from,
                       long from_at, __global const OFFSET *perm, long width, HYPER, LAST) {
    const hyper h = MAKE_HYPER(h_);
    const run g = {from + from_at, perm, 0, 0, starts[found[0]], width, 0, 0};
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
