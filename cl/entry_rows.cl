/* entry_rows.cl: the rows of the entries of a CSR matrix, for kernels that divide its entries evenly
 * among workers.
 *
 * Defines  row_of_entry, next_row_of_entry
 */

/* The row of entry k, which is in one of the rows low .. high - 1. */
static long row_of_entry(__global const OFFSET *offsets, long low, long high, long k) {
    while (high - low > 1) { /* offsets[low] <= k < offsets[high] */
        const long middle = low + (high - low) / 2;
        if ((long)offsets[middle] <= k)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The same where k is in `row` or in a later row: most often in it, or in the next one. */
static long next_row_of_entry(__global const OFFSET *offsets, long row, long rows, long k) {
    if ((long)offsets[row + 1] > k) return row;
    return (long)offsets[row + 2] > k ? row + 1 : row_of_entry(offsets, row + 2, rows, k);
}
