/* id_table.c: a hash table of ids, which numbers them from 0 in ascending order. */
#include "data/set/id_table.h"

#include <stdlib.h>

#include "base/error.h"

enum { FIRST_SLOTS = 256 };

static sparcl_status make_slots(spc_id_table *table, uint64_t slots,
                                const sparcl_allocator *allocator, sparcl_error *error) {
    if (slots > SIZE_MAX / sizeof(spc_id_slot)) return spc_fail_memory(error, "ids", SIZE_MAX);
    const size_t bytes = (size_t)slots * sizeof(spc_id_slot);
    SPC_TRY(spc_array_reserve(&table->slots, bytes, allocator, error));
    memset(table->slots.at, 0, bytes);
    table->slots.used = bytes;
    table->mask = slots - 1;
    return SPARCL_OK;
}

static sparcl_status grow(spc_id_table *table, uint64_t slots, const sparcl_allocator *allocator,
                          sparcl_error *error) {
    spc_id_table larger = {.count = table->count};
    const spc_id_slot *const old = table->slots.at;
    const size_t count = table->slots.used / sizeof *old;
    SPC_TRY(make_slots(&larger, slots, allocator, error));
    for (size_t i = 0; i < count; i++)
        if (old[i].place != 0) *spc_id_table_slot(&larger, old[i].id) = old[i];
    spc_id_table_free(table, allocator);
    *table = larger;
    return SPARCL_OK;
}

sparcl_status spc_id_table_add(spc_id_table *table, int64_t id, const sparcl_allocator *allocator,
                               sparcl_error *error) {
    const uint64_t slots = table->slots.used / sizeof(spc_id_slot);
    if (2 * (uint64_t)table->count >= slots)
        SPC_TRY(grow(table, slots > 0 ? 2 * slots : FIRST_SLOTS, allocator, error));
    spc_id_slot *const slot = spc_id_table_slot(table, id);
    if (slot->place == 0) *slot = (spc_id_slot){id, ++table->count};
    return SPARCL_OK;
}

sparcl_status spc_id_table_add_indices(spc_id_table *table, const sparcl_data *data,
                                       const sparcl_allocator *allocator, sparcl_error *error) {
    const int64_t count = (int64_t)(data->indices.used / sparcl_itype_size(data->index_type));
    for (int64_t k = 0; k < count; k++) {
        if (k + SPC_ID_TABLE_AHEAD < count)
            spc_id_table_prefetch(table, spc_data_index(data, k + SPC_ID_TABLE_AHEAD));
        SPC_TRY(spc_id_table_add(table, spc_data_index(data, k), allocator, error));
    }
    return SPARCL_OK;
}

static int compare(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

sparcl_status spc_id_table_number(spc_id_table *table, spc_array *ids,
                                  const sparcl_allocator *allocator, sparcl_error *error) {
    const spc_id_slot *const slots = table->slots.at;
    const size_t bytes = (size_t)table->count * sizeof(int64_t);
    SPC_TRY(spc_array_reserve(ids, bytes, allocator, error));
    int64_t *const all = ids->at;
    int64_t count = 0;
    for (size_t i = 0; i < table->slots.used / sizeof *slots; i++)
        if (slots[i].place != 0) all[count++] = slots[i].id;
    ids->used = bytes;
    if (count > 0) qsort(all, (size_t)count, sizeof *all, compare);
    for (int64_t i = 0; i < count; i++)
        spc_id_table_slot(table, all[i])->place = i + 1;
    return SPARCL_OK;
}

sparcl_status spc_id_table_of(spc_id_table *table, const int64_t *ids, int64_t count,
                              const sparcl_allocator *allocator, sparcl_error *error) {
    for (int64_t i = 0; i < count; i++)
        SPC_TRY(spc_id_table_add(table, ids[i], allocator, error));
    return SPARCL_OK;
}

void spc_id_table_free(spc_id_table *table, const sparcl_allocator *allocator) {
    spc_array_free(&table->slots, allocator);
    *table = (spc_id_table){.count = 0};
}
