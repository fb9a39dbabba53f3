/* bench_crossover.c: finds the density above which a dense product is faster than the sparse
 * one. */
#include "bench_crossover.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "bench_time.h"
#include "live_line.h"
#include "message.h"
#include "output.h"
#include "spec/shared/spec.h"
#include "svg.h"
#include "verbose.h"

enum { SIDE = CROSSOVER_SIDE, DENSITIES = 10 };
static const double densities[DENSITIES] = {0.001, 0.003, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.7, 1};
static const double turn_seconds = 0.25, batch_seconds = 0.005;

/* The measurements of one width. */
typedef struct point {
    int64_t n;
    double exact, fast; /* seconds of the dense product */
    double sparse[DENSITIES];
} point;

/* The operands of the current product. */
typedef struct product {
    sparcl_csr sparse;
    sparcl_dense full, b, c;
    sparcl_math math;
} product;

/* ---- the matrices --------------------------------------------------------------------------- */

/* A fixed number of random columns per row: each column is selected with the probability that the
 * remaining number of columns requires (Knuth, algorithm S). */
static exit_code make_sparse(spec_matrix *m, double density) {
    const int64_t per_row = (int64_t)fmax(1, round(density * SIDE));
    uint64_t seed = 1;
    if (!spec_matrix_alloc(m, SIDE, SIDE, SIDE * per_row)) return out_of_memory();
    for (int64_t r = 0, k = 0; r < SIDE; r++) {
        for (int64_t j = 0; j < SIDE; j++) {
            const int64_t expected = (r + 1) * per_row - k;
            if ((int64_t)(spec_random(&seed) % (uint64_t)(SIDE - j)) >= expected) continue;
            m->indices[k] = j;
            m->values[k++] = spec_uniform(&seed);
        }
        m->offsets[r + 1] = k;
    }
    return EXIT_OK;
}

static sparcl_status put(sparcl_ctx *ctx, sparcl_dense *to, int64_t n) {
    double *const x = spec_numbers(SIDE * n, 3);
    *to = (sparcl_dense){.rank = 2, .shape = {SIDE, n}};
    const sparcl_status status =
        x ? spec_put_reals(ctx, &to->values, x, SIDE * n, SPARCL_F32) : SPARCL_E_MEMORY;
    free(x);
    return status;
}

static void drop(product *p) {
    sparcl_csr_free(&p->sparse);
    sparcl_dense_free(&p->full);
    sparcl_dense_free(&p->b);
    sparcl_dense_free(&p->c);
}

/* ---- the times ------------------------------------------------------------------------------ */

static sparcl_status run_dense(sparcl_ctx *ctx, const void *user) {
    const product *const p = user;
    return sparcl_gemm(ctx, &p->c, 1, SPARCL_OP_N, &p->full, SPARCL_OP_N, &p->b, 0, p->math);
}

static sparcl_status run_sparse(sparcl_ctx *ctx, const void *user) {
    const product *const p = user;
    return sparcl_spmm(ctx, &p->c, 1, &p->sparse, &p->b, 0);
}

/* Several short calls are timed in flight, so that the wait for them is negligible. */
static sparcl_status time_call(sparcl_ctx *ctx, bench_work work, const product *p,
                               double *seconds) {
    static bench_times t;
    const bench_effort first = {1, 3, 0};
    sparcl_status status = bench_measure(ctx, work, p, &first, &t);
    const double one = bench_median(&t);
    const bench_effort effort = {(int)fmin(100, fmax(1, batch_seconds / fmax(one, 1e-7))), 0,
                                 turn_seconds};
    if (status == SPARCL_OK) status = bench_measure(ctx, work, p, &effort, &t);
    *seconds = bench_median(&t);
    return status;
}

static sparcl_status time_dense(sparcl_ctx *ctx, product *p, point *at) {
    sparcl_status status = put(ctx, &p->full, SIDE);
    p->math = SPARCL_MATH_EXACT;
    if (status == SPARCL_OK) status = time_call(ctx, run_dense, p, &at->exact);
    p->math = SPARCL_MATH_FAST;
    if (status == SPARCL_OK) status = time_call(ctx, run_dense, p, &at->fast);
    return status;
}

static exit_code time_density(sparcl_ctx *ctx, product *p, double density, double *seconds) {
    spec_matrix m = {0};
    exit_code code = make_sparse(&m, density);
    if (code != EXIT_OK) return code;
    sparcl_status status =
        spec_put_csr(ctx, &p->sparse, &m, SPARCL_F32, SPARCL_INDEX32, SPARCL_INDEX32);
    if (status == SPARCL_OK) status = time_call(ctx, run_sparse, p, seconds);
    if (status != SPARCL_OK) code = report_device(ctx, sparcl_ctx_error(ctx));
    sparcl_csr_free(&p->sparse);
    spec_matrix_free(&m);
    return code;
}

static exit_code time_width(sparcl_ctx *ctx, int64_t n, point *at) {
    product p = {.math = SPARCL_MATH_EXACT};
    begin_part("measuring products with %" PRId64 " columns", n);
    *at = (point){.n = n};
    sparcl_status status = put(ctx, &p.b, n);
    if (status == SPARCL_OK) status = put(ctx, &p.c, n);
    if (status == SPARCL_OK) status = time_dense(ctx, &p, at);
    exit_code code = status == SPARCL_OK ? EXIT_OK : report_device(ctx, sparcl_ctx_error(ctx));
    for (int d = 0; d < DENSITIES && code == EXIT_OK; d++)
        code = time_density(ctx, &p, densities[d], &at->sparse[d]);
    drop(&p);
    return code;
}

