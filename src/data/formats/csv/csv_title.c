/* csv_title.c: titles above the heading of a table, as spreadsheets write them. */
#include <string.h>

#include "base/size.h"
#include "data/formats/csv/csv_shape.h"

enum { TITLES_MAX = 16, TITLE_FIELDS = 2 };

/* The records above a heading: of one, the most fields, and those that are not empty. */
typedef struct titles {
    int64_t count, fields, filled;
    bool has_blank;
} titles;

static int64_t count_filled(const spc_csv_record *r) {
    return r->fields - spc_csv_count_looks(r, SPC_CSV_NOTHING);
}

/* Its first field that is not empty is a word. */
static bool may_be_title(const spc_csv_record *r) {
    for (int64_t i = 0; i < spc_csv_looked_at(r); i++)
        if (r->looks[i] != SPC_CSV_NOTHING)
            return r->looks[i] == SPC_CSV_A_WORD && count_filled(r) <= TITLE_FIELDS;
    return r->fields > 0 && count_filled(r) == 0;
}

static void add_title(titles *above, const char *at, const spc_csv_shape *shape) {
    const spc_csv_record *const r = &shape->first;
    above->count++;
    above->fields = spc_max_i64(above->fields, r->fields);
    above->filled = spc_max_i64(above->filled, count_filled(r));
    above->has_blank |= memchr(at, ' ', (size_t)(shape->next - at)) != NULL;
}

/* 1: a number, an amount, a date; -1: another word; 0: nothing. */
static int value_of(const spc_csv_record *r, int64_t i) {
    if (r->looks[i] == SPC_CSV_NOTHING) return 0;
    return r->looks[i] == SPC_CSV_A_NUMBER || r->is_value[i] ? 1 : -1;
}

/* A word has a value below it, and in the row after that one or nothing, or the reverse. */
static bool is_over_numbers(const spc_csv_shape *heading, const spc_csv_record *below) {
    const int64_t shift = heading->unnamed < 0;
    const int64_t count = spc_csv_looked_at(&heading->first);
    for (int64_t i = 0; i < count && i + shift < spc_csv_looked_at(below); i++) {
        const int one = value_of(&heading->second, i + shift), two = value_of(below, i + shift);
        if (value_of(&heading->first, i) < 0 && one >= 0 && two >= 0 && one + two > 0) return true;
    }
    return false;
}

/* Some titles may also be read in another way, which then stands: words alone over words are a row
 * with missing values, or where no comma is in any line a table of one column; a name over two
 * columns is that of the second one. */
static bool is_clear(const titles *above, bool over_numbers, const spc_csv_shape *shape) {
    if (shape->second.fields == 2) return over_numbers && above->has_blank;
    return over_numbers || (above->fields == 1 && shape->delimiter == ',');
}

/* A heading over two rows of as many fields, at least twice as many as the titles have. */
static bool is_heading_below(const titles *above, const char *at, const char *end,
                             const spc_csv_shape *shape) {
    const int64_t fields = shape->second.fields;
    const spc_csv_record below = spc_csv_shape_of(shape->next, end, shape->delimiter).second;
    if (fields < 2 || below.fields != fields || 2 * above->filled > fields ||
        (shape->first.fields != fields && shape->unnamed == 0) || !spc_csv_has_names(shape))
        return false;
    const bool over_numbers = is_over_numbers(shape, &below);
    if (above->count == 0) return over_numbers;
    return is_clear(above, over_numbers, shape) &&
           !spc_csv_repeats_first(at, end, shape->delimiter);
}

const char *spc_csv_after_titles(const char *text, const char *end, char delimiter) {
    titles above = {0};
    for (const char *at = text; at < end && above.count <= TITLES_MAX;) {
        const spc_csv_shape shape = spc_csv_shape_of(at, end, delimiter);
        if (is_heading_below(&above, at, end, &shape)) return at;
        if (!may_be_title(&shape.first)) break;
        add_title(&above, at, &shape);
        at = spc_csv_after_comments(shape.next, end, delimiter);
    }
    return text;
}
