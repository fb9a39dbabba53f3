/* mtx.c: reads Matrix Market files. */
#include "data/mtx.h"

#include <inttypes.h>
#include <math.h>

#include "base/error.h"
#include "base/size.h"
#include "data/line_marks.h"
#include "data/mtxhead.h"
#include "data/number.h"
#include "data/words.h"

typedef struct reader {
    sparcl_data *data;
    spc_lines lines;
    spc_mtx_head head;
    spc_triplets triplets;
    spc_array marks; /* spc_line_mark: of entries, not of rows; to lines from 1 */
    int64_t entries; /* lines that had an entry */
} reader;

static const char again[] = "the file is truncated: fetch or save it again";

static sparcl_status read_index(reader *r, const char **at, int64_t most, const char *what,
                                int64_t *index) {
    const char *const begin = *at;
    if (!spc_read_count(at, index) || !spc_ends_word(**at))
        return spc_lines_refuse(&r->lines, begin, what, "an entry is \"row column value\"");
    if (*index >= 1 && *index <= most) return SPARCL_OK;
    return spc_lines_refuse_why(&r->lines, begin,
                                "expected %s from 1 to %" PRId64 ", found %" PRId64
                                "; correct the entry or the size",
                                what, most, *index);
}

/* A value of an integer matrix, and of the type that a comment names. */
static sparcl_status check_integer(reader *r, const char *begin, const char *end) {
    const spc_mtx_type *const type = r->head.type;
    const char *at = begin + (*begin == '-' || *begin == '+');
    double value = 0;
    while (*at >= '0' && *at <= '9')
        at++;
    if (at != end)
        return spc_lines_refuse(&r->lines, begin, "a whole number in an integer matrix",
                                "write real in the banner");
    if (!type) return SPARCL_OK;
    at = begin;
    (void)spc_read_f64(&at, &value);
    if (value >= type->least && value <= type->most) return SPARCL_OK;
    return spc_lines_refuse_why(
        &r->lines, begin, "expected a value of the type %s, found %.*s; correct it or the type",
        type->name, (int)(end - begin < 32 ? end - begin : 32), begin);
}

static sparcl_status read_value(reader *r, const char **at, float *value) {
    const char *const begin = *at;
    const spc_number result = spc_read_f32(at, value);
    if (result == SPC_NUMBER_RANGE)
        return spc_lines_refuse(&r->lines, begin,
                                "a number in the range of a 32-bit float, up to 3.4e38",
                                "scale the matrix");
    if (result == SPC_NUMBER_NONE || !spc_ends_word(**at))
        return spc_lines_refuse(&r->lines, begin, "a value, a decimal number",
                                "write values as decimal numbers, such as -1.5e-3");
    if (r->head.field == SPC_MTX_INTEGER && isfinite(*value)) SPC_TRY(check_integer(r, begin, *at));
    if (!isfinite(*value) && r->data->bad_line == 0) {
        r->data->bad_line = r->lines.number;
        r->data->bad_column = begin - r->lines.line + 1;
    }
    return SPARCL_OK;
}

static sparcl_status end_line(const reader *r, const char *at) {
    at = spc_skip_blanks(at);
    if (spc_at_line_end(at) || *at == '%') return SPARCL_OK;
    return spc_lines_refuse(&r->lines, at, "the end of the line",
                            r->head.array ? "an array has one value on a line"
                            : r->head.field == SPC_MTX_PATTERN
                                ? "an entry of a pattern is \"row column\""
                                : "an entry is \"row column value\"");
}

static sparcl_status read_entry(reader *r) {
    const char *at = spc_skip_blanks(r->lines.line);
    const char *const begin = at;
    int64_t row = 0, column = 0;
    float value = 1;
    SPC_TRY(read_index(r, &at, r->head.rows, "a row", &row));
    at = spc_skip_blanks(at);
    SPC_TRY(read_index(r, &at, r->head.columns, "a column", &column));
    at = spc_skip_blanks(at);
    if (r->head.field != SPC_MTX_PATTERN) SPC_TRY(read_value(r, &at, &value));
    SPC_TRY(end_line(r, at));
    if (r->head.mirror == SPC_MIRROR_NEGATED && row == column)
        return spc_lines_refuse(&r->lines, begin, "no entry on the diagonal",
                                "the diagonal of a skew-symmetric matrix is zero; remove it");
    SPC_TRY(spc_line_marks_add(&r->marks, r->entries, r->lines.number, &r->data->allocator,
                               r->lines.error));
    return spc_triplets_add(&r->triplets, row - 1, column - 1, value, &r->data->allocator,
                            r->lines.error);
}

/* Value number `entry` of an array: column after column, of a triangle from the diagonal down. */
typedef struct position {
    int64_t row, column;
} position;

