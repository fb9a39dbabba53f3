/* cmd_plan.c: sparcl plan: chooses the format of a matrix for a product on a device. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "input_file.h"
#include "live_line.h"
#include "message.h"
#include "open_device.h"
#include "options.h"
#include "output.h"
#include "plan_check.h"
#include "verbose.h"

static struct {
    input_options input;
    const char *device;
    int64_t n;
    int transposed, calibrate, check, json;
} given = {.n = 16};

/* ---- the case ------------------------------------------------------------------------------- */

static exit_code describe_case(const sparcl_data *data, sparcl_plan_case *about) {
    const sparcl_data_info *const info = sparcl_data_get_info(data);
    sparcl_error error = {0};
    *about = (sparcl_plan_case){.n = given.n, .transposed = given.transposed};
    return sparcl_plan_inspect(about, info->rows, info->columns, sparcl_data_offsets(data),
                               sparcl_data_indices(data), sparcl_data_index_type(data), NULL,
                               &error) == SPARCL_OK
               ? EXIT_OK
               : report(&error);
}

static exit_code choose(const sparcl_ctx *ctx, const sparcl_calibration *calibration,
                        const sparcl_plan_case *about, sparcl_plan *plan) {
    sparcl_error error = {0};
    return sparcl_choose(calibration, sparcl_ctx_device(ctx), about, plan, &error) == SPARCL_OK
               ? EXIT_OK
               : report(&error);
}

/* ---- the output ----------------------------------------------------------------------------- */

static const char *milliseconds(char text[NUMBER_BYTES], double seconds) {
    snprintf(text, NUMBER_BYTES, isfinite(seconds) && seconds > 0 ? "%.3g" : "-", 1e3 * seconds);
    return text;
}

static exit_code print_plan(const sparcl_plan *plan, const plan_times *measured) {
    static const char *const names[] = {"format",      ">bytes", ">ms", ">measured",
                                        ">prepare ms", "reason", NULL};
    struct libscols_table *const table = table_new(names);
    for (int i = 0; i < SPARCL_FORMATS; i++) {
        const sparcl_plan_line *const line = &plan->lines[i];
        char bytes[NUMBER_BYTES], ms[NUMBER_BYTES], seen[NUMBER_BYTES], once[NUMBER_BYTES];
        format_bytes(bytes, (int64_t)fmin(line->bytes, 9e18));
        const char *const cells[] = {
            sparcl_format_name(line->format),  bytes,
            milliseconds(ms, line->seconds),   milliseconds(seen, measured->seconds[line->format]),
            milliseconds(once, line->prepare), line->reason};
        table_add(table, NULL, cells);
    }
    return table_print(table);
}

static json_t *describe_line(const sparcl_plan_line *line, const plan_times *measured) {
    return json_pack("{s:s, s:b, s:f, s:f, s:f, s:o, s:s}", "format",
                     sparcl_format_name(line->format), "fits", line->fits, "bytes", line->bytes,
                     "seconds", line->seconds, "prepare_seconds", line->prepare, "measured_seconds",
                     measured->seconds[line->format] > 0
                         ? json_real(measured->seconds[line->format])
                         : json_null(),
                     "reason", line->reason);
}

static json_t *numbers(const double *x, int count) {
    json_t *const array = json_array();
    for (int i = 0; array && i < count; i++)
        json_array_append_new(array, json_real(x[i]));
    return array;
}

#define NUMBERS(array) numbers((const double *)(array), (int)(sizeof(array) / sizeof(double)))

/* The measurements of the device. */
static json_t *describe_calibration(const sparcl_calibration *c) {
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:f, s:f}", "call", NUMBERS(c->call), "entry",
                     NUMBERS(c->entry), "row", NUMBERS(c->row), "empty", NUMBERS(c->empty),
                     "transposed", NUMBERS(c->transposed), "dense", NUMBERS(c->dense), "convert",
                     c->convert, "pattern", c->pattern);
}

