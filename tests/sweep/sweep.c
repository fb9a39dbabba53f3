/* sweep.c: every case of the ops named on the command line (all, without names) against the plain-C
 * answers, bit for bit. The SHA-256 of what an op writes in all its cases stands in sweep.sha256.
 */
#include "sweep.h"

#include "device_test.h"
#include "sparcl/probe.h"
#include "spec/shared/spec.h"
#include "sums.h"

/* A case whose expected output is wrong everywhere is enough to see a few times. */
#define MAX_FAILURES 20

typedef enum outcome { PASSED, FAILED, LEFT_OUT } outcome;

const char *sweep_case = "";

static bool is_named(const char *name, int argc, char **argv) {
    for (int i = 1; i < argc; ++i)
        if (strcmp(argv[i], name) == 0) return true;
    return argc < 2;
}

/* SPARCL_TEST_SUMS=FILE: a line for each case: op, number, sum, what it is. */
static void print_sum(const spec_op *op, int i, const char *text, const char *sum) {
    const char *const path = getenv("SPARCL_TEST_SUMS");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (path && !file) {
        fprintf(stderr, "SPARCL_TEST_SUMS: %s cannot be written\n", path);
        exit(1);
    }
    if (!file) return;
    fprintf(file, "%s\t%d\t%s\t%s\n", op->name, i, sum, text);
    fclose(file);
}

/* What an op's cases have given: the worst error, and the sums of both types. */
typedef struct results {
    double worst;
    sha256 sums[2];
    int cases[2];
    bool left_out; /* one with subnormal numbers: the sums are not those of all cases */
} results;

/* The device flushes subnormal numbers to 0. Probed once; not under a simulator. */
static bool flushes = false;

static void find_flushes(sparcl_ctx *ctx) {
    sparcl_probe probe;
    if (sparcl_ctx_probe(ctx, &probe) != SPARCL_OK) {
        fprintf(stderr, "%s\n", sparcl_ctx_error(ctx)->message);
        exit(1);
    }
    flushes = probe.flushes_inputs || probe.flushes_results;
}

/* SPARCL_TEST_REPEAT=N: each case N times; the second and later ones are not compared with the
 * plain-C answers, but have the sum of the first, or this one fails. */
static bool repeat_case(sparcl_ctx *ctx, const spec_op *op, const spec_case *c, const char *first,
                        spec_report *report) {
    const char *const times = getenv("SPARCL_TEST_REPEAT");
    for (int run = 1; times && run < atoi(times) && report->equal; ++run) {
        char sum[SHA256_TEXT];
        spec_report again = {0};
        sums_only = true;
        sums_begin();
        const sparcl_status status = spec_check(ctx, op, c, &again);
        sums_end(sum);
        sums_only = false;
        if (status != SPARCL_OK) return false;
        report->equal = strcmp(sum, first) == 0;
        snprintf(report->why, sizeof report->why, "the sum of run %d is %s, of the first %s",
                 run + 1, sum, first);
    }
    return true;
}

static outcome try_case(sparcl_ctx *ctx, const spec_op *op, int i, const spec_case *c, results *r) {
    char text[256], sum[SHA256_TEXT];
    spec_report report = {0};
    if (c->dtype == SPARCL_F64 && !sparcl_ctx_device(ctx)->has_f64) return LEFT_OUT;
    if (c->subnormal && flushes) {
        r->left_out = true;
        return LEFT_OUT;
    }
    spec_case_text(op, c, text, sizeof text);
    sweep_case = text;
    sums_begin();
    bool done = spec_check(ctx, op, c, &report) == SPARCL_OK;
    sums_end(sum);
    done = done && repeat_case(ctx, op, c, sum, &report);
    sweep_case = "";
    print_sum(op, i, text, sum);
    sha256_add(&r->sums[c->dtype == SPARCL_F64], sum, sizeof sum);
    ++r->cases[c->dtype == SPARCL_F64];
    if (report.worst > r->worst) r->worst = report.worst;
    if (done && report.equal) return PASSED;
    printf("FAILED case %d, %s\n  %s\n", i, text,
           done ? report.why : sparcl_ctx_error(ctx)->message);
    fflush(stdout);
    return FAILED;
}

/* SPARCL_TEST_CASE=I: only case I. SPARCL_TEST_EVERY=N and SPARCL_TEST_PART=P: part P of N. */
static bool is_part(int i, int every) {
    const char *const only = getenv("SPARCL_TEST_CASE"), *const part = getenv("SPARCL_TEST_PART");
    return only ? i == atoi(only) : test_is_chosen(i, every, part ? atoi(part) : 0);
}

/* SPARCL_TEST_TYPES: narrow, only cases whose numbers and indices all have 32 bits, which need a
 * quarter of the programs; wide, 64 bits; ends, either of these. An operation without wide cases
 * keeps all. */
