/* doctor_device.c: opens the device and lets it build every kernel, show its arithmetic, and run
 * every operation against its plain-C answer. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "crash.h"
#include "doctor.h"
#include "doctor_cases.h"
#include "message.h"
#include "open_device.h"
#include "sparcl/probe.h"
#include "spec/spec.h"

/* For cases beyond the representative ones, in seconds: of all operations together, where no more
 * than warm_seconds have passed, or with --full of each. The tests run all cases, which takes
 * minutes of compiling. */
static const double more_seconds = 1.5, warm_seconds = 6, full_seconds = 1;

/* What the library warned of last. */
typedef struct warning {
    char text[512];
} warning;

static void remember(void *user, sparcl_log_level level, const char *message) {
    warning *const last = user;
    if (level >= SPARCL_LOG_WARNING) snprintf(last->text, sizeof last->text, "%s", message);
}

/* ---- opening -------------------------------------------------------------------------------- */

static void describe(doctor *d, const sparcl_ctx *ctx) {
    const sparcl_device *const device = sparcl_ctx_device(ctx);
    char select[NUMBER_BYTES], memory[NUMBER_BYTES];
    snprintf(select, sizeof select, "%d:%d", device->platform, device->number);
    json_object_set_new(d->facts, "device",
                        json_pack("{s:s, s:s, s:s, s:s, s:s}", "select", select, "name",
                                  device->name, "platform", sparcl_ctx_platform(ctx), "driver",
                                  device->driver, "device_class",
                                  device->device_class == SPARCL_CLASS_GPU ? "gpu" : "cpu"));
    find(d, FINDING_OK, "device", "%s %s (%s), driver %s, %" PRId64 " units, %s", select,
         device->name, sparcl_ctx_platform(ctx), device->driver, device->units,
         format_bytes(memory, device->memory));
    snprintf(d->healthy, sizeof d->healthy, "%s (%s) computes as it should", device->name,
             sparcl_ctx_platform(ctx));
}

static sparcl_ctx *open_it(doctor *d, warning *last) {
    sparcl_ctx *ctx = NULL;
    sparcl_error error = {0};
    if (open_context(d->device, remember, last, &ctx, &error) == SPARCL_OK) {
        describe(d, ctx);
        return ctx;
    }
    json_object_set_new(d->facts, "device", json_null());
    find_failure(d, exit_code_of(error.status), "device", "%s", error.message);
    return NULL;
}

/* ---- kernels -------------------------------------------------------------------------------- */

/* What the cases need was built by try_device. */
static bool check_kernels(doctor *d, sparcl_ctx *ctx) {
    int built = 0, failed = 0;
    const double seconds = seconds_now() - d->begin;
    if (!d->full) {
        find(d, FINDING_OK, "kernels",
             "what the cases below need was built (%.1f s); --full builds every program", seconds);
        json_object_set_new(d->facts, "kernels",
                            json_pack("{s:n, s:n, s:f}", "built", "failed", "seconds", seconds));
        return true;
    }
    progress_say(&d->progress, "building every program");
    const sparcl_status status = sparcl_ctx_build_all(ctx, &built, &failed);
    json_object_set_new(
        d->facts, "kernels",
        json_pack("{s:i, s:i, s:f}", "built", built, "failed", failed, "seconds", seconds));
    if (status == SPARCL_OK) {
        find(d, FINDING_OK, "kernels", "%d programs built, each in its default form (%.1f s)",
             built, seconds);
        return true;
    }
    find_failure(d, exit_code_of(status), "kernels", "%d of %d programs did not build: %s", failed,
                 built + failed, sparcl_ctx_error(ctx)->message);
    return false;
}

/* ---- arithmetic ----------------------------------------------------------------------------- */

/* A property that the library's promise needs. */
static void need(doctor *d, bool holds, const char *good, const char *bad) {
    if (holds)
        find(d, FINDING_OK, "arithmetic", "%s", good);
    else
        find_failure(d, EXIT_SELF_TEST, "arithmetic", "%s", bad);
}

