/* embedding_gradient.cl: bags as a matrix, and their gradients. After panel.cl,
 * elements.cl, row_teams.cl and bags.cl.
 *
 * Defines  bag_lengths and bag_matrix (the bags as a CSR matrix); bag_entries (its indices, and the
 *          row of each) and bag_shares (rows times the values of a row of it, without weights);
 *          bag_coefficients (the values of that matrix for all entries, 0 for those that are left out); max_rows (a gradient row for
 *          each entry); divide_by_counts; store_rows; bag_divisors, bag_weights
 * Range    FOR_ROWS over entries: max_rows, over bags: bag_shares, and over rows of the table:
 *          divide_by_counts, store_rows; FOR_TEAM_ROWS over entries: bag_weights; FOR_EACH over bags:
 *          the others
 * Order    docs/numerics.md, rule S over the entries that are not left out
 */

#if SPC_GPU
#define FOR_COLUMNS(j) for (long j = lane; j < width; j += lanes)
#else
#define FOR_COLUMNS(j) for (long j = 0; j < width; ++j)
#endif

/* The number of entries of each bag that are not left out. */
KERNEL bag_lengths(BAGS, __global long *lengths) {
    OPEN_BAGS;
    const int has_all = !bounds && !has_padding;
    FOR_EACH(i, bags) {
        const long begin = bag_begin(&b, i), end = bag_end(&b, i);
        long kept = has_all ? max(end - begin, 0L) : 0;
        for (long k = begin; k < end && !has_all; ++k) kept += row_of(&b, k) >= 0;
        lengths[i] = kept;
    }
}

/* sums: of the lengths. Entries past the capacity are dropped. */
KERNEL bag_matrix(BAGS, __global const long *sums, long capacity, __global void *to_offsets,
                  long to_offsets_at, int offset64, __global void *to_ids, long to_ids_at, int id64,
                  __global STORED *values, long values_at, __global long *source, long source_at) {
    OPEN_BAGS;
    FOR_EACH(i, bags) {
        const long begin = bag_begin(&b, i), end = bag_end(&b, i);
        const REAL divisor = divisor_of(&b, begin, end);
        long at = sums[i];
        store_int(to_offsets, offset64, to_offsets_at + i, min(at, capacity));
        for (long k = begin; k < end && at < capacity; ++k) {
            const long row = row_of(&b, k);
            if (row < 0) continue;
            store_int(to_ids, id64, to_ids_at + at, row);
            WRITE_AT(values, values_at + at, DIVIDE(weight_of(&b, k), divisor));
            if (source) source[source_at + at] = k;
            ++at;
        }
        for (; at < min(sums[i + 1], capacity); ++at) { /* indices that were trusted, but are bad */
            store_int(to_ids, id64, to_ids_at + at, 0);
            WRITE_AT(values, values_at + at, 0);
            if (source) source[source_at + at] = begin;
        }
    }
    if (get_global_id(0) == 0)
        store_int(to_offsets, offset64, to_offsets_at + bags, min(sums[bags], capacity));
}

KERNEL bag_entries(BAGS, __global const long *sums, __global INDEX *to_ids, __global void *owners,
                   int owner64) {
    OPEN_BAGS;
    FOR_EACH(i, bags) {
        long at = sums[i];
        const long end = bag_end(&b, i);
        for (long k = bag_begin(&b, i); k < end; ++k) {
            const long row = row_of(&b, k);
            if (row < 0) continue;
            to_ids[at] = (INDEX)row;
            store_int(owners, owner64, at, i);
            ++at;
        }
        for (; at < sums[i + 1]; ++at) { /* indices that were trusted, but are bad */
            to_ids[at] = 0;
            store_int(owners, owner64, at, i);
        }
    }
}

KERNEL bag_shares(BAGS, __global const STORED *g, long g_at, long g_ld, __global STORED *to,
                  long width) {
    OPEN_BAGS;
    FOR_ROWS(i, bags, width) {
        const REAL share = DIVIDE((REAL)1, divisor_of(&b, bag_begin(&b, i), bag_end(&b, i)));
        __global const STORED *from = g + (g_at + i * g_ld);
        FOR_COLUMNS(j) WRITE_AT(to, i * width + j, share * READ_AT(from, j));
    }
}

KERNEL bag_coefficients(BAGS, __global STORED *values, long values_at) {
    OPEN_BAGS;
    FOR_EACH(i, bags) {
        const long begin = bag_begin(&b, i), end = bag_end(&b, i);
        const REAL divisor = divisor_of(&b, begin, end);
        for (long k = begin; k < end; ++k)
            WRITE_AT(values, values_at + k,
                     row_of(&b, k) < 0 ? 0 : DIVIDE(weight_of(&b, k), divisor));
        for (long k = end; i == bags - 1 && k < count; ++k) WRITE_AT(values, values_at + k, 0);
    }
}

