/* repair.c: sorts the entries of one row and adds duplicates. */
#include "data/repair.h"

#include <string.h>

/* Merge two adjacent runs; of equal entries the left one comes first. */
static void merge(spc_entry *into, const spc_entry *left, size_t left_count, size_t right_count) {
    const spc_entry *const middle = left + left_count, *const end = middle + right_count;
    const spc_entry *right = middle;
    while (left < middle && right < end)
        *into++ = right->index < left->index ? *right++ : *left++;
    const size_t rest = (size_t)(left < middle ? middle - left : end - right);
    if (rest > 0) memcpy(into, left < middle ? left : right, rest * sizeof *into);
}

/* Bottom-up merge sort; returns the one of `from` and `to` that has the result.
 */
static spc_entry *sort(spc_entry *from, spc_entry *to, size_t count) {
    for (size_t run = 1; run < count; run *= 2) {
        for (size_t at = 0; at < count; at += 2 * run) {
            const size_t left = run < count - at ? run : count - at;
            const size_t right = run < count - at - left ? run : count - at - left;
            merge(to + at, from + at, left, right);
        }
        spc_entry *const swap = from;
        from = to;
        to = swap;
    }
    return from;
}

int64_t spc_repair_row(int64_t *indices, float *values, int32_t *fields, int64_t count,
                       spc_entry *sorting) {
    for (int64_t i = 0; i < count; i++)
        sorting[i] = (spc_entry){indices[i], values[i], fields ? fields[i] : 0};
    const spc_entry *const sorted = sort(sorting, sorting + count, (size_t)count);
    int64_t kept = 0;
    for (int64_t i = 0; i < count; i++) {
        if (kept > 0 && indices[kept - 1] == sorted[i].index) {
            values[kept - 1] += sorted[i].value;
        } else {
            indices[kept] = sorted[i].index;
            if (fields) fields[kept] = sorted[i].field;
            values[kept++] = sorted[i].value;
        }
    }
    return kept;
}
