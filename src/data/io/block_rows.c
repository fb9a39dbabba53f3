/* block_rows.c: adds the rows of blocks to a data set, in file order, and hands over its parts. */
#include "data/io/block_rows.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "base/size.h"
#include "base/text.h"
#include "data/io/line_marks.h"
#include "data/io/texts.h"
#include "data/set/id_columns.h"
#include "data/set/validation.h"

/* ---- a block -------------------------------------------------------------------------------- */

static int64_t *longs(const spc_array *array) {
    return array->at;
}

static sparcl_status fail_at(const spc_block_rows *r, int64_t line, int64_t column,
                             const char *why) {
    return spc_fail(r->error, SPARCL_E_FORMAT, "%s:%" PRId64 ":%" PRId64 ": %s", r->name, line,
                    column, why);
}

/* The position of a decoder's error is where the text before it ends. */
static sparcl_status fail_loading(const spc_block_rows *r, const spc_block_load *load) {
    if (load->status == SPARCL_E_FORMAT)
        return fail_at(r, r->lines + load->block.lines + 1, spc_block_end_column(load),
                       load->failure.message);
    if (r->error) *r->error = load->failure;
    return load->status;
}

/* Append `count` numbers, each increased by `before`. */
static sparcl_status add_ends(spc_block_rows *r, spc_array *to, const int64_t *ends, int64_t count,
                              int64_t before) {
    const size_t bytes = (size_t)count * sizeof *ends;
    SPC_TRY(spc_array_reserve(to, bytes, &r->data->allocator, r->error));
    int64_t *into = longs(to) + to->used / sizeof *into;
    for (int64_t i = 0; i < count; i++)
        into[i] = before + ends[i];
    to->used += bytes;
    return SPARCL_OK;
}

/* The hash of an id is a column of 31 bits at most, and so is the number of one that is known,
 * unless there are more. */
static int64_t largest_column(const spc_block_rows *r, const spc_block *block) {
    const spc_index_kind kind = r->rules->index_kind;
    return kind == SPC_INDEX_HASHED || kind == SPC_INDEX_KNOWN ? *r->rules->known_width - 1
                                                               : block->maximum;
}

static sparcl_status add_indices(spc_block_rows *r, const spc_block *block) {
    sparcl_data *data = r->data;
    if (largest_column(r, block) > INT32_MAX) SPC_TRY(spc_data_widen(data, r->error));
    const size_t count = (size_t)block->entries;
    if (count == 0) return SPARCL_OK;
    if (data->index_type == SPARCL_INDEX64)
        return spc_array_add(&data->indices, block->indices, count * sizeof *block->indices,
                             &data->allocator, r->error);
    const size_t bytes = count * sizeof(int32_t);
    SPC_TRY(spc_array_reserve(&data->indices, bytes, &data->allocator, r->error));
    int32_t *into = (int32_t *)data->indices.at + data->indices.used / sizeof *into;
    for (size_t i = 0; i < count; i++)
        into[i] = (int32_t)block->indices[i];
    data->indices.used += bytes;
    return SPARCL_OK;
}

static sparcl_status add_marks(spc_block_rows *r, const spc_block *block) {
    for (int64_t i = 0; i < block->rows; i++)
        SPC_TRY(spc_line_marks_add(&r->data->marks, r->data->info.rows + i,
                                   r->lines + block->row_lines[i], &r->data->allocator, r->error));
    return SPARCL_OK;
}

static sparcl_status add_left_out(spc_block_rows *r, const spc_block *block) {
    sparcl_data *const data = r->data;
    if (!r->rules->labelled_only || data->sink) return SPARCL_OK;
    for (int64_t i = 1; i <= block->unlabelled; i++) {
        const int64_t line = r->lines + block->row_lines[block->lines - i] + 1;
        SPC_TRY(spc_array_push(&data->left_out, &line, sizeof line, &data->allocator, r->error));
    }
    return SPARCL_OK;
}

static void note_position(spc_position *first, const spc_position *found, int64_t lines) {
    if (first->column > 0 || found->column == 0) return;
    *first = *found;
    first->line += lines;
}

