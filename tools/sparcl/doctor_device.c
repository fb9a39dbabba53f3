/* doctor_device.c: opens the device, checks that kernels build, checks its arithmetic, and compares
 * every operation with the plain-C reference. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "doctor.h"
#include "message.h"
#include "open_device.h"
#include "pocl_cache.h"
#include "sparcl/probe.h"
#include "spec/shared/spec.h"

/* Seconds for cases beyond the representative ones: more_seconds for all operations together, if no
 * more than warm_seconds have passed; with --full, full_seconds for each operation, or
 * named_seconds where operations are named: on most devices enough for all cases. The tests run
 * all, which needs minutes of compiling. */
static const double more_seconds = 1.5, warm_seconds = 6, full_seconds = 1, named_seconds = 600;

/* The last warning of the library. */
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
    add_finding(d, FINDING_OK, "device", "%s %s (%s), driver %s, %" PRId64 " units, %s", select,
                device->name, sparcl_ctx_platform(ctx), device->driver, device->units,
                format_bytes(memory, device->memory));
    snprintf(d->healthy, sizeof d->healthy, "%s (%s) computes correctly", device->name,
             sparcl_ctx_platform(ctx));
}

/* NULL, with a finding, if it cannot be opened. */
static sparcl_ctx *open_tuned(doctor *d, const char *tuning, warning *last) {
    const sparcl_ctx_desc desc = {.tuning = tuning, .log = remember, .log_user = last};
    sparcl_ctx *ctx = NULL;
    sparcl_error error = {0};
    if (open_context(d->device, desc, &ctx, &error) == SPARCL_OK) return ctx;
    add_failure(d, exit_code_of(error.status), "device", "%s", error.message);
    return NULL;
}

/* ---- kernels -------------------------------------------------------------------------------- */

/* try_device has already built the programs of the cases. */
static bool check_kernels(doctor *d, sparcl_ctx *ctx) {
    int built = 0, failed = 0;
    const double seconds = spc_clock() - d->begin;
    if (!d->full || d->names.count > 0) {
        add_finding(
            d, FINDING_OK, "kernels",
            "the programs of the cases below were built (%.1f s); %s--full builds every program",
            seconds, d->full ? "without OP " : "");
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
        add_finding(d, FINDING_OK, "kernels",
                    "%d programs built, each with its default types (%.1f s)", built, seconds);
        return true;
    }
    add_failure(d, exit_code_of(status), "kernels", "%d of %d programs did not build: %s", failed,
                built + failed, sparcl_ctx_error(ctx)->message);
    return false;
}

/* ---- arithmetic ----------------------------------------------------------------------------- */

/* A property that the library's guarantees need. */
static void check_property(doctor *d, bool holds, const char *good, const char *bad) {
    if (holds)
        add_finding(d, FINDING_OK, "arithmetic", "%s", good);
    else
        add_failure(d, EXIT_SELF_TEST, "arithmetic", "%s", bad);
}

static void report_arithmetic(doctor *d, const sparcl_device *device, const sparcl_probe *p) {
    char good[200];
    if (p->flushes_inputs || p->flushes_results)
        add_finding(
            d, FINDING_NOTE, "arithmetic",
            "flushes subnormal numbers: results equal those of other devices only in the normal "
            "range");
    else
        add_finding(d, FINDING_OK, "arithmetic", "keeps subnormal numbers%s",
                    device->has_denormals ? "" : ", although the driver reports that it does not");
    check_property(
        d, !p->contracts, "a * b + c is rounded twice, as it must be",
        "a * b + c is rounded once although the kernels forbid it: results differ from other "
        "devices");
    check_property(
        d, !p->reorders_in_order,
        p->reorders_sums
            ? "sums keep their order where the kernels require it (the compiler reorders others)"
            : "sums keep their order",
        "sums are reordered although the kernels forbid it: results differ from other devices");
    snprintf(good, sizeof good,
             "divide and square root are correctly rounded in %d hard cases each%s", (int)p->cases,
             device->has_rounded_divide ? ""
             : p->plain_divide_correct && p->plain_sqrt_correct
                 ? ", with sparcl's own code; the device's are too"
                 : ", with sparcl's own code; the device's are not");
    check_property(d, p->divide_correct && p->sqrt_correct, good, p->first_error);
    check_property(d, p->software_divide_correct && p->software_sqrt_correct,
                   "sparcl's own divide and square root are correct", p->first_error);
    check_property(d, p->conversions_correct, "conversions between float and int are correct",
                   p->first_error);
    if (p->loop_limit && p->loops_correct)
        add_finding(d, FINDING_NOTE, "arithmetic",
                    "loops end after %" PRId64
                    " iterations: work is split into smaller launches, which are slower",
                    p->loop_limit);
    check_property(d, p->loops_correct, "loops run to their end", "loops end too early");
}

