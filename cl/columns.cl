/* columns.cl: the entries of a small CSR matrix by columns, with a counter for each. For CPU class.
 * After scan.cl.
 *
 * Defines  columns_csc, columns_pattern; for cl/columns_product.cl: MATRIX, OPEN_MATRIX, part,
 *          FOR_OWN, count_entries, count_before, count_columns, list_columns
 * Range    one group, or two, of which each has half of the columns, with the entries of all rows
 *          that are in it: only where the columns of each row ascend
 * Memory   ends: a counter a column, and one; cuts: for each group an entry a row; seen, of
 *          columns_pattern: a byte a column
 * Types    indices are INDEX, offsets OFFSET, of the matrix and of the result
 */

#define MATRIX                                                                                     \
    __global const INDEX *a, long a_at, __global const OFFSET *offsets, long offsets_at,           \
        long rows, long capacity, long columns
#define MOVED                                                                                      \
    __global const uint *payload, long payload_at, __global INDEX *to_row, long to_row_at,         \
        __global uint *to_payload, long to_payload_at
#define OPEN_MATRIX                                                                                \
    const long w = get_group_id(0), groups = get_num_groups(0);                                    \
    const long middle = part_begin(columns, groups, 1);                                            \
    offsets += offsets_at;                                                                         \
    const part mine = {a + a_at,                                                                   \
                       offsets,                                                                    \
                       rows,                                                                       \
                       clamp((long)offsets[rows], 0L, capacity),                                       \
                       w * middle,                                                                 \
                       w == groups - 1 ? columns : middle,                                         \
                       groups > 1,                                                                 \
                       cuts + w * rows}

#define OPEN_MOVED                                                                                 \
    if (payload) payload += payload_at;                                                            \
    to_row += to_row_at;                                                                           \
    to_payload += to_payload_at

/* The columns first .. last of the n entries. */
typedef struct {
    __global const INDEX *a;
    __global const OFFSET *offsets;
    long rows;
    OFFSET n;
    long first, last;
    int is_half;
    __global OFFSET *cuts; /* where the second half of a row begins */
} part;

/* The first of the entries k .. end whose column is not below `column`. It cannot be guessed, so
 * there is no branch for it. */
static OFFSET find_column(__global const INDEX *a, OFFSET k, OFFSET end, long column) {
    OFFSET count = end - k;
    while (count > 1) {
        const OFFSET half_of = count / 2;
        k += a[k + half_of - 1] < column ? half_of : 0;
        count -= half_of;
    }
    return k + (count == 1 && a[k] < column);
}

static void cut_rows(const part *p, long column) {
    for (long r = 0; r < p->rows; ++r)
        p->cuts[r] = find_column(p->a, p->offsets[r], min(p->offsets[r + 1], p->n), column);
}

