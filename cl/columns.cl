/* columns.cl: the entries of a small CSR matrix, ordered by column with one counter per column. For
 * CPU class. After scan.cl.
 *
 * Defines  columns_csc, columns_pattern; for cl/columns_product.cl: MATRIX, OPEN_MATRIX,
 *          column_range, FOR_IN_RANGE, count_entries, count_before, count_columns, list_columns
 * Range    one group, or two with half of the columns each. A group processes the entries of all
 *          rows that are in its columns; two groups need rows whose columns ascend
 * Memory   ends: one counter per column, and one more; splits: per group, one offset per row; seen,
 *          of columns_pattern: one byte per column
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
    const long middle = chunk_begin(columns, groups, 1);                                           \
    offsets += offsets_at;                                                                         \
    const column_range mine = {a + a_at,                                                           \
                       offsets,                                                                    \
                       rows,                                                                       \
                       clamp((long)offsets[rows], 0L, capacity),                                   \
                       w * middle,                                                                 \
                       w == groups - 1 ? columns : middle,                                         \
                       groups > 1,                                                                 \
                       splits + w * rows}

#define OPEN_MOVED                                                                                 \
    if (payload) payload += payload_at;                                                            \
    to_row += to_row_at;                                                                           \
    to_payload += to_payload_at

/* The columns first .. last of a matrix with n entries. */
typedef struct {
    __global const INDEX *a;
    __global const OFFSET *offsets;
    long rows;
    OFFSET n;
    long first, last;
    int is_half;
    __global OFFSET *splits; /* where the second half of the columns begins in each row */
} column_range;

/* The first of the entries k .. end whose column is at least `column`. Branches would be
 * unpredictable, so there are none. */
static OFFSET find_column(__global const INDEX *a, OFFSET k, OFFSET end, long column) {
    OFFSET count = end - k;
    while (count > 1) {
        const OFFSET half_of = count / 2;
        k += a[k + half_of - 1] < column ? half_of : 0;
        count -= half_of;
    }
    return k + (count == 1 && a[k] < column);
}

static void split_rows(const column_range *p, long column) {
    for (long r = 0; r < p->rows; ++r)
        p->splits[r] = find_column(p->a, p->offsets[r], min(p->offsets[r + 1], p->n), column);
}

/* Loop over the entries k of row r that are in a range of columns, or before it. */
#define FOR_IN_RANGE(k, p, r)                                                                      \
    for (OFFSET k = (p)->first > 0 ? (p)->splits[r] : (p)->offsets[r],                             \
                k##_end = (p)->is_half && (p)->first == 0 ? (p)->splits[r]                         \
                                                          : min((p)->offsets[r + 1], (p)->n);      \
         k < k##_end; ++k)
#define FOR_BEFORE(k, p, r) for (OFFSET k = (p)->offsets[r]; k < (p)->splits[r]; ++k)

/* ends[c + 1] := number of entries of column c. Returns the number of entries in columns before the
 * range. */
static OFFSET count_entries(__global OFFSET *ends, const column_range *p) {
    OFFSET before = 0;
    for (long c = p->first; c < p->last; ++c) ends[c + 1] = 0;
    if (!p->is_half) {
        for (OFFSET k = 0; k < p->n; ++k) ++ends[p->a[k] + 1];
        return 0;
    }
    split_rows(p, p->first > 0 ? p->first : p->last);
    for (long r = 0; r < p->rows; ++r) {
        if (p->first > 0) before += p->splits[r] - p->offsets[r];
        FOR_IN_RANGE(k, p, r) ++ends[p->a[k] + 1];
    }
    return before;
}

/* ends[c + 1] := where column c begins, the first one at `begin`. */
static void begin_columns(__global OFFSET *ends, const column_range *p, OFFSET begin) {
    for (long c = p->first; c < p->last; ++c) {
        const OFFSET count = ends[c + 1];
        ends[c + 1] = begin;
        begin += count;
    }
}

/* Afterwards, ends[c + 1] is where column c ends, and so where the next begins. Without a payload
 * array, the payload of an entry is its position. */
#define MOVE(value, also)                                                                          \
    for (long r = 0; r < mine.rows; ++r)                                                           \
        FOR_IN_RANGE(k, &mine, r) {                                                                \
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

KERNEL columns_csc(MATRIX, MOVED, __global OFFSET *splits, __global OFFSET *ends, long ends_at) {
    OPEN_MATRIX;
    OPEN_MOVED;
    ends += ends_at;
    if (w == 0) ends[0] = 0;
    begin_columns(ends, &mine, count_entries(ends, &mine));
    MOVE_ENTRIES
}

/* Number of columns before the range that have entries. */
static long count_before(__global uchar *seen, const column_range *p) {
    uint count = 0;
    if (p->first == 0) return 0;
    for (long c = 0; c < p->first; ++c) seen[c] = 0;
    for (long r = 0; r < p->rows; ++r) FOR_BEFORE(k, p, r) seen[p->a[k]] = 1;
    for (long c = 0; c < p->first; ++c) count += seen[c];
    return count;
}

/* Number of columns in the range that have entries. */
static long count_columns(__global const OFFSET *ends, const column_range *p) {
    long count = 0;
    for (long c = p->first; c < p->last; ++c) count += ends[c + 1] > 0;
    return count;
}

/* Write the columns of the range that have entries to elements first .. last of `present`, and
 * where each begins to ends[c + 1], and to `starts` unless that is NULL. Returns where the last one
 * ends. */
ALWAYS_INLINE OFFSET list_columns(__global INDEX *present, __global OFFSET *starts,
                                  __global OFFSET *ends, const column_range *p, long first,
                                  long last, OFFSET begin) {
    for (long c = p->first, u = first; u < last; ++c) { /* the next one overwrites an empty column
                                                         */
        const OFFSET count = ends[c + 1];
        present[u] = (INDEX)c;
        if (starts) starts[u] = begin;
        ends[c + 1] = begin;
        begin += count;
        u += count > 0;
    }
    return begin;
}

/* Also writes the columns that have entries, where each starts, and their number; and the values
 * unless `to_values` is NULL. */
KERNEL columns_pattern(MATRIX, MOVED, __global const uint *values, long values_at,
                       __global uint *to_values, __global OFFSET *splits, __global OFFSET *ends,
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
