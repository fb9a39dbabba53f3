/* cmd_bench.c: sparcl bench: times operations. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench_crossover.h"
#include "bench_limits.h"
#include "bench_matrix.h"
#include "bench_profile.h"
#include "bench_report.h"
#include "bench_scale.h"
#include "bench_time.h"
#include "message.h"
#include "open_device.h"
#include "optimizer.h"
#include "output.h"
#include "sparcl/optim_text.h"
#include "spec/bench/bench.h"
#include "variant.h"
#include "verbose.h"

enum { MAX_WIDTHS = 16, IN_FLIGHT = 100 };
static const int64_t default_max = 200000000;
static const double default_seconds = 1.5;

static struct {
    const char *matrix, *generate, *widths, *device, *svg, *tuning;
    int64_t repeat, maximum;
    int kernels, queued, no_check, turns, profile, json;
    const char *optimizer;
    sparcl_optim optim;
} given;

/* ---- one case ------------------------------------------------------------------------------- */

static exit_code failed(sparcl_ctx *ctx, sparcl_status status) {
    return status == SPARCL_E_MEMORY && sparcl_ctx_error(ctx)->status == SPARCL_OK
               ? out_of_memory()
               : report_device(ctx, sparcl_ctx_error(ctx));
}

static exit_code check(sparcl_ctx *ctx, const spec_bench *bench, spec_bench_call *call,
                       const char *name) {
    spec_report found;
    sparcl_status status = spec_bench_run(ctx, bench, call);
    if (status == SPARCL_OK) status = spec_bench_check(ctx, bench, call, &found);
    if (status != SPARCL_OK) return failed(ctx, status);
    if (found.equal) return EXIT_OK;
    print_error("%s, %s, n = %" PRId64 ": the result is wrong: %s", bench->name, name,
                call->input->n, found.why);
    return EXIT_SELF_TEST;
}

typedef struct work {
    const spec_bench *bench;
    const spec_bench_call *call;
    double limit; /* maximum bytes per second of the device */
} work;

static sparcl_status run_once(sparcl_ctx *ctx, const void *user) {
    const work *const w = user;
    return spec_bench_run(ctx, w->bench, w->call);
}

static exit_code time_once(sparcl_ctx *ctx, const bench_matrix *m, const work *w, double seconds) {
    static bench_times t;
    const bench_effort effort = {given.queued ? IN_FLIGHT : 1, given.repeat, seconds};
    sparcl_tune_reset_used(ctx);
    const sparcl_status status = bench_measure(ctx, run_once, w, &effort, &t);
    if (status != SPARCL_OK) return failed(ctx, status);
    const bench_line line = {w->bench, w->call, m->name, &t, w->limit, given.queued};
    return bench_report(ctx, &line, given.json);
}

/* One measurement for each number of seconds that is read, so that another program can
 * alternate. */
static exit_code time_turns(sparcl_ctx *ctx, const bench_matrix *m, const work *w) {
    exit_code code = EXIT_OK;
    char line[64];
    while (code == EXIT_OK && fgets(line, sizeof line, stdin))
        code = time_once(ctx, m, w, strtod(line, NULL));
    return code;
}

static exit_code time_case(sparcl_ctx *ctx, const spec_bench *bench, const bench_matrix *m,
                           const spec_bench_input *input) {
    spec_bench_call call = {.input = input};
    work w = {bench, &call, 0};
    begin_part("measuring %s, %s", bench->name, m->name);
    sparcl_status status = spec_bench_open(ctx, bench, &call);
    if (status != SPARCL_OK) return failed(ctx, status);
    exit_code code = given.no_check ? EXIT_OK : check(ctx, bench, &call, m->name);
    if (code == EXIT_OK) {
        status = bench_limit_of(ctx, bench, &call, &w.limit);
        if (status != SPARCL_OK) code = failed(ctx, status);
    }
    if (code == EXIT_OK)
        code = given.turns ? time_turns(ctx, m, &w) : time_once(ctx, m, &w, default_seconds);
    if (code == EXIT_OK && given.profile)
        code = bench_profile_print(ctx, given.device, bench, &call, m->name, given.json);
    spec_bench_close(&call);
    return code;
}

/* ---- the command ---------------------------------------------------------------------------- */

extern const tool_command command_bench;

/* Parse "1,16,64"; returns their number, 0 for an invalid text. */
static int read_widths(const char *text, int64_t widths[MAX_WIDTHS]) {
    int count = 0;
    while (count < MAX_WIDTHS) {
        char *end = NULL;
        widths[count] = strtoll(text, &end, 10);
        if (end == text || widths[count] < 1 || widths[count] > INT32_MAX) return 0;
        count++;
        if (!*end) return count;
        if (*end != ',') return 0;
        text = end + 1;
    }
    return 0;
}

