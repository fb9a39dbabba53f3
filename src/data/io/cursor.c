/* cursor.c: the position of a parser in a block of lines, and what the formats of text share. */
#include "data/io/cursor.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "data/io/number.h"
#include "data/io/words.h"

size_t spc_block_max_entries(const spc_block_format *format, size_t length) {
    return length / format->entry_bytes + 1;
}

size_t spc_block_max_labels(size_t length) {
    return length / 2 + 1; /* "1," */
}

static spc_position position_of(const spc_cursor *c, const char *at, int64_t index) {
    return (spc_position){.line = c->line_number, .column = at - c->line + 1, .index = index};
}

bool spc_cursor_stop(spc_cursor *c, const char *at, const char *expected, const char *remedy) {
    spc_block *block = c->block;
    block->problem = position_of(c, at, 0);
    spc_text why = spc_text_in(block->why, sizeof block->why);
    spc_text_add(&why, "expected %s, found ", expected);
    spc_text_add_word(&why, at, block->text + block->length);
    spc_text_add(&why, "; %s", remedy);
    return false;
}

static bool stop_at_label(spc_cursor *c, const char *at) {
    const char *end = at;
    char remedy[160];
    while (!spc_ends_word(*end) && *end != ':' && *end != '\0')
        end++;
    if (*end == ':')
        return spc_cursor_stop(
            c, at, "a label",
            "write a label before the first index:value (a row without label is read only "
            "as multi-label data)");
    spc_text text = spc_text_in(remedy, sizeof remedy);
    spc_text_add(&text,
                 "this is read as %s; write labels as numbers, or name another "
                 "format (--format csv)",
                 c->rules->format->what);
    return spc_cursor_stop(c, at, "a label, a finite decimal number", remedy);
}

static bool read_label(spc_cursor *c, const char **at) {
    double label;
    spc_rounded rounded;
    const char *const begin = *at;
    const spc_number result = spc_read_f64(at, &label, &rounded);
    const bool listed = c->rules->multilabel && **at == ',';
    if (result == SPC_NUMBER_NONE || (!spc_ends_word(**at) && **at != ',') ||
        (result == SPC_NUMBER_READ && !isfinite(label)))
        return stop_at_label(c, begin);
    if (result == SPC_NUMBER_RANGE)
        return spc_cursor_stop(c, begin, "a label below 1.8e308", "write a smaller number");
    if (**at == ',' && !listed)
        return spc_cursor_stop(c, begin, "one label",
                               "keep one label per row, read the file as multi-label data, or "
                               "name another format (--format csv)");
    c->block->labels[c->block->label_count++] = label;
    c->block->narrowed += rounded.f64;
    return true;
}

/* A row whose first word contains a colon has no label. */
static bool first_word_is_feature(const char *at) {
    while (!spc_ends_word(*at) && *at != ':' && *at != '\0')
        at++;
    return *at == ':';
}

/* So does a row that begins with an index, as data for a model may. */
static bool begins_with_index(const char *at) {
    const char *end = at;
    while (*end >= '0' && *end <= '9')
        end++;
    return (end > at && *end == ':') || strncmp(at, "qid:", 4) == 0;
}

bool spc_cursor_read_labels(spc_cursor *c, const char **at) {
    if (!c->rules->multilabel) {
        if (!begins_with_index(*at)) return read_label(c, at);
        spc_cursor_no_label(c, *at);
        return true;
    }
    if (first_word_is_feature(*at)) return true;
    while (read_label(c, at)) {
        if (**at != ',') return true;
        ++*at;
    }
    return false;
}

/* Parse the digits after the first 8; false when the number exceeds 2^63 - 1. */
static bool parse_long_index(const char **at, uint64_t *index) {
    for (; **at >= '0' && **at <= '9'; ++*at) {
        const uint64_t digit = (uint64_t)(**at - '0');
        if (*index > ((uint64_t)INT64_MAX - digit) / 10) return false;
        *index = *index * 10 + digit;
    }
    return true;
}

