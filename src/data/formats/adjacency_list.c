/* adjacency_list.c: reads adjacency lists: the first number of a line is a row, the others its
 * columns.
 */
#include <inttypes.h>

#include "base/error.h"
#include "base/size.h"
#include "data/formats/id_pairs.h"
#include "data/formats/readers.h"
#include "data/formats/triplets.h"
#include "data/io/words.h"

typedef struct lists {
    sparcl_data *data;
    spc_lines lines;
    spc_triplets triplets;
    int64_t max_row, max_column;
} lists;

static const char form[] = "a line is \"row column column ...\", with whole numbers";

static sparcl_status read_list(lists *l) {
    const char *at = spc_skip_blanks(l->lines.line);
    int64_t row = 0, column = 0;
    SPC_TRY(spc_id_read(&l->lines, &at, form, &row));
    l->max_row = spc_max_i64(l->max_row, row);
    for (at = spc_skip_blanks(at); !spc_at_line_end(at); at = spc_skip_blanks(at)) {
        SPC_TRY(spc_id_read(&l->lines, &at, form, &column));
        l->max_column = spc_max_i64(l->max_column, column);
        SPC_TRY(
            spc_triplets_add(&l->triplets, row, column, 1, &l->data->allocator, l->lines.error));
    }
    return SPARCL_OK;
}

static sparcl_status set_shape(lists *l, const sparcl_data_desc *desc) {
    sparcl_data_info *const info = &l->data->info;
    const int64_t most = spc_rows_max(spc_triplets_count(&l->triplets));
    info->rows = l->max_row + 1;
    info->columns = spc_max_i64(l->max_column + 1, desc->columns);
    if (desc->columns > 0 && info->columns > desc->columns && !desc->widen)
        return spc_fail(l->lines.error, SPARCL_E_FORMAT,
                        "%s: expected columns up to %" PRId64 ", found %" PRId64 "; %" PRId64
                        " columns were requested",
                        l->data->name, desc->columns - 1, l->max_column, desc->columns);
    if (info->rows <= most) return SPARCL_OK;
    return spc_fail(l->lines.error, SPARCL_E_FORMAT,
                    "%s: expected at most %" PRId64 " rows for %" PRId64 " entries, found row "
                    "%" PRId64 "; number the rows from 0",
                    l->data->name, most, spc_triplets_count(&l->triplets), l->max_row);
}

static sparcl_status build(lists *l, const sparcl_data_desc *desc) {
    int64_t entry = 0;
    for (bool any = true; any;) {
        SPC_TRY(spc_lines_next_row(&l->lines, "#%", &any));
        if (any) SPC_TRY(read_list(l));
    }
    if (l->max_row < 0) return spc_lines_refuse(&l->lines, NULL, form, "use another file");
    SPC_TRY(set_shape(l, desc));
    SPC_TRY(spc_triplets_to_rows(&l->triplets, l->data, l->lines.error));
    if (!desc->strict || l->data->info.duplicates == 0) return SPARCL_OK;
    SPC_TRY(spc_triplets_find_repeat(&l->triplets, &l->data->allocator, &entry, l->lines.error));
    return spc_fail(l->lines.error, SPARCL_E_FORMAT,
                    "%s: expected every entry once, found column %" PRId64 " of row %" PRId64
                    " again; remove it",
                    l->data->name, ((const int64_t *)l->triplets.columns.at)[entry],
                    ((const int64_t *)l->triplets.rows.at)[entry]);
}

sparcl_status spc_adjacency_read(sparcl_data *data, spc_input *input, const sparcl_data_desc *desc,
                                 sparcl_error *error) {
    lists l = {.data = data, .lines = spc_lines_of(input, error), .max_row = -1, .max_column = -1};
    SPC_TRY(spc_refuse_base_1(input, desc, "an adjacency list", error));
    data->bad_column = -1;
    const sparcl_status status = build(&l, desc);
    spc_triplets_free(&l.triplets, &data->allocator);
    spc_lines_free(&l.lines);
    return status;
}
