/* cmd_tune.c: sparcl tune: try what decides how fast operations go, and keep what is the fastest.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "message.h"
#include "open_device.h"
#include "output.h"
#include "stop.h"
#include "tune_explain.h"
#include "tune_time.h"

static struct {
    const char *device;
    double seconds;
    int kernels, explain, text, reset, json;
} given = {.seconds = 2};

/* One tunable for one class of inputs. */
typedef struct place {
    int tunable, input_class;
    tune_case about;
} place;

/* Those that are to be measured. */
typedef struct places {
    place at[512];
    int count, done; /* done: were measured before */
} places;

/* ---- telling -------------------------------------------------------------------------------- */

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

static exit_code print_json(const place *p, const tune_trials *trials) {
    const sparcl_tunable *const about = sparcl_tune_at(p->tunable);
    const tune_trial *const chosen = &trials->at[trials->chosen];
    json_t *const line =
        json_pack("{s:s, s:s, s:s, s:s, s:I, s:i, s:i, s:f, s:f, s:b, s:o}", "tunable", about->name,
                  "class", about->classes[p->input_class], "op", p->about.bench->name, "case",
                  p->about.matrix, "n", (json_int_t)p->about.n, "default", (int)trials->at[0].value,
                  "value", (int)chosen->value, "gain", chosen->gain, "spread", chosen->spread,
                  "used", trials->used, "trials", describe_trials(trials));
    char *const text = line ? json_dumps(line, JSON_COMPACT) : NULL;
    if (text) puts(text);
    free(text);
    json_decref(line);
    return text ? flush_results() : out_of_memory();
}

static exit_code print(const place *p, int number, int count, const tune_trials *trials) {
    const sparcl_tunable *const about = sparcl_tune_at(p->tunable);
    const tune_trial *const chosen = &trials->at[trials->chosen];
    if (given.json) return print_json(p, trials);
    printf("%3d/%d  %-18s %-12s ", number, count, about->name, about->classes[p->input_class]);
    if (!trials->used)
        printf("stays %d: nothing looks at it on this device\n", (int)trials->at[0].value);
    else if (trials->chosen == 0)
        printf("stays %d\n", (int)chosen->value);
    else
        printf("%d to %d: %.3f times as fast (spread %.3f)\n", (int)trials->at[0].value,
               (int)chosen->value, chosen->gain, chosen->spread);
    return flush_results();
}

/* ---- what is to be measured ----------------------------------------------------------------- */

static bool is_named(const place *p, int count, const char *const *names) {
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], p->about.bench->name) == 0 ||
            strcmp(names[i], sparcl_tune_at(p->tunable)->name) == 0)
            return true;
    return count == 0;
}

/* The operations, then the tunables. */
static const char *operand_word(int index) {
    for (const spec_bench *const *b = spec_benches; *b; b++, index--)
        if (index == 0) return (*b)->name;
    return index < sparcl_tune_count() ? sparcl_tune_at(index)->name : NULL;
}

static bool is_known(const char *name) {
    const char *word;
    for (int i = 0; (word = operand_word(i)); i++)
        if (strcmp(word, name) == 0) return true;
    return false;
}

