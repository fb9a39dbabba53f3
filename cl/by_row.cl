/* by_row.cl: one optimizer step on rows of a table, where a rule needs a number of each row:
 * first the sums over the row, then its elements. After step.cl and row_teams.cl; rule_<name>.cl
 * also defines
 *   BY_ROW; LARGEST_COUNTER: the coefficient that is 1 more than the largest state
 *   ROW_RULE  void row_rule(row x, hyper h, hyper *own), which updates the states of the row and
 *             makes of *own, at first h, the numbers of its elements. All lanes of a group call it: it
 *             reads the states of the row before a sum or MEET_LANES, and writes them (FIRST_LANE_OF)
 *             after it. It must not write to h: on rusticl (Mesa 22.3) that changes the caller's
 *             (observed). A function that returns a struct makes clang emit an intrinsic that Oclgrind
 *             21.10 does not know.
 *
 * Defines  step_rows_by_row; step_separately_by_row: the rows of one index one after the other;
 *          step_absent_by_row: a step with a gradient of 0 for the rows without a flag
 * Range    FOR_TEAM_ROWS over the rows, over the rows of the table; step_separately_by_row: FOR_EACH
 *          over the runs, or a group for each
 * Memory   as in step.cl and absent.cl. A state of rows has an element for each row; the states of
 *          elements come first.
 * Order    docs/numerics.md, "Optimizer rules"
 */

/* A row of the table and of its states, and its gradient; NULL: 0. */
typedef struct {
    __global REAL *w;
    __global first_state *s;
    __global second_state *t;
    __global third_state *u;
    __global const REAL *from;
    long width, element;
#if SPC_GPU
    __local REAL *fold;
    int lane, has_row;
#endif
} row;

#if SPC_GPU
#define TEAM_OF(x)                                                                                 \
    __local REAL *fold = x.fold;                                                                   \
    const int lane = x.lane, has_row = x.has_row;
#define PANELS_OF(x)                                                                               \
    const int lane = x.lane, lanes = TEAM_LANES; /* for EACH_PANEL */
#define FIRST_LANE_OF(x) (x.lane == 0 && x.has_row)
#define AND_TEAM , fold, lane, has_row
#define HAS(x) x.has_row
#define MEET_LANES barrier(TEAM_FENCE) /* all have read the states of their row */
#else
#define TEAM_OF(x)
#define PANELS_OF(x)
#define FIRST_LANE_OF(x) 1
#define AND_TEAM
#define HAS(x) 1
#define MEET_LANES
#endif

/* Elements of the gradient as prepare leaves them. */
#define GRADIENT_OF_ROW(T, n)                                                                      \
    ALWAYS_INLINE T gradient##n(row x, long j, hyper h) {                                          \
        T w = LOAD##n(x.w + j);                                                                    \
        return prepare##n(&w, x.from ? LOAD##n(x.from + j) : (T)0, h);                             \
    }
GRADIENT_OF_ROW(REAL, 1)
#if !SPC_GPU
GRADIENT_OF_ROW(REAL8, 8)
#endif

static REAL gradient_squares(row x, hyper h) {
    TEAM_OF(x)
#define GRADIENT_SQUARE(n, j) square##n(gradient##n(x, j, h))
    SUM_ROW(sum, x.width, GRADIENT_SQUARE, FOLD_ASCENDING)
    return sum;
}

static REAL weight_squares(row x) {
    TEAM_OF(x)
#define WEIGHT_SQUARE(n, j) square##n(LOAD##n(x.w + (j)))
    SUM_ROW(sum, x.width, WEIGHT_SQUARE, FOLD_ASCENDING)
    return sum;
}

ROW_RULE

/* A row that is longer than max_norm becomes as long as that. */
static void shorten(row x, REAL max_norm) {
    PANELS_OF(x)
    const REAL norm = ROOT(weight_squares(x));
    if (!HAS(x) || !(norm > max_norm)) return;
    const REAL scale = DIVIDE(max_norm, norm);
#define SHORTEN(n, j) STORE##n(LOAD##n(x.w + (j)) * scale, x.w + (j))
    EACH_PANEL(j, x.width, SHORTEN);
#undef SHORTEN
}

