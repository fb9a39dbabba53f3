/* cmd_infer.c: sparcl infer: applies a deep network with sparse weights. */
#include <stdlib.h>

#include "input_file.h"
#include "message.h"
#include "not_finite.h"
#include "open_device.h"
#include "options.h"
#include "output.h"
#include "sparcl/apply.h"
#include "verbose.h"

static struct {
    const char *device, *output;
    double threshold, cap;
    int64_t repeats;
    int json;
} given = {.cap = 32, .repeats = 1};

typedef struct infer_job {
    sparcl_ctx *ctx;
    sparcl_data *inputs, *result;
    sparcl_data **layers;
    int count;
} infer_job;

static exit_code read_files(infer_job *job, const char *const *paths) {
    const input_options options = {.role = INPUT_OWN};
    exit_code code = read_input(paths[0], &options, &job->inputs);
    job->layers = calloc((size_t)job->count, sizeof *job->layers);
    if (!job->layers) return out_of_memory();
    for (int i = 0; code == EXIT_OK && i < job->count; i++)
        code = read_input(paths[i + 1], &options, &job->layers[i]);
    return code;
}

static exit_code apply(infer_job *job) {
    const sparcl_sparse_network network = {.layers = (const sparcl_data *const *)job->layers,
                                           .count = job->count,
                                           .repeats = (int)given.repeats,
                                           .bias = -given.threshold,
                                           .cap = given.cap};
    sparcl_error error = {0};
    begin_part("applying the network");
    if (sparcl_sparse_network_apply(job->ctx, &network, job->inputs, &job->result, &error) ==
        SPARCL_OK)
        return EXIT_OK;
    return report_device(job->ctx, &error);
}

/* The rows that have an entry, from 1. */
static exit_code write_categories(const sparcl_data *result) {
    const int64_t *const offsets = sparcl_data_offsets(result);
    out_file out;
    if (!given.output) return EXIT_OK;
    const exit_code code = out_open(&out, given.output);
    if (code != EXIT_OK) return code;
    for (int64_t i = 0; i < sparcl_data_get_info(result)->rows; i++)
        if (offsets[i + 1] > offsets[i]) fprintf(out.file, "%lld\n", (long long)i + 1);
    return out_close(&out, true);
}

static exit_code show(const infer_job *job) {
    const sparcl_data_info *const info = sparcl_data_get_info(job->result);
    const int64_t *const offsets = sparcl_data_offsets(job->result);
    int64_t categories = 0;
    print_not_finite(NULL, "results", rows_not_finite(job->result), info->rows);
    for (int64_t i = 0; i < info->rows; i++)
        categories += offsets[i + 1] > offsets[i];
    return print_object(json_pack("{s:I, s:I, s:I, s:I}", "rows", (json_int_t)info->rows, "layers",
                                  (json_int_t)job->count * given.repeats, "nnz",
                                  (json_int_t)info->nnz, "categories", (json_int_t)categories),
                        given.json);
}

static void end(infer_job *job) {
    for (int i = 0; job->layers && i < job->count; i++)
        sparcl_data_free(job->layers[i]);
    free(job->layers);
    sparcl_data_free(job->inputs);
    sparcl_data_free(job->result);
    sparcl_ctx_close(job->ctx);
}

static exit_code run(int operand_count, const char *const *operands) {
    infer_job job = {.count = operand_count - 1};
    exit_code code = read_files(&job, operands);
    if (code == EXIT_OK) code = open_device(given.device, &job.ctx);
    if (code == EXIT_OK) code = apply(&job);
    if (code == EXIT_OK) code = write_categories(job.result);
    if (code == EXIT_OK) code = show(&job);
    end(&job);
    return code;
}

static const char *const examples[] = {
    "a network of the GraphChallenge with 120 layers, from 30 files",
    "sparcl infer images.mtx l1.mtx l2.mtx ... l30.mtx --repeat 4 --threshold 0.3 -o "
    "categories.txt",
    NULL,
};

static const tool_option options[] = {
    OPTION_OUTPUT_AS(FILE_WRITTEN, false, given.output, "FILE",
                     "also write the numbers of the rows that have an entry, from 1"),
    {.name = "threshold",
     .type = OPTION_REAL,
     .value = &given.threshold,
     .argument = "X",
     .help = "subtracted from the elements of a product: minus the bias; default 0"},
    {.name = "cap",
     .type = OPTION_REAL,
     .value = &given.cap,
     .argument = "X",
     .help = "results are at most X; default 32"},
    {.name = "repeat",
     .type = OPTION_COUNT,
     .value = &given.repeats,
     .argument = "N",
     .minimum = 1,
     .help = "run all layers N times; default 1"},
    OPTION_JSON(given.json),
    OPTION_DEVICE(given.device),
    {0},
};

static const json_key keys[] = {
    {"rows", "rows of the inputs"},
    {"layers", "layers that were run"},
    {"nnz", "entries of the result"},
    {"categories", "rows that have one"},
    {0},
};

extern const tool_command command_infer;
const tool_command command_infer = {
    .name = "infer",
    .summary = "apply a deep network with sparse weights",
    .operands = "INPUTS LAYER... [options]",
    .operands_min = 2,
    .operands_max = MAX_OPERANDS,
    .examples = examples,
    .options = options,
    .keys = keys,
    .notes = "For each layer Y := min(cap, max(0, Y W - threshold)), as in the GraphChallenge.",
    .run = run,
};
