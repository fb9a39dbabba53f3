/* test_csv_title.c: titles above the heading of CSV, which are skipped with a note, tables that
 * have none, and names of rows that the heading does not name. */
#include "data_test.h"

#include <string.h>

#include "base/macros.h"

#define CSV .format = SPARCL_DATA_CSV

static void must_describe(const sparcl_data *data, const char *text, const char *columns) {
    if (strcmp(sparcl_data_get_info(data)->format, "csv") != 0) fail_msg("\"%s\" is no CSV", text);
    if (strcmp(sparcl_data_csv_columns(data), columns) != 0)
        fail_msg("\"%s\": \"%s\"", text, sparcl_data_csv_columns(data));
}

static bool notes_titles(const sparcl_data *data) {
    const char *const notes = sparcl_data_csv_notes(data);
    return notes && strstr(notes, "above the heading");
}

#define ONE   "the first line is a title above the heading, which is skipped"
#define THREE "the first 3 lines are titles above the heading, which are skipped"
#define FIVE  "the first 5 lines are titles above the heading, which are skipped"
#define ROWS  "y,name,b\n1,x,5\n0,z,\n1,x,2.5\n"

static void titles_are_skipped_with_a_note(void **state) {
    fixture *f = *state;
    static const char usual[] = "y,label\nname,hashed\nb,numeric\n";
    static const struct {
        const char *text, *note, *columns;
    } cases[] = {
        {"Sales 2024\n" ROWS, ONE, usual},
        {"Sales\r\n" ROWS, ONE, usual},
        {"Sales 2024,,\n" ROWS, ONE, usual},
        {"\"Sales, \"\"all\"\"\",,\n" ROWS, ONE, usual},
        {",Sales,\n,,\n\n" ROWS, THREE, usual},
        {"\xef\xbb\xbf"
         "Sales\n\nof May\n" ROWS,
         THREE, usual},
        {"# by x\nSales, of May\n\n \n# again, a, b, c, d\ny,name,b,c\n1,x,5,2\n0,z,3,2\n", FIVE,
         "y,label\nname,hashed\nb,numeric\nc,numeric\n"},
        {"Company,ACME,,\nYear,2024,,\nMonth,5,,\ny,name,b,c\n1,x,5,2\n0,z,3,2\n", THREE,
         "y,label\nname,hashed\nb,numeric\nc,numeric\n"},
        {"\"Sales\nof May\"\n\n" ROWS, THREE, usual},
        {"All sales\ny,b\n1,2\n0,3\n", ONE, "y,label\nb,numeric\n"},
        {"All sales,\ny,b\n1,2\n0,3\n", ONE, "y,label\nb,numeric\n"},
        {"Sales, net\ny;a;b\n1;1,5;2\n0;2,5;3\n", ONE, "y,label\na,numeric:comma\nb,numeric\n"},
        {"Umsatz;;\nTag;Umsatz;y\n1.5.26;1.234,50;ja\n2.5.26;-5,00;nein\n", ONE,
         "Tag,hashed\nUmsatz,numeric:comma\ny,label,ja,nein\n"},
        {"Sales,,\nday,amount,y\nMonday,$5,yes\nTuesday,$1.5,no\n", ONE,
         "day,hashed\namount,numeric:point:unit=$\ny,label,no,yes\n"},
        {"Sales\ny\ta\tb\n1\t2\t\n0\t3\t4\n", ONE, "y,label\na,numeric\nb,numeric\n"},
        {"Sales\na,b,label\np,q,r\ns,t,u\n", ONE, "a,hashed\nb,hashed\nlabel,label,r,u\n"},
        {"Sales\ny,b,c\n1,q,1,2\n0,s,1,3\n", ONE,
         "Unnamed: 0,skip\ny,label,q,s\nb,numeric\nc,numeric\n"},
    };
    for (size_t i = 0; i < SPC_COUNT(cases); i++) {
        write_text(f->path, cases[i].text);
        for (int streamed = 0; streamed < 2; streamed++) {
            const sparcl_data_desc desc = {.stream = streamed};
            sparcl_data *const data = must_read(f, f->path, &desc);
            must_describe(data, cases[i].text, cases[i].columns);
            const char *const notes = sparcl_data_csv_notes(data);
            if (!notes || !strstr(notes, cases[i].note))
                fail_msg("\"%s\": \"%s\"", cases[i].text, notes ? notes : "");
            sparcl_data_free(data);
        }
    }
}