/* Forget what was measured, where that is asked for; list what has not been. */
static sparcl_status find_places(sparcl_ctx *ctx, int count, const char *const *names,
                                 places *all) {
    const bool gpu = sparcl_ctx_class(ctx) == SPARCL_CLASS_GPU;
    sparcl_status status = SPARCL_OK;
    *all = (places){.count = 0};
    for (int t = 0; t < sparcl_tune_count(); t++) {
        const sparcl_tunable *const about = sparcl_tune_at(t);
        for (int c = 0; c < about->class_count && status == SPARCL_OK; c++) {
            place p = {.tunable = t, .input_class = c};
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

/* What was chosen is stored at once, so that what comes later may be interrupted. */
static exit_code keep(sparcl_ctx *ctx, const place *p, const tune_trials *trials) {
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

static exit_code measure(sparcl_ctx *ctx, const places *all) {
    exit_code code = EXIT_OK;
    int wrong = 0, other = 0;
    for (int i = 0; i < all->count && code == EXIT_OK; i++) {
        const place *const p = &all->at[i];
        tune_trials trials;
        code = tune_try(ctx, p->tunable, p->input_class, &p->about, given.seconds, &trials);
        if (code != EXIT_OK) break;
        wrong += trials.refused;
        other += trials.chosen != 0;
        if (!trials.at[0].refused) code = keep(ctx, p, &trials);
        if (code == EXIT_OK && !trials.at[0].refused) code = print(p, i + 1, all->count, &trials);
    }
    if (code == EXIT_INTERRUPTED)
        note("interrupted; what was measured is kept, and the same command goes on from there");
    if (code != EXIT_OK) return code;
    if (!given.json) printf("%d measured now, %d of them not the default\n", all->count, other);
    if (wrong) complain("%d values gave a wrong result and were not taken", wrong);
    code = flush_results();
    return wrong ? EXIT_SELF_TEST : code;
}

/* ---- the command ---------------------------------------------------------------------------- */

extern const tool_command command_tune;

static exit_code tune(sparcl_ctx *ctx, int count, const char *const *names) {
    static places all;
    if (find_places(ctx, count, names, &all) != SPARCL_OK ||
        (given.reset && sparcl_tune_store(ctx) != SPARCL_OK))
        return report(sparcl_ctx_error(ctx));
    if (given.text) return tune_print_text(ctx);
    if (given.explain) return tune_explain(ctx, given.json);
    if (sparcl_tune_store(ctx) != SPARCL_OK) return report(sparcl_ctx_error(ctx));
    if (all.done)
        note("%d were measured before and are left as they are; --reset measures them anew",
             all.done);
    return measure(ctx, &all);
}

static exit_code run(int operand_count, const char *const *operands) {
    sparcl_ctx *ctx = NULL;
    for (int i = 0; i < operand_count; i++)
        if (!is_known(operands[i]))
            return usage_error(&command_tune,
                               "there is neither an operation nor a tunable that is called \"%s\"",
                               operands[i]);
    if (given.kernels) setenv("SPARCL_KERNEL_CLASS", given.kernels == 1 ? "cpu" : "gpu", 1);
    stop_install();
    exit_code code = open_device(given.device, &ctx);
    stop_set_mode(STOP_SOON);
    if (code == EXIT_OK) code = tune(ctx, operand_count, operands);
    sparcl_ctx_close(ctx);
    return code;
}

static const char *const examples[] = {
    "find out what is the fastest on this device, in some minutes",
    "sparcl tune",
    "the same for one operation, with more care",
    "sparcl tune spmm --seconds 10",
    "what is in force, what did it gain, and what is it?",
    "sparcl tune --explain",
    "back to the defaults, without measuring",
    "sparcl tune --reset --explain",
    NULL,
};

static const tool_option options[] = {
    {.name = "seconds",
     .type = OPTION_REAL,
     .value = &given.seconds,
     .argument = "S",
     .help = "for each tunable and class of inputs (2)"},
    {.name = "explain",
     .type = OPTION_FLAG,
     .value = &given.explain,
     .set = 1,
     .help = "measure nothing; tell what is in force and why"},
    {.name = "text",
     .type = OPTION_FLAG,
     .value = &given.text,
     .set = 1,
     .help = "measure nothing; print it as 'bench --tuning FILE' takes it"},
    {.name = "reset",
     .type = OPTION_FLAG,
     .value = &given.reset,
     .set = 1,
     .help = "forget what was measured, of what is named, first"},
    {.name = "class",
     .type = OPTION_CHOICE,
     .value = &given.kernels,
     .choices = "auto|cpu|gpu",
     .help = "kernels of this class, whatever the device is"},
    {.name = "json", .type = OPTION_FLAG, .value = &given.json, .set = 1, .help = "JSON"},
    OPTION_DEVICE(given.device),
    {0},
};

static const json_key keys[] = {
    {"tunable", "its name; a line for each class of inputs"},
    {"class", "of inputs"},
    {"op, case, n", "what it was timed on"},
    {"default, value", "the library's own, and what was chosen"},
    {"gain", "seconds with the default by seconds with the value: the median of turns"},
    {"spread", "by how much it is uncertain; for a default that stays, of the next best"},
    {"used", "did the operation look at it?"},
    {"trials", "of each candidate: value, refused (wrong), median_s, gain, spread"},
    {"device, driver, kernels", "of --explain: what the values belong to"},
    {"tunables", "of --explain: tunable, what, least, most, candidates, classes"},
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
        "A value is first checked against plain C, bit for bit, then timed in turns with the\n"
        "default, and taken where it is faster by more than the spread. It is stored beside the\n"
        "compiled kernels, for this device, driver and class of kernels, after each class of\n"
        "inputs: an interrupted run goes on where it was. Results do not depend on it.",
    .run = run,
};
