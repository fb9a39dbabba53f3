/* ids.c: numbers ids of any size from 0, in ascending order; reads and writes them as a map file.
 */
#include "data/set/ids.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "data/io/lines.h"
#include "data/io/words.h"

static int compare(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* True when a table of all ids up to the largest takes little more memory than the ids. */
static bool are_dense(int64_t largest, int64_t count) {
    enum { SOME = 1 << 16, FACTOR = 4 };
    return largest / FACTOR < count + SOME / FACTOR && count < INT32_MAX && largest < INT32_MAX;
}

/* The different ids in ascending order, by marking each in a table. */
static sparcl_status collect_marked(spc_array *all, const spc_array *const *arrays, int count,
                                    int64_t largest, const sparcl_allocator *allocator,
                                    sparcl_error *error) {
    const size_t marks = (size_t)largest + 1;
    spc_array table = {0};
    SPC_TRY(spc_array_reserve(&table, marks, allocator, error));
    char *const seen = table.at;
    int64_t different = 0;
    memset(seen, 0, marks);
    for (int a = 0; a < count; a++) {
        const int64_t *const ids = arrays[a]->at;
        for (int64_t i = 0; i < spc_ids_count(arrays[a]); i++)
            seen[ids[i]] = 1;
    }
    for (size_t id = 0; id < marks; id++)
        different += seen[id];
    const sparcl_status status =
        spc_array_reserve(all, (size_t)different * sizeof(int64_t), allocator, error);
    for (int64_t id = 0; status == SPARCL_OK && id <= largest; id++) {
        if (!seen[id]) continue;
        ((int64_t *)all->at)[spc_ids_count(all)] = id;
        all->used += sizeof id;
    }
    spc_array_free(&table, allocator);
    return status;
}

static sparcl_status collect_sorted(spc_array *all, const spc_array *const *arrays, int count,
                                    const sparcl_allocator *allocator, sparcl_error *error) {
    for (int a = 0; a < count; a++)
        SPC_TRY(spc_array_add(all, arrays[a]->at, arrays[a]->used, allocator, error));
    int64_t *const ids = all->at;
    const size_t total = all->used / sizeof *ids;
    size_t kept = 0;
    qsort(ids, total, sizeof *ids, compare);
    for (size_t i = 0; i < total; i++)
        if (i == 0 || ids[i] != ids[i - 1]) ids[kept++] = ids[i];
    all->used = kept * sizeof *ids;
    spc_array_fit(all, allocator);
    return SPARCL_OK;
}

sparcl_status spc_ids_collect(spc_array *all, const spc_array *const *arrays, int count,
                              const sparcl_allocator *allocator, sparcl_error *error) {
    int64_t largest = 0, total = 0;
    for (int a = 0; a < count; a++) {
        const int64_t *const ids = arrays[a]->at;
        for (int64_t i = 0; i < spc_ids_count(arrays[a]); i++)
            largest = ids[i] > largest ? ids[i] : largest;
        total += spc_ids_count(arrays[a]);
    }
    if (are_dense(largest, total) && total > 0)
        return collect_marked(all, arrays, count, largest, allocator, error);
    return collect_sorted(all, arrays, count, allocator, error);
}

sparcl_status spc_id_index_create(spc_id_index *index, const spc_array *all, int64_t questions,
                                  const sparcl_allocator *allocator, sparcl_error *error) {
    const int64_t *const ids = all->at, count = spc_ids_count(all);
    *index = (spc_id_index){.all = all};
    if (count == 0 || !are_dense(ids[count - 1], questions)) return SPARCL_OK;
    const size_t bytes = ((size_t)ids[count - 1] + 1) * sizeof(int32_t);
    SPC_TRY(spc_array_reserve(&index->numbers, bytes, allocator, error));
    memset(index->numbers.at, 0xff, bytes); /* -1 */
    index->numbers.used = bytes;
    for (int64_t i = 0; i < count; i++)
        ((int32_t *)index->numbers.at)[ids[i]] = (int32_t)i;
    return SPARCL_OK;
}

int64_t spc_id_index_find(const spc_id_index *index, int64_t id) {
    const spc_array *const all = index->all;
    const int32_t *const numbers = index->numbers.at;
    if (numbers) return id < (int64_t)(index->numbers.used / sizeof *numbers) ? numbers[id] : -1;
    if (all->used == 0) return -1;
    const int64_t *const ids = all->at;
    const int64_t *const found = bsearch(&id, ids, all->used / sizeof *ids, sizeof *ids, compare);
    return found ? found - ids : -1;
}

static const char *const kind_names[SPC_ID_KINDS] = {"node", "user", "item", "feature"};

/* A line "kind TAB id". */
static sparcl_status read_line(const spc_lines *lines, spc_array kinds[SPC_ID_KINDS],
                               const sparcl_allocator *allocator) {
    static const char remedy[] = "write the map with 'sparcl inspect --save-ids'";
    const char *const tab = memchr(lines->line, '\t', (size_t)(lines->end - lines->line));
    const size_t length = tab ? (size_t)(tab - lines->line) : 0;
    for (int k = 0; k < SPC_ID_KINDS; k++) {
        if (!spc_same_word(lines->line, length, kind_names[k])) continue;
        const char *at = tab + 1;
        const spc_array *const ids = &kinds[k];
        int64_t id = 0;
        if (!spc_read_count(&at, &id) || !spc_at_line_end(at))
            return spc_lines_refuse(lines, tab + 1, "an id, a whole number", remedy);
        if (ids->used > 0 && id <= ((const int64_t *)ids->at)[ids->used / sizeof id - 1])
            return spc_lines_refuse(lines, tab + 1, "ids in ascending order", remedy);
        return spc_array_add(&kinds[k], &id, sizeof id, allocator, lines->error);
    }
    return spc_lines_refuse(lines, lines->line, "node, user, item or feature, a tab, and an id",
                            remedy);
}

sparcl_status spc_ids_read(spc_array kinds[SPC_ID_KINDS], const char *path,
                           const sparcl_allocator *allocator, sparcl_error *error) {
    spc_input input;
    sparcl_status status = spc_input_open(&input, path, allocator, error);
    bool skipped = false;
    if (status == SPARCL_OK) status = spc_input_begin_text(&input, &skipped, error);
    spc_lines lines = spc_lines_of(&input, error);
    bool any = status == SPARCL_OK;
    while (any) {
        SPC_GO(spc_lines_next_row(&lines, "#", &any));
        if (any) SPC_GO(read_line(&lines, kinds, allocator));
    }
done:
    spc_lines_free(&lines);
    spc_input_close(&input);
    return status;
}

static sparcl_status check_kind(const spc_array *ids, spc_id_kind kind, const char *path,
                                sparcl_error *error) {
    if (kind == SPC_ID_KINDS || ids->used > 0) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_FORMAT,
                    "%s: expected lines \"%s TAB id\", found none; write the map with 'sparcl "
                    "inspect %s--save-ids'",
                    path, kind_names[kind],
                    kind == SPC_ID_NODE || kind == SPC_ID_FEATURE ? "--compact-ids " : "");
}

