/* input_file.c: reads data files, and says what was repaired and what would help. */
#include "input_file.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "message.h"
#include "open_device.h"

static bool is_format(const sparcl_data_info *info, const char *name) {
    return info->format && strcmp(info->format, name) == 0;
}

static void print_rounded(const char *path, const sparcl_data_info *info) {
    const bool is_array = is_format(info, "npz") || is_format(info, "array");
    if (!info->float64_source && info->narrowed_values == 0) return;
    print_note("%s: its values are %s, the model is float32: %" PRId64 " of %" PRId64
               " were rounded",
               path,
               info->float64_source ? "float64"
               : is_array           ? "integers"
                                    : "numbers with more digits",
               info->narrowed_values, info->nnz);
}

void print_accepted(const char *path, const sparcl_data_info *info) {
    if (info->byte_order_mark)
        print_note("%s: the byte order mark at its beginning was skipped", path);
    if (info->heading && !is_format(info, "csv")) /* of CSV more is said about it */
        print_note("%s: the first line was taken for a heading and skipped", path);
    print_rounded(path, info);
}

static void print_changes(const char *path, const sparcl_data_info *info, bool lists_missing) {
    print_accepted(path, info);
    if (info->duplicates > 0 && info->hash_bits > 0)
        print_note("%s: %" PRId64
                   " entries have the column of an entry before them in the row and were added",
                   path, info->duplicates);
    else if (info->duplicates > 0)
        print_note("%s: %" PRId64 " duplicate indices were added (--strict refuses them)", path,
                   info->duplicates);
    if (info->shared_columns > 0)
        print_note("%s: %" PRId64 " of 2^%d columns have more than one name (--hash-bits %d has "
                   "twice as many columns)",
                   path, info->shared_columns, info->hash_bits, info->hash_bits + 1);
    if (info->unknown_words > 0)
        print_note("%s: %" PRId64 " words that the dictionaries of the description do not have are "
                   "missing values",
                   path, info->unknown_words);
    if (info->query_rows > 0)
        print_note("%s: %" PRId64 " rows have a qid, which is neither used nor written", path,
                   info->query_rows);
    if (info->unlabelled_rows > 0 && info->unlabelled_rows < info->rows)
        print_note("%s: %" PRId64 " of %" PRId64
                   " rows have no label, so that those of the others are not used",
                   path, info->unlabelled_rows, info->rows);
    if (info->missing_values > 0 && !lists_missing)
        print_note("%s: %" PRId64 " missing values are no entries", path, info->missing_values);
    if (info->unsorted_rows > 0)
        print_note("%s: %" PRId64
                   " rows had unsorted indices and were sorted (--strict refuses them)",
                   path, info->unsorted_rows);
}

void print_repairs(const char *path, const sparcl_data_info *info) {
    print_changes(path, info, false);
}

/* "age 3, name 1 and 2 more": of lines NAME,COUNT. */
static void print_missing(const char *path, const sparcl_data *data) {
    enum { SHOWN = 5 };
    const char *at = sparcl_data_csv_missing(data);
    char list[256] = "";
    size_t used = 0;
    int columns = 0;
    for (; at && *at; columns++) {
        const char *const end = at + strcspn(at, "\n");
        const char *comma = end;
        while (*comma != ',')
            comma--;
        if (columns < SHOWN && (size_t)(end - at) + 4 < sizeof list - used)
            used +=
                (size_t)snprintf(list + used, sizeof list - used, "%s%.*s %.*s", used ? ", " : "",
                                 (int)(comma - at), at, (int)(end - comma - 1), comma + 1);
        at = end + (*end == '\n');
    }
    if (columns > 0)
        print_note("%s: %" PRId64 " missing values (empty, NA, nan, null, ?) are no entries: of "
                   "column %s%s",
                   path, sparcl_data_get_info(data)->missing_values, list,
                   columns > SHOWN ? ", ..." : "");
}

/* The lines of the description with this kind. */
static int count_kind(const char *columns, const char *kind) {
    char ending[32];
    int count = 0;
    const int length = snprintf(ending, sizeof ending, ",%s\n", kind);
    for (const char *at = columns; (at = strstr(at, ending)) != NULL; at += length)
        count++;
    return count;
}

/* Without a description: what the columns were taken for. */
static void print_guess(const char *path, const input_options *options, const sparcl_data *data) {
    const char *const columns = sparcl_data_csv_columns(data);
    if (!columns || options->csv_columns) return;
    const char *const end = strstr(columns, ",label\n"), *begin = end;
    const int skipped = count_kind(columns, "skip");
    char unnamed[64] = "";
    while (begin > columns && begin[-1] != '\n')
        begin--;
    if (skipped > 0)
        snprintf(unnamed, sizeof unnamed, ", %d without a name %s skipped", skipped,
                 skipped > 1 ? "are" : "is");
    print_note("%s: %s; its label is the column %.*s, %d columns are numeric and %d hashed%s "
               "('sparcl inspect --save-columns FILE' writes this, to be changed and read with "
               "--csv-columns)",
               path,
               sparcl_data_get_info(data)->heading
                   ? "the first line was taken for a heading (--csv-heading no: for a row)"
                   : "read as CSV without a heading (--csv-heading yes: with one; --format names "
                     "another format)",
               (int)(end - begin), begin, count_kind(columns, "numeric"),
               count_kind(columns, "hashed"), unnamed);
}

/* Labels of text are decimal numbers, which are always rounded. */
static bool has_own_labels(const sparcl_data_info *info) {
    static const char *const formats[] = {"svmlight", "libffm", "indices", "vw", "ratings", "csv"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(info->format, formats[i]) == 0) return true;
    return false;
}

