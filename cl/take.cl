/* take.cl: the rows that a list names: of a CSR matrix, and of a dense one. After panel.cl.
 *
 * Defines  many lanes: row_lengths, cut_offsets, copy_entries; wide cores: select_sums, select_rows;
 *          gather_rows
 * Range    FOR_EACH over rows of the list, over rows, over entries; select_sums, select_rows: one
 *          group a part, the same number of groups; gather_rows: FOR_ROWS
 * Memory   sums: one long a part
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

#if SPC_GPU

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
    FOR_EACH(k, total) {
        const long row = find_taken(to_offsets, to64, to_at, count, k);
        const long from = (long)offsets[load_int(list, list64, list_at + row)] + k -
                          load_int(to_offsets, to64, to_at + row);
        to_indices[k] = (OUT)indices[from];
        to_values[k] = values[from];
    }
}

#else

/* How many entries the rows of each part of the list have. */
KERNEL select_sums(__global const OFFSET *offsets, long offsets_at, __global const void *list,
                   long list_at, int list64, long count, __global long *sums) {
    const long w = get_group_id(0), parts = get_num_groups(0);
    const long begin = part_begin(count, parts, w), end = part_begin(count, parts, w + 1);
    long sum = 0;
    offsets += offsets_at;
    for (long i = begin; i < end; ++i) {
        const long row = load_int(list, list64, list_at + i);
        sum += (long)offsets[row + 1] - (long)offsets[row];
    }
    sums[w] = sum;
}

#define COPY_PANEL(n, j) vstore##n(vload##n(0, from + (j)), 0, to + (j))
#define COPY_ARRAY(T, name)                                                                        \
    static void name(__global const T *from, __global T *to, long count) {                         \
        long j = 0;                                                                                \
        for (; j + 16 <= count; j += 16) COPY_PANEL(16, j);                                        \
        if (count & 8) COPY_PANEL(8, j), j += 8;                                                   \
        if (count & 4) COPY_PANEL(4, j), j += 4;                                                   \
        if (count & 2) COPY_PANEL(2, j), j += 2;                                                   \
        if (count & 1) to[j] = from[j];                                                            \
    }
COPY_ARRAY(REAL, copy_reals)
#if SPC_INDEX64 == SPC_VALUE64
COPY_ARRAY(INDEX, copy_indices)
#else
static void copy_indices(__global const INDEX *from, __global OUT *to, long count) {
    for (long j = 0; j < count; ++j) to[j] = (OUT)from[j];
}
#endif

/* Work is rows and the entries of theirs that there is room for. Each worker looks for where its share
 * begins, and writes the offsets and entries that lie in it. */
KERNEL select_rows(__global const OFFSET *offsets, long offsets_at, __global const INDEX *indices,
                   long indices_at, __global const REAL *values, long values_at,
                   __global const void *list, long list_at, int list64, long count,
                   __global const long *sums, long room, __global void *to_offsets, long to_at,
                   int to64, __global OUT *to_indices, long to_indices_at, __global REAL *to_values,
                   long to_values_at, __global long *needed, long needed_at, int has_needed) {
    const long w = get_group_id(0), parts = get_num_groups(0);
    long total = 0, part = 0, before = 0;
    for (long v = 0; v < parts; ++v) total += sums[v];
    const long work = count + min(total, room);
    const long begin = part_begin(work, parts, w), end = part_begin(work, parts, w + 1);
    while (part + 1 < parts &&
           part_begin(count, parts, part + 1) + min(before + sums[part], room) <= begin)
        before += sums[part++];
    offsets += offsets_at;
    indices += indices_at;
    values += values_at;
    to_indices += to_indices_at;
    to_values += to_values_at;
    for (long i = part_begin(count, parts, part); i < count; ++i) {
        const long place = min(before, room), at = i + place;
        if (at >= end) break;
        const long row = load_int(list, list64, list_at + i), source = offsets[row];
        const long length = (long)offsets[row + 1] - source;
        const long first = max(begin - at - 1, 0l);
        const long last = min(min(length, room - place), end - at - 1);
        if (at >= begin) store_int(to_offsets, to64, to_at + i, place);
        if (first < last) {
            copy_indices(indices + source + first, to_indices + place + first, last - first);
            copy_reals(values + source + first, to_values + place + first, last - first);
        }
        before += length;
    }
    if (w < parts - 1) return;
    store_int(to_offsets, to64, to_at + count, min(total, room));
    if (has_needed) needed[needed_at] = total;
}

#endif

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
