/* cmd_predict.c: sparcl predict: prints a line for each row of a data file. */
#include <stdlib.h>

#include "input_file.h"
#include "message.h"
#include "open_device.h"
#include "options.h"
#include "output.h"
#include "sparcl/train.h"
#include "stop.h"

static struct {
    input_options input;
    const char *device, *output;
} given;

/* Numbers do not depend on the locale: the tool never sets LC_NUMERIC. */
static exit_code write_lines(sparcl_loss loss, const double *label, const float *p, int64_t rows) {
    out_file out;
    if (!out_is_direct(given.output)) { /* an interrupt must leave no incomplete file */
        stop_install();
        stop_set_mode(STOP_NEVER);
    }
    exit_code code = out_open(&out, given.output);
    if (code != EXIT_OK) return code;
    for (int64_t i = 0; i < rows && !stop_was_requested(); i++) {
        char text[NUMBER_BYTES];
        if (loss == SPARCL_LOSS_SQUARED || loss == SPARCL_LOSS_POISSON)
            fprintf(out.file, "%.9g\n", (double)p[i]);
        else
            fprintf(out.file, "%s\t%.9g\n", shortest_number(text, label[i]), (double)p[i]);
    }
    code = out_close(&out, !stop_was_requested());
    if (code != EXIT_OK || !stop_was_requested()) return code;
    print_error("interrupted; %s was not written", given.output);
    return EXIT_INTERRUPTED;
}

static exit_code predict(sparcl_ctx *ctx, const sparcl_model *model, const sparcl_data *data,
                         const char *path) {
    const size_t rows = (size_t)sparcl_data_get_info(data)->rows;
    double *const label = malloc((rows + 1) * sizeof *label);
    float *const p = malloc((rows + 1) * sizeof *p);
    sparcl_error error = {0};
    exit_code code;
    (void)path;
    if (!label || !p)
        code = out_of_memory();
    else if (sparcl_predict(ctx, model, data, label, p, &error) != SPARCL_OK)
        code = report_device(ctx, &error);
    else
        code = write_lines(sparcl_model_get_info(model)->loss, label, p, (int64_t)rows);
    free(label);
    free(p);
    return code;
}

static exit_code run(int operand_count, const char *const *operands) {
    (void)operand_count;
    return with_model(operands[0], operands[1], &given.input, given.device, predict);
}

static const char *const examples[] = {
    "the class of each row and its probability",
    "sparcl predict model.safetensors new.svm -o predictions.tsv",
    "in a pipe",
    "zcat new.svm.gz | sparcl predict model.safetensors - | cut -f1 | sort | uniq -c",
    NULL,
};

static const tool_option options[] = {
    {.name = "output",
     .letter = 'o',
     .type = OPTION_TEXT,
     .value = &given.output,
     .argument = "FILE",
     .help = "output file; default standard output"},
    OPTION_DEVICE(given.device),
    OPTION_FORMAT(given.input),
    OPTION_SCALE(given.input),
    OPTION_ID_MAP(given.input),
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
        "ignored.",
    .run = run,
};
