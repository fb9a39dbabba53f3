/* tune_case.c: the input for timing each tunable and class. The sizes are in the middle of a class,
 * and such that the candidates make a difference. */
#include "tune_case.h"
#include "sparcl/context.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Columns of a class of widths, and bytes of a class of sizes, in the order of their names. */
static const int64_t widths[] = {1, 4, 16, 64};
static const int64_t sizes[] = {1 << 20, 8 << 20, 64 << 20};
enum { ENTRY_LIMIT = 1 << 20, WORK = 1 << 24, PER_ROW = 8 };

static int64_t minimum(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static void uniform(tune_case *c, int64_t rows, int64_t cols, int64_t per_row) {
    snprintf(c->matrix, sizeof c->matrix, "uniform:%" PRId64 "x%" PRId64 "x%" PRId64, rows, cols,
             per_row);
}

/* B has sizes[i] bytes. */
static void for_rows_of_b(tune_case *c, int i) {
    c->n = widths[1 + i / 3];
    uniform(c, minimum(ENTRY_LIMIT, WORK / c->n) / PER_ROW, sizes[i % 3] / 4 / c->n, PER_ROW);
}

/* The result has sizes[i] bytes, and B fits in the cache of a core. */
static void for_results(tune_case *c, int i) {
    c->n = 16;
    uniform(c, sizes[i] / 4 / c->n, 4096, 4);
}

/* A column of 64 KiB. */
static void for_near_columns(tune_case *c, int i) {
    (void)i;
    c->n = 1;
    uniform(c, 4096, 1 << 14, 50);
}

/* Small, medium and large products, by rows, entries and 16 columns. */
static void for_work(tune_case *c, int i) {
    static const int64_t rows[] = {100, 600, 16000};
    c->n = 16;
    uniform(c, rows[i], 2048, PER_ROW);
}

/* Updates a quarter of the rows of a table of 32 MB. */
static void for_tables(tune_case *c, int i) {
    c->n = widths[i];
    const int64_t rows = minimum(1 << 21, (32 << 20) / 4 / c->n);
    uniform(c, rows / 4 / PER_ROW, rows, PER_ROW);
}

/* Rows of 16 elements. */
static void for_some_rows(tune_case *c, int i) {
    static const int64_t rows[] = {1000, 6000, 40000};
    c->n = 16;
    uniform(c, rows[i] / PER_ROW, 8 * rows[i], PER_ROW);
}

/* Items of 8 bytes; for the smallest class the maximum, so that several cores are used. */
static void for_items(tune_case *c, int i) {
    static const int64_t items[] = {250000, 1 << 20, 1 << 22};
    c->n = 1;
    uniform(c, items[i] / PER_ROW, 100000, PER_ROW);
}

/* About as many items as a single core sorts. The tunable has less effect on a reorder than on a
 * transpose. */
static void for_few_items(tune_case *c, int i) {
    (void)i;
    c->n = 1;
    uniform(c, 12500, 10000, PER_ROW);
}

static void for_selections(tune_case *c, int i) {
    (void)i;
    c->n = 1;
    uniform(c, 20000, 10000, 10);
}

static void for_graphs(tune_case *c, int i) {
    (void)i;
    c->n = 16;
    snprintf(c->matrix, sizeof c->matrix, "rmat:14:16");
}

/* The transposed result has sizes[i] bytes; six of ten rows have no entry. */
static void for_absent_rows(tune_case *c, int i) {
    c->n = 16;
    const int64_t rows = sizes[i] / 4 / c->n;
    uniform(c, rows / 2 / PER_ROW, rows, PER_ROW);
}

static void for_some_entries(tune_case *c, int i) {
    (void)i;
    c->n = 1;
    uniform(c, 2000, 4000, PER_ROW);
}

/* A B of 29 MB, whose rows are read ten times. */
static void for_large_b(tune_case *c, int i) {
    (void)i;
    c->n = 128;
    uniform(c, 60000, 60000, 10);
}

/* A mini-batch. */
static void for_batches(tune_case *c, int i) {
    (void)i;
    c->n = 16;
    uniform(c, 1000, 5000, 50);
}

/* Columns of 40 entries. */
static void for_columns(tune_case *c, int i) {
    (void)i;
    c->n = 16;
    uniform(c, 20000, 10000, 20);
}

typedef struct plan {
    const char *tunable, *bench;
    void (*make)(tune_case *c, int i);
} plan;

static const plan plans[] = {
    {"spmm.prefetch", "spmm", for_rows_of_b},
    {"spmm.stream", "spmm", for_results},
    {"spmm.no_gather", "spmm", for_near_columns},
    {"spmm.pack", "spmm", for_large_b},
    {"product.grain", "spmm", for_work},
    {"rows.prefetch", "step", for_tables},
    {"rows.grain", "step", for_some_rows},
    {"sort.buckets", "reorder", for_items},
    {"sort.bucket_items", "reorder", for_items},
    {"sort.digit_bits", "reorder", for_items},
    {"sort.serial_items", "transpose", for_few_items},
    {"sort.stream", "reorder", for_items},
    {"scan.grain", "reorder", for_selections},
    {"select.grain", "select-rows", for_selections},
    {"workers", "spmm", for_graphs},
    {"spmm_t.fill", "spmm-t", for_absent_rows},
    {"spmm_t.direct", "spmm-t-rows", for_batches},
    {"spmm_t.scatter", "matmul-csc", for_columns},
    {"elementwise.grain", "convert", for_some_entries},
    {"elementwise.groups", "convert", for_some_entries},
};

static const spec_bench *find_bench(const char *name) {
    const spec_bench *b;
    for (int i = 0; (b = spec_bench_at(i)); i++)
        if (strcmp(b->name, name) == 0) break;
    return b;
}

bool tune_case_of(const sparcl_ctx *ctx, int tunable, int input_class, tune_case *c) {
    const sparcl_tunable *const about = sparcl_tune_at(tunable);
    if (about->kernels != SPARCL_CLASS_AUTO && about->kernels != sparcl_ctx_class(ctx))
        return false;
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        if (strcmp(plans[i].tunable, about->name) != 0) continue;
        c->bench = find_bench(plans[i].bench);
        plans[i].make(c, input_class);
        return c->bench != NULL;
    }
    return false;
}
