/* word_set.h: numbers different words from 0, in the order in which they come. */
#ifndef SPC_DATA_WORDSET_H
#define SPC_DATA_WORDSET_H

#include "data/set/dataset.h"

/* All zero is empty. The memory is at most the bytes of the words, and 40 bytes for each. */
typedef struct spc_word_set {
    spc_array text;  /* the words, one after another */
    spc_array ends;  /* size_t: where each ends in the text */
    spc_array slots; /* int64_t: open addressing by hash; 1 + the number of a word, 0 is free */
} spc_word_set;

static inline int64_t spc_word_count(const spc_word_set *set) {
    return (int64_t)(set->ends.used / sizeof(size_t));
}

/* The bytes of a word, which do not end in NUL. */
const char *spc_word_at(const spc_word_set *set, int64_t number, size_t *length);

/* The number of a word, or -1. */
int64_t spc_word_find(const spc_word_set *set, const char *word, size_t length);

/* Add a word that is not there: its number is spc_word_count before. */
SPARCL_MUST_CHECK sparcl_status spc_word_add(spc_word_set *set, const char *word, size_t length,
                                             const sparcl_allocator *allocator,
                                             sparcl_error *error);

void spc_word_set_free(spc_word_set *set, const sparcl_allocator *allocator);

#endif
