/* triplets.c: entries in any order, and the rows that they become: a stable counting sort by row,
 * then each row is ordered. */
#include "data/formats/triplets.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "data/set/row_order.h"

int64_t spc_rows_max(int64_t stored) {
    static const int64_t always = (int64_t)1 << 25; /* 256 MiB of offsets */
    int64_t rows = 0;
    if (!spc_mul_i64(stored, 64, &rows)) return INT64_MAX / 16;
    return spc_max_i64(always, rows);
}

int64_t spc_triplets_count(const spc_triplets *triplets) {
    return (int64_t)(triplets->rows.used / sizeof(int64_t));
}

/* The value of the last entry; those of all before it, if it is the first that is not 1. */
static sparcl_status add_value(spc_triplets *triplets, float value,
                               const sparcl_allocator *allocator, sparcl_error *error) {
    static const float one = 1;
    const size_t before = (size_t)spc_triplets_count(triplets) - 1;
    while (triplets->values.used < before * sizeof one)
        SPC_TRY(spc_array_push(&triplets->values, &one, sizeof one, allocator, error));
    return spc_array_push(&triplets->values, &value, sizeof value, allocator, error);
}

sparcl_status spc_triplets_add(spc_triplets *triplets, int64_t row, int64_t column, float value,
                               const sparcl_allocator *allocator, sparcl_error *error) {
    SPC_TRY(spc_array_push(&triplets->rows, &row, sizeof row, allocator, error));
    SPC_TRY(spc_array_push(&triplets->columns, &column, sizeof column, allocator, error));
    if (triplets->values.used == 0 && value == 1) return SPARCL_OK;
    return add_value(triplets, value, allocator, error);
}

void spc_triplets_free(spc_triplets *triplets, const sparcl_allocator *allocator) {
    spc_array_free(&triplets->rows, allocator);
    spc_array_free(&triplets->columns, allocator);
    spc_array_free(&triplets->values, allocator);
}

static float value_of(const spc_triplets *triplets, int64_t k) {
    return triplets->values.used == 0 ? 1 : ((const float *)triplets->values.at)[k];
}

/* One pass over all entries, also the mirrored ones. */
typedef struct walk {
    const spc_triplets *triplets;
    int64_t entry;
    bool mirrored; /* the next one is the mirror image of `entry` - 1 */
} walk;

static bool next_entry(walk *w, int64_t *row, int64_t *column, float *value) {
    const spc_triplets *const t = w->triplets;
    const int64_t *const rows = t->rows.at, *const columns = t->columns.at;
    if (!w->mirrored && w->entry == spc_triplets_count(t)) return false;
    const int64_t k = w->mirrored ? w->entry - 1 : w->entry;
    const float plain = value_of(t, k);
    *row = w->mirrored ? columns[k] : rows[k];
    *column = w->mirrored ? rows[k] : columns[k];
    *value = w->mirrored && t->mirror == SPC_MIRROR_NEGATED ? -plain : plain;
    if (w->mirrored) {
        w->mirrored = false;
        return true;
    }
    w->mirrored = t->mirror != SPC_MIRROR_NONE && rows[k] != columns[k];
    w->entry++;
    return true;
}

/* offsets[row + 1] := the number of entries of the rows before `row`: where its first one goes. */
static int64_t count_rows(const spc_triplets *triplets, int64_t *offsets, int64_t rows) {
    walk w = {.triplets = triplets};
    int64_t row = 0, column = 0, before = 0;
    float value = 0;
    memset(offsets, 0, ((size_t)rows + 1) * sizeof *offsets);
    while (next_entry(&w, &row, &column, &value))
        offsets[row + 1]++;
    for (int64_t i = 0; i < rows; i++) {
        const int64_t count = offsets[i + 1];
        offsets[i + 1] = before;
        before += count;
    }
    return before;
}

static sparcl_status reserve(sparcl_data *data, sparcl_error *error) {
    const size_t bytes = ((size_t)data->info.rows + 1) * sizeof(int64_t);
    data->index_type = data->info.columns > INT32_MAX ? SPARCL_INDEX64 : SPARCL_INDEX32;
    SPC_TRY(spc_array_reserve(&data->offsets, bytes, &data->allocator, error));
    data->offsets.used = bytes;
    return SPARCL_OK;
}

static sparcl_status reserve_entries(sparcl_data *data, sparcl_error *error) {
    const size_t count = (size_t)data->info.nnz, size = sparcl_itype_size(data->index_type);
    SPC_TRY(spc_array_reserve(&data->indices, count * size, &data->allocator, error));
    SPC_TRY(spc_array_reserve(&data->values, count * sizeof(float), &data->allocator, error));
    data->indices.used = count * size;
    data->values.used = count * sizeof(float);
    return SPARCL_OK;
}

/* After this, offsets[row + 1] is where the row ends. */
static void scatter(const spc_triplets *triplets, sparcl_data *data) {
    walk w = {.triplets = triplets};
    int64_t *const offsets = data->offsets.at;
    float *const values = data->values.at;
    int64_t row = 0, column = 0;
    float value = 0;
    const bool all_ones = triplets->values.used == 0 && triplets->mirror != SPC_MIRROR_NEGATED;
    for (int64_t k = 0; all_ones && k < data->info.nnz; k++)
        values[k] = 1;
    data->info.min_index = data->info.nnz > 0 ? INT64_MAX : -1;
    data->info.max_index = -1;
    while (next_entry(&w, &row, &column, &value)) {
        const int64_t at = offsets[row + 1]++;
        spc_data_set_index(data, at, column);
        if (!all_ones) values[at] = value;
        data->info.min_index = spc_min_i64(data->info.min_index, column);
        data->info.max_index = spc_max_i64(data->info.max_index, column);
    }
}