static bool is_wide(const spec_case *c) {
    return c->dtype == SPARCL_F64 && c->index_type == SPARCL_INDEX64;
}

static bool is_narrow(const spec_case *c) {
    return c->dtype != SPARCL_F64 && c->index_type != SPARCL_INDEX64 &&
           c->offset_type != SPARCL_INDEX64;
}

static bool has_wide_cases(const spec_op *op) {
    spec_case c;
    for (int i = 0; op->get_case(i, test_is_small(), &c); ++i)
        if (is_wide(&c)) return true;
    return false;
}

static bool has_types(const spec_op *op, const spec_case *c) {
    const char *const types = getenv("SPARCL_TEST_TYPES");
    if (!types || !has_wide_cases(op)) return true;
    return (is_narrow(c) && strcmp(types, "wide") != 0) ||
           (is_wide(c) && strcmp(types, "narrow") != 0);
}

/* One case in how many: more of an operation with few cases, so that some are left. The parts of
 * tools/dev/prove (SPARCL_TEST_LAUNCHES) may be empty. */
static int every_of(const spec_op *op) {
    enum { FEW = 4 };
    int every = test_every();
    for (; every > 1 && !getenv("SPARCL_TEST_LAUNCHES"); every /= 2) {
        spec_case c;
        int count = 0;
        for (int i = 0; count < FEW && op->get_case(i, test_is_small(), &c); ++i)
            count += is_part(i, every) && has_types(op, &c);
        if (count == FEW) break;
    }
    return every;
}

/* The sum that sweep.sha256 has for a name; false where it has none. */
static bool find_expected(const char *name, char expected[SHA256_TEXT]) {
    char has[80];
    bool found = false;
    FILE *const file = fopen(SWEEP_SUMS, "r");
    while (file && !found && fscanf(file, "%64s %79s", expected, has) == 2)
        found = strcmp(has, name) == 0;
    if (file) fclose(file);
    if (!found) snprintf(expected, SHA256_TEXT, "none");
    return found;
}

/* The same op, cases and type have the same sum on every device, and in every version. */
static outcome compare_sum(const char *op, const char *type, sha256 *sum) {
    char name[80], found[SHA256_TEXT], expected[SHA256_TEXT] = "none";
    snprintf(name, sizeof name, "%s-%s", op, type);
    sha256_end(sum, found);
    printf("sha256 %s %s\n", found, name);
    if (find_expected(name, expected) && strcmp(found, expected) == 0) return PASSED;
    printf(
        "FAILED %s: the sum of all results is %s, expected %s of %s; docs/testing.md says how to "
        "write it anew where cases or numbers were changed on purpose\n",
        name, found, expected, SWEEP_SUMS);
    return FAILED;
}

/* The sums are those of all cases with the large shapes. */
static bool is_whole(void) {
    return !test_is_small() && !getenv("SPARCL_TEST_CASE") && !getenv("SPARCL_TEST_EVERY") &&
           !getenv("SPARCL_TEST_TYPES");
}

static void sweep(sparcl_ctx *ctx, const spec_op *op, int counts[3]) {
    spec_case c;
    results r = {0};
    const int failed = counts[FAILED];
    const int every = every_of(op);
    sha256_begin(&r.sums[0]);
    sha256_begin(&r.sums[1]);
    for (int i = 0; op->get_case(i, test_is_small(), &c) && counts[FAILED] < MAX_FAILURES; ++i)
        if (is_part(i, every) && has_types(op, &c)) ++counts[try_case(ctx, op, i, &c, &r)];
    printf("%-16s worst error %.2f of the bound\n", op->name, r.worst);
    if (!is_whole() || r.left_out || counts[FAILED] > failed) return;
    for (int type = 0; type < 2; ++type)
        if (r.cases[type] > 0 &&
            compare_sum(op->name, type ? "f64" : "f32", &r.sums[type]) == FAILED)
            ++counts[FAILED];
}

static int list(void) {
    for (const spec_op *const *op = spec_ops; *op; ++op)
        puts((*op)->name);
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "--list") == 0) return list();
    sparcl_ctx *ctx = test_open();
    int counts[3] = {0};
    if (!test_is_small()) find_flushes(ctx);
    for (const spec_op *const *op = spec_ops; *op; ++op)
        if (is_named((*op)->name, argc, argv)) sweep(ctx, *op, counts);
    if (counts[LEFT_OUT])
        printf("%d cases left out: this device has no f64, or flushes subnormal numbers\n",
               counts[LEFT_OUT]);
    printf("%d passed, %d failed\n", counts[PASSED], counts[FAILED]);
    sparcl_ctx_close(ctx);
    /* A part of tools/dev/prove may have no case of one operation; else nothing tried is nothing
     * shown. */
    return counts[FAILED] > 0 || (counts[PASSED] == 0 && !getenv("SPARCL_TEST_LAUNCHES"));
}
