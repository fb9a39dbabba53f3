/* sort_rows.cl: the entries of each row of a CSR matrix in the order of their columns (stable), and
 * sums of those with one column, on few wide cores. After partition.cl.
 *
 * Defines  sort_rows, count_columns, add_columns
 * Range    one group per partition; no row is split
 * Memory   items: two ulong per entry; a worker uses those of its own rows, from their beginning
 * Types    columns are INDEX, offsets OFFSET; sort_rows: values are WORD; add_columns: STORED;
 *          arguments say whether integers of the result have 64 bits
 * Order    docs/numerics.md, rule R, for the sums
 */
#if !SPC_GPU

/* Rows of up to SHORT entries are sorted by comparing all pairs, eight at a time; longer ones by
 * digits of DIGIT bits. */
#define SHORT 64
#define DIGIT(length) ((length) < 4096 ? 8 : MAX_DIGIT)
#define MAX_DIGIT 11

#define MATRIX __global const OFFSET *offsets, long offsets_at, long rows
#define OPEN_MATRIX                                                                                \
    offsets += offsets_at;                                                                         \
    partition mine = find_partition(offsets, rows, get_num_groups(0),                              \
                                    partition_of_group(get_group_id(0), get_num_groups(0)));       \
    make_unsplit(&mine)
#define FOR_MY_ROWS(r) for (long r = mine.first; r < mine.last; ++r)

/* A row, before and after: pointers are to its first entry. `begin`: the position of that. */
typedef struct {
    __global const INDEX *columns;
    __global const WORD *values;
    __global void *to_columns;
    __global WORD *to_values;
    __global long *source; /* or NULL */
    long at, begin, length; /* at: where to_columns has its first entry */
    int to64;
    int bits, column_bits; /* of a place in a row, and of a column */
} row;

/* Entry `from` becomes entry `to`. */
ALWAYS_INLINE void move_entry(const row *r, long from, long to) {
    store_int(r->to_columns, r->to64, r->at + to, r->columns[from]);
    r->to_values[to] = r->values[from];
    if (r->source) r->source[to] = r->begin + from;
}

/* Keys differ, and their order is that of columns, then of places. */
ALWAYS_INLINE long key_of(const row *r, long k) {
    return ((long)r->columns[k] << r->bits) | k;
}

static int ascends(const row *r) {
    for (long k = 1; k < r->length; ++k)
        if (r->columns[k - 1] > r->columns[k]) return 0;
    return 1;
}

/* The place of an entry is the number of smaller keys. They are found by the sign of a difference:
 * Oclgrind 21.10 takes a true element of a vector for 255 where LLVM widens it. */
static void sort_short(const row *r) {
    ulong8 keys[SHORT / 8], places[SHORT / 8];
    ulong *const key = (ulong *)keys;
    const int n = (int)r->length, blocks = (n + 7) / 8;
    for (int k = 0; k < n; ++k) key[k] = (ulong)key_of(r, k);
    for (int k = n; k < 8 * blocks; ++k) key[k] = LONG_MAX;
    for (int b = 0; b < blocks; ++b) {
        const ulong8 mine = keys[b];
        ulong8 smaller = 0;
        for (int k = 0; k < n; ++k) smaller += (key[k] - mine) >> 63;
        places[b] = smaller;
    }
    for (int k = 0; k < n; ++k) move_entry(r, k, (long)((const ulong *)places)[k]);
}

/* One digit of all keys, from the lowest to the highest; the last time entries are moved. */
static void sort_long(const row *r, __global ulong *x, __global ulong *y) {
    const long n = r->length;
    const int passes = max(1, (r->column_bits + DIGIT(n) - 1) / DIGIT(n));
    const int digit = (r->column_bits + passes - 1) / passes;
    const ulong in_row = ((ulong)1 << r->bits) - 1, mask = ((ulong)1 << digit) - 1;
    for (long k = 0; k < n; ++k) x[k] = (ulong)key_of(r, k);
    for (int pass = 0, shift = r->bits; pass < passes; ++pass, shift += digit) {
        long next[1 << MAX_DIGIT], sum = 0;
        for (int d = 0; d < 1 << digit; ++d) next[d] = 0;
        for (long k = 0; k < n; ++k) ++next[(x[k] >> shift) & mask];
        for (int d = 0; d < 1 << digit; ++d) {
            const long count = next[d];
            next[d] = sum;
            sum += count;
        }
        if (pass == passes - 1) {
            for (long k = 0; k < n; ++k)
                move_entry(r, (long)(x[k] & in_row), next[(x[k] >> shift) & mask]++);
        } else {
            for (long k = 0; k < n; ++k) y[next[(x[k] >> shift) & mask]++] = x[k];
        }
        __global ulong *const sorted = y;
        y = x;
        x = sorted;
    }
}

