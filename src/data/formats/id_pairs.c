/* id_pairs.c: reads lines of two ids and up to two numbers, with several threads: edges of a graph,
 * and ratings. */
#include "data/formats/id_pairs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/formats/block_pairs.h"
#include "data/io/block_reader.h"
#include "data/io/number.h"
#include "data/io/words.h"

static bool ends_field(const char *at) {
    return spc_is_blank(*at) || spc_at_line_end(at) || *at == ',' || *at == ';' ||
           (at[0] == ':' && at[1] == ':') || *at == '#' || *at == '%';
}

/* Moves *at behind what separates two fields; false at the end of the line. */
static bool next_field(const char **at) {
    const char *next = spc_skip_blanks(*at);
    if (spc_at_line_end(next) || *next == '#' || *next == '%') return false;
    if (*next == ',' || *next == ';')
        next++;
    else if (next[0] == ':' && next[1] == ':')
        next += 2;
    *at = spc_skip_blanks(next);
    return true;
}

sparcl_status spc_id_read(const spc_lines *lines, const char **at, const char *what, int64_t *id) {
    const char *const begin = *at;
    if (spc_read_count(at, id) && ends_field(*at)) {
        if (*id < INT64_MAX) return SPARCL_OK;
        return spc_lines_refuse(lines, begin, "an id up to 9223372036854775806",
                                "renumber the ids");
    }
    *at = begin;
    return spc_lines_refuse(lines, begin, "an id, a whole number of at least 0", what);
}

/* Up to seven digits, a point and up to seven more, as most ratings are: both whole numbers and the
 * power of ten are exact, so that their quotient is correctly rounded. */
static bool read_short(const char **at, double *value) {
    static const double powers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7};
    uint64_t whole = 0, part = 0;
    const unsigned digits = spc_parse_digits(*at, &whole);
    const char *end = *at + digits;
    unsigned places = 0;
    if (digits == 0 || digits == 8) return false;
    if (*end == '.') {
        places = spc_parse_digits(++end, &part);
        end += places;
        if (places == 0 || places == 8) return false;
    }
    if (!ends_field(end)) return false;
    *value = ((double)whole * powers[places] + (double)part) / powers[places];
    *at = end;
    return true;
}

static sparcl_status read_number(const spc_id_pairs *p, const spc_lines *lines, const char **at,
                                 double *value, spc_rounded *rounded) {
    const char *const begin = *at;
    *rounded = (spc_rounded){.f32 = false};
    if (read_short(at, value)) return SPARCL_OK;
    const spc_number result = spc_read_f64(at, value, rounded);
    if (result == SPC_NUMBER_READ && isfinite(*value) && ends_field(*at)) return SPARCL_OK;
    return spc_lines_refuse(lines, begin, "a finite decimal number", p->what);
}

static sparcl_status read_pair_number(const spc_id_pairs *p, const spc_lines *lines,
                                      const char **at, double *number) {
    const char *const begin = *at;
    spc_rounded rounded;
    SPC_TRY(read_number(p, lines, at, number, &rounded));
    if (lines->block) lines->block->narrowed += p->is_weighted ? rounded.f32 : rounded.f64;
    if (!p->is_weighted || isfinite((float)*number)) return SPARCL_OK;
    return spc_lines_refuse(lines, begin, "a weight in the range of a 32-bit float, up to 3.4e38",
                            "scale the weights");
}

static sparcl_status read_numbers(const spc_id_pairs *p, const spc_lines *lines, const char **at,
                                  spc_id_pair *pair, int *columns) {
    double unused = 0;
    spc_rounded rounded;
    for (; next_field(at); ++*columns) {
        if (*columns == p->columns_max)
            return spc_lines_refuse(lines, *at, "the end of the line", p->what);
        if (*columns == 2)
            SPC_TRY(read_pair_number(p, lines, at, &pair->number));
        else
            SPC_TRY(read_number(p, lines, at, &unused, &rounded));
    }
    return SPARCL_OK;
}

static sparcl_status read_fields(const spc_id_pairs *p, const spc_lines *lines, spc_id_pair *pair,
                                 int *columns) {
    const char *at = spc_skip_blanks(lines->line);
    SPC_TRY(spc_id_read(lines, &at, p->what, &pair->left));
    if (!next_field(&at)) return spc_lines_refuse(lines, at, "a second id", p->what);
    SPC_TRY(spc_id_read(lines, &at, p->what, &pair->right));
    pair->number = 1;
    *columns = 2;
    SPC_TRY(read_numbers(p, lines, &at, pair, columns));
    if (p->columns == 0 || *columns == p->columns) return SPARCL_OK;
    return spc_lines_refuse_why(lines, at,
                                "expected %d fields, as in the lines before, found %d; %s",
                                p->columns, *columns, p->what);
}

/* ---- fields by their names ------------------------------------------------------------------ */

static const char *skip_spaces(const char *at, char delimiter) {
    while (*at == ' ' || (*at == '\t' && delimiter != '\t'))
        at++;
    return at;
}

/* Behind a field that is not used, with its quotes. */
static const char *skip_field(const char *at, char delimiter) {
    for (bool open = false; !spc_at_line_end(at) && (open || *at != delimiter); at++)
        open ^= *at == '"';
    return at;
}

