/* cmd_predict.c: sparcl predict: prints a line for each row of a data file. */
#include <stdbool.h>
#include <stdlib.h>

#include "all_nodes.h"
#include "message.h"
#include "model_input.h"
#include "not_finite.h"
#include "open_device.h"
#include "options.h"
#include "predict_parts.h"
#include "rank_result.h"
#include "sparcl/evaluate.h"

static struct {
    input_options input;
    const char *device, *output, *graph;
    int64_t k;
    int graph_format;
} given = {.k = RANK_K};

static exit_code write_lines(sparcl_loss loss, const double *label, const float *p, int64_t rows) {
    out_file out;
    exit_code code = out_open(&out, given.output);
    if (code != EXIT_OK) return code;
    code = print_predictions(&out, loss, label, p, rows);
    const exit_code closed = out_close(&out, code == EXIT_OK);
    return code == EXIT_OK ? closed : code;
}

/* A line for each user: his items, the best one first. */
static exit_code write_items(const int64_t *items, int64_t users, int64_t k) {
    out_file out;
    exit_code code = out_open(&out, given.output);
    if (code != EXIT_OK) return code;
    for (int64_t u = 0; u < users; u++) {
        for (int64_t i = 0; i < k && items[u * k + i] >= 0; i++)
            fprintf(out.file, i ? " %lld" : "%lld", (long long)items[u * k + i]);
        fputc('\n', out.file);
    }
    return out_close(&out, true);
}

static exit_code recommend(sparcl_ctx *ctx, const sparcl_model *model, const sparcl_data *data) {
    const int64_t users = sparcl_data_get_info(data)->rows;
    const int64_t most = sparcl_model_get_info(model)->columns, k = given.k < most ? given.k : most;
    int64_t *const items = malloc((size_t)(users * k + 1) * sizeof *items);
    sparcl_error error = {0};
    if (!items) return out_of_memory();
    const exit_code code = sparcl_recommend(ctx, model, data, k, items, NULL, &error) == SPARCL_OK
                               ? write_items(items, users, k)
                               : report_device(ctx, &error);
    free(items);
    return code;
}

static sparcl_status predict_rows(sparcl_ctx *ctx, const sparcl_model *model,
                                  const sparcl_data *data, const sparcl_node_rows *nodes,
                                  double *label, float *p, sparcl_error *error) {
    if (nodes->edges) return sparcl_predict_nodes(ctx, model, data, nodes, label, p, error);
    return sparcl_predict(ctx, model, data, label, p, error);
}

static exit_code predict(sparcl_ctx *ctx, const sparcl_model *model, const sparcl_data *data,
                         const char *path) {
    const size_t rows = (size_t)sparcl_data_get_info(data)->rows;
    if (sparcl_model_architecture(model)->task == SPARCL_TASK_RANK)
        return recommend(ctx, model, data);
    double *const label = malloc((rows + 1) * sizeof *label);
    float *const p = malloc((rows + 1) * sizeof *p);
    all_nodes nodes = {.edges = NULL};
    sparcl_error error = {0};
    exit_code code;
    (void)path;
    if (!label || !p)
        code = out_of_memory();
    else
        code = open_all_nodes(&nodes, model, data, given.graph, given.graph_format);
    if (code == EXIT_OK &&
        predict_rows(ctx, model, data, &nodes.rows, label, p, &error) != SPARCL_OK)
        code = report_device(ctx, &error);
    if (code == EXIT_OK)
        code = write_lines(sparcl_model_get_info(model)->loss, label, p, (int64_t)rows);
    if (code == EXIT_OK)
        print_not_finite(model, "predictions", count_not_finite(p, (int64_t)rows), (int64_t)rows);
    close_all_nodes(&nodes);
    free(label);
    free(p);
    return code;
}

/* Rows stand for themselves; and there is room for features that the model does not have only in a
 * graph of all of them. Without columns there is no width to read them with. */
static bool reads_parts(const sparcl_model *model) {
    return sparcl_model_architecture(model)->task == SPARCL_TASK_LABELS &&
           sparcl_model_get_info(model)->columns > 0 && !given.input.widen && !given.input.spill;
}

static exit_code run(int operand_count, const char *const *operands) {
    loaded_model loaded;
    exit_code code = load_model(&loaded, operands[0], given.device);
    (void)operand_count;
    if (code == EXIT_OK)
        code = reads_parts(loaded.model)
                   ? predict_parts(&loaded, operands[1], &given.input, given.output)
                   : with_data(&loaded, operands[1], &given.input, predict);
    close_model(&loaded);
    return code;
}

static const char *const examples[] = {
    "the class of each row and its probability",
    "sparcl predict model.safetensors new.svm -o predictions.tsv",
    "in a pipe",
    "zcat new.svm.gz | sparcl predict model.safetensors - | cut -f1 | sort | uniq -c",
    NULL,
};

static const tool_option options[] = {
    OPTION_OUTPUT(given.output, "FILE", "output file; default standard output"),
    OPTIONS_OF_GRAPH(given.graph, given.graph_format),
    OPTION_K(given.k),
    OPTION_DEVICE(given.device),
    OPTION_FORMAT(given.input),
    OPTION_SPILL(given.input),
    OPTION_SCALE(given.input),
    OPTION_ID_MAP(given.input),
    OPTIONS_OF_CSV(given.input),
    OPTION_INDEX_BASE(given.input, OF_THE_MODEL),
    OPTION_STRICT(given.input),
    OPTION_WIDEN(given.input),
    {0},
};

extern const tool_command command_predict;
const tool_command command_predict = {
    .name = "predict",
    .summary = "apply a model to a data file",
    .operands = "MODEL FILE [options]",
    .operands_min = 2,
    .operands_max = 2,
    .examples = examples,
    .options = options,
    .notes =
        "Prints a line for each row: the predicted label, a tab, its probability (hinge loss: the\n"
        "score); for squared and poisson loss only the predicted value. Labels in FILE are\n"
        "ignored. Of a ranking FILE is what users have, and a line has the items, from 0, to\n"
        "recommend to a user, the best one first. Text is read, predicted and printed part by "
        "part,\n"
        "4 MiB at a time, but for rankings, graphs, --widen and --spill.",
    .run = run,
};
