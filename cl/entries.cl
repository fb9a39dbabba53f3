/* entries.cl: the rows of the entries of a CSR matrix, or the runs of items, for kernels that divide
 * entries evenly among workers.
 *
 * Defines  FOR_ENTRIES; EACH_ENTRY; many lanes: ROWS_OF_TILE, OPEN_TILE
 */

/* FOR_ENTRIES(k, r, offsets, rows, n): a loop over the entries k < n of a work-item, in rows r:
 * offsets[r] <= k < offsets[r + 1]. EACH_ENTRY: CALL(k, r) for each of them. */
#if SPC_GPU

/* The entries first .. last - 1 are in rows low .. high - 1, which a group searches together. */
#define ROWS_OF_TILE(low, high, offsets, rows, first, last)                                        \
    low = row_of_entry(offsets, 0, rows, first), high = row_of_entry(offsets, low, rows, (last)-1) + 1

/* A group has a tile of consecutive items: as many as are for each of the groups. */
#define OPEN_TILE(n)                                                                               \
    const long tile = ((n) + (long)get_global_size(0) - 1) / (long)get_global_size(0) * GROUP;     \
    const long first_of_tile = get_group_id(0) * tile;                                             \
    const long end_of_tile = min(first_of_tile + tile, (long)(n))

#define FOR_ENTRIES(k, r, offsets, rows, n)                                                        \
    OPEN_TILE(n);                                                                                  \
    long low_row = 0, high_row = 0, r = 0;                                                         \
    if (first_of_tile < end_of_tile)                                                               \
        ROWS_OF_TILE(low_row, high_row, offsets, rows, first_of_tile, end_of_tile);                \
    for (long k = first_of_tile + get_local_id(0);                                                 \
         k < end_of_tile && (r = row_of_entry(offsets, low_row, high_row, k), 1); k += GROUP)

#define EACH_ENTRY(offsets, rows, n, CALL)                                                         \
    FOR_ENTRIES(k, r, offsets, rows, n) {                                                          \
        CALL(k, r);                                                                                \
    }

#else

/* The same where k is in `row` or in a later row: most often in it, or in the next one; at first
 * `row` is -1. */
static long next_row_of_entry(__global const OFFSET *offsets, long row, long rows, long k) {
    if (row < 0) return row_of_entry(offsets, 0, rows, k);
    if ((long)offsets[row + 1] > k) return row;
    return (long)offsets[row + 2] > k ? row + 1 : row_of_entry(offsets, row + 2, rows, k);
}

#define FOR_ENTRIES(k, r, offsets, rows, n)                                                        \
    long r = -1;                                                                                   \
    for (long k = chunk_begin(n, get_num_groups(0), get_group_id(0)),                              \
              k##_end = chunk_begin(n, get_num_groups(0), get_group_id(0) + 1);                    \
         k < k##_end && (r = next_row_of_entry(offsets, r, rows, k), 1); ++k)

/* A loop over the entries of a row without a search inside. */
#define EACH_ENTRY(offsets, rows, n, CALL)                                                         \
    for (long chunks = get_num_groups(0), chunk = get_group_id(0),                                 \
              k = chunk_begin(n, chunks, chunk), end = chunk_begin(n, chunks, chunk + 1), r = -1;  \
         k < end;) {                                                                               \
        r = next_row_of_entry(offsets, r, rows, k);                                                \
        for (const long last = min((long)(offsets)[r + 1], end); k < last; ++k) {                  \
            CALL(k, r);                                                                            \
        }                                                                                          \
    }

#endif
