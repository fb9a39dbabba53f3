/* columns.cl: the entries of a small CSR matrix by columns, at once: waking other cores would take
 * longer. For CPU class. After scan.cl.
 *
 * Defines  columns_csc, columns_pattern
 * Range    one work-item
 * Types    indices are INDEX, offsets OFFSET, of the matrix and of the result
 */

#define MATRIX                                                                                     \
    __global const INDEX *a, long a_at, __global const OFFSET *offsets, long offsets_at,           \
        long rows, __global const uint *payload, long payload_at, long room, long columns
#define RESULT                                                                                     \
    __global INDEX *to_row, long to_row_at, __global uint *to_payload, long to_payload_at
#define OPEN                                                                                       \
    if (get_global_id(0) > 0) return;                                                              \
    offsets += offsets_at;                                                                         \
    if (payload) payload += payload_at;                                                            \
    to_row += to_row_at;                                                                           \
    to_payload += to_payload_at;                                                                   \
    const OFFSET n = clamp((long)offsets[rows], 0L, room);                                         \
    a += a_at

/* ends[c + 1] := how many entries column c has; ends[0] := 0. */
static void count_entries(__global OFFSET *ends, __global const INDEX *a, OFFSET n, long columns) {
    for (long c = 0; c <= columns; ++c) ends[c] = 0;
    for (OFFSET k = 0; k < n; ++k) ++ends[a[k] + 1];
}

/* ends[c + 1] := where column c begins. */
static void begin_columns(__global OFFSET *ends, long columns) {
    OFFSET sum = 0;
    for (long c = 1; c <= columns; ++c) {
        const OFFSET count = ends[c];
        ends[c] = sum;
        sum += count;
    }
}

/* In the end ends[c + 1] is where column c ends, and so where the next begins. Without payload an
 * entry has its number. */
#define MOVE(value, also)                                                                          \
    for (long r = 0; r < rows; ++r)                                                                \
        for (OFFSET k = offsets[r], last = min(offsets[r + 1], n); k < last; ++k) {                \
            const OFFSET place = next[a[k]]++;                                                     \
            to_row[place] = (INDEX)r;                                                              \
            to_payload[place] = (value);                                                           \
            also;                                                                                  \
        }
#define MOVE_ENTRIES                                                                               \
    __global OFFSET *const next = ends + 1;                                                        \
    if (payload) {                                                                                 \
        MOVE(payload[k], )                                                                         \
    } else {                                                                                       \
        MOVE((uint)k, )                                                                            \
    }

KERNEL columns_csc(MATRIX, RESULT, __global OFFSET *ends, long ends_at) {
    OPEN;
    ends += ends_at;
    count_entries(ends, a, n, columns);
    begin_columns(ends, columns);
    MOVE_ENTRIES
}

/* The columns that have entries, where each starts, and how many they are, too; and where `to_values`
 * is not NULL the values. */
KERNEL columns_pattern(MATRIX, RESULT, __global const uint *values, long values_at,
                       __global uint *to_values, __global OFFSET *ends, __global INDEX *present,
                       __global OFFSET *starts, __global long *found) {
    long count = 0, u = 0;
    OFFSET place = 0;
    OPEN;
    count_entries(ends, a, n, columns);
    for (long c = 1; c <= columns; ++c) count += ends[c] > 0;
    for (long c = 0; u < count; ++c) { /* one without entries is overwritten */
        present[u] = (INDEX)c;
        starts[u] = place;
        u += ends[c + 1] > 0;
        place += ends[c + 1];
    }
    starts[count] = n;
    *found = count;
    begin_columns(ends, columns);
    if (to_values) {
        __global OFFSET *const next = ends + 1;
        MOVE((uint)k, to_values[place] = values[values_at + k])
        return;
    }
    MOVE_ENTRIES
}
