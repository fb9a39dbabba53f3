/* matrix_ids.c: ids as the columns of a matrix file, which says how it was made of them. */
#include "data/set/matrix_ids.h"

#include <inttypes.h>
#include <stdio.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/error.h"
#include "base/size.h"
#include "data/set/id_columns.h"
#include "data/set/id_hash.h"
#include "data/set/ids.h"
#include "data/set/row_order.h"

void spc_column_mark(char mark[SPC_MARK_BYTES], int hash_bits, const int64_t *ids, int64_t count) {
    mark[0] = '\0';
    if (hash_bits > 0) snprintf(mark, SPC_MARK_BYTES, "hash_bits %d", hash_bits);
    if (ids)
        snprintf(mark, SPC_MARK_BYTES, "ids %016" PRIx64,
                 (uint64_t)XXH3_64bits(ids, (size_t)count * sizeof *ids));
}

void spc_data_mark(const sparcl_data *data, char mark[SPC_MARK_BYTES]) {
    const sparcl_data_info *const info = &data->info;
    spc_column_mark(mark, info->hashed_ids ? info->hash_bits : 0,
                    info->id_count > 0 ? data->column_ids.at : NULL, info->id_count);
}

static bool has_ids(const sparcl_data_desc *desc) {
    return desc->hash_bits > 0 || desc->compact_ids || desc->feature_ids || desc->ids;
}

sparcl_data_desc spc_matrix_desc(const sparcl_data_desc *desc) {
    sparcl_data_desc plain = *desc;
    if (!has_ids(desc)) return plain;
    plain.columns = 0; /* of ids, not of the file */
    if (plain.index_base == SPARCL_BASE_0) plain.index_base = SPARCL_BASE_AUTO;
    return plain;
}

/* ---- ids that are columns already ----------------------------------------------------------- */

/* A model that is trained with them keeps the bits. */
static void take_mark(sparcl_data *data) {
    int bits = 0;
    char end;
    if (sscanf(data->mark, "hash_bits %d%c", &bits, &end) != 1 || bits < 1 ||
        bits > SPARCL_HASH_BITS_MAX || data->info.columns < (int64_t)1 << bits)
        return;
    data->info.hash_bits = bits;
    data->info.hashed_ids = 1;
    data->info.index_base = 0;
}

static sparcl_status accept(sparcl_data *data, const sparcl_data_desc *desc, const char *wanted,
                            sparcl_error *error) {
    const int64_t count = spc_ids_count(&data->column_ids);
    if (!wanted[0] || strcmp(data->mark, wanted) != 0)
        return spc_fail(
            error, SPARCL_E_FORMAT,
            "%s: expected columns made of ids as %s says, found a file that was "
            "converted with \"%s\"; convert its source with the hash bits or the map of "
            "the model, or give the source itself",
            data->name, wanted[0] ? wanted : "the request", data->mark);
    take_mark(data);
    data->info.index_base = 0;
    data->info.id_count = count;
    data->info.columns = spc_max_i64(data->info.columns, desc->columns);
    return SPARCL_OK;
}

/* ---- columns that are ids, from 0 whatever the format counts from
 * ------------------------------------------------------------------- */

/* A file as narrow as what ids become may have been made of them, by an earlier version. */
static sparcl_status check_unmarked(const sparcl_data *data, int64_t width, sparcl_error *error) {
    if (data->info.columns > width) return SPARCL_OK;
    return spc_fail(
        error, SPARCL_E_FORMAT,
        "%s: expected columns that are ids, more than the %" PRId64
        " that they become, found %" PRId64
        ", which may be made of ids already; convert its source again, which writes how "
        "it was made",
        data->name, width, data->info.columns);
}

static sparcl_status check_width(const sparcl_data *data, int64_t width,
                                 const sparcl_data_desc *desc, sparcl_error *error) {
    if (desc->columns == 0 || width <= desc->columns || desc->widen) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_FORMAT,
                    "%s: expected at most %" PRId64 " columns, found ids that become %" PRId64
                    "; use fewer --hash-bits, or --widen",
                    data->name, desc->columns, width);
}

