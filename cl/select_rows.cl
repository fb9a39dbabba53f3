/* select_rows.cl: the rows of a CSR matrix, or of a dense one, whose numbers are in a list. After
 * panel.cl and words.cl.
 *
 * Defines  many lanes: row_lengths, cut_offsets, copy_entries; wide cores: select_sums,
 *          select_rows; gather_rows, gather_shard
 * Range    row_lengths, cut_offsets, copy_entries: FOR_EACH; select_sums, select_rows: one group
 *          per chunk, the same number of groups; gather_rows, gather_shard: FOR_ROWS
 * Memory   sums: one long per chunk
 * Types    OFFSET, INDEX are those of the input matrix; OUT is the index type of the result;
 *          arguments say whether the result's offsets and the list have 64 bits; values are WORD
 * Variant  OUT has 64 bits
 * Order    nothing is added
 */

#if SPC_VARIANT
typedef long OUT;
#else
typedef int OUT;
#endif

#if SPC_GPU

KERNEL row_lengths(__global const OFFSET *offsets, long offsets_at, __global const void *list,
                   long list_at, int list64, long count, __global long *lengths) {
    offsets += offsets_at;
    FOR_EACH(i, count) {
        const long row = load_int(list, list64, list_at + i);
        lengths[i] = (long)offsets[row + 1] - (long)offsets[row];
    }
}

/* From sums to the result's offsets, at most the capacity. */
KERNEL cut_offsets(__global const long *sums, long count, long capacity, __global void *to,
                   long to_at, int to64, __global long *needed, long needed_at, int has_needed) {
    FOR_EACH(i, count + 1) store_int(to, to64, to_at + i, min(sums[i], capacity));
    if (has_needed && get_global_id(0) == 0) needed[needed_at] = sums[count];
}

/* The row of the result that has entry k. */
static long find_row(__global const void *offsets, int is64, long at, long rows, long k) {
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
                    long indices_at, __global const WORD *values, long values_at,
                    __global const void *list, long list_at, int list64, long count,
                    __global const void *to_offsets, long to_at, int to64, __global OUT *to_indices,
                    long to_indices_at, __global WORD *to_values, long to_values_at) {
    const long total = load_int(to_offsets, to64, to_at + count);
    offsets += offsets_at;
    indices += indices_at;
    values += values_at;
    to_indices += to_indices_at;
    to_values += to_values_at;
    FOR_EACH(k, total) {
        const long row = find_row(to_offsets, to64, to_at, count, k);
        const long from = (long)offsets[load_int(list, list64, list_at + row)] + k -
                          load_int(to_offsets, to64, to_at + row);
        to_indices[k] = (OUT)indices[from];
        to_values[k] = values[from];
    }
}

#else

/* Number of entries of the rows in each chunk of the list. */
KERNEL select_sums(__global const OFFSET *offsets, long offsets_at, __global const void *list,
                   long list_at, int list64, long count, __global long *sums) {
    const long w = get_group_id(0), chunks = get_num_groups(0);
    const long begin = chunk_begin(count, chunks, w), end = chunk_begin(count, chunks, w + 1);
    long sum = 0;
    offsets += offsets_at;
    for (long i = begin; i < end; ++i) {
        const long row = load_int(list, list64, list_at + i);
        sum += (long)offsets[row + 1] - (long)offsets[row];
    }
    sums[w] = sum;
}

/* Copy sixteen words from position j on, and all words of a row. The last vector overlaps the one
 * before, which saves a branch for each bit of the count. */
#define COPY_WORDS(T)                                                                              \
    ALWAYS_INLINE void move_##T(__global const T *from, __global T *to, long j) {                  \
        STORE_SIXTEEN(T, vload16(0, from + j), to + j);                                            \
    }                                                                                              \
    static inline void copy_##T(__global const T *from, __global T *to, long count) {              \
        if (count >= 16) {                                                                         \
            for (long j = 0; j < count - 16; j += 16) move_##T(from, to, j);                       \
            move_##T(from, to, count - 16);                                                        \
        } else if (count >= 4) {                                                                   \
            for (long j = 0; j < count - 4; j += 4) vstore4(vload4(0, from + j), 0, to + j);       \
            vstore4(vload4(0, from + count - 4), 0, to + count - 4);                               \
        } else {                                                                                   \
            for (long j = 0; j < count; ++j) to[j] = from[j];                                      \
        }                                                                                          \
    }
COPY_WORDS(uchar)
COPY_WORDS(ushort)
COPY_WORDS(uint)
COPY_WORDS(ulong)

#define AS_WORDS(copy, T, from, to, count)                                                         \
    copy((__global const T *)(from), (__global T *)(to), count)
#if SPC_WORD8
#define COPY_VALUES copy_uchar
#elif SPC_WORD16
#define COPY_VALUES copy_ushort
#elif SPC_VALUE64
#define COPY_VALUES copy_ulong
#else
#define COPY_VALUES copy_uint
#endif
#if SPC_INDEX64 && SPC_VARIANT
#define COPY_INDICES(from, to, count) AS_WORDS(copy_ulong, ulong, from, to, count)
#elif !SPC_INDEX64 && !SPC_VARIANT
#define COPY_INDICES(from, to, count) AS_WORDS(copy_uint, uint, from, to, count)
#else
#define COPY_INDICES(from, to, count)                                                              \
    for (long j = 0; j < (count); ++j) (to)[j] = (OUT)(from)[j]
#endif

