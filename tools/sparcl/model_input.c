/* model_input.c: reads a model together with its data. */
#include "model_input.h"

#include <stdbool.h>
#include <string.h>

#include "message.h"
#include "model_file.h"
#include "open_device.h"

exit_code load_model(loaded_model *loaded, const char *path, const char *data_path,
                     const char *device) {
    *loaded = (loaded_model){NULL, NULL};
    const exit_code code = read_model(path, data_path, &loaded->model);
    return code == EXIT_OK ? open_device(device, &loaded->ctx) : code;
}

void close_model(loaded_model *loaded) {
    sparcl_model_free(loaded->model);
    sparcl_ctx_close(loaded->ctx);
}

void take_columns(input_options *options, const sparcl_model_info *info) {
    options->csv_description = info->csv_description;
    if (info->csv_description && options->csv_columns) {
        print_note("--csv-columns has no effect: the model has the columns of its training data");
        options->csv_columns = NULL;
    }
    if (info->csv_description && options->csv_decimal) {
        print_note("--csv-decimal has no effect: the model has the columns of its training data");
        options->csv_decimal = 0;
    }
    if (options->crosses)
        print_note("--cross has no effect: the model has the crosses of its training data%s",
                   info->crosses ||
                           (info->csv_description && strstr(info->csv_description, ",cross,"))
                       ? ""
                       : ", none");
    options->crosses = info->crosses;
    if (info->hash_bits > 0 && options->hash_bits == 0) options->hash_bits = info->hash_bits;
    if (options->id_map) return;
    if (info->feature_ids || info->known_ids.nodes) options->compact_ids = 0;
    options->feature_ids = info->feature_ids;
    options->feature_id_count = info->id_count;
    options->known_ids = info->known_ids;
}

input_options input_of_model(const sparcl_model *model, const input_options *options) {
    const sparcl_model_info *const info = sparcl_model_get_info(model);
    const sparcl_task task = sparcl_model_architecture(model)->task;
    input_options expected = *options;
    expected.role = INPUT_APPLIED;
    expected.columns = info->columns;
    expected.csv_fields = info->fields > 0;
    expected.ranks = expected.ratings = task == SPARCL_TASK_RANK;
    expected.labelled_only &= task == SPARCL_TASK_LABELS;
    take_columns(&expected, info);
    if (expected.index_base == SPARCL_BASE_AUTO)
        expected.index_base = info->index_base ? SPARCL_BASE_1 : SPARCL_BASE_0;
    return expected;
}

/* Another format has no ids of users and items. */
static void print_if_numbered(const char *path, const sparcl_model *model,
                              const sparcl_data_info *info) {
    const bool has_words = sparcl_model_architecture(model)->task == SPARCL_TASK_RANK &&
                           sparcl_model_get_info(model)->csv_description;
    if ((sparcl_model_get_info(model)->known_ids.users || has_words) && info->users == 0)
        print_note("%s: it has no %s of users and items, as the training data had; its numbers are "
                   "taken for the model's: give ratings%s",
                   path, has_words ? "words" : "ids",
                   has_words ? "" : ", unless it was made with the model's map");
}

/* A file without an index 0 may count from 0 or from 1; a single row often has none. */
void print_index_base(const char *path, const input_options *options, const sparcl_model *model,
                      const sparcl_data_info *info) {
    const int base = sparcl_model_get_info(model)->index_base;
    print_if_numbered(path, model, info);
    if (info->hashed_ids || info->id_count > 0 || info->users > 0) return; /* ids have none */
    if (info->index_base != base)
        print_note("%s: read with indices from %d, as requested; the training data counts from %d",
                   path, info->index_base, base);
    else if (options->index_base == SPARCL_BASE_AUTO && base == 0 &&
             spc_format_has_base(spc_format_flags(info->format)) && info->rows > 1 &&
             info->min_index > 0)
        print_note("%s: the model counts features from 0 and no index here is 0; if the file "
                   "counts from 1, it is read incorrectly: use --index-base 1",
                   path);
}

/* No width can be requested that a file without features has. */
static exit_code check_featureless(const char *path, const input_options *expected,
                                   const sparcl_data_info *info) {
    if (expected->columns > 0 || expected->widen || info->columns == 0) return EXIT_OK;
    print_error("%s: expected rows without features, as the model has none, found %lld columns",
                path, (long long)info->columns);
    print_remedy("use --widen, which ignores features that the model does not have");
    return EXIT_CONTRACT;
}

exit_code with_data(const loaded_model *loaded, const char *path, const input_options *options,
                    model_work work) {
    const input_options expected = input_of_model(loaded->model, options);
    sparcl_data *data = NULL;
    exit_code code = read_input(path, &expected, &data);
    if (code == EXIT_OK) {
        print_index_base(path, options, loaded->model, sparcl_data_get_info(data));
        code = check_featureless(path, &expected, sparcl_data_get_info(data));
    }
    if (code == EXIT_OK) {
        code = work(loaded->ctx, loaded->model, data, path);
    }
    sparcl_data_free(data);
    return code;
}

exit_code with_model(const char *model_path, const char *path, const input_options *options,
                     const char *device, model_work work) {
    loaded_model loaded;
    exit_code code = load_model(&loaded, model_path, path, device);
    if (code == EXIT_OK) code = with_data(&loaded, path, options, work);
    close_model(&loaded);
    return code;
}