sparcl_status spc_ids_take_map(sparcl_data *data, const char *path, spc_id_kind rows,
                               spc_id_kind columns, sparcl_error *error) {
    spc_array kinds[SPC_ID_KINDS + 1] = {{0}};
    const sparcl_status status = spc_ids_read(kinds, path, &data->allocator, error);
    data->row_ids = kinds[rows];
    data->column_ids = kinds[columns];
    kinds[rows] = kinds[columns] = (spc_array){0};
    for (int k = 0; k < SPC_ID_KINDS; k++)
        spc_array_free(&kinds[k], &data->allocator);
    SPC_TRY(status);
    SPC_TRY(check_kind(&data->row_ids, rows, path, error));
    return check_kind(&data->column_ids, columns, path, error);
}

sparcl_known_ids sparcl_data_known_ids(const sparcl_data *data) {
    const sparcl_data_info *const info = &data->info;
    if (data->row_ids.used == 0) return (sparcl_known_ids){.users = NULL};
    if (info->users > 0)
        return (sparcl_known_ids){.users = data->row_ids.at,
                                  .user_count = info->users,
                                  .items = data->column_ids.at,
                                  .item_count = info->items};
    return (sparcl_known_ids){
        .nodes = data->row_ids.at,
        .node_count = (int64_t)(data->row_ids.used / sizeof(int64_t)),
    };
}

static sparcl_status add_kind(const sparcl_data *data, spc_array *text, const char *kind,
                              const spc_array *ids, sparcl_error *error) {
    char line[64];
    for (int64_t i = 0; i < spc_ids_count(ids); i++) {
        const int length =
            snprintf(line, sizeof line, "%s\t%" PRId64 "\n", kind, ((const int64_t *)ids->at)[i]);
        SPC_TRY(spc_array_add(text, line, (size_t)length, &data->allocator, error));
    }
    return SPARCL_OK;
}

sparcl_status sparcl_data_save_ids(const sparcl_data *data, const char *path, sparcl_error *error) {
    spc_array text = {0};
    sparcl_status status = SPARCL_OK;
    if (!data || !path) return spc_fail(error, SPARCL_E_ARG, "save_ids: data or path is NULL");
    if (data->row_ids.used + data->column_ids.used == 0)
        return spc_fail(error, SPARCL_E_ARG,
                        "save_ids: the data has no ids, expected ratings, or edges or text with "
                        "indices, with compact_ids");
    const bool ratings = data->info.users > 0, features = data->info.id_count > 0;
    SPC_GO(add_kind(data, &text, kind_names[ratings ? SPC_ID_USER : SPC_ID_NODE], &data->row_ids,
                    error));
    SPC_GO(add_kind(data, &text, kind_names[features ? SPC_ID_FEATURE : SPC_ID_ITEM],
                    &data->column_ids, error));
    const spc_bytes part = {text.at, text.used};
    status = spc_file_write(path, &part, 1, error);
done:
    spc_array_free(&text, &data->allocator);
    return status;
}
