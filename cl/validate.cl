/* validate.cl: the first position where an array violates its contract, for each chunk of it. After
 * scan.cl.
 *
 * Defines  validate_offsets, validate_rows, validate_entries, validate_duplicates, validate_unseen,
 *          validate_numbers, validate_duplicate_columns, validate_finite
 * Range    validate_unseen: FOR_EACH; others: one group per chunk; GPU class: its lanes are
 *          interleaved
 * Memory   found[kind][chunk]: the lowest position of a violation, or NOWHERE
 * Types    indices INDEX, offsets and positions OFFSET, values REAL, keys KEY;
 *          validate_duplicate_columns: positions KEY
 */

/* Kinds of violations, as in src/ops/shared/violation.c. */
#define RANGE     0 /* or the only kind of a kernel */
#define UNSORTED  1 /* less than the one before */
#define DUPLICATE 2 /* equal to the one before */
#define LONGEST   1 /* of offsets: no violation, minus the entries of the longest row */

#define NOWHERE LONG_MAX

#if SPC_VALUE64
typedef ulong KEY;
#else
typedef uint KEY;
#endif

#define FOR_EACH_IN_CHUNK(i, n)                                                                    \
    for (long i = chunk_begin(n, get_num_groups(0), get_group_id(0)) + get_local_id(0),            \
              i##_end = chunk_begin(n, get_num_groups(0), get_group_id(0) + 1);                    \
         i < i##_end; i += GROUP)

#if SPC_GPU
#define SHARED __local long shared[GROUP]
#define PUT_MIN(kind, place) put_min(found, kind, place, shared)

/* Store the minimum of the lanes' positions. Inlined because it has local memory as an argument:
 * see cl/scan.cl. */
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

/* Offsets begin at 0, never descend and never exceed nnz. */
KERNEL validate_offsets(__global const OFFSET *offsets, long offsets_at, long rows, long nnz,
                        __global long *found) {
    SHARED;
    long wrong = NOWHERE, longest = 0;
    offsets += offsets_at;
    FOR_EACH_IN_CHUNK(r, rows + 1) {
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

/* In the type of the index: rusticl (Mesa 22.3) takes a negative 32-bit number that was widened to
 * 64 bits for a positive one. */
static int is_outside(INDEX x, long limit) {
    return x < 0 || x >= limit;
}

/* The n column indices of a CSR matrix with valid offsets. Whether a row begins only matters where
 * columns do not ascend. */
KERNEL validate_rows(__global const INDEX *cols, long cols_at, long n, long limit,
                     __global const OFFSET *offsets, long offsets_at, long rows,
                     __global long *found) {
    SHARED;
    long range = NOWHERE, unsorted = NOWHERE, duplicate = NOWHERE, row = 0;
    cols += cols_at;
    offsets += offsets_at;
    FOR_EACH_IN_CHUNK(k, n) {
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
    PUT_MIN(DUPLICATE, duplicate);
}

#define DIM(d) __global const INDEX *x##d, long at##d, long limit##d
#define CHECK_DIM(d)                                                                               \
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
    FOR_EACH_IN_CHUNK(k, n) {
        int outside = 0, descends = 0, same = k > 0; /* so far equal to the one before */
        CHECK_DIM(0)
        CHECK_DIM(1)
        CHECK_DIM(2)
        CHECK_DIM(3)
        CHECK_DIM(4)
        CHECK_DIM(5)
        CHECK_DIM(6)
        CHECK_DIM(7)
        if (outside) range = min(range, k);
        if (descends) unsorted = min(unsorted, k);
        if (same) duplicate = min(duplicate, k);
    }
    PUT_MIN(RANGE, range);
    PUT_MIN(UNSORTED, unsorted);
    PUT_MIN(DUPLICATE, duplicate);
}

/* Sorted entries, of which adjacent ones with equal keys are duplicates. Their position is that of
 * the later one: places[i], or i. */
KERNEL validate_duplicates(__global const KEY *keys, __global const OFFSET *places, long n,
                        __global long *found) {
    SHARED;
    long duplicate = NOWHERE;
    FOR_EACH_IN_CHUNK(i, n) {
        if (i > 0 && keys[i] == keys[i - 1])
            duplicate = min(duplicate, places ? (long)places[i] : i);
    }
    PUT_MIN(RANGE, duplicate);
}

/* Duplicates among the numbers begin .. end - 1 of a list. `sorted` has all n numbers of the list.
 * `seen` has, where a number begins in `sorted`, its lowest position so far, or NOT_SEEN. Of two
 * positions of a number the later one is found, whichever is seen first. */
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
    FOR_EACH_IN_CHUNK(i, end - begin) {
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

/* Sorted columns, with the positions of their entries: adjacent ones of the same column and row are
 * duplicates. */
KERNEL validate_duplicate_columns(__global const INDEX *columns, __global const KEY *places, long n,
                                 __global const OFFSET *offsets, long offsets_at, long rows,
                                 __global long *found) {
    SHARED;
    long duplicate = NOWHERE;
    offsets += offsets_at;
    FOR_EACH_IN_CHUNK(i, n) {
        if (i == 0 || columns[i] != columns[i - 1]) continue;
        const long before = (long)places[i - 1], here = (long)places[i];
        if (offsets[find_offset(offsets, 0, rows + 1, before + 1)] > here)
            duplicate = min(duplicate, here);
    }
    PUT_MIN(RANGE, duplicate);
}

KERNEL validate_finite(__global const STORED *values, long values_at, long n, __global long *found) {
    SHARED;
    long wrong = NOWHERE;
    values += values_at;
    FOR_EACH_IN_CHUNK(k, n) {
        if (!isfinite(READ_AT(values, k))) wrong = min(wrong, k);
    }
    PUT_MIN(RANGE, wrong);
}