sparcl_status spc_triplets_to_rows(const spc_triplets *triplets, sparcl_data *data,
                                   sparcl_error *error) {
    SPC_TRY(reserve(data, error));
    data->info.nnz = count_rows(triplets, data->offsets.at, data->info.rows);
    SPC_TRY(reserve_entries(data, error));
    scatter(triplets, data);
    const int64_t bad = data->bad_column; /* of the file; that of a sum is not known */
    SPC_TRY(spc_rows_order(data, NULL, error));
    data->info.unsorted_rows = 0;
    data->bad_column = bad;
    return SPARCL_OK;
}

typedef struct place {
    int64_t row, column, entry;
} place;

static int compare(const void *a, const void *b) {
    const place *const x = a, *const y = b;
    if (x->row != y->row) return x->row < y->row ? -1 : 1;
    if (x->column != y->column) return x->column < y->column ? -1 : 1;
    return (x->entry > y->entry) - (x->entry < y->entry);
}

/* An entry and its mirror image have the same place. */
static place place_of(const spc_triplets *triplets, int64_t k) {
    const int64_t row = ((const int64_t *)triplets->rows.at)[k];
    const int64_t column = ((const int64_t *)triplets->columns.at)[k];
    if (triplets->mirror == SPC_MIRROR_NONE) return (place){row, column, k};
    return (place){spc_max_i64(row, column), spc_min_i64(row, column), k};
}

/* The places of all entries, in order; to be freed with count + 1 elements. */
static sparcl_status sort_places(const spc_triplets *triplets, const sparcl_allocator *allocator,
                                 place **sorted, sparcl_error *error) {
    const int64_t count = spc_triplets_count(triplets);
    place *const all = *sorted = spc_alloc_zero(allocator, (size_t)count + 1, sizeof *all);
    if (!all) return spc_fail_memory(error, "entries", ((size_t)count + 1) * sizeof *all);
    for (int64_t k = 0; k < count; k++)
        all[k] = place_of(triplets, k);
    qsort(all, (size_t)count, sizeof *all, compare);
    return SPARCL_OK;
}

static bool same_place(const place *a, const place *b) {
    return a->row == b->row && a->column == b->column;
}

sparcl_status spc_triplets_find_repeat(const spc_triplets *triplets,
                                       const sparcl_allocator *allocator, int64_t *entry,
                                       sparcl_error *error) {
    const int64_t count = spc_triplets_count(triplets);
    place *all = NULL;
    *entry = -1;
    SPC_TRY(sort_places(triplets, allocator, &all, error));
    for (int64_t k = 1; k < count; k++)
        if (same_place(&all[k], &all[k - 1]) && (*entry < 0 || all[k].entry < *entry))
            *entry = all[k].entry;
    spc_free(allocator, all, ((size_t)count + 1) * sizeof *all);
    return SPARCL_OK;
}

/* The first entry whose value differs from that of the entry before it at its place; or -1. */
static int64_t find_other_value(const spc_triplets *triplets, const place *all, int64_t count) {
    int64_t entry = -1;
    for (int64_t k = 1; k < count; k++)
        if (same_place(&all[k], &all[k - 1]) && (entry < 0 || all[k].entry < entry) &&
            value_of(triplets, all[k].entry) != value_of(triplets, all[k - 1].entry))
            entry = all[k].entry;
    return entry;
}

/* Values are read at `entry`, which may be before or behind where they go: they are copied first.
 */
static sparcl_status keep_first(spc_triplets *triplets, const place *all, int64_t count,
                                const sparcl_allocator *allocator, sparcl_error *error) {
    int64_t *const rows = triplets->rows.at, *const columns = triplets->columns.at;
    spc_array kept = {0};
    int64_t into = 0;
    SPC_TRY(spc_array_reserve(&kept, triplets->values.used, allocator, error));
    for (int64_t k = 0; k < count; k++) {
        if (k > 0 && same_place(&all[k], &all[k - 1])) continue;
        if (triplets->values.used > 0) ((float *)kept.at)[into] = value_of(triplets, all[k].entry);
        rows[into] = all[k].row;
        columns[into++] = all[k].column;
    }
    if (triplets->values.used > 0) kept.used = (size_t)into * sizeof(float);
    spc_array_free(&triplets->values, allocator);
    triplets->values = kept;
    triplets->rows.used = triplets->columns.used = (size_t)into * sizeof *rows;
    return SPARCL_OK;
}

sparcl_status spc_triplets_unite(spc_triplets *triplets, const sparcl_allocator *allocator,
                                 int64_t *entry, sparcl_error *error) {
    const int64_t count = spc_triplets_count(triplets);
    place *all = NULL;
    SPC_TRY(sort_places(triplets, allocator, &all, error));
    *entry = find_other_value(triplets, all, count);
    const sparcl_status status =
        *entry < 0 ? keep_first(triplets, all, count, allocator, error) : SPARCL_OK;
    spc_free(allocator, all, ((size_t)count + 1) * sizeof *all);
    return status;
}
