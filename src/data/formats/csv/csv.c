/* csv.c: reads CSV files: their beginning, which says what the columns are, then blocks. */
#include "data/formats/csv/csv.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "base/utf8.h"
#include "data/formats/csv/csv_block.h"
#include "data/formats/csv/csv_numbers.h"
#include "data/formats/csv/csv_tfidf.h"
#include "data/formats/readers.h"
#include "data/formats/text_formats.h"
#include "data/io/block_reader.h"
#include "data/io/number.h"

enum { BEGINNING_BYTES = 256 * 1024, RECORD_MAX = 1 << 24 };

static sparcl_status check_desc(const spc_csv *csv) {
    const sparcl_data_desc *const desc = csv->desc;
    if (desc->index_base == SPARCL_BASE_1)
        return spc_fail(csv->error, SPARCL_E_FORMAT,
                        "%s: expected indices from 1, found CSV, whose columns count from 0; "
                        "read it with indices from 0",
                        csv->name);
    if (desc->multilabel)
        return spc_fail(csv->error, SPARCL_E_FORMAT,
                        "%s: expected several labels in a row, as requested, found CSV, which has "
                        "one; read it without multilabel",
                        csv->name);
    if (desc->crosses && desc->csv_description && !desc->csv_columns)
        return spc_fail(csv->error, SPARCL_E_FORMAT,
                        "%s: expected no crosses beside the columns of the training data, which "
                        "have theirs, found some; read it without them",
                        csv->name);
    if (desc->columns > 0 && !spc_csv_is_described(csv))
        return spc_fail(csv->error, SPARCL_E_FORMAT,
                        "%s: expected a description of the columns beside their number, %" PRId64
                        ", found CSV without one; read it without the number (--columns), or with "
                        "--csv-columns and what 'sparcl inspect --save-columns' writes of the data "
                        "on which the model is trained",
                        csv->name, desc->columns);
    return SPARCL_OK;
}

/* The first rows are handed over before the last are read. */
static bool in_parts(const sparcl_data *data) {
    return data->sink && !data->sink->keeps_rows;
}

/* After the description is known. */
static sparcl_status check_width(const spc_csv *csv) {
    const sparcl_data_desc *const desc = csv->desc;
    if (desc->columns == 0) return SPARCL_OK;
    if (csv->learns)
        return spc_fail(csv->error, SPARCL_E_FORMAT,
                        "%s: expected the words of dictionaries in the description %s, found a "
                        "dictionary without words; write it with 'sparcl inspect --save-columns' "
                        "from the training data",
                        csv->name, spc_csv_description_name(csv));
    if (csv->width <= desc->columns || desc->widen || desc->ratings) return SPARCL_OK;
    return spc_fail(csv->error, SPARCL_E_FORMAT,
                    "%s: expected at most %" PRId64 " columns, found %" PRId64
                    "; read it with the description and the hash bits of the training data",
                    csv->name, desc->columns, csv->width);
}

/* What is wrong with compressed data is after the text that they began with. */
static sparcl_status fail_reading(const spc_csv *csv, const spc_array *bytes,
                                  const sparcl_error *why) {
    const char *const text = bytes->at;
    int64_t line = 1, column = 1;
    if (why->status != SPARCL_E_FORMAT)
        return spc_fail(csv->error, why->status, "%s", why->message);
    for (size_t i = 0; i < bytes->used; i++) {
        column = text[i] == '\n' ? 1 : column + 1;
        line += text[i] == '\n';
    }
    return spc_fail(csv->error, why->status, "%s:%" PRId64 ":%" PRId64 ": %s", csv->name, line,
                    column, why->message);
}

/* The bytes of complete records, of which there are two: one may be a heading, which does not say
 * what is in its columns. 0 without them. */
