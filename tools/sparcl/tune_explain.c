/* tune_explain.c: prints the current tuning. */
#include "tune_explain.h"

#include <stdlib.h>
#include <time.h>

#include "message.h"
#include "output.h"

/* True if the kernels of this context use the tunable. */
static bool is_used(const sparcl_ctx *ctx, const sparcl_tunable *about) {
    return about->kernels == SPARCL_CLASS_AUTO || about->kernels == sparcl_ctx_class(ctx);
}

static int32_t default_of(const sparcl_ctx *ctx, const sparcl_tunable *about, int input_class) {
    return about->defaults[sparcl_ctx_class(ctx) == SPARCL_CLASS_GPU][input_class];
}

static sparcl_tuned value_of(sparcl_ctx *ctx, int tunable, int input_class) {
    sparcl_tuned tuned;
    return sparcl_tune_get(ctx, tunable, input_class, &tuned) == SPARCL_OK ? tuned
                                                                           : (sparcl_tuned){0};
}

static const char *time_text(char text[NUMBER_BYTES], int64_t when) {
    const time_t seconds = (time_t)when;
    struct tm parts;
    if (!when || !gmtime_r(&seconds, &parts) ||
        strftime(text, NUMBER_BYTES, "%Y-%m-%d %H:%M", &parts) == 0)
        snprintf(text, NUMBER_BYTES, "-");
    return text;
}

static const char *ratio_text(char text[NUMBER_BYTES], const sparcl_tuned *tuned, double x) {
    snprintf(text, NUMBER_BYTES, tuned->when ? "%.3f" : "-", x);
    return text;
}

/* A line for each class; the first has the description of the tunable. */
static void add_lines(sparcl_ctx *ctx, struct libscols_table *table, int t) {
    const sparcl_tunable *const about = sparcl_tune_at(t);
    for (int c = 0; c < about->class_count; c++) {
        char before[NUMBER_BYTES], value[NUMBER_BYTES], gain[NUMBER_BYTES], spread[NUMBER_BYTES],
            when[NUMBER_BYTES];
        const sparcl_tuned tuned = value_of(ctx, t, c);
        snprintf(before, sizeof before, "%d", (int)default_of(ctx, about, c));
        snprintf(value, sizeof value, "%d", (int)tuned.value);
        const char *const cells[] = {c == 0 ? about->name : "",
                                     about->classes[c],
                                     before,
                                     value,
                                     ratio_text(gain, &tuned, tuned.gain),
                                     ratio_text(spread, &tuned, tuned.spread),
                                     time_text(when, tuned.when),
                                     c == 0 ? about->description : ""};
        table_add(table, NULL, cells);
    }
}

static exit_code print_table(sparcl_ctx *ctx) {
    static const char *const names[] = {"tunable",        "class",       ">default",
                                        ">value",         ">gain",       ">spread",
                                        "measured (UTC)", "description", NULL};
    const sparcl_device *const device = sparcl_ctx_device(ctx);
    printf("%s, driver %s, kernels for %s\n\n", device->name, device->driver,
           sparcl_ctx_class(ctx) == SPARCL_CLASS_GPU ? "GPUs" : "CPUs");
    struct libscols_table *const table = table_new(names);
    for (int t = 0; t < sparcl_tune_count(); t++)
        if (is_used(ctx, sparcl_tune_at(t))) add_lines(ctx, table, t);
    const exit_code code = table_print(table);
    return code == EXIT_OK ? flush_results() : code;
}

static json_t *describe_class(sparcl_ctx *ctx, int t, int c) {
    const sparcl_tunable *const about = sparcl_tune_at(t);
    const sparcl_tuned tuned = value_of(ctx, t, c);
    const bool measured = tuned.when != 0;
    return json_pack("{s:s, s:i, s:i, s:o, s:o, s:o}", "class", about->classes[c], "default",
                     (int)default_of(ctx, about, c), "value", (int)tuned.value, "gain",
                     measured ? json_number(tuned.gain) : json_null(), "spread",
                     measured ? json_number(tuned.spread) : json_null(), "when",
                     measured ? json_integer((json_int_t)tuned.when) : json_null());
}

static json_t *describe_tunable(sparcl_ctx *ctx, int t) {
    const sparcl_tunable *const about = sparcl_tune_at(t);
    json_t *const candidates = json_array(), *const classes = json_array();
    for (int i = 0; candidates && i < about->candidate_count; i++)
        json_array_append_new(candidates, json_integer(about->candidates[i]));
    for (int c = 0; classes && c < about->class_count; c++)
        json_array_append_new(classes, describe_class(ctx, t, c));
    return json_pack("{s:s, s:s, s:i, s:i, s:o, s:o}", "tunable", about->name, "description",
                     about->description, "minimum", (int)about->minimum, "maximum",
                     (int)about->maximum, "candidates", candidates, "classes", classes);
}

static exit_code print_json(sparcl_ctx *ctx) {
    const sparcl_device *const device = sparcl_ctx_device(ctx);
    json_t *const tunables = json_array();
    for (int t = 0; tunables && t < sparcl_tune_count(); t++)
        if (is_used(ctx, sparcl_tune_at(t)))
            json_array_append_new(tunables, describe_tunable(ctx, t));
    return print_object(json_pack("{s:o, s:o, s:s, s:o}", "device", json_text(device->name),
                                  "driver", json_text(device->driver), "kernels",
                                  sparcl_ctx_class(ctx) == SPARCL_CLASS_GPU ? "gpu" : "cpu",
                                  "tunables", tunables),
                        true);
}

exit_code tune_explain(sparcl_ctx *ctx, bool as_json) {
    return as_json ? print_json(ctx) : print_table(ctx);
}

exit_code tune_print_text(const sparcl_ctx *ctx) {
    const size_t capacity = sparcl_tune_text(ctx, NULL, 0) + 1;
    char *const text = malloc(capacity);
    if (!text) return out_of_memory();
    (void)sparcl_tune_text(ctx, text, capacity);
    fputs(text, stdout);
    free(text);
    return flush_results();
}
