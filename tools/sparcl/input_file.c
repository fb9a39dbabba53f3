/* input_file.c: reads data files, and says what would help with one that is refused. */
#include "input_file.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "input_notes.h"
#include "live_line.h"
#include "message.h"
#include "open_device.h"
#include "user_items.h"
#include "verbose.h"

void print_label_remedy(const sparcl_data *data, const char *option) {
    if (strcmp(sparcl_data_get_info(data)->format, "csv") == 0)
        print_remedy("use --label NAME for the column of the label, or %s FILE", option);
    else
        print_remedy("use %s FILE", option);
}

bool is_read_again(const char *path) {
    struct stat about;
    return strcmp(path, "-") != 0 && (stat(path, &about) != 0 || S_ISREG(about.st_mode));
}

/* True if the file can be read with this description. */
static bool reads_as(const char *path, const sparcl_data_desc *desc, int64_t *columns) {
    sparcl_data *data = NULL;
    if (!is_read_again(path)) return false;
    begin_part("reading %s again", path);
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
    if (wanted == SPARCL_BASE_0 && role == INPUT_OWN)
        print_remedy("omit --index-base 0: the file counts from 1");
    else if (wanted == SPARCL_BASE_0 && role == INPUT_VALIDATES)
        print_remedy("this file seems to count from 1, the training file from 0: number both in "
                     "the same way");
    else if (wanted == SPARCL_BASE_0)
        print_remedy(
            "the model has indices from 0: if this file counts from 1, use --index-base 1");
    else if (role == INPUT_OWN)
        print_remedy("omit --index-base 1: the file counts from 0");
    else if (role == INPUT_VALIDATES)
        print_remedy(
            "this file counts from 0, the training file from 1: number both in the same way");
    else
        print_remedy(
            "the model has indices from 1, this file from 0: use --index-base 0 if its first "
            "feature is 0, or number its features as in the training file");
}

/* Is the file one that counts the other way? */
static bool fix_base(const char *path, input_role role, const sparcl_data_desc *desc,
                     sparcl_index_base wanted) {
    sparcl_data_desc other = *desc;
    int64_t columns = 0;
    other.index_base = wanted == SPARCL_BASE_0 ? SPARCL_BASE_1 : SPARCL_BASE_0;
    if (desc->index_base != wanted || !reads_as(path, &other, &columns)) return false;
    print_base_remedy(role, wanted);
    return true;
}

static bool fix_width(const char *path, input_role role, const sparcl_data_desc *desc) {
    sparcl_data_desc other = *desc;
    int64_t columns = 0;
    other.widen = 1;
    if (desc->columns == 0 || desc->widen || !reads_as(path, &other, &columns)) return false;
    print_width_remedy(role, columns);
    return true;
}

static bool fix_strict(const char *path, const sparcl_data_desc *desc) {
    sparcl_data_desc other = *desc;
    int64_t columns = 0;
    other.strict = 0;
    if (!desc->strict || !reads_as(path, &other, &columns)) return false;
    print_remedy("or omit --strict: then they are sorted and added");
    return true;
}

/* A file of its own is read, but not as the model or the training file says. */
static void explain_other(const char *path, input_role role, const sparcl_data_desc *desc) {
    sparcl_data_desc other = *desc;
    int64_t columns = 0;
    other.index_base = SPARCL_BASE_AUTO;
    other.columns = 0;
    if (role == INPUT_OWN || desc->index_base == SPARCL_BASE_AUTO || desc->columns == 0 ||
        !reads_as(path, &other, &columns))
        return;
    print_remedy("as the %s has indices from %d and %" PRId64
                 " columns, give a file in the format of the training data",
                 role == INPUT_APPLIED ? "model" : "training file",
                 desc->index_base == SPARCL_BASE_1, desc->columns);
}

