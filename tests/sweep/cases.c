/* cases.c: what the measurements of operations (src/spec/bench/bench.h) write for whole matrices,
 * as SHA-256.
 *
 *   cases RUNS WIDTHS FILE...   such as: cases 20 1,16,64 uniform.npz ctr.npz
 *
 * For each file, operation, rule and width a line: what it is, and the sum. Each is run RUNS times;
 * all runs must have the same sum, and the first is compared with the plain-C answers. With
 * SPARCL_TEST_SUMS_ONLY in the environment nothing is compared, which is faster: the
 * sums themselves say whether they are those of another run. */
#include "device_test.h"

#include "sparcl/data.h"
#include "sparcl/optim_text.h"
#include "spec/bench/bench.h"
#include "spec/shared/entries.h"
#include "spec/shared/rowset.h"
#include "sums.h"

enum { MAX_WIDTHS = 16 };

static int failures;

static void print_failure(const char *what, const char *why) {
    printf("FAILED %s: %s\n", what, why);
    fflush(stdout);
    ++failures;
}

/* --- answers, which are not made where only sums are expected ------------------------------------
 */

bool __real_spec_product(const spec_case *c, const spec_matrix *a, const double *b, int64_t ldb,
                         const double *old, int64_t ldc, double *order, double *truth,
                         double *bound);
bool __wrap_spec_product(const spec_case *c, const spec_matrix *a, const double *b, int64_t ldb,
                         const double *old, int64_t ldc, double *order, double *truth,
                         double *bound);
bool __real_spec_rowset_sum(spec_rowset *to, const spec_rowset *from, sparcl_dtype dtype,
                            double *truth, double *bound);
bool __wrap_spec_rowset_sum(spec_rowset *to, const spec_rowset *from, sparcl_dtype dtype,
                            double *truth, double *bound);

bool __wrap_spec_product(const spec_case *c, const spec_matrix *a, const double *b, int64_t ldb,
                         const double *old, int64_t ldc, double *order, double *truth,
                         double *bound) {
    return sums_only || __real_spec_product(c, a, b, ldb, old, ldc, order, truth, bound);
}

bool __wrap_spec_rowset_sum(spec_rowset *to, const spec_rowset *from, sparcl_dtype dtype,
                            double *truth, double *bound) {
    *to = (spec_rowset){.limit = from->limit, .width = from->width};
    return sums_only || __real_spec_rowset_sum(to, from, dtype, truth, bound);
}

/* The order of the same entries is computed once, not for each run; others of an operation have
 * another number. */
int64_t *__real_spec_entries_order(const spec_entries *e);
int64_t *__wrap_spec_entries_order(const spec_entries *e);
static int64_t *kept_order, kept_count;

static void forget_order(void) {
    free(kept_order);
    kept_order = NULL;
}

int64_t *__wrap_spec_entries_order(const spec_entries *e) {
    const size_t bytes = ((size_t)e->stored + 1) * sizeof *kept_order;
    if (kept_order && kept_count != e->stored) return __real_spec_entries_order(e);
    if (!kept_order) kept_order = __real_spec_entries_order(e);
    kept_count = e->stored;
    int64_t *const order = kept_order ? malloc(bytes) : NULL;
    if (order) memcpy(order, kept_order, bytes);
    return order;
}

/* --- a matrix from a file ----------------------------------------------------------------------
 */

static bool take(spec_matrix *m, const sparcl_data *data) {
    const sparcl_data_info *const info = sparcl_data_get_info(data);
    const bool wide = sparcl_data_index_type(data) == SPARCL_INDEX64;
    const void *const indices = sparcl_data_indices(data);
    if (!spec_matrix_alloc(m, info->rows, info->columns, info->entries)) return false;
    memcpy(m->offsets, sparcl_data_offsets(data), ((size_t)m->rows + 1) * sizeof *m->offsets);
    for (int64_t k = 0; k < m->nnz; ++k) {
        m->indices[k] = wide ? ((const int64_t *)indices)[k] : ((const int32_t *)indices)[k];
        m->values[k] = sparcl_data_values(data)[k];
    }
    return true;
}

static bool read_matrix(spec_matrix *m, const char *file) {
    const sparcl_data_desc as_it_is = {0};
    sparcl_error error = {.message = "out of memory"};
    sparcl_data *data = NULL;
    const bool done =
        sparcl_data_read(&data, file, &as_it_is, &error) == SPARCL_OK && take(m, data);
    if (!done) print_failure(file, error.message);
    sparcl_data_free(data);
    return done;
}

