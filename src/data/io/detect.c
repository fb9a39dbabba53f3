/* detect.c: the format of a file, found from its content, never from its name. */
#include "data/io/detect.h"

#include <string.h>

#include "base/error.h"
#include "data/formats/csv/csv_shape.h"
#include "data/io/words.h"

/* Two zero bytes, the type, and the number of dimensions. */
static bool is_idx(const spc_sample *s) {
    if (s->end - s->at < 4 || !spc_sample_begins(s, "\0\0", 2)) return false;
    const int type = s->at[2], rank = s->at[3];
    return type >= 8 && type <= 14 && type != 10 && rank >= 1 && rank <= 8;
}

bool spc_is_array(const spc_sample *s) {
    return spc_sample_begins(s, "\x93NUMPY", 6) || is_idx(s);
}

bool spc_is_npz(const spc_sample *s) {
    return spc_sample_begins(s, "PK\3\4", 4) || spc_sample_begins(s, "PK\5\6", 4);
}

bool spc_is_sparcl(const spc_sample *s) {
    return spc_sample_begins(s, "SPARCL\r\n", 8);
}

bool spc_is_mtx(const spc_sample *s) {
    static const char banner[] = "%%MatrixMarket";
    const char *at = s->at;
    while (at < s->end && (spc_is_blank(*at) || *at == '\r' || *at == '\n'))
        at++;
    return (size_t)(s->end - at) >= sizeof banner - 1 &&
           spc_same_word(at, sizeof banner - 1, banner);
}

static int count_colons(const char *at, const char *end) {
    int colons = 0;
    for (; at < end && !spc_is_blank(*at); at++)
        colons += *at == ':';
    return colons;
}

/* The most colons of a word, without that of a query; 0 when no word has one. */
static int most_colons(const spc_sample *row) {
    int most = 0;
    for (const char *at = row->at; at < row->end;) {
        const int colons = count_colons(at, row->end);
        if (colons > most && !(row->end - at > 4 && memcmp(at, "qid:", 4) == 0)) most = colons;
        while (at < row->end && !spc_is_blank(*at))
            at++;
        while (at < row->end && spc_is_blank(*at))
            at++;
    }
    return most;
}

