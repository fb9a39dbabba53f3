/* test_beginnings.c: how text of every format may begin and end: byte order marks, blank lines,
 * line ends, compressed and streamed; encodings that are refused; which first line is a heading. */
#include "data_test.h"

#include "base/macros.h"

typedef struct text_format {
    sparcl_data_format format;
    const char *text;
    bool is_found; /* from the content */
    bool is_streamed;
} text_format;

static const text_format formats[] = {
    {SPARCL_DATA_SVMLIGHT, "1 1:2 3:0.5\n0 2:3\n", true, true},
    {SPARCL_DATA_LIBFFM, "1 0:1:1 1:5:0.5\n0 0:2:1\n", true, true},
    {SPARCL_DATA_INDICES, "1 5 6\n0 2\n", false, true},
    {SPARCL_DATA_VW, "1 |f a b:2\n-1 |f c\n", true, true},
    {SPARCL_DATA_CSV, "a,b,label\n1,2,1\n3,4,0\n", true, true},
    {SPARCL_DATA_MTX, "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 3\n", true,
     false},
    {SPARCL_DATA_EDGES, "0 1\n1 2\n2 0\n", false, false},
    {SPARCL_DATA_RATINGS, "1,10,4\n2,20,5\n", false, false},
    {SPARCL_DATA_ADJACENCY, "0 1 2\n1 2\n", false, false},
    {SPARCL_DATA_SMTX, "2, 3, 3\n0 2 3\n0 1 2\n", true, false},
};

static const char mark[] = "\xef\xbb\xbf";

/* The text with another beginning, and line ends. */
static void write_variant(const char *path, const char *before, const char *text,
                          const char *line_end, bool last) {
    FILE *const file = fopen(path, "wb");
    assert_non_null(file);
    fputs(before, file);
    for (const char *at = text; *at; at++)
        if (*at != '\n')
            fputc(*at, file);
        else if (at[1] || last)
            fputs(line_end, file);
    fclose(file);
}

static void must_read_as(fixture *f, const char *path, sparcl_data_desc desc, uint64_t expected,
                         bool marked, const char *what) {
    sparcl_data *const data = must_read(f, path, &desc);
    const sparcl_data_info *const info = sparcl_data_get_info(data);
    if ((!desc.stream && info->fingerprint != expected) || info->byte_order_mark != marked)
        fail_msg("%s: %s", info->format, what);
    sparcl_data_free(data);
}

static const struct {
    const char *what, *before, *line_end;
    bool last;
} variants[] = {
    {"no final line end", "", "\n", false},
    {"CR LF", "", "\r\n", true},
    {"blank first lines", "\n \t\n", "\n", true},
    {"a mark", mark, "\n", true},
    {"a mark and CR LF", mark, "\r\n", true},
    {"a mark and blank lines", "\xef\xbb\xbf\r\n \n", "\n", true},
    {"a mark, no final line end", mark, "\n", false},
};

static void every_format_reads_the_same_however_its_text_begins_and_ends(void **state) {
    fixture *f = *state;
    for (size_t i = 0; i < SPC_COUNT(formats); i++) {
        sparcl_data_desc desc = {.format = formats[i].format};
        write_text(f->path, formats[i].text);
        const uint64_t plain = fingerprint_of(f, f->path, &desc);
        for (size_t v = 0; v < SPC_COUNT(variants); v++) {
            const bool marked = variants[v].before[0] == mark[0];
            write_variant(f->path, variants[v].before, formats[i].text, variants[v].line_end,
                          variants[v].last);
            must_read_as(f, f->path, desc, plain, marked, variants[v].what);
            if (formats[i].is_found)
                must_read_as(f, f->path, (sparcl_data_desc){0}, plain, marked, variants[v].what);
            desc.stream = formats[i].is_streamed;
            if (desc.stream) must_read_as(f, f->path, desc, plain, marked, "streamed");
            desc.stream = 0;
            compress_file(f->path, f->other, archive_write_add_filter_gzip);
            must_read_as(f, f->other, desc, plain, marked, "compressed");
        }
    }
}

/* A decoder gives one byte at once. */
static void a_mark_may_lie_in_several_compressed_streams(void **state) {
    fixture *f = *state;
    const char *const text = "\xef\xbb\xbfy,a\n1,2\n";
    FILE *const all = fopen(f->other, "wb");
    for (const char *at = text; *at; at++) {
        char part[128];
        snprintf(part, sizeof part, "%s/part", f->folder);
        write_bytes(f->path, at, 1);
        compress_file(f->path, part, archive_write_add_filter_gzip);
        size_t size = 0;
        char *const bytes = read_bytes(part, &size);
        assert_int_equal(fwrite(bytes, 1, size, all), size);
        free(bytes);
        unlink(part);
    }
    fclose(all);
    write_text(f->path, text + 3);
    must_read_as(f, f->other, (sparcl_data_desc){0}, fingerprint_of(f, f->path, NULL), true,
                 "streams");
}

