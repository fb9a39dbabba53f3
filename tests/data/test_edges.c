/* test_edges.c: edge lists and adjacency lists, good and broken. */
#include "data_test.h"

#include "base/macros.h"

#define EDGES .format = SPARCL_DATA_EDGES

/* The entries as "row,column=value" in order. */
static void check_entries(fixture *f, const char *text, sparcl_data_desc desc, int64_t nodes,
                          const char *expected) {
    write_text(f->path, text);
    sparcl_data *data = must_read(f, f->path, &desc);
    const sparcl_data_info *info = sparcl_data_get_info(data);
    const int64_t *offsets = sparcl_data_offsets(data);
    char found[512] = "";
    size_t used = 0;
    assert_int_equal(info->rows, nodes);
    assert_int_equal(info->index_base, 0);
    for (int64_t row = 0; row < info->rows; row++)
        for (int64_t k = offsets[row]; k < offsets[row + 1]; k++)
            used += (size_t)snprintf(found + used, sizeof found - used, "%d,%d=%g ", (int)row,
                                     ((const int32_t *)sparcl_data_indices(data))[k],
                                     (double)sparcl_data_values(data)[k]);
    assert_string_equal(found, expected);
    sparcl_data_free(data);
}

static void every_separator_comment_and_line_end_is_read(void **state) {
    fixture *f = *state;
    const char expected[] = "0,2=1 1,0=1 ";
    const char *const texts[] = {"0 2\n1 0\n",
                                 "0\t2\r\n1\t0",
                                 "0,2\n1,0\n",
                                 "0, 2\n1 ,0\n",
                                 "0;2\n1;0\n",
                                 "0::2\n1::0\n",
                                 "# a\n0 2\n\n% b\n1 0 # c\n",
                                 " 0  2 \n1 0\t\n",
                                 "source,target\n0,2\n1,0\n",
                                 "https://a.web/address\n# FromNodeId\tToNodeId\n0 2\n1 0\n"};
    for (size_t i = 0; i < SPC_COUNT(texts); i++)
        check_entries(f, texts[i], (sparcl_data_desc){EDGES}, 3, expected);
    check_entries(f, "0 2 0.5\n1 0 -2e1\n", (sparcl_data_desc){EDGES}, 3, "0,2=0.5 1,0=-20 ");
    check_entries(f, "0 2 1\n1 1 1\n1 0 3\n2 0 1\n", (sparcl_data_desc){EDGES}, 3,
                  "0,2=1 1,0=3 1,1=1 2,0=1 ");
    check_entries(f, "0 2\n", (sparcl_data_desc){EDGES, .columns = 5}, 5, "0,2=1 ");
}

static void a_heading_is_counted(void **state) {
    fixture *f = *state;
    write_text(f->path, "a b\n0 1\n");
    sparcl_data *data = must_read(f, f->path, &(sparcl_data_desc){EDGES});
    assert_int_equal(sparcl_data_get_info(data)->heading, 1);
    sparcl_data_free(data);
    write_text(f->path, "# FromNodeId ToNodeId\n0 1\n");
    data = must_read(f, f->path, NULL); /* its comment says what it is */
    assert_string_equal(sparcl_data_get_info(data)->format, "edges");
    assert_int_equal(sparcl_data_get_info(data)->heading, 0);
    sparcl_data_free(data);
}

static void edges_may_be_directed_or_not(void **state) {
    fixture *f = *state;
    const sparcl_data_desc both = {EDGES, .symmetric = 1};
    check_entries(f, "0 1 2\n2 1 3\n0 1 4\n", (sparcl_data_desc){EDGES}, 3, "0,1=6 2,1=3 ");
    check_entries(f, "0 1\n1 0\n2 1\n2 2\n2 2\n", both, 3, "0,1=1 1,0=1 1,2=1 2,1=1 2,2=1 ");
    check_entries(f, "2 0 7\n0 1 5\n1 0 5\n", both, 3, "0,1=5 0,2=7 1,0=5 2,0=7 ");
    write_text(f->path, "0 1 5\n1 2 1\n1 0 6\n");
    must_refuse(f, f->path, &both, ":3:1: ", "the weight that this pair of nodes has");
    write_text(f->path, "# a\n0 1\n\n1 2\n# b\n2 0\n0 1\n");
    must_refuse(f, f->path, &(sparcl_data_desc){EDGES, .strict = 1}, ":7:1: ", "every edge once");
}