static size_t two_records(const spc_array *bytes, char delimiter) {
    const char *const text = bytes->at;
    bool open = false;
    size_t blank = 0;
    while (blank < bytes->used && (text[blank] == '\n' || text[blank] == '\r'))
        blank++;
    const size_t complete = spc_csv_complete(text, bytes->used, delimiter, &open);
    return complete > blank && spc_csv_complete(text, complete - 1, delimiter, &open) > blank
               ? complete
               : 0;
}

/* Read until there are two complete records, or the end. *complete: the bytes of all of them.
 * Damage after them is found again when the rows are read. */
static sparcl_status read_beginning(spc_csv *csv, spc_input *input, spc_array *bytes,
                                    size_t *complete) {
    bool at_end = false;
    size_t request = spc_raw_request(&input->raw, BEGINNING_BYTES);
    for (*complete = 0; *complete == 0 && !at_end && bytes->used < RECORD_MAX;) {
        size_t got = 0;
        sparcl_error why = {.status = SPARCL_OK};
        SPC_TRY(spc_array_reserve(bytes, request + 1 + SPC_NUMBER_PAD, csv->allocator, csv->error));
        const sparcl_status status =
            spc_input_read(input, (char *)bytes->at + bytes->used, request, &got, &why);
        bytes->used += got;
        at_end = status == SPARCL_OK && got < request;
        request = bytes->used;
        *complete = at_end ? bytes->used : two_records(bytes, csv->desc->csv_delimiter);
        if (status != SPARCL_OK && (status != SPARCL_E_FORMAT || *complete == 0))
            return fail_reading(csv, bytes, &why);
    }
    if (*complete == 0) *complete = bytes->used;
    return SPARCL_OK;
}

/* Reading fields changes text: the plan is made from a copy. */
static sparcl_status plan(spc_csv *csv, spc_array *bytes, size_t complete, spc_array *copy,
                          int64_t *lines) {
    static const char end[SPC_NUMBER_PAD + 1] = "\n";
    SPC_TRY(spc_array_add(copy, bytes->at, complete, csv->allocator, csv->error));
    SPC_TRY(spc_array_add(copy, end, sizeof end, csv->allocator, csv->error));
    char *const begin = copy->at;
    const bool ended = complete > 0 && begin[complete - 1] == '\n';
    spc_csv_text text = {
        .at = begin, .line = begin, .end = begin + complete + !ended, .delimiter = ','};
    if (ended) text.end[0] = '\0';
    SPC_TRY(spc_csv_plan(csv, &text));
    const size_t read = (size_t)(text.at - begin), used = read < complete ? read : complete;
    *lines = csv->lines = text.line_number;
    csv->not_utf8 = spc_count_not_utf8(bytes->at, used, &csv->first_not_utf8);
    bytes->used -= used;
    memmove(bytes->at, (char *)bytes->at + used, bytes->used);
    return SPARCL_OK;
}

/* The name of the first column of labels, without control characters; empty: there is none. */
static void find_label(const spc_csv *csv, char *name, size_t bytes) {
    spc_text text = spc_text_in(name, bytes);
    for (int64_t i = 0; i < spc_csv_column_count(csv); i++) {
        size_t length = 0;
        if (spc_csv_columns(csv)[i].kind != SPC_CSV_LABEL) continue;
        const char *const word = spc_word_at(&csv->column_names, i, &length);
        spc_text_add_beginning(&text, word, length);
        return;
    }
}

