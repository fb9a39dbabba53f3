/* cmd_show.c: sparcl show: describes a model: what it is, how it was trained, its weights. */
#include <stdbool.h>
#include <stdlib.h>

#include "column_spread.h"
#include "message.h"
#include "model_file.h"
#include "model_input.h"
#include "options.h"
#include "output.h"
#include "show_facts.h"
#include "show_hashed.h"
#include "show_nearest.h"
#include "show_weights.h"

static struct {
    input_options input;
    const char *names, *data, *class_name, *nearest;
    int64_t top;
    int json;
} given = {.top = 10};

extern const tool_command command_show;

/* What --data says: without it only what the model knows. */
typedef struct data_facts {
    input_options input; /* how they are read */
    double *deviations;
    bool is_hashed; /* columns are hashes */
} data_facts;

static exit_code read_facts(const sparcl_model *model, data_facts *facts) {
    sparcl_data *data = NULL;
    facts->input = input_of_model(model, &given.input);
    exit_code code = read_input(given.data, &facts->input, &data);
    if (code == EXIT_OK) {
        print_index_base(given.data, &given.input, model, sparcl_data_get_info(data));
        facts->is_hashed = sparcl_data_get_info(data)->hash_bits > 0;
        facts->deviations = column_deviations(data, facts->input.columns);
        if (!facts->deviations) code = out_of_memory();
    }
    sparcl_data_free(data);
    return code;
}

static exit_code print_text(const sparcl_model *model, json_t *facts, const json_t *parameters,
                            const json_t *weights, const json_t *nearest) {
    exit_code code = print_object(facts, false);
    if (code == EXIT_OK) code = print_parameters(parameters);
    if (code == EXIT_OK && weights) code = print_weights(model, weights);
    if (code == EXIT_OK && nearest) code = print_nearest(nearest);
    return code == EXIT_OK ? flush_results() : code;
}

static exit_code print(const sparcl_model *model, const column_names *names, const char *path,
                       json_t *weights, json_t *nearest) {
    json_t *const facts = show_facts(model, names, path, given.json);
    json_t *const parameters = show_parameters(model);
    exit_code code = EXIT_OK;
    if (!facts || !parameters) {
        json_decref(facts);
        code = out_of_memory();
    } else if (given.json) {
        json_object_set(facts, "parameters", parameters);
        if (weights) json_object_set(facts, "weights", weights);
        if (nearest) json_object_set(facts, "nearest", nearest);
        code = print_object(facts, true);
    } else {
        code = print_text(model, facts, parameters, weights, nearest);
    }
    json_decref(parameters);
    return code;
}

/* The lists of what is shown of columns. */
static json_t *lists_of(const json_t *weights, const json_t *nearest) {
    json_t *const lists = json_array();
    const json_t *part;
    size_t i;
    json_array_foreach(weights, i, part) {
        json_array_append(lists, json_object_get(part, "largest"));
    }
    if (nearest) json_array_append(lists, json_object_get(nearest, "nearest"));
    return lists;
}

/* Hashed columns have names only in the data. */
static exit_code name_columns(const column_names *names, const data_facts *facts,
                              const json_t *weights, const json_t *nearest) {
    json_t *const lists = lists_of(weights, nearest);
    exit_code code = EXIT_OK;
    if (!given.data)
        print_hashed(lists);
    else if (facts->is_hashed)
        code = name_hashed(lists, names->line_count, given.data, &facts->input);
    json_decref(lists);
    return code;
}

static exit_code show(const sparcl_model *model, const column_names *names, const char *path) {
    data_facts facts = {.deviations = NULL};
    json_t *weights = NULL, *nearest = NULL;
    exit_code code = given.data ? read_facts(model, &facts) : EXIT_OK;
    const weight_options options = {given.top, given.class_name, facts.deviations};
    if (code == EXIT_OK) code = find_weights(model, names, &options, &weights);
    if (code == EXIT_OK && given.nearest)
        code = find_nearest(model, names, given.nearest, given.top, facts.deviations, &nearest);
    if (code == EXIT_OK) code = name_columns(names, &facts, weights, nearest);
    if (code == EXIT_OK) code = print(model, names, path, weights, nearest);
    json_decref(weights);
    json_decref(nearest);
    free(facts.deviations);
    return code;
}

/* Those that say how --data is read are behind --json. */
static exit_code check_options(void) {
    const tool_option *const o = command_show.options;
    bool is_for_data = false;
    for (int i = 0; o[i].name && !given.data; i++) {
        if (is_for_data && option_origin_of(i) != FROM_DEFAULT)
            return usage_error("--%s is for --data FILE, which is missing", o[i].name);
        is_for_data |= o[i].value == &given.json;
    }
    return EXIT_OK;
}