static void ids_are_numbered_in_ascending_order_and_the_map_reads_them_again(void **state) {
    fixture *f = *state;
    const sparcl_data_desc compact = {EDGES, .compact_ids = 1};
    check_entries(f, "900000000000 7\n7 35\n", compact, 3, "0,1=1 2,0=1 ");
    sparcl_data *data = must_read(f, f->path, &compact);
    const int64_t ids[] = {7, 35, 900000000000};
    assert_memory_equal(sparcl_data_row_ids(data), ids, sizeof ids);
    assert_null(sparcl_data_column_ids(data));
    assert_int_equal(sparcl_data_save_ids(data, f->other, &f->error), SPARCL_OK);
    sparcl_data_free(data);
    size_t size = 0;
    char *map = read_bytes(f->other, &size);
    assert_int_equal(size, strlen("node\t7\nnode\t35\nnode\t900000000000\n"));
    assert_memory_equal(map, "node\t7\nnode\t35\nnode\t900000000000\n", size);
    free(map);
    const sparcl_data_desc mapped = {EDGES, .ids = f->other};
    check_entries(f, "35 900000000000\n", mapped, 3, "1,2=1 ");
    check_entries(f, "0 1\n", (sparcl_data_desc){EDGES}, 2, "0,1=1 ");
    data = must_read(f, f->path, &(sparcl_data_desc){EDGES});
    assert_int_equal(sparcl_data_save_ids(data, f->other, &f->error), SPARCL_E_ARG);
    assert_int_equal(sparcl_data_save_ids(NULL, f->other, &f->error), SPARCL_E_ARG);
    sparcl_data_free(data);
}

static void edges_of_unknown_nodes_are_left_out(void **state) {
    fixture *f = *state;
    static const int64_t nodes[] = {7, 35, 900000000000};
    const sparcl_data_desc desc = {EDGES, .known_ids = {.nodes = nodes, .node_count = 3}};
    check_entries(f, "# a\n35 7 2\n7 36 3\n\n8 9 4\n900000000000 35 5\n", desc, 3, "1,0=2 2,1=5 ");
    sparcl_data *const data = must_read(f, f->path, &desc);
    assert_int_equal(sparcl_data_get_info(data)->unknown_ids, 2);
    assert_memory_equal(sparcl_data_known_ids(data).nodes, nodes, sizeof nodes);
    assert_int_equal(sparcl_data_known_ids(data).node_count, 3);
    assert_null(sparcl_data_known_ids(data).users);
    sparcl_data_free(data);
    /* those that stay have their lines */
    sparcl_data_desc strict = desc;
    strict.strict = 1;
    write_text(f->path, "# a\n7 36\n35 7\n\n8 9\n35 7\n");
    must_refuse(f, f->path, &strict, ":6:1: ", "every edge once");
    must_survive_memory_failures(f, f->path, desc);
}

static void a_broken_map_is_refused(void **state) {
    fixture *f = *state;
    const struct {
        const char *map, *words;
    } cases[] = {{"node 1\n", ":1:1: expected node, user, item or feature, a tab, and an id"},
                 {"node\tx\n", ":1:6: expected an id"},
                 {"node\t1 2\n", ":1:6: expected an id"},
                 {"node\t2\nnode\t2\n", ":2:6: expected ids in ascending order"},
                 {"item\t3\n", "expected lines \"node TAB id\", found none"}};
    write_text(f->path, "1 2\n");
    for (size_t i = 0; i < SPC_COUNT(cases); i++) {
        sparcl_data *data = NULL;
        write_text(f->other, cases[i].map);
        const sparcl_data_desc desc = {EDGES, .ids = f->other};
        assert_int_equal(sparcl_data_read(&data, f->path, &desc, &f->error), SPARCL_E_FORMAT);
        if (!strstr(f->error.message, cases[i].words)) fail_msg("%s", f->error.message);
    }
    sparcl_data *data = NULL;
    const sparcl_data_desc none = {EDGES, .ids = "/nowhere/map"};
    assert_int_equal(sparcl_data_read(&data, f->path, &none, &f->error), SPARCL_E_IO);
}

