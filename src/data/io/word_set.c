/* word_set.c: numbers different words from 0, in the order in which they come. */
#include "data/io/word_set.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { FIRST_SLOTS = 64 };

const char *spc_word_at(const spc_word_set *set, int64_t number, size_t *length) {
    const size_t *const ends = set->ends.at;
    const size_t begin = number > 0 ? ends[number - 1] : 0;
    *length = ends[number] - begin;
    return set->text.used > 0 ? (const char *)set->text.at + begin : ""; /* only an empty word */
}

/* The slot of a word, or the free one where it would be; there is always a free one. */
static int64_t *find_slot(const spc_word_set *set, const char *word, size_t length) {
    int64_t *const slots = set->slots.at;
    const size_t mask = set->slots.used / sizeof *slots - 1;
    size_t at = (size_t)XXH3_64bits(word, length) & mask;
    for (; slots[at] != 0; at = (at + 1) & mask) {
        size_t other = 0;
        const char *const there = spc_word_at(set, slots[at] - 1, &other);
        if (other == length && memcmp(there, word, length) == 0) break;
    }
    return &slots[at];
}

int64_t spc_word_find(const spc_word_set *set, const char *word, size_t length) {
    return set->slots.used == 0 ? -1 : *find_slot(set, word, length) - 1;
}

/* At most half of the slots are in use. */
static sparcl_status grow(spc_word_set *set, const sparcl_allocator *allocator,
                          sparcl_error *error) {
    const size_t count = (size_t)spc_word_count(set);
    const size_t before = set->slots.used / sizeof(int64_t);
    if (2 * (count + 1) <= before) return SPARCL_OK;
    const size_t bytes = (before == 0 ? FIRST_SLOTS : 2 * before) * sizeof(int64_t);
    spc_array slots = {0};
    SPC_TRY(spc_array_reserve(&slots, bytes, allocator, error));
    memset(slots.at, 0, bytes);
    slots.used = bytes;
    spc_array_free(&set->slots, allocator);
    set->slots = slots;
    for (size_t i = 0; i < count; i++) {
        size_t length = 0;
        const char *const word = spc_word_at(set, (int64_t)i, &length);
        *find_slot(set, word, length) = (int64_t)i + 1;
    }
    return SPARCL_OK;
}

sparcl_status spc_word_add(spc_word_set *set, const char *word, size_t length,
                           const sparcl_allocator *allocator, sparcl_error *error) {
    SPC_TRY(grow(set, allocator, error));
    int64_t *const slot = find_slot(set, word, length);
    const size_t end = set->text.used + length;
    SPC_TRY(spc_array_reserve(&set->ends, sizeof end, allocator, error));
    SPC_TRY(spc_array_add(&set->text, word, length, allocator, error));
    SPC_TRY(spc_array_add(&set->ends, &end, sizeof end, allocator, error));
    *slot = spc_word_count(set);
    return SPARCL_OK;
}

void spc_word_set_free(spc_word_set *set, const sparcl_allocator *allocator) {
    spc_array_free(&set->text, allocator);
    spc_array_free(&set->ends, allocator);
    spc_array_free(&set->slots, allocator);
}
