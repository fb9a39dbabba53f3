/* cmd_predict.c: sparcl predict: prints a line for each row of a data file. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "all_nodes.h"
#include "item_lines.h"
#include "message.h"
#include "model_input.h"
#include "not_finite.h"
#include "open_device.h"
#include "options.h"
#include "pair_names.h"
#include "predict_parts.h"
#include "rank_result.h"
#include "sparcl/apply.h"
#include "verbose.h"

static struct {
    input_options input;
    const char *device, *output, *graph;
    int64_t k;
    int graph_format;
    line_options lines;
} given = {.k = RANK_K, .lines = {.threshold = NAN, .to = LINES_BY_NAME}};

static exit_code write_lines(const sparcl_model *model, const predicted_rows *rows) {
    out_file out;
    exit_code code = out_open(&out, given.output);
    if (code != EXIT_OK) return code;
    code = print_heading(&out, &given.lines, model);
    if (code == EXIT_OK) code = print_lines(&out, &given.lines, model, rows);
    const exit_code closed = out_close(&out, code == EXIT_OK);
    return code == EXIT_OK ? closed : code;
}

/* A line for each user: his items, the best one first; of users with names only those of the
 * data. */
static exit_code write_items(const sparcl_model *model, const sparcl_data *data,
                             const item_lines *lines) {
    const int64_t *const offsets = sparcl_data_offsets(data);
    pair_names names;
    out_file out;
    exit_code code = pair_names_open(&names, model, data);
    if (code == EXIT_OK) code = out_open(&out, given.output);
    if (code == EXIT_OK) {
        print_item_heading(out.file, lines);
        for (int64_t u = 0; u < sparcl_data_get_info(data)->rows && code == EXIT_OK; u++)
            if (!has_user_names(&names) || offsets[u + 1] > offsets[u])
                code = print_items_of(out.file, lines, &names, u);
        const exit_code closed = out_close(&out, code == EXIT_OK);
        if (code == EXIT_OK) code = closed;
    }
    pair_names_close(&names);
    return code;
}

static exit_code recommend(sparcl_ctx *ctx, const sparcl_model *model, const sparcl_data *data) {
    const int64_t users = sparcl_data_get_info(data)->rows;
    const int64_t most = sparcl_model_get_info(model)->columns, k = given.k < most ? given.k : most;
    const size_t count = (size_t)(users * k + 1);
    int64_t *const items = malloc(count * sizeof *items);
    float *const scores = given.lines.scores ? malloc(count * sizeof *scores) : NULL;
    const item_lines lines = {given.lines.to, k, items, scores};
    sparcl_error error = {0};
    exit_code code = EXIT_OK;
    if (!items || (given.lines.scores && !scores))
        code = out_of_memory();
    else if (sparcl_recommend(ctx, model, data, k, items, scores, &error) == SPARCL_OK)
        code = write_items(model, data, &lines);
    else
        code = report_device(ctx, &error);
    free(items);
    free(scores);
    return code;
}

static sparcl_status predict_rows(sparcl_ctx *ctx, const sparcl_model *model,
                                  const sparcl_data *data, const sparcl_node_rows *nodes,
                                  const predicted_rows *to, sparcl_error *error) {
    const sparcl_node_rows *const rows = nodes->edges ? nodes : NULL;
    if (to->scores)
        return sparcl_predict_scores(ctx, model, data, rows, to->label, to->p, to->scores, error);
    if (rows) return sparcl_predict_nodes(ctx, model, data, rows, to->label, to->p, error);
    return sparcl_predict(ctx, model, data, to->label, to->p, error);
}

static exit_code predict(sparcl_ctx *ctx, const sparcl_model *model, const sparcl_data *data,
                         const char *path) {
    const int64_t rows = sparcl_data_get_info(data)->rows;
    const int64_t outputs = sparcl_model_get_info(model)->outputs;
    if (sparcl_model_architecture(model)->task == SPARCL_TASK_RANK)
        return recommend(ctx, model, data);
    predicted_rows to;
    all_nodes nodes = {.edges = NULL};
    sparcl_error error = {0};
    exit_code code;
    (void)path;
    begin_part("predicting");
    if (!make_predicted(&to, rows, lines_need_scores(&given.lines, model) ? outputs : 0))
        code = out_of_memory();
    else
        code = open_all_nodes(&nodes, model, data, given.graph, given.graph_format);
    if (code == EXIT_OK && predict_rows(ctx, model, data, &nodes.rows, &to, &error) != SPARCL_OK)
        code = report_device(ctx, &error);
    to.data = data;
    if (code == EXIT_OK) code = write_lines(model, &to);
    if (code == EXIT_OK) print_not_finite(model, "predictions", count_not_finite(to.p, rows), rows);
    close_all_nodes(&nodes);
    free_predicted(&to);
    return code;
}