static json_t *probe_to_json(const sparcl_probe *p) {
    json_t *const object =
        json_pack("{s:b, s:b, s:b, s:b, s:b, s:b, s:b, s:b}", "flushes_inputs", p->flushes_inputs,
                  "flushes_results", p->flushes_results, "contracts", p->contracts, "reorders_sums",
                  p->reorders_sums, "reorders_in_order", p->reorders_in_order,
                  "plain_divide_correct", p->plain_divide_correct, "plain_sqrt_correct",
                  p->plain_sqrt_correct, "divide_correct", p->divide_correct);
    json_t *const more = json_pack(
        "{s:b, s:b, s:b, s:b, s:b, s:I, s:I}", "sqrt_correct", p->sqrt_correct,
        "software_divide_correct", p->software_divide_correct, "software_sqrt_correct",
        p->software_sqrt_correct, "conversions_correct", p->conversions_correct, "loops_correct",
        p->loops_correct, "loop_limit", (json_int_t)p->loop_limit, "cases", (json_int_t)p->cases);
    json_object_update(object, more);
    json_decref(more);
    return object;
}

static void check_arithmetic(doctor *d, sparcl_ctx *ctx) {
    sparcl_probe probe;
    if (sparcl_ctx_probe(ctx, &probe) != SPARCL_OK) {
        const sparcl_error *const error = sparcl_ctx_error(ctx);
        add_failure(d, exit_code_of(error->status), "arithmetic", "%s", error->message);
        return;
    }
    report_arithmetic(d, sparcl_ctx_device(ctx), &probe);
    json_object_set_new(d->facts, "arithmetic", probe_to_json(&probe));
}

/* ---- operations ----------------------------------------------------------------------------- */

/* The result of choose_cases. */
typedef struct chosen {
    doctor_case cases[MAX_CASES];
    int operations, count;
} chosen;

/* So that small cases are computed as large inputs are: by many partitions, from packed panels, in
 * buckets. */
static const char as_large[] = "sparcl tuning 1\n"
                               "product.grain * 64\nrows.grain * 64\nselect.grain * 256\n"
                               "scan.grain * 256\nelementwise.grain * 64\n"
                               "sort.bucket_items * 64\nsort.digit_bits * 8\nsort.stream * 1\n"
                               "sort.serial_items * 0\nspmm.pack * 16\nspmm.stream * 1\n"
                               "spmm.no_gather * 0\nspmm_t.direct * 0\nspmm_t.fill * 0\n"
                               "spmm_t.scatter * 0\n";

typedef struct tally {
    int cases, wrong, all; /* cases that were run, wrong ones among them, all that exist */
    int as_large;          /* cases that were run with that tuning */
    bool is_large;         /* what runs now has it */
    double worst;
} tally;

/* False if the context failed; a wrong result is only counted and reported. */
static bool try_case(doctor *d, sparcl_ctx *ctx, const spec_op *op, const spec_case *c, tally *t) {
    char text[256];
    const char *const how = t->is_large ? ", divided as large inputs are" : "";
    spec_report report = {0};
    const sparcl_status status = spec_check(ctx, op, c, &report);
    spec_case_text(op, c, text, sizeof text);
    if (report.worst > t->worst) t->worst = report.worst;
    if (status == SPARCL_OK && report.equal) return true;
    if (t->wrong++ == 0) {
        if (status == SPARCL_OK)
            add_failure(d, EXIT_SELF_TEST, "operations", "%s%s: %s", text, how, report.why);
        else
            add_failure(d, exit_code_of(status), "operations", "%s%s: %s", text, how,
                        sparcl_ctx_error(ctx)->message);
    }
    return status == SPARCL_OK;
}

static int greatest_divisor(int a, int b) {
    return b == 0 ? a : greatest_divisor(b, a % b);
}

/* A step of about the golden ratio of the number of cases: it visits each case once, and cases of
 * all sizes and kinds early. The cases are in order of size, so the first is from the middle. */
static int find_step(int count) {
    int step = (int)(0.618 * count) + 1;
    while (greatest_divisor(step, count) > 1)
        step++;
    return step;
}

/* Whether check_operation has run it before others; the numbers of --full are of more cases. */
static bool was_run(const doctor *d, const chosen *list, const spec_op *op, int number) {
    for (int i = 0; !d->full && i < list->operations + d->optional_cases; i++)
        if (list->cases[i].op == op && list->cases[i].number == number) return true;
    return false;
}

/* Run other cases, those of the default types first, until the time is over; with --full also those
 * that are too large for a simulator. Adds their number to *run, and returns how many there are. */
static int try_more(doctor *d, sparcl_ctx *ctx, const spec_op *op, const chosen *list, double end,
                    tally *t, int *run) {
    const bool has_f64 = sparcl_ctx_device(ctx)->has_f64;
    spec_case c;
    int count = 0, all = 0;
    for (; op->get_case(count, !d->full, &c); count++)
        all += c.dtype != SPARCL_F64 || has_f64;
    const int step = find_step(count), rounds = d->full ? 2 : 1;
    for (int k = 0, i = count / 2; k < rounds * count; k++, i = (i + step) % count) {
        if (spc_clock() >= end) break;
        if (!op->get_case(i, !d->full, &c) || has_default_types(&c) != (k < count)) continue;
        if ((c.dtype == SPARCL_F64 && !has_f64) || was_run(d, list, op, i)) continue;
        ++*run;
        if (!try_case(d, ctx, op, &c, t)) break;
    }
    return all;
}

