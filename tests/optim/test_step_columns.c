/* test_step_columns.c: rows of a gradient that are for the entries of a matrix: their order is that
 * of its pattern, and a step takes it from there, with the same bits. */
#include "op_test.h"
#include "optim/step.h"
#include "sparcl/optim_text.h"

enum { ROWS = 600, COLUMNS = 30, ENTRIES = 9000, WIDTH = 5, STEPS = 2 };

/* Columns have up to more than a block of entries. */
typedef struct fixture {
    sparcl_ctx *ctx;
    spec_matrix matrix;
    sparcl_csr a;
    sparcl_pattern *pattern;
    sparcl_rows gradient;
} fixture;

static fixture open_fixture(sparcl_ctx *ctx) {
    fixture f = {.ctx = ctx};
    float *const values = make_floats(ENTRIES * WIDTH, 4);
    assert_true(spec_matrix_make(&f.matrix, SPEC_UNIFORM, ROWS, COLUMNS, ENTRIES, 3));
    assert_ok(ctx, spec_put_csr(ctx, &f.a, &f.matrix, SPARCL_F32, SPARCL_INDEX32, SPARCL_INDEX32));
    assert_ok(ctx, sparcl_pattern_create(ctx, &f.pattern));
    assert_ok(ctx, sparcl_pattern_build(ctx, f.pattern, &f.a));
    f.gradient = (sparcl_rows){.rank = 2,
                               .shape = {COLUMNS, WIDTH},
                               .nnr = f.a.nnz,
                               .indices = f.a.indices,
                               .values = put(ctx, values, f.a.nnz * WIDTH * 4),
                               .proof = {.flags = SPARCL_TRUSTED}};
    free(values);
    return f;
}

static void close_fixture(fixture *f) {
    sparcl_buf_free(f->gradient.values);
    sparcl_pattern_free(f->pattern);
    sparcl_csr_free(&f->a);
    spec_matrix_free(&f->matrix);
}

/* The table after some steps; the launches of the last. */
static int64_t take_steps(const fixture *f, const sparcl_optim *given, bool with_pattern,
                          float *result) {
    sparcl_ctx *const ctx = f->ctx;
    float *const start = make_floats(COLUMNS * WIDTH, 9);
    sparcl_optim optim = *given;
    sparcl_dense table = {.rank = 2, .shape = {COLUMNS, WIDTH}}, states[SPARCL_MAX_STATES];
    int64_t launches = 0;
    memset(states, 0, sizeof states);
    assert_ok(ctx, sparcl_dense_upload(ctx, &table, start));
    assert_ok(ctx, sparcl_optim_create_states(ctx, &optim, &table, states));
    const spc_step_job job = {.optim = &optim,
                              .table = &table,
                              .states = states,
                              .rows = &f->gradient,
                              .columns = with_pattern ? f->pattern : NULL};
    for (optim.step = 1; optim.step <= STEPS; ++optim.step) {
        launches = sparcl_ctx_launches(ctx);
        assert_ok(ctx, spc_step_one(ctx, &job));
        launches = sparcl_ctx_launches(ctx) - launches;
    }
    assert_ok(ctx, sparcl_dense_read(ctx, &table, result));
    sparcl_dense_free(&table);
    for (int s = 0; s < SPARCL_MAX_STATES; ++s)
        sparcl_dense_free(&states[s]);
    free(start);
    return launches;
}

/* The launches that the pattern saves. */
static int64_t compare(const fixture *f, const sparcl_optim *optim) {
    float expected[COLUMNS * WIDTH], found[COLUMNS * WIDTH];
    const int64_t alone = take_steps(f, optim, false, expected);
    const int64_t launches = take_steps(f, optim, true, found);
    assert_memory_equal(found, expected, sizeof found);
    return alone - launches;
}

static void check_class(sparcl_ctx *ctx) {
    static const sparcl_rule rules[] = {SPARCL_RULE_SGD, SPARCL_RULE_ADAGRAD, SPARCL_RULE_ADAM,
                                        SPARCL_RULE_ROWWISE_ADAGRAD, SPARCL_RULE_LAMB};
    fixture f = open_fixture(ctx);
    for (size_t r = 0; r < COUNT(rules); ++r)
        for (int kind = SPARCL_DUPLICATES_SUM; kind <= SPARCL_DUPLICATES_SEPARATE; ++kind) {
            const bool is_coalesced =
                rules[r] == SPARCL_RULE_ROWWISE_ADAGRAD && kind != SPARCL_DUPLICATES_SEPARATE;
            sparcl_optim optim;
            if (kind == SPARCL_DUPLICATES_ERROR) continue; /* waits */
            if (kind == SPARCL_DUPLICATES_SEPARATE && rules[r] == SPARCL_RULE_LAMB) continue;
            sparcl_optim_init(&optim, rules[r]);
            optim.lr = 0.1;
            optim.duplicates = (sparcl_optim_duplicates)kind;
            const int64_t saved = compare(&f, &optim);
            assert_true(is_coalesced ? saved == 0 : saved > 0);
            optim.clip.norm = 0.5;
            assert_int_equal(compare(&f, &optim), 0); /* of the clipped rows the order is found */
        }
    close_fixture(&f);
}

static void a_step_in_the_order_of_a_pattern_has_the_same_bits(void **state) {
    class_contexts all = open_classes(*state);
    for (size_t c = 1; c < COUNT(all.contexts); ++c)
        if (all.contexts[c]) check_class(all.contexts[c]);
    close_classes(&all);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_in_the_order_of_a_pattern_has_the_same_bits)};
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