/* Rows stand for themselves; and there is room for features that the model does not have only in a
 * graph of all of them. Without columns there is no width to read them with. */
static bool reads_parts(const sparcl_model *model) {
    return sparcl_model_architecture(model)->task == SPARCL_TASK_LABELS &&
           sparcl_model_get_info(model)->columns > 0 && !given.input.widen && !given.input.spill;
}

extern const tool_command command_predict;

static exit_code run(int operand_count, const char *const *operands) {
    loaded_model loaded;
    exit_code code = load_model(&loaded, operands[0], operands[1], given.device);
    (void)operand_count;
    given.lines.tag = given.input.row_tag;
    given.lines.to = choose_lines(given.lines.to, given.output);
    if (code == EXIT_OK) code = check_lines(&given.lines, loaded.model);
    if (code == EXIT_OK)
        code = reads_parts(loaded.model)
                   ? predict_parts(&loaded, operands[1], &given.input, &given.lines, given.output)
                   : with_data(&loaded, operands[1], &given.input, predict);
    close_model(&loaded);
    return code;
}

static const char *const examples[] = {
    "the class of each row and its probability",
    "sparcl predict model.safetensors new.svm -o predictions.tsv",
    "of a table, whose column id comes first",
    "sparcl predict visits.safetensors new.csv --tag id -o predictions.tsv",
    "the probability of each class, as CSV",
    "sparcl predict model.safetensors new.svm --proba --to csv -o predictions.csv",
    "in a pipe",
    "zcat new.svm.gz | sparcl predict model.safetensors - | cut -f1 | sort | uniq -c",
    NULL,
};

static const tool_option options[] = {
    OPTION_OUTPUT(given.output, "FILE", "output file; default standard output"),
    {.name = "proba",
     .type = OPTION_FLAG,
     .value = &given.lines.proba,
     .set = 1,
     .help = "the probability of each class, by label, ascending"},
    {.name = "scores",
     .type = OPTION_FLAG,
     .value = &given.lines.scores,
     .set = 1,
     .help = "scores, before they become probabilities"},
    {.name = "top",
     .type = OPTION_COUNT,
     .value = &given.lines.top,
     .argument = "K",
     .minimum = 1,
     .help = "the K most probable classes, each with its probability"},
    OPTION_THRESHOLD(given.lines.threshold),
    {.name = "tag",
     .type = OPTION_TEXT,
     .value = &given.input.row_tag,
     .argument = "COLUMN",
     .help = "first, this column of CSV (name or number), or the tags of vw"},
    {.name = "to",
     .type = OPTION_CHOICE,
     .value = &given.lines.to,
     .choices = LINE_FORMAT_WORDS,
     .help = "csv has a heading, json objects; default: as -o ends, else tsv"},
    {.name = "json",
     .type = OPTION_FLAG,
     .value = &given.lines.to,
     .set = LINES_JSON,
     .help = "the same as --to json: an object for each row"},
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
        "score); for squared and poisson loss only the predicted value. --proba adds that of\n"
        "each class, --top has the best classes instead, --scores comes last. Labels in FILE are\n"
        "ignored. Of a ranking FILE is what users have, and a line has the items, from 0, to\n"
        "recommend to a user, the best one first; of a model of ratings the user, a tab, and the\n"
        "items, by their ids, or by their words with tabs between them; --scores adds the score\n"
        "behind each item. CSV has the columns user, item1, item1_score, ..., JSON the keys user,\n"
        "items and scores. Text is read, predicted and printed part by part, 4 MiB at a time, but\n"
        "for rankings, graphs, --widen and --spill.",
    .run = run,
};
