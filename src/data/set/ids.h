/* ids.h: numbers ids of any size from 0, in ascending order. */
#ifndef SPC_DATA_IDS_H
#define SPC_DATA_IDS_H

#include "data/set/dataset.h"

/* `all` := the different ids of the arrays of int64_t, ascending. */
SPARCL_MUST_CHECK sparcl_status spc_ids_collect(spc_array *all, const spc_array *const *arrays,
                                                int count, const sparcl_allocator *allocator,
                                                sparcl_error *error);

/* The numbers of ids, for many questions: a table of all ids up to the largest where that is not
 * much larger than their number, else the ascending ids themselves. */
typedef struct spc_id_index {
    const spc_array *all;
    spc_array numbers; /* int32_t, of each id; -1: none. Empty: `all` is searched */
} spc_id_index;

/* At most 16 bytes for each of `questions`, and 256 KiB; `all` must live as long. */
SPARCL_MUST_CHECK sparcl_status spc_id_index_create(spc_id_index *index, const spc_array *all,
                                                    int64_t questions,
                                                    const sparcl_allocator *allocator,
                                                    sparcl_error *error);

/* The number of an id, or -1. */
int64_t spc_id_index_find(const spc_id_index *index, int64_t id);

static inline int64_t spc_ids_count(const spc_array *all) {
    return (int64_t)(all->used / sizeof(int64_t));
}

/* What the ids of a map file are of. */
typedef enum spc_id_kind {
    SPC_ID_NODE,
    SPC_ID_USER,
    SPC_ID_ITEM,
    SPC_ID_FEATURE,
    SPC_ID_KINDS /* none */
} spc_id_kind;

/* Read a map file: lines "kind TAB id", each kind ascending. */
SPARCL_MUST_CHECK sparcl_status spc_ids_read(spc_array kinds[SPC_ID_KINDS], const char *path,
                                             const sparcl_allocator *allocator,
                                             sparcl_error *error);
/* Take the ids of rows and of columns of a map file that must have such lines. */
SPARCL_MUST_CHECK sparcl_status spc_ids_take_map(sparcl_data *data, const char *path,
                                                 spc_id_kind rows, spc_id_kind columns,
                                                 sparcl_error *error);

#endif