/* A refused file is read again with other options of the command, to find one that helps. */
static void print_input_remedy(const char *path, input_role role, const sparcl_data_desc *desc) {
    const bool has_ids = desc->hash_bits > 0 || desc->compact_ids; /* they have no base */
    if (role != INPUT_OWN && fix_base(path, role, desc, SPARCL_BASE_0)) return;
    if (fix_width(path, role, desc) || has_ids) return;
    if (role == INPUT_OWN && fix_base(path, role, desc, SPARCL_BASE_0)) return;
    if (fix_base(path, role, desc, SPARCL_BASE_1) || fix_strict(path, desc)) return;
    explain_other(path, role, desc);
}

sparcl_data_desc describe_input(const input_options *options) {
    static const sparcl_csv_logs logs[] = {[NUMBERS_RAW] = SPARCL_CSV_LOGS_NO,
                                           [NUMBERS_LOG] = SPARCL_CSV_LOGS_YES,
                                           [NUMBERS_STANDARDIZED] = SPARCL_CSV_LOGS_NO,
                                           [NUMBERS_AUTO] = SPARCL_CSV_LOGS_AUTO};
#define NUMBER(NAME, ...) SPARCL_DATA_##NAME,
    static const sparcl_data_format formats[] = {SPARCL_DATA_AUTO, SPC_FORMATS(NUMBER)};
    return (sparcl_data_desc){
        .labels = options->labels,
        .weights = options->weights,
        .spill = options->spill,
        .format = formats[options->format],
        .columns = options->columns,
        .index_base = (sparcl_index_base)options->index_base,
        .strict = options->strict,
        .multilabel = options->multilabel,
        .widen = options->widen,
        .labelled_only = options->labelled_only,
        .ratings = options->ratings,
        .stream = options->stream,
        .scale = options->scale,
        .symmetric = options->symmetric,
        .compact_ids = options->compact_ids,
        .ids = options->id_map,
        .feature_ids = options->feature_ids,
        .feature_id_count = options->feature_id_count,
        .known_ids = options->known_ids,
        .csv_columns = options->csv_columns,
        .csv_description = options->csv_description,
        .csv_label = options->csv_label,
        .crosses = options->crosses,
        .row_tag = options->row_tag,
        .csv_heading = (sparcl_heading)options->csv_heading,
        .csv_fields = options->csv_fields,
        .csv_standardize = options->csv_numbers >= NUMBERS_STANDARDIZED,
        .csv_logs = logs[options->csv_numbers],
        .csv_tfidf = options->csv_tfidf,
        .csv_decimal = "\0.,"[options->csv_decimal],
        .csv_delimiter = "\0,\t;| :"[options->csv_delimiter],
        .progress = live_line_bytes,
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

/* Where only some rows have a label, those without are left out. */
static sparcl_status read_labelled(sparcl_data **data, const char *path,
                                   const input_options *options) {
    sparcl_data_desc desc = describe_input(options);
    if (desc.labelled_only || !is_read_again(path)) return SPARCL_E_FORMAT;
    desc.labelled_only = 1;
    begin_part("reading %s again", path);
    const sparcl_status status = sparcl_data_read(data, path, &desc, NULL);
    if (status != SPARCL_OK || sparcl_data_get_info(*data)->unlabelled_rows > 0) return status;
    sparcl_data_free(*data);
    return SPARCL_E_FORMAT;
}

exit_code read_input(const char *path, const input_options *options, sparcl_data **data) {
    sparcl_error error = {0};
    const sparcl_data_desc desc = describe_input(options);
    begin_part("reading %s", path);
    sparcl_status status = sparcl_data_read(data, path, &desc, &error);
    if (status == SPARCL_E_FORMAT) status = read_labelled(data, path, options);
    if (status == SPARCL_OK) {
        print_input_notes(path, options, *data);
        if (options->users > 0) return keep_users(options->users, data);
        return options->ranks ? keep_known_pairs(path, data) : EXIT_OK;
    }
    return report_input(&error, path, options);
}