static json_t *describe(const sparcl_ctx *ctx, const sparcl_calibration *calibration,
                        const sparcl_plan_case *about, const sparcl_plan *plan,
                        const plan_times *measured) {
    json_t *const formats = json_array();
    for (int i = 0; formats && i < SPARCL_FORMATS; i++)
        json_array_append_new(formats, describe_line(&plan->lines[i], measured));
    return json_pack(
        "{s:s, s:s, s:b, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:I, s:o, s:f, s:o, s:o}",
        "choice", sparcl_format_name(plan->lines[0].format), "product",
        about->transposed ? "At*B" : "A*B", "fits", plan->lines[0].fits, "rows",
        (json_int_t)about->rows, "cols", (json_int_t)about->cols, "nnz", (json_int_t)about->nnz,
        "used_rows", (json_int_t)about->rows_distribution.used, "used_cols",
        (json_int_t)about->cols_distribution.used, "rows_empty_in_runs",
        (json_int_t)about->rows_distribution.empty_in_runs, "cols_empty_in_runs",
        (json_int_t)about->cols_distribution.empty_in_runs, "row_fractions",
        NUMBERS(about->rows_distribution.fraction), "col_fractions",
        NUMBERS(about->cols_distribution.fraction), "n", (json_int_t)about->n, "device",
        json_text(sparcl_ctx_device(ctx)->name), "calibration_seconds", calibration->seconds,
        "calibration", describe_calibration(calibration), "formats", formats);
}

/* The first line is the choice; the second says how good the predictions were, with --check. */
static void print_choice(const sparcl_plan *plan, const plan_times *measured) {
    const sparcl_plan_line *const best = &plan->lines[0];
    live_line_end();
    printf("%s\n", best->fits ? sparcl_format_name(best->format) : "no format fits on this device");
    if (!given.check) return;
    const plan_verdict verdict = plan_judge(plan, measured);
    printf("predicted and measured times differ by a factor of at most %.2f; the choice takes %.2f "
           "times the fastest\n",
           verdict.worst_ratio, verdict.choice_ratio);
}

static exit_code print(const sparcl_ctx *ctx, const sparcl_calibration *calibration,
                       const sparcl_plan_case *about, const sparcl_plan *plan,
                       const plan_times *measured) {
    if (given.json) {
        json_t *const object = describe(ctx, calibration, about, plan, measured);
        if (object && given.check) {
            const plan_verdict verdict = plan_judge(plan, measured);
            json_object_set_new(object, "worst_ratio", json_number(verdict.worst_ratio));
            json_object_set_new(object, "choice_ratio", json_number(verdict.choice_ratio));
        }
        return print_object(object, true);
    }
    print_choice(plan, measured);
    printf("\n");
    const exit_code code = print_plan(plan, measured);
    return code == EXIT_OK ? flush_results() : code;
}

/* ---- the command ---------------------------------------------------------------------------- */

static exit_code calibrate(sparcl_ctx *ctx, sparcl_calibration *calibration) {
    const double start = spc_clock();
    begin_part("measuring the device");
    if (sparcl_calibrate(ctx, given.calibrate, calibration) != SPARCL_OK)
        return report_device(ctx, sparcl_ctx_error(ctx));
    if (spc_clock() - start > 0.5 * calibration->seconds)
        print_note("%s was measured in %.1f s; the result is stored for later runs",
                   sparcl_ctx_device(ctx)->name, calibration->seconds);
    return EXIT_OK;
}