static void every_broken_list_is_refused_at_its_place(void **state) {
    fixture *f = *state;
    const struct {
        const char *text, *place, *words;
    } cases[] = {
        {"", ":1:1: ", "found the end of the file"},
        {"# a\n", ":2:1: ", "found the end of the file"},
        {"a b\nc d\n", ":2:1: ", "an id, a whole number of at least 0, found \"c\""},
        {"0 1\na b\n", ":2:1: ", "an id"},
        {"0 -1\n", ":1:3: ", "an id, a whole number of at least 0, found \"-1\""},
        {"0 1.5\n", ":1:3: ", "an id"},
        {"0\n", ":1:2: ", "a second id, found the end of the line"},
        {"0,\n", ":1:3: ", "an id"},
        {"0 1 x\n", ":1:5: ", "a finite decimal number, found \"x\""},
        {"0 1 nan\n", ":1:5: ", "a finite decimal number"},
        {"0 1 1e39\n", ":1:5: ", "32-bit float"},
        {"0 1 1 1\n", ":1:7: ", "the end of the line"},
        {"0 1 1\n0 2\n", ":2:4: ", "expected 3 fields, as in the lines before, found 2"},
        {"0 9223372036854775807\n", ":1:3: ", "up to 9223372036854775806"},
        {"0 99999999999999999999\n", ":1:3: ", "an id"},
        {"0 99999999999\n", ": ", "compact the ids"},
        {"0 1:2\n", ":1:3: ", "an id"},
    };
    for (size_t i = 0; i < SPC_COUNT(cases); i++) {
        write_text(f->path, cases[i].text);
        must_refuse(f, f->path, &(sparcl_data_desc){EDGES}, cases[i].place, cases[i].words);
    }
    write_text(f->path, "0 5\n");
    must_refuse(f, f->path, &(sparcl_data_desc){EDGES, .columns = 5}, ": ", "ids up to 4, found 5");
    must_refuse(f, f->path, &(sparcl_data_desc){EDGES, .index_base = SPARCL_BASE_1}, ": ",
                "from 0");
    write_text(f->path, "1 1:1\n");
    must_refuse(f, f->path, &(sparcl_data_desc){.symmetric = 1}, ": ", "a list of edges");
    write_text(f->path, "y,a\n1,2\n3,4\n");
    must_refuse(f, f->path, &(sparcl_data_desc){.ids = f->other}, ": ", "its description says");
}

static void an_adjacency_list_has_a_row_and_its_columns_in_a_line(void **state) {
    fixture *f = *state;
    const sparcl_data_desc desc = {.format = SPARCL_DATA_ADJACENCY};
    check_entries(f, "0 3 1\n# a\n\n2 0\r\n1\n", desc, 3, "0,1=1 0,3=1 2,0=1 ");
    sparcl_data *data = must_read(f, f->path, &desc);
    assert_int_equal(sparcl_data_get_info(data)->columns, 4);
    assert_string_equal(sparcl_data_get_info(data)->format, "adjacency");
    sparcl_data_free(data);
    check_entries(f, "0 1 1\n", desc, 1, "0,1=2 ");
    must_refuse(f, f->path, &(sparcl_data_desc){.format = SPARCL_DATA_ADJACENCY, .strict = 1}, ": ",
                "column 1 of row 0 again");
    const struct {
        const char *text, *place, *words;
    } cases[] = {{"", ":1:1: ", "found the end of the file"},
                 {"0 x\n", ":1:3: ", "an id"},
                 {"0 1,2\n", ":1:6: ", "an id"},
                 {"0:1\n", ":1:1: ", "an id"},
                 {"99999999999 1\n", ": ", "number the rows from 0"}};
    for (size_t i = 0; i < SPC_COUNT(cases); i++) {
        write_text(f->path, cases[i].text);
        if (i == 2)
            must_refuse(f, f->path, &desc, ":1:", "an id");
        else
            must_refuse(f, f->path, &desc, cases[i].place, cases[i].words);
    }
}

static void running_out_of_memory_is_reported_and_leaks_nothing(void **state) {
    fixture *f = *state;
    write_text(f->path, "7 35\n35 7\n900 7\n");
    must_survive_memory_failures(f, f->path,
                                 (sparcl_data_desc){EDGES, .compact_ids = 1, .symmetric = 1});
    write_text(f->other, "node\t7\nnode\t35\nnode\t900\n");
    must_survive_memory_failures(f, f->path, (sparcl_data_desc){EDGES, .ids = f->other});
    must_survive_memory_failures(f, f->path, (sparcl_data_desc){.format = SPARCL_DATA_ADJACENCY});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(every_separator_comment_and_line_end_is_read),
        TEST(a_heading_is_counted),
        TEST(edges_may_be_directed_or_not),
        TEST(ids_are_numbered_in_ascending_order_and_the_map_reads_them_again),
        TEST(edges_of_unknown_nodes_are_left_out),
        TEST(a_broken_map_is_refused),
        TEST(every_broken_list_is_refused_at_its_place),
        TEST(an_adjacency_list_has_a_row_and_its_columns_in_a_line),
        TEST(running_out_of_memory_is_reported_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
