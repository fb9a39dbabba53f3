/* svmblock.c: parses the rows of one block of LIBSVM text.
 */
#include "data/svmblock.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "data/number.h"
#include "data/words.h"

/* The position of the parser in the block. */
typedef struct cursor {
    spc_svm_block *block;
    const spc_svm_rules *rules;
    const char *line; /* its first byte */
    int64_t line_number;
} cursor;

size_t spc_svm_max_entries(size_t length) {
    return length / 4 + 1; /* " 1:1" */
}

size_t spc_svm_max_labels(size_t length) {
    return length / 2 + 1; /* "1," */
}

static spc_position position_of(const cursor *c, const char *at, int64_t index) {
    return (spc_position){.line = c->line_number, .column = at - c->line + 1, .index = index};
}

/* Stop with the message "expected ..., found <the word at `at`>; <how to fix it>". Always returns
 * false. */
static bool stop(cursor *c, const char *at, const char *expected, const char *remedy) {
    spc_svm_block *block = c->block;
    block->problem = position_of(c, at, 0);
    spc_text why = spc_text_in(block->why, sizeof block->why);
    spc_text_add(&why, "expected %s, found ", expected);
    spc_text_add_word(&why, at, block->text + block->length);
    spc_text_add(&why, "; %s", remedy);
    return false;
}

static bool stop_at_label(cursor *c, const char *at) {
    const char *end = at;
    while (!spc_ends_word(*end) && *end != ':' && *end != '\0')
        end++;
    if (*end == ':')
        return stop(c, at, "a label",
                    "write a label before the first index:value (a row without label is read only "
                    "as multi-label data)");
    return stop(c, at, "a label, a finite decimal number",
                "this is read as LIBSVM text, \"label index:value index:value ...\"; write labels "
                "as numbers, or remove the line");
}

static bool stop_at_index(cursor *c, const char *at) {
    if (*at == '-')
        return stop(c, at, "an index of at least 0",
                    "indices cannot be negative; remove the entry");
    if (strncmp(at, "qid:", 4) == 0)
        return stop(c, at, "qid: only once, with digits, directly after the label",
                    "fix or remove it");
    return stop(c, at, "index:value", "write every feature as index:value, a comment after \"#\"");
}

/* A carriage return must be followed by a line feed, and a comment must not contain a NUL. Moves
 * *at to the end of the line. */
static bool skip_line_end(cursor *c, const char **at) {
    if (**at == '#') {
        const char *end = memchr(*at, '\n', (size_t)(c->block->text + c->block->length - *at));
        const char *nul = memchr(*at, '\0', (size_t)(end - *at));
        if (nul) return stop(c, nul, "text", "a comment must not contain a NUL byte; remove it");
        *at = end;
    }
    if (**at == '\r' && (*at)[1] != '\n')
        return stop(c, *at, "a line feed after the carriage return", "end lines with LF or CR LF");
    *at += **at == '\r';
    return true;
}

static bool read_label(cursor *c, const char **at) {
    double label;
    const char *const begin = *at;
    const spc_number result = spc_read_f64(at, &label);
    const bool listed = c->rules->multilabel && **at == ',';
    if (result == SPC_NUMBER_NONE || (!spc_ends_word(**at) && **at != ',') ||
        (result == SPC_NUMBER_READ && !isfinite(label)))
        return stop_at_label(c, begin);
    if (result == SPC_NUMBER_RANGE)
        return stop(c, begin, "a label below 1.8e308", "write a smaller number");
    if (**at == ',' && !listed)
        return stop(c, begin, "one label",
                    "keep one label per row, or read the file as multi-label data");
    c->block->labels[c->block->label_count++] = label;
    return true;
}

/* A row whose first word contains a colon has no label. */
static bool first_word_is_feature(const char *at) {
    while (!spc_ends_word(*at) && *at != ':' && *at != '\0')
        at++;
    return *at == ':';
}

static bool read_labels(cursor *c, const char **at) {
    if (!c->rules->multilabel) return read_label(c, at);
    if (first_word_is_feature(*at)) return true;
    while (read_label(c, at)) {
        if (**at != ',') return true;
        ++*at;
    }
    return false;
}