/* Rows are at random positions, so they are prefetched; of a long row only its beginning, because
 * further reads are sequential. */
#define DISTANCE       16  /* rows */
#define MAX_PREFETCHED 256 /* entries of a row */

static inline void prefetch_entries(__global const INDEX *indices, __global const WORD *values,
                                   long begin, long end) {
    for (long k = begin; k < min(end, begin + MAX_PREFETCHED); k += 16) {
        PREFETCH(indices + k);
        PREFETCH(values + k);
    }
}

/* Work is rows plus their entries, up to the capacity. Each worker finds where its chunk begins,
 * and writes the offsets and entries in it. */
KERNEL select_rows(__global const OFFSET *offsets, long offsets_at, __global const INDEX *indices,
                   long indices_at, __global const WORD *values, long values_at,
                   __global const void *list, long list_at, int list64, long count,
                   __global const long *sums, long capacity, __global void *to_offsets, long to_at,
                   int to64, __global OUT *to_indices, long to_indices_at, __global WORD *to_values,
                   long to_values_at, __global long *needed, long needed_at, int has_needed) {
    const long w = get_group_id(0), chunks = get_num_groups(0);
    long total = 0, chunk = 0, before = 0;
    for (long v = 0; v < chunks; ++v) total += sums[v];
    const long work = count + min(total, capacity);
    const long begin = chunk_begin(work, chunks, w), end = chunk_begin(work, chunks, w + 1);
    while (chunk + 1 < chunks &&
           chunk_begin(count, chunks, chunk + 1) + min(before + sums[chunk], capacity) <= begin)
        before += sums[chunk++];
    offsets += offsets_at;
    indices += indices_at;
    values += values_at;
    to_indices += to_indices_at;
    to_values += to_values_at;
    for (long i = chunk_begin(count, chunks, chunk); i < count; ++i) {
        const long place = min(before, capacity), at = i + place;
        if (at >= end) break;
        if (SPC_HINTS && at >= begin && i + DISTANCE < count) {
            const long later = load_int(list, list64, list_at + i + DISTANCE);
            prefetch_entries(indices, values, offsets[later], offsets[later + 1]);
        }
        const long row = load_int(list, list64, list_at + i), source = offsets[row];
        const long length = (long)offsets[row + 1] - source;
        const long first = max(begin - at - 1, 0l);
        const long last = min(min(length, capacity - place), end - at - 1);
        if (at >= begin) store_int(to_offsets, to64, to_at + i, place);
        if (first < last) {
            COPY_INDICES(indices + source + first, to_indices + place + first, last - first);
            COPY_VALUES(values + source + first, to_values + place + first, last - first);
        }
        before += length;
    }
    if (w < chunks - 1) return;
    store_int(to_offsets, to64, to_at + count, min(total, capacity));
    if (has_needed) needed[needed_at] = total;
}

#endif

ALWAYS_INLINE void gather(__global const WORD *from, long from_ld, __global WORD *to, long to_ld,
                          __global const void *list, long list_at, int list64, long count,
                          long width) {
    FOURS(((from_ld | to_ld) & 3) == 0 && ALIGNED(from) && ALIGNED(to));
    FOR_ROWS_OF_FOURS(i, count) {
#if !SPC_GPU
        if (i + ROWS_AHEAD < count)
            prefetch_words(from + load_int(list, list64, list_at + i + ROWS_AHEAD) * from_ld, width);
#endif
        __global const WORD *row = from + load_int(list, list64, list_at + i) * from_ld;
        __global WORD *target = to + i * to_ld;
#define COPY(n, j) MOVE##n(row + j, target + j)
        PANELS(COPY);
#undef COPY
    }
}

KERNEL gather_rows(__global const WORD *from, long from_at, long from_ld, __global WORD *to,
                   long to_at, long to_ld, __global const void *list, long list_at, int list64,
                   long count, long width) {
    gather(from + from_at, from_ld, to + to_at, to_ld, list, list_at, list64, count, width);
}

#if SPC_GPU

#define RESULT(x)                                                                                  \
    __global WORD *x, long x##_at, long x##_ld, __global const void *x##_list, long x##_list_at,   \
        int x##_list64, long x##_count
#define GATHER(x)                                                                                  \
    gather(from + from_at, from_ld, x + x##_at, x##_ld, x##_list, x##_list_at, x##_list64,         \
           x##_count, width)

/* By up to four lists. */
KERNEL gather_beside(__global const WORD *from, long from_at, long from_ld, RESULT(a), RESULT(b),
                     RESULT(c), RESULT(d), long width) {
    GATHER(a);
    GATHER(b);
    GATHER(c);
    GATHER(d);
}

#endif

/* Rows of the list that are rows `first` to `first` + `rows` - 1 of a table, of which `from` has
 * these. */
KERNEL gather_shard(__global const WORD *from, long from_at, long from_ld, long first, long rows,
                    __global WORD *to, long to_at, long to_ld, __global const void *list,
                    long list_at, int list64, long count, long width) {
    FOURS(((from_ld | to_ld) & 3) == 0 && ALIGNED(from + from_at) && ALIGNED(to + to_at));
    FOR_ROWS_OF_FOURS(i, count) {
        const long own = load_int(list, list64, list_at + i) - first;
        if (own < 0 || own >= rows) continue;
        __global const WORD *row = from + (from_at + own * from_ld);
        __global WORD *target = to + (to_at + i * to_ld);
#define COPY(n, j) MOVE##n(row + j, target + j)
        PANELS(COPY);
#undef COPY
    }
}