static void add_counts(spc_block_rows *r, const spc_block *block) {
    sparcl_data_info *info = &r->data->info;
    note_position(&r->at_width, &block->at_width, r->lines);
    note_position(&r->past_width, &block->past_width, r->lines);
    note_position(&r->not_finite, &block->not_finite, r->lines);
    note_position(&r->without_label, &block->without_label, r->lines);
    info->rows += block->rows;
    info->nnz += block->stored;
    info->entries += block->entries;
    info->duplicates += block->duplicates;
    info->unsorted_rows += block->unsorted_rows;
    info->label_count += block->label_count;
    info->narrowed_values += block->narrowed;
    info->missing_values += block->missing;
    info->unknown_words += block->unknown;
    info->negative_logs += block->negative;
    info->cross_entries += block->crossed;
    info->unlabelled_rows += block->unlabelled;
    info->query_rows += block->queries;
    info->unknown_ids += block->unknown_ids;
    info->fields = spc_max_i64(info->fields, (int64_t)block->max_field + 1);
    r->minimum = spc_min_i64(r->minimum, block->minimum);
    r->maximum = spc_max_i64(r->maximum, block->maximum);
    r->lines += block->lines;
}

static sparcl_status add_extras(spc_block_rows *r, const spc_block *block) {
    sparcl_data *const data = r->data;
    for (int64_t i = 0; r->rules->keeps_tags && i < block->rows; i++)
        SPC_TRY(spc_texts_add(&data->tags, block->text + block->tags[i].begin,
                              block->tags[i].length, &data->allocator, r->error));
    if (block->fields)
        SPC_TRY(spc_array_add(&data->fields, block->fields,
                              (size_t)block->entries * sizeof *block->fields, &data->allocator,
                              r->error));
    if (!block->weights) return SPARCL_OK;
    return spc_array_add(&data->weights, block->weights,
                         (size_t)block->rows * sizeof *block->weights, &data->allocator, r->error);
}

/* A row that cannot be read is noted and left out where that was requested. */
static sparcl_status pass_problem(spc_block_rows *r, spc_block *block) {
    spc_notes *const notes = r->data->notes;
    const sparcl_status status =
        fail_at(r, r->lines + block->problem.line + 1, block->problem.column, block->why);
    if (!notes || block->resume == 0) return status;
    char message[SPC_NAME_CAPACITY + sizeof block->why + 48];
    snprintf(message, sizeof message, "%s:%" PRId64 ":%" PRId64 ": %s", r->name,
             r->lines + block->problem.line + 1, block->problem.column, block->why);
    notes->count++;
    SPC_TRY(notes->add(notes, r->lines + block->problem_line + 1, r->lines + block->resume_line + 1,
                       message));
    r->rules->format->read(block, r->rules);
    return SPARCL_OK;
}

/* Pairs before a line with a problem are added before it is reported, so that `add` may refuse
 * them. */
static sparcl_status add_pairs(spc_block_rows *r, spc_block *block) {
    SPC_TRY(r->rules->format->add(block, r->rules));
    while (block->problem.column > 0) {
        SPC_TRY(pass_problem(r, block));
        SPC_TRY(r->rules->format->add(block, r->rules));
    }
    r->lines += block->lines;
    r->data->info.narrowed_values += block->narrowed;
    return SPARCL_OK;
}

/* ---- the index base and the width ----------------------------------------------------------- */

static sparcl_status check_width(const spc_block_rows *r, int base) {
    const spc_position *position = base == 0 ? &r->at_width : &r->past_width;
    if (position->column == 0) return SPARCL_OK;
    const int64_t width = r->rules->width;
    char buffer[256];
    spc_text why = spc_text_in(buffer, sizeof buffer);
    spc_text_add(&why, "expected an index up to %" PRId64 ", found %" PRId64 "; ", width - 1 + base,
                 position->index);
    if (width == INT64_MAX)
        spc_text_add(&why, "renumber the features");
    else
        spc_text_add(&why, "%" PRId64 " columns were requested, the entry needs %" PRIu64, width,
                     (uint64_t)position->index + 1 - (uint64_t)base);
    return fail_at(r, position->line + 1, position->column, buffer);
}

static sparcl_status fail_unlabelled(const spc_block_rows *r) {
    char buffer[256];
    const char *const column = r->rules->label_column;
    spc_text why = spc_text_in(buffer, sizeof buffer);
    spc_text_add(&why, "expected a label%s%s, as other rows have one, found none; ",
                 column ? " in the column " : "", column ? column : "");
    spc_text_add(&why, "%s",
                 column ? "add it, remove the row, or describe another column as the label"
                        : "add it, or remove the row");
    return fail_at(r, r->without_label.line + 1, r->without_label.column, buffer);
}

static sparcl_status fail_without_labels(const spc_block_rows *r) {
    const char *const column = r->rules->label_column;
    return spc_fail(r->error, SPARCL_E_FORMAT,
                    "%s: expected a label for each row, found none%s%s in %" PRId64 " rows; %s",
                    r->name, column ? " in the column " : "", column ? column : "",
                    r->data->info.unlabelled_rows,
                    column ? "use --label NAME for another column, or --labels FILE for labels of "
                             "another file"
                           : "write one at the beginning of each row");
}

