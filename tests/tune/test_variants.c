/* test_variants.c: no bit of a result depends on a tunable: each of its candidates, and what else
 * is legal, with the cases of the operations that use it. */
#include "device_test.h"

#include "spec/shared/spec.h"
#include "tune/tuned.h"

/* Each value is tried with about OPS_OF_A_VALUE of the operations that use it, other ones each
 * time. */
enum { MAX_OPS = 64, OPS_OF_A_VALUE = 3 };

/* About as many cases of an operation for each value, as each context builds its programs anew; and
 * to find what it uses. */
enum { CASES_OF_A_VALUE = 6, CASES_TO_FIND = 16 };

/* So that about `cases` of the operation are chosen, or one in `least` where it has few. */
static int one_in(const spec_op *op, int cases, int least) {
    spec_case c;
    int count = 0;
    while (op->get_case(count, test_is_small(), &c))
        ++count;
    return count / cases > least ? count / cases : least;
}

/* One case in `every`, of the operation. */
static void check_cases(sparcl_ctx *ctx, const spec_op *op, const char *tuning, int part,
                        int every) {
    spec_case c;
    for (int i = 0; op->get_case(i, test_is_small(), &c); ++i) {
        spec_report report = {0};
        if (!test_is_chosen(i, every, part)) continue;
        if (c.dtype == SPARCL_F64 && !sparcl_ctx_device(ctx)->has_f64) continue;
        const sparcl_status status = spec_check(ctx, op, &c, &report);
        if (status != SPARCL_OK || !report.equal)
            fail_msg("%s, case %d, with\n%s%s", op->name, i, tuning,
                     status == SPARCL_OK ? report.why : sparcl_ctx_error(ctx)->message);
    }
}

/* Which operations use which tunables. */
static void find_used(bool used[MAX_OPS][SPC_TUNE_COUNT]) {
    sparcl_ctx *ctx = test_open();
    for (int o = 0; spec_ops[o]; ++o) {
        assert_in_range(o, 0, MAX_OPS - 1);
        sparcl_tune_reset_used(ctx);
        check_cases(ctx, spec_ops[o], "the defaults", 0, one_in(spec_ops[o], CASES_TO_FIND, 24));
        for (int t = 0; t < SPC_TUNE_COUNT; ++t)
            for (int c = 0; c < sparcl_tune_at(t)->class_count; ++c)
                used[o][t] = used[o][t] || sparcl_tune_used(ctx, t, c);
    }
    for (int t = 0; t < SPC_TUNE_COUNT; ++t) {
        const sparcl_tunable *about = sparcl_tune_at(t);
        bool found = about->kernels != SPARCL_CLASS_AUTO &&
                     about->kernels != sparcl_ctx_class(ctx); /* is not for this class */
        for (int o = 0; spec_ops[o]; ++o)
            found = found || used[o][t];
        if (!found) fail_msg("no operation looks at %s", about->name);
    }
    sparcl_ctx_close(ctx);
}

/* The candidates, then the minimum and maximum. */
static int value_of(const sparcl_tunable *about, int i) {
    if (i < about->candidate_count) return about->candidates[i];
    return i == about->candidate_count ? about->minimum : about->maximum;
}

/* What test_desc() has for small shapes, unless it is about this tunable. */
static const char *unless(const sparcl_tunable *about, const char *name, const char *line) {
    return strcmp(about->name, name) == 0 ? "" : line;
}

static void check_value(sparcl_ctx *ctx, bool used[MAX_OPS][SPC_TUNE_COUNT], int t, int part,
                        const char *text) {
    int users = 0, user = 0;
    for (int o = 0; spec_ops[o]; ++o)
        users += used[o][t];
    const int stride = (users + OPS_OF_A_VALUE - 1) / OPS_OF_A_VALUE;
    for (int o = 0; spec_ops[o]; ++o) {
        if (!used[o][t] || user++ % stride != part % stride) continue;
        check_cases(ctx, spec_ops[o], text, part,
                    one_in(spec_ops[o], CASES_OF_A_VALUE, 64) * test_every());
    }
}

/* Each value for all inputs: a part of the cases each, another one each time. */
static void results_do_not_depend_on_a_tunable(void **state) {
    static bool used[MAX_OPS][SPC_TUNE_COUNT];
    (void)state;
    find_used(used);
    for (int t = 0, part = 0; t < SPC_TUNE_COUNT; ++t) {
        const sparcl_tunable *about = sparcl_tune_at(t);
        for (int i = 0; i < about->candidate_count + 2; ++i, ++part) {
            char text[200];
            sparcl_ctx_desc desc = test_desc();
            sparcl_ctx *ctx = NULL;
            sparcl_error error;
            snprintf(text, sizeof text, "sparcl tuning 1\n%s%s * %d\n",
                     unless(about, "product.grain", "product.grain tiny 2048\n"), about->name,
                     value_of(about, i));
            desc.tuning = text;
            if (sparcl_ctx_open(&ctx, &desc, &error) != SPARCL_OK) fail_msg("%s", error.message);
            check_value(ctx, used, t, part, text);
            sparcl_ctx_close(ctx);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_do_not_depend_on_a_tunable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