static exit_code run(int operand_count, const char *const *operands) {
    sparcl_ctx *ctx = NULL;
    sparcl_data *data = NULL;
    sparcl_calibration calibration;
    sparcl_plan_case about;
    sparcl_plan plan;
    plan_times measured = {{0}};
    (void)operand_count;
    exit_code code = open_device(given.device, &ctx);
    if (code == EXIT_OK) code = read_input(operands[0], &given.input, &data);
    if (code == EXIT_OK) code = describe_case(data, &about);
    if (code == EXIT_OK) code = calibrate(ctx, &calibration);
    if (code == EXIT_OK) code = choose(ctx, &calibration, &about, &plan);
    if (given.check) begin_part("measuring each format");
    if (code == EXIT_OK && given.check) code = plan_measure(ctx, data, &about, &plan, &measured);
    if (code == EXIT_OK) code = print(ctx, &calibration, &about, &plan, &measured);
    sparcl_data_free(data);
    sparcl_ctx_close(ctx);
    return code;
}

static const char *const examples[] = {
    "the best format of a matrix for products with 16 columns",
    "sparcl plan graph.npz",
    "the same for the gradient of a model with 128 outputs, and measure all formats",
    "sparcl plan train.svm --transposed -n 128 --check",
    NULL,
};

static const tool_option options[] = {
    {.name = "columns-of-b",
     .letter = 'n',
     .type = OPTION_COUNT,
     .value = &given.n,
     .argument = "N",
     .minimum = 1,
     .help = "columns of the dense operand; default 16"},
    {.name = "transposed",
     .type = OPTION_FLAG,
     .value = &given.transposed,
     .set = 1,
     .help = "for transpose(A) * B instead of A * B"},
    {.name = "check",
     .type = OPTION_FLAG,
     .value = &given.check,
     .set = 1,
     .help = "also measure each format that fits"},
    {.name = "calibrate",
     .type = OPTION_FLAG,
     .value = &given.calibrate,
     .set = 1,
     .help = "measure the device again (about 10 s)"},
    OPTION_DEVICE(given.device),
    OPTION_COLUMNS(given.input),
    OPTION_FORMAT(given.input),
    OPTION_HASH_BITS(given.input),
    OPTION_CROSS(given.input),
    OPTION_SYMMETRIC(given.input),
    OPTION_COMPACT_IDS(given.input),
    OPTION_ID_MAP(given.input),
    OPTIONS_OF_CSV(given.input),
    OPTION_INDEX_BASE(given.input, OF_THE_FILE),
    {.name = "json", .type = OPTION_FLAG, .value = &given.json, .set = 1, .help = "as JSON"},
    {0},
};

static const json_key keys[] = {
    {"choice", "dense, csr, csc, coo or rows (row-sparse)"},
    {"product", "A*B or At*B"},
    {"fits", "true if the choice fits on the device"},
    {"rows, cols, nnz", "of the matrix"},
    {"used_rows, used_cols", "rows and columns that have an entry"},
    {"rows_empty_in_runs", "rows without entries, in runs of at least 32"},
    {"cols_empty_in_runs", "columns without entries, in runs of at least 32"},
    {"row_fractions, col_fractions",
     "fraction of entries in the 1, 4, 16, ... rows, columns with most"},
    {"n", "columns of the dense operand"},
    {"device", "name of the device"},
    {"calibration_seconds", "duration of the measurement of the device"},
    {"calibration", "seconds, as in sparcl_calibration of sparcl/plan.h"},
    {"formats", "fits, bytes, seconds, prepare_seconds, measured_seconds, reason"},
    {"worst_ratio", "--check: ratio of predicted and measured seconds, at least 1"},
    {"choice_ratio", "--check: measured seconds of the choice, divided by the fastest"},
    {0},
};

const tool_command command_plan = {
    .name = "plan",
    .summary = "choose the format of a matrix for a device",
    .operands = "FILE [-n N] [--transposed] [--check] [--json]",
    .operands_min = 1,
    .operands_max = 1,
    .examples = examples,
    .options = options,
    .keys = keys,
    .notes = "Times are those of one product in a queue that does not run empty. They are "
             "predicted from\n"
             "a measurement of the device, which is done once and stored in the cache folder.",
    .run = run,
};