static const spec_bench *find_bench(const char *name) {
    const spec_bench *b;
    for (int i = 0; (b = spec_bench_at(i)); i++)
        if (strcmp(b->name, name) == 0) break;
    return b;
}

static exit_code time_optimizer(sparcl_ctx *ctx, const spec_bench *bench, const bench_matrix *m,
                                const int64_t *widths, int count, const sparcl_optim *optim) {
    exit_code code = EXIT_OK;
    for (int i = 0; i < count && code == EXIT_OK; i++) {
        const spec_bench_input input = {&m->matrix, widths[i], *optim};
        code = time_case(ctx, bench, m, &input);
    }
    return code;
}

/* For each width, and each of some rules where the operation has rules and none was given. */
static exit_code time_widths(sparcl_ctx *ctx, const spec_bench *bench, const bench_matrix *m,
                             const int64_t *widths, int count) {
    static const sparcl_rule rules[] = {SPARCL_RULE_SGD, SPARCL_RULE_MOMENTUM, SPARCL_RULE_ADAGRAD,
                                        SPARCL_RULE_ADAM};
    exit_code code = EXIT_OK;
    if (given.optimizer || !(bench->flags & SPEC_BENCH_RULES))
        return time_optimizer(ctx, bench, m, widths, count, &given.optim);
    for (size_t r = 0; r < sizeof rules / sizeof rules[0] && code == EXIT_OK; r++) {
        sparcl_optim optim;
        sparcl_optim_init(&optim, rules[r]);
        code = time_optimizer(ctx, bench, m, widths, count, &optim);
    }
    return code;
}

static exit_code time_all(sparcl_ctx *ctx, const spec_bench *bench, const int64_t *widths,
                          int count) {
    static const int64_t one[] = {1};
    const bool has_widths = bench->flags & SPEC_BENCH_WIDTHS;
    bench_matrix m;
    exit_code code = bench_matrix_open(&m, given.matrix, given.generate);
    if (code == EXIT_OK && !given.json) bench_print_heading();
    if (code == EXIT_OK)
        code = time_widths(ctx, bench, &m, has_widths ? widths : one, has_widths ? count : 1);
    bench_matrix_close(&m);
    return code;
}

/* Open a context with the given tuning, which records times with --profile. */
static exit_code open_timed(sparcl_ctx **ctx) {
    char *tuning = NULL;
    exit_code code = read_tuning(given.tuning, &tuning);
    const sparcl_ctx_desc desc = {.tuning = tuning, .profile = given.profile};
    if (code == EXIT_OK) code = open_device_as(given.device, desc, ctx);
    free(tuning);
    return code;
}

static exit_code time_op(const spec_bench *bench) {
    int64_t widths[MAX_WIDTHS];
    sparcl_ctx *ctx = NULL;
    const int count = read_widths(given.widths ? given.widths : "1,16,64", widths);
    if (count == 0)
        return usage_error("-n: expected up to %d numbers such as 1,16,64, found \"%s\"",
                           (int)MAX_WIDTHS, given.widths);
    if (!given.matrix == !given.generate)
        return usage_error("one of --matrix and --generate is needed");
    exit_code code = open_timed(&ctx);
    if (code == EXIT_OK) code = time_all(ctx, bench, widths, count);
    sparcl_ctx_close(ctx);
    return code;
}

static exit_code time_limits(void) {
    sparcl_ctx *ctx = NULL;
    exit_code code = open_device(given.device, &ctx);
    if (code == EXIT_OK) {
        const sparcl_status status = bench_limits_print(ctx, given.json);
        code = status == SPARCL_OK ? flush_results() : failed(ctx, status);
    }
    sparcl_ctx_close(ctx);
    return code;
}

static exit_code time_crossover(void) {
    int64_t widths[MAX_WIDTHS];
    sparcl_ctx *ctx = NULL;
    const crossover_options options = {
        .widths = widths,
        .count = read_widths(given.widths ? given.widths : "1,16,64", widths),
        .svg = given.svg,
        .json = given.json};
    if (options.count == 0)
        return usage_error("-n: expected up to %d numbers such as 1,16,64, found \"%s\"",
                           (int)MAX_WIDTHS, given.widths);
    exit_code code = open_device(given.device, &ctx);
    if (code == EXIT_OK) code = bench_crossover(ctx, &options);
    sparcl_ctx_close(ctx);
    return code;
}

