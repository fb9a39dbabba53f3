/* columns_sparse.cl: columns_pattern for a matrix most of whose columns are empty: with a bit for
 * each column, and a counter for each one that has entries. For CPU class. After scan.cl and
 * columns.cl.
 *
 * Defines  columns_sparse
 * Range    as in columns.cl
 * Memory   words: one for each 32 columns of a group, and one more for each group; seen: the same
 *          for the first group; ranks: one per entry; splits: columns.cl
 * Types    as in columns.cl; rows and columns have less than 32 bits
 */

/* The lower half of a word has the bits of its columns; the upper half will be the number of
 * columns before it that have entries. */
#define WORD_OF(c)   ((c) / 32)
#define BIT_OF(c)    ((c) % 32)
#define WORDS(width) (WORD_OF(width) + 1)

static void mark_columns(__global ulong *words, const column_range *p) {
    for (long i = 0; i < WORDS(p->last - p->first); ++i) words[i] = 0;
    for (long r = 0; r < p->rows; ++r)
        FOR_IN_RANGE(k, p, r) {
            const uint c = (uint)(p->a[k] - p->first);
            words[WORD_OF(c)] |= 1ul << BIT_OF(c);
        }
}

/* Number of columns before the range that have entries. */
static uint count_seen(__global uint *seen, const column_range *p) {
    uint count = 0;
    if (p->first == 0) return 0;
    for (long i = 0; i < WORDS(p->first); ++i) seen[i] = 0;
    for (long r = 0; r < p->rows; ++r)
        FOR_BEFORE(k, p, r) {
            const uint c = (uint)p->a[k];
            seen[WORD_OF(c)] |= 1u << BIT_OF(c);
        }
    for (long i = 0; i < WORDS(p->first); ++i) count += popcount(seen[i]);
    return count;
}

/* Write the upper halves of words. Returns the number of columns up to the last one that have
 * entries. */
static uint number_words(__global ulong *words, const column_range *p, uint before) {
    for (long i = 0; i < WORDS(p->last - p->first); ++i) {
        const ulong word = words[i];
        words[i] = (ulong)before << 32 | word;
        before += popcount((uint)word);
    }
    return before;
}

/* The number of columns before column c that have entries. */
static uint rank_of(__global const ulong *words, uint c) {
    const ulong word = words[WORD_OF(c)];
    return (uint)(word >> 32) + popcount((uint)word & ((1u << BIT_OF(c)) - 1));
}

/* Write the rank of each entry, each column that has entries, and to starts[rank + 1] their number.
 */
static void count_ranks(__global uint *ranks, __global INDEX *present, __global OFFSET *starts,
                        __global const ulong *words, const column_range *p) {
    for (long r = 0; r < p->rows; ++r)
        FOR_IN_RANGE(k, p, r) {
            const uint rank = rank_of(words, (uint)(p->a[k] - p->first));
            ranks[k] = rank;
            present[rank] = p->a[k];
            ++starts[rank + 1];
        }
}

/* Number of entries in columns before the range. */
static OFFSET entries_before(const column_range *p) {
    OFFSET count = 0;
    for (long r = 0; r < p->rows && p->first > 0; ++r) count += p->splits[r] - p->offsets[r];
    return count;
}

/* Where column `rank` begins is in starts[rank + 1], which ends as where the next one begins. */
#define MOVE_RANKED(value, also)                                                                   \
    for (long r = 0; r < mine.rows; ++r)                                                           \
        FOR_IN_RANGE(k, &mine, r) {                                                                \
            const OFFSET place = starts[ranks[k] + 1]++;                                           \
            to_row[place] = (INDEX)r;                                                              \
            to_payload[place] = (value);                                                           \
            also;                                                                                  \
        }

KERNEL columns_sparse(MATRIX, MOVED, __global const uint *values, long values_at,
                      __global uint *to_values, __global OFFSET *splits, __global ulong *words,
                      __global uint *seen, __global uint *ranks, __global INDEX *present,
                      __global OFFSET *starts, __global long *found) {
    OPEN_MATRIX;
    OPEN_MOVED;
    if (mine.is_half) split_rows(&mine, mine.first > 0 ? mine.first : mine.last);
    words += w * WORDS(middle);
    mark_columns(words, &mine);
    const uint first = count_seen(seen, &mine), last = number_words(words, &mine, first);
    for (uint u = first; u < last; ++u) starts[u + 1] = 0;
    count_ranks(ranks, present, starts, words, &mine);
    OFFSET begin = entries_before(&mine);
    for (uint u = first; u < last; ++u) {
        const OFFSET count = starts[u + 1];
        starts[u + 1] = begin;
        begin += count;
    }
    if (w == 0) starts[0] = 0;
    if (mine.last == columns) *found = last;
    if (to_values) {
        MOVE_RANKED((uint)k, to_values[place] = values[values_at + k])
    } else if (payload) {
        MOVE_RANKED(payload[k], )
    } else {
        MOVE_RANKED((uint)k, )
    }
}