static exit_code run(int operand_count, const char *const *operands) {
    sparcl_model *model = NULL;
    column_names names = {.count = 0};
    (void)operand_count;
    exit_code code = check_options();
    if (code == EXIT_OK) code = read_model(operands[0], NULL, &model);
    if (code == EXIT_OK) code = column_names_open(&names, model, given.names);
    if (code == EXIT_OK) code = show(model, &names, operands[0]);
    column_names_close(&names);
    sparcl_model_free(model);
    return code;
}

static const char *const examples[] = {
    "what is this model, and what are its largest weights?",
    "sparcl show model.safetensors",
    "with names of the columns, a line each, and the importance on data",
    "sparcl show model.safetensors --names names.txt --data train.svm.gz --top 20",
    "the items that are the most similar to an item",
    "sparcl show bpr.safetensors --nearest 17",
    NULL,
};

static const tool_option options[] = {
    {.name = "top",
     .type = OPTION_COUNT,
     .value = &given.top,
     .argument = "N",
     .minimum = 1,
     .help = "the N largest weights of each class, or nearest ids; default 10"},
    {.name = "class",
     .type = OPTION_TEXT,
     .value = &given.class_name,
     .argument = "LABEL",
     .help = "only the weights of this class"},
    {.name = "names",
     .type = OPTION_TEXT,
     .value = &given.names,
     .argument = "FILE",
     .file = FILE_READ,
     .help = "names of columns, a line each; or a map of 'inspect --save-ids'"},
    {.name = "data",
     .type = OPTION_TEXT,
     .value = &given.data,
     .argument = "FILE",
     .file = FILE_READ,
     .help = "data, for the importance and the names of hashed columns"},
    {.name = "nearest",
     .type = OPTION_TEXT,
     .value = &given.nearest,
     .argument = "ID",
     .help = "the ids whose vectors have the largest cosine with that of ID"},
    OPTION_JSON(given.json),
    OPTION_FORMAT(given.input),
    OPTION_SCALE(given.input),
    OPTION_ID_MAP(given.input),
    OPTIONS_OF_CSV(given.input),
    OPTION_INDEX_BASE(given.input, OF_THE_MODEL),
    OPTION_WIDEN(given.input),
    {0},
};

static const json_key keys[] = {
    {"model, bytes", "the file and its size"},
    {"kind, formula", "as in 'sparcl help models', with its settings; the scores"},
    {"loss_function", "what was minimized"},
    {"cols, columns_are", "number of features, and where they are from"},
    {"outputs, classes, labels",
     "scores of a row; classes, and the label of each; null: over 1000"},
    {"label_names", "the word of each label, where they are words; else null"},
    {"index_base, fields, users", "of the data; fields and users where the model has them"},
    {"optimizer, solver", "one of them, with settings of its own: how it was trained"},
    {"lr, l2, ..., schedule", "as options of train; those that are not 0"},
    {"epochs, iterations", "passes of an optimizer, or iterations of a solver"},
    {"batch, seed", "options of train"},
    {"data_fingerprint", "of the training data"},
    {"notes", "by key: what train has noted: data, rows, options, and metrics such as"},
    {"", "valid_loss, of --valid or --hold-out, and held_out_loss, of the search"},
    {"parameters", "a list: name, shape, values, nonzero, bytes"},
    {"weights", "a list of classes: class, bias, and largest, a list: name, column"},
    {"", "from 0, weight, and importance, null where it is not known"},
    {"nearest", "with --nearest: id, of, and nearest, a list: name, column, cosine"},
    {0},
};

const tool_command command_show = {
    .name = "show",
    .summary = "describe a model: its settings, parameters and largest weights",
    .operands = "MODEL [options]",
    .operands_min = 1,
    .operands_max = 1,
    .examples = examples,
    .options = options,
    .keys = keys,
    .notes =
        "Names of columns are those of --names, of the table that the model was trained on, or\n"
        "numbers and ids as in its data; \"hash 7\" is what words or ids of this hash share. A "
        "model\n"
        "keeps the names of up to 100, those of the largest weights, where training searched or\n"
        "validated and the file has at most 16 MiB; --data has all: \"city=Paris\". Of two "
        "classes\n"
        "a weight above 0 is for the higher one. Models without a linear part have the norms of "
        "the\n"
        "rows of their first layer. Importance is |weight| x standard deviation of the column: of\n"
        "--data, by which weights are then in order; else of columns that were standardized in\n"
        "training, where it is 1.\n"
        "--nearest is for models with a vector for each column (fm, ffm, mlp, ...) or item (bpr,\n"
        "lightgcn: items \"7\" or \"item 7\", and \"user 7\", from 0, or their ids or words). "
        "Other\n"
        "options are for --data.",
    .run = run,
};
