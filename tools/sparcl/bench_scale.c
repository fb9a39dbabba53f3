/* bench_scale.c: measures how time and scratch memory grow with the number of entries and of
 * ids. */
#include "bench_scale.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench_matrix.h"
#include "bench_time.h"
#include "live_line.h"
#include "message.h"
#include "open_device.h"
#include "output.h"
#include "svg.h"
#include "verbose.h"

enum { PER_ROW = 10, STEPS = 6, MAX_BENCHES = 32 };

/* Numbers of entries, with a tenth as many ids; and numbers of ids, with a million entries. */
static const int64_t entries_steps[STEPS] = {10000,    100000,    1000000,
                                             10000000, 100000000, 200000000};
static const int64_t ids_steps[STEPS] = {1000, 10000, 100000, 1000000, 10000000, 100000000};
static const int64_t default_entries = 1000000;
/* Larger results are not compared with plain C, which would take longer than everything else. */
static const int64_t max_checked = 1000000;
static const double turn_seconds = 0.5;

/* Of one operation: nanoseconds and scratch bytes per entry. */
typedef struct curve {
    double x[STEPS], time[STEPS], scratch[STEPS];
    int count;
} curve;

typedef struct scale {
    const scale_options *options;
    const spec_bench *benches[MAX_BENCHES];
    int count;
    curve by_entries[MAX_BENCHES], by_ids[MAX_BENCHES];
} scale;

/* ---- memory --------------------------------------------------------------------------------- */

