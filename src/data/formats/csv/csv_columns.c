/* csv_columns.c: reads the description of the columns of a CSV file. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/utf8.h"
#include "data/formats/csv/csv.h"
#include "data/formats/csv/csv_tfidf.h"
#include "data/formats/csv/csv_words.h"
#include "data/io/lines.h"
#include "data/io/number.h"
#include "data/io/words.h"

/* Far more than the words of any dictionary that fits into memory as a model. */
static const size_t description_max = (size_t)1 << 30;

const char *const spc_csv_kind_names[SPC_CSV_KINDS] = {"label", "weight",  "skip",   "numeric",
                                                       "log",   "buckets", "hashed", "dictionary",
                                                       "text",  "cross",   "tfidf",  "auto"};

sparcl_status spc_csv_add_column(spc_csv *csv, const char *name, size_t length, spc_csv_kind kind,
                                 int64_t line) {
    const spc_csv_column column = {.kind = kind == SPC_CSV_TFIDF ? SPC_CSV_TEXT : kind,
                                   .line = line,
                                   .field = -1,
                                   .ngrams = SPC_CSV_NGRAM_USUAL,
                                   .is_weighted = kind == SPC_CSV_TFIDF};
    SPC_TRY(spc_word_add(&csv->column_names, name, length, csv->allocator, csv->error));
    return spc_array_add(&csv->columns, &column, sizeof column, csv->allocator, csv->error);
}

/* A record of the description, as it is read. */
typedef struct record {
    spc_csv *csv;
    spc_csv_text text;
    spc_csv_field field; /* the last one that was read */
} record;

static sparcl_status refuse(const record *r, const char *format, ...) SPC_PRINTF(2, 3);

/* E_FORMAT: "description:line:column: why", at the last field. */
static sparcl_status refuse(const record *r, const char *format, ...) {
    char why[512];
    SPC_FORMAT(why, format);
    return spc_fail(r->csv->error, SPARCL_E_FORMAT, "%s:%" PRId64 ":%" PRId64 ": %s",
                    spc_csv_description_name(r->csv), r->field.line + 1, r->field.column, why);
}

static sparcl_status refuse_field(const record *r, const char *expected, const char *remedy) {
    char found[128];
    spc_text text = spc_text_in(found, sizeof found);
    spc_text_add_beginning(&text, r->field.at, r->field.length);
    return refuse(r, "expected %s, found \"%s\"; %s", expected, found, remedy);
}

static sparcl_status next_field(record *r) {
    const spc_csv_fault fault = spc_csv_next(&r->text, &r->field);
    return fault == SPC_CSV_GOOD ? SPARCL_OK : refuse(r, "%s", spc_csv_fault_text(fault));
}

static bool is_once(spc_csv_kind kind) {
    return kind == SPC_CSV_LABEL || kind == SPC_CSV_WEIGHT;
}

static bool has_form(spc_csv_kind kind) {
    return kind == SPC_CSV_LABEL || kind == SPC_CSV_WEIGHT || kind == SPC_CSV_NUMERIC ||
           kind == SPC_CSV_LOG || kind == SPC_CSV_BUCKETS;
}

/* KIND, or KIND:FORM of numbers that are not plain. */
static sparcl_status read_form(const record *r, size_t length, spc_csv_kind kind,
                               spc_csv_form *form) {
    const size_t rest = r->field.length - length;
    if (rest > 0 &&
        (!has_form(kind) || !spc_csv_parse_form(r->field.at + length + 1, rest - 1, form)))
        return refuse_field(r, "a kind of numbers with point, comma, coerce or unit=UNIT",
                            "write NAME,numeric:comma:coerce:unit=EUR, or some of these");
    if (form->coerces && kind == SPC_CSV_WEIGHT)
        return refuse_field(r, "a weight without coerce",
                            "remove it: each row needs these numbers");
    const char decimal = r->csv->desc->csv_columns ? r->csv->desc->csv_decimal : 0;
    if (has_form(kind) && form->decimal == 0) form->decimal = decimal;
    return SPARCL_OK;
}

