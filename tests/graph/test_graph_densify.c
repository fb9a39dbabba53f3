/* test_graph_densify.c: the policy for conversions to dense arrays in graphs: it holds for those of
 * the caller, and not for gradients of dense arrays. */
#include "gradients.h"

typedef struct heard {
    int warnings;
    char last[300];
} heard;

static void hear(void *user, sparcl_log_level level, const char *message) {
    heard *const h = user;
    if (level != SPARCL_LOG_WARNING) return;
    ++h->warnings;
    snprintf(h->last, sizeof h->last, "%s", message);
}

/* The number of conversions that the model itself has. */
static int count_conversions(sparcl_ctx *ctx, const model *m) {
    int count = 0;
    for (sparcl_node node = 0; node <= m->result; ++node) {
        sparcl_node_info info;
        assert_ok(ctx, sparcl_graph_node_info(m->graph, node, &info));
        count += info.runs && strcmp(info.operation, "to_dense") == 0;
    }
    return count;
}

static void check_case(sparcl_ctx *ctx, const gradient_case *c, heard *h) {
    model m = make_model(ctx, c, SPARCL_F32);
    inputs in = make_inputs(ctx, &m, SPARCL_F32, SPARCL_INDEX32, c->kind == CLASSES ? WIDTH : 2);
    put_parameters(ctx, &m);
    bind_inputs(ctx, &m, &in);
    const int own = count_conversions(ctx, &m);
    h->warnings = 0;
    assert_ok(ctx, sparcl_ctx_set_densify(ctx, SPARCL_DENSIFY_WARN, 0));
    assert_ok(ctx, sparcl_graph_step(m.graph));
    if (h->warnings != own)
        fail_msg("%s: %d warnings, expected %d: %s", c->operation, h->warnings, own, h->last);
    assert_ok(ctx, sparcl_ctx_set_densify(ctx, SPARCL_DENSIFY_ERROR, 0));
    if (own > 0)
        assert_refused(ctx, sparcl_graph_step(m.graph), SPARCL_E_UNSUPPORTED, "to_dense");
    else
        assert_ok(ctx, sparcl_graph_step(m.graph));
    free_inputs(&in);
    sparcl_graph_free(m.graph);
}

static void only_conversions_of_the_caller_are_refused(void **state) {
    heard h = {0};
    sparcl_ctx_desc desc = test_desc();
    sparcl_ctx *ctx = NULL;
    sparcl_error error;
    const gradient_case *c = NULL;
    (void)state;
    desc.log = hear;
    desc.log_user = &h;
    assert_int_equal(sparcl_ctx_open(&ctx, &desc, &error), SPARCL_OK);
    for (int i = 0; (c = case_at(i)); ++i)
        if (test_is_chosen(i, test_every(), 0)) check_case(ctx, c, &h);
    sparcl_ctx_close(ctx);
}

/* The policy holds again after a step. */
static void the_policy_stays(void **state) {
    sparcl_ctx *ctx = *state;
    model m = make_model(ctx, case_at(0), SPARCL_F32);
    inputs in = make_inputs(ctx, &m, SPARCL_F32, SPARCL_INDEX32, 2);
    sparcl_dense to = {.rank = 2, .shape = {ROWS, COLS}};
    put_parameters(ctx, &m);
    bind_inputs(ctx, &m, &in);
    assert_ok(ctx, sparcl_dense_create(ctx, &to));
    assert_ok(ctx, sparcl_ctx_set_densify(ctx, SPARCL_DENSIFY_ERROR, 0));
    assert_ok(ctx, sparcl_graph_step(m.graph));
    assert_refused(ctx, sparcl_csr_to_dense(ctx, &to, &in.x), SPARCL_E_UNSUPPORTED, "4800 bytes");
    assert_ok(ctx, sparcl_ctx_set_densify(ctx, SPARCL_DENSIFY_ALLOW, 0));
    sparcl_dense_free(&to);
    free_inputs(&in);
    sparcl_graph_free(m.graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_conversions_of_the_caller_are_refused),
        cmocka_unit_test(the_policy_stays),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