/* What was read before titles were known is read so now. */
static void tables_without_titles_stay_as_they_are(void **state) {
    fixture *f = *state;
    static const struct {
        const char *text, *columns;
    } cases[] = {
        {"x\n1,5\n2,6\n3,7\n", "Unnamed: 0,skip\nx,label\n"},
        {"value\na,b\nq,2\nr,3\n", "Unnamed: 0,skip\nvalue,label,2,3,b\n"},
        {",x\nk,v\nq,2\nr,3\n", "Unnamed: 0,skip\nx,label,2,3,v\n"},
        {"x,y\na,b,c\nq,2,3\nr,4,5\n", "Unnamed: 0,skip\nx,hashed\ny,label,3,5,c\n"},
        {"Ann,,\nBob,Rome,good\nEve,Paris,bad\n", "1,label,Ann,Bob,Eve\n2,hashed\n3,hashed\n"},
        {",see you\nham,how are you\nspam,5 dollars now\nham,2 much\n",
         "Unnamed: 0,skip\nsee you,label,2 much,5 dollars now,how are you\n"},
        {"a,,\nb,1,2\nc,3,4\n", "1,label,a,b,c\n2,numeric\n3,numeric\n"},
        {"5,,\n1,2,3\n4,5,6\n", "1,label\n2,numeric\n3,numeric\n"},
        {"y,a,,\n1,2,,\n0,3,,\n", "1,label,0,1,y\n2,hashed\n3,numeric\n4,numeric\n"},
    };
    for (size_t i = 0; i < SPC_COUNT(cases); i++) {
        write_text(f->path, cases[i].text);
        sparcl_data *const data = must_read(f, f->path, &(sparcl_data_desc){CSV});
        must_describe(data, cases[i].text, cases[i].columns);
        assert_false(notes_titles(data));
        sparcl_data_free(data);
    }
}

static void ragged_tables_are_refused_with_the_line(void **state) {
    fixture *f = *state;
    static const struct {
        const char *text, *place, *why;
    } cases[] = {
        {"Sales 2024\n\ny,a,b\n1,2,3\n0,1,2\n5,6\n",
         ":6:3: ", "expected 3 fields as in the heading, found 2"},
        {"Sales 2024\n\ny,a,b\n1,2,3\n0,1,2\n5,6,7,8\n",
         ":6:7: ", "expected 3 fields as in the heading, found at least 4"},
        {"1\n1,2,3\n4,5,6\n7,8,9\n", ":2:3: ", "expected 1 fields as in the first line"},
        {"a,b\np,q,r,s\nt,u,v,w\nx,y,z,z\n", ":2:5: ", "expected 2 fields as in the heading"},
        {"a,b\n1,2\n3,4\nx,y,z,w\n1,2,3,4\n5,6,7,8\n",
         ":4:5: ", "expected 2 fields as in the heading"},
        {"Sales\ny,a,b\n1,2,3\n", ":2:3: ", "expected 1 fields as in the heading"},
    };
    for (size_t i = 0; i < SPC_COUNT(cases); i++) {
        write_text(f->path, cases[i].text);
        must_refuse(f, f->path, &(sparcl_data_desc){CSV}, cases[i].place, cases[i].why);
    }
}

static void options_say_what_the_first_line_is(void **state) {
    fixture *f = *state;
    write_text(f->path, "All sales,\ny,b\n1,2\n0,3\n");
    sparcl_data *data =
        must_read(f, f->path, &(sparcl_data_desc){CSV, .csv_heading = SPARCL_HEADING_YES});
    must_describe(data, "yes", "All sales,label,0,1,y\nUnnamed: 1,skip\n");
    sparcl_data_free(data);
    data = must_read(f, f->path, &(sparcl_data_desc){CSV, .csv_heading = SPARCL_HEADING_NO});
    must_describe(data, "no", "1,label,0,1,All sales,y\n2,hashed\n");
    sparcl_data_free(data);
    write_text(f->path, "Sales\ny;b,c;d\n1;2,5;3\n0;3,5;4\n");
    data = must_read(f, f->path, &(sparcl_data_desc){CSV, .csv_delimiter = ';'});
    must_describe(data, ";", "y,label\n\"b,c\",numeric:comma\nd,numeric\n");
    sparcl_data_free(data);
}