static void advance(const reader *r, position *p) {
    static const int64_t first[] = {[SPC_MIRROR_SAME] = 0, [SPC_MIRROR_NEGATED] = 1};
    if (++p->row < r->head.rows) return;
    p->column++;
    p->row = r->head.mirror == SPC_MIRROR_NONE ? 0 : p->column + first[r->head.mirror];
}

static sparcl_status read_element(reader *r, position *p) {
    const char *at = spc_skip_blanks(r->lines.line);
    float value = 0;
    SPC_TRY(read_value(r, &at, &value));
    SPC_TRY(end_line(r, at));
    if (value != 0)
        SPC_TRY(spc_triplets_add(&r->triplets, p->row, p->column, value, &r->data->allocator,
                                 r->lines.error));
    advance(r, p);
    return SPARCL_OK;
}

static sparcl_status read_entries(reader *r) {
    position p = {r->head.mirror == SPC_MIRROR_NEGATED, 0};
    bool any = false;
    for (; r->entries < r->head.stored; r->entries++) {
        SPC_TRY(spc_lines_next_row(&r->lines, "%", &any));
        if (!any)
            return spc_lines_refuse_why(&r->lines, NULL,
                                        "expected %" PRId64 " entries, found %" PRId64 "; %s",
                                        r->head.stored, r->entries, again);
        SPC_TRY(r->head.array ? read_element(r, &p) : read_entry(r));
    }
    SPC_TRY(spc_lines_next_row(&r->lines, "%", &any));
    if (!any) return SPARCL_OK;
    return spc_lines_refuse_why(&r->lines, r->lines.line,
                                "expected %" PRId64
                                " entries, found more; correct the size, or remove this line",
                                r->head.stored);
}

/* A file must not name an entry twice, says the format. */
static sparcl_status refuse_repeat(const reader *r) {
    int64_t entry = 0;
    SPC_TRY(spc_triplets_find_repeat(&r->triplets, &r->data->allocator, &entry, r->lines.error));
    return spc_fail(r->lines.error, SPARCL_E_FORMAT,
                    "%s:%" PRId64 ":1: expected every entry once%s, found row %" PRId64
                    ", column %" PRId64 " again; remove it, or save the matrix again with "
                    "scipy.io.mmwrite after sum_duplicates()",
                    r->data->name, spc_line_marks_find(&r->marks, entry),
                    r->head.mirror == SPC_MIRROR_NONE ? "" : ", in one triangle",
                    ((const int64_t *)r->triplets.rows.at)[entry] + 1,
                    ((const int64_t *)r->triplets.columns.at)[entry] + 1);
}

static sparcl_status check_rows(const reader *r) {
    const int64_t most = spc_rows_max(spc_triplets_count(&r->triplets));
    if (r->head.rows <= most) return SPARCL_OK;
    return spc_fail(r->lines.error, SPARCL_E_FORMAT,
                    "%s: expected at most %" PRId64 " rows for %" PRId64 " entries, found %" PRId64
                    "; keep only the rows that have entries",
                    r->data->name, most, spc_triplets_count(&r->triplets), r->head.rows);
}

static sparcl_status read_matrix(reader *r, const sparcl_data_desc *desc) {
    sparcl_data_info *const info = &r->data->info;
    SPC_TRY(spc_mtx_read_head(&r->lines, &r->head, desc));
    SPC_TRY(read_entries(r));
    SPC_TRY(check_rows(r));
    info->rows = r->head.rows;
    info->columns = spc_max_i64(r->head.columns, desc->columns);
    info->index_base = 1;
    r->triplets.mirror = r->head.mirror;
    SPC_TRY(spc_triplets_to_rows(&r->triplets, r->data, r->lines.error));
    if (info->duplicates > 0) return refuse_repeat(r);
    if (info->nnz > 0) info->min_index++;
    if (info->nnz > 0) info->max_index++;
    return SPARCL_OK;
}

sparcl_status spc_mtx_read(sparcl_data *data, spc_input *input, const sparcl_data_desc *desc,
                           sparcl_error *error) {
    reader r = {.data = data, .lines = spc_lines_of(input, error)};
    if (desc->index_base == SPARCL_BASE_0)
        return spc_fail(error, SPARCL_E_FORMAT,
                        "%s: expected indices from 0, as requested, found a Matrix Market file, "
                        "whose indices count from 1; read it without an index base",
                        input->raw.name);
    data->bad_column = -1;
    const sparcl_status status = read_matrix(&r, desc);
    spc_triplets_free(&r.triplets, &data->allocator);
    spc_array_free(&r.marks, &data->allocator);
    spc_lines_free(&r.lines);
    return status;
}
