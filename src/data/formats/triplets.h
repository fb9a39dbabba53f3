/* triplets.h: entries in any order, each with its row and column, and the rows that they become. */
#ifndef SPC_DATA_TRIPLETS_H
#define SPC_DATA_TRIPLETS_H

#include "data/set/dataset.h"

/* What else an entry stands for: a symmetric matrix stores one triangle. */
typedef enum spc_mirror {
    SPC_MIRROR_NONE,
    SPC_MIRROR_SAME,   /* also (column, row), unless it is on the diagonal */
    SPC_MIRROR_NEGATED /* the same, with the opposite sign */
} spc_mirror;

/* Initially all zero. */
typedef struct spc_triplets {
    spc_array rows, columns; /* int64_t */
    spc_array values;        /* float; empty as long as all are 1 */
    spc_mirror mirror;
} spc_triplets;

SPARCL_MUST_CHECK sparcl_status spc_triplets_add(spc_triplets *triplets, int64_t row,
                                                 int64_t column, float value,
                                                 const sparcl_allocator *allocator,
                                                 sparcl_error *error);
void spc_triplets_free(spc_triplets *triplets, const sparcl_allocator *allocator);
int64_t spc_triplets_count(const spc_triplets *triplets);

/*
 * The most rows that a matrix with this many stored entries may have: memory is bounded by what is
 * in the file, whatever shape it declares.
 */
int64_t spc_rows_max(int64_t stored);

/*
 * Make the rows of `data` of all entries. data->info.rows and .columns are set, every
 * entry is inside them, and there are at most spc_rows_max rows. Duplicates are added in the order
 * in which they stand, and counted; sorting is no repair, since entries have no order here. The
 * indices, offsets, values, nnz, entries, duplicates, min_index and max_index are set.
 */
SPARCL_MUST_CHECK sparcl_status spc_triplets_to_rows(const spc_triplets *triplets,
                                                     sparcl_data *data, sparcl_error *error);

/* The number of the first entry whose row and column stood before, also mirrored; -1: none. */
SPARCL_MUST_CHECK sparcl_status spc_triplets_find_repeat(const spc_triplets *triplets,
                                                         const sparcl_allocator *allocator,
                                                         int64_t *entry, sparcl_error *error);

/*
 * Keep each row and column once, also of mirrored entries, which are then all in the lower
 * triangle; the order changes. *entry becomes the first entry whose value differs from that of the
 * same place before it, and nothing is changed then; -1: none.
 */
SPARCL_MUST_CHECK sparcl_status spc_triplets_unite(spc_triplets *triplets,
                                                   const sparcl_allocator *allocator,
                                                   int64_t *entry, sparcl_error *error);

#endif