static sparcl_status read_named_field(const spc_id_pairs *p, const spc_lines *lines,
                                      const char **at, int64_t i, spc_id_pair *pair) {
    const spc_rating_fields *const f = &p->names->fields;
    if (i == f->user) return spc_id_read(lines, at, p->what, &pair->left);
    if (i == f->item) return spc_id_read(lines, at, p->what, &pair->right);
    if (i == f->rating) return read_pair_number(p, lines, at, &pair->number);
    *at = skip_field(*at, p->names->delimiter);
    return SPARCL_OK;
}

static sparcl_status refuse_end(const spc_id_pairs *p, const spc_lines *lines, const char *at) {
    const char *const expected = p->names->delimiter == ','   ? "a comma"
                                 : p->names->delimiter == ';' ? "a semicolon"
                                                              : "a tab";
    char remedy[96];
    snprintf(remedy, sizeof remedy, "the heading has %d names between %ss",
             (int)p->names->fields.count, expected + 2);
    return spc_lines_refuse(lines, at, expected, remedy);
}

static sparcl_status read_named(const spc_id_pairs *p, const spc_lines *lines, spc_id_pair *pair) {
    const char delimiter = p->names->delimiter;
    const int64_t count = p->names->fields.count;
    const char *at = skip_spaces(lines->line, delimiter);
    pair->number = 1;
    for (int64_t i = 0; i < count; i++) {
        SPC_TRY(read_named_field(p, lines, &at, i, pair));
        at = skip_spaces(at, delimiter);
        if (i + 1 == count || delimiter == ' ') continue;
        if (*at != delimiter) return refuse_end(p, lines, at);
        at = skip_spaces(at + 1, delimiter);
    }
    if (spc_at_line_end(at) || *at == '#' || *at == '%') return SPARCL_OK;
    return spc_lines_refuse(lines, at, "the end of the line", "the heading has no more names");
}

static sparcl_status read_pair(const void *plan, const spc_lines *lines, spc_id_pair *pair) {
    const spc_id_pairs *const p = plan;
    int columns = 0;
    return p->names ? read_named(p, lines, pair) : read_fields(p, lines, pair, &columns);
}

static const char comments[] = "#%";

static void read_block(spc_block *block, const spc_block_rules *rules) {
    spc_block_read_pairs(block, rules, comments, read_pair);
}

static sparcl_status add_block(spc_block *block, const spc_block_rules *rules) {
    const spc_id_pairs *const p = rules->plan;
    return p->add(p->user, block->pairs, block->rows, block->lines_before);
}

/* A heading has letters and no digit: a line with one may be data. */
static bool is_heading(const spc_lines *lines) {
    bool letters = false;
    for (const char *at = lines->line; !spc_at_line_end(at); at++) {
        if ((*at >= '0' && *at <= '9') || *at == '\0') return false;
        letters |= (*at | 0x20) >= 'a' && (*at | 0x20) <= 'z';
    }
    return letters;
}

/* The fields of the first line that can be read, of those in memory. */
static int find_columns(const spc_id_pairs *p, const spc_lines *lines) {
    sparcl_error unused;
    spc_lines probe = *lines;
    spc_id_pair pair;
    bool any = true;
    probe.error = &unused;
    probe.at_end = true;
    for (int columns = 0; any; columns = 0) {
        if (read_fields(p, &probe, &pair, &columns) == SPARCL_OK) return columns;
        if (spc_lines_next_row(&probe, comments, &any) != SPARCL_OK) break;
    }
    return 0;
}

/* Go to the first line of pairs, and find out what lines have. */
static sparcl_status begin(spc_id_pairs *p, spc_lines *lines) {
    bool any = false;
    p->columns = 0;
    SPC_TRY(spc_lines_next_row(lines, comments, &any));
    p->heading = any && is_heading(lines);
    if (p->heading) SPC_TRY(spc_lines_next_row(lines, comments, &any));
    if (!any) return spc_lines_refuse(lines, NULL, p->what, "use another file");
    if (p->names) return SPARCL_OK;
    p->columns = find_columns(p, lines);
    if (p->heading_fields == 0 || p->columns == 0 || p->columns == p->heading_fields)
        return SPARCL_OK;
    return spc_lines_refuse_why(lines, lines->line,
                                "expected %d fields, as the heading has names, found %d; name all "
                                "fields there",
                                (int)p->heading_fields, p->columns);
}

sparcl_status spc_id_pairs_read(spc_id_pairs *pairs, sparcl_data *data, spc_input *input,
                                const sparcl_data_desc *desc, sparcl_error *error) {
    static const spc_block_format format = {
        .what = "pairs of ids", .read = read_block, .add = add_block, .has_pairs = true};
    spc_lines lines = spc_lines_of(input, error);
    spc_array rest = {0};
    spc_block_rules rules = {.format = &format, .plan = pairs, .begun = &rest};
    sparcl_status status = begin(pairs, &lines);
    if (status == SPARCL_OK) {
        rules.begun_lines = lines.number - 1;
        rest = spc_lines_take_rest(&lines, true);
        status = spc_blocks_read(data, input, &rules, desc, error);
    }
    spc_lines_free(&lines);
    spc_array_free(&rest, &data->allocator);
    return status;
}