/* ---- the output ----------------------------------------------------------------------------- */

/* The density at which sparse and dense product take the same time, interpolated by powers; 0 where
 * the sparse product is always slower, 1 where it never is. */
static double find_crossover(const point *at, double dense) {
    if (at->sparse[0] >= dense) return 0;
    for (int d = 1; d < DENSITIES; d++) {
        if (at->sparse[d] < dense) continue;
        const double fraction =
            log(dense / at->sparse[d - 1]) / log(at->sparse[d] / at->sparse[d - 1]);
        return densities[d - 1] * pow(densities[d] / densities[d - 1], fraction);
    }
    return 1;
}

static const char *format_density(char text[NUMBER_BYTES], double density) {
    if (density <= 0)
        snprintf(text, NUMBER_BYTES, "< %g %%", 100 * densities[0]);
    else if (density >= 1)
        snprintf(text, NUMBER_BYTES, "always");
    else
        snprintf(text, NUMBER_BYTES, "%.2g %%", 100 * density);
    return text;
}

static void print_line(const point *at) {
    char exact[NUMBER_BYTES], fast[NUMBER_BYTES];
    live_line_end();
    printf("%5" PRId64 " %11.4g %11.4g %12s %12s\n", at->n, 1e3 * at->exact, 1e3 * at->fast,
           format_density(exact, find_crossover(at, at->exact)),
           format_density(fast, find_crossover(at, at->fast)));
    fflush(stdout);
}

static exit_code print_json(const sparcl_ctx *ctx, const point *at) {
    json_t *const tried = json_array(), *const seconds = json_array();
    for (int d = 0; d < DENSITIES; d++) {
        json_array_append_new(tried, json_real(densities[d]));
        json_array_append_new(seconds, json_real(at->sparse[d]));
    }
    json_t *const object = json_pack(
        "{s:s, s:i, s:I, s:o, s:s, s:f, s:f, s:f, s:f, s:o, s:o}", "op", "crossover", "side",
        (int)SIDE, "n", (json_int_t)at->n, "device", json_text(sparcl_ctx_device(ctx)->name),
        "variant", sparcl_ctx_device(ctx)->device_class == SPARCL_CLASS_GPU ? "gpu" : "cpu",
        "crossover_exact", find_crossover(at, at->exact), "crossover_fast",
        find_crossover(at, at->fast), "exact_s", at->exact, "fast_s", at->fast, "density", tried,
        "sparse_s", seconds);
    if (!object) return out_of_memory();
    live_line_end();
    json_dumpf(object, stdout, JSON_COMPACT);
    printf("\n");
    json_decref(object);
    return flush_results();
}

/* A plot for each width: milliseconds by density. */
static exit_code draw(const char *path, const point *points, int count) {
    static double sparse[CROSSOVER_WIDTHS][DENSITIES], ends[2], flat[CROSSOVER_WIDTHS][2][2];
    static svg_series series[CROSSOVER_WIDTHS][3];
    static svg_plot plots[CROSSOVER_WIDTHS];
    static char titles[CROSSOVER_WIDTHS][80];
    out_file out;
    const exit_code code = out_open(&out, path);
    if (code != EXIT_OK) return code;
    ends[0] = densities[0];
    ends[1] = densities[DENSITIES - 1];
    for (int i = 0; i < count; i++) {
        for (int d = 0; d < DENSITIES; d++)
            sparse[i][d] = 1e3 * points[i].sparse[d];
        flat[i][0][0] = flat[i][0][1] = 1e3 * points[i].exact;
        flat[i][1][0] = flat[i][1][1] = 1e3 * points[i].fast;
        series[i][0] = (svg_series){"sparse", densities, sparse[i], DENSITIES};
        series[i][1] = (svg_series){"dense, exact", ends, flat[i][0], 2};
        series[i][2] = (svg_series){"dense, fast (CLBlast)", ends, flat[i][1], 2};
        snprintf(titles[i], sizeof titles[i], "A B, A of %d x %d, B of %" PRId64 " columns",
                 (int)SIDE, (int)SIDE, points[i].n);
        plots[i] = (svg_plot){titles[i], "density of A", "ms", series[i], 3, 0, 0};
    }
    svg_write(out.file, plots, count);
    return out_close(&out, true);
}

exit_code bench_crossover(sparcl_ctx *ctx, const crossover_options *options) {
    static point points[CROSSOVER_WIDTHS];
    exit_code code = EXIT_OK;
    live_line_end();
    if (!options->json)
        printf("%5s %11s %11s %12s %12s\n", "n", "exact ms", "fast ms", "until", "until, fast");
    for (int i = 0; i < options->count && code == EXIT_OK; i++) {
        code = time_width(ctx, options->widths[i], &points[i]);
        if (code != EXIT_OK) break;
        if (options->json)
            code = print_json(ctx, &points[i]);
        else
            print_line(&points[i]);
    }
    if (code == EXIT_OK) code = flush_results();
    return code == EXIT_OK && options->svg ? draw(options->svg, points, options->count) : code;
}