/* A column is named with the line of the heading. */
static void missing_columns_are_named_below_the_title(void **state) {
    fixture *f = *state;
    write_text(f->path, "Sales\n\n" ROWS);
    must_refuse(f, f->path, &(sparcl_data_desc){.csv_label = "c"},
                ":3:1: ", "expected the column \"c\" for the label");
    must_refuse(f, f->path, &(sparcl_data_desc){.csv_description = "y,label\nc,numeric\n"},
                ":3:1: ", "expected the column \"c\", as the training data has it");
}

/* Of R with and without quotes; a comma in a field divides it without double quotes. */
static void names_of_rows_all_differ_and_are_no_parts_of_fields(void **state) {
    fixture *f = *state;
    const struct {
        const char *text, *columns;
    } good[] = {
        {"\"a\",\"y\"\n\"1.5\",5,0\n\"2.5\",6,1\n\"-3\",6,1\n", "a,numeric\ny,label\n"},
        {"a,city,y\n3,1,Bern,0\n17,2,'s-Hertogenbosch',1\n", "a,numeric\ncity,hashed\ny,label\n"},
        {"a, b, y\nMazda RX4, 1, 2, 0\nFiat 128, 3, 4, 1\n", "a,numeric\nb,numeric\ny,label\n"},
        {"a,b,y\n1, 1.0, 20,0\n2,10.0,  2,1\n", "a,numeric\nb,numeric\ny,label\n"},
    };
    const struct {
        const char *text, *place;
    } bad[] = {{"x,'grp name',y\n1.5,'a, x',1\n2.5,'b, x',0\n", ":2:12: "},
               {"x,grp,y\n1,'a,x',1\n2,'b,x',0\n", ":2:9: "},
               {"id,grp,y\n1,hello, world,1\n2,good, day,0\n", ":2:16: "},
               {"x,grp,y\n1.5,a,x,1\n2.5,b,x,0\n", ":2:9: "},
               {"x,grp,y\n1,a,x,1\n2,b,x,0\n1,b,x,0\n", ":2:7: "},
               {"x,grp,y\nu,a,x,1\nv,b,0\n", ":2:7: "},
               {"x,grp,y\n\"u\",a,x,1\n\"v\",b,x,0\n", ":2:9: "}};
    for (size_t i = 0; i < SPC_COUNT(good); i++) {
        char columns[120];
        write_text(f->path, good[i].text);
        snprintf(columns, sizeof columns, "Unnamed: 0,skip\n%s", good[i].columns);
        sparcl_data *const data = must_read(f, f->path, NULL);
        assert_string_equal(sparcl_data_csv_columns(data), columns);
        sparcl_data_free(data);
    }
    for (size_t i = 0; i < SPC_COUNT(bad); i++) {
        write_text(f->path, bad[i].text);
        must_refuse(f, f->path, NULL, bad[i].place,
                    "expected 3 fields as in the heading, found at "
                    "least 4: the table is ragged; put fields in "
                    "double quotes that have a delimiter");
    }
}

static void other_formats_stay_what_they_are(void **state) {
    fixture *f = *state;
    static const char *const texts[] = {"1,2 1:1\n2,3 1:2\n1,3 2:1\n", "1 |a x,y,z\n0 |a p,1,2\n",
                                        "1 1:1 # a\n0 2:1 # p,1,2\n1 1:2 # q,1,3\n"};
    for (size_t i = 0; i < SPC_COUNT(texts); i++) {
        write_text(f->path, texts[i]);
        sparcl_data *const data = must_read(f, f->path, &(sparcl_data_desc){.multilabel = i == 0});
        assert_string_not_equal(sparcl_data_get_info(data)->format, "csv");
        sparcl_data_free(data);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(titles_are_skipped_with_a_note),
        TEST(tables_without_titles_stay_as_they_are),
        TEST(ragged_tables_are_refused_with_the_line),
        TEST(options_say_what_the_first_line_is),
        TEST(missing_columns_are_named_below_the_title),
        TEST(names_of_rows_all_differ_and_are_no_parts_of_fields),
        TEST(other_formats_stay_what_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
