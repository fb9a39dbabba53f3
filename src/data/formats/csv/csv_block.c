/* csv_block.c: parses the records of one block of CSV text. */
#include "data/formats/csv/csv_block.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/size.h"
#include "base/text.h"
#include "base/utf8.h"
#include "data/formats/csv/csv_classes.h"
#include "data/formats/csv/csv_numbers.h"
#include "data/formats/csv/csv_shape.h"
#include "data/formats/csv/csv_words.h"
#include "data/io/cursor.h"
#include "data/io/murmur3.h"
#include "data/io/words.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

/* A word that gets its number only when the block is added has an index from here until then: the
 * column of the description, and where in the text of the block the word begins. So the words of a
 * row are in order where its fields are. */
static const int64_t later = (int64_t)1 << 62;
enum { PLACE_BITS = 32 };

typedef struct reader {
    spc_cursor cursor;
    const spc_csv *csv;
    spc_csv_text text;
    spc_csv_field field;
    const spc_csv_column *column; /* of the field */
    bool at_fault;                /* the text is no CSV */
} reader;

/* ---- what is wrong -------------------------------------------------------------------------- */

static bool stop(reader *r, const char *why) {
    spc_block *const block = r->cursor.block;
    block->problem = (spc_position){.line = r->field.line, .column = r->field.column};
    spc_text text = spc_text_in(block->why, sizeof block->why);
    spc_text_add(&text, "%s", why);
    return false;
}

/* "expected ... in the column "name", found "..."; how to fix it" */
static bool stop_value(reader *r, const char *expected, const char *remedy) {
    char why[384];
    size_t length = 0;
    const char *const name =
        spc_word_at(&r->csv->column_names, r->column - spc_csv_columns(r->csv), &length);
    spc_text text = spc_text_in(why, sizeof why);
    spc_text_add(&text, "expected %s in the column ", expected);
    spc_text_add_quoted(&text, name, length);
    spc_text_add(&text, ", found ");
    if (r->field.length > 0)
        spc_text_add_quoted(&text, r->field.at, r->field.length);
    else
        spc_text_add(&text, "nothing");
    spc_text_add(&text, "; %s", remedy);
    return stop(r, why);
}

static bool stop_count(reader *r, int64_t found) {
    char why[384];
    const int64_t expected = spc_csv_field_count(r->csv);
    spc_text text = spc_text_in(why, sizeof why);
    const bool heading = r->csv->heading, more = found > expected;
    spc_text_add(&text,
                 "expected %" PRId64 " fields as in the %s, found %s%" PRId64
                 ": the table is ragged; ",
                 expected, heading ? "heading" : "first line", more ? "at least " : "", found);
    spc_text_add(&text, !more     ? "add the missing fields, which may be empty"
                        : heading ? "put fields in double quotes that have a delimiter in them, or "
                                    "name the first column where it has names of rows"
                                  : "put fields in double quotes that have a delimiter in them");
    return stop(r, why);
}

/* ---- crosses -------------------------------------------------------------------------------- */

static spc_name_part name_of(const reader *r) {
    spc_name_part name;
    name.at = spc_word_at(&r->csv->column_names, r->column - spc_csv_columns(r->csv), &name.length);
    return name;
}

/* A feature of a column that is crossed; `hash` is that of its name. */
static void add_factor(reader *r, spc_factor factor) {
    factor.source = name_of(r);
    spc_factors_add(r->cursor.block, r->column - spc_csv_columns(r->csv), &factor);
}

static void add_word_factor(reader *r) {
    const uint64_t seed = r->column->seed;
    const char *const word = r->field.at;
    const size_t length = r->field.length;
    if (!r->column->is_crossed) return;
    add_factor(r, (spc_factor){.hash = spc_hash_name(word, length, seed),
                               .name = XXH3_64bits_withSeed(word, length, seed),
                               .value = 1,
                               .range = -1,
                               .text = {word, length}});
}