KERNEL sort_rows(MATRIX, __global const INDEX *columns, long columns_at,
                 __global const WORD *values, long values_at, __global void *to_columns,
                 long to_columns_at, int to64, __global WORD *to_values, long to_values_at,
                 __global long *source, long source_at, __global ulong *items, long entries,
                 int bits, int column_bits) {
    OPEN_MATRIX;
    items += (long)offsets[mine.first];
    FOR_MY_ROWS(i) {
        const long begin = offsets[i];
        const row r = {columns + columns_at + begin,
                       values + values_at + begin,
                       to_columns,
                       to_values + to_values_at + begin,
                       source ? source + source_at + begin : source,
                       to_columns_at + begin,
                       begin,
                       (long)offsets[i + 1] - begin,
                       to64,
                       bits,
                       column_bits};
        if (ascends(&r)) {
            for (long k = 0; k < r.length; ++k) move_entry(&r, k, k);
        } else if (r.length <= SHORT) {
            sort_short(&r);
        } else {
            sort_long(&r, items, items + entries);
        }
    }
}

/* counts[i] := the different columns of row i, which is sorted. */
KERNEL count_columns(MATRIX, __global const INDEX *columns, long columns_at, __global void *counts,
                     long counts_at, int counts64) {
    OPEN_MATRIX;
    columns += columns_at;
    FOR_MY_ROWS(i) {
        const long begin = offsets[i], end = offsets[i + 1];
        int count = begin < end;
        for (long k = begin + 1; k < end; ++k) count += columns[k] != columns[k - 1];
        store_int(counts, counts64, counts_at + i, count);
    }
}

static REAL sum_block(__global const STORED *values, long begin, long end) {
    REAL sum = READ_AT(values, begin);
    IN_ORDER
    for (long k = begin + 1; k < end; ++k) sum += READ_AT(values, k);
    return sum;
}

static REAL sum_run(__global const STORED *values, long begin, long end) {
    REAL sum = sum_block(values, begin, min(begin + SPC_BLOCK, end));
    IN_ORDER
    for (long k = begin + SPC_BLOCK; k < end; k += SPC_BLOCK)
        sum += sum_block(values, k, min(k + SPC_BLOCK, end));
    return sum;
}

/* inverse, where not NULL: the entry of the result of each entry before rows were sorted, which
 * were entries source[k], or the same where that is NULL. */
KERNEL add_columns(MATRIX, __global const INDEX *columns, long columns_at,
                   __global const STORED *values, long values_at, __global const long *source,
                   __global const void *to_offsets, long to_offsets_at, int offsets64,
                   __global void *to_columns, long to_columns_at, int to64,
                   __global STORED *to_values, long to_values_at, __global long *inverse,
                   long inverse_at) {
    OPEN_MATRIX;
    columns += columns_at;
    values += values_at;
    to_values += to_values_at;
    FOR_MY_ROWS(i) {
        long u = load_int(to_offsets, offsets64, to_offsets_at + i);
        for (long begin = offsets[i], last = offsets[i + 1], end = begin; begin < last;
             begin = end, ++u) {
            do ++end;
            while (end < last && columns[end] == columns[begin]);
            store_int(to_columns, to64, to_columns_at + u, columns[begin]);
            WRITE_AT(to_values, u, sum_run(values, begin, end));
            for (long k = begin; inverse && k < end; ++k)
                inverse[inverse_at + (source ? source[k] : k)] = u;
        }
    }
}

#endif
