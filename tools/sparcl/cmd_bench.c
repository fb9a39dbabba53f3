/* cmd_bench.c: sparcl bench: how long operations take. */
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
#include "output.h"
#include "spec/bench.h"
#include "variant.h"

enum { MAX_WIDTHS = 16, TOGETHER = 100 };
static const int64_t usual_max = 200000000;
static const double usual_seconds = 1.5;

static struct {
    const char *matrix, *generate, *widths, *device, *svg, *tuning;
    int64_t repeat, maximum;
    int rule, kernels, queued, no_check, turns, profile, json;
} given = {.rule = -1};

/* ---- one case ------------------------------------------------------------------------------- */

static exit_code failed(sparcl_ctx *ctx, sparcl_status status) {
    return status == SPARCL_E_MEMORY && sparcl_ctx_error(ctx)->status == SPARCL_OK
               ? out_of_memory()
               : report_device(ctx, sparcl_ctx_error(ctx));
}

static exit_code check(sparcl_ctx *ctx, const spec_bench *bench, const spec_bench_call *call,
                       const char *name) {
    spec_report found;
    sparcl_status status = bench->run(ctx, call);
    if (status == SPARCL_OK) status = bench->check(ctx, call, &found);
    if (status != SPARCL_OK) return failed(ctx, status);
    if (found.equal) return EXIT_OK;
    complain("%s, %s, n = %" PRId64 ": the result is wrong: %s", bench->name, name, call->input->n,
             found.why);
    return EXIT_SELF_TEST;
}

typedef struct work {
    const spec_bench *bench;
    const spec_bench_call *call;
    double limit; /* bytes a second that the device can do */
} work;

static sparcl_status run_once(sparcl_ctx *ctx, const void *user) {
    const work *const w = user;
    return w->bench->run(ctx, w->call);
}

static exit_code time_once(sparcl_ctx *ctx, const bench_matrix *m, const work *w, double seconds) {
    static bench_times t;
    const bench_effort effort = {given.queued ? TOGETHER : 1, given.repeat, seconds};
    sparcl_tune_forget_used(ctx);
    const sparcl_status status = bench_measure(ctx, run_once, w, &effort, &t);
    if (status != SPARCL_OK) return failed(ctx, status);
    const bench_line line = {w->bench, w->call, m->name, &t, w->limit, given.queued};
    return bench_report(ctx, &line, given.json);
}

/* One time for each number of seconds that comes in, so that another program can take turns. */
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
    sparcl_status status = spec_bench_open(ctx, bench, &call);
    if (status != SPARCL_OK) return failed(ctx, status);
    exit_code code = given.no_check ? EXIT_OK : check(ctx, bench, &call, m->name);
    if (code == EXIT_OK) {
        status = bench_limit_of(ctx, bench, &call, &w.limit);
        if (status != SPARCL_OK) code = failed(ctx, status);
    }
    if (code == EXIT_OK)
        code = given.turns ? time_turns(ctx, m, &w) : time_once(ctx, m, &w, usual_seconds);
    if (code == EXIT_OK && given.profile)
        code = bench_profile_print(ctx, bench, &call, m->name, given.json);
    spec_bench_close(bench, &call);
    return code;
}

/* ---- the command ---------------------------------------------------------------------------- */

extern const tool_command command_bench;

/* "1,16,64": how many there are, 0 for a wrong text. */
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
    for (const spec_bench *const *b = spec_benches; *b; b++)
        if (strcmp((*b)->name, name) == 0) return *b;
    return NULL;
}

