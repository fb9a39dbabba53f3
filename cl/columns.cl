/* columns.cl: the entries of a small CSR matrix by columns, with a counter for each, in three steps.
 * For CPU class. After scan.cl.
 *
 * Defines  columns_count, columns_begin or columns_list, columns_move
 * Range    columns_count, columns_move: a group has a part of the entries, which lie in order;
 *          columns_begin, columns_list: one group
 * Memory   counts: for each part a counter a column. They say how many entries it has; then where
 *          these go: in each column those of the parts lie in order
 * Types    indices are INDEX, offsets OFFSET, of the matrix and of the result
 */

#define MATRIX                                                                                     \
    __global const INDEX *a, long a_at, __global const OFFSET *offsets, long offsets_at,           \
        long rows, long room, __global uint *counts, long columns
/* The group has the entries begin .. end. */
#define OPEN_MATRIX                                                                                \
    const long w = get_group_id(0), parts = get_num_groups(0);                                     \
    a += a_at;                                                                                     \
    offsets += offsets_at;                                                                         \
    counts += w * columns;                                                                         \
    const long n = clamp((long)offsets[rows], 0L, room);                                           \
    const long begin = part_begin(n, parts, w), end = part_begin(n, parts, w + 1)

KERNEL columns_count(MATRIX) {
    OPEN_MATRIX;
    for (long c = 0; c < columns; ++c) counts[c] = 0;
    for (long k = begin; k < end; ++k) ++counts[a[k]];
}

#define COUNTS __global uint *counts, long columns, long parts

/* The entries of column c become places, in each part behind the parts before, the first at `at`.
 * Returns where the last one ends. */
static uint place_column(COUNTS, long c, uint at) {
    for (long w = 0; w < parts; ++w) {
        const uint count = counts[w * columns + c];
        counts[w * columns + c] = at;
        at += count;
    }
    return at;
}
#define COUNTS_ARGS counts, columns, parts

/* Where each column starts. */
KERNEL columns_begin(COUNTS, __global OFFSET *starts, long starts_at) {
    uint at = 0;
    starts += starts_at;
    for (long c = 0; c < columns; ++c) {
        starts[c] = at;
        at = place_column(COUNTS_ARGS, c, at);
    }
    starts[columns] = at;
}

/* The columns that have entries, of which there are no more than `room`, where each starts, and how
 * many they are. */
KERNEL columns_list(COUNTS, __global INDEX *present, __global OFFSET *starts, long room,
                    __global long *found) {
    uint at = 0;
    long u = 0;
    for (long c = 0; c < columns && u < room; ++c) { /* one without entries is overwritten */
        const uint end = place_column(COUNTS_ARGS, c, at);
        present[u] = (INDEX)c;
        starts[u] = at;
        u += end > at;
        at = end;
    }
    starts[u] = at;
    *found = u;
}

/* Without payload an entry has its number; values go with the entries where `to_values` is not
 * NULL. */
KERNEL columns_move(MATRIX, __global const uint *payload, long payload_at, __global INDEX *to_row,
                    long to_row_at, __global uint *to_payload, long to_payload_at,
                    __global const uint *values, long values_at, __global uint *to_values) {
    OPEN_MATRIX;
    if (payload) payload += payload_at;
    to_row += to_row_at;
    to_payload += to_payload_at;
    long k = begin;
#define MOVE(value, also)                                                                          \
    for (long row = find_offset(offsets, 0, rows + 1, begin + 1) - 1; k < end; ++row)              \
        for (const long last = min((long)offsets[row + 1], end); k < last; ++k) {                  \
            const uint place = counts[a[k]]++;                                                     \
            to_row[place] = (INDEX)row;                                                            \
            to_payload[place] = (value);                                                           \
            also;                                                                                  \
        }
    if (to_values) {
        MOVE((uint)k, to_values[place] = values[values_at + k])
    } else if (payload) {
        MOVE(payload[k], )
    } else {
        MOVE((uint)k, )
    }
}
