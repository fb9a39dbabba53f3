/* id_table.h: a hash table of ids, which numbers them from 0 in ascending order. */
#ifndef SPC_DATA_ID_TABLE_H
#define SPC_DATA_ID_TABLE_H

#include "data/set/dataset.h"
#include "data/set/id_hash.h"

typedef struct spc_id_slot {
    int64_t id;
    int64_t place; /* 1 + its number; 0: the slot is empty */
} spc_id_slot;

/* All zero is empty. */
typedef struct spc_id_table {
    spc_array slots; /* spc_id_slot: a power of two of them, at most half of which are used */
    uint64_t mask;   /* their number less 1 */
    int64_t count;
} spc_id_table;

/* Add an id, unless it is there. */
SPARCL_MUST_CHECK sparcl_status spc_id_table_add(spc_id_table *table, int64_t id,
                                                 const sparcl_allocator *allocator,
                                                 sparcl_error *error);
/* Add all indices of a data set. */
SPARCL_MUST_CHECK sparcl_status spc_id_table_add_indices(spc_id_table *table,
                                                         const sparcl_data *data,
                                                         const sparcl_allocator *allocator,
                                                         sparcl_error *error);
/* Number the ids; `ids` := int64_t, ascending. */
SPARCL_MUST_CHECK sparcl_status spc_id_table_number(spc_id_table *table, spc_array *ids,
                                                    const sparcl_allocator *allocator,
                                                    sparcl_error *error);
/* The table of `count` ascending ids. */
SPARCL_MUST_CHECK sparcl_status spc_id_table_of(spc_id_table *table, const int64_t *ids,
                                                int64_t count, const sparcl_allocator *allocator,
                                                sparcl_error *error);
void spc_id_table_free(spc_id_table *table, const sparcl_allocator *allocator);

/* The slot of an id, or the empty one where it would be; the table has slots. */
static inline spc_id_slot *spc_id_table_slot(const spc_id_table *table, int64_t id) {
    spc_id_slot *const slots = table->slots.at;
    uint64_t at = spc_hash_id((uint64_t)id) & table->mask;
    while (slots[at].place != 0 && slots[at].id != id)
        at = (at + 1) & table->mask;
    return &slots[at];
}

/* Slots of large tables are far from the processor: ask for them this many ids before. */
enum { SPC_ID_TABLE_AHEAD = 16 };
static inline void spc_id_table_prefetch(const spc_id_table *table, int64_t id) {
    const spc_id_slot *const slots = table->slots.at;
    if (slots) __builtin_prefetch(&slots[spc_hash_id((uint64_t)id) & table->mask]);
}

/* The number of an id; -1: it is not there. */
static inline int64_t spc_id_table_find(const spc_id_table *table, int64_t id) {
    return table->count > 0 ? spc_id_table_slot(table, id)->place - 1 : -1;
}

#endif