/* What reading rows needs beside the plan. */
static sparcl_status prepare(spc_csv *csv, const sparcl_data *data) {
    const size_t counters = (size_t)spc_csv_column_count(csv) * sizeof(int64_t);
    if (csv->learns && in_parts(data))
        return spc_fail(csv->error, SPARCL_E_FORMAT,
                        "%s: expected the words of dictionaries and labels in the description, "
                        "because it is read in parts, found a column without its words; write it "
                        "with 'sparcl inspect --save-columns'",
                        csv->name);
    SPC_TRY(spc_array_reserve(&csv->missing, counters, csv->allocator, csv->error));
    memset(csv->missing.at, 0, counters);
    SPC_TRY(spc_csv_begin_moments(csv));
    SPC_TRY(spc_csv_begin_tfidf(csv));
    if (csv->counts && in_parts(data))
        return spc_fail(csv->error, SPARCL_E_FORMAT,
                        "%s: expected the frequencies of words in the description, because it is "
                        "read in parts, found a column of the kind tfidf without them; write it "
                        "with 'sparcl inspect --save-columns'",
                        csv->name);
    if (csv->bits) SPC_TRY(spc_owners_create(&csv->owners, csv->bits, csv->allocator, csv->error));
    csv->kept = data->kept_names;
    return spc_csv_make_crossing(csv, &csv->crossing);
}

static sparcl_status note_not_utf8(spc_csv *csv) {
    char note[256];
    spc_text text = spc_text_in(note, sizeof note);
    if (csv->not_utf8 > 1)
        spc_text_add(&text, "%" PRId64 " lines have bytes that are no UTF-8, the first is ",
                     csv->not_utf8);
    spc_text_add(&text,
                 "line %" PRId64
                 "%s: they are kept; of Latin-1, iconv -f WINDOWS-1252 -t UTF-8 FILE "
                 "> OTHER writes UTF-8\n",
                 csv->first_not_utf8 + 1, csv->not_utf8 > 1 ? "" : " has bytes that are no UTF-8");
    return spc_array_add(&csv->notes, note, text.length, csv->allocator, csv->error);
}

/* After those that the data have. */
static sparcl_status keep_notes(spc_csv *csv, sparcl_data *data) {
    spc_array *const notes = &data->csv_notes;
    if (csv->notes.used == 0) return SPARCL_OK;
    SPC_TRY(spc_array_add(&csv->notes, "", 1, csv->allocator, csv->error));
    if (notes->used > 0) notes->used--; /* the NUL */
    SPC_TRY(spc_array_add(notes, csv->notes.at, csv->notes.used, csv->allocator, csv->error));
    csv->notes.used = 0;
    return SPARCL_OK;
}

static sparcl_status read_rows(spc_csv *csv, sparcl_data *data, spc_input *input, spc_array *begun,
                               int64_t lines) {
    spc_block_format format = spc_csv_format;
    format.quotes_after = csv->delimiter;
    format.row_entries = csv->has_text ? 0 : (size_t)spc_csv_field_count(csv);
    if (csv->has_text) format.entry_bytes = 1; /* sequences of words: csv_words.h */
    format.columns = (size_t)spc_csv_column_count(csv);
    format.record_max = RECORD_MAX;
    format.has_fields = csv->desc->csv_fields;
    char label[64];
    find_label(csv, label, sizeof label);
    const spc_block_rules rules = {.format = &format,
                                   .label_column = label[0] ? label : NULL,
                                   .keeps_tags = csv->tag >= 0,
                                   .labelled_only = spc_leaves_out_unlabelled(csv->desc),
                                   .width = INT64_MAX,
                                   .known_width = &csv->width,
                                   .plan = csv,
                                   .crossing =
                                       spc_cross_count(&csv->crossing) ? &csv->crossing : NULL,
                                   .begun = begun,
                                   .begun_lines = lines};
    data->info.other_columns = csv->others;
    SPC_TRY(keep_notes(csv, data)); /* the first part has them */
    SPC_TRY(spc_blocks_read(data, input, &rules, csv->desc, csv->error));
    if (csv->not_utf8 > 0) SPC_TRY(note_not_utf8(csv));
    SPC_TRY(keep_notes(csv, data));
    data->info.heading = csv->heading;
    data->info.label_guessed = csv->guesses;
    data->info.label_names = csv->known_labels;
    data->info.hash_bits = csv->bits;
    data->info.crosses = spc_cross_count(&csv->crossing);
    data->info.shared_columns = csv->bits ? spc_owners_shared(csv->owners, csv->bits) : 0;
    return spc_csv_finish(csv, data);
}

