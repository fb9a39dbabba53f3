/* id_pairs.c: reads lines of two ids and up to two numbers: edges of a graph, and ratings. */
#include "data/id_pairs.h"

#include <math.h>
#include <string.h>

#include "data/number.h"
#include "data/validation.h"
#include "data/words.h"

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

sparcl_status spc_pairs_read_id(const spc_lines *lines, const char **at, const char *what,
                                int64_t *id) {
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

static sparcl_status read_number(const spc_pairs *p, const char **at, double *value) {
    const char *const begin = *at;
    if (read_short(at, value)) return SPARCL_OK;
    const spc_number result = spc_read_f64(at, value);
    if (result == SPC_NUMBER_READ && isfinite(*value) && ends_field(*at)) return SPARCL_OK;
    return spc_lines_refuse(&p->lines, begin, "a finite decimal number", p->what);
}

static sparcl_status check_columns(spc_pairs *p, int found, const char *at) {
    if (p->columns == 0) p->columns = found;
    if (found == p->columns) return SPARCL_OK;
    return spc_lines_refuse_why(&p->lines, at,
                                "expected %d fields, as in the lines before, found %d; %s",
                                p->columns, found, p->what);
}

static sparcl_status read_fields(spc_pairs *p) {
    const char *at = spc_skip_blanks(p->lines.line);
    double unused = 0;
    int count = 2;
    SPC_TRY(spc_pairs_read_id(&p->lines, &at, p->what, &p->left));
    if (!next_field(&at)) return spc_lines_refuse(&p->lines, at, "a second id", p->what);
    p->right_at = at;
    SPC_TRY(spc_pairs_read_id(&p->lines, &at, p->what, &p->right));
    p->number = 1;
    while (next_field(&at)) {
        if (count == p->columns_max)
            return spc_lines_refuse(&p->lines, at, "the end of the line", p->what);
        if (count == 2) p->number_at = at;
        SPC_TRY(read_number(p, &at, count == 2 ? &p->number : &unused));
        count++;
    }
    return check_columns(p, count, at);
}

/* Of a heading the first character is no digit; nor is that of a web address. */
static bool is_heading(const spc_lines *lines) {
    const char first = *spc_skip_blanks(lines->line);
    return lines->number == 1 && (first < '0' || first > '9') && first != '-' && first != '\0';
}

static sparcl_status next_pair(spc_pairs *p, bool *any) {
    SPC_TRY(spc_lines_next_row(&p->lines, "#%", any));
    if (*any && is_heading(&p->lines)) {
        p->heading = true;
        SPC_TRY(spc_lines_next_row(&p->lines, "#%", any));
    }
    if (*any) return read_fields(p);
    if (p->columns > 0 || (p->notes && p->notes->count > 0)) return SPARCL_OK;
    return spc_lines_refuse(&p->lines, NULL, p->what, "use another file");
}

/* Where reading itself failed, there is no next line. */
sparcl_status spc_pairs_next(spc_pairs *p, bool *any) {
    sparcl_error *const error = p->lines.error;
    for (;;) {
        const sparcl_status status = next_pair(p, any);
        if (status != SPARCL_E_FORMAT || !p->notes || !*any || !error) return status;
        p->notes->count++;
        SPC_TRY(p->notes->add(p->notes, p->lines.number, p->lines.number + 1, error->message));
    }
}
