/* bench_profile.c: the output of 'sparcl bench --profile': the time of each kernel of a call. */
#include "bench_profile.h"

#include <inttypes.h>
#include <stdlib.h>

#include "live_line.h"
#include "message.h"
#include "open_device.h"
#include "output.h"
#include "sparcl/profile.h"

enum { CALLS = 20 };

static sparcl_status make_calls(sparcl_ctx *ctx, const spec_bench *bench,
                                const spec_bench_call *call, sparcl_profile *recorded) {
    sparcl_status status = sparcl_profile_reset(ctx);
    for (int i = 0; i < CALLS && status == SPARCL_OK; i++)
        status = spec_bench_run(ctx, bench, call);
    return status == SPARCL_OK ? sparcl_profile_read(ctx, recorded) : status;
}

/* Device memory besides the operands: of a context that only counts it. */
static exit_code count_scratch(sparcl_ctx *ctx, const char *selector, const spec_bench *bench,
                               const spec_bench_call *call, int64_t *bytes) {
    const sparcl_ctx_desc desc = {.device_class = sparcl_ctx_class(ctx), .forecast = 1};
    spec_bench_call own = {.input = call->input};
    sparcl_ctx *counts = NULL;
    exit_code code = open_device_as(selector, desc, &counts);
    if (code != EXIT_OK) return code;
    sparcl_status status = spec_bench_open(counts, bench, &own);
    const int64_t before = sparcl_ctx_memory(counts);
    if (status == SPARCL_OK) {
        status = spec_bench_run(counts, bench, &own);
        *bytes = sparcl_ctx_memory(counts) - before;
        spec_bench_close(&own);
    }
    if (status != SPARCL_OK) code = report_device(counts, sparcl_ctx_error(counts));
    sparcl_ctx_close(counts);
    return code;
}

static void print_line(const sparcl_profile_line *l) {
    char name[sizeof l->name + 16];
    snprintf(name, sizeof name, "%s%s", l->name, l->variant ? " (variant)" : "");
    printf("    %-44s %5.3g per call %10.4g ms", name, (double)l->count / CALLS,
           l->seconds / CALLS * 1e3);
    if (l->groups > 0)
        printf(" %9.6g %-6s %10.8g work-item%s", (double)l->groups / CALLS,
               l->groups == CALLS ? "group" : "groups", (double)l->items / CALLS,
               l->items == CALLS ? "" : "s");
    printf("\n");
}

/* What all commands of a call need. */
typedef struct totals {
    double launches, groups, items;
    int64_t scratch;
} totals;

static totals add_lines(const sparcl_profile *recorded) {
    totals t = {0};
    for (int i = 0; i < recorded->count; i++) {
        const sparcl_profile_line *const l = &recorded->lines[i];
        if (l->kind == SPARCL_PROFILE_KERNEL) t.launches += (double)l->count / CALLS;
        t.groups += (double)l->groups / CALLS;
        t.items += (double)l->items / CALLS;
    }
    return t;
}

static void print_totals(const totals *t, double bytes) {
    printf("    %.3g launch%s, %.6g group%s, %.8g work-item%s, scratch memory of %" PRId64
           " bytes, %.8g bytes moved at least\n",
           t->launches, t->launches == 1 ? "" : "es", t->groups, t->groups == 1 ? "" : "s",
           t->items, t->items == 1 ? "" : "s", t->scratch, bytes);
}

static exit_code print_text(json_t *line) {
    char *const text = line ? json_dumps(line, JSON_COMPACT) : NULL;
    if (text) puts(text);
    free(text);
    json_decref(line);
    return text ? EXIT_OK : out_of_memory();
}

static exit_code print_json(const spec_bench *bench, const spec_bench_call *call, const char *name,
                            const sparcl_profile_line *l) {
    return print_text(json_pack("{s:s, s:o, s:I, s:s, s:b, s:f, s:f, s:f, s:f}", "op", bench->name,
                                "case", json_text(name), "n", (json_int_t)call->input->n, "command",
                                l->name, "second_variant", l->variant, "commands_per_call",
                                (double)l->count / CALLS, "device_s", l->seconds / CALLS, "groups",
                                (double)l->groups / CALLS, "work_items", (double)l->items / CALLS));
}

static exit_code print_json_totals(const spec_bench *bench, const spec_bench_call *call,
                                   const char *name, const totals *t) {
    return print_text(json_pack(
        "{s:s, s:o, s:I, s:f, s:f, s:f, s:I, s:f}", "op", bench->name, "case", json_text(name), "n",
        (json_int_t)call->input->n, "launches", t->launches, "groups", t->groups, "work_items",
        t->items, "scratch_bytes", (json_int_t)t->scratch, "least_bytes", call->bytes));
}

exit_code bench_profile_print(sparcl_ctx *ctx, const char *selector, const spec_bench *bench,
                              const spec_bench_call *call, const char *name, bool as_json) {
    sparcl_profile recorded;
    if (make_calls(ctx, bench, call, &recorded) != SPARCL_OK)
        return report_device(ctx, sparcl_ctx_error(ctx));
    totals t = add_lines(&recorded);
    exit_code code = count_scratch(ctx, selector, bench, call, &t.scratch);
    live_line_end();
    for (int i = 0; i < recorded.count && code == EXIT_OK; i++)
        if (as_json)
            code = print_json(bench, call, name, &recorded.lines[i]);
        else
            print_line(&recorded.lines[i]);
    if (code != EXIT_OK) return code;
    if (as_json)
        code = print_json_totals(bench, call, name, &t);
    else
        print_totals(&t, call->bytes);
    return code == EXIT_OK ? flush_results() : code;
}