/* Labels are of all rows or of none, unless the others were left out. For a model, whose width is
 * requested, they are not needed; who notes what is wrong looks at them. */
static sparcl_status check_labels(const spc_block_rows *r) {
    sparcl_data *const data = r->data;
    sparcl_data_info *const info = &data->info;
    if (info->unlabelled_rows == 0) return SPARCL_OK;
    info->unlabelled_line = r->without_label.line + 1;
    if (r->rules->labelled_only)
        return info->rows > 0 || r->has_parts ? SPARCL_OK : fail_without_labels(r);
    if (info->unlabelled_rows < info->rows && data->notes) return SPARCL_OK;
    if (info->unlabelled_rows < info->rows && r->desc->columns == 0) return fail_unlabelled(r);
    spc_array_free(&data->labels, &data->allocator);
    info->label_count = 0;
    return SPARCL_OK;
}

static void shift_indices(sparcl_data *data, int base) {
    const size_t count = data->indices.used / sparcl_itype_size(data->index_type);
    int32_t *const narrow = data->indices.at;
    int64_t *const wide = data->indices.at;
    if (base == 0) return;
    if (data->index_type == SPARCL_INDEX32)
        for (size_t i = 0; i < count; i++)
            narrow[i]--;
    else
        for (size_t i = 0; i < count; i++)
            wide[i]--;
}

static void note_ids(const spc_block_rows *r) {
    sparcl_data_info *const info = &r->data->info;
    const spc_index_kind kind = r->rules->index_kind;
    if (r->rules->hash_bits > 0) info->hash_bits = r->rules->hash_bits;
    info->hashed_ids = kind == SPC_INDEX_HASHED;
    if (kind == SPC_INDEX_KNOWN) info->id_count = *r->rules->known_width;
}

/* Only now the index base is known, and whether all indices fit. */
static sparcl_status finish(spc_block_rows *r) {
    const sparcl_data_desc *const desc = r->desc;
    sparcl_data_info *info = &r->data->info;
    const bool all_noted = r->data->notes && r->data->notes->count > 0;
    if (info->rows == 0 && !all_noted && info->unlabelled_rows == 0)
        return fail_at(
            r, spc_max_i64(r->lines, 1), 1,
            r->rules->begun_lines > 0 ? "expected rows, found only a heading; use another file"
            : r->lines == 0
                ? "expected rows, found an empty file; use another file"
                : "expected rows, found only comments and blank lines; use another file");
    const int64_t *const known = r->rules->known_width;
    const bool numbers = r->rules->index_kind == SPC_INDEX_NUMBERED;
    info->index_base = known || numbers                       ? 0
                       : desc->index_base == SPARCL_BASE_AUTO ? r->minimum > 0
                                                              : r->rules->min_index > 0;
    SPC_TRY(check_width(r, info->index_base));
    const int64_t needed = known ? *known : r->maximum < 0 ? 0 : r->maximum - info->index_base + 1;
    info->columns = spc_max_i64(desc->columns, needed);
    info->min_index = r->maximum < 0 ? -1 : r->minimum;
    info->max_index = r->maximum;
    note_ids(r);
    SPC_TRY(check_labels(r));
    info->has_labels = info->label_count > 0;
    r->data->bad_line = r->not_finite.line + 1;
    r->data->bad_column = r->not_finite.column;
    shift_indices(r->data, info->index_base);
    if (numbers && !r->data->sink) return spc_id_columns_number(r->data, desc, r->error);
    return info->columns > INT32_MAX ? spc_data_widen(r->data, r->error) : SPARCL_OK;
}

/* Weights that are all 1 are none. */
static void drop_equal_weights(sparcl_data *data) {
    const float *const weights = data->weights.at;
    const size_t count = data->weights.used / sizeof *weights;
    for (size_t i = 0; i < count; i++)
        if (weights[i] != 1) return;
    spc_array_free(&data->weights, &data->allocator);
}

/* ---- parts ---------------------------------------------------------------------------------- */

static sparcl_status begin_part(spc_block_rows *r) {
    sparcl_data *const data = r->data;
    const int64_t zero = 0;
    SPC_TRY(spc_array_add(&data->offsets, &zero, sizeof zero, &data->allocator, r->error));
    if (!r->rules->multilabel) return SPARCL_OK;
    return spc_array_add(&data->label_offsets, &zero, sizeof zero, &data->allocator, r->error);
}