/* Sorted anew, which is no repair; entries of the same column are added, and duplicates. */
static sparcl_status order(sparcl_data *data, sparcl_error *error) {
    sparcl_data_info *const info = &data->info;
    const int64_t unsorted = info->unsorted_rows, stored = info->nnz, before = info->duplicates;
    info->nnz = info->entries;
    SPC_TRY(spc_rows_order(data, NULL, error));
    info->unsorted_rows = unsorted;
    info->duplicates += before;
    info->nnz = stored;
    return SPARCL_OK;
}

static sparcl_status hash(sparcl_data *data, const sparcl_data_desc *desc, sparcl_error *error) {
    const int64_t width = (int64_t)1 << desc->hash_bits;
    SPC_TRY(check_unmarked(data, width, error));
    SPC_TRY(check_width(data, width, desc, error));
    for (int64_t k = 0; k < data->info.entries; k++)
        spc_data_set_index(
            data, k,
            (int64_t)(spc_hash_id((uint64_t)spc_data_index(data, k)) & (uint64_t)(width - 1)));
    data->info.columns = spc_max_i64(width, desc->columns);
    data->info.hash_bits = desc->hash_bits;
    data->info.hashed_ids = 1;
    data->info.shared_columns = -1;
    return order(data, error);
}

/* Entries of other ids are left out. */
static void keep_known(sparcl_data *data, const spc_id_table *table) {
    int64_t *const offsets = data->offsets.at;
    float *const values = data->values.at;
    int64_t kept = 0, k = 0;
    for (int64_t row = 0; row < data->info.rows; row++) {
        for (; k < offsets[row + 1]; k++) {
            const int64_t column = spc_id_table_find(table, spc_data_index(data, k));
            if (column < 0) continue;
            spc_data_set_index(data, kept, column);
            values[kept++] = values[k];
        }
        offsets[row + 1] = kept;
    }
    data->info.unknown_ids = data->info.entries - kept;
    data->info.nnz -= data->info.unknown_ids;
    data->info.entries = kept;
    data->indices.used = (size_t)kept * sparcl_itype_size(data->index_type);
    data->values.used = (size_t)kept * sizeof *values;
}

static sparcl_status find_known(sparcl_data *data, const sparcl_data_desc *desc,
                                sparcl_error *error) {
    const int64_t count = spc_ids_count(&data->column_ids);
    spc_id_table table = {.count = 0};
    sparcl_status status;
    SPC_TRY(check_unmarked(data, count, error));
    SPC_TRY(check_width(data, count, desc, error));
    SPC_GO(spc_id_table_of(&table, data->column_ids.at, count, &data->allocator, error));
    keep_known(data, &table);
    data->info.id_count = count;
    data->info.columns = spc_max_i64(count, desc->columns);
done:
    spc_id_table_free(&table, &data->allocator);
    return status;
}

/* Indices of 32 bits where the columns allow it. */
static void narrow(sparcl_data *data) {
    int32_t *const to = data->indices.at;
    if (data->index_type == SPARCL_INDEX32 || data->info.columns > INT32_MAX) return;
    for (int64_t k = 0; k < data->info.entries; k++)
        to[k] = (int32_t)spc_data_index(data, k);
    data->index_type = SPARCL_INDEX32;
    data->indices.used = (size_t)data->info.entries * sizeof *to;
}

sparcl_status spc_matrix_ids(sparcl_data *data, const sparcl_data_desc *desc, sparcl_error *error) {
    const bool known = desc->feature_ids || desc->ids;
    char wanted[SPC_MARK_BYTES];
    if (!has_ids(desc)) {
        take_mark(data);
        return SPARCL_OK;
    }
    if (known) SPC_TRY(spc_id_columns_take(data, desc, error));
    spc_column_mark(wanted, desc->hash_bits, known ? data->column_ids.at : NULL,
                    spc_ids_count(&data->column_ids));
    if (data->mark[0]) return accept(data, desc, wanted, error);
    if (data->index_type == SPARCL_INDEX32) SPC_TRY(spc_data_widen(data, error));
    SPC_TRY(desc->hash_bits > 0 ? hash(data, desc, error)
            : known             ? find_known(data, desc, error)
                                : spc_id_columns_number(data, desc, error));
    data->info.index_base = 0;
    narrow(data);
    return SPARCL_OK;
}