static void step_elements(row x, hyper h) {
    PANELS_OF(x)
#define STEP_WITH(n, j, g)                                                                         \
    step_panel##n(x.w + (j), x.s + (j), x.t + (j), x.u + (j), g, h, x.element + (j))
#define STEP(n, j)         STEP_WITH(n, j, LOAD##n(x.from + (j)))
#define STEP_ZERO(n, j)    STEP_WITH(n, j, (REAL)0)
    if (!HAS(x)) return;
    if (x.from) {
        EACH_PANEL(j, x.width, STEP);
    } else {
        EACH_PANEL(j, x.width, STEP_ZERO);
    }
#undef STEP_ZERO
#undef STEP
#undef STEP_WITH
}

static void step_row(row x, hyper given, REAL max_norm) {
    hyper own = given;
    row_rule(x, given, &own);
    step_elements(x, own);
    if (max_norm < INFINITY) shorten(x, max_norm);
}

/* The largest counter of the table before the step; NULL: none. */
#define LARGEST __global const REAL *largest
#ifdef LARGEST_COUNTER
#define TAKE_LARGEST(hyper)                                                                        \
    if (largest) hyper.LARGEST_COUNTER = *largest + 1
#else
#define TAKE_LARGEST(hyper)
#endif

#define ROW_OF(from) {w_row, s_row, t_row, u_row, from, width, element_of_row AND_TEAM}

KERNEL step_rows_by_row(TABLES, ROWS, HYPER, LAST, int distance, REAL max_norm,
                        LARGEST) {
    hyper h = MAKE_HYPER(h_);
    TAKE_LARGEST(h);
    const long n = item_count(capacity, count, count_at);
    FOR_TEAM_ROWS(i, n) {
        HAS_ROW(i, n);
        PREFETCH_LATER_ROW(i)
        const long known = min(i, n - 1); /* lanes without a row */
        const long id = ids ? (long)ids[ids_at + known] : known;
        FIND_ROW(id);
        const row x = ROW_OF(g + (g_at + known * g_ld));
        step_row(x, h, max_norm);
        if (last && FIRST_OF_ROW) last[last_at + id] = number;
    }
}

/* A run may be of any length, and the lanes of a group must meet: they all have the same run. */
#if SPC_GPU
#define FOR_RUNS(i, n)                                                                             \
    __local REAL fold[GROUP];                                                                      \
    const int lane = get_local_id(0) & (TEAM_LANES - 1), has_row = get_local_id(0) < TEAM_LANES;   \
    for (long i = get_group_id(0); i < (n); i += get_num_groups(0))
#define AFTER_STEP barrier(TEAM_FENCE) /* all lanes read the states again */
#else
#define FOR_RUNS(i, n) FOR_EACH(i, n)
#define AFTER_STEP
#endif

KERNEL step_separately_by_row(TABLES, __global const OFFSET *starts, __global const long *found,
                              __global const INDEX *keys, long keys_at, __global const REAL *from,
                              long from_at, __global const OFFSET *perm, long width, HYPER, LAST,
                              REAL max_norm, LARGEST) {
    hyper h = MAKE_HYPER(h_);
    TAKE_LARGEST(h);
    const run g = {from + from_at, perm, 0, 0, starts[found[0]], width, 0, 0};
    FOR_RUNS(i, found[0]) {
        const long id = (long)keys[keys_at + starts[i]];
        FIND_ROW(id);
        for (long k = starts[i]; k < starts[i + 1]; ++k) {
            const row x = ROW_OF(row_of(g, k));
            step_row(x, h, max_norm);
            AFTER_STEP;
        }
        if (last && FIRST_OF_ROW) last[last_at + id] = number;
    }
}

KERNEL step_absent_by_row(TABLES, __global const uchar *present, long rows, long width, HYPER,
                          REAL max_norm, LARGEST) {
    hyper h = MAKE_HYPER(h_);
    TAKE_LARGEST(h);
    FOR_TEAM_ROWS(i, rows) {
#if SPC_GPU
        const int has_row = i < rows && !present[min(i, rows - 1)];
#else
        if (present[i]) continue;
#endif
        const long known = min(i, rows - 1);
        FIND_ROW(known);
        const row x = ROW_OF(0);
        step_row(x, h, max_norm);
    }
}
