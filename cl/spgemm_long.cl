/* spgemm_long.cl: the product of two CSR matrices on many lanes: rows that are too long for a tile. After
 * spgemm_tiles.cl.
 *
 * A group has a row. It goes through its products in the order in which they are added: a chunk of
 * entries of A, and of their products a tile, whose runs are merged (spgemm_tiles.cl). One lane adds
 * all terms that a column has in the tile to its sum. Which columns there are is known from bits.
 *
 * Defines  spgemm_long_symbolic (the entries of each long row of the product), spgemm_long_numeric
 * Range    a group for each worker, which has complete rows of about equal work
 * Memory   of each worker: the columns of a row as bits, and the words of bits that are not 0 as bits
 *          (src/ops/products/spgemm_tiles.c), which are 0 before and after each row; and a sum for each column
 * Order    docs/numerics.md, rule P
 */

#if SPC_GPU

/* Entries of A of a chunk: two for each lane. */
#define CHUNK_RUNS (2 * GROUP)

#define ROW_DONE barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE)
#define LOWEST_BIT(x) ((int)popcount(~(x) & ((x)-1)))

GROUP_SCAN(scan_long, long)

/* The first row from i on that is long, or last. */
static long next_long_row(__global const long *long_work, long i, long last) {
    const long before = long_work[i];
    long high = last;
    while (i < high) {
        const long middle = i + (high - i) / 2;
        if (long_work[middle + 1] > before)
            high = middle;
        else
            i = middle + 1;
    }
    return i;
}

/* The bits of this worker, and the words of them; all 0. */
#define OPEN_BITS                                                                                  \
    const long all_bits = (cols + 31) / 32, all_words = (all_bits + 31) / 32;                      \
    bits += get_group_id(0) * (all_bits + all_words);                                              \
    __global uint *const words = bits + all_bits;                                                  \
    for (long x = lane; x < all_bits + all_words; x += GROUP) bits[x] = 0;                         \
    ROW_DONE

#define SET_BIT(p, j) atomic_or((volatile __global uint *)(p) + ((j) >> 5), 1u << ((j)&31))

/* Returns whether the row did not have column j before. */
static int add_column(__global uint *bits, __global uint *words, long j) {
    const uint before = SET_BIT(bits, j);
    if (before == 0) SET_BIT(words, j >> 5);
    return (before >> (j & 31) & 1) == 0;
}

/* For each long row i of this worker, for each chunk of its entries, from entry k on, of which there
 * are `runs`: */
#define FOR_LONG_ROWS                                                                              \
    const long last_row = first_row(long_work, rows, get_num_groups(0), get_group_id(0) + 1);      \
    for (long i = next_long_row(                                                                   \
             long_work, first_row(long_work, rows, get_num_groups(0), get_group_id(0)), last_row); \
         i < last_row; i = next_long_row(long_work, i + 1, last_row))
#define FOR_CHUNKS for (long k = a_offsets[i], end = a_offsets[i + 1]; k < end; k += CHUNK_RUNS)

/* The entries of B that entry e of the chunk meets. */
static long length_of(__global const INDEX *a_cols, __global const OFFSET *b_offsets, int e,
                      int runs) {
    const long row = e < runs ? a_cols[e] : 0;
    return e < runs ? (long)b_offsets[row + 1] - b_offsets[row] : 0;
}

/* begins[e]: the products before entry e of the chunk; returns their number, as begins[e] says for
 * e = runs .. CHUNK_RUNS. */
INLINE long take_chunk(__global const INDEX *a_cols, __global const OFFSET *b_offsets, int runs,
                       __local long *begins, __local long *shared) {
    const int e = get_local_id(0) * 2;
    const long length = length_of(a_cols, b_offsets, e, runs);
    long total;
    const long both = length + length_of(a_cols, b_offsets, e + 1, runs);
    const long before = scan_long(shared, both, &total);
    begins[e] = before;
    begins[e + 1] = before + length;
    if (e == 0) begins[CHUNK_RUNS] = total;
    barrier(CLK_LOCAL_MEM_FENCE);
    return total;
}