/* Host memory that is available without paging: Linux reports it more precisely than POSIX. */
static double available_bytes(void) {
    char line[128];
    double kib = 0;
    FILE *const file = fopen("/proc/meminfo", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %lf", &kib) == 1) break;
    if (file) fclose(file);
    return kib > 0 ? kib * 1024
                   : (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / 2;
}

/* The approximate memory of a case, on a device that shares memory with the host: the matrix on the
 * host and in several formats on the device, and dense operands in float on the device and in
 * double on the host.
 */
static bool fits(int64_t entries, int64_t ids, int64_t n) {
    const double matrix = 72.0 * (double)entries;
    const double dense = 24.0 * (double)n * (double)(entries / PER_ROW + ids);
    return matrix + dense < 0.8 * available_bytes();
}

/* ---- one operation on one matrix --------------------------------------------------------------
 */

typedef struct work {
    const spec_bench *bench;
    spec_bench_call *call;
} work;

static sparcl_status run_once(sparcl_ctx *ctx, const void *user) {
    const work *const w = user;
    return spec_bench_run(ctx, w->bench, w->call);
}

static exit_code failed(sparcl_ctx *ctx, sparcl_status status) {
    return status == SPARCL_E_MEMORY && sparcl_ctx_error(ctx)->status == SPARCL_OK
               ? out_of_memory()
               : report_device(ctx, sparcl_ctx_error(ctx));
}

static exit_code check(sparcl_ctx *ctx, const work *w, const char *name) {
    spec_report found;
    const sparcl_status status = spec_bench_check(ctx, w->bench, w->call, &found);
    if (status != SPARCL_OK) return failed(ctx, status);
    if (found.equal) return EXIT_OK;
    print_error("%s, %s: the result is wrong: %s", w->bench->name, name, found.why);
    return EXIT_SELF_TEST;
}

/* The first call allocates all scratch memory that the operation needs. */
static exit_code measure(sparcl_ctx *ctx, const scale *s, const work *w, const char *name,
                         bench_times *times, int64_t *scratch) {
    const bench_effort effort = {.in_flight = 1, .seconds = turn_seconds};
    const int64_t before = sparcl_ctx_memory(ctx);
    sparcl_status status = run_once(ctx, w);
    *scratch = sparcl_ctx_memory(ctx) - before;
    if (status != SPARCL_OK) return failed(ctx, status);
    const bool checked = !s->options->no_check && w->call->input->matrix->nnz <= max_checked;
    const exit_code code = checked ? check(ctx, w, name) : EXIT_OK;
    if (code != EXIT_OK) return code;
    status = bench_measure(ctx, run_once, w, &effort, times);
    return status == SPARCL_OK ? EXIT_OK : failed(ctx, status);
}

static exit_code print(sparcl_ctx *ctx, const scale *s, const work *w, const bench_matrix *m,
                       const bench_times *t, int64_t scratch) {
    const double middle = bench_median(t), entries = (double)m->matrix.nnz;
    live_line_end();
    if (!s->options->json) {
        printf("%-14s %10" PRId64 " %10" PRId64 " %5" PRId64 " %11.4g %10.3g %10.3g\n",
               w->bench->name, m->matrix.nnz, m->matrix.cols, w->call->input->n, middle * 1e3,
               middle * 1e9 / entries, (double)scratch / entries);
        return flush_results();
    }
    json_t *const line = json_pack(
        "{s:s, s:s, s:I, s:I, s:I, s:o, s:f, s:f, s:f, s:i, s:f, s:I, s:f}", "op", w->bench->name,
        "case", m->name, "n", (json_int_t)w->call->input->n, "entries", (json_int_t)m->matrix.nnz,
        "ids", (json_int_t)m->matrix.cols, "device", json_text(sparcl_ctx_device(ctx)->name),
        "median_s", middle, "min_s", t->seconds[0], "p95_s", bench_p95(t), "repeat", t->count,
        "ns_per_entry", middle * 1e9 / entries, "scratch_bytes", (json_int_t)scratch,
        "scratch_bytes_per_entry", (double)scratch / entries);
    char *const text = line ? json_dumps(line, JSON_COMPACT) : NULL;
    if (text) puts(text);
    free(text);
    json_decref(line);
    return text ? flush_results() : out_of_memory();
}

static void add_point(curve *c, double x, double seconds, double scratch, double entries) {
    c->x[c->count] = x;
    c->time[c->count] = seconds * 1e9 / entries;
    c->scratch[c->count++] = scratch / entries;
}

/* In a new context, so that there is no scratch memory of earlier cases. */
static exit_code time_case(const scale *s, const spec_bench *bench, const bench_matrix *m, curve *c,
                           bool by_ids) {
    static bench_times t;
    const bool has_width = bench->flags & SPEC_BENCH_WIDTHS;
    const spec_bench_input input = {&m->matrix, has_width ? s->options->n : 1, s->options->optim};
    spec_bench_call call = {.input = &input};
    const work w = {bench, &call};
    int64_t scratch = 0;
    sparcl_ctx *ctx = NULL;
    exit_code code = open_device(s->options->device, &ctx);
    if (code != EXIT_OK) return code;
    begin_part("measuring %s, %s", bench->name, m->name);
    const sparcl_status status = spec_bench_open(ctx, bench, &call);
    code = status == SPARCL_OK ? measure(ctx, s, &w, m->name, &t, &scratch) : failed(ctx, status);
    if (code == EXIT_OK) code = print(ctx, s, &w, m, &t, scratch);
    if (code == EXIT_OK)
        add_point(c, (double)(by_ids ? m->matrix.cols : m->matrix.nnz), bench_median(&t),
                  (double)scratch, (double)m->matrix.nnz);
    spec_bench_close(&call);
    sparcl_ctx_close(ctx);
    return code;
}

/* ---- all sizes --------------------------------------------------------------------------------
 */

static exit_code time_step(scale *s, int64_t entries, int64_t ids, bool by_ids) {
    char description[64];
    bench_matrix m;
    snprintf(description, sizeof description, "uniform:%" PRId64 "x%" PRId64 "x%d",
             entries / PER_ROW, ids, (int)PER_ROW);
    if (!fits(entries, ids, s->options->n)) {
        print_note("%s is skipped: there is not enough free memory for it", description);
        return EXIT_OK;
    }
    exit_code code = bench_matrix_open(&m, NULL, description);
    for (int b = 0; b < s->count && code == EXIT_OK; b++)
        code = time_case(s, s->benches[b], &m, by_ids ? &s->by_ids[b] : &s->by_entries[b], by_ids);
    bench_matrix_close(&m);
    return code;
}

/* The number of entries where the number of ids grows. */
static int64_t entries_of_ids(const scale *s) {
    return default_entries < s->options->maximum ? default_entries : s->options->maximum;
}

static exit_code time_steps(scale *s) {
    exit_code code = EXIT_OK;
    live_line_end();
    if (!s->options->json)
        printf("%-14s %10s %10s %5s %11s %10s %10s\n", "op", "entries", "ids", "n", "median ms",
               "ns/entry", "scratch B");
    for (int i = 0; i < STEPS && entries_steps[i] <= s->options->maximum && code == EXIT_OK; i++)
        code = time_step(s, entries_steps[i], entries_steps[i] / PER_ROW, false);
    const int64_t entries = entries_of_ids(s);
    for (int i = 0; i < STEPS && ids_steps[i] <= s->options->maximum && code == EXIT_OK; i++)
        code = time_step(s, entries, ids_steps[i], true);
    return code;
}

static void fill_series(const scale *s, const curve *curves, bool scratch, svg_series *series) {
    for (int b = 0; b < s->count; b++)
        series[b] = (svg_series){s->benches[b]->name, curves[b].x,
                                 scratch ? curves[b].scratch : curves[b].time, curves[b].count};
}

static exit_code draw(const scale *s) {
    svg_series series[3][MAX_BENCHES];
    char title[64];
    snprintf(title, sizeof title, "Time, %" PRId64 " entries", entries_of_ids(s));
    fill_series(s, s->by_entries, false, series[0]);
    fill_series(s, s->by_entries, true, series[1]);
    fill_series(s, s->by_ids, false, series[2]);
    const svg_plot plots[] = {
        {"Time, ten entries per row, a tenth as many ids", "entries", "ns per entry", series[0],
         s->count, 0, 0},
        {"Scratch memory, the same", "entries", "bytes per entry", series[1], s->count, 0, 0},
        {title, "ids", "ns per entry", series[2], s->count, 0, 0}};
    out_file out;
    const exit_code code = out_open(&out, s->options->svg);
    if (code != EXIT_OK) return code;
    svg_write(out.file, plots, 3);
    return out_close(&out, true);
}

/* Without an operation: those of a training step, as more curves are not legible. */
static bool is_of_training(const spec_bench *bench) {
    static const char *const names[] = {"spmm",        "spmm-t",  "spmm-t-rows", "pattern",
                                        "transpose",   "reorder", "coalesce",    "convert",
                                        "select-rows", "bag",     "step",        "dedupe-step"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(bench->name, names[i]) == 0) return true;
    return false;
}

exit_code bench_scale(const scale_options *options) {
    static scale s;
    s = (scale){.options = options};
    if (options->only) s.benches[s.count++] = options->only;
    const spec_bench *b;
    for (int i = 0; !options->only && (b = spec_bench_at(i)); i++)
        if (s.count < MAX_BENCHES && is_of_training(b)) s.benches[s.count++] = b;
    const exit_code code = time_steps(&s);
    return code == EXIT_OK && options->svg ? draw(&s) : code;
}
