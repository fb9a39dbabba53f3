/* mtx.c: reads Matrix Market files. */
#include <inttypes.h>
#include <math.h>

#include "base/error.h"
#include "base/size.h"
#include "data/formats/block_pairs.h"
#include "data/formats/mtx_head.h"
#include "data/formats/readers.h"
#include "data/io/block_reader.h"
#include "data/io/line_marks.h"
#include "data/io/number.h"
#include "data/io/words.h"

typedef struct reader {
    sparcl_data *data;
    sparcl_error *error;
    spc_mtx_head head;
    spc_triplets triplets;
    spc_array marks;     /* spc_line_mark: of entries, not of rows; to lines from 1 */
    int64_t entries;     /* lines that had an entry */
    int64_t lines;       /* of the blocks that were added, and before them */
    int64_t row, column; /* from 0: of the next value of an array */
} reader;

/* ---- a line, by several threads ------------------------------------------------------------- */

static sparcl_status read_index(const spc_lines *lines, const char **at, int64_t most,
                                const char *what, int64_t *index) {
    const char *const begin = *at;
    if (!spc_read_count(at, index) || !spc_ends_word(**at))
        return spc_lines_refuse(lines, begin, what, "an entry is \"row column value\"");
    if (*index >= 1 && *index <= most) return SPARCL_OK;
    return spc_lines_refuse_why(lines, begin,
                                "expected %s from 1 to %" PRId64 ", found %" PRId64
                                "; correct the entry or the size",
                                what, most, *index);
}

/* A value of an integer matrix, and of the type that a comment names. */
static sparcl_status check_integer(const reader *r, const spc_lines *lines, const char *begin,
                                   const char *end) {
    const spc_mtx_type *const type = r->head.type;
    const char *at = begin + (*begin == '-' || *begin == '+');
    double value = 0;
    spc_rounded unused;
    while (*at >= '0' && *at <= '9')
        at++;
    if (at != end)
        return spc_lines_refuse(lines, begin, "a whole number in an integer matrix",
                                "write real in the banner");
    if (!type) return SPARCL_OK;
    at = begin;
    (void)spc_read_f64(&at, &value, &unused);
    if (value >= type->least && value <= type->most) return SPARCL_OK;
    return spc_lines_refuse_why(
        lines, begin, "expected a value of the type %s, found %.*s; correct it or the type",
        type->name, (int)(end - begin < 32 ? end - begin : 32), begin);
}

static sparcl_status read_value(const reader *r, const spc_lines *lines, const char **at,
                                spc_id_pair *pair) {
    const char *const begin = *at;
    float value = 0;
    bool rounded = false;
    const spc_number result = spc_read_f32(at, &value, &rounded);
    if (result == SPC_NUMBER_RANGE)
        return spc_lines_refuse(lines, begin,
                                "a number in the range of a 32-bit float, up to 3.4e38",
                                "scale the matrix");
    if (result == SPC_NUMBER_NONE || !spc_ends_word(**at))
        return spc_lines_refuse(lines, begin, "a value, a decimal number",
                                "write values as decimal numbers, such as -1.5e-3");
    if (r->head.field == SPC_MTX_INTEGER && isfinite(value))
        SPC_TRY(check_integer(r, lines, begin, *at));
    pair->number = (double)value;
    lines->block->narrowed += rounded;
    spc_position *const first = &lines->block->not_finite;
    if (!isfinite(value) && first->column == 0)
        *first = (spc_position){.line = lines->number, .column = begin - lines->line + 1};
    return SPARCL_OK;
}

static sparcl_status end_line(const reader *r, const spc_lines *lines, const char *at) {
    at = spc_skip_blanks(at);
    if (spc_at_line_end(at) || *at == '%') return SPARCL_OK;
    return spc_lines_refuse(lines, at, "the end of the line",
                            r->head.array ? "an array has one value on a line"
                            : r->head.field == SPC_MTX_PATTERN
                                ? "an entry of a pattern is \"row column\""
                                : "an entry is \"row column value\"");
}

static sparcl_status read_entry(const reader *r, const spc_lines *lines, spc_id_pair *pair) {
    const char *at = spc_skip_blanks(lines->line);
    const char *const begin = at;
    pair->number = 1;
    SPC_TRY(read_index(lines, &at, r->head.rows, "a row", &pair->left));
    at = spc_skip_blanks(at);
    SPC_TRY(read_index(lines, &at, r->head.columns, "a column", &pair->right));
    at = spc_skip_blanks(at);
    if (r->head.field != SPC_MTX_PATTERN) SPC_TRY(read_value(r, lines, &at, pair));
    SPC_TRY(end_line(r, lines, at));
    if (r->head.mirror == SPC_MIRROR_NEGATED && pair->left == pair->right && pair->number != 0)
        return spc_lines_refuse(lines, begin, "no entry but 0 on the diagonal",
                                "the diagonal of a skew-symmetric matrix is zero; remove it");
    return SPARCL_OK;
}

static sparcl_status read_line(const void *plan, const spc_lines *lines, spc_id_pair *pair) {
    const reader *const r = plan;
    if (!r->head.array) return read_entry(r, lines, pair);
    const char *at = spc_skip_blanks(lines->line);
    SPC_TRY(read_value(r, lines, &at, pair));
    return end_line(r, lines, at);
}

/* No line is left out: their number is declared. */
static void read_block(spc_block *block, const spc_block_rules *rules) {
    spc_block_read_pairs(block, rules, "%", read_line);
    block->resume = 0;
}

/* ---- entries, in file order ----------------------------------------------------------------- */

