/* cmd_eval.c: sparcl eval: evaluates a model on a data file. */
#include <math.h>
#include <stdbool.h>

#include "all_nodes.h"
#include "class_result.h"
#include "message.h"
#include "metrics_result.h"
#include "model_input.h"
#include "not_finite.h"
#include "open_device.h"
#include "options.h"
#include "output.h"
#include "predict_lines.h"
#include "rank_result.h"
#include "sparcl/apply.h"
#include "unknown_labels.h"
#include "verbose.h"
#include "worse_model.h"

static struct {
    input_options input;
    const char *device, *known, *graph, *svg;
    int64_t k, users;
    double threshold;
    int known_format, graph_format, json;
} given = {.k = RANK_K, .threshold = NAN};

extern const tool_command command_eval;

/* The items that users have are read from another file, with the width of the model. */
static exit_code evaluate_ranking(sparcl_ctx *ctx, const sparcl_model *model,
                                  const sparcl_data *test, const char *path) {
    const sparcl_model_info *const info = sparcl_model_get_info(model);
    const input_options options = {.role = INPUT_APPLIED,
                                   .columns = given.users > 0 ? 0 : info->columns,
                                   .known_ids = info->known_ids,
                                   .csv_description = info->csv_description,
                                   .ranks = true,
                                   .ratings = true,
                                   .format = given.known_format,
                                   .users = given.users};
    sparcl_data *known = NULL;
    sparcl_rank_metrics metrics;
    sparcl_error error = {0};
    if (!given.known) return usage_error("--known FILE is missing: the training data of a ranking");
    if (given.svg) return usage_error("--svg: a ranking has no curves of two classes");
    exit_code code = read_input(given.known, &options, &known);
    if (code != EXIT_OK) return code;
    if (sparcl_rank_eval(ctx, model, known, test, given.k, &metrics, &error) != SPARCL_OK)
        code = report_device(ctx, &error);
    else
        print_known_pairs(path, given.known, &metrics);
    sparcl_data_free(known);
    if (code != EXIT_OK) return code;
    print_worse_ranking(&metrics);
    json_t *const object = json_object();
    if (object) rank_describe(object, "", &metrics);
    return print_object(object, given.json);
}

/* What was computed. */
typedef struct evaluation {
    sparcl_metrics metrics;
    sparcl_class_report *report; /* NULL: the model predicts no classes */
} evaluation;

static exit_code evaluate_at_threshold(sparcl_ctx *ctx, const sparcl_model *model,
                                       const sparcl_data *data, evaluation *found) {
    sparcl_error error = {0};
    return sparcl_eval_threshold(ctx, model, data, given.threshold, &found->metrics, &found->report,
                                 &error) == SPARCL_OK
               ? EXIT_OK
               : report_device(ctx, &error);
}

/* All rows; of a graph, all nodes. */
static exit_code evaluate_rows(sparcl_ctx *ctx, const sparcl_model *model, const sparcl_data *data,
                               evaluation *found) {
    if (!isnan(given.threshold)) return evaluate_at_threshold(ctx, model, data, found);
    all_nodes nodes;
    sparcl_error error = {0};
    exit_code code = open_all_nodes(&nodes, model, data, given.graph, given.graph_format);
    if (code == EXIT_OK &&
        sparcl_eval_classes(ctx, model, data, nodes.edges ? &nodes.rows : NULL, &found->metrics,
                            &found->report, &error) != SPARCL_OK)
        code = report_device(ctx, &error);
    close_all_nodes(&nodes);
    return code;
}

static exit_code print_evaluation(const sparcl_model *model, const evaluation *found) {
    json_t *const object = json_object();
    if (object && !isnan(given.threshold))
        json_object_set_new(object, "threshold", json_number(given.threshold));
    if (object) metrics_describe(object, "", &found->metrics);
    if (object && given.json) {
        classes_describe(object, model, found->report);
        curve_describe(object, "", model, found->report);
    }
    const exit_code code = print_object(object, given.json);
    return code == EXIT_OK && !given.json ? classes_print(model, found->report) : code;
}

