/* csv_words.c: the words of a text as hashed columns. */
#include "data/formats/csv/csv_words.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "data/io/murmur3.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { LEAST_BYTES = 2 };

static bool is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}

static bool is_of_word(char c) {
    return (c >= 'a' && c <= 'z') || is_upper(c) || (c >= '0' && c <= '9') || c == '_' ||
           (unsigned char)c >= 0x80;
}

/* The next word at *at or behind it; its length, and 0 at the end. */
static size_t next_word(const char **at, const char *end) {
    const char *word = *at;
    for (;;) {
        while (word < end && !is_of_word(*word))
            word++;
        const char *stop = word;
        while (stop < end && is_of_word(*stop))
            stop++;
        *at = word;
        if (word == end || stop - word >= LEAST_BYTES) return (size_t)(stop - word);
        word = stop;
    }
}

static int64_t column_of(const spc_csv_hashing *how, const char *name, size_t length) {
    const uint64_t column =
        spc_hash_name(name, length, how->seed) & (((uint64_t)1 << how->bits) - 1);
    if (how->owners)
        spc_owners_note(how->owners, column, XXH3_64bits_withSeed(name, length, how->seed));
    if (how->kept)
        spc_kept_names_note(how->kept, (int64_t)column, how->name, "=",
                            (spc_name_part){name, length});
    return (int64_t)column;
}

/* Words are written to the beginning of the text, with a blank after each, so that a sequence is a
 * part of it. */
static int64_t hash_all(const spc_csv_hashing *how, char *text, size_t length, int64_t *columns) {
    const char *at = text, *const end = text + length;
    char *begins[SPC_CSV_NGRAM_MAX] = {text}, *to = text;
    int64_t count = 0, words = 0;
    for (size_t bytes; (bytes = next_word(&at, end)) > 0; at += bytes) {
        begins[words++ % how->ngrams] = to;
        for (size_t i = 0; i < bytes; i++)
            *to++ = (char)(is_upper(at[i]) ? at[i] + ('a' - 'A') : at[i]);
        for (int64_t n = 1; n <= how->ngrams && n <= words; n++) {
            const char *const begin = begins[(words - n) % how->ngrams];
            columns[count++] = column_of(how, begin, (size_t)(to - begin));
        }
        if (to < end) *to++ = ' ';
    }
    return count;
}

static int compare(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

int64_t spc_csv_hash_words(const spc_csv_hashing *how, char *text, size_t length, int64_t *columns,
                           float *values) {
    const int64_t count = hash_all(how, text, length, columns);
    int64_t kept = 0;
    double squares = 0;
    qsort(columns, (size_t)count, sizeof *columns, compare);
    for (int64_t i = 0, end; i < count; i = end) {
        for (end = i; end < count && columns[end] == columns[i];)
            end++;
        const double weight = how->weights ? (double)how->weights[columns[i]] : 1;
        const double value = (double)(end - i) * weight;
        if (how->counts)
            atomic_fetch_add_explicit(&how->counts[columns[i]], 1, memory_order_relaxed);
        columns[kept] = columns[i];
        values[kept++] = (float)value;
        squares += value * value;
    }
    for (int64_t i = 0; i < kept; i++)
        values[i] = (float)((double)values[i] / sqrt(squares));
    return kept;
}
