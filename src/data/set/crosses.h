/* crosses.h: crosses of columns, or of namespaces: the products of their features in each row. */
#ifndef SPC_DATA_CROSSES_H
#define SPC_DATA_CROSSES_H

#include "data/io/block.h"
#include "data/io/hashes.h"
#include "data/io/word_set.h"
#include "data/set/kept_names.h"

/* ---- as requested --------------------------------------------------------------------------- */

typedef struct spc_cross_names {
    const char *left, *right;
} spc_cross_names;

/* What sparcl_data_desc.crosses says. */
typedef struct spc_cross_list {
    spc_array text;  /* a copy, with a NUL after each name */
    spc_array pairs; /* spc_cross_names */
    bool all;        /* there are no pairs: all are crossed */
} spc_cross_list;

/* To be freed also after an error. E_ARG: it is no list of different pairs. */
SPARCL_MUST_CHECK sparcl_status spc_cross_list_read(spc_cross_list *list, const char *text,
                                                    const sparcl_allocator *allocator,
                                                    sparcl_error *error);
void spc_cross_list_free(spc_cross_list *list, const sparcl_allocator *allocator);

/* ---- in a row ------------------------------------------------------------------------------- */

/* A cross of two sources of features: columns of a table, or namespaces. */
typedef struct spc_cross {
    int32_t left, right;
    int32_t field; /* of its entries, where these have one */
} spc_cross;

struct spc_crossing {
    spc_array crosses; /* spc_cross */
    int64_t sources;
    int bits; /* of the columns */
    spc_owner *owners;
    spc_kept_names *kept;
    const char *between; /* a source and its feature, in names */
    _Atomic(bool) *met;  /* [crosses]: of namespaces: a row has entries of it; or NULL */
    spc_word_set names;  /* of namespaces: their numbers are those of the sources */
    bool all;            /* of namespaces: there is one source, which has every feature */
    int64_t growing;     /* of a table: crosses whose entries in a row grow with its text */
};

/* A feature of a row. */
struct spc_factor {
    uint64_t hash;  /* of its name; its column is that modulo 2^bits */
    uint64_t name;  /* a number that other names do not have */
    uint64_t order; /* of the features of one source the one with the smaller number is left */
    float value;
    int32_t before;  /* the one before it of the same source, or -1 */
    int32_t range;   /* of numbers; -1: it is none */
    bool has_square; /* its product with itself is another feature */
    spc_name_part source, text;
};

static inline int64_t spc_cross_count(const spc_crossing *how) {
    return how ? (int64_t)(how->crosses.used / sizeof(spc_cross)) : 0;
}

/* Of namespaces: the crosses that are requested, as a row is read. To be freed also after an error.
 * E_ARG as above. */
SPARCL_MUST_CHECK sparcl_status spc_crossing_of_spaces(spc_crossing *how, const char *text,
                                                       const sparcl_allocator *allocator,
                                                       sparcl_error *error);
void spc_crossing_free(spc_crossing *how, const sparcl_allocator *allocator);

/* The source of the features of a namespace, or -1. */
static inline int64_t spc_crossing_source(const spc_crossing *how, const char *name,
                                          size_t length) {
    if (!how) return -1;
    return how->all ? 0 : spc_word_find(&how->names, name, length);
}

/* Forget the features of the row before; nothing where `how` is NULL. */
void spc_factors_begin(spc_block *block, const spc_crossing *how);

/* Note a feature; `before` is set here. */
void spc_factors_add(spc_block *block, int64_t source, const spc_factor *factor);

/* Add the entries of the crosses to those of the row. */
void spc_factors_cross(spc_block *block, const spc_crossing *how);

/* The hash of a cross: as Vowpal Wabbit has it for -q. */
static inline uint64_t spc_cross_hash(uint64_t left, uint64_t right) {
    return left * 16777619 ^ right;
}

/* a + b and a * b, or a number that is too large for any memory. */
size_t spc_room_add(size_t a, size_t b);
size_t spc_room_multiply(size_t a, size_t b);

#endif
