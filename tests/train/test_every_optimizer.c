/* test_every_optimizer.c: every rule of optim.h trains every model of the library: its
 * parameters move and stay finite, and a run in parts has the bits of one. */
#include "checkpoint_test.h"
#include "sparcl/optim_text.h"

/* --- data ------------------------------------------------------------------------------------- */

/* The same data, whose columns are of four fields. */
static sparcl_data *with_fields(const sparcl_data *data) {
    static int32_t indices[ROWS * COLUMNS], fields[ROWS * COLUMNS];
    const sparcl_data_info *const info = sparcl_data_get_info(data);
    sparcl_data *copy = NULL;
    sparcl_error error = {0};
    for (int64_t k = 0; k < info->entries; ++k) {
        indices[k] = (int32_t)index_of(data, k);
        fields[k] = indices[k] % 4;
    }
    const sparcl_data_arrays arrays = {.rows = ROWS,
                                       .columns = COLUMNS,
                                       .offsets = sparcl_data_offsets(data),
                                       .index_type = SPARCL_INDEX32,
                                       .indices = indices,
                                       .values = sparcl_data_values(data),
                                       .labels = sparcl_data_labels(data),
                                       .fields = fields};
    assert_done(error, sparcl_data_create(&copy, &arrays, &error));
    return copy;
}

/* --- runs ------------------------------------------------------------------------------------- */

/* Small ones, of every name. */
static const char *const models[] = {"linear",
                                     "fm:factors=2,init=0.1",
                                     "ffm:factors=2,init=0.1",
                                     "mlp:hidden=4,dropout=0.3",
                                     "wide-deep:hidden=4",
                                     "autoencoder:units=8,k=3",
                                     "gcn:hidden=4",
                                     "bpr:factors=3",
                                     "lightgcn:factors=3"};

typedef struct inputs {
    sparcl_data *rows, *fields, *edges;
    sparcl_train_nodes nodes;
} inputs;

static void choose(prepared *p, const inputs *from) {
    const sparcl_task task = p->desc.architecture->task;
    p->data = task == SPARCL_TASK_RANK             ? from->edges
              : p->desc.architecture->reads_fields ? from->fields
                                                   : from->rows;
    p->desc.nodes = task == SPARCL_TASK_NODES ? &from->nodes : NULL;
    p->desc.loss = task == SPARCL_TASK_RECONSTRUCT ? SPARCL_LOSS_SQUARED : SPARCL_LOSS_LOGISTIC;
}

static int64_t elements_of(const sparcl_tensor *x) {
    int64_t elements = 1;
    for (int d = 0; d < x->rank; ++d)
        elements *= x->shape[d];
    return elements;
}

/* Every parameter has moved, and is finite. */
static void must_have_moved(const sparcl_model *before, const sparcl_model *after,
                            const char *what) {
    const char *const *const names = sparcl_model_architecture(after)->parameters;
    for (int i = 0; names[i]; ++i) {
        const sparcl_tensor *const x = sparcl_model_tensor(before, names[i]);
        const sparcl_tensor *const y = sparcl_model_tensor(after, names[i]);
        const int64_t elements = elements_of(y);
        if (memcmp(x->values, y->values, (size_t)elements * sizeof(float)) == 0)
            fail_msg("%s: %s has not moved", what, names[i]);
        for (int64_t k = 0; k < elements; ++k)
            if (!isfinite(y->values[k])) fail_msg("%s: %s is not finite", what, names[i]);
    }
}

static void try_model(sparcl_ctx *ctx, const inputs *from, const char *text, sparcl_rule rule) {
    char what[120];
    prepared p = {0};
    stopper s;
    sparcl_train_result expected, found;
    sparcl_error error = {0};
    snprintf(what, sizeof what, "%s of %s", sparcl_rule_name(rule), text);
    sparcl_train_init(&p.desc, rule);
    assert_done(error, sparcl_architecture_parse(&p.desc.architecture, text, &error));
    choose(&p, from);
    p.desc.batch = 42;
    p.desc.epochs = 0;
    sparcl_model *const before = must_train(ctx, p.data, NULL, &p.desc, NULL);
    p.desc.epochs = p.desc.nodes ? 5 : 3; /* 5 and 9 steps: an odd number of signs moves */
    sparcl_model *const one = must_train(ctx, p.data, NULL, &p.desc, &expected);
    if (!isfinite(expected.loss)) fail_msg("%s: the loss is %g", what, expected.loss);
    must_have_moved(before, one, what);
    remove_files();
    sparcl_model *const other = train_in_parts(ctx, &p, 3, &s, &found);
    assert_same_models(one, other, what);
    assert_true(found.loss == expected.loss);
    sparcl_model_free(other);
    sparcl_model_free(one);
    sparcl_model_free(before);
    sparcl_architecture_free(p.desc.architecture);
}

static void every_optimizer_trains_every_model(void **state) {
    static const int64_t train[] = {1, 5, 9, 20, 33, 60, 61}, valid[] = {2, 40};
    inputs from = {.rows = make_data(SPARCL_LOSS_LOGISTIC, 3), .edges = make_edges()};
    from.fields = with_fields(from.rows);
    from.nodes = (sparcl_train_nodes){.edges = from.edges,
                                      .train = train,
                                      .train_count = COUNT(train),
                                      .valid = valid,
                                      .valid_count = COUNT(valid)};
    for (size_t m = 0; m < COUNT(models); ++m)
        for (int rule = 0; rule < SPARCL_RULES; ++rule)
            if (test_is_chosen((int)m * 100 + rule, test_every(), 0))
                try_model(*state, &from, models[m], (sparcl_rule)rule);
    sparcl_data_free(from.fields);
    sparcl_data_free(from.rows);
    sparcl_data_free(from.edges);
}

static void every_model_is_tried(void **state) {
    const sparcl_model_kind *known;
    (void)state;
    for (int i = 0; (known = sparcl_model_kind_at(i)); ++i) {
        const size_t length = strlen(known->name);
        bool found = false;
        for (size_t m = 0; m < COUNT(models); ++m)
            found |= strncmp(models[m], known->name, length) == 0 &&
                     (models[m][length] == ':' || models[m][length] == '\0');
        if (!found) fail_msg("%s is not in the list", known->name);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_model_is_tried),
        cmocka_unit_test(every_optimizer_trains_every_model),
    };
    return run_checkpoint_tests(tests, COUNT(tests));
}