static sparcl_status build(spc_csv *csv, sparcl_data *data, spc_input *input) {
    spc_array bytes = {0}, copy = {0};
    size_t complete = 0;
    int64_t lines = 0;
    sparcl_status status = check_desc(csv);
    if (status == SPARCL_OK) status = read_beginning(csv, input, &bytes, &complete);
    csv->standardizes = csv->desc->csv_standardize && !in_parts(data);
    if (status == SPARCL_OK) status = plan(csv, &bytes, complete, &copy, &lines);
    if (status == SPARCL_OK) status = check_width(csv);
    spc_array_free(&copy, csv->allocator);
    if (status == SPARCL_OK) status = prepare(csv, data);
    if (status == SPARCL_OK) status = read_rows(csv, data, input, &bytes, lines);
    spc_array_free(&bytes, csv->allocator);
    return status;
}

void spc_csv_free(spc_csv *csv) {
    spc_csv_column *const columns = spc_csv_columns(csv);
    for (int64_t i = 0; i < spc_csv_column_count(csv); i++) {
        spc_array_free(&columns[i].bounds, csv->allocator);
        spc_array_free(&columns[i].learnt, csv->allocator);
        spc_array_free(&columns[i].frequencies, csv->allocator);
        spc_array_free(&columns[i].weights, csv->allocator);
        spc_array_free(&columns[i].counts, csv->allocator);
        spc_word_set_free(&columns[i].words, csv->allocator);
    }
    spc_array_free(&csv->notes, csv->allocator);
    spc_array_free(&csv->crossing.crosses, csv->allocator);
    if (csv->bits) spc_owners_free(csv->owners, csv->bits, csv->allocator);
    spc_word_set_free(&csv->column_names, csv->allocator);
    spc_array_free(&csv->names, csv->allocator);
    spc_array_free(&csv->fields, csv->allocator);
    spc_array_free(&csv->missing, csv->allocator);
    spc_array_free(&csv->moments, csv->allocator);
    spc_array_free(&csv->columns, csv->allocator);
}

static sparcl_status read_table(sparcl_data *data, spc_input *input, const sparcl_data_desc *desc,
                                bool is_ratings, sparcl_error *error) {
    spc_csv csv = {.desc = desc, .name = data->name, .allocator = &data->allocator, .error = error};
    csv.is_ratings = is_ratings && !spc_csv_is_described(&csv);
    const sparcl_status status = build(&csv, data, input);
    spc_csv_free(&csv);
    return status;
}

sparcl_status spc_csv_read(sparcl_data *data, spc_input *input, const sparcl_data_desc *desc,
                           sparcl_error *error) {
    return read_table(data, input, desc, false, error);
}

sparcl_status spc_csv_read_ratings(sparcl_data *data, spc_input *input,
                                   const sparcl_data_desc *desc, sparcl_error *error) {
    return read_table(data, input, desc, true, error);
}

sparcl_status sparcl_data_save_columns(const sparcl_data *data, const char *path,
                                       sparcl_error *error) {
    if (!data || !path) return spc_fail(error, SPARCL_E_ARG, "save_columns: data or path is NULL");
    if (data->csv_columns.used == 0)
        return spc_fail(error, SPARCL_E_ARG,
                        "save_columns: the data has no description of columns, expected CSV");
    const spc_bytes part = {data->csv_columns.at, data->csv_columns.used - 1};
    return spc_file_write(path, &part, 1, error);
}

const char *sparcl_data_csv_missing(const sparcl_data *data) {
    return data->csv_missing.at;
}

const char *sparcl_data_csv_notes(const sparcl_data *data) {
    return data->csv_notes.at;
}

const char *sparcl_data_crosses(const sparcl_data *data) {
    return data->crosses.at;
}

const char *sparcl_data_csv_columns(const sparcl_data *data) {
    return data->csv_columns.at;
}