static sparcl_status read_kind(const record *r, spc_csv_kind *kind, spc_csv_form *form) {
    const char *const colon = memchr(r->field.at, ':', r->field.length);
    const size_t length = colon ? (size_t)(colon - r->field.at) : r->field.length;
    *form = (spc_csv_form){.decimal = 0};
    for (int k = 0; k < SPC_CSV_KINDS; k++)
        if (spc_same_word(r->field.at, length, spc_csv_kind_names[k])) {
            *kind = (spc_csv_kind)k;
            return read_form(r, length, *kind, form);
        }
    return refuse_field(r,
                        "label, weight, skip, numeric, log, buckets, hashed, dictionary, text, "
                        "tfidf or cross after the name of a column",
                        "write a line NAME,KIND for each column");
}

static sparcl_status add_bound(const record *r, spc_csv_column *column) {
    const double *const bounds = column->bounds.at;
    const size_t count = column->bounds.used / sizeof *bounds;
    double bound = 0;
    spc_rounded unused;
    if (!spc_csv_number(&r->field, &bound, &unused) || !isfinite(bound))
        return refuse_field(r, "a bound, a finite number", "write NAME,buckets,BOUND,BOUND,...");
    if (count > 0 && bound <= bounds[count - 1])
        return refuse_field(r, "a bound above the one before it", "write bounds in order");
    return spc_array_add(&column->bounds, &bound, sizeof bound, r->csv->allocator, r->csv->error);
}

static sparcl_status add_word(const record *r, spc_csv_column *column) {
    if (r->field.length == 0)
        return refuse_field(r, "a value", "an empty field is a missing value; remove it here");
    if (spc_word_find(&column->words, r->field.at, r->field.length) >= 0)
        return refuse_field(r, "a value that is not there before", "write every value once");
    return spc_word_add(&column->words, r->field.at, r->field.length, r->csv->allocator,
                        r->csv->error);
}

/* A finite float; of a scale above 0. */
static sparcl_status read_float(const record *r, bool is_scale, double *to) {
    double x = 0;
    spc_rounded unused;
    const bool is_number = spc_csv_number(&r->field, &x, &unused);
    *to = (double)(float)x;
    if (is_number && isfinite(*to) && (*to > 0 || !is_scale)) return SPARCL_OK;
    return refuse_field(r, is_scale ? "a scale, a number above 0" : "a mean, a finite number",
                        "write NAME,KIND,MEAN,SCALE, or NAME,KIND alone");
}

/* The mean was read. A zero is no entry where that is so in data that are read without these. */
static sparcl_status read_scale(record *r, spc_csv_column *column) {
    SPC_TRY(read_float(r, false, &column->mean));
    column->keeps_zeros = column->mean != 0 || signbit(column->mean);
    if (r->text.at_record_end)
        return refuse_field(r, "a scale after the mean", "write NAME,KIND,MEAN,SCALE");
    SPC_TRY(next_field(r));
    SPC_TRY(read_float(r, true, &column->scale));
    if (r->text.at_record_end) return SPARCL_OK;
    SPC_TRY(next_field(r));
    return refuse_field(r, "the end of the line after the scale", "write NAME,KIND,MEAN,SCALE");
}

/* The number of texts, which was read, and COLUMN:COUNT of columns that several have. */
static sparcl_status read_frequencies(record *r, spc_csv_column *column) {
    const char *at = r->field.at;
    if (!spc_read_count(&at, &column->texts) || at != r->field.at + r->field.length ||
        column->texts < 1)
        return refuse_field(r, "a number of texts", "write NAME,tfidf,2, and nothing behind that");
    while (!r->text.at_record_end) {
        spc_csv_frequency found;
        SPC_TRY(next_field(r));
        const char *const end = r->field.at + r->field.length;
        at = r->field.at;
        if (!spc_read_count(&at, &found.column) || *at++ != ':' ||
            !spc_read_count(&at, &found.count) || at != end || found.count < 2)
            return refuse_field(r, "COLUMN:COUNT of a column that several texts have",
                                "write NAME,tfidf,2, and nothing behind that");
        SPC_TRY(spc_array_push(&column->frequencies, &found, sizeof found, r->csv->allocator,
                               r->csv->error));
    }
    return SPARCL_OK;
}