static void judge(doctor *d, const sparcl_device *device, const sparcl_probe *p) {
    char good[200];
    if (p->flushes_inputs || p->flushes_results)
        find(d, FINDING_NOTE, "arithmetic",
             "flushes subnormal numbers: results equal those of other devices in the normal range "
             "only");
    else
        find(d, FINDING_OK, "arithmetic", "keeps subnormal numbers%s",
             device->has_denormals ? "" : ", although the driver says that it does not");
    need(d, !p->contracts, "a * b + c is rounded twice, as it should be",
         "a * b + c is rounded once although that is forbidden: results differ from other devices");
    need(d, !p->reorders_in_order,
         p->reorders_sums
             ? "sums stay in order where they are marked (its compiler reorders others)"
             : "sums stay in order",
         "sums are reordered although that is forbidden: results differ from other devices");
    snprintf(good, sizeof good,
             "divide and square root are correctly rounded in %d hard cases each%s", (int)p->cases,
             device->has_rounded_divide           ? ""
             : p->rounds_divide && p->rounds_root ? ", by our own; so are the device's"
                                                  : ", by our own; the device's are not");
    need(d, p->divide_right && p->root_right, good, p->first_wrong);
    need(d, p->own_divide_right && p->own_root_right, "our own divide and square root are right",
         p->first_wrong);
    need(d, p->conversions_right, "conversions between float and int are right", p->first_wrong);
    if (p->loop_limit && p->loops_right)
        find(d, FINDING_NOTE, "arithmetic",
             "a loop ends after %" PRId64 " rounds: work is cut small for it, and is slower",
             p->loop_limit);
    need(d, p->loops_right, "loops go on to their end", "loops end before they should");
}

static json_t *probe_to_json(const sparcl_probe *p) {
    json_t *const object =
        json_pack("{s:b, s:b, s:b, s:b, s:b, s:b, s:b, s:b}", "flushes_inputs", p->flushes_inputs,
                  "flushes_results", p->flushes_results, "contracts", p->contracts, "reorders_sums",
                  p->reorders_sums, "reorders_in_order", p->reorders_in_order, "rounds_divide",
                  p->rounds_divide, "rounds_root", p->rounds_root, "divide_right", p->divide_right);
    json_t *const more =
        json_pack("{s:b, s:b, s:b, s:b, s:b, s:I, s:I}", "root_right", p->root_right,
                  "own_divide_right", p->own_divide_right, "own_root_right", p->own_root_right,
                  "conversions_right", p->conversions_right, "loops_right", p->loops_right,
                  "loop_limit", (json_int_t)p->loop_limit, "cases", (json_int_t)p->cases);
    json_object_update(object, more);
    json_decref(more);
    return object;
}

static void check_arithmetic(doctor *d, sparcl_ctx *ctx) {
    sparcl_probe probe;
    if (sparcl_ctx_probe(ctx, &probe) != SPARCL_OK) {
        const sparcl_error *const error = sparcl_ctx_error(ctx);
        find_failure(d, exit_code_of(error->status), "arithmetic", "%s", error->message);
        return;
    }
    judge(d, sparcl_ctx_device(ctx), &probe);
    json_object_set_new(d->facts, "arithmetic", probe_to_json(&probe));
}

/* ---- operations ----------------------------------------------------------------------------- */

/* See choose_cases. */
typedef struct chosen {
    doctor_case cases[MAX_CASES];
    int operations, count;
} chosen;

typedef struct tally {
    int cases, wrong, all; /* run, wrong among these, there are */
    double worst;
} tally;

/* False when the context failed, not the result. */
static bool try_case(doctor *d, sparcl_ctx *ctx, const spec_op *op, const spec_case *c, tally *t) {
    char text[256];
    spec_report report = {0};
    const sparcl_status status = op->check(ctx, c, &report);
    spec_case_text(op, c, text, sizeof text);
    t->cases++;
    if (report.worst > t->worst) t->worst = report.worst;
    if (status == SPARCL_OK && report.equal) return true;
    if (t->wrong++ == 0) {
        if (status == SPARCL_OK)
            find_failure(d, EXIT_SELF_TEST, "operations", "%s: %s", text, report.why);
        else
            find_failure(d, exit_code_of(status), "operations", "%s: %s", text,
                         sparcl_ctx_error(ctx)->message);
    }
    return status == SPARCL_OK;
}

static int greatest_divisor(int a, int b) {
    return b == 0 ? a : greatest_divisor(b, a % b);
}