static exit_code time_scale(const spec_bench *only) {
    int64_t widths[MAX_WIDTHS];
    if (read_widths(given.widths ? given.widths : "1", widths) != 1)
        return usage_error("-n: expected one number, found \"%s\"", given.widths);
    const scale_options options = {.only = only,
                                   .optim = given.optim,
                                   .n = widths[0],
                                   .maximum = given.maximum ? given.maximum : default_max,
                                   .device = given.device,
                                   .svg = given.svg,
                                   .no_check = given.no_check,
                                   .json = given.json};
    return bench_scale(&options);
}

static exit_code run(int operand_count, const char *const *operands) {
    const bool limits = strcmp(operands[0], "limits") == 0;
    const bool scale = strcmp(operands[0], "scale") == 0;
    const bool crossover = strcmp(operands[0], "crossover") == 0;
    const char *const op = scale                 ? operand_count > 1 ? operands[1] : NULL
                           : limits || crossover ? NULL
                                                 : operands[0];
    const spec_bench *const bench = op ? find_bench(op) : NULL;
    if (op && !bench) return usage_error("there is no operation \"%s\"", op);
    if (operand_count > 1 && !scale)
        return usage_error("expected one operation: \"%s\" is one too many", operands[1]);
    if (given.repeat > MAX_REPEATS)
        return usage_error("--repeat: expected at most %d", (int)MAX_REPEATS);
    const exit_code code = read_optimizer(given.optimizer ? given.optimizer : "adam", &given.optim);
    if (code != EXIT_OK) return code;
    if (given.kernels) setenv("SPARCL_KERNEL_CLASS", given.kernels == 1 ? "cpu" : "gpu", 1);
    if ((given.tuning || given.profile) && (limits || scale || crossover))
        return usage_error("--%s is only for single operations, not for %s",
                           given.tuning ? "tuning" : "profile", operands[0]);
    if (crossover) return time_crossover();
    return limits ? time_limits() : scale ? time_scale(bench) : time_op(bench);
}

static const char *operand_word(int index) {
    static const char *const others[] = {"limits", "scale", "crossover", NULL};
    const spec_bench *b;
    for (int i = 0; (b = spec_bench_at(i)); i++, index--)
        if (index == 0) return b->name;
    return others[index];
}

static const char *operand_meaning(int index) {
    const spec_bench *b;
    for (int i = 0; (b = spec_bench_at(i)); i++)
        if (i == index) return b->what;
    return NULL;
}

static const char *const examples[] = {
    "how fast is the sparse product?",
    "sparcl bench spmm --generate uniform:100000x50000x20 -n 1,16,64",
    "with a matrix from a file, as JSON lines",
    "sparcl bench spmm-t --matrix graph.npz -n 32 --json",
    "how fast is the memory of the device?",
    "sparcl bench limits",
    "how long does each kernel of a call take?",
    "sparcl bench reorder --generate zipf:100000x1000000x20 --profile",
    "how do time and memory grow with the entries?",
    "sparcl bench scale reorder --svg reorder.svg",
    "above which density is a dense matrix faster?",
    "sparcl bench crossover -n 1,16,64 --svg crossover.svg",
    NULL,
};

static const tool_option options[] = {
    {.name = "matrix",
     .type = OPTION_TEXT,
     .value = &given.matrix,
     .argument = "FILE",
     .file = FILE_READ,
     .help = "the matrix, as .npz or LIBSVM text"},
    {.name = "generate",
     .type = OPTION_TEXT,
     .value = &given.generate,
     .argument = "WHAT",
     .help = "generate the matrix from a description, see below"},
    {.name = "widths",
     .letter = 'n',
     .type = OPTION_TEXT,
     .value = &given.widths,
     .argument = "N,N,...",
     .help = "columns of the dense operand (1,16,64)"},
    {.name = "optimizer",
     .type = OPTION_TEXT,
     .value = &given.optimizer,
     .argument = "NAME[:KEY=VALUE,...]",
     .choices = optimizer_words,
     .help = "of a step; default: sgd, momentum, adagrad, adam"},
    {.name = "class",
     .type = OPTION_CHOICE,
     .value = &given.kernels,
     .choices = "auto|cpu|gpu",
     .help = "use the kernels of this class on any device"},
    {.name = "repeat",
     .type = OPTION_COUNT,
     .value = &given.repeat,
     .argument = "R",
     .minimum = 1,
     .help = "number of measurements; default: for 1.5 s, 5 to 200"},
    {.name = "queued",
     .type = OPTION_FLAG,
     .value = &given.queued,
     .set = 1,
     .help = "100 calls in flight; the time is that of one call"},
    {.name = "no-check",
     .type = OPTION_FLAG,
     .value = &given.no_check,
     .set = 1,
     .help = "do not compare the result with plain C first"},
    {.name = "max",
     .type = OPTION_COUNT,
     .value = &given.maximum,
     .argument = "N",
     .minimum = 1,
     .help = "scale: maximum number of entries and ids (200000000)"},
    {.name = "svg",
     .type = OPTION_TEXT,
     .value = &given.svg,
     .argument = "FILE",
     .file = FILE_WRITTEN,
     .help = "scale and crossover: also write a plot"},
    {.name = "turns",
     .type = OPTION_FLAG,
     .value = &given.turns,
     .set = 1,
     .help = "measure once for each line of standard input: a number of seconds"},
    {.name = "profile",
     .type = OPTION_FLAG,
     .value = &given.profile,
     .set = 1,
     .help = "also print time, groups, work-items of each command; scratch memory"},
    {.name = "json", .type = OPTION_FLAG, .value = &given.json, .set = 1, .help = "JSON lines"},
    OPTION_TUNING(given.tuning),
    OPTION_DEVICE(given.device),
    {0},
};

