/* row_teams.cl: sums over the rows of a matrix, and loops over their elements: a row belongs to one
 * work-item, or to a team of eight lanes. After panel.cl and elements.cl.
 *
 * Defines  FOR_TEAM_ROWS(i, m), HAS_ROW(i, m), has_row, at the start of its body; in it
 *          SUM_ROW(sum, n, TERM, FOLD): a new `sum` of TERM(w, j), a vector of w from column j on,
 *          over a row; SUM_ROW_IF(has, ...): only where `has`,
 *          in a block after WHERE(has), which work-items that have no team leave out; EACH_OF_ROW(j, n, body): body(w, j) for the vectors of a row; FIRST_OF_ROW;
 *          square1, square8. All lanes of a group must meet each SUM_ROW, also those without a row.
 *          ALL_HAVE_READ, before a row is written after all that was read without a sum;
 *          FOLD_TREE, FOLD_ASCENDING: the order in which a block's partial sums are added
 * Range    FOR_EACH over rows, or over teams of eight lanes
 * Order    docs/numerics.md, rule S with one column; FOLD_ASCENDING: "Optimizer rules"
 */
#define FOLD_TREE(p) ((((p)[0] + (p)[4]) + ((p)[2] + (p)[6])) + (((p)[1] + (p)[5]) + ((p)[3] + (p)[7])))
#define FOLD_ASCENDING(p)                                                                          \
    ((((((((p)[0] + (p)[1]) + (p)[2]) + (p)[3]) + (p)[4]) + (p)[5]) + (p)[6]) + (p)[7])

#if SPC_GPU

#define TEAM_LANES 8
#define FOR_TEAM_ROWS(i, m)                                                                        \
    __local REAL fold[GROUP];                                                                      \
    const int lane = get_local_id(0) & (TEAM_LANES - 1);                                           \
    const long teams = GROUP / TEAM_LANES;                                                         \
    for (long first_row = get_group_id(0) * teams, i = first_row + get_local_id(0) / TEAM_LANES;   \
         first_row < (m); first_row += get_num_groups(0) * teams,                                  \
              i = first_row + get_local_id(0) / TEAM_LANES)

/* The states of a row (by_row.cl), which all lanes read before a sum and one writes after it, are in
 * global memory. */
#ifdef BY_ROW
#define TEAM_FENCE (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#else
#define TEAM_FENCE CLK_LOCAL_MEM_FENCE
#endif

#define SUM_ROW_IF(has, sum, n, TERM, FOLD)                                                        \
    REAL sum = 0;                                                                                  \
    IN_ORDER                                                                                       \
    for (long first = 0; first < (n); first += SPC_BLOCK) {                                        \
        REAL s = 0;                                                                                \
        IN_ORDER                                                                                   \
        for (long j = first + lane; j < min((n), first + SPC_BLOCK) && (has); j += TEAM_LANES)     \
            s += TERM(1, j);                                                                       \
        fold[get_local_id(0)] = s;                                                                 \
        barrier(TEAM_FENCE);                                                                       \
        const __local REAL *mine = fold + (get_local_id(0) - lane);                                \
        sum += FOLD(mine);                                                                         \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
    }
#define SUM_ROW(sum, n, TERM, FOLD) SUM_ROW_IF(has_row, sum, n, TERM, FOLD)
#define HAS_ROW(i, m) const int has_row = (i) < (m)
#define WHERE(has)
#define ALL_HAVE_READ barrier(CLK_GLOBAL_MEM_FENCE)
#define EACH_OF_ROW(j, n, body)                                                                    \
    for (long j = lane; j < (n) && has_row; j += TEAM_LANES) body(1, j)
#define FIRST_OF_ROW (lane == 0 && has_row)

#else

#define FOR_TEAM_ROWS(i, m) FOR_EACH(i, m)
#define SUM_ROW_IF(has, sum, n, TERM, FOLD)                                                        \
    REAL sum = 0;                                                                                  \
    IN_ORDER                                                                                       \
    for (long first = 0; (has) && first < (n); first += SPC_BLOCK) {                               \
        const long last = min((n), first + SPC_BLOCK);                                             \
        REAL8 s = 0;                                                                               \
        REAL p[8];                                                                                 \
        long j = first;                                                                            \
        for (; j + 8 <= last; j += 8) s += TERM(8, j);                                             \
        vstore8(s, 0, p);                                                                          \
        IN_ORDER                                                                                   \
        for (; j < last; ++j) p[j & 7] += TERM(1, j);                                              \
        sum += FOLD(p);                                                                            \
    }
#define SUM_ROW(sum, n, TERM, FOLD) SUM_ROW_IF(1, sum, n, TERM, FOLD)
#define HAS_ROW(i, m) enum { has_row = 1 }
#define WHERE(has) if (has)
#define ALL_HAVE_READ
#define EACH_OF_ROW EACH_OF_PART
#define FIRST_OF_ROW 1

#endif

#define SQUARE_OF(T, n)                                                                            \
    ALWAYS_INLINE T square##n(T x) {                                                               \
        return x * x;                                                                              \
    }
SQUARE_OF(REAL, 1)
#if !SPC_GPU
SQUARE_OF(REAL8, 8)
#endif
