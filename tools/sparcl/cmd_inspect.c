/* cmd_inspect.c: sparcl inspect: describes a data file, and checks it with --strict. */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "column_line.h"
#include "input_file.h"
#include "message.h"
#include "options.h"
#include "output.h"
#include "printable.h"
#include "sparcl/data.h"

enum { MAX_LABELS = 1000 };

static struct {
    input_options input;
    int strict, json;
    const char *save_ids, *save_columns;
} given = {.input = {.csv_numbers = NUMBERS_LOG}};

/* ---- labels --------------------------------------------------------------------------------- */

static int compare_numbers(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* {"-1": 24720, "1": 7841}, ascending, or words; null without labels, or with too many different
 * ones. */
static json_t *labels_to_json(const sparcl_data *data) {
    const int64_t count = sparcl_data_get_info(data)->label_count;
    const double *const labels = sparcl_data_labels(data);
    if (!labels || count == 0) return json_null();
    double *const sorted = malloc((size_t)count * sizeof *sorted);
    if (!sorted) return NULL;
    memcpy(sorted, labels, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, compare_numbers);
    json_t *object = json_object();
    for (int64_t i = 0, end = 0; i < count && object; i = end) {
        char text[NUMBER_BYTES];
        for (end = i + 1; end < count && compare_numbers(&sorted[i], &sorted[end]) == 0;)
            end++;
        const char *const word = sparcl_data_label_name(data, sorted[i]);
        const char *const name = word ? word : shortest_number(text, sorted[i]);
        json_set_text_key(object, name, json_integer(end - i));
        if (json_object_size(object) > MAX_LABELS) {
            json_decref(object);
            object = json_null();
            break;
        }
    }
    free(sorted);
    return object;
}

/* The same as a line of the table: "-1 (24720), 1 (7841)". */
static json_t *labels_line(json_t *labels, int has_labels) {
    char line[120] = "";
    size_t used = 0;
    const char *label;
    json_t *count;
    json_object_foreach(labels, label, count) {
        enum { SHOWN = 64 };
        char one[SHOWN + 32];
        const int length =
            snprintf(one, sizeof one, "%s%.*s (%" JSON_INTEGER_FORMAT ")", used ? ", " : "",
                     fitting_bytes(label, SHOWN), label, json_integer_value(count));
        if (used + (size_t)length + sizeof ", ..." > sizeof line) {
            strcpy(line + used, ", ...");
            break;
        }
        strcpy(line + used, one);
        used += (size_t)length;
    }
    if (json_is_object(labels))
        return json_sprintf("%zu different: %s", json_object_size(labels), line);
    return json_string(has_labels ? "more than 1000 different" : "none");
}

/* ---- the report ----------------------------------------------------------------------------- */

/* Of ratings; also where they are words. */
typedef struct pair_counts {
    int64_t users, items;
} pair_counts;

static exit_code count_pairs(const sparcl_data *data, pair_counts *found) {
    const sparcl_data_info *const info = sparcl_data_get_info(data);
    const char *const description = sparcl_data_csv_columns(data);
    sparcl_csv_columns *columns = NULL;
    sparcl_error error = {0};
    *found = (pair_counts){info->users, info->items};
    if (!description || strcmp(info->format, "ratings") != 0) return EXIT_OK;
    if (sparcl_csv_columns_create(&columns, description, info->columns, &error) != SPARCL_OK)
        return report(&error);
    sparcl_csv_columns_pairs(columns, &found->users, &found->items);
    sparcl_csv_columns_free(columns);
    return EXIT_OK;
}

static json_t *describe(const sparcl_data *data, const pair_counts *pairs) {
    const sparcl_data_info *const info = sparcl_data_get_info(data);
    const double cells = (double)info->rows * (double)info->columns;
    json_t *labels = labels_to_json(data);
    if (!given.json && labels) {
        json_t *const line = labels_line(labels, info->has_labels);
        json_decref(labels);
        labels = line;
    }
    json_t *const object = json_pack(
        "{s:s, s:I, s:I, s:I, s:o, s:I, s:I, s:I, s:b, s:I, s:I, s:I, s:I, s:I, s:i, "
        "s:I, s:i, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:b, s:I, s:I, s:o}",
        "format", info->format, "rows", (json_int_t)info->rows, "cols", (json_int_t)info->columns,
        "nnz", (json_int_t)info->nnz, "density", json_number((double)info->entries / cells),
        "row_nnz_min", (json_int_t)info->row_nnz_min, "row_nnz_median",
        (json_int_t)info->row_nnz_median, "row_nnz_max", (json_int_t)info->row_nnz_max, "sorted",
        info->unsorted_rows == 0, "duplicates", (json_int_t)info->duplicates, "unsorted_rows",
        (json_int_t)info->unsorted_rows, "nan_values", (json_int_t)info->nan_values, "inf_values",
        (json_int_t)info->inf_values, "narrowed_values", (json_int_t)info->narrowed_values,
        "index_base", info->index_base, "fields", (json_int_t)info->fields, "hash_bits",
        info->hash_bits, "shared_columns", (json_int_t)info->shared_columns, "ids",
        (json_int_t)info->id_count, "unknown_ids", (json_int_t)info->unknown_ids, "query_rows",
        (json_int_t)info->query_rows, "missing_values", (json_int_t)info->missing_values, "crosses",
        (json_int_t)info->crosses, "cross_entries", (json_int_t)info->cross_entries, "weights",
        sparcl_data_weights(data) != NULL, "users", (json_int_t)pairs->users, "items",
        (json_int_t)pairs->items, "labels", labels);
    return object;
}

/* Not in a table: what the file does not have. */
static void leave_out_zeros(json_t *object) {
    static const char *const keys_of_some[] = {
        "duplicates",    "unsorted_rows", "nan_values",     "inf_values", "narrowed_values",
        "fields",        "hash_bits",     "shared_columns", "ids",        "unknown_ids",
        "query_rows",    "weights",       "missing_values", "crosses",    "users",
        "cross_entries", "items"};
    for (size_t i = 0; object && i < sizeof keys_of_some / sizeof *keys_of_some; i++) {
        const json_t *const value = json_object_get(object, keys_of_some[i]);
        if (json_is_false(value) || (json_is_integer(value) && json_integer_value(value) <= 0))
            json_object_del(object, keys_of_some[i]);
    }
}

/* Of CSV: what each column is, of many the first. */
static exit_code print_columns(const sparcl_data *data) {
    enum { SHOWN = 50, NAME_SHOWN = 60 };
    static const char *const headings[] = {"column", "kind", NULL};
    const char *at = sparcl_data_csv_columns(data);
    column_line line;
    if (!at || strcmp(sparcl_data_get_info(data)->format, "csv") != 0) return EXIT_OK;
    struct libscols_table *const table = table_new(headings);
    char name[NAME_SHOWN + 1], kind[64];
    const char *const cells[] = {name, kind};
    int count = 0;
    for (; next_column(&at, &line); count++) {
        if (count >= SHOWN) continue;
        snprintf(name, sizeof name, "%.*s", line.name_length, line.name);
        snprintf(kind, sizeof kind, "%.*s", line.kind_length, line.kind);
        table_add(table, NULL, cells);
    }
    if (count > SHOWN) {
        snprintf(name, sizeof name, "...");
        snprintf(kind, sizeof kind, "%d more: --save-columns FILE has all", count - SHOWN);
        table_add(table, NULL, cells);
    }
    putchar('\n');
    const exit_code code = table_print(table);
    return code == EXIT_OK ? flush_results() : code;
}

static exit_code print_description(const sparcl_data *data) {
    pair_counts pairs;
    exit_code code = count_pairs(data, &pairs);
    if (code != EXIT_OK) return code;
    json_t *const object = describe(data, &pairs);
    if (!given.json) leave_out_zeros(object);
    code = print_object(object, given.json);
    return code == EXIT_OK && !given.json ? print_columns(data) : code;
}

/* ---- the strict check ----------------------------------------------------------------------- */

/* Read again with --strict, where it can be: the error has the first position. */
static exit_code print_disorder(const char *path) {
    input_options strict = given.input;
    sparcl_data *data = NULL;
    strict.strict = 1;
    exit_code code = is_read_again(path) ? read_input(path, &strict, &data) : EXIT_OK;
    sparcl_data_free(data);
    if (code != EXIT_OK) return code;
    print_error("%s: unsorted or duplicate indices", path);
    print_remedy("sort the indices of each row and add duplicates");
    return EXIT_CONTRACT;
}

static exit_code check_contract(const char *path, const sparcl_data *data) {
    const sparcl_data_info *const info = sparcl_data_get_info(data);
    sparcl_error error = {0};
    exit_code code = EXIT_OK;
    const bool collisions = info->hash_bits > 0; /* duplicates are no fault */
    if ((info->duplicates > 0 && !collisions) || info->unsorted_rows > 0)
        code = print_disorder(path);
    if (sparcl_data_check_finite(data, &error) == SPARCL_OK) return code;
    const exit_code other = report(&error);
    return code == EXIT_OK ? other : code;
}

static exit_code save_ids(const sparcl_data *data) {
    sparcl_error error = {0};
    if (sparcl_data_save_ids(data, given.save_ids, &error) == SPARCL_OK) return EXIT_OK;
    const exit_code code = report(&error);
    if (error.status == SPARCL_E_ARG)
        print_remedy(sparcl_data_csv_columns(data)
                         ? "use --save-columns FILE, which writes words, for --csv-columns"
                         : "use --compact-ids, or --format ratings");
    return code;
}

static exit_code save_columns(const sparcl_data *data) {
    sparcl_error error = {0};
    if (sparcl_data_save_columns(data, given.save_columns, &error) == SPARCL_OK) return EXIT_OK;
    const exit_code code = report(&error);
    if (error.status == SPARCL_E_ARG) print_remedy("use --format csv for CSV");
    return code;
}

static exit_code run(int operand_count, const char *const *operands) {
    (void)operand_count;
    const char *const path = operands[0];
    sparcl_data *data = NULL;
    exit_code code = read_input(path, &given.input, &data);
    if (code == EXIT_OK) code = print_description(data);
    if (code == EXIT_OK && given.save_ids) code = save_ids(data);
    if (code == EXIT_OK && given.save_columns) code = save_columns(data);
    if (code == EXIT_OK && given.strict) code = check_contract(path, data);
    sparcl_data_free(data);
    return code;
}

/* ---- the table of the command --------------------------------------------------------------- */

static const char *const examples[] = {
    "describe this file",
    "sparcl inspect train.svm.gz",
    "a table: what its columns were taken for, also as a file to change (sparcl help csv)",
    "sparcl inspect visits.csv --label bought --save-columns columns",
    "in a script: fail on invalid data",
    "sparcl inspect train.svm --columns 123 --strict --json > report.json",
    "a SciPy file with its labels",
    "sparcl inspect train.npz --labels labels.npy",
    "a matrix and the labels of one archive",
    "sparcl inspect cora.npz:attr --labels cora.npz:labels",
    NULL,
};

static const tool_option options[] = {
    {.name = "strict",
     .type = OPTION_FLAG,
     .value = &given.strict,
     .set = 1,
     .help = "exit with 5 on unsorted or duplicate indices, nan and inf"},
    {.name = "save-ids",
     .type = OPTION_TEXT,
     .value = &given.save_ids,
     .argument = "FILE",
     .file = FILE_WRITTEN,
     .help = "write the ids of features, users and items, or nodes, for --id-map"},
    {.name = "save-columns",
     .type = OPTION_TEXT,
     .value = &given.save_columns,
     .argument = "FILE",
     .file = FILE_WRITTEN,
     .help = "CSV: write what each column is, for --csv-columns"},
    OPTION_JSON(given.json),
    OPTION_LABELS(given.input),
    OPTION_WEIGHTS(given.input),
    OPTION_FORMAT(given.input),
    OPTION_SPILL(given.input),
    OPTION_STREAM(given.input),
    OPTION_SCALE(given.input),
    OPTION_HASH_BITS(given.input),
    OPTION_CROSS(given.input),
    OPTION_SYMMETRIC(given.input),
    OPTION_COMPACT_IDS(given.input),
    OPTION_ID_MAP(given.input),
    OPTIONS_OF_CSV(given.input),
    OPTION_CSV_NUMBERS(given.input,
                       "CSV: default log: kinds as 'train' takes them; auto: values, too"),
    OPTION_CSV_TEXT(given.input),
    OPTION_COLUMNS(given.input),
    OPTION_INDEX_BASE(given.input, OF_THE_FILE),
    OPTION_WIDEN(given.input),
    {.name = "multilabel",
     .type = OPTION_FLAG,
     .value = &given.input.multilabel,
     .set = 1,
     .help = "accept rows with any number of labels"},
    {0},
};

static const json_key keys[] = {
    {"format", "one of --format"},
    {"rows", "rows"},
    {"cols", "number of features: that of the file, or --columns"},
    {"nnz", "entries as stored in the file"},
    {"density", "entries without duplicates, divided by rows x cols; null for 0 cells"},
    {"row_nnz_min", "entries of the shortest row"},
    {"row_nnz_median", "median of the entries per row"},
    {"row_nnz_max", "entries of the longest row"},
    {"sorted", "true when the indices of every row ascend"},
    {"duplicates", "duplicate indices inside a row"},
    {"unsorted_rows", "rows whose indices do not ascend"},
    {"nan_values", "values that are nan"},
    {"inf_values", "values that are infinite"},
    {"narrowed_values", "numbers with more digits than float32 holds, which were rounded"},
    {"index_base", "0 or 1: the index of the first feature in the file"},
    {"fields", "1 + the largest field of libFFM text; 0 without fields"},
    {"hash_bits", "columns are hashes of names or ids, of this many bits; 0: they are not"},
    {"shared_columns", "columns that more than one name or id has; -1: not counted"},
    {"ids", "ids of features that --compact-ids or --id-map numbers; else 0"},
    {"unknown_ids", "entries left out, as the map does not have their ids"},
    {"query_rows", "rows with a qid, which is not used"},
    {"missing_values", "empty fields of CSV, which are no entries"},
    {"crosses", "pairs of columns, or of namespaces, of --cross; 0 for all of namespaces"},
    {"cross_entries", "entries of crosses, before equal columns were added"},
    {"weights", "true when the rows have weights of their own"},
    {"users", "users of ratings, the first columns; else 0"},
    {"items", "items of ratings, the columns after the users; else 0"},
    {"labels", "rows of each label, as {\"-1\": 24720, \"1\": 7841}; null without labels"},
    {"", "or with more than 1000 different ones"},
    {0},
};

extern const tool_command command_inspect;
const tool_command command_inspect = {
    .name = "inspect",
    .summary = "describe a data file",
    .operands = "FILE [options]",
    .operands_min = 1,
    .operands_max = 1,
    .examples = examples,
    .options = options,
    .keys = keys,
    .notes =
        "Without --json what the file does not have is left out, and of CSV follows what each\n"
        "column is, up to 50 of them.\n"
        "Exits with 5 when the file is not a valid data file (sparcl help data, help csv).",
    .run = run,
};