/* A number, or 1 in one of the ranges. */
static void add_number_factor(reader *r, int32_t range, float value) {
    const uint64_t hash = r->column->seed + (uint64_t)(range < 0 ? 0 : range);
    if (!r->column->is_crossed) return;
    add_factor(r, (spc_factor){.hash = hash,
                               .name = XXH3_64bits_withSeed(&hash, sizeof hash, r->column->seed),
                               .value = value,
                               .range = range,
                               .has_square = range < 0,
                               .text = {"", 0}});
}

/* The entries of a text from `first` on; which words they are is no longer known. */
static void add_text_factors(reader *r, int64_t first) {
    const spc_block *const block = r->cursor.block;
    for (int64_t k = first; r->column->is_crossed && k < block->entries; k++)
        add_factor(r, (spc_factor){.hash = (uint64_t)block->indices[k],
                                   .name = (uint64_t)block->indices[k],
                                   .value = block->values[k],
                                   .range = -1,
                                   .text = {"...", 3}});
}

/* ---- values --------------------------------------------------------------------------------- */

static bool add_entry(reader *r, int64_t index, float value) {
    spc_block *const block = r->cursor.block;
    if (block->fields) {
        block->fields[block->entries] = r->column->number;
        if (r->column->number > block->max_field) block->max_field = r->column->number;
    }
    block->indices[block->entries] = index;
    block->values[block->entries++] = value;
    return true;
}

/* Where its word begins in the text of the block. The byte after it is a delimiter, a quote or the
 * end of the line, which was read. */
static int64_t place_of_field(const reader *r) {
    r->field.at[r->field.length] = '\0';
    return r->field.at - r->cursor.block->text;
}

static bool is_word_of(const reader *r) {
    return r->column->words.ends.used &&
           spc_word_find(&r->column->words, r->field.at, r->field.length) >= 0;
}

static bool leave_unlabelled(reader *r) {
    spc_cursor_no_label(&r->cursor, r->cursor.line);
    return true;
}

/* What is no finite number is no label where the form says so, and where a model only predicts. */
static bool stop_label(reader *r) {
    if (r->csv->is_ratings)
        return stop_value(r, "a rating, a finite number,",
                          "the names in the heading say where users, items and ratings are, else "
                          "they are the first three columns: a file of --csv-columns chooses "
                          "others, by NAME,dictionary for users and items, NAME,label for ratings "
                          "and *,skip");
    const sparcl_data_desc *const desc = r->csv->desc;
    const bool predicts = desc->columns > 0 && !desc->labelled_only;
    if (r->column->form.coerces || predicts) return leave_unlabelled(r);
    return stop_value(r, "a label, a finite number,",
                      "describe labels of other words as NAME,label,WORD,WORD,..., or as "
                      "NAME,label:coerce, which makes them missing ones");
}

static bool read_label(reader *r) {
    spc_block *const block = r->cursor.block;
    double label = 0;
    if (spc_csv_is_missing(r->field.at, r->field.length) && !is_word_of(r))
        return leave_unlabelled(r);
    spc_rounded rounded = {.f64 = false};
    if (r->column->learns) {
        label = (double)place_of_field(r);
    } else if (r->column->words.ends.used) {
        int64_t class = spc_word_find(&r->column->words, r->field.at, r->field.length);
        if (class < 0 && r->csv->desc->columns == 0)
            return stop_value(r, "a label that the description has", "add it to its line there");
        if (class < 0) class = spc_word_count(&r->column->words); /* none that a model knows */
        label = (double)class;
    } else if (!spc_csv_read_number(&r->column->form, &r->field, &label, &rounded) ||
               !isfinite(label))
        return stop_label(r);
    block->labels[block->label_count++] = label;
    block->narrowed += rounded.f64;
    return true;
}

static bool read_weight(reader *r) {
    double weight = 0;
    spc_rounded rounded;
    if (!spc_csv_read_number(&r->column->form, &r->field, &weight, &rounded) || !(weight >= 0) ||
        !isfinite((float)weight))
        return stop_value(r, "a weight of at least 0", "correct it");
    r->cursor.block->weights[r->cursor.block->rows] = (float)weight;
    r->cursor.block->narrowed += rounded.f32;
    return true;
}