/* The comments of SNAP's graphs: "# FromNodeId ToNodeId". */
bool spc_is_edges(const spc_sample *s) {
    enum { NEAR = 4096 };
    const spc_sample near = {.at = s->at, .end = s->end - s->at > NEAR ? s->at + NEAR : s->end};
    return spc_sample_has(&near, "# FromNodeId") || spc_sample_has(&near, "# SrcNId");
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Only whole numbers, blanks, and this many commas. */
static bool has_only_numbers(const spc_sample *row, int commas) {
    int found = 0;
    for (const char *at = row->at; at < row->end; at++) {
        if (*at == ',')
            found++;
        else if (!is_digit(*at) && !spc_is_blank(*at) && *at != '\r')
            return false;
    }
    return found == commas;
}

/* "rows, columns, entries", then row offsets, the first of which is 0. */
bool spc_is_smtx(const spc_sample *s) {
    spc_sample rest = *s, row;
    if (!spc_sample_row(&rest, &row) || !has_only_numbers(&row, 2)) return false;
    if (!spc_sample_row(&rest, &row) || !has_only_numbers(&row, 0)) return false;
    return *row.at == '0' && row.end - row.at > 1 && spc_is_blank(row.at[1]);
}

/* A first name that is empty is that of the index of a table. */
static bool begins_with_index(const spc_sample *row) {
    return *row->at == ',' || (row->end - row->at > 1 && memcmp(row->at, "\"\"", 2) == 0);
}

/* Known names of users, items and ratings. */
static bool names_ratings(const spc_sample *row) {
    spc_rating_heading heading;
    spc_rating_heading_read(&heading, row->at, row->end);
    return heading.fields.by_name && heading.fields.has_rating_name;
}

/* Comments and titles may stand before a heading, or a "#" before its first name. */
static bool is_table(const spc_sample *s, char delimiter) {
    const char *const comments = spc_csv_after_comments(s->at, s->end, delimiter);
    const char *const at = spc_csv_after_titles(comments, s->end, delimiter);
    const spc_csv_shape shape = spc_csv_shape_of(at, s->end, delimiter);
    const bool is_comment = at < s->end && *at == '#'; /* or a heading, unless pairs follow */
    const bool follows_comment = memchr(s->at, '#', (size_t)(at - s->at)) != NULL;
    if ((is_comment || follows_comment) && !spc_csv_has_names(&shape)) return false;
    if (is_comment && shape.second.has_pairs) return false;
    return spc_csv_is_table(&shape);
}

/* Names of Vowpal Wabbit follow a bar. */
bool spc_is_csv(const spc_sample *s) {
    spc_sample rest = *s, row;
    if (!spc_sample_row(&rest, &row) || memchr(row.at, '|', (size_t)(row.end - row.at)))
        return false;
    return is_table(s, ',') || is_table(s, '\t') || is_table(s, ';');
}

/* A heading with a user and a rating, or MovieLens's "1::1193::5::978300760"; but no table that may
 * be CSV. */
bool spc_is_ratings(const spc_sample *s) {
    spc_sample rest = *s, row;
    if (s->sign != SPC_NO_SIGN && spc_is_csv(s)) return false;
    if (!spc_sample_row(&rest, &row)) return false;
    if (spc_sample_has(&row, "user") && spc_sample_has(&row, "rating") && !is_digit(*row.at))
        return !begins_with_index(&row) || names_ratings(&row);
    return is_digit(*row.at) && spc_sample_has(&row, "::");
}

/* The first row that has a "|" or a colon decides: BAR, or the most colons of a word; 0: none has.
 */
enum { BAR = -1 };
static int mark_of(spc_sample rest) {
    spc_sample row;
    while (spc_sample_row(&rest, &row)) {
        if (memchr(row.at, '|', (size_t)(row.end - row.at))) return BAR;
        const int colons = most_colons(&row);
        if (colons > 0) return colons;
    }
    return 0;
}

bool spc_is_vw(const spc_sample *s) {
    return s->sign != SPC_CSV_IF_TEXT && mark_of(*s) == BAR;
}

bool spc_is_libffm(const spc_sample *s) {
    return mark_of(*s) == 2;
}

bool spc_is_svmlight(const spc_sample *s) {
    return mark_of(*s) > 0;
}

/* One word in a row may be a table. */
static sparcl_data_format detect(const spc_sample *s) {
    static const struct {
        sparcl_data_format format;
        bool (*is)(const spc_sample *s);
    } formats[] = {
#define FOUND_BY(word)                 spc_is_##word
#define NAMED_BY(word)                 NULL
#define FORMAT(NAME, word, found, ...) {SPARCL_DATA_##NAME, found##_BY(word)},
        SPC_FORMATS(FORMAT)};
    for (size_t i = SPC_COUNT(formats); i-- > 0;)
        if (formats[i].is && formats[i].is(s)) return formats[i].format;
    return s->sign == SPC_NO_SIGN ? SPARCL_DATA_SVMLIGHT : SPARCL_DATA_CSV;
}

static bool has_delimiter(const spc_sample *row) {
    for (const char *at = row->at; at < row->end; at++)
        if (strchr(",;\t|:", *at)) return true;
    return false;
}

/* A first row that begins with a letter or a quote, and no delimiter in it and the second. */
static bool is_one_column(spc_sample rest) {
    spc_sample first, second;
    if (!spc_sample_row(&rest, &first) || !spc_sample_row(&rest, &second)) return false;
    const char c = (char)(*first.at | 0x20);
    return ((c >= 'a' && c <= 'z') || *first.at == '"') && !has_delimiter(&first) &&
           !has_delimiter(&second);
}

sparcl_status spc_detect(spc_input *input, spc_csv_sign sign, sparcl_data_format *format,
                         sparcl_error *error) {
    const char *bytes = NULL;
    size_t size = 0;
    SPC_TRY(spc_input_peek(input, &bytes, &size, error));
    const spc_sample all = {bytes, bytes + size, sign};
    *format = detect(&all);
    if (*format != SPARCL_DATA_SVMLIGHT || sign != SPC_NO_SIGN || !is_one_column(all))
        return SPARCL_OK;
    return spc_fail(error, SPARCL_E_FORMAT,
                    "%s:1:1: expected a comma, tab or semicolon between the fields of a table, "
                    "found one field in the first two rows; --csv-delimiter blank reads fields "
                    "between blanks, --format csv a table of one column, which is a label alone",
                    input->raw.name);
}

static bool divides(const spc_rating_heading *heading, char c) {
    return heading->fields.by_name ? c == heading->delimiter : strchr(",;\t", c) && c;
}

/* A letter, a byte of UTF-8 or a quote in the fields of users and items. */
static bool has_word_id(const spc_sample *row, const spc_rating_heading *heading) {
    const spc_rating_fields *const fields = &heading->fields;
    bool word = false, open = false;
    int64_t field = 0;
    for (const char *at = row->at; at < row->end; at++) {
        open ^= *at == '"';
        field += !open && divides(heading, *at);
        const char c = (char)(*at | 0x20);
        if (field == fields->user || field == fields->item)
            word |= (c >= 'a' && c <= 'z') || *at == '"' || (unsigned char)*at >= 0x80;
    }
    return word && field > 0;
}

/* As in 7;5;3,5, which only CSV has. */
static bool has_decimal_comma(const spc_sample *row, const spc_rating_heading *heading) {
    return heading->fields.by_name && heading->delimiter == ';' &&
           memchr(row->at, ',', (size_t)(row->end - row->at));
}

static bool has_digit(const spc_sample *row) {
    for (const char *at = row->at; at < row->end; at++)
        if (is_digit(*at)) return true;
    return false;
}

sparcl_status spc_detect_word_ids(spc_input *input, spc_rating_heading *heading, bool *words,
                                  sparcl_error *error) {
    const char *bytes = NULL;
    size_t size = 0;
    spc_sample row;
    *words = false;
    SPC_TRY(spc_input_peek(input, &bytes, &size, error));
    spc_sample rest = {.at = bytes, .end = bytes + size};
    for (bool first = true; !*words && spc_sample_row(&rest, &row); first = false) {
        if (first) spc_rating_heading_read(heading, row.at, row.end);
        *words = (has_word_id(&row, heading) && (!first || has_digit(&row))) ||
                 has_decimal_comma(&row, heading);
    }
    return SPARCL_OK;
}
