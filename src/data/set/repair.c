/* repair.c: sorts the entries of one row and adds duplicates. */
#include "data/set/repair.h"

#include <string.h>

/* Rows of up to SPREAD_MOST entries are first tried with buckets, of up to CROWD entries. */
enum { FIRST_RUN = 8, SPREAD_BITS = 11, SPREAD_MOST = 1 << (SPREAD_BITS - 1), CROWD = 16 };

/* Merge two adjacent runs. Which run goes on is not predictable, so it is no branch. */
static void merge(uint64_t *into, const uint64_t *left, size_t left_count, size_t right_count) {
    const uint64_t *const middle = left + left_count, *const end = middle + right_count;
    const uint64_t *right = middle;
    while (left < middle && right < end) {
        const uint64_t a = *left, b = *right;
        const bool from_right = b < a;
        *into++ = from_right ? b : a;
        right += from_right;
        left += !from_right;
    }
    const size_t rest = (size_t)(left < middle ? middle - left : end - right);
    if (rest > 0) memcpy(into, left < middle ? left : right, rest * sizeof *into);
}

/* Put two keys in order without a branch, which would not be predictable. */
static inline void exchange(uint64_t *run, int i, int j) {
    const uint64_t a = run[i], b = run[j];
    run[i] = a < b ? a : b;
    run[j] = a < b ? b : a;
}

/* A network of 19 exchanges (Knuth, The Art of Computer Programming 3, 5.3.4), in registers. */
static void sort_first_run(uint64_t *run) {
    uint64_t x[FIRST_RUN];
    memcpy(x, run, sizeof x);
    exchange(x, 0, 2), exchange(x, 1, 3), exchange(x, 4, 6), exchange(x, 5, 7);
    exchange(x, 0, 4), exchange(x, 1, 5), exchange(x, 2, 6), exchange(x, 3, 7);
    exchange(x, 0, 1), exchange(x, 2, 3), exchange(x, 4, 5), exchange(x, 6, 7);
    exchange(x, 2, 4), exchange(x, 3, 5);
    exchange(x, 1, 4), exchange(x, 3, 6);
    exchange(x, 1, 2), exchange(x, 3, 4), exchange(x, 5, 6);
    memcpy(run, x, sizeof x);
}

static void sort_run(uint64_t *run, size_t count) {
    for (size_t i = 1; i < count; i++) {
        const uint64_t key = run[i];
        size_t at = i;
        for (; at > 0 && run[at - 1] > key; at--)
            run[at] = run[at - 1];
        run[at] = key;
    }
}

/* Keys that are spread evenly, as hashes are, have about two buckets each: after one pass nearly
 * all are in their place. False, and nothing is changed, where many keys share a bucket. */
static bool sort_spread(uint64_t *keys, uint64_t *to, size_t count, uint64_t all) {
    uint16_t places[1 << SPREAD_BITS];
    unsigned bits = 1, shift = 0;
    size_t before = 0, most = 0;
    while (((size_t)1 << bits) < 2 * count)
        bits++;
    while (all >> shift >> bits != 0)
        shift++;
    const size_t buckets = (size_t)1 << bits;
    memset(places, 0, buckets * sizeof *places);
    for (size_t i = 0; i < count; i++)
        places[keys[i] >> shift]++;
    for (size_t b = 0; b < buckets; b++) {
        const size_t size = places[b];
        most = size > most ? size : most;
        places[b] = (uint16_t)before;
        before += size;
    }
    if (most > CROWD) return false;
    for (size_t i = 0; i < count; i++)
        to[places[keys[i] >> shift]++] = keys[i];
    sort_run(to, count);
    return true;
}