static bool add_missing(reader *r) {
    spc_block *const block = r->cursor.block;
    block->column_missing[r->column - spc_csv_columns(r->csv)]++;
    block->missing++;
    return true;
}

static bool stop_number(reader *r) {
    return stop_value(r, "a number in the range of a 32-bit float",
                      spc_csv_is_described(r->csv)
                          ? "correct it, leave it empty, describe the column as NAME,hashed, or "
                            "as NAME,numeric:coerce, which makes it a missing value"
                          : "correct it, leave it empty, or describe the column, which was taken "
                            "for numbers by the first rows: NAME,numeric:coerce makes it a missing "
                            "value");
}

/* A zero is no entry, if it is the mean of its column. */
static bool add_number(reader *r, double x) {
    const float value = spc_csv_value_of(r->column, x);
    if (isinf(value) && !isinf(x)) return stop_number(r);
    r->cursor.block->negative += r->column->kind == SPC_CSV_LOG && x < 0;
    if (value == 0 && !r->column->keeps_zeros) return true;
    if (!isfinite(value) && r->cursor.block->not_finite.column == 0)
        r->cursor.block->not_finite =
            (spc_position){.line = r->field.line, .column = r->field.column};
    add_number_factor(r, -1, value);
    return add_entry(r, r->column->first, value);
}

/* The number of bounds that are not above x. */
static bool add_bucket(reader *r, double x) {
    const double *const bounds = r->column->bounds.at;
    size_t low = 0, high = r->column->bounds.used / sizeof *bounds;
    if (isnan(x)) return stop_value(r, "a number", "leave the field empty where there is none");
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (bounds[middle] <= x)
            low = middle + 1;
        else
            high = middle;
    }
    add_number_factor(r, (int32_t)low, 1);
    return add_entry(r, r->column->first + (int64_t)low, 1);
}

static bool read_number(reader *r) {
    double x = 0;
    spc_rounded rounded;
    if (!spc_csv_read_number(&r->column->form, &r->field, &x, &rounded))
        return r->column->form.coerces ? add_missing(r) : stop_number(r);
    if (rounded.f32 && r->column->kind == SPC_CSV_NUMERIC) r->cursor.block->narrowed++;
    return r->column->kind == SPC_CSV_BUCKETS ? add_bucket(r, x) : add_number(r, x);
}

static bool add_hash(reader *r) {
    const uint64_t seed = r->column->seed;
    const uint64_t hash = spc_hash_name(r->field.at, r->field.length, seed);
    const uint64_t column = hash & (((uint64_t)1 << r->csv->bits) - 1);
    if (r->csv->owners)
        spc_owners_note(r->csv->owners, column,
                        XXH3_64bits_withSeed(r->field.at, r->field.length, seed));
    if (r->csv->kept)
        spc_kept_names_note(r->csv->kept, (int64_t)column, name_of(r), "=",
                            (spc_name_part){r->field.at, r->field.length});
    add_word_factor(r);
    return add_entry(r, (int64_t)column, 1);
}

static bool hash_text(reader *r) {
    spc_block *const block = r->cursor.block;
    const spc_csv_hashing how = {.ngrams = r->column->ngrams,
                                 .seed = r->column->seed,
                                 .bits = r->csv->bits,
                                 .owners = r->csv->owners,
                                 .kept = r->csv->kept,
                                 .name = name_of(r),
                                 .weights = r->column->weights.at,
                                 .counts = r->column->counts.at};
    const int64_t count =
        spc_csv_hash_words(&how, r->field.at, r->field.length, block->indices + block->entries,
                           block->values + block->entries);
    const int64_t first = block->entries;
    for (int64_t i = 0; i < count; i++) /* with its field */
        add_entry(r, block->indices[block->entries], block->values[block->entries]);
    add_text_factors(r, first);
    return true;
}