/* The query number of ranking data is not used. */
static bool skip_query(cursor *c, const char **at) {
    const char *end = spc_skip_blanks(*at);
    if (strncmp(end, "qid:", 4) != 0) return true;
    const char *const digits = end + 4;
    for (end = digits; *end >= '0' && *end <= '9';)
        end++;
    if (end == digits || !spc_ends_word(*end)) return stop_at_index(c, spc_skip_blanks(*at));
    *at = end;
    return true;
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

/* Parse "index:"; moves *at to the value. */
static inline bool read_index(cursor *c, const char **at, int64_t *index) {
    const char *const begin = *at;
    uint64_t value;
    const unsigned count = spc_parse_digits(begin, &value);
    *at += count;
    if (count == 8 && !parse_long_index(at, &value))
        return stop(c, begin, "an index up to 9223372036854775807", "renumber the features");
    if (count == 0) return stop_at_index(c, begin);
    if (**at != ':') {
        if (spc_ends_word(**at))
            return stop(c, *at, "\":\" and a value after the index",
                        "write every feature as index:value, such as 5:1");
        return stop(c, *at, "\":\" after the index", "write every feature as index:value");
    }
    ++*at;
    *index = (int64_t)value;
    if (*index < c->rules->min_index)
        return stop(
            c, begin, "an index of at least 1",
            "the file is read with indices from 1; read it with indices from 0, or renumber it");
    return true;
}

static bool stop_at_value(cursor *c, const char *begin, const char *end, spc_number result) {
    if (result == SPC_NUMBER_RANGE && spc_ends_word(*end))
        return stop(c, begin, "a number in the range of a 32-bit float, up to 3.4e38",
                    "scale the feature, or write inf");
    if (result == SPC_NUMBER_NONE)
        return stop(c, begin, "a value after \":\"", "write every feature as index:value");
    return stop(c, end, "a blank after the value",
                *end == ':' ? "an entry is index:value with one colon (field:index:value triples "
                              "are another format)"
                            : "write values as decimal numbers, such as -1.5e-3");
}

static void note_not_finite(cursor *c, const char *at) {
    if (c->block->not_finite.column == 0) c->block->not_finite = position_of(c, at, 0);
}

static inline bool read_value(cursor *c, const char **at, float *value) {
    const char *const begin = *at;
    const unsigned digit = (unsigned)(begin[0] - '0');
    if (digit <= 9 && (begin[1] == ' ' || begin[1] == '\n')) { /* most binary data */
        *value = (float)digit;
        *at = begin + 1;
        return true;
    }
    const spc_number result = spc_read_f32(at, value);
    if (result != SPC_NUMBER_READ || !spc_ends_word(**at))
        return stop_at_value(c, begin, *at, result);
    if (!isfinite(*value)) note_not_finite(c, begin);
    return true;
}

static void note_width(cursor *c, const char *at, int64_t index) {
    spc_svm_block *block = c->block;
    if (block->at_width.column == 0) block->at_width = position_of(c, at, index);
    if (index > c->rules->width && block->past_width.column == 0)
        block->past_width = position_of(c, at, index);
}

/* Handle an index that is not above its predecessor: sorting repairs it, unless the rules are
 * strict. */
static bool check_disorder(cursor *c, const char *at, int64_t index, int64_t before,
                           bool *unsorted) {
    if (index < before) *unsorted = true;
    if (!c->rules->strict) return true;
    char expected[64];
    spc_text text = spc_text_in(expected, sizeof expected);
    spc_text_add(&text, "an index above %" PRId64, before);
    return stop(c, at, expected, "sort the row and add duplicate indices");
}

static void end_row(cursor *c, int64_t first, bool unsorted, bool disorder) {
    spc_svm_block *block = c->block;
    block->stored += block->entries - first;
    if (disorder) {
        const int64_t count = block->entries - first;
        const int64_t kept =
            spc_repair_row(block->indices + first, block->values + first, count, block->sorting);
        block->entries = first + kept;
        block->duplicates += count - kept;
        block->unsorted_rows += unsorted;
        for (int64_t k = first; k < block->entries; k++) /* a sum may have overflowed */
            if (!isfinite(block->values[k])) note_not_finite(c, c->line);
    }
    block->row_lines[block->rows] = c->line_number;
    if (c->rules->multilabel) block->label_ends[block->rows] = block->label_count;
    block->row_ends[block->rows++] = block->entries;
}

static bool read_features(cursor *c, const char **from) {
    spc_svm_block *const block = c->block;
    const int64_t first = block->entries, width = c->rules->width;
    const char *at = *from;
    int64_t entries = first, before = -1, minimum = block->minimum, maximum = block->maximum;
    bool unsorted = false, disorder = false;
    for (;;) {
        at = spc_skip_blanks(at);
        if (*at == '\n' || *at == '\r' || *at == '#') break;
        const char *const begin = at;
        int64_t index = 0;
        if (!read_index(c, &at, &index) || !read_value(c, &at, &block->values[entries]))
            return false;
        if (index <= before) {
            disorder = true;
            if (!check_disorder(c, begin, index, before, &unsorted)) return false;
        }
        if (index >= width) note_width(c, begin, index);
        if (index > maximum) maximum = index;
        if (index < minimum) minimum = index;
        before = index;
        block->indices[entries++] = index;
    }
    block->entries = entries;
    block->minimum = minimum;
    block->maximum = maximum;
    *from = at;
    end_row(c, first, unsorted, disorder);
    return true;
}

/* Moves *at to the first byte of the next line. */
static bool read_line(cursor *c, const char **at) {
    *at = spc_skip_blanks(*at);
    const bool empty = **at == '\n' || **at == '#' || (**at == '\r' && (*at)[1] == '\n');
    if (!empty && !(read_labels(c, at) && skip_query(c, at) && read_features(c, at))) return false;
    if (!skip_line_end(c, at)) return false;
    ++*at;
    return true;
}

void spc_svm_block_read(spc_svm_block *block, const spc_svm_rules *rules) {
    block->rows = block->entries = block->label_count = block->stored = 0;
    block->duplicates = block->unsorted_rows = 0;
    block->minimum = INT64_MAX;
    block->maximum = -1;
    block->at_width = block->past_width = (spc_position){0};
    block->not_finite = block->problem = (spc_position){0};
    cursor c = {.block = block, .rules = rules};
    const char *at = block->text;
    const char *const end = at + block->length;
    for (; at < end; c.line_number++) {
        c.line = at;
        if (!read_line(&c, &at)) return;
    }
}