static sparcl_status add_entry(reader *r, const spc_id_pair *pair) {
    SPC_TRY(spc_line_marks_add(&r->marks, r->entries, r->lines + pair->line + 1,
                               &r->data->allocator, r->error));
    return spc_triplets_add(&r->triplets, pair->left - 1, pair->right - 1, (float)pair->number,
                            &r->data->allocator, r->error);
}

/* The values of an array stand column after column, of a triangle from the diagonal down. */
static sparcl_status add_element(reader *r, double value) {
    static const int64_t first[] = {[SPC_MIRROR_SAME] = 0, [SPC_MIRROR_NEGATED] = 1};
    if (value != 0)
        SPC_TRY(spc_triplets_add(&r->triplets, r->row, r->column, (float)value, &r->data->allocator,
                                 r->error));
    if (++r->row < r->head.rows) return SPARCL_OK;
    r->column++;
    r->row = r->head.mirror == SPC_MIRROR_NONE ? 0 : r->column + first[r->head.mirror];
    return SPARCL_OK;
}

static sparcl_status refuse_more(const reader *r, int64_t line) {
    return spc_fail(r->error, SPARCL_E_FORMAT,
                    "%s:%" PRId64 ":1: expected %" PRId64
                    " entries, found more; correct the size, or remove this line",
                    r->data->name, r->lines + line + 1, r->head.stored);
}

static sparcl_status add_block(spc_block *block, const spc_block_rules *rules) {
    reader *const r = rules->plan;
    r->lines = block->lines_before;
    for (int64_t i = 0; i < block->rows; i++) {
        const spc_id_pair *const pair = &block->pairs[i];
        if (r->entries == r->head.stored) return refuse_more(r, pair->line);
        SPC_TRY(r->head.array ? add_element(r, pair->number) : add_entry(r, pair));
        r->entries++;
    }
    if (block->problem.column > 0 && r->entries == r->head.stored)
        return refuse_more(r, block->problem_line);
    if (block->not_finite.column > 0 && r->data->bad_line == 0) {
        r->data->bad_line = r->lines + block->not_finite.line;
        r->data->bad_column = block->not_finite.column;
    }
    r->lines += block->lines;
    return SPARCL_OK;
}

static sparcl_status read_entries(reader *r, spc_input *input, const sparcl_data_desc *desc) {
    static const spc_block_format format = {
        .what = "a Matrix Market file", .read = read_block, .add = add_block, .has_pairs = true};
    spc_array rest = {0};
    spc_block_rules rules = {.format = &format, .plan = r, .begun = &rest};
    spc_lines lines = spc_lines_of(input, r->error);
    sparcl_status status = spc_mtx_read_head(&lines, &r->head, desc);
    if (status == SPARCL_OK) {
        r->row = r->head.mirror == SPC_MIRROR_NEGATED;
        rules.begun_lines = r->lines = lines.number;
        rest = spc_lines_take_rest(&lines, false);
        status = spc_blocks_read(r->data, input, &rules, desc, r->error);
    }
    spc_lines_free(&lines);
    spc_array_free(&rest, &r->data->allocator);
    if (status != SPARCL_OK || r->entries == r->head.stored) return status;
    return spc_fail(r->error, SPARCL_E_FORMAT,
                    "%s:%" PRId64 ":1: expected %" PRId64 " entries, found %" PRId64
                    "; the file is truncated: fetch or save it again",
                    r->data->name, r->lines + 1, r->head.stored, r->entries);
}

/* ---- the matrix ----------------------------------------------------------------------------- */

static sparcl_status refuse_repeat(const reader *r) {
    int64_t entry = 0;
    SPC_TRY(spc_triplets_find_repeat(&r->triplets, &r->data->allocator, &entry, r->error));
    return spc_fail(r->error, SPARCL_E_FORMAT,
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
    return spc_fail(r->error, SPARCL_E_FORMAT,
                    "%s: expected at most %" PRId64 " rows for %" PRId64 " entries, found %" PRId64
                    "; keep only the rows that have entries",
                    r->data->name, most, spc_triplets_count(&r->triplets), r->head.rows);
}

static sparcl_status read_matrix(reader *r, spc_input *input, const sparcl_data_desc *desc) {
    sparcl_data_info *const info = &r->data->info;
    SPC_TRY(read_entries(r, input, desc));
    SPC_TRY(check_rows(r));
    memcpy(r->data->mark, r->head.mark, sizeof r->data->mark);
    info->rows = r->head.rows;
    info->columns = spc_max_i64(r->head.columns, desc->columns);
    info->index_base = 1;
    r->triplets.mirror = r->head.mirror;
    SPC_TRY(spc_triplets_to_rows(&r->triplets, r->data, r->error));
    if (desc->strict && info->duplicates > 0) return refuse_repeat(r);
    if (info->nnz > 0) info->min_index++;
    if (info->nnz > 0) info->max_index++;
    return SPARCL_OK;
}

sparcl_status spc_mtx_read(sparcl_data *data, spc_input *input, const sparcl_data_desc *desc,
                           sparcl_error *error) {
    reader r = {.data = data, .error = error};
    if (desc->index_base == SPARCL_BASE_0)
        return spc_fail(
            error, SPARCL_E_FORMAT,
            "%s: expected indices from 0, found a Matrix Market file, whose indices count "
            "from 1; read it with indices from 1",
            input->raw.name);
    data->bad_column = -1;
    const sparcl_status status = read_matrix(&r, input, desc);
    spc_triplets_free(&r.triplets, &data->allocator);
    spc_array_free(&r.marks, &data->allocator);
    return status;
}
