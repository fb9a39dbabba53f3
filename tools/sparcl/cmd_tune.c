/* cmd_tune.c: sparcl tune: times the candidates of tunables, and stores the fastest values.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "live_line.h"
#include "message.h"
#include "open_device.h"
#include "output.h"
#include "stop.h"
#include "tune_explain.h"
#include "tune_time.h"
#include "verbose.h"

static struct {
    const char *device;
    double seconds;
    int kernels, explain, text, reset, json;
} given = {.seconds = 2};

/* One tunable for one class of inputs. */
typedef struct target {
    int tunable, input_class;
    tune_case about;
} target;

/* The tunables and classes to measure. */
typedef struct targets {
    target at[512];
    int count, done; /* done: number that was measured before */
} targets;

/* ---- output --------------------------------------------------------------------------------- */

static json_t *describe_trials(const tune_trials *trials) {
    json_t *const list = json_array();
    for (int i = 0; list && i < trials->count; i++) {
        const tune_trial *const t = &trials->at[i];
        json_array_append_new(list, json_pack("{s:i, s:b, s:f, s:f, s:f}", "value", (int)t->value,
                                              "refused", t->refused, "median_s", t->seconds, "gain",
                                              t->gain, "spread", t->spread));
    }
    return list;
}

static exit_code print_json(const target *p, const tune_trials *trials) {
    const sparcl_tunable *const about = sparcl_tune_at(p->tunable);
    const tune_trial *const chosen = &trials->at[trials->chosen];
    json_t *const line =
        json_pack("{s:s, s:s, s:s, s:s, s:I, s:i, s:i, s:f, s:f, s:b, s:o}", "tunable", about->name,
                  "class", about->classes[p->input_class], "op", p->about.bench->name, "case",
                  p->about.matrix, "n", (json_int_t)p->about.n, "default", (int)trials->at[0].value,
                  "value", (int)chosen->value, "gain", chosen->gain, "spread", chosen->spread,
                  "used", trials->used, "trials", describe_trials(trials));
    char *const text = line ? json_dumps(line, JSON_COMPACT) : NULL;
    live_line_end();
    if (text) puts(text);
    free(text);
    json_decref(line);
    return text ? flush_results() : out_of_memory();
}

static exit_code print(const target *p, int number, int count, const tune_trials *trials) {
    const sparcl_tunable *const about = sparcl_tune_at(p->tunable);
    const tune_trial *const chosen = &trials->at[trials->chosen];
    if (given.json) return print_json(p, trials);
    live_line_end();
    printf("%3d/%d  %-18s %-12s ", number, count, about->name, about->classes[p->input_class]);
    if (!trials->used)
        printf("stays %d: not used on this device\n", (int)trials->at[0].value);
    else if (trials->chosen == 0)
        printf("stays %d\n", (int)chosen->value);
    else
        printf("%d to %d: %.3f times as fast (spread %.3f)\n", (int)trials->at[0].value,
               (int)chosen->value, chosen->gain, chosen->spread);
    return flush_results();
}

/* ---- the targets ---------------------------------------------------------------------------- */

static bool is_named(const target *p, int count, const char *const *names) {
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], p->about.bench->name) == 0 ||
            strcmp(names[i], sparcl_tune_at(p->tunable)->name) == 0)
            return true;
    return count == 0;
}

/* The operations, then the tunables. */
static const char *operand_word(int index) {
    const spec_bench *b;
    for (int i = 0; (b = spec_bench_at(i)); i++, index--)
        if (index == 0) return b->name;
    return index < sparcl_tune_count() ? sparcl_tune_at(index)->name : NULL;
}

/* Discard earlier measurements with --reset; list what was not measured yet. */
static sparcl_status find_targets(sparcl_ctx *ctx, int count, const char *const *names,
                                  targets *all) {
    const bool gpu = sparcl_ctx_class(ctx) == SPARCL_CLASS_GPU;
    sparcl_status status = SPARCL_OK;
    *all = (targets){.count = 0};
    for (int t = 0; t < sparcl_tune_count(); t++) {
        const sparcl_tunable *const about = sparcl_tune_at(t);
        for (int c = 0; c < about->class_count && status == SPARCL_OK; c++) {
            target p = {.tunable = t, .input_class = c};
            sparcl_tuned tuned;
            if (!tune_case_of(ctx, t, c, &p.about) || !is_named(&p, count, names)) continue;
            status = sparcl_tune_get(ctx, t, c, &tuned);
            if (status == SPARCL_OK && given.reset) {
                tuned = (sparcl_tuned){.value = about->defaults[gpu][c]};
                status = sparcl_tune_set(ctx, t, c, &tuned);
            }
            if (tuned.when)
                all->done++;
            else
                all->at[all->count++] = p;
        }
    }
    return status;
}

/* ---- measuring ------------------------------------------------------------------------------ */

/* Each choice is stored immediately, so that the command may be interrupted. */
static exit_code store(sparcl_ctx *ctx, const target *p, const tune_trials *trials) {
    const tune_trial *const chosen = &trials->at[trials->chosen];
    const sparcl_tuned tuned = {.value = chosen->value,
                                .gain = trials->used ? chosen->gain : 1,
                                .spread = chosen->spread,
                                .when = (int64_t)time(NULL)};
    sparcl_status status = sparcl_tune_set(ctx, p->tunable, p->input_class, &tuned);
    stop_set_mode(STOP_NEVER);
    if (status == SPARCL_OK) status = sparcl_tune_store(ctx);
    stop_set_mode(STOP_SOON);
    return status == SPARCL_OK ? EXIT_OK : report(sparcl_ctx_error(ctx));
}