/* Go over the entries k of row r that a part has, or that are before them. */
#define FOR_OWN(k, p, r)                                                                           \
    for (OFFSET k = (p)->first > 0 ? (p)->cuts[r] : (p)->offsets[r],                               \
                k##_end = (p)->is_half && (p)->first == 0 ? (p)->cuts[r]                           \
                                                          : min((p)->offsets[r + 1], (p)->n);      \
         k < k##_end; ++k)
#define FOR_BEFORE(k, p, r) for (OFFSET k = (p)->offsets[r]; k < (p)->cuts[r]; ++k)

/* ends[c + 1] := how many entries column c has. How many have columns before those of the part. */
static OFFSET count_entries(__global OFFSET *ends, const part *p) {
    OFFSET before = 0;
    for (long c = p->first; c < p->last; ++c) ends[c + 1] = 0;
    if (!p->is_half) {
        for (OFFSET k = 0; k < p->n; ++k) ++ends[p->a[k] + 1];
        return 0;
    }
    cut_rows(p, p->first > 0 ? p->first : p->last);
    for (long r = 0; r < p->rows; ++r) {
        if (p->first > 0) before += p->cuts[r] - p->offsets[r];
        FOR_OWN(k, p, r) ++ends[p->a[k] + 1];
    }
    return before;
}

/* ends[c + 1] := where column c begins, the first one at `begin`. */
static void begin_columns(__global OFFSET *ends, const part *p, OFFSET begin) {
    for (long c = p->first; c < p->last; ++c) {
        const OFFSET count = ends[c + 1];
        ends[c + 1] = begin;
        begin += count;
    }
}

/* In the end ends[c + 1] is where column c ends, and so where the next begins. Without payload an
 * entry has its number. */
#define MOVE(value, also)                                                                          \
    for (long r = 0; r < mine.rows; ++r)                                                           \
        FOR_OWN(k, &mine, r) {                                                                     \
            const OFFSET place = ends[mine.a[k] + 1]++;                                            \
            to_row[place] = (INDEX)r;                                                              \
            to_payload[place] = (value);                                                           \
            also;                                                                                  \
        }
#define MOVE_ENTRIES                                                                               \
    if (payload) {                                                                                 \
        MOVE(payload[k], )                                                                         \
    } else {                                                                                       \
        MOVE((uint)k, )                                                                            \
    }

KERNEL columns_csc(MATRIX, MOVED, __global OFFSET *cuts, __global OFFSET *ends, long ends_at) {
    OPEN_MATRIX;
    OPEN_MOVED;
    ends += ends_at;
    if (w == 0) ends[0] = 0;
    begin_columns(ends, &mine, count_entries(ends, &mine));
    MOVE_ENTRIES
}

/* How many columns before those of the part have entries. */
static long count_before(__global uchar *seen, const part *p) {
    uint count = 0;
    if (p->first == 0) return 0;
    for (long c = 0; c < p->first; ++c) seen[c] = 0;
    for (long r = 0; r < p->rows; ++r) FOR_BEFORE(k, p, r) seen[p->a[k]] = 1;
    for (long c = 0; c < p->first; ++c) count += seen[c];
    return count;
}

/* How many columns of the part have entries. */
static long count_columns(__global const OFFSET *ends, const part *p) {
    long count = 0;
    for (long c = p->first; c < p->last; ++c) count += ends[c + 1] > 0;
    return count;
}

/* The columns of the part that have entries, elements first .. last of `present`, and where each
 * begins: in ends[c + 1], and in `starts` where that is not NULL. Returns where the last one ends. */
ALWAYS_INLINE OFFSET list_columns(__global INDEX *present, __global OFFSET *starts,
                                  __global OFFSET *ends, const part *p, long first, long last,
                                  OFFSET begin) {
    for (long c = p->first, u = first; u < last; ++c) { /* one without entries is overwritten */
        const OFFSET count = ends[c + 1];
        present[u] = (INDEX)c;
        if (starts) starts[u] = begin;
        ends[c + 1] = begin;
        begin += count;
        u += count > 0;
    }
    return begin;
}

/* The columns that have entries, where each starts, and how many they are, too; and where
 * `to_values` is not NULL the values. */
KERNEL columns_pattern(MATRIX, MOVED, __global const uint *values, long values_at,
                       __global uint *to_values, __global OFFSET *cuts, __global OFFSET *ends,
                       __global uchar *seen, __global INDEX *present, __global OFFSET *starts,
                       __global long *found) {
    OPEN_MATRIX;
    OPEN_MOVED;
    const OFFSET begin = count_entries(ends, &mine);
    const long u = count_before(seen, &mine), count = u + count_columns(ends, &mine);
    list_columns(present, starts, ends, &mine, u, count, begin);
    if (mine.last == columns) {
        starts[count] = mine.n;
        *found = count;
    }
    if (to_values) {
        MOVE((uint)k, to_values[place] = values[values_at + k])
        return;
    }
    MOVE_ENTRIES
}