static sparcl_status read_ngrams(record *r, spc_csv_column *column) {
    double n = 0;
    spc_rounded unused;
    if (!spc_csv_number(&r->field, &n, &unused) || n < 1 || n > SPC_CSV_NGRAM_MAX || n != floor(n))
        return refuse_field(r, "1, 2 or 3, the length of sequences of words",
                            "write NAME,text or NAME,text,3");
    column->ngrams = (int)n;
    if (r->text.at_record_end) return SPARCL_OK;
    SPC_TRY(next_field(r));
    if (column->is_weighted) return read_frequencies(r, column);
    return refuse_field(r, "the end of the line after the length", "write NAME,text,3");
}

/* Of a column with itself the name is kept once. */
static sparcl_status read_pair(record *r, spc_csv_column *column) {
    SPC_TRY(spc_word_add(&column->words, r->field.at, r->field.length, r->csv->allocator,
                         r->csv->error));
    if (r->text.at_record_end)
        return refuse_field(r, "two columns after cross", "write NAME,cross,A,B");
    SPC_TRY(next_field(r));
    if (spc_word_find(&column->words, r->field.at, r->field.length) < 0)
        SPC_TRY(spc_word_add(&column->words, r->field.at, r->field.length, r->csv->allocator,
                             r->csv->error));
    if (r->text.at_record_end) return SPARCL_OK;
    SPC_TRY(next_field(r));
    return refuse_field(r, "the end of the line after two columns", "write NAME,cross,A,B");
}

/* What follows the kind. */
static sparcl_status read_arguments(record *r, spc_csv_column *column) {
    while (!r->text.at_record_end) {
        SPC_TRY(next_field(r));
        switch (column->kind) {
        case SPC_CSV_BUCKETS:
            SPC_TRY(add_bound(r, column));
            break;
        case SPC_CSV_LABEL:
        case SPC_CSV_DICTIONARY:
            SPC_TRY(add_word(r, column));
            break;
        case SPC_CSV_NUMERIC:
        case SPC_CSV_LOG:
            SPC_TRY(read_scale(r, column));
            break;
        case SPC_CSV_TEXT:
            SPC_TRY(read_ngrams(r, column));
            break;
        case SPC_CSV_CROSS:
            SPC_TRY(read_pair(r, column));
            break;
        default:
            return refuse_field(r, "the end of the line",
                                "weight, skip and hashed have nothing after the kind");
        }
    }
    if (column->kind == SPC_CSV_BUCKETS && column->bounds.used == 0)
        return refuse(r, "expected bounds of buckets, found none; write "
                         "NAME,buckets,BOUND,BOUND,...");
    if (column->kind == SPC_CSV_CROSS && spc_word_count(&column->words) == 0)
        return refuse(r, "expected the columns of the cross, found none; write NAME,cross,A,B");
    const sparcl_data_desc *const desc = r->csv->desc;
    const bool is_of_model = desc->csv_description && !desc->csv_columns && desc->columns > 0;
    column->learns = column->kind == SPC_CSV_DICTIONARY && spc_word_count(&column->words) == 0 &&
                     !is_of_model; /* training has found no word */
    return SPARCL_OK;
}

static sparcl_status check_once(const record *r, spc_csv_kind kind) {
    const spc_csv_column *const columns = spc_csv_columns(r->csv);
    for (int64_t i = 0; is_once(kind) && i < spc_csv_column_count(r->csv); i++)
        if (columns[i].kind == kind)
            return refuse(r, "expected one %s, found another in line %" PRId64 "; keep one",
                          spc_csv_kind_names[kind], columns[i].line);
    return SPARCL_OK;
}

