/* validate.cl: the first place where an array breaks its contract, for each part of it. Built
 * after scan.cl.
 *
 * Defines  validate_offsets, validate_rows, validate_entries, validate_duplicates, validate_unseen,
 *          validate_numbers, validate_duplicate_columns, validate_finite
 * Range    validate_unseen: FOR_EACH; else one group a part; GPU class: the lanes of a group take turns
 *          in it
 * Memory   found[kind][part]: the least wrong place, or NOWHERE
 * Types    indices INDEX, offsets and places OFFSET, values REAL, keys KEY; validate_duplicate_columns:
 *          places KEY
 */

/* Kinds of damage, as in src/ops/validate.c. */
#define RANGE    0 /* or the only kind of a kernel */
#define UNSORTED 1 /* less than the one before */
#define REPEATED 2 /* equal to the one before */
#define LONGEST  1 /* of offsets */

#define NOWHERE LONG_MAX

#if SPC_VALUE64
typedef ulong KEY;
#else
typedef uint KEY;
#endif

#define FOR_EACH_IN_PART(i, n)                                                                     \
    for (long i = part_begin(n, get_num_groups(0), get_group_id(0)) + get_local_id(0),             \
              i##_end = part_begin(n, get_num_groups(0), get_group_id(0) + 1);                     \
         i < i##_end; i += GROUP)

#if SPC_GPU
#define SHARED __local long shared[GROUP]
#define PUT_MIN(kind, place) put_min(found, kind, place, shared)

/* The least of the lanes' places. Given local memory, so inlined: see cl/scan.cl. */
static inline __attribute__((always_inline)) void put_min(__global long *found, int kind,
                                                            long place, __local long *shared) {
    const int lane = get_local_id(0);
    shared[lane] = place;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = GROUP / 2; step > 0; step /= 2) {
        if (lane < step) shared[lane] = min(shared[lane], shared[lane + step]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lane == 0) found[kind * get_num_groups(0) + get_group_id(0)] = shared[0];
    barrier(CLK_LOCAL_MEM_FENCE);
}
#else
#define SHARED
#define PUT_MIN(kind, place) found[(kind) * get_num_groups(0) + get_group_id(0)] = (place)
#endif

/* Offsets begin at 0, never descend and never pass nnz. LONGEST: minus the entries of the longest row. */
KERNEL validate_offsets(__global const OFFSET *offsets, long offsets_at, long rows, long nnz,
                        __global long *found) {
    SHARED;
    long wrong = NOWHERE, longest = 0;
    offsets += offsets_at;
    FOR_EACH_IN_PART(r, rows + 1) {
        const long x = offsets[r], before = r > 0 ? (long)offsets[r - 1] : 0;
        if (x < before || x > nnz || (r == 0 && x != 0)) wrong = min(wrong, r);
        longest = max(longest, x - before);
    }
    PUT_MIN(RANGE, wrong);
    PUT_MIN(LONGEST, -longest);
}

/* Does a row begin at entry k? *row is that of an earlier entry, or 0. */
static int begins_row(__global const OFFSET *offsets, long rows, long k, long *row) {
    *row = find_offset(offsets, *row, rows + 1, k + 1) - 1;
    return offsets[*row] == k;
}

/* In the index's own type: rusticl (Mesa 22.3) takes a 32-bit number below 0 that was widened to 64
 * bits for one that is not. */
static int is_outside(INDEX x, long limit) {
    return x < 0 || x >= limit;
}

/* The n columns of a CSR matrix whose offsets are right. Where a row begins only matters where
 * columns do not ascend. */
KERNEL validate_rows(__global const INDEX *cols, long cols_at, long n, long limit,
                     __global const OFFSET *offsets, long offsets_at, long rows,
                     __global long *found) {
    SHARED;
    long range = NOWHERE, unsorted = NOWHERE, duplicate = NOWHERE, row = 0;
    cols += cols_at;
    offsets += offsets_at;
    FOR_EACH_IN_PART(k, n) {
        const INDEX x = cols[k];
        if (is_outside(x, limit)) range = min(range, k);
        if (k == 0) continue;
        const INDEX before = cols[k - 1];
        if (x > before || k >= max(unsorted, duplicate)) continue;
        if (begins_row(offsets, rows, k, &row)) continue;
        if (x < before)
            unsorted = min(unsorted, k);
        else
            duplicate = min(duplicate, k);
    }
    PUT_MIN(RANGE, range);
    PUT_MIN(UNSORTED, unsorted);
    PUT_MIN(REPEATED, duplicate);
}

#define DIM(d) __global const INDEX *x##d, long at##d, long limit##d
#define LOOK(d)                                                                                    \
    if (d < rank) {                                                                                \
        const INDEX x = x##d[at##d + k], before = k > 0 ? x##d[at##d + k - 1] : -1;                \
        outside |= is_outside(x, limit##d);                                                        \
        descends |= same && x < before;                                                            \
        same = same && x == before;                                                                \
    }

/* The n entries of a COO array. */
KERNEL validate_entries(int rank, long n, __global long *found, DIM(0), DIM(1), DIM(2), DIM(3),
                        DIM(4), DIM(5), DIM(6), DIM(7)) {
    SHARED;
    long range = NOWHERE, unsorted = NOWHERE, duplicate = NOWHERE;
    FOR_EACH_IN_PART(k, n) {
        int outside = 0, descends = 0, same = k > 0; /* so far as the one before */
        LOOK(0)
        LOOK(1)
        LOOK(2)
        LOOK(3)
        LOOK(4)
        LOOK(5)
        LOOK(6)
        LOOK(7)
        if (outside) range = min(range, k);
        if (descends) unsorted = min(unsorted, k);
        if (same) duplicate = min(duplicate, k);
    }
    PUT_MIN(RANGE, range);
    PUT_MIN(UNSORTED, unsorted);
    PUT_MIN(REPEATED, duplicate);
}

/* Entries in an order, of which neighbours with one key are repeated: the later place counts, where
 * there are places. */
KERNEL validate_duplicates(__global const KEY *keys, __global const OFFSET *places, long n,
                        __global long *found) {
    SHARED;
    long duplicate = NOWHERE;
    FOR_EACH_IN_PART(i, n) {
        if (i > 0 && keys[i] == keys[i - 1]) duplicate = min(duplicate, places ? (long)places[i] : i);
    }
    PUT_MIN(RANGE, duplicate);
}

/* Numbers begin .. end - 1 of a list: which is there again? `sorted` has all n of the list, and `seen`
 * the least place seen so far of a number, where this begins in `sorted`; or NOT_SEEN. Of two places
 * of a number the later one comes out whichever is seen first. */
#define NOT_SEEN 0xffffffffu

KERNEL validate_unseen(__global uint *seen, long n) {
    FOR_EACH(i, n) seen[i] = NOT_SEEN;
}

KERNEL validate_numbers(__global const INDEX *numbers, long numbers_at, long begin, long end,
                        __global const INDEX *sorted, long n, __global uint *seen,
                        __global long *found) {
    SHARED;
    long duplicate = NOWHERE;
    numbers += numbers_at;
    FOR_EACH_IN_PART(i, end - begin) {
        const uint place = (uint)(begin + i);
        const INDEX number = numbers[begin + i];
        long low = 0, high = n;
        while (low < high) {
            const long middle = (low + high) / 2;
            if (sorted[middle] < number)
                low = middle + 1;
            else
                high = middle;
        }
        const uint other = atomic_min(seen + low, place);
        if (other != NOT_SEEN) duplicate = min(duplicate, (long)max(other, place));
    }
    PUT_MIN(RANGE, duplicate);
}

/* Columns in an order, with the entries that have them: neighbours of one column and row are repeated. */
KERNEL validate_duplicate_columns(__global const INDEX *columns, __global const KEY *places, long n,
                                 __global const OFFSET *offsets, long offsets_at, long rows,
                                 __global long *found) {
    SHARED;
    long duplicate = NOWHERE;
    offsets += offsets_at;
    FOR_EACH_IN_PART(i, n) {
        if (i == 0 || columns[i] != columns[i - 1]) continue;
        const long before = (long)places[i - 1], here = (long)places[i];
        if (offsets[find_offset(offsets, 0, rows + 1, before + 1)] > here)
            duplicate = min(duplicate, here);
    }
    PUT_MIN(RANGE, duplicate);
}

KERNEL validate_finite(__global const REAL *values, long values_at, long n, __global long *found) {
    SHARED;
    long wrong = NOWHERE;
    values += values_at;
    FOR_EACH_IN_PART(k, n) {
        if (!isfinite(values[k])) wrong = min(wrong, k);
    }
    PUT_MIN(RANGE, wrong);
}