/* The entry of the chunk that has product t. */
INLINE int find_entry(__local const long *begins, int runs, long t) {
    int low = 0, high = runs;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (begins[middle] <= t)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* counts_of[i] := the number of columns of long row i of the product. */
KERNEL spgemm_long_symbolic(PATTERNS, __global const long *long_work, __global uint *bits,
                            __global long *counts_of) {
    __local long begins[CHUNK_RUNS + 1], shared[GROUP];
    const int lane = get_local_id(0);
    OPEN_BITS;
    OPEN_PATTERNS;
    FOR_LONG_ROWS {
        FOR_CHUNKS {
            const int runs = (int)min(end - k, (long)CHUNK_RUNS);
            const long total = take_chunk(a_cols + k, b_offsets, runs, begins, shared);
            for (long t = lane; t < total; t += GROUP) {
                const int e = find_entry(begins, runs, t);
                add_column(bits, words, b_cols[b_offsets[a_cols[k + e]] + (t - begins[e])]);
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        ROW_DONE;
        long count = 0, total;
        for (long x = lane; x < all_words; x += GROUP) {
            uint found = words[x];
            if (found) words[x] = 0;
            for (; found; found &= found - 1) {
                const long c = x * 32 + LOWEST_BIT(found);
                count += popcount(bits[c]);
                bits[c] = 0;
            }
        }
        scan_long(shared, count, &total);
        if (lane == 0) counts_of[i] = total;
        ROW_DONE;
    }
}

/* The columns of the row, and all bits become 0. */
INLINE void list_columns(__global uint *bits, __global uint *words, long all_words,
                         __local long *shared, __global INDEX *to_cols, long place, long end) {
    for (long x0 = 0; x0 < all_words; x0 += GROUP) {
        const long x = x0 + get_local_id(0);
        const uint found = x < all_words ? words[x] : 0;
        long count = 0, total;
        for (uint rest = found; rest; rest &= rest - 1)
            count += popcount(bits[x * 32 + LOWEST_BIT(rest)]);
        count = place + scan_long(shared, count, &total);
        place += total;
        if (found) words[x] = 0;
        for (uint rest = found; rest; rest &= rest - 1) {
            const long c = x * 32 + LOWEST_BIT(rest);
            for (uint columns = bits[c]; columns; columns &= columns - 1, ++count)
                if (count < end) to_cols[count] = (INDEX)(c * 32 + LOWEST_BIT(columns));
            bits[c] = 0;
        }
    }
}

#define OWN_RUN(p) RUN_OF(run_of[p], 0, longest)

KERNEL spgemm_long_numeric(PATTERNS, __global const long *long_work, __global uint *bits,
                           __global REAL *sums, __global const STORED *a, long a_at,
                           __global const STORED *b, long b_at, __global const long *offsets,
                           long capacity, __global INDEX *to_cols, long to_cols_at,
                           __global STORED *to, long to_at) {
    __local INDEX columns[TILE_WORK];
    __local REAL terms[TILE_WORK] __attribute__((aligned(8)));
    __local long begins[CHUNK_RUNS + 1];
    __local ushort starts[CHUNK_RUNS + 1], places[TILE_WORK], run_of[TILE_WORK];
    /* The terms are unused while sums of the lanes are found. */
    __local long *const shared = (__local long *)terms;
    const int lane = get_local_id(0);
    OPEN_BITS;
    OPEN_PATTERNS;
    a += a_at;
    b += b_at;
    to_cols += to_cols_at;
    to += to_at;
    sums += get_group_id(0) * cols;
    FOR_LONG_ROWS {
        FOR_CHUNKS {
            const int runs = (int)min(end - k, (long)CHUNK_RUNS);
            const long total = take_chunk(a_cols + k, b_offsets, runs, begins, shared);
            for (long base = 0; base < total; base += TILE_WORK) {
                const int size = (int)min(total - base, (long)TILE_WORK);
                const int first = find_entry(begins, runs, base);
                const int longest = find_entry(begins, runs, base + size - 1) + 1 - first;
                const long entry = k + first;
                for (int e = lane; e <= longest; e += GROUP)
                    starts[e] = (ushort)clamp(begins[first + e] - base, 0L, (long)size);
                barrier(CLK_LOCAL_MEM_FENCE);
                for (int p = lane; p < size; p += GROUP) {
                    const int run = find_run(starts, 0, longest, p);
                    const long product = base + p - begins[first + run];
                    const long l = (long)b_offsets[a_cols[entry + run]] + product;
                    run_of[p] = (ushort)run;
                    columns[p] = b_cols[l];
                    terms[p] = READ_AT(a, entry + run) * READ_AT(b, l);
                }
                barrier(CLK_LOCAL_MEM_FENCE);
                MERGE_RUNS(TAKE_TERM, PUT_TERM)
                barrier(CLK_LOCAL_MEM_FENCE);
                for (int p = lane; p < size; p += GROUP) {
                    const INDEX j = columns[p];
                    if (p > 0 && columns[p - 1] == j) continue;
                    REAL sum = add_column(bits, words, j) ? 0 : sums[j];
                    IN_ORDER
                    for (int q = p; q < size && columns[q] == j; ++q) sum += terms[q];
                    sums[j] = sum;
                }
                ROW_DONE;
            }
        }
        const long begin = min(offsets[i], capacity), stop = min(offsets[i + 1], capacity);
        list_columns(bits, words, all_words, shared, to_cols, offsets[i], stop);
        ROW_DONE;
        for (long at = begin + lane; at < stop; at += GROUP)
            WRITE_AT(to, at, sums[to_cols[at]]);
        ROW_DONE;
    }
}

#endif