/* Row u of a gradient := itself divided by the number of items of run u. */
KERNEL divide_by_counts(__global const OFFSET *starts, __global const long *found, long capacity,
                        __global STORED *rows, long rows_at, long width) {
    const long n = min(*found, capacity);
    FOR_ROWS(u, n, width) {
        const REAL count = (REAL)(starts[u + 1] - starts[u]);
        __global STORED *row = rows + (rows_at + u * width);
        FOR_COLUMNS(j) WRITE_AT(row, j, DIVIDE(READ_AT(row, j), count));
    }
}

/* The rows of a gradient, rounded to the type of values. */
KERNEL store_rows(__global const REAL *from, __global const long *found, long found_at,
                  long capacity, __global STORED *to, long to_at, long width) {
    const long n = item_count(capacity, found, found_at);
    FOR_ROWS(u, n, width) {
        __global const REAL *row = from + u * width;
        FOR_COLUMNS(j) WRITE_AT(to, to_at + u * width + j, row[j]);
    }
}

/* The last bag that begins at entry k or before it; -1: there is none. */
static long bag_of(const bag_list *b, long k) {
    long low = 0, high = b->bags; /* the first bag that begins after k */
    if (!b->offsets) return k;
    while (low < high) {
        const long middle = (low + high) / 2;
        if (b->offsets[middle] > k)
            high = middle;
        else
            low = middle + 1;
    }
    return low - 1;
}

/* The same for the first entry, with i = -1, or one after those of bag i: mostly i or i + 1. */
static long bag_after(const bag_list *b, long i, long k) {
    if (!b->offsets) return k;
    if (i + 1 >= b->bags || b->offsets[i + 1] > k) return i;
    if (i + 2 >= b->bags || b->offsets[i + 2] > k) return i + 1;
    return bag_of(b, k);
}

/* Row e := the gradient of its bag where entry e is the maximum, else 0. source[e]: its position in the list; NULL: e. */
KERNEL max_rows(BAGS, __global const long *source, __global const STORED *g, long g_at, long g_ld,
                __global const long *positions, long positions_at, long positions_ld,
                __global STORED *to, long to_at, long width) {
    OPEN_BAGS;
    FOR_ROWS(e, count, width) {
        const long i = max(bag_of(&b, e), 0L);
        const int is_in_bag = e >= bag_begin(&b, i) && e < bag_end(&b, i);
        __global const STORED *of = g + (g_at + i * g_ld);
        __global const long *where = positions + (positions_at + i * positions_ld);
        __global STORED *row = to + (to_at + e * width);
        const long k = source && is_in_bag ? source[e] : e;
        FOR_COLUMNS(j) WRITE_AT(row, j, is_in_bag && where[j] == k ? READ_AT(of, j) : 0);
    }
}

KERNEL bag_divisors(BAGS, __global REAL *divisors) {
    OPEN_BAGS;
    FOR_EACH(i, bags) divisors[i] = divisor_of(&b, bag_begin(&b, i), bag_end(&b, i));
}

/* y is read for means only. */
KERNEL bag_weights(BAGS, __global const STORED *table, long table_at, long ld,
                   __global const STORED *g, long g_at, long g_ld, __global const STORED *y,
                   long y_at, long y_ld, long width, __global const REAL *divisors,
                   __global STORED *to, long to_at, long to_ld) {
    OPEN_BAGS;
    const long of_mean = mode == MEAN || mode == SQRTN ? width : 0;
    long i = -1;
    FOR_TEAM_ROWS(k, count) {
        HAS_ROW(k, count);
        const long row = has_row ? row_of(&b, k) : -1;
        i = has_row ? bag_after(&b, i, k) : i;
        prefetch_entry(&b, k, table + table_at, ld, width);
        const int is_added = row >= 0 && i >= 0 && i < bags && k < bag_end(&b, i);
        REAL weight = 0;
        WHERE(is_added) {
            __global const STORED *of = g + (g_at + i * g_ld);
            __global const STORED *entry = table + (table_at + row * ld);
            __global const STORED *mean = y + (y_at + i * y_ld);
#define TERM(n, j)      GET##n(of + (j)) * GET##n(entry + (j))
#define MEAN_TERM(n, j) GET##n(of + (j)) * GET##n(mean + (j))
            SUM_ROW_IF(is_added, sum, width, TERM, FOLD_TREE)
            SUM_ROW_IF(is_added, rest, of_mean, MEAN_TERM, FOLD_TREE)
            weight = is_added ? sum : 0;
            if (is_added && of_mean) {
                const REAL w = mode == SQRTN ? DIVIDE(weight_of(&b, k), divisors[i]) : 1;
                weight = DIVIDE(sum - w * rest, divisors[i]);
            }
        }
        if (FIRST_OF_ROW) WRITE_AT(to, to_at + k * to_ld, weight);
    }
}
