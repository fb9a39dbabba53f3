/* embedding.cl: rows of a table by their indices. After panel.cl, products.cl and bags.cl.
 *
 * Defines  embedding_rows (lookup); bad_clear and bad_indices (the number of bad indices)
 * Range    over entries: embedding_rows FOR_ROWS, bad_indices FOR_EACH
 */

/* by_position: row i of the table for entry i. */
KERNEL embedding_rows(BAGS, __global const STORED *table, long table_at, long ld,
                      __global STORED *to, long to_at, long to_ld, long width, int by_position) {
    OPEN_BAGS;
    FOURS(((ld | to_ld) & 3) == 0 && ALIGNED(table + table_at) && ALIGNED(to + to_at));
    FOR_ROWS_OF_FOURS(i, count) {
        const long row = row_of(&b, i);
        __global const STORED *from = table + (table_at + (by_position ? i : max(row, 0L)) * ld);
        __global STORED *target = to + (to_at + i * to_ld);
#define COPY(n, j) SET##n(GET##n(from + (j)), target + (j))
#define CLEAR(n, j) SET##n((VECTOR_##n)(0), target + (j))
        if (!by_position) prefetch_entry(&b, i, table + table_at, ld, width);
        if (row >= 0) {
            PANELS(COPY);
        } else {
            PANELS(CLEAR);
        }
#undef COPY
#undef CLEAR
    }
}

KERNEL bad_clear(__global uint *bad, long bad_at) {
    FOR_EACH(i, 2) bad[2 * bad_at + i] = 0;
}

/* Add the number of indices that are neither in range nor the padding to `bad`, the two words of an
 * int64. */
KERNEL bad_indices(BAGS, __global uint *bad, long bad_at) {
    OPEN_BAGS;
    uint found = 0;
    FOR_EACH(k, count) {
        const INDEX id = b.ids[k];
        if (has_padding && (long)id == padding) continue;
        found += id < 0 || (long)id >= limit;
    }
    if (found == 0) return;
    const uint before = atomic_add(bad + 2 * bad_at, found);
    if (before + found < before) atomic_inc(bad + 2 * bad_at + 1);
}
