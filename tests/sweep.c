/* sweep.c: every case of the ops named on the command line (all, without names) against the plain-C
 * answers, bit for bit. */
#include "device_test.h"

#include "spec/spec.h"

/* A case whose expected output is wrong everywhere is enough to see a few times. */
#define MOST_FAILURES 20

static bool is_named(const char *name, int argc, char **argv) {
    for (int i = 1; i < argc; ++i)
        if (strcmp(argv[i], name) == 0) return true;
    return argc < 2;
}

/* Check one op; returns the number of failed cases and adds to the number tried. */
static int sweep(sparcl_ctx *ctx, const spec_op *op, int *tried) {
    spec_case c;
    int failed = 0, unsupported = 0;
    double worst = 0;
    for (int i = 0; op->get_case(i, test_is_small(), &c) && failed < MOST_FAILURES; ++i) {
        char text[256];
        spec_report report = {0};
        if (c.dtype == SPARCL_F64 && !sparcl_ctx_device(ctx)->has_f64) {
            ++unsupported;
            continue;
        }
        spec_case_text(op, &c, text, sizeof text);
        const sparcl_status status = op->check(ctx, &c, &report);
        ++*tried;
        if (report.worst > worst) worst = report.worst;
        if (status == SPARCL_OK && report.equal) continue;
        ++failed;
        printf("FAILED case %d, %s\n  %s\n", i, text,
               status == SPARCL_OK ? report.why : sparcl_ctx_error(ctx)->message);
    }
    printf("%-16s worst error %.2f of the bound, %d cases without f64 on this device left out\n",
           op->name, worst, unsupported);
    return failed;
}

int main(int argc, char **argv) {
    sparcl_ctx *ctx = test_open();
    int failed = 0, tried = 0;
    for (const spec_op *const *op = spec_ops; *op; ++op)
        if (is_named((*op)->name, argc, argv)) failed += sweep(ctx, *op, &tried);
    printf("%s: %d passed, %d failed\n", sparcl_ctx_device(ctx)->name, tried - failed, failed);
    sparcl_ctx_close(ctx);
    return failed || tried == 0;
}