/* --- runs --------------------------------------------------------------------------------------
 */

static sparcl_status run_once(sparcl_ctx *ctx, const spec_bench *bench, spec_bench_call *call,
                              spec_report *report, char sum[SHA256_TEXT]) {
    sums_begin();
    sparcl_status status = spec_bench_run(ctx, bench, call);
    if (status == SPARCL_OK) status = spec_bench_check(ctx, bench, call, report);
    sums_end(sum);
    return status;
}

static void try_runs(sparcl_ctx *ctx, const spec_bench *bench, const spec_bench_input *input,
                     const char *what, int runs) {
    const bool compare = !getenv("SPARCL_TEST_SUMS_ONLY");
    char first[SHA256_TEXT] = "", sum[SHA256_TEXT];
    spec_bench_call call = {.input = input};
    spec_report report = {0};
    sparcl_status status = spec_bench_open(ctx, bench, &call);
    for (int r = 0; r < runs && status == SPARCL_OK; ++r) {
        sums_only = r > 0 || !compare;
        if (r > 0) status = spec_bench_reset(ctx, bench, &call);
        if (status == SPARCL_OK) status = run_once(ctx, bench, &call, &report, r ? sum : first);
        if (status == SPARCL_OK && r == 0 && compare && !report.equal)
            print_failure(what, report.why);
        if (status == SPARCL_OK && r > 0 && strcmp(sum, first) != 0)
            print_failure(what, "a run has another sum than the first");
    }
    if (status != SPARCL_OK) print_failure(what, sparcl_ctx_error(ctx)->message);
    spec_bench_close(&call);
    forget_order();
    if (status == SPARCL_OK) printf("%s\t%s\n", what, first);
    if (status == SPARCL_OK && compare) printf("# %s: %.2f of the bound\n", what, report.worst);
    fflush(stdout);
}

static void try_matrix(sparcl_ctx *ctx, const spec_matrix *m, const char *name, int runs,
                       const int64_t *widths, int count) {
    static const char *const rules[] = {" sgd", " momentum", " adagrad", " adam"};
    const spec_bench *b;
    for (int k = 0; (b = spec_bench_at(k)); ++k)
        for (int rule = 0; rule < (b->flags & SPEC_BENCH_RULES ? 4 : 1); ++rule)
            for (int i = 0; i < (b->flags & SPEC_BENCH_WIDTHS ? count : 1); ++i) {
                const bool has_width = b->flags & SPEC_BENCH_WIDTHS;
                spec_bench_input input = {.matrix = m, .n = has_width ? widths[i] : 1};
                sparcl_optim_init(&input.optim, (sparcl_rule)rule);
                char what[200];
                snprintf(what, sizeof what, "%s %s%s %lld", name, b->name,
                         b->flags & SPEC_BENCH_RULES ? rules[rule] : "", (long long)input.n);
                try_runs(ctx, b, &input, what, runs);
            }
}

static int read_widths(const char *text, int64_t widths[MAX_WIDTHS]) {
    int count = 0;
    char *end = NULL;
    for (; count < MAX_WIDTHS; text = end + 1) {
        widths[count] = strtoll(text, &end, 10);
        if (end == text || widths[count++] < 1) return 0;
        if (*end != ',') break;
    }
    return *end ? 0 : count;
}

int main(int argc, char **argv) {
    int64_t widths[MAX_WIDTHS];
    const int runs = argc > 3 ? atoi(argv[1]) : 0,
              count = argc > 3 ? read_widths(argv[2], widths) : 0;
    if (runs < 1 || count < 1) {
        fprintf(stderr,
                "usage: cases RUNS WIDTHS FILE..., such as: cases 20 1,16,64 uniform.npz\n");
        return 2;
    }
    sparcl_ctx *ctx = test_open();
    for (int i = 3; i < argc; ++i) {
        const char *const slash = strrchr(argv[i], '/'), *const stem = slash ? slash + 1 : argv[i];
        char name[64];
        spec_matrix m = {0};
        snprintf(name, sizeof name, "%.*s", (int)strcspn(stem, "."), stem);
        if (read_matrix(&m, argv[i])) try_matrix(ctx, &m, name, runs, widths, count);
        spec_matrix_free(&m);
    }
    sparcl_ctx_close(ctx);
    return failures > 0;
}