/* Hashing writes to the text, of which a tag must stay what it is. */
static bool add_text(reader *r) {
    const spc_span *const tags = r->cursor.block->tags;
    const size_t begin = (size_t)(r->field.at - r->cursor.block->text), bytes = r->field.length;
    if (!tags || tags[r->cursor.block->rows].begin != begin) return hash_text(r);
    char *const copy = malloc(bytes);
    if (!copy) return stop_value(r, "a text for which there is memory", "use shorter texts");
    memcpy(copy, r->field.at, bytes);
    const bool is_good = hash_text(r);
    memcpy(r->field.at, copy, bytes);
    free(copy);
    return is_good;
}

static bool add_later(reader *r) {
    add_word_factor(r);
    const int64_t column = r->column - spc_csv_columns(r->csv);
    return add_entry(r, later | column << PLACE_BITS | place_of_field(r), 1);
}

/* A model has no column for other words than those of its training data. */
static bool add_word(reader *r) {
    if (r->column->learns) return add_later(r);
    const int64_t number = spc_word_find(&r->column->words, r->field.at, r->field.length);
    if (number < 0 && r->csv->desc->columns > 0) {
        r->cursor.block->unknown++;
        return add_missing(r);
    }
    if (number < 0)
        return stop_value(r, "a value that the description has",
                          "add it to its line there, or describe the column as hashed");
    add_word_factor(r);
    return add_entry(r, r->column->first + number, 1);
}

/* Most numbers begin with a digit, and no word that stands for a missing one does. */
static inline bool is_missing_number(const reader *r) {
    const char first = r->field.at[0];
    return !(first >= '0' && first <= '9') && spc_csv_is_missing(r->field.at, r->field.length);
}

static bool read_value(reader *r) {
    const spc_csv_kind kind = r->column->kind;
    if (kind == SPC_CSV_LABEL) return read_label(r);
    if (kind == SPC_CSV_WEIGHT) return read_weight(r);
    if (kind == SPC_CSV_SKIP) return true;
    if (r->field.length == 0) return add_missing(r);
    if (kind == SPC_CSV_HASHED) return add_hash(r);
    if (kind == SPC_CSV_TEXT) return add_text(r);
    if (kind == SPC_CSV_DICTIONARY) return add_word(r);
    return is_missing_number(r) ? add_missing(r) : read_number(r);
}

/* ---- records -------------------------------------------------------------------------------- */

static bool read_fields(reader *r) {
    const int64_t count = spc_csv_field_count(r->csv);
    const int32_t *const columns = r->csv->fields.at;
    int64_t i = 0;
    r->text.at_record_end = false;
    for (; !r->text.at_record_end; i++) {
        const spc_csv_fault fault = spc_csv_next(&r->text, &r->field);
        r->at_fault = fault != SPC_CSV_GOOD;
        if (r->at_fault) return stop(r, spc_csv_fault_text(fault));
        if (i == count) return stop_count(r, i + 1);
        if (i == r->csv->tag) spc_cursor_tag(&r->cursor, r->field.at, r->field.length);
        r->column = &spc_csv_columns(r->csv)[columns[i]];
        if (!read_value(r)) return false;
    }
    return i == count || stop_count(r, i);
}

/* Words without a number are behind all others when a row is sorted. */
static bool end_record(reader *r, int64_t first) {
    spc_block *const block = r->cursor.block;
    bool disorder = false;
    for (int64_t k = first; k < block->entries; k++) {
        const int64_t index = block->indices[k];
        if (k > first && index <= block->indices[k - 1]) disorder = true;
        if (index >= later) continue;
        if (index > block->maximum) block->maximum = index;
        if (index < block->minimum) block->minimum = index;
    }
    return spc_cursor_end_row(&r->cursor, first, false, disorder);
}

