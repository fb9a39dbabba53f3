/* take.cl: the rows that a list names: of a CSR matrix, and of a dense one. After panel.cl.
 *
 * Defines  row_lengths, cut_offsets, copy_entries; gather_rows
 * Range    FOR_EACH over rows of the list, over rows, over entries; gather_rows: FOR_ROWS
 * Types    OFFSET, INDEX are those of the matrix read; OUT is the index type of the result; the
 *          result's offsets and the list say by an argument whether they are 64 bits wide
 * Order    nothing is added
 */

#if SPC_VALUE64
typedef long OUT;
#else
typedef int OUT;
#endif

static long load_int(__global const void *p, int is64, long i) {
    return is64 ? ((__global const long *)p)[i] : (long)((__global const int *)p)[i];
}

static void store_int(__global void *p, int is64, long i, long x) {
    if (is64)
        ((__global long *)p)[i] = x;
    else
        ((__global int *)p)[i] = (int)x;
}

KERNEL row_lengths(__global const OFFSET *offsets, long offsets_at, __global const void *list,
                   long list_at, int list64, long count, __global long *lengths) {
    offsets += offsets_at;
    FOR_EACH(i, count) {
        const long row = load_int(list, list64, list_at + i);
        lengths[i] = (long)offsets[row + 1] - (long)offsets[row];
    }
}

/* From sums to the result's offsets; rows past the room are cut. */
KERNEL cut_offsets(__global const long *sums, long count, long room, __global void *to, long to_at,
                   int to64, __global long *needed, long needed_at, int has_needed) {
    FOR_EACH(i, count + 1) store_int(to, to64, to_at + i, min(sums[i], room));
    if (has_needed && get_global_id(0) == 0) needed[needed_at] = sums[count];
}

/* The row of the result that entry k lies in; the row is not empty. */
static long find_taken(__global const void *offsets, int is64, long at, long rows, long k) {
    long low = 0, high = rows; /* the first row with offset > k */
    while (low < high) {
        const long middle = (low + high) / 2;
        if (load_int(offsets, is64, at + middle) > k)
            high = middle;
        else
            low = middle + 1;
    }
    return low - 1;
}

KERNEL copy_entries(__global const OFFSET *offsets, long offsets_at, __global const INDEX *indices,
                    long indices_at, __global const REAL *values, long values_at,
                    __global const void *list, long list_at, int list64, long count,
                    __global const void *to_offsets, long to_at, int to64, __global OUT *to_indices,
                    long to_indices_at, __global REAL *to_values, long to_values_at) {
    const long total = load_int(to_offsets, to64, to_at + count);
    offsets += offsets_at;
    indices += indices_at;
    values += values_at;
    to_indices += to_indices_at;
    to_values += to_values_at;
#if SPC_GPU
    FOR_EACH(k, total) {
        const long row = find_taken(to_offsets, to64, to_at, count, k);
        const long from = (long)offsets[load_int(list, list64, list_at + row)] + k -
                          load_int(to_offsets, to64, to_at + row);
        to_indices[k] = (OUT)indices[from];
        to_values[k] = values[from];
    }
#else
    long k = part_begin(total, get_global_size(0), get_global_id(0));
    const long end = part_begin(total, get_global_size(0), get_global_id(0) + 1);
    if (k >= end) return;
    for (long row = find_taken(to_offsets, to64, to_at, count, k); k < end; ++row) {
        const long begin = load_int(to_offsets, to64, to_at + row);
        const long last = min(load_int(to_offsets, to64, to_at + row + 1), end);
        const long shift = (long)offsets[load_int(list, list64, list_at + row)] - begin;
        for (; k < last; ++k) {
            to_indices[k] = (OUT)indices[k + shift];
            to_values[k] = values[k + shift];
        }
    }
#endif
}

KERNEL gather_rows(__global const REAL *from, long from_at, long from_ld, __global REAL *to,
                   long to_at, long to_ld, __global const void *list, long list_at, int list64,
                   long count, long width) {
    FOR_ROWS(i, count, width) {
        __global const REAL *row = from + (from_at + load_int(list, list64, list_at + i) * from_ld);
        __global REAL *target = to + (to_at + i * to_ld);
#define COPY(n, j) STORE##n(LOAD##n(row + j), target + j)
        EACH_PANEL(j, width, COPY);
#undef COPY
    }
}