void print_narrowed_labels(const char *path, sparcl_loss loss, const sparcl_data *data) {
    const sparcl_data_info *const info = sparcl_data_get_info(data);
    const double *const labels = sparcl_data_labels(data);
    int64_t narrowed = 0;
    if ((loss != SPARCL_LOSS_SQUARED && loss != SPARCL_LOSS_POISSON) || !labels ||
        has_own_labels(info))
        return;
    for (int64_t i = 0; i < info->label_count; i++)
        narrowed += (double)(float)labels[i] != labels[i];
    if (narrowed > 0)
        print_note("%s: %" PRId64 " of %" PRId64
                   " labels were rounded: the model computes with float32, "
                   "which does not represent them exactly",
                   path, narrowed, info->label_count);
}

/* True if the file can be read with this description. Standard input cannot be read again. */
static bool reads_as(const char *path, const sparcl_data_desc *desc, int64_t *columns) {
    sparcl_data *data = NULL;
    if (strcmp(path, "-") == 0) return false;
    if (sparcl_data_read(&data, path, desc, NULL) != SPARCL_OK) return false;
    *columns = sparcl_data_get_info(data)->columns;
    sparcl_data_free(data);
    return true;
}

static void print_width_remedy(input_role role, int64_t columns) {
    if (role == INPUT_OWN)
        print_remedy("use --columns %" PRId64
                     " or more, or --widen to accept all columns of the file",
                     columns);
    else if (role == INPUT_VALIDATES)
        print_remedy("use --columns %" PRId64 " or more, which makes the model wider", columns);
    else
        print_remedy(
            "use --widen, which ignores features that the model does not have; or train it with "
            "--columns %" PRId64,
            columns);
}

static void print_base_remedy(input_role role, sparcl_index_base wanted) {
    if (wanted == SPARCL_BASE_0 && role == INPUT_VALIDATES)
        print_remedy("this file seems to count from 1, the training file from 0: number both in "
                     "the same way");
    else if (wanted == SPARCL_BASE_0)
        print_remedy("if this file counts from 1, use --index-base 1: the model counts from 0");
    else if (role == INPUT_OWN)
        print_remedy("omit --index-base 1: the file counts from 0");
    else if (role == INPUT_VALIDATES)
        print_remedy(
            "this file counts from 0, the training file from 1: number both in the same way");
    else
        print_remedy(
            "this file counts from 0, the model from 1: use --index-base 0 if its first feature is "
            "0, or number its features as in the training file");
}

/* A refused file is read again with other options of the command, to find one that helps. */
static void print_input_remedy(const char *path, input_role role, const sparcl_data_desc *desc) {
    sparcl_data_desc other = *desc;
    int64_t columns = 0;
    other.index_base = SPARCL_BASE_1;
    if (role != INPUT_OWN && desc->index_base == SPARCL_BASE_0 &&
        reads_as(path, &other, &columns)) {
        print_base_remedy(role, desc->index_base);
        return;
    }
    other = *desc;
    other.widen = 1;
    if (desc->columns > 0 && !desc->widen && reads_as(path, &other, &columns)) {
        print_width_remedy(role, columns);
        return;
    }
    other.index_base = SPARCL_BASE_0;
    if (desc->index_base == SPARCL_BASE_1 && reads_as(path, &other, &columns)) {
        print_base_remedy(role, desc->index_base);
        return;
    }
    other = *desc;
    other.strict = 0;
    if (desc->strict && reads_as(path, &other, &columns))
        print_remedy("or omit --strict: then they are sorted and added");
}

static exit_code keep_users(int64_t users, sparcl_data **data) {
    sparcl_data *part = NULL;
    sparcl_error error = {0};
    const sparcl_status status = sparcl_data_of_users(*data, users, &part, &error);
    sparcl_data_free(*data);
    *data = part;
    return status == SPARCL_OK ? EXIT_OK : report(&error);
}

sparcl_data_desc describe_input(const input_options *options) {
    return (sparcl_data_desc){
        .labels = options->labels,
        .weights = options->weights,
        .spill = options->spill,
        .format = (sparcl_data_format)options->format,
        .columns = options->columns,
        .index_base = (sparcl_index_base)options->index_base,
        .strict = options->strict,
        .multilabel = options->multilabel,
        .widen = options->widen,
        .stream = options->stream,
        .scale = options->scale,
        .symmetric = options->symmetric,
        .compact_ids = options->compact_ids,
        .ids = options->id_map,
        .csv_columns = options->csv_columns,
        .csv_heading = (sparcl_heading)options->csv_heading,
        .csv_fields = options->csv_fields,
        .csv_delimiter = "\0,\t;| :"[options->csv_delimiter],
        .hash_bits = options->hash_bits > INT_MAX ? INT_MAX : (int)options->hash_bits,
    };
}

exit_code report_input(const sparcl_error *error, const char *path, const input_options *options) {
    const sparcl_data_desc desc = describe_input(options);
    const exit_code code = report(error);
    if (error->status == SPARCL_E_MEMORY && !options->spill)
        print_remedy("or keep it in files: --spill FOLDER; or read it in each pass: --stream");
    if (error->status == SPARCL_E_FORMAT) print_input_remedy(path, options->role, &desc);
    return code;
}

exit_code read_input(const char *path, const input_options *options, sparcl_data **data) {
    sparcl_error error = {0};
    const sparcl_data_desc desc = describe_input(options);
    const sparcl_status status = sparcl_data_read(data, path, &desc, &error);
    if (status == SPARCL_OK) {
        print_changes(path, sparcl_data_get_info(*data), true);
        print_missing(path, *data);
        print_guess(path, options, *data);
        return options->users > 0 ? keep_users(options->users, data) : EXIT_OK;
    }
    return report_input(&error, path, options);
}