static bool read_record(reader *r) {
    spc_block *const block = r->cursor.block;
    const int64_t first = block->entries;
    r->cursor.line = r->text.line;
    r->cursor.line_number = r->text.line_number;
    block->weights[block->rows] = 1;
    spc_factors_begin(block, r->cursor.rules->crossing);
    if (!read_fields(r)) return false;
    spc_factors_cross(block, r->cursor.rules->crossing);
    return end_record(r, first);
}

/* For those who go on after a problem: where the quotes are wrong, nobody knows where the next
 * record begins. */
static void skip_bad_record(reader *r) {
    spc_block *const block = r->cursor.block;
    spc_csv_field field;
    block->problem_line = r->cursor.line_number;
    block->resume = 0;
    if (r->at_fault) return;
    while (!r->text.at_record_end)
        if (spc_csv_next(&r->text, &field) != SPC_CSV_GOOD) return;
    block->resume = (size_t)(r->text.at - block->text);
    block->resume_line = r->text.line_number;
}

static void read_csv(spc_block *block, const spc_block_rules *rules) {
    const spc_csv *const csv = rules->plan;
    char *const begin = spc_block_begin(block, rules);
    reader r = {.csv = csv,
                .cursor = {.block = block, .rules = rules},
                .text = {.at = begin,
                         .line = begin,
                         .line_number = block->resume_line,
                         .end = block->text + block->length,
                         .delimiter = csv->delimiter}};
    if (begin == block->text) /* before fields are changed, and once */
        block->not_utf8 = spc_count_not_utf8(begin, block->length, &block->first_not_utf8);
    while (spc_csv_skip_blank_lines(&r.text))
        if (!read_record(&r)) {
            skip_bad_record(&r);
            return;
        }
}

const spc_block_format spc_csv_format = {.what = "CSV",
                                         .read = read_csv,
                                         .add = spc_csv_learn,
                                         .cross_room = spc_csv_cross_room,
                                         .entry_bytes = 2, /* "," and one byte */
                                         .has_weights = true,
                                         .any_order = true,
                                         .is_hashed = true};

/* ---- words that are numbered in file order -------------------------------------------------- */

static sparcl_status learn(spc_csv *csv, spc_csv_column *column, const char *word, int64_t *index) {
    const size_t length = strlen(word);
    const int64_t number = spc_word_find(&column->words, word, length);
    if (number >= 0) {
        *index = ((const int64_t *)column->learnt.at)[number];
        return SPARCL_OK;
    }
    *index = csv->width;
    SPC_TRY(spc_array_reserve(&column->learnt, sizeof *index, csv->allocator, csv->error));
    SPC_TRY(spc_word_add(&column->words, word, length, csv->allocator, csv->error));
    csv->width++;
    return spc_array_add(&column->learnt, index, sizeof *index, csv->allocator, csv->error);
}

static void note_not_utf8(spc_csv *csv, const spc_block *block) {
    if (csv->not_utf8 == 0 && block->not_utf8 > 0)
        csv->first_not_utf8 = csv->lines + block->first_not_utf8;
    csv->not_utf8 += block->not_utf8;
    csv->lines += block->lines;
}

sparcl_status spc_csv_learn(spc_block *block, const spc_block_rules *rules) {
    spc_csv *const csv = rules->plan;
    const int64_t places = ((int64_t)1 << PLACE_BITS) - 1;
    SPC_TRY(spc_csv_learn_labels(csv, block));
    spc_csv_add_moments(csv, block);
    note_not_utf8(csv, block);
    for (int64_t k = 0; csv->learns && k < block->entries; k++) {
        if (block->indices[k] < later) continue;
        const int64_t word = block->indices[k] - later;
        SPC_TRY(learn(csv, &spc_csv_columns(csv)[word >> PLACE_BITS], block->text + (word & places),
                      &block->indices[k]));
        block->minimum = spc_min_i64(block->minimum, block->indices[k]);
        block->maximum = spc_max_i64(block->maximum, block->indices[k]);
    }
    int64_t *const missing = csv->missing.at;
    for (int64_t i = 0; i < spc_csv_column_count(csv); i++)
        missing[i] += block->column_missing[i];
    return SPARCL_OK;
}
