/* cmd_encode.c: sparcl encode: what a model makes of each row on the way, as a data file. */
#include "code_use.h"
#include "message.h"
#include "model_input.h"
#include "not_finite.h"
#include "open_device.h"
#include "options.h"
#include "output.h"
#include "sparcl/apply.h"
#include "verbose.h"

static struct {
    input_options input;
    const char *device, *output;
    int json;
} given;

static json_t *describe(const sparcl_data *codes, const code_use *use) {
    const sparcl_data_info *const info = sparcl_data_get_info(codes);
    return json_pack("{s:I, s:I, s:I, s:I, s:o, s:o, s:o}", "rows", (json_int_t)info->rows, "units",
                     (json_int_t)info->columns, "nnz", (json_int_t)info->entries, "dead_units",
                     (json_int_t)use->dead, "least_used", json_number(use->least), "median_used",
                     json_number(use->median), "most_used", json_number(use->most));
}

static exit_code save(const sparcl_data *codes) {
    sparcl_error error = {0};
    code_use use;
    if (sparcl_data_save(codes, given.output, &error) != SPARCL_OK) return report(&error);
    const exit_code code = code_use_count(codes, &use);
    return code == EXIT_OK ? print_object(describe(codes, &use), given.json) : code;
}

static exit_code encode(sparcl_ctx *ctx, const sparcl_model *model, const sparcl_data *data,
                        const char *path) {
    sparcl_data *codes = NULL;
    sparcl_error error = {0};
    (void)path;
    begin_part("computing the codes");
    if (sparcl_encode(ctx, model, data, &codes, &error) != SPARCL_OK)
        return report_device(ctx, &error);
    print_not_finite(model, "codes", rows_not_finite(codes), sparcl_data_get_info(codes)->rows);
    const exit_code code = save(codes);
    sparcl_data_free(codes);
    return code;
}

extern const tool_command command_encode;

static exit_code run(int operand_count, const char *const *operands) {
    (void)operand_count;
    if (!given.output) return usage_error("-o CODES is missing: the file of the codes");
    return with_model(operands[0], operands[1], &given.input, given.device, encode);
}

static const char *const examples[] = {
    "the codes of an autoencoder",
    "sparcl encode autoencoder.safetensors x.npz --labels y.npy -o codes.sparcl",
    "a classifier on them",
    "sparcl train codes.sparcl -o classifier.safetensors",
    NULL,
};

static const tool_option options[] = {
    OPTION_OUTPUT_AS(FILE_WRITTEN, false, given.output, "CODES",
                     "the file of the codes, in the binary form; required"),
    OPTION_JSON(given.json),
    OPTION_DEVICE(given.device),
    OPTION_FORMAT(given.input),
    OPTION_SPILL(given.input),
    OPTION_STREAM(given.input),
    OPTION_SCALE(given.input),
    OPTION_LABELS(given.input),
    OPTION_INDEX_BASE(given.input, OF_THE_MODEL),
    OPTION_STRICT(given.input),
    OPTION_WIDEN(given.input),
    {0},
};

static const json_key keys[] = {
    {"rows", "rows of the data"},
    {"units", "columns of the codes"},
    {"nnz", "entries of the codes"},
    {"dead_units", "units that no code has"},
    {"least_used, median_used, most_used", "the fraction of the rows whose code has a unit"},
    {0},
};

const tool_command command_encode = {
    .name = "encode",
    .summary = "compute the codes of a model, such as an autoencoder",
    .operands = "MODEL FILE -o CODES [options]",
    .operands_min = 2,
    .operands_max = 2,
    .examples = examples,
    .options = options,
    .keys = keys,
    .notes = "The codes have the labels of FILE: they are data to train with.",
    .run = run,
};
