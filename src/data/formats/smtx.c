/* smtx.c: reads .smtx files, the pattern of pruned weights: a line with rows, columns and entries,
 * then the row offsets, then the column indices. */
#include <inttypes.h>

#include "base/error.h"
#include "base/size.h"
#include "data/formats/readers.h"
#include "data/io/lines.h"
#include "data/io/words.h"
#include "data/set/row_order.h"

typedef struct smtx {
    sparcl_data *data;
    spc_lines lines;
    const char *at; /* in the line; NULL before the first */
} smtx;

static const char form[] =
    "the file is \"rows, columns, entries\", a line of offsets, a line of indices";

/* The next number, which may stand in a later line. */
static sparcl_status read_number(smtx *s, const char *what, const char **begin, int64_t *value) {
    bool any = true;
    s->at = s->at ? spc_skip_blanks(s->at) : NULL;
    if (s->at && *s->at == ',') s->at = spc_skip_blanks(s->at + 1);
    while (!s->at || spc_at_line_end(s->at)) {
        SPC_TRY(spc_lines_next(&s->lines, &any));
        if (!any)
            return spc_lines_refuse(&s->lines, NULL, what, "the file is truncated: fetch it again");
        s->at = spc_skip_blanks(s->lines.line);
    }
    *begin = s->at;
    if (spc_read_count(&s->at, value) &&
        (spc_is_blank(*s->at) || *s->at == ',' || spc_at_line_end(s->at)))
        return SPARCL_OK;
    return spc_lines_refuse(&s->lines, *begin, what, form);
}

static sparcl_status read_size(smtx *s, const sparcl_data_desc *desc) {
    sparcl_data_info *const info = &s->data->info;
    const char *begin = NULL;
    SPC_TRY(read_number(s, "a number of rows", &begin, &info->rows));
    SPC_TRY(read_number(s, "a number of columns", &begin, &info->columns));
    if (desc->columns > 0 && info->columns > desc->columns && !desc->widen)
        return spc_lines_refuse_why(&s->lines, begin,
                                    "expected at most %" PRId64 " columns, found %" PRId64
                                    "; %" PRId64 " columns were requested",
                                    desc->columns, info->columns, desc->columns);
    SPC_TRY(read_number(s, "a number of entries", &begin, &info->nnz));
    s->at = spc_skip_blanks(s->at);
    if (spc_at_line_end(s->at)) return SPARCL_OK;
    return spc_lines_refuse(&s->lines, s->at, "the end of the first line", form);
}

static sparcl_status read_offsets(smtx *s) {
    const int64_t rows = s->data->info.rows, nnz = s->data->info.nnz;
    int64_t before = 0;
    for (int64_t i = 0; i <= rows; i++) {
        const char *begin = NULL;
        int64_t offset = 0;
        SPC_TRY(read_number(s, "a row offset", &begin, &offset));
        const int64_t least = i == rows ? nnz : before, most = i == 0 ? 0 : nnz;
        if (offset < least || offset > most)
            return spc_lines_refuse_why(&s->lines, begin,
                                        "expected an offset from %" PRId64 " to %" PRId64
                                        ", found %" PRId64 "; %s",
                                        least, most, offset, form);
        before = offset;
        SPC_TRY(spc_array_add(&s->data->offsets, &offset, sizeof offset, &s->data->allocator,
                              s->lines.error));
    }
    return SPARCL_OK;
}

static sparcl_status add_entry(smtx *s, int64_t column) {
    sparcl_data *const data = s->data;
    const int32_t narrow = (int32_t)column;
    const float one = 1;
    data->info.min_index =
        data->info.max_index < 0 ? column : spc_min_i64(data->info.min_index, column);
    data->info.max_index = spc_max_i64(data->info.max_index, column);
    SPC_TRY(data->index_type == SPARCL_INDEX64
                ? spc_array_add(&data->indices, &column, sizeof column, &data->allocator,
                                s->lines.error)
                : spc_array_add(&data->indices, &narrow, sizeof narrow, &data->allocator,
                                s->lines.error));
    return spc_array_add(&data->values, &one, sizeof one, &data->allocator, s->lines.error);
}

static sparcl_status read_indices(smtx *s) {
    const sparcl_data_info *const info = &s->data->info;
    for (int64_t k = 0; k < info->nnz; k++) {
        const char *begin = NULL;
        int64_t column = 0;
        SPC_TRY(read_number(s, "a column index", &begin, &column));
        if (column >= info->columns)
            return spc_lines_refuse_why(&s->lines, begin,
                                        "expected a column index below %" PRId64 ", found %" PRId64
                                        "; correct it or the first line",
                                        info->columns, column);
        SPC_TRY(add_entry(s, column));
    }
    bool any = true;
    while (any && spc_at_line_end(spc_skip_blanks(s->at))) {
        SPC_TRY(spc_lines_next(&s->lines, &any));
        s->at = s->lines.line;
    }
    if (!any) return SPARCL_OK;
    return spc_lines_refuse(&s->lines, spc_skip_blanks(s->at), "the end of the file", form);
}

static sparcl_status build(smtx *s, const sparcl_data_desc *desc) {
    sparcl_data *const data = s->data;
    SPC_TRY(read_size(s, desc));
    const int64_t width = spc_max_i64(data->info.columns, desc->columns);
    data->index_type = width > INT32_MAX ? SPARCL_INDEX64 : SPARCL_INDEX32;
    data->info.min_index = data->info.max_index = -1;
    SPC_TRY(read_offsets(s));
    SPC_TRY(read_indices(s));
    data->info.columns = width;
    data->info.entries = data->info.nnz;
    if (!desc->strict) return spc_rows_order(data, NULL, s->lines.error);
    spc_disorder first;
    SPC_TRY(spc_rows_order(data, &first, s->lines.error));
    if (first.entry < 0) return SPARCL_OK;
    return spc_fail(s->lines.error, SPARCL_E_FORMAT,
                    "%s: expected ascending indices in row %" PRId64 ", found %" PRId64
                    " after %" PRId64 "; sort the row",
                    data->name, first.row, spc_data_index(data, first.entry),
                    spc_data_index(data, first.entry - 1));
}

sparcl_status spc_smtx_read(sparcl_data *data, spc_input *input, const sparcl_data_desc *desc,
                            sparcl_error *error) {
    smtx s = {.data = data, .lines = spc_lines_of(input, error)};
    SPC_TRY(spc_refuse_base_1(input, desc, "a .smtx file", error));
    data->bad_column = -1;
    const sparcl_status status = build(&s, desc);
    spc_lines_free(&s.lines);
    return status;
}