static sparcl_status read_record(record *r, spc_csv_kind *others) {
    spc_csv *const csv = r->csv;
    spc_csv_kind kind = SPC_CSV_SKIP;
    spc_csv_form form;
    SPC_TRY(next_field(r));
    const spc_csv_field name = r->field;
    const bool rest = name.length == 1 && name.at[0] == '*';
    if (spc_csv_find_column(csv, name.at, name.length) >= 0 || (rest && *others != SPC_CSV_KINDS))
        return refuse_field(r, "every column once",
                            "a line before it describes this column: remove one of them");
    if (r->text.at_record_end)
        return refuse_field(r, "a kind after the name of a column",
                            "write a line NAME,KIND for each column");
    SPC_TRY(next_field(r));
    SPC_TRY(read_kind(r, &kind, &form));
    if (rest && (is_once(kind) || kind == SPC_CSV_BUCKETS || kind == SPC_CSV_CROSS ||
                 !r->text.at_record_end))
        return refuse_field(
            r,
            "*,auto, skip, numeric, log, hashed, dictionary, text or tfidf for all other columns",
            "name the column");
    if (rest) {
        *others = kind;
        csv->guesses_others = kind == SPC_CSV_AUTO;
        csv->others_form = form;
        return SPARCL_OK;
    }
    if (kind == SPC_CSV_AUTO)
        return refuse_field(r, "the kind of this column",
                            "write *,auto for all columns that have no line");
    SPC_TRY(check_once(r, kind));
    SPC_TRY(spc_csv_add_column(csv, name.at, name.length, kind, name.line + 1));
    spc_csv_column *const column = &spc_csv_columns(csv)[spc_csv_column_count(csv) - 1];
    column->form = form;
    return read_arguments(r, column);
}

/* Lines that begin with "#" are comments. */
static bool skip_comments(spc_csv_text *text) {
    while (spc_csv_skip_blank_lines(text)) {
        if (*text->at != '#') return true;
        text->at = text->line = (char *)memchr(text->at, '\n', (size_t)(text->end - text->at)) + 1;
        text->line_number++;
    }
    return false;
}

static sparcl_status read_records(record *r, spc_csv_kind *others) {
    while (skip_comments(&r->text))
        SPC_TRY(read_record(r, others));
    if (spc_csv_column_count(r->csv) > 0 || *others != SPC_CSV_KINDS) return SPARCL_OK;
    r->field = (spc_csv_field){.column = 1};
    return refuse(r, "expected lines NAME,KIND, found none; describe the columns");
}

/* The text, with a line end and what numbers need behind them. */
static sparcl_status read_text(const spc_csv *csv, spc_array *text) {
    static const char end[SPC_NUMBER_PAD + 1] = "\n";
    const char *const given = csv->desc->csv_columns ? NULL : csv->desc->csv_description;
    char *bytes = NULL;
    size_t size = given ? strlen(given) : 0;
    if (!given)
        SPC_TRY(spc_file_read(csv->desc->csv_columns, description_max, csv->allocator, &bytes,
                              &size, csv->error));
    sparcl_status status =
        spc_array_add(text, given ? given : bytes, size, csv->allocator, csv->error);
    if (status == SPARCL_OK)
        status = spc_array_add(text, end, sizeof end, csv->allocator, csv->error);
    if (!given) spc_free(csv->allocator, bytes, size + 1);
    return status;
}

sparcl_status spc_csv_read_description(spc_csv *csv, spc_csv_kind *others) {
    size_t mark = 0;
    spc_array text = {0};
    sparcl_status status;
    *others = csv->desc->csv_columns ? SPC_CSV_KINDS : SPC_CSV_SKIP;
    SPC_GO(read_text(csv, &text));
    const size_t size = text.used - SPC_NUMBER_PAD - 1;
    SPC_GO(spc_text_begin(text.at, size, spc_csv_description_name(csv), &mark, csv->error));
    record r = {.csv = csv};
    r.text = (spc_csv_text){.at = (char *)text.at + mark,
                            .line = (char *)text.at + mark,
                            .end = (char *)text.at + size + 1,
                            .delimiter = ','};
    SPC_GO(read_records(&r, others));
done:
    spc_array_free(&text, csv->allocator);
    return status;
}