/* For each width, and each rule where the operation has rules. */
static exit_code time_widths(sparcl_ctx *ctx, const spec_bench *bench, const bench_matrix *m,
                             const int64_t *widths, int count) {
    const bool all = (bench->flags & SPEC_BENCH_RULES) && given.rule < 0;
    const int first = given.rule < 0 ? 0 : given.rule, last = all ? SPARCL_RULE_ADAM : first;
    exit_code code = EXIT_OK;
    for (int rule = first; rule <= last; rule++)
        for (int i = 0; i < count && code == EXIT_OK; i++) {
            const spec_bench_input input = {&m->matrix, widths[i], (sparcl_rule)rule};
            code = time_case(ctx, bench, m, &input);
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

/* With the tuning that is told, and noting times if that is asked for. */
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
        return usage_error(&command_bench,
                           "-n: expected up to %d numbers such as 1,16,64, found \"%s\"",
                           (int)MAX_WIDTHS, given.widths);
    if (!given.matrix == !given.generate)
        return usage_error(&command_bench, "one of --matrix and --generate is needed");
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
        return usage_error(&command_bench,
                           "-n: expected up to %d numbers such as 1,16,64, found \"%s\"",
                           (int)MAX_WIDTHS, given.widths);
    exit_code code = open_device(given.device, &ctx);
    if (code == EXIT_OK) code = bench_crossover(ctx, &options);
    sparcl_ctx_close(ctx);
    return code;
}

static exit_code time_scale(const spec_bench *only) {
    int64_t widths[MAX_WIDTHS];
    if (read_widths(given.widths ? given.widths : "1", widths) != 1)
        return usage_error(&command_bench, "-n: expected one number, found \"%s\"", given.widths);
    const scale_options options = {.only = only,
                                   .rule =
                                       given.rule < 0 ? SPARCL_RULE_ADAM : (sparcl_rule)given.rule,
                                   .n = widths[0],
                                   .maximum = given.maximum ? given.maximum : usual_max,
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
    if (op && !bench)
        return usage_error(&command_bench, "there is nothing to time that is called \"%s\"", op);
    if (operand_count > 1 && !scale)
        return usage_error(&command_bench, "one operation at a time: \"%s\" is one too many",
                           operands[1]);
    if (given.repeat > MAX_REPEATS)
        return usage_error(&command_bench, "--repeat: at most %d", (int)MAX_REPEATS);
    if (given.kernels) setenv("SPARCL_KERNEL_CLASS", given.kernels == 1 ? "cpu" : "gpu", 1);
    if ((given.tuning || given.profile) && (limits || scale || crossover))
        return usage_error(&command_bench, "--%s is for one operation, not for %s",
                           given.tuning ? "tuning" : "profile", operands[0]);
    if (crossover) return time_crossover();
    return limits ? time_limits() : scale ? time_scale(bench) : time_op(bench);
}

static const char *operand_word(int index) {
    static const char *const others[] = {"limits", "scale", "crossover", NULL};
    const spec_bench *const *b = spec_benches;
    for (; *b; b++, index--)
        if (index == 0) return (*b)->name;
    return others[index];
}

static const char *const examples[] = {
    "how fast is the sparse product?",
    "sparcl bench spmm --generate uniform:100000x50000x20 -n 1,16,64",
    "with a matrix from a file, as JSON lines",
    "sparcl bench spmm-t --matrix graph.npz -n 32 --json",
    "what can the device do at most?",
    "sparcl bench limits",
    "where does the time of a call go?",
    "sparcl bench reorder --generate zipf:100000x1000000x20 --profile",
    "how do time and memory grow with the entries?",
    "sparcl bench scale reorder --svg reorder.svg",
    "from which density on is a dense matrix better?",
    "sparcl bench crossover -n 1,16,64 --svg crossover.svg",
    NULL,
};

static const tool_option options[] = {
    {.name = "matrix",
     .type = OPTION_TEXT,
     .value = &given.matrix,
     .argument = "FILE",
     .help = "the matrix, as .npz or LIBSVM text"},
    {.name = "generate",
     .type = OPTION_TEXT,
     .value = &given.generate,
     .argument = "WHAT",
     .help = "a matrix made from a description, below"},
    {.name = "widths",
     .letter = 'n',
     .type = OPTION_TEXT,
     .value = &given.widths,
     .argument = "N,N,...",
     .help = "columns of the dense operand (1,16,64)"},
    {.name = "optimizer",
     .type = OPTION_CHOICE,
     .value = &given.rule,
     .choices = "sgd|momentum|adagrad|adam",
     .help = "the optimizer of a step; default: each"},
    {.name = "class",
     .type = OPTION_CHOICE,
     .value = &given.kernels,
     .choices = "auto|cpu|gpu",
     .help = "kernels of this class, whatever the device is"},
    {.name = "repeat",
     .type = OPTION_COUNT,
     .value = &given.repeat,
     .argument = "R",
     .minimum = 1,
     .help = "how often; default: for 1.5 s, 5 to 200 times"},
    {.name = "queued",
     .type = OPTION_FLAG,
     .value = &given.queued,
     .set = 1,
     .help = "100 calls in flight together; a time is that of one"},
    {.name = "no-check",
     .type = OPTION_FLAG,
     .value = &given.no_check,
     .set = 1,
     .help = "do not compare the result with plain C first"},
    {.name = "most",
     .type = OPTION_COUNT,
     .value = &given.maximum,
     .argument = "N",
     .minimum = 1,
     .help = "of scale: up to so many entries and ids (200000000)"},
    {.name = "svg",
     .type = OPTION_TEXT,
     .value = &given.svg,
     .argument = "FILE",
     .help = "of scale and crossover: also as a plot"},
    {.name = "turns",
     .type = OPTION_FLAG,
     .value = &given.turns,
     .set = 1,
     .help = "time it for each line of standard input, which has seconds"},
    {.name = "profile",
     .type = OPTION_FLAG,
     .value = &given.profile,
     .set = 1,
     .help = "then also how long the device works on each command of a call"},
    {.name = "json", .type = OPTION_FLAG, .value = &given.json, .set = 1, .help = "JSON lines"},
    OPTION_TUNING(given.tuning),
    OPTION_DEVICE(given.device),
    {0},
};

static const json_key keys[] = {
    {"op", "what was timed"},
    {"case", "the matrix: the stem of the file's name, or the description"},
    {"n", "columns of B, or width of the table's rows; 1 where there is neither"},
    {"optimizer", "the optimizer, where the operation has one"},
    {"device", "its name"},
    {"median_s", "seconds of one call, with the wait for its end"},
    {"min_s", "the shortest"},
    {"p95_s", "95 of 100 took no longer"},
    {"repeat", "how often it was timed"},
    {"gflops", "additions and multiplications, 10^9 a second, by the median"},
    {"gbytes_per_s", "each array read or written once, 10^9 bytes a second, by the median"},
    {"fraction_of_limit", "gbytes_per_s by what the device reaches at most, see limits"},
    {"variant", "the kernels' class, and the tunables (sparcl tune) that it looked at"},
    {"command", "of --profile, a line each: a kernel's name, read, write, copy or fill"},
    {"second_form", "is it the kernel's second form, such as the product with the transpose?"},
    {"commands_per_call", "how many of them a call makes"},
    {"device_s", "what the device works on them in a call"},
    {"entries", "of 'scale': those of the matrix"},
    {"ids", "of 'scale': columns of the matrix"},
    {"ns_per_entry", "of 'scale': median_s by the entries, 10^-9 s"},
    {"scratch_bytes", "of 'scale': memory on the device beside the operands"},
    {"scratch_bytes_per_entry", "of 'scale'"},
    {"crossover_exact", "of 'crossover': the density until which the sparse product is faster"},
    {"crossover_fast", "than the dense one, exact and by CLBlast; 0: at none, 1: at all"},
    {"exact_s, fast_s", "of 'crossover': of the dense products"},
    {"density, sparse_s", "of 'crossover': what was tried, and seconds of the sparse product"},
    {"bytes", "of 'limits': all arrays together, or the table"},
    {"queued", "were 100 calls in flight together?"},
    {0},
};

#define NOTES_OF_OTHERS                                                                            \
    "'limits' moves memory for nothing: streams; rows of a table that are read in a random\n"      \
    "order (gather), or read twice and written in ascending order (update); and an empty\n"        \
    "kernel, with a wait for each and with 100 in flight. No matrix is needed.\n"                  \
    "\n"                                                                                           \
    "'scale' goes from 10^4 to 2*10^8 entries with a tenth as many ids, and from 10^3 to 10^8\n"   \
    "ids with a million entries, as far as the memory allows; n is 1 unless told.\n"               \
    "\n"                                                                                           \
    "'crossover' tells the density until which A B is faster with a sparse A of 1024 x 1024 "      \
    "than\n"                                                                                       \
    "with a dense one, exact or by CLBlast, for each n. No matrix is needed.\n"                    \
    "\n"

const tool_command command_bench = {
    .name = "bench",
    .summary = "time an operation",
    .operands = "OP --matrix FILE|--generate WHAT [-n N,N,...] | limits | scale [OP] | crossover",
    .operands_min = 1,
    .operands_max = 2,
    .operand_word = operand_word,
    .examples = examples,
    .options = options,
    .keys = keys,
    .notes = "OP is one of, all in float32:\n"
             "spmm         C := A B, A sparse and B dense\n"
             "spmm-t       C := transpose(A) B; the pattern of A is built before\n"
             "spmm-t-rows  R := transpose(A) B, row-sparse, with nothing prepared\n"
             "pattern      build the pattern of A\n"
             "transpose    CSR to CSC\n"
             "reorder      sort shuffled entries (COO)\n"
             "coalesce     the same, and sum entries of the same indices\n"
             "convert      CSR to COO and back\n"
             "step         an optimizer step on the rows of a table that the columns of A's\n"
             "             entries name, each once, sorted\n"
             "dedupe-step  the same with a gradient row for each entry, as they are stored:\n"
             "             rows of one column are summed first\n"
             "select-rows  4096 shuffled rows of A, or all where it has fewer\n"
             "bag          the rows of A are bags of ids: the sum of a table's rows for each\n"
             "\n"
             "WHAT is " GENERATE_FORMATS ".\n"
             "\n" NOTES_OF_OTHERS
             "The result is compared with plain C before it is timed (exit 4 where it differs).",
    .run = run,
};