static exit_code evaluate(sparcl_ctx *ctx, const sparcl_model *model, const sparcl_data *data,
                          const char *path) {
    evaluation found = {.report = NULL};
    const line_options lines = {.threshold = given.threshold};
    exit_code code = check_lines(&lines, model);
    if (code != EXIT_OK) return code;
    if (sparcl_model_architecture(model)->task == SPARCL_TASK_RANK)
        return evaluate_ranking(ctx, model, data, path);
    begin_part("evaluating the model");
    code = evaluate_rows(ctx, model, data, &found);
    if (code == EXIT_OK) {
        print_narrowed_labels(path, sparcl_model_get_info(model)->loss, data);
        print_not_finite_metrics(model, &found.metrics);
        print_unknown_labels(model, data, &found.metrics);
        print_worse_evaluation(&found.metrics);
        if (given.svg) code = curves_save(model, &found.metrics, found.report, given.svg);
        if (code == EXIT_OK) code = print_evaluation(model, &found);
    } else if (!sparcl_data_get_info(data)->has_labels) {
        print_label_remedy(data, "--labels");
    }
    sparcl_class_report_free(found.report);
    return code;
}

static exit_code run(int operand_count, const char *const *operands) {
    (void)operand_count;
    given.input.labelled_only = true;
    return with_model(operands[0], operands[1], &given.input, given.device, evaluate);
}

static const char *const examples[] = {
    "how good is the model?",
    "sparcl eval model.safetensors test.svm.gz",
    "as JSON, for a script",
    "sparcl eval model.safetensors test.svm.gz --json",
    "with the higher of two classes from this probability on, as predict --threshold",
    "sparcl eval model.safetensors test.svm.gz --threshold 0.3",
    "the ROC and the precision-recall curve",
    "sparcl eval model.safetensors test.svm.gz --svg curves.svg",
    "a ranking: the first 20 items of each user",
    "sparcl eval lightgcn.safetensors test.npz --known train.npz",
    NULL,
};

static const tool_option options[] = {
    {.name = "known",
     .type = OPTION_TEXT,
     .value = &given.known,
     .argument = "FILE",
     .file = FILE_READ,
     .help = "of a ranking: the items that users have, its training data"},
    {.name = "known-format",
     .type = OPTION_CHOICE,
     .value = &given.known_format,
     .argument = "FORMAT",
     .choices = FORMAT_WORDS,
     .help = "of --known; default: found from the content"},
    OPTION_THRESHOLD(given.threshold),
    {.name = "svg",
     .type = OPTION_TEXT,
     .value = &given.svg,
     .argument = "FILE",
     .file = FILE_WRITTEN,
     .help = "of two classes: plot the ROC and the precision-recall curve"},
    OPTION_K(given.k),
    OPTIONS_OF_GRAPH(given.graph, given.graph_format),
    OPTION_JSON(given.json),
    OPTION_DEVICE(given.device),
    OPTION_LABELS(given.input),
    OPTION_WEIGHTS(given.input),
    OPTION_FORMAT(given.input),
    OPTION_SPILL(given.input),
    OPTION_STREAM(given.input),
    OPTION_SCALE(given.input),
    {.name = "users",
     .type = OPTION_COUNT,
     .value = &given.users,
     .argument = "N",
     .minimum = 1,
     .help = "of a ranking: the known items are an adjacency: N users, then items"},
    OPTION_ID_MAP(given.input),
    OPTIONS_OF_CSV(given.input),
    OPTION_INDEX_BASE(given.input, OF_THE_MODEL),
    OPTION_STRICT(given.input),
    OPTION_WIDEN(given.input),
    {0},
};

static const json_key keys[] = {
    {"threshold", "that of --threshold, where it is given"},
    METRICS_KEYS,
    CLASS_KEYS,
    {"users, k, recall, precision, ndcg, hit_rate",
     "of a ranking: means over users, first k items"},
    {"pairs, known_pairs",
     "those that are evaluated, and those that --known has, too: always missed"},
    {"popular_recall, popular_ndcg", "the same of the items that most users of --known have"},
    {0},
};

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
