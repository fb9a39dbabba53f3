/* foreign_file.c: refuses files of other programs, and says how to convert them. */
#include "data/io/foreign_file.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "data/io/words.h"

/* What a file begins with, and the call of pandas that reads it, or another remedy. */
typedef struct foreign {
    const char *bytes;
    size_t size;
    const char *found;
    const char *call, *remedy; /* NULL: none; in a call %s is the name of the file */
} foreign;

#define EXCEL "pandas.read_excel('%s')"

static const foreign excel = {NULL, 0, "an Excel file", EXCEL, NULL};
static const foreign calc = {NULL, 0, "an OpenDocument table", EXCEL, NULL};
static const foreign json = {NULL, 0, "JSON", "pandas.read_json('%s')", NULL};
static const foreign lines = {NULL, 0, "JSON in lines", "pandas.read_json('%s', lines=True)", NULL};
static const foreign html = {
    NULL, 0, "an HTML page, which may be a page about the file, or an error of a download",
    "pandas.read_html('%s')[0]", "download the file itself, or take its first table"};
static const foreign arff = {NULL, 0, "ARFF", NULL,
                             "remove all lines up to @data, and name the format: --format csv"};

static const foreign binary[] = {
    {"PAR1", 4, "a Parquet file", "pandas.read_parquet('%s')", NULL},
    {"ARROW1", 6, "an Arrow (Feather) file", "pandas.read_feather('%s')", NULL},
    {"FEA1", 4, "a Feather file", "pandas.read_feather('%s')", NULL},
    {"\xff\xff\xff\xff", 4, "an Arrow stream", "pyarrow.ipc.open_stream('%s').read_pandas()", NULL},
    {"\x80\2", 2, "a pickle", "pandas.read_pickle('%s')", NULL},
    {"\x80\3", 2, "a pickle", "pandas.read_pickle('%s')", NULL},
    {"\x80\4", 2, "a pickle", "pandas.read_pickle('%s')", NULL},
    {"\x80\5", 2, "a pickle", "pandas.read_pickle('%s')", NULL},
    {"\x89HDF\r\n\x1a\n", 8, "an HDF5 file", "pandas.read_hdf('%s')", NULL},
    {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 8, "an Excel file", EXCEL, NULL},
    {"SQLite format 3\0", 16, "an SQLite database", NULL,
     "write a table of it as CSV: sqlite3 -header -csv FILE 'SELECT * FROM name' > OTHER"},
    {"%PDF-", 5, "a PDF file", NULL, "use the table from which it was made, as CSV"}};

/* ---- text ----------------------------------------------------------------------------------- */

/* The beginning of a file. */
typedef struct sample {
    const char *at, *end;
} sample;

static void skip_blanks(sample *s) {
    while (s->at < s->end && (spc_is_blank(*s->at) || *s->at == '\r' || *s->at == '\n'))
        s->at++;
}

static bool begins(const sample *s, const char *word) {
    const size_t length = strlen(word);
    return (size_t)(s->end - s->at) >= length && spc_same_word(s->at, length, word);
}

/* An object or array of objects or arrays; one in each line where the first is closed there. */
static const foreign *find_json(sample s) {
    const char open = s.at < s.end ? *s.at : '\0';
    const char *stop = memchr(s.at, '\n', (size_t)(s.end - s.at));
    if (open != '{' && open != '[') return NULL;
    if (!stop) stop = s.end;
    while (stop > s.at && (stop[-1] == '\r' || spc_is_blank(stop[-1])))
        stop--;
    const bool closed = stop[-1] == '}';
    s.at++;
    skip_blanks(&s);
    if (s.at == s.end || !strchr(open == '{' ? "\"}" : "{[", *s.at)) return NULL;
    return open == '{' && closed ? &lines : &json;
}

static const foreign *find_text(sample s) {
    skip_blanks(&s);
    if (begins(&s, "<!doctype html") || begins(&s, "<html")) return &html;
    return begins(&s, "@relation") ? &arff : find_json(s);
}

/* ---- archives ------------------------------------------------------------------------------- */

/* The name of the first member of a ZIP archive. */
static sample first_member(const sample *s) {
    enum { HEADER = 30, LENGTH_AT = 26 };
    if (s->end - s->at < HEADER || memcmp(s->at, "PK\3\4", 4) != 0) return (sample){s->at, s->at};
    const unsigned char *const length = (const unsigned char *)s->at + LENGTH_AT;
    const char *const name = s->at + HEADER, *const end = name + length[0] + 256 * length[1];
    return (sample){name, end < s->end ? end : s->end};
}

static const foreign *find_archive(const sample *s) {
    const sample name = first_member(s);
    if (begins(&name, "[Content_Types].xml") || begins(&name, "xl/") || begins(&name, "_rels/") ||
        begins(&name, "docProps/"))
        return &excel;
    return begins(&name, "mimetype") ? &calc : NULL;
}

/* ---- messages ------------------------------------------------------------------------------- */

static const foreign *find(const sample *s, bool is_named) {
    for (size_t i = 0; i < SPC_COUNT(binary); i++)
        if ((size_t)(s->end - s->at) >= binary[i].size &&
            memcmp(s->at, binary[i].bytes, binary[i].size) == 0)
            return &binary[i];
    const foreign *const archive = find_archive(s);
    return archive || is_named ? archive : find_text(*s);
}

/* In quotes of Python inside quotes of a shell. */
static const char *shown_name(const spc_input *input) {
    enum { LONGEST = 200 };
    const char *const name = input->raw.name;
    const bool is_plain = !input->decoder && strcmp(name, "-") != 0 && strlen(name) <= LONGEST;
    return is_plain && !strpbrk(name, "'\"\\$`\n") ? name : "FILE";
}

static sparcl_status refuse(const spc_input *input, const foreign *f, sparcl_error *error) {
    char call[512] = "";
    spc_text text = spc_text_in(call, sizeof call);
    if (f->call) {
        const char *const place = strstr(f->call, "%s");
        spc_text_add(&text,
                     ": python -c \"import %.*s; %.*s%s%s.to_csv('OTHER.csv', index=False)\"",
                     (int)strcspn(f->call, "."), f->call, (int)(place - f->call), f->call,
                     shown_name(input), place + 2);
    }
    return spc_fail(error, SPARCL_E_FORMAT, "%s: expected data, found %s; %s%s%s", input->raw.name,
                    f->found, input->decoder && f->call ? "decompress it and " : "",
                    f->remedy ? f->remedy : "write it as CSV", call);
}

sparcl_status spc_refuse_foreign(spc_input *input, bool is_named, sparcl_error *error) {
    const char *bytes = NULL;
    size_t size = 0;
    SPC_TRY(spc_input_peek(input, &bytes, &size, error));
    const sample s = {bytes, bytes + size};
    if (size >= 9 && memcmp(bytes + 4, "\0\0\0\0{", 5) == 0) /* a length below 2^32, then JSON */
        return spc_fail(error, SPARCL_E_FORMAT,
                        "%s: expected data, found a safetensors file, such as a model; 'sparcl "
                        "show' describes a model",
                        input->raw.name);
    const foreign *const found = find(&s, is_named);
    return found ? refuse(input, found, error) : SPARCL_OK;
}
