/* bench_report.c: prints a measurement of 'sparcl bench' as a line of a table or of JSON. */
#include "bench_report.h"

#include <inttypes.h>
#include <stdlib.h>

#include "limits.h"
#include "live_line.h"
#include "message.h"
#include "output.h"
#include "sparcl/model.h"
#include "sparcl/optim_text.h"
#include "variant.h"

/* The name of an operation and its optimizer: "step adam". */
static void name_of(char *text, size_t size, const spec_bench *bench, const spec_bench_call *call) {
    char optimizer[SPARCL_OPTIM_TEXT] = "";
    if (bench->flags & SPEC_BENCH_RULES) sparcl_optim_print(&call->input->optim, optimizer);
    snprintf(text, size, "%s%s%s", bench->name, optimizer[0] ? " " : "", optimizer);
}

static json_t *describe(sparcl_ctx *ctx, const bench_line *l) {
    char variant[VARIANT_BYTES];
    const double middle = bench_median(l->times), rate = l->call->bytes / middle;
    json_t *const line = json_pack(
        "{s:s, s:o, s:I, s:o, s:f, s:f, s:f, s:i, s:f, s:f, s:o, s:s, s:b}", "op", l->bench->name,
        "case", json_text(l->name), "n", (json_int_t)l->call->input->n, "device",
        json_text(sparcl_ctx_device(ctx)->name), "median_s", middle, "min_s", l->times->seconds[0],
        "p95_s", bench_p95(l->times), "repeat", l->times->count, "gflops",
        l->call->flops / middle / 1e9, "gbytes_per_s", rate / 1e9, "fraction_of_limit",
        json_number(rate / l->limit), "variant", variant_text(ctx, variant), "queued", l->queued);
    if (line && (l->bench->flags & SPEC_BENCH_RULES)) {
        char optimizer[SPARCL_OPTIM_TEXT];
        sparcl_optim_print(&l->call->input->optim, optimizer);
        json_object_set_new(line, "optimizer", json_string(optimizer));
    }
    return line;
}

static exit_code print_json(sparcl_ctx *ctx, const bench_line *l) {
    json_t *const line = describe(ctx, l);
    char *const text = line ? json_dumps(line, JSON_COMPACT) : NULL;
    live_line_end();
    if (text) puts(text);
    free(text);
    json_decref(line);
    return text ? flush_results() : out_of_memory();
}

/* Once for all lines. */
static void note_caches(const bench_line *l, double rate) {
    static bool is_said;
    if (is_said || !(rate > l->limit)) return;
    is_said = true;
    print_note(LIMITS_NOTE ": the arrays of this case are small");
}

exit_code bench_report(sparcl_ctx *ctx, const bench_line *l, bool as_json) {
    const double middle = bench_median(l->times), rate = l->call->bytes / middle;
    char name[SPARCL_OPTIM_TEXT + 40];
    note_caches(l, rate);
    if (as_json) return print_json(ctx, l);
    live_line_end();
    name_of(name, sizeof name, l->bench, l->call);
    printf("%-27s %-28s %5" PRId64 " %10.4g %10.4g %10.4g %6d %9.4g %9.4g %8.2f\n", name, l->name,
           l->call->input->n, middle * 1e3, l->times->seconds[0] * 1e3, bench_p95(l->times) * 1e3,
           l->times->count, l->call->flops / middle / 1e9, rate / 1e9, rate / l->limit);
    return flush_results();
}

void bench_print_heading(void) {
    live_line_end();
    printf("%-27s %-28s %5s %10s %10s %10s %6s %9s %9s %8s\n", "op", "case", "n", "median ms",
           "min ms", "p95 ms", "repeat", "GFlop/s", "GB/s", "of limit");
}