/* Bottom-up merge sort; returns the one of `from` and `to` that has the result. */
static uint64_t *sort_keys(uint64_t *from, uint64_t *to, size_t count) {
    size_t first = 0;
    for (; first + FIRST_RUN <= count; first += FIRST_RUN)
        sort_first_run(from + first);
    sort_run(from + first, count - first);
    for (size_t run = FIRST_RUN; run < count; run *= 2) {
        for (size_t at = 0; at < count; at += 2 * run) {
            const size_t left = run < count - at ? run : count - at;
            const size_t right = run < count - at - left ? run : count - at - left;
            merge(to + at, from + at, left, right);
        }
        uint64_t *const swap = from;
        from = to;
        to = swap;
    }
    return from;
}

/* Merge two adjacent runs; of equal entries the left one comes first. */
static void merge_entries(spc_entry *into, const spc_entry *left, size_t left_count,
                          size_t right_count) {
    const spc_entry *const middle = left + left_count, *const end = middle + right_count;
    const spc_entry *right = middle;
    while (left < middle && right < end)
        *into++ = right->index < left->index ? *right++ : *left++;
    const size_t rest = (size_t)(left < middle ? middle - left : end - right);
    if (rest > 0) memcpy(into, left < middle ? left : right, rest * sizeof *into);
}

/* The same for entries whose indices need more than 32 bits. */
static spc_entry *sort_entries(spc_entry *from, spc_entry *to, size_t count) {
    for (size_t run = 1; run < count; run *= 2) {
        for (size_t at = 0; at < count; at += 2 * run) {
            const size_t left = run < count - at ? run : count - at;
            const size_t right = run < count - at - left ? run : count - at - left;
            merge_entries(to + at, from + at, left, right);
        }
        spc_entry *const swap = from;
        from = to;
        to = swap;
    }
    return from;
}

/* Add an entry to the `kept` ones, which are sorted; returns their new number. */
static int64_t keep(int64_t *indices, float *values, int32_t *fields, int64_t kept,
                    spc_entry entry) {
    if (kept > 0 && indices[kept - 1] == entry.index) {
        values[kept - 1] += entry.value;
        return kept;
    }
    indices[kept] = entry.index;
    values[kept] = entry.value;
    if (fields) fields[kept] = entry.field;
    return kept + 1;
}

/* All bits that an index or the number of entries has. */
static uint64_t bits_of(const int64_t *indices, int64_t count) {
    uint64_t all = (uint64_t)count;
    for (int64_t i = 0; i < count; i++)
        all |= (uint64_t)indices[i];
    return all;
}

/* Keys of an index and the position of its entry: they are all different, and half of the bytes. */
static int64_t repair_narrow(int64_t *indices, float *values, int32_t *fields, int64_t count,
                             spc_entry *sorting, uint64_t all) {
    spc_entry *const entries = sorting + count;
    uint64_t *const keys = (uint64_t *)(void *)sorting;
    for (int64_t i = 0; i < count; i++) {
        keys[i] = (uint64_t)indices[i] << 32 | (uint64_t)i;
        entries[i] = (spc_entry){indices[i], values[i], fields ? fields[i] : 0};
    }
    const bool spread =
        count <= SPREAD_MOST && sort_spread(keys, keys + count, (size_t)count, all << 32);
    const uint64_t *const sorted =
        spread ? keys + count : sort_keys(keys, keys + count, (size_t)count);
    int64_t kept = 0;
    for (int64_t i = 0; i < count; i++)
        kept = keep(indices, values, fields, kept, entries[sorted[i] & UINT32_MAX]);
    return kept;
}

int64_t spc_repair_row(int64_t *indices, float *values, int32_t *fields, int64_t count,
                       spc_entry *sorting) {
    const uint64_t all = bits_of(indices, count);
    if (all >> 32 == 0) return repair_narrow(indices, values, fields, count, sorting, all);
    for (int64_t i = 0; i < count; i++)
        sorting[i] = (spc_entry){indices[i], values[i], fields ? fields[i] : 0};
    const spc_entry *const sorted = sort_entries(sorting, sorting + count, (size_t)count);
    int64_t kept = 0;
    for (int64_t i = 0; i < count; i++)
        kept = keep(indices, values, fields, kept, sorted[i]);
    return kept;
}
