/* doctor_device.c: opens the device and lets it build every kernel, show its arithmetic, and run
 * every operation against its plain-C answer. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doctor.h"
#include "message.h"
#include "open_device.h"
#include "sparcl/probe.h"
#include "spec/spec.h"

/* For the cases of one operation, after a first one: compiling for all of them would take minutes,
 * and a simulator hours. The tests run them all. */
static const double max_seconds = 0.3;

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

static bool check_kernels(doctor *d, sparcl_ctx *ctx) {
    int built = 0, failed = 0;
    const double begin = seconds_now();
    const sparcl_status status = sparcl_ctx_build_all(ctx, &built, &failed);
    const double seconds = seconds_now() - begin;
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

/* Its programs have been built. */
static bool is_default_form(const spec_case *c) {
    return c->dtype == SPARCL_F32 && c->offset_type == SPARCL_I32 && c->index_type == SPARCL_I32;
}

static tally try_cases(doctor *d, sparcl_ctx *ctx, const spec_op *op) {
    const bool has_f64 = sparcl_ctx_device(ctx)->has_f64;
    const double end = seconds_now() + max_seconds;
    tally t = {0};
    spec_case c;
    int count = 0;
    for (; op->get_case(count, true, &c); count++)
        if (c.dtype != SPARCL_F64 || has_f64) t.all++;
    const int step = find_step(count);
    for (int k = 0, i = count / 2; k < 2 * count; k++, i = (i + step) % count) {
        if (t.cases > 0 && seconds_now() >= end) break;
        if (!op->get_case(i, true, &c) || is_default_form(&c) != (k < count)) continue;
        if (c.dtype == SPARCL_F64 && !has_f64) continue;
        if (!try_case(d, ctx, op, &c, &t)) break;
    }
    return t;
}

static tally check_operation(doctor *d, sparcl_ctx *ctx, const spec_op *op, json_t *list) {
    const bool is_watched = isatty(STDERR_FILENO) != 0;
    if (is_watched) fprintf(stderr, "\r\x1b[Kchecking %s ...\r", op->name);
    const tally t = try_cases(d, ctx, op);
    json_array_append_new(list,
                          json_pack("{s:s, s:i, s:i, s:i, s:f}", "name", op->name, "cases", t.cases,
                                    "of", t.all, "wrong", t.wrong, "worst", t.worst));
    if (is_watched) fputs("\x1b[K", stderr);
    return t;
}

static void check_operations(doctor *d, sparcl_ctx *ctx) {
    json_t *const list = json_array();
    const int before = (int)d->code;
    const double begin = seconds_now();
    tally sum = {0};
    for (const spec_op *const *op = spec_ops; *op; op++) {
        const tally t = check_operation(d, ctx, *op, list);
        sum.cases += t.cases;
        sum.all += t.all;
    }
    if ((int)d->code == before)
        find(d, FINDING_OK, "operations",
             "%d operations, %d of their %d test cases: every bit as in plain C (%.1f s)",
             (int)json_array_size(list), sum.cases, sum.all, seconds_now() - begin);
    json_object_set_new(d->facts, "operations", list);
}

void check_device(doctor *d) {
    warning last = {""};
    sparcl_ctx *const ctx = open_it(d, &last);
    if (!ctx) return;
    if (check_kernels(d, ctx)) {
        check_arithmetic(d, ctx);
        check_operations(d, ctx);
        check_fast(d, ctx, last.text);
        check_bandwidth(d, ctx);
    }
    sparcl_ctx_close(ctx);
}