bool spc_cursor_read_long_digits(spc_cursor *c, const char *begin, const char **at,
                                 int64_t *index) {
    uint64_t value = (uint64_t)*index;
    if (!parse_long_index(at, &value))
        return spc_cursor_stop(c, begin, "an index up to 9223372036854775807",
                               "renumber the features");
    *index = (int64_t)value;
    return true;
}

static bool stop_at_value(spc_cursor *c, const char *begin, const char *end, spc_number result,
                          const char *colons) {
    if (result == SPC_NUMBER_RANGE && spc_ends_word(*end))
        return spc_cursor_stop(c, begin, "a number in the range of a 32-bit float, up to 3.4e38",
                               "scale the feature, or write inf");
    if (result == SPC_NUMBER_NONE)
        return spc_cursor_stop(c, begin, "a value after \":\"",
                               "write every feature as index:value");
    return spc_cursor_stop(c, end, "a blank after the value",
                           *end == ':' ? colons
                                       : "write values as decimal numbers, such as -1.5e-3");
}

void spc_cursor_no_label(spc_cursor *c, const char *at) {
    spc_block *const block = c->block;
    if (block->without_label.column == 0) block->without_label = position_of(c, at, 0);
    block->labels[block->label_count++] = (double)NAN;
    block->unlabelled++;
}

void spc_cursor_tag(spc_cursor *c, const char *at, size_t length) {
    spc_block *const block = c->block;
    if (block->tags) block->tags[block->rows] = (spc_span){(size_t)(at - block->text), length};
}

void spc_cursor_note_not_finite(spc_cursor *c, const char *at) {
    if (c->block->not_finite.column == 0) c->block->not_finite = position_of(c, at, 0);
}

bool spc_cursor_read_any_value(spc_cursor *c, const char **at, float *value, const char *colons) {
    const char *const begin = *at;
    bool rounded = false;
    const spc_number result = spc_read_f32(at, value, &rounded);
    if (result != SPC_NUMBER_READ || !spc_ends_word(**at))
        return stop_at_value(c, begin, *at, result, colons);
    if (rounded) c->block->narrowed++;
    if (!isfinite(*value)) spc_cursor_note_not_finite(c, begin);
    return true;
}

void spc_cursor_note_width(spc_cursor *c, const char *at, int64_t index) {
    spc_block *block = c->block;
    if (block->at_width.column == 0) block->at_width = position_of(c, at, index);
    if (index > c->rules->width && block->past_width.column == 0)
        block->past_width = position_of(c, at, index);
}

bool spc_cursor_check_disorder(spc_cursor *c, const char *at, int64_t index, int64_t before,
                               bool *unsorted) {
    if (c->rules->format->any_order) return true;
    if (index < before) *unsorted = true;
    if (!c->rules->strict) return true;
    char expected[64];
    spc_text text = spc_text_in(expected, sizeof expected);
    spc_text_add(&text, "an index above %" PRId64, before);
    return spc_cursor_stop(c, at, expected, "sort the row and add duplicate indices");
}

static void repair(spc_cursor *c, int64_t first, bool unsorted) {
    spc_block *block = c->block;
    const int64_t count = block->entries - first;
    const int64_t kept =
        spc_repair_row(block->indices + first, block->values + first,
                       block->fields ? block->fields + first : NULL, count, block->sorting);
    block->entries = first + kept;
    block->duplicates += count - kept;
    block->unsorted_rows += unsorted;
    for (int64_t k = first; k < block->entries; k++) /* a sum may have overflowed */
        if (!isfinite(block->values[k])) spc_cursor_note_not_finite(c, c->line);
}

/* Entries in any order: only a row that was sorted shows whether an index stands twice. */
static bool stop_at_duplicate(spc_cursor *c) {
    return spc_cursor_stop(c, c->line, "every index once in a row, in the row that begins here",
                           "add the values of duplicate indices");
}

/* Its counts stay: they are about the file. */
static bool leave_out(spc_cursor *c, int64_t first) {
    spc_block *const block = c->block;
    block->entries = first;
    block->label_count--;
    block->row_lines[block->lines - block->unlabelled] = c->line_number;
    return true;
}