/* The rows since the last part are a data set. */
static sparcl_status end_part(spc_block_rows *r) {
    static const spc_position none = {.column = 0};
    drop_equal_weights(r->data);
    SPC_TRY(finish(r));
    SPC_TRY(r->data->sink->take(r->data->sink, r->data, r->error));
    r->minimum = INT64_MAX;
    r->maximum = -1;
    r->at_width = r->past_width = r->not_finite = r->without_label = none;
    r->has_parts = true;
    return begin_part(r);
}

static sparcl_status pass_on(spc_block_rows *r) {
    spc_sink *const sink = r->data->sink;
    if (!sink || r->part_bytes < sink->bytes) return SPARCL_OK;
    r->part_bytes = 0;
    if (sink->keeps_rows) return sink->take(sink, r->data, r->error);
    return r->data->info.rows > 0 ? end_part(r) : SPARCL_OK;
}

/* A part that is complete before all is read must not depend on what follows. */
static sparcl_status check_parts(const spc_block_rows *r) {
    const sparcl_data_desc *const desc = r->desc;
    if (!r->data->sink) return SPARCL_OK;
    r->data->sink->is_used = true;
    if (r->data->sink->keeps_rows) return SPARCL_OK;
    if (r->rules->index_kind == SPC_INDEX_NUMBERED)
        return spc_fail(r->error, SPARCL_E_ARG,
                        "%s: expected the ids of all columns, without which compact_ids cannot "
                        "number those of a part, found none; use hash_bits, or read it as a whole",
                        r->name);
    if (desc->labels)
        return spc_fail(r->error, SPARCL_E_ARG,
                        "%s: expected no file of labels, which cannot be read in parts, found %s",
                        r->name, desc->labels);
    if (r->rules->known_width) return SPARCL_OK;
    if (desc->columns > 0 && desc->index_base != SPARCL_BASE_AUTO) return SPARCL_OK;
    return spc_fail(r->error, SPARCL_E_ARG,
                    "%s: expected columns and index_base in the description, which text with "
                    "indices needs to be read in parts, found columns %" PRId64 "%s",
                    r->name, desc->columns,
                    desc->index_base == SPARCL_BASE_AUTO ? " and no index_base" : "");
}

/* The rest, after the last complete part. */
sparcl_status spc_block_rows_end(spc_block_rows *r) {
    spc_sink *const sink = r->data->sink;
    if (r->rules->format->has_pairs) return SPARCL_OK;
    if (sink && !sink->keeps_rows)
        return r->data->info.rows > 0 || !r->has_parts ? end_part(r) : SPARCL_OK;
    if (sink) SPC_TRY(sink->take(sink, r->data, r->error));
    drop_equal_weights(r->data);
    return finish(r);
}

sparcl_status spc_block_rows_add(spc_block_rows *r, spc_block_load *load) {
    spc_block *const block = &load->block;
    sparcl_data *data = r->data;
    if (load->status != SPARCL_OK) return fail_loading(r, load);
    block->lines_before = r->lines;
    if (r->rules->format->has_pairs) return add_pairs(r, block);
    while (block->problem.column > 0)
        SPC_TRY(pass_problem(r, block));
    if (r->rules->format->add) SPC_TRY(r->rules->format->add(block, r->rules));
    SPC_TRY(add_indices(r, block));
    SPC_TRY(spc_array_add(&data->values, block->values,
                          (size_t)block->entries * sizeof *block->values, &data->allocator,
                          r->error));
    SPC_TRY(add_extras(r, block));
    SPC_TRY(spc_array_add(&data->labels, block->labels,
                          (size_t)block->label_count * sizeof *block->labels, &data->allocator,
                          r->error));
    SPC_TRY(add_ends(r, &data->offsets, block->row_ends, block->rows, data->info.entries));
    if (r->rules->multilabel)
        SPC_TRY(add_ends(r, &data->label_offsets, block->label_ends, block->rows,
                         data->info.label_count));
    SPC_TRY(add_marks(r, block));
    SPC_TRY(add_left_out(r, block));
    add_counts(r, block);
    r->part_bytes += block->length;
    return pass_on(r);
}

sparcl_status spc_block_rows_begin(spc_block_rows *r) {
    r->lines = r->rules->begun_lines;
    r->minimum = INT64_MAX;
    r->maximum = -1;
    if (r->rules->format->has_pairs) return SPARCL_OK;
    r->data->by_line = true;
    SPC_TRY(check_parts(r));
    return begin_part(r);
}
