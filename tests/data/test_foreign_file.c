/* test_foreign_file.c: files of other programs are refused with what they are and how to convert
 * them.
 */
#include "data_test.h"

#include "base/macros.h"

static void must_find(fixture *f, const sparcl_data_desc *desc, const char *found,
                      const char *remedy) {
    char words[128];
    snprintf(words, sizeof words, "expected data, found %s", found);
    must_refuse(f, f->path, desc, ": ", words);
    if (!strstr(f->error.message, remedy))
        fail_msg("no \"%s\" in \"%s\"", remedy, f->error.message);
}

static void binary_files_are_named(void **state) {
    fixture *f = *state;
    static const struct {
        const char bytes[24], *found, *remedy;
    } cases[] = {{"PAR1\x15\x04", "a Parquet file", "; pandas.read_parquet('"},
                 {"ARROW1\0\0\xff", "an Arrow (Feather) file", "; pandas.read_feather('"},
                 {"\xff\xff\xff\xff\x78", "an Arrow stream", "import pyarrow; pyarrow.ipc."},
                 {"\x80\x04\x95", "a pickle", "; pandas.read_pickle('"},
                 {"\x89HDF\r\n\x1a\n", "an HDF5 file", "; pandas.read_hdf('"},
                 {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an Excel file", "; pandas.read_excel('"},
                 {"SQLite format 3\0", "an SQLite database", "sqlite3 -header -csv FILE"},
                 {"%PDF-1.7", "a PDF file", "as CSV"}};
    for (size_t i = 0; i < SPC_COUNT(cases); i++) {
        write_bytes(f->path, cases[i].bytes, sizeof cases[i].bytes);
        must_find(f, NULL, cases[i].found, cases[i].remedy);
        const sparcl_data_desc named = {.format = SPARCL_DATA_CSV};
        must_find(f, &named, cases[i].found, cases[i].remedy);
    }
}

static void text_is_named_where_no_format_is(void **state) {
    fixture *f = *state;
    static const struct {
        const char *text, *found, *remedy;
    } cases[] = {
        {"{\"y\":1,\"a\":2}\n{\"y\":0,\"a\":3}\n", "JSON in lines", "', lines=True).to_csv("},
        {"\n[{\"y\":1,\"a\":2},\n {\"y\":0}]\n", "JSON;", "import pandas; pandas.read_json('"},
        {"{\r\n \"y\": [1, 2]}", "JSON;", "', index=False)\""},
        {" <!DOCTYPE HTML>\n<p>a,b</p>\n", "an HTML page", "download the file itself"},
        {"<html lang=en>\n1,2\n3,4\n", "an HTML page", "pandas.read_html('"},
        {"@RELATION x\n@data\n1,2\n", "ARFF", "remove all lines up to @data"}};
    for (size_t i = 0; i < SPC_COUNT(cases); i++) {
        write_text(f->path, cases[i].text);
        must_find(f, NULL, cases[i].found, cases[i].remedy);
    }
    write_text(f->path, "{a},[b]\n1,2\n0,3\n"); /* a table */
    sparcl_data_free(must_read(f, f->path, NULL));
    write_text(f->path, "<html,b\n1,2\n0,3\n");
    sparcl_data_free(must_read(f, f->path, &(sparcl_data_desc){.format = SPARCL_DATA_CSV}));
}

/* The header of the first member of an archive. */
static void write_archive(const char *path, const char *name) {
    char bytes[64] = "PK\3\4";
    bytes[26] = (char)strlen(name);
    memcpy(bytes + 30, name, strlen(name));
    write_bytes(path, bytes, sizeof bytes);
}

static void archives_are_named_by_their_first_member(void **state) {
    fixture *f = *state;
    write_archive(f->path, "[Content_Types].xml");
    must_find(f, NULL, "an Excel file", "pandas.read_excel('");
    write_archive(f->path, "mimetype");
    must_find(f, NULL, "an OpenDocument table", "pandas.read_excel('");
    write_archive(f->path, "data.npy");
    sparcl_data *none = NULL;
    assert_int_equal(sparcl_data_read(&none, f->path, NULL, &f->error), SPARCL_E_FORMAT);
    assert_null(strstr(f->error.message, "Excel"));
    write_bytes(f->path, "PK\3\4", 4);
    assert_int_equal(sparcl_data_read(&none, f->path, NULL, &f->error), SPARCL_E_FORMAT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(binary_files_are_named),
        TEST(text_is_named_where_no_format_is),
        TEST(archives_are_named_by_their_first_member),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