bool spc_cursor_end_row(spc_cursor *c, int64_t first, bool unsorted, bool disorder) {
    spc_block *block = c->block;
    const int64_t before = block->duplicates;
    if (c->rules->labelled_only && block->label_count > block->rows &&
        isnan(block->labels[block->rows]))
        return leave_out(c, first);
    block->stored += block->entries - first;
    if (disorder && block->entries - first > 1) repair(c, first, unsorted);
    if (c->rules->strict && !c->rules->format->is_hashed && block->duplicates > before)
        return stop_at_duplicate(c);
    block->row_lines[block->rows] = c->line_number;
    if (c->rules->multilabel) block->label_ends[block->rows] = block->label_count;
    block->row_ends[block->rows++] = block->entries;
    return true;
}

/* A carriage return must be followed by a line feed, and a comment must not contain a NUL. Moves
 * *at to the end of the line. */
static bool skip_line_end(spc_cursor *c, const char **at) {
    if (**at == '#') {
        const char *end = memchr(*at, '\n', (size_t)(c->block->text + c->block->length - *at));
        const char *nul = memchr(*at, '\0', (size_t)(end - *at));
        if (nul)
            return spc_cursor_stop(c, nul, "text",
                                   "a comment must not contain a NUL byte; remove it");
        *at = end;
    }
    if (**at == '\r' && (*at)[1] != '\n')
        return spc_cursor_stop(c, *at, "a line feed after the carriage return",
                               "end lines with LF or CR LF");
    *at += **at == '\r';
    return true;
}

/* Moves *at to the first byte of the next line. */
static bool read_line(spc_cursor *c, const char **at, spc_read_row read, bool comments) {
    *at = spc_skip_blanks(*at);
    const bool empty = spc_at_line_end(*at) || (comments && **at == '#');
    if (!empty && !read(c, at)) return false;
    if (!skip_line_end(c, at)) return false;
    ++*at;
    return true;
}

static void clear(spc_block *block) {
    block->rows = block->entries = block->label_count = block->stored = 0;
    block->duplicates = block->unsorted_rows = block->missing = block->unknown = 0;
    block->narrowed = block->unlabelled = block->queries = block->unknown_ids = 0;
    block->negative = block->crossed = block->not_utf8 = 0;
    block->minimum = INT64_MAX;
    block->maximum = -1;
    block->max_field = -1;
    block->at_width = block->past_width = (spc_position){0};
    block->not_finite = block->without_label = block->problem = (spc_position){0};
}

/* What was read of the row with the problem is dropped. */
static void drop_row(spc_block *block, bool multilabel) {
    const int64_t rows = block->rows;
    block->entries = rows > 0 ? block->row_ends[rows - 1] : 0;
    if (multilabel)
        block->label_count = rows > 0 ? block->label_ends[rows - 1] : 0;
    else if (block->label_count > rows)
        block->label_count = rows;
    block->problem = (spc_position){0};
}

char *spc_block_begin(spc_block *block, const spc_block_rules *rules) {
    if (block->resume > 0)
        drop_row(block, rules->multilabel);
    else
        clear(block);
    return block->text + block->resume;
}

/* For those who go on after a problem. */
static void skip_bad_line(const spc_cursor *c) {
    spc_block *const block = c->block;
    const char *const end = block->text + block->length;
    block->problem_line = c->line_number;
    block->resume =
        (size_t)((const char *)memchr(c->line, '\n', (size_t)(end - c->line)) + 1 - block->text);
    block->resume_line = c->line_number + 1;
}

void spc_cursor_read_lines(spc_block *block, const spc_block_rules *rules, spc_read_row read,
                           bool comments) {
    const char *at = spc_block_begin(block, rules);
    const char *const end = block->text + block->length;
    spc_cursor c = {.block = block, .rules = rules, .line_number = block->resume_line};
    for (; at < end; c.line_number++) {
        c.line = at;
        if (!read_line(&c, &at, read, comments)) {
            skip_bad_line(&c);
            return;
        }
    }
}