/* Cases of all sizes and kinds soon come up: steps by about the golden ratio of their number, which
 * meet each of them once. They are in order of size, so the first is from the middle. */
static int find_step(int count) {
    int step = (int)(0.618 * count) + 1;
    while (greatest_divisor(step, count) > 1)
        step++;
    return step;
}

/* Cases spread over all, those of the default form first, until the time is over. */
static void try_more(doctor *d, sparcl_ctx *ctx, const spec_op *op, double end, tally *t) {
    const bool has_f64 = sparcl_ctx_device(ctx)->has_f64;
    spec_case c;
    int count = 0;
    for (; op->get_case(count, true, &c); count++)
        if (c.dtype != SPARCL_F64 || has_f64) t->all++;
    const int step = find_step(count), rounds = d->full ? 2 : 1;
    for (int k = 0, i = count / 2; k < rounds * count; k++, i = (i + step) % count) {
        if (seconds_now() >= end) break;
        if (!op->get_case(i, true, &c) || is_default_form(&c) != (k < count)) continue;
        if (c.dtype == SPARCL_F64 && !has_f64) continue;
        if (!try_case(d, ctx, op, &c, t)) break;
    }
}

/* What try_device has tried; then others until the time is over. */
static tally check_operation(doctor *d, sparcl_ctx *ctx, const spec_op *op, const chosen *list,
                             double end) {
    tally t = {0};
    progress_say(&d->progress, "judging %s", op->name);
    for (int i = 0; i < list->operations + d->optional_cases; i++) {
        const doctor_case *const one = &list->cases[i];
        if (one->op == op && !try_case(d, ctx, op, &one->c, &t)) return t;
    }
    try_more(d, ctx, op, end, &t);
    return t;
}

/* When the cases beyond the chosen ones of operation `number` end: there are none where compiling
 * has taken long. */
static double find_end(const doctor *d, const chosen *list, int number, double begin) {
    if (d->full) return seconds_now() + full_seconds;
    if (begin - d->begin > warm_seconds) return begin;
    return begin + more_seconds * (number + 1) / list->operations;
}

static void check_operations(doctor *d, sparcl_ctx *ctx) {
    static chosen list;
    json_t *const facts = json_array();
    const int before = (int)d->code;
    const double begin = seconds_now();
    tally sum = {0};
    list.count = choose_cases(list.cases, &list.operations);
    for (const spec_op *const *op = spec_ops; *op; op++) {
        const double end = find_end(d, &list, (int)(op - spec_ops), begin);
        const tally t = check_operation(d, ctx, *op, &list, end);
        json_array_append_new(facts,
                              json_pack("{s:s, s:i, s:i, s:i, s:f}", "name", (*op)->name, "cases",
                                        t.cases, "of", t.all, "wrong", t.wrong, "worst", t.worst));
        sum.cases += t.cases;
        sum.all += t.all;
    }
    if ((int)d->code == before)
        find(d, FINDING_OK, "operations",
             "%d operations, %d of their %d test cases: every bit as in plain C (%.1f s)",
             (int)json_array_size(facts), sum.cases, sum.all, seconds_now() - begin);
    json_object_set_new(d->facts, "operations", facts);
}

/* PoCL reports some kinds of damage as an error of a call. */
static void find_cache_damage(doctor *d, const sparcl_ctx *ctx) {
    char folder[4096], command[4300];
    if (d->code != EXIT_RUNTIME && d->code != EXIT_BUILD) return;
    if (strcmp(sparcl_ctx_platform(ctx), "Portable Computing Language") != 0) return;
    pocl_cache_folder(folder, sizeof folder);
    pocl_cache_command(command, sizeof command);
    find(d, FINDING_NOTE, "kernels",
         "if PoCL's kernel cache in %s is damaged, as after a full disk, this fixes it: %s", folder,
         command);
}

void check_device(doctor *d) {
    warning last = {""};
    sparcl_ctx *const ctx = open_it(d, &last);
    if (!ctx) return;
    if (check_kernels(d, ctx)) {
        check_arithmetic(d, ctx);
        check_operations(d, ctx);
        progress_say(&d->progress, "measuring");
        if (d->full) check_fast(d, ctx, last.text);
        check_bandwidth(d, ctx);
    }
    find_cache_damage(d, ctx);
    sparcl_ctx_close(ctx);
}