/* Each byte of the text with these zeros before and after it. */
static void write_wide(const char *path, const char *start, size_t bytes, const char *text,
                       int before, int after) {
    FILE *const file = fopen(path, "wb");
    fwrite(start, 1, bytes, file);
    for (; *text; text++) {
        for (int i = 0; i < before; i++)
            fputc('\0', file);
        fputc(*text, file);
        for (int i = 0; i < after; i++)
            fputc('\0', file);
    }
    fclose(file);
}

static void wide_encodings_are_named_with_the_remedy(void **state) {
    fixture *f = *state;
    static const struct {
        const char *start;
        size_t bytes;
        int before, after;
        const char *words;
    } encodings[] = {
        {"\xff\xfe", 2, 0, 1, "found UTF-16;"},     {"\xfe\xff", 2, 1, 0, "found UTF-16;"},
        {"", 0, 0, 1, "found UTF-16LE;"},           {"", 0, 1, 0, "found UTF-16BE;"},
        {"\xff\xfe\0\0", 4, 0, 3, "found UTF-32;"}, {"\0\0\xfe\xff", 4, 3, 0, "found UTF-32;"}};
    for (size_t i = 0; i < SPC_COUNT(formats); i++)
        for (size_t e = 0; e < SPC_COUNT(encodings); e++) {
            const sparcl_data_desc desc = {.format = formats[i].format};
            write_wide(f->path, encodings[e].start, encodings[e].bytes, formats[i].text,
                       encodings[e].before, encodings[e].after);
            must_refuse(f, f->path, &desc, ":1:1: ", encodings[e].words);
            must_refuse(f, f->path, NULL, ":1:1: ", "iconv -f UTF-");
        }
}

static void a_map_of_ids_and_a_description_of_columns_begin_in_the_same_way(void **state) {
    fixture *f = *state;
    sparcl_data *data = NULL;
    const sparcl_data_desc ratings = {.format = SPARCL_DATA_RATINGS, .ids = f->other};
    const sparcl_data_desc csv = {.format = SPARCL_DATA_CSV, .csv_columns = f->other};
    write_text(f->path, "1,10,4\n");
    write_text(f->other, "\xef\xbb\xbfuser\t1\r\nitem\t10\r\n");
    sparcl_data_free(must_read(f, f->path, &ratings));
    write_wide(f->other, "\xff\xfe", 2, "user\t1\nitem\t10\n", 0, 1);
    assert_int_equal(sparcl_data_read(&data, f->path, &ratings, &f->error), SPARCL_E_FORMAT);
    assert_non_null(
        strstr(f->error.message, "other:1:1: expected text in ASCII or UTF-8, found UTF-16; "));
    write_text(f->path, "y,a\n1,10\n");
    write_text(f->other, "\xef\xbb\xbfy,label\r\na,numeric\r\n");
    sparcl_data_free(must_read(f, f->path, &csv));
    write_wide(f->other, "\xff\xfe", 2, "y,label\na,numeric\n", 0, 1);
    assert_int_equal(sparcl_data_read(&data, f->path, &csv, &f->error), SPARCL_E_FORMAT);
    assert_non_null(
        strstr(f->error.message, "other:1:1: expected text in ASCII or UTF-8, found UTF-16; "));
}

/* Only letters without a digit are a heading of edges and ratings: any other first line is a row,
 * or refused. */
static void a_first_line_with_a_digit_is_no_heading(void **state) {
    fixture *f = *state;
    static const struct {
        const char *first;
        int rows; /* with the two rows after it; 0: refused */
        bool heading;
    } lines[] = {{"user,item,rating\n", 2, true},
                 {"# 1,2,3\nuser,item,rating\n", 2, true},
                 {"\"user\",\"item\",\"rating\"\n", 2, true},
                 {"3,30,3\n", 3, false},
                 {" 3,30,3\n", 3, false},
                 {"\n\n3,30,3\n", 3, false},
                 {"u1,i1,3\n", 3, false}, /* words */
                 {"\"3\",\"30\",\"3\"\n", 3, false},
                 {"user_id,item_id,rating_1_to_5\n", 2, true},
                 {"-3,30,3\n", 0, false},
                 {"+3,30,3\n", 0, false},
                 {"(3,30,3\n", 0, false}};
    const sparcl_data_desc desc = {.format = SPARCL_DATA_RATINGS};
    for (size_t i = 0; i < SPC_COUNT(lines); i++) {
        char text[128];
        snprintf(text, sizeof text, "%s1,10,4\n2,20,5\n", lines[i].first);
        write_text(f->path, text);
        if (lines[i].rows == 0) {
            must_refuse(f, f->path, &desc, ":1:1: ", "only a heading without digits is skipped");
            continue;
        }
        sparcl_data *const data = must_read(f, f->path, &desc);
        const sparcl_data_info *const info = sparcl_data_get_info(data);
        if (info->rows != lines[i].rows || info->heading != lines[i].heading)
            fail_msg("%s: %d rows, heading %d", lines[i].first, (int)info->rows, info->heading);
        sparcl_data_free(data);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(every_format_reads_the_same_however_its_text_begins_and_ends),
        TEST(a_mark_may_lie_in_several_compressed_streams),
        TEST(wide_encodings_are_named_with_the_remedy),
        TEST(a_map_of_ids_and_a_description_of_columns_begin_in_the_same_way),
        TEST(a_first_line_with_a_digit_is_no_heading),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