static const json_key keys[] = {
    {"op", "the operation"},
    {"case", "the matrix: the stem of the file's name, or the description"},
    {"n", "columns of B, or width of the table's rows; 1 without either"},
    {"optimizer", "the optimizer, if the operation has one"},
    {"device", "name of the device"},
    {"median_s", "seconds of one call, including the wait for its end; median"},
    {"min_s", "minimum"},
    {"p95_s", "95th percentile"},
    {"repeat", "number of measurements"},
    {"gflops", "10^9 additions and multiplications per second, by the median"},
    {"gbytes_per_s", "10^9 bytes per second, each array once, by the median"},
    {"fraction_of_limit", "gbytes_per_s divided by the maximum of the device, see limits"},
    {"variant", "the class of kernels, and the tunables (sparcl tune) that were used"},
    {"command", "--profile, a line each: name of a kernel, read, write, copy or fill"},
    {"second_variant", "true for a kernel's second variant, such as the transposed product"},
    {"commands_per_call", "number of such commands per call"},
    {"device_s", "device time of these commands per call, seconds"},
    {"groups, work_items", "work-groups and work-items of these commands per call, or of all"},
    {"launches", "--profile, the last line: kernels per call"},
    {"least_bytes", "--profile: bytes of a call if each array is moved once"},
    {"entries", "'scale': entries of the matrix"},
    {"ids", "'scale': columns of the matrix"},
    {"ns_per_entry", "'scale': median_s divided by the entries, in 10^-9 s"},
    {"scratch_bytes", "'scale', --profile: device memory besides the operands"},
    {"scratch_bytes_per_entry", "'scale': the same, per entry"},
    {"crossover_exact", "'crossover': the density below which the sparse product is faster"},
    {"crossover_fast", "than the dense one, exact or by CLBlast; 0: never, 1: always"},
    {"exact_s, fast_s", "'crossover': seconds of the dense products"},
    {"density, sparse_s", "'crossover': the densities, and seconds of the sparse products"},
    {"bytes", "'limits': size of all arrays, or of the table"},
    {"queued", "true with 100 calls in flight"},
    {0},
};

#define NOTES_OF_OTHERS                                                                            \
    "'limits' measures memory traffic: streams; rows of a table that are read in a random\n"       \
    "order (gather), or read twice and written in ascending order (update); and an empty\n"        \
    "kernel, with a wait after each and with 100 in flight. It needs no matrix.\n"                 \
    "\n"                                                                                           \
    "'scale' uses 10^4 to 2*10^8 entries with a tenth as many ids, and 10^3 to 10^8 ids with\n"    \
    "a million entries, as far as they fit in memory; n is 1 by default.\n"                        \
    "\n"                                                                                           \
    "'crossover' finds the density below which A B with a sparse A of 1024 x 1024 is faster\n"     \
    "than with a dense A, exact or by CLBlast, for each n. It needs no matrix.\n"                  \
    "\n"

const tool_command command_bench = {
    .name = "bench",
    .summary = "time an operation",
    .operands = "OP --matrix FILE|--generate WHAT [-n N,N,...] | limits | scale [OP] | crossover",
    .operands_min = 1,
    .operands_max = 2,
    .operand_word = operand_word,
    .operand_meaning = operand_meaning,
    .operand_heading = "Operations OP on a matrix A, in float32",
    .examples = examples,
    .options = options,
    .keys = keys,
    .notes = "WHAT is " GENERATE_FORMATS ".\n"
             "\n" NOTES_OF_OTHERS
             "The result is compared with plain C before it is timed (exit 4 where it differs).",
    .run = run,
};