static exit_code measure(sparcl_ctx *ctx, const targets *all) {
    exit_code code = EXIT_OK;
    int wrong = 0, other = 0;
    for (int i = 0; i < all->count && code == EXIT_OK; i++) {
        const target *const p = &all->at[i];
        tune_trials trials;
        begin_part("measuring %s, %d of %d", sparcl_tune_at(p->tunable)->name, i + 1, all->count);
        code = tune_try(ctx, p->tunable, p->input_class, &p->about, given.seconds, &trials);
        if (code != EXIT_OK) break;
        wrong += trials.refused;
        other += trials.chosen != 0;
        if (!trials.at[0].refused) code = store(ctx, p, &trials);
        if (code == EXIT_OK && !trials.at[0].refused) code = print(p, i + 1, all->count, &trials);
    }
    if (code == EXIT_INTERRUPTED)
        print_note(
            "interrupted; all measurements are stored, and the same command continues from there");
    if (code != EXIT_OK) return code;
    if (!given.json)
        printf("%d measured now, %d of them differ from the default\n", all->count, other);
    if (wrong) print_error("%d values gave a wrong result and were rejected", wrong);
    code = flush_results();
    return wrong ? EXIT_SELF_TEST : code;
}

/* ---- the command ---------------------------------------------------------------------------- */

extern const tool_command command_tune;

static exit_code tune(sparcl_ctx *ctx, int count, const char *const *names) {
    static targets all;
    if (find_targets(ctx, count, names, &all) != SPARCL_OK ||
        (given.reset && sparcl_tune_store(ctx) != SPARCL_OK))
        return report(sparcl_ctx_error(ctx));
    if (given.text) return tune_print_text(ctx);
    if (given.explain) return tune_explain(ctx, given.json);
    if (sparcl_tune_store(ctx) != SPARCL_OK) return report(sparcl_ctx_error(ctx));
    if (all.done)
        print_note("%d were measured before and are skipped; --reset measures them again",
                   all.done);
    return measure(ctx, &all);
}

static exit_code run(int operand_count, const char *const *operands) {
    sparcl_ctx *ctx = NULL;
    exit_code code =
        check_operand_words(operand_word, "operation or tunable", operand_count, operands);
    if (code != EXIT_OK) return code;
    if (given.kernels) setenv("SPARCL_KERNEL_CLASS", given.kernels == 1 ? "cpu" : "gpu", 1);
    code = open_device(given.device, &ctx);
    stop_set_mode(STOP_SOON);
    if (code == EXIT_OK) code = tune(ctx, operand_count, operands);
    sparcl_ctx_close(ctx);
    return code;
}

static const char *const examples[] = {
    "tune everything for this device, in some minutes",
    "sparcl tune",
    "the same for one operation, more precisely",
    "sparcl tune spmm --seconds 10",
    "the current values, their gains and meanings",
    "sparcl tune --explain",
    "reset to the defaults, without measuring",
    "sparcl tune --reset --explain",
    NULL,
};

static const tool_option options[] = {
    {.name = "seconds",
     .type = OPTION_REAL,
     .value = &given.seconds,
     .argument = "S",
     .help = "seconds for each tunable and class of inputs (2)"},
    {.name = "explain",
     .type = OPTION_FLAG,
     .value = &given.explain,
     .set = 1,
     .help = "measure nothing; print the current values and their gains"},
    {.name = "text",
     .type = OPTION_FLAG,
     .value = &given.text,
     .set = 1,
     .help = "measure nothing; print the tuning for 'bench --tuning FILE'"},
    {.name = "reset",
     .type = OPTION_FLAG,
     .value = &given.reset,
     .set = 1,
     .help = "first discard the measurements of the given operations and tunables"},
    {.name = "class",
     .type = OPTION_CHOICE,
     .value = &given.kernels,
     .choices = "auto|cpu|gpu",
     .help = "use the kernels of this class on any device"},
    {.name = "json", .type = OPTION_FLAG, .value = &given.json, .set = 1, .help = "JSON"},
    OPTION_DEVICE(given.device),
    {0},
};

static const json_key keys[] = {
    {"tunable", "name of the tunable; a line for each class of inputs"},
    {"class", "the class of inputs"},
    {"op, case, n", "the operation and the input that were timed"},
    {"default, value", "the default and the chosen value"},
    {"gain", "seconds with the default divided by seconds with the value: median"},
    {"spread", "uncertainty of the gain; if the default stays, that of the next best"},
    {"used", "true if the operation uses the tunable"},
    {"trials", "each candidate: value, refused (wrong), median_s, gain, spread"},
    {"device, driver, kernels", "--explain: the values are valid for these"},
    {"tunables", "--explain: tunable, description, minimum, maximum, candidates, classes"},
    {0},
};

const tool_command command_tune = {
    .name = "tune",
    .summary = "find the fastest variants on a device",
    .operands = "[OP|TUNABLE...] [--seconds S] [--explain] [--reset] [--json]",
    .operands_min = 0,
    .operands_max = 64,
    .operand_word = operand_word,
    .examples = examples,
    .options = options,
    .keys = keys,
    .notes =
        "Each value is first compared with plain C, bit for bit, then timed alternately with the\n"
        "default, and chosen if it is faster by more than the spread. Values are stored in the\n"
        "cache folder, for this device, driver and class of kernels, after each class of inputs:\n"
        "an interrupted run can continue. Results do not depend on the values.",
    .run = run,
};
