/* cmd_eval.c: sparcl eval: evaluates a model on a data file. */
#include "input_file.h"
#include "message.h"
#include "open_device.h"
#include "options.h"
#include "output.h"
#include "sparcl/train.h"

static struct {
    input_options input;
    const char *device;
    int json;
} given;

static json_t *describe(const sparcl_metrics *metrics) {
    return json_pack("{s:I, s:o, s:o, s:o, s:o, s:o}", "rows", (json_int_t)metrics->rows, "loss",
                     json_number(metrics->loss), "objective", json_number(metrics->objective),
                     "accuracy", json_number(metrics->accuracy), "auc", json_number(metrics->auc),
                     "best_constant_loss", json_number(metrics->best_constant_loss));
}

static exit_code evaluate(sparcl_ctx *ctx, const sparcl_model *model, const sparcl_data *data,
                          const char *path) {
    sparcl_metrics metrics;
    sparcl_error error = {0};
    if (sparcl_eval(ctx, model, data, &metrics, &error) == SPARCL_OK) {
        print_narrowed_labels(path, sparcl_model_get_info(model)->loss, data);
        return print_object(describe(&metrics), given.json);
    }
    const exit_code code = report_device(ctx, &error);
    if (!sparcl_data_get_info(data)->has_labels) print_remedy("use --labels FILE");
    return code;
}

static exit_code run(int operand_count, const char *const *operands) {
    (void)operand_count;
    return with_model(operands[0], operands[1], &given.input, given.device, evaluate);
}

static const char *const examples[] = {
    "how good is the model?",
    "sparcl eval model.safetensors test.svm.gz",
    "as JSON, for a script",
    "sparcl eval model.safetensors test.svm.gz --json",
    NULL,
};

static const tool_option options[] = {
    {.name = "json", .type = OPTION_FLAG, .value = &given.json, .set = 1, .help = "print JSON"},
    OPTION_DEVICE(given.device),
    OPTION_LABELS(given.input),
    OPTION_INDEX_BASE(given.input, OF_THE_MODEL),
    OPTION_STRICT(given.input),
    OPTION_WIDEN(given.input),
    {0},
};

static const json_key keys[] = {
    {"rows", "rows of the data"},
    {"loss", "mean loss"},
    {"objective", "loss + l2/2 |w|^2"},
    {"accuracy", "fraction of rows with the right class; null for squared loss"},
    {"auc", "exact area under the ROC curve; null without two classes"},
    {"best_constant_loss", "mean loss of the best constant prediction on this data"},
    {0},
};

extern const tool_command command_eval;
const tool_command command_eval = {
    .name = "eval",
    .summary = "evaluate a model on a data file",
    .operands = "MODEL FILE [options]",
    .operands_min = 2,
    .operands_max = 2,
    .examples = examples,
    .options = options,
    .keys = keys,
    .run = run,
};
