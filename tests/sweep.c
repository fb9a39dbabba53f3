/* sweep.c: every case of the ops named on the command line (all, without names) against the plain-C
 * answers, bit for bit. */
#include "device_test.h"

#include <sys/wait.h>
#include <unistd.h>

#include "spec/spec.h"

/* A case whose expected output is wrong everywhere is enough to see a few times. */
#define MOST_FAILURES 20

typedef enum outcome { PASSED, FAILED, LEFT_OUT } outcome;

static bool is_named(const char *name, int argc, char **argv) {
    for (int i = 1; i < argc; ++i)
        if (strcmp(argv[i], name) == 0) return true;
    return argc < 2;
}

static outcome try_case(sparcl_ctx *ctx, const spec_op *op, int i, const spec_case *c,
                        double *worst) {
    char text[256];
    spec_report report = {0};
    if (c->dtype == SPARCL_F64 && !sparcl_ctx_device(ctx)->has_f64) return LEFT_OUT;
    spec_case_text(op, c, text, sizeof text);
    const sparcl_status status = op->check(ctx, c, &report);
    if (report.worst > *worst) *worst = report.worst;
    if (status == SPARCL_OK && report.equal) return PASSED;
    printf("FAILED case %d, %s\n  %s\n", i, text,
           status == SPARCL_OK ? report.why : sparcl_ctx_error(ctx)->message);
    fflush(stdout);
    return FAILED;
}

/*
 * Under a simulator each case has a process of its own: Oclgrind 21.10 gives a new buffer the
 * number of a freed one and goes on with the freed one's record of what was initialised, at its
 * size, so that the rest of a larger buffer counts as uninitialised for ever.
 */
static outcome try_alone(const spec_op *op, int i, const spec_case *c) {
    int code = 0;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        double worst = 0;
        sparcl_ctx *ctx = test_open();
        const outcome result = try_case(ctx, op, i, c, &worst);
        sparcl_ctx_close(ctx);
        exit((int)result);
    }
    if (child < 0 || waitpid(child, &code, 0) != child || !WIFEXITED(code)) {
        printf("FAILED case %d: its process was ended by a signal\n", i);
        return FAILED;
    }
    if (WEXITSTATUS(code) == EXIT_SKIPPED) exit(EXIT_SKIPPED);
    return (outcome)WEXITSTATUS(code);
}

/* SPARCL_TEST_EVERY=N: only one case in N, for implementations that take minutes for all. Which, a
 * hash decides: the specs choose types and variants by i % 2, i % 3, ..., and a stride would meet
 * the same ones for ever. SPARCL_TEST_CASE=I: case I alone. */
static bool is_chosen(int i) {
    const char *only = getenv("SPARCL_TEST_CASE");
    if (only) return i == atoi(only);
    const char *every = getenv("SPARCL_TEST_EVERY");
    const int n = every ? atoi(every) : 1;
    return n <= 1 || ((uint32_t)i * 2654435761u >> 16) % (uint32_t)n == 0;
}

static void sweep(sparcl_ctx *ctx, const spec_op *op, int counts[3]) {
    spec_case c;
    double worst = 0;
    for (int i = 0; op->get_case(i, test_is_small(), &c) && counts[FAILED] < MOST_FAILURES; ++i)
        if (is_chosen(i)) ++counts[ctx ? try_case(ctx, op, i, &c, &worst) : try_alone(op, i, &c)];
    if (ctx) printf("%-16s worst error %.2f of the bound\n", op->name, worst);
}

int main(int argc, char **argv) {
    sparcl_ctx *ctx = test_is_small() ? NULL : test_open();
    int counts[3] = {0};
    for (const spec_op *const *op = spec_ops; *op; ++op)
        if (is_named((*op)->name, argc, argv)) sweep(ctx, *op, counts);
    if (counts[LEFT_OUT]) printf("%d cases left out: this device has no f64\n", counts[LEFT_OUT]);
    printf("%d passed, %d failed\n", counts[PASSED], counts[FAILED]);
    sparcl_ctx_close(ctx);
    return counts[FAILED] > 0 || counts[PASSED] == 0;
}