/* Seconds for the cases of an operation with --full, and again for those as large inputs. */
static double seconds_of_operation(const doctor *d) {
    return d->names.count > 0 ? named_seconds : full_seconds;
}

/* Run the cases that try_device has run, then others until the time is over; then, if
 * all are right, those in the context `large`, if there is one. */
static tally check_operation(doctor *d, sparcl_ctx *ctx, sparcl_ctx *large, const spec_op *op,
                             const chosen *list, double end) {
    tally t = {0};
    progress_say(&d->progress, "checking %s", op->name);
    for (int i = 0; i < list->operations + d->optional_cases; i++) {
        const doctor_case *const one = &list->cases[i];
        if (one->op != op) continue;
        t.cases++;
        if (!try_case(d, ctx, op, &one->c, &t)) return t;
    }
    if (d->full) t.cases = 0; /* they are among the others */
    t.all = try_more(d, ctx, op, list, end, &t, &t.cases);
    if (!large || t.wrong > 0) return t;
    t.is_large = true;
    try_more(d, large, op, list, spc_clock() + seconds_of_operation(d), &t, &t.as_large);
    return t;
}

/* The time at which the additional cases of operation `number` end; at once if compiling has taken
 * long. */
static double find_end(const doctor *d, const chosen *list, int number, double begin) {
    if (d->full) return spc_clock() + seconds_of_operation(d);
    if (begin - d->begin > warm_seconds) return begin;
    return begin + more_seconds * (number + 1) / list->operations;
}

static void check_operations(doctor *d, sparcl_ctx *ctx, sparcl_ctx *large) {
    static chosen list;
    json_t *const facts = json_array();
    const int before = (int)d->code;
    const double begin = spc_clock();
    tally sum = {0};
    list.count = choose_cases(&d->names, list.cases, &list.operations);
    for (const spec_op *const *op = spec_ops; *op; op++) {
        if (!is_checked(&d->names, *op)) continue;
        const double end = find_end(d, &list, (int)json_array_size(facts), begin);
        const tally t = check_operation(d, ctx, large, *op, &list, end);
        json_array_append_new(facts,
                              json_pack("{s:s, s:i, s:i, s:i, s:i, s:f}", "name", (*op)->name,
                                        "cases", t.cases, "of", t.all, "as_large", t.as_large,
                                        "wrong", t.wrong, "worst", t.worst));
        sum.cases += t.cases;
        sum.all += t.all;
        sum.as_large += t.as_large;
    }
    if ((int)d->code == before)
        add_finding(
            d, FINDING_OK, "operations",
            "%d operation%s, %d of their %d test cases: equal to plain C, bit for bit (%.1f s)",
            list.operations, list.operations > 1 ? "s" : "", sum.cases, sum.all,
            spc_clock() - begin);
    if ((int)d->code == before && large)
        add_finding(d, FINDING_OK, "operations",
                    "%d cases again, divided as large inputs are: equal to plain C, bit for bit",
                    sum.as_large);
    json_object_set_new(d->facts, "operations", facts);
}

/* PoCL reports some kinds of damage as an error of an OpenCL call. */
static void find_cache_damage(doctor *d, const sparcl_ctx *ctx) {
    char folder[4096], command[4300];
    if (d->code != EXIT_RUNTIME && d->code != EXIT_BUILD) return;
    if (strcmp(sparcl_ctx_platform(ctx), "Portable Computing Language") != 0) return;
    pocl_cache_folder(folder, sizeof folder);
    pocl_cache_command(command, sizeof command);
    add_finding(
        d, FINDING_NOTE, "kernels",
        "if PoCL's kernel cache in %s is damaged, for example after a full disk, this fixes it: "
        "%s",
        folder, command);
}

void check_device(doctor *d) {
    warning last = {""};
    sparcl_ctx *const ctx = open_tuned(d, NULL, &last);
    if (!ctx) {
        json_object_set_new(d->facts, "device", json_null());
        return;
    }
    describe(d, ctx);
    if (check_kernels(d, ctx)) {
        sparcl_ctx *const large = d->full ? open_tuned(d, as_large, &last) : NULL;
        if (d->names.count == 0) check_arithmetic(d, ctx);
        check_operations(d, ctx, large);
        sparcl_ctx_close(large);
        if (d->names.count == 0) {
            progress_say(&d->progress, "measuring");
            if (d->full) check_fast(d, ctx, last.text);
            check_bandwidth(d, ctx);
        }
    }
    find_cache_damage(d, ctx);
    sparcl_ctx_close(ctx);
}
