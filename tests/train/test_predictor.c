/* test_predictor.c: predictions on arrays in the caller's memory: the bits of sparcl_predict, what
 * is copied, slices, many calls, and each kind of broken rows. */
#include "model_gradient_test.h"

#include "sparcl/apply.h"
#include "sparcl/ops/losses.h"
#include "sparcl/optim.h"
#include "sparcl/profile.h"

/* --- data ------------------------------------------------------------------------------------- */

/* The rows of a data set as arrays of these types, with `gap` entries before them. */
typedef struct owned {
    sparcl_csr_arrays x;
    void *offsets, *indices;
    float *values;
} owned;

static void put_index(void *to, sparcl_itype type, int64_t at, int64_t index) {
    if (type == SPARCL_INDEX64)
        ((int64_t *)to)[at] = index;
    else
        ((int32_t *)to)[at] = (int32_t)index;
}

static owned arrays_of(const sparcl_data *data, sparcl_itype offset_type, sparcl_itype index_type,
                       int64_t gap) {
    const sparcl_data_info *const info = sparcl_data_get_info(data);
    const size_t rows = (size_t)info->rows, entries = (size_t)(info->entries + gap);
    owned o = {.offsets = must_have(calloc(rows + 1, 8)),
               .indices = must_have(calloc(entries + 1, 8)),
               .values = must_have(calloc(entries + 1, sizeof(float)))};
    for (int64_t i = 0; i <= info->rows; ++i)
        put_index(o.offsets, offset_type, i, sparcl_data_offsets(data)[i] + gap);
    for (int64_t k = 0; k < info->entries; ++k) {
        put_index(o.indices, index_type, gap + k, index_of(data, k));
        o.values[gap + k] = sparcl_data_values(data)[k];
    }
    o.x = (sparcl_csr_arrays){.rows = info->rows,
                              .offset_type = offset_type,
                              .offsets = o.offsets,
                              .index_type = index_type,
                              .indices = o.indices,
                              .values = o.values};
    return o;
}

static void drop(owned *o) {
    free(o->offsets);
    free(o->indices);
    free(o->values);
}

static sparcl_model *model_of(sparcl_ctx *ctx, const sparcl_data *data, const char *text,
                              sparcl_loss loss) {
    const sparcl_architecture *const a = must_parse(text);
    sparcl_train_desc desc;
    sparcl_train_init(&desc, SPARCL_RULE_ADAGRAD);
    desc.loss = loss;
    desc.architecture = a;
    desc.epochs = 2;
    desc.batch = 16;
    sparcl_model *const model = must_train(ctx, data, NULL, &desc, NULL);
    sparcl_architecture_free(a);
    return model;
}

static sparcl_predictor *must_open(sparcl_ctx *ctx, const sparcl_model *model) {
    sparcl_predictor *predictor = NULL;
    sparcl_error error = {0};
    assert_done(error, sparcl_model_open(ctx, &predictor, model, &error));
    assert_non_null(predictor);
    return predictor;
}

/* --- the bits of sparcl_predict --------------------------------------------------------------- */

static void check_rows(sparcl_predictor *predictor, const owned *o, int64_t first, int64_t rows,
                       const double *label, const float *p) {
    double found[ROWS];
    float found_p[ROWS];
    sparcl_error error = {0};
    sparcl_csr_arrays part = o->x;
    part.rows = rows;
    part.offsets = (const char *)o->offsets + (size_t)first * sparcl_itype_size(part.offset_type);
    assert_done(error, sparcl_model_predict(predictor, &part, found, found_p, NULL, &error));
    assert_memory_equal(found, label + first, (size_t)rows * sizeof *label);
    assert_memory_equal(found_p, p + first, (size_t)rows * sizeof *p);
}

static void check_model(sparcl_ctx *ctx, const char *text, sparcl_loss loss) {
    static const sparcl_itype types[] = {SPARCL_INDEX32, SPARCL_INDEX64};
    sparcl_data *const data = make_data(loss, 7);
    sparcl_model *const model = model_of(ctx, data, text, loss);
    sparcl_predictor *const predictor = must_open(ctx, model);
    double label[ROWS];
    float p[ROWS];
    sparcl_error error = {0};
    assert_done(error, sparcl_predict(ctx, model, data, label, p, &error));
    for (int k = 0; k < 8; ++k) {
        owned o = arrays_of(data, types[k % 2], types[k / 2 % 2], k / 4 * 3);
        check_rows(predictor, &o, 0, ROWS, label, p);
        check_rows(predictor, &o, 5, 31, label, p);
        check_rows(predictor, &o, ROWS - 1, 1, label, p);
        check_rows(predictor, &o, 7, 1, label, p); /* an empty row */
        drop(&o);
    }
    sparcl_predictor_free(predictor);
    sparcl_model_free(model);
    sparcl_data_free(data);
}

static void predictions_have_the_bits_of_sparcl_predict(void **state) {
    check_model(*state, "linear", SPARCL_LOSS_LOGISTIC);
    check_model(*state, "linear", SPARCL_LOSS_SOFTMAX);
    check_model(*state, "linear", SPARCL_LOSS_SQUARED);
    check_model(*state, "linear", SPARCL_LOSS_HINGE);
    check_model(*state, "fm:factors=5", SPARCL_LOSS_LOGISTIC);
    check_model(*state, "mlp:hidden=9,dropout=0.5", SPARCL_LOSS_SOFTMAX);
    check_model(*state, "wide-deep:hidden=6", SPARCL_LOSS_LOGISTIC);
}

/* The higher class where the score is above 1. */
static void data_sets_have_the_same_predictions(void **state) {
    sparcl_data *const data = make_data(SPARCL_LOSS_SOFTMAX, 4);
    sparcl_data *const other =
        read_text("2 0:1\n", &(sparcl_data_desc){.index_base = SPARCL_BASE_AUTO});
    sparcl_data *const named =
        read_text("2 0:1\n", &(sparcl_data_desc){.index_base = SPARCL_BASE_0});
    sparcl_data *const wide =
        read_text("2 99:1\n", &(sparcl_data_desc){.index_base = SPARCL_BASE_1});
    sparcl_data *const bad =
        read_text("2 1:1\n2 2:inf\n", &(sparcl_data_desc){.index_base = SPARCL_BASE_1});
    sparcl_model *const model = model_of(*state, data, "mlp:hidden=4", SPARCL_LOSS_SOFTMAX);
    sparcl_predictor *const predictor = must_open(*state, model);
    double label[2][ROWS];
    float p[2][ROWS];
    sparcl_error error = {0};
    assert_done(error, sparcl_predict(*state, model, data, label[0], p[0], &error));
    for (int i = 0; i < 2; ++i)
        assert_done(error,
                    sparcl_model_predict_data(predictor, data, label[1], p[1], NULL, &error));
    assert_memory_equal(label[0], label[1], sizeof label[0]);
    assert_memory_equal(p[0], p[1], sizeof p[0]);
    assert_failed(error, sparcl_model_predict_data(predictor, other, label[1], p[1], NULL, &error),
                  SPARCL_E_FORMAT, "counted from 0");
    assert_done(error, sparcl_model_predict_data(predictor, named, label[1], p[1], NULL, &error));
    assert_failed(error, sparcl_model_predict_data(predictor, wide, label[1], p[1], NULL, &error),
                  SPARCL_E_FORMAT, "99");
    assert_failed(error, sparcl_model_predict_data(predictor, bad, label[1], p[1], NULL, &error),
                  SPARCL_E_FORMAT, ":2:5: expected a finite value");
    assert_failed(error, sparcl_model_predict_data(predictor, NULL, label[1], p[1], NULL, &error),
                  SPARCL_E_ARG, "NULL");
    sparcl_predictor_free(predictor);
    sparcl_model_free(model);
    sparcl_data_free(bad);
    sparcl_data_free(wide);
    sparcl_data_free(other);
    sparcl_data_free(named);
    sparcl_data_free(data);
}

static void own_predict(void *user, int64_t rows, int64_t outputs, const float *scores,
                        float *label, float *p) {
    (void)user;
    (void)outputs;
    for (int64_t i = 0; i < rows; ++i) {
        label[i] = scores[i] > 1;
        p[i] = scores[i] / 2;
    }
}

static void a_model_of_the_callers_own_predicts_itself(void **state) {
    sparcl_data *const data = make_data(SPARCL_LOSS_LOGISTIC, 7);
    sparcl_architecture a = two_layers();
    a.predict = own_predict;
    sparcl_train_desc desc = run_of(&a, SPARCL_LOSS_LOGISTIC, SPARCL_RULE_ADAGRAD);
    sparcl_model *const model = must_train(*state, data, NULL, &desc, NULL);
    sparcl_predictor *const predictor = must_open(*state, model);
    double label[ROWS];
    float p[ROWS];
    sparcl_error error = {0};
    assert_done(error, sparcl_predict(*state, model, data, label, p, &error));
    owned o = arrays_of(data, SPARCL_INDEX32, SPARCL_INDEX32, 0);
    check_rows(predictor, &o, 0, ROWS, label, p);
    drop(&o);
    sparcl_predictor_free(predictor);
    sparcl_model_free(model);
    sparcl_data_free(data);
}

static void each_result_may_be_left_out(void **state) {
    sparcl_data *const data = make_data(SPARCL_LOSS_LOGISTIC, 7);
    sparcl_model *const model = model_of(*state, data, "linear", SPARCL_LOSS_LOGISTIC);
    sparcl_predictor *const predictor = must_open(*state, model);
    owned o = arrays_of(data, SPARCL_INDEX32, SPARCL_INDEX32, 0);
    double label[ROWS], only_label[ROWS];
    float p[ROWS], only_p[ROWS], scores[ROWS], only_scores[ROWS];
    sparcl_error error = {0};
    assert_done(error, sparcl_model_predict(predictor, &o.x, label, p, scores, &error));
    assert_done(error, sparcl_model_predict(predictor, &o.x, only_label, NULL, NULL, &error));
    assert_done(error, sparcl_model_predict(predictor, &o.x, NULL, only_p, NULL, &error));
    assert_done(error, sparcl_model_predict(predictor, &o.x, NULL, NULL, only_scores, &error));
    assert_memory_equal(label, only_label, sizeof label);
    assert_memory_equal(p, only_p, sizeof p);
    assert_memory_equal(scores, only_scores, sizeof scores);
    for (int i = 0; i < ROWS; ++i) /* a probability is that of the label */
        assert_true((scores[i] > 0) == (label[i] == 1) && p[i] >= 0.5F);
    o.x.is_trusted = 1;
    assert_done(error, sparcl_model_predict(predictor, &o.x, only_label, NULL, NULL, &error));
    assert_memory_equal(label, only_label, sizeof label);
    const sparcl_csr_arrays none = {.rows = 0};
    assert_done(error, sparcl_model_predict(predictor, &none, label, p, scores, &error));
    drop(&o);
    sparcl_predictor_free(predictor);
    sparcl_model_free(model);
    sparcl_data_free(data);
}

/* The scores of an autoencoder are its rows, whose distances are the loss. */
static void scores_reconstruct_rows(void **state) {
    sparcl_data *const data = make_data(SPARCL_LOSS_SQUARED, 7);
    sparcl_model *const model =
        model_of(*state, data, "autoencoder:units=9,k=3", SPARCL_LOSS_SQUARED);
    sparcl_predictor *const predictor = must_open(*state, model);
    owned o = arrays_of(data, SPARCL_INDEX32, SPARCL_INDEX32, 0);
    float scores[ROWS * COLUMNS], p[ROWS];
    double sum = 0, x[COLUMNS];
    sparcl_error error = {0};
    assert_done(error, sparcl_model_predict(predictor, &o.x, NULL, NULL, scores, &error));
    for (int i = 0; i < ROWS; ++i) {
        unpack(data, i, x);
        for (int j = 0; j < COLUMNS; ++j)
            sum += 0.5 * pow((double)scores[i * COLUMNS + j] - x[j], 2);
    }
    assert_true(fabs(sum / ROWS - must_eval(*state, model, data).loss) < 1e-6);
    assert_failed(error, sparcl_model_predict(predictor, &o.x, NULL, p, NULL, &error), SPARCL_E_ARG,
                  "predicts no labels");
    drop(&o);
    sparcl_predictor_free(predictor);
    sparcl_model_free(model);
    sparcl_data_free(data);
}

/* --- slices ----------------------------------------------------------------------------------- */

enum { MANY = 150000 };

/* Two entries in each row. */
static sparcl_data *make_many(void) {
    int64_t *const offsets = must_have(calloc(MANY + 1, sizeof *offsets));
    int32_t *const indices = must_have(calloc(2 * MANY, sizeof *indices));
    float *const values = must_have(calloc(2 * MANY, sizeof *values));
    double *const labels = must_have(calloc(MANY, sizeof *labels));
    sparcl_data *data = NULL;
    sparcl_error error = {0};
    for (int64_t i = 0; i < MANY; ++i) {
        offsets[i + 1] = 2 * (i + 1);
        indices[2 * i] = (int32_t)(i % 11);
        indices[2 * i + 1] = (int32_t)(11 + i % 12);
        values[2 * i] = (float)(i % 5) - 2;
        values[2 * i + 1] = (float)(i % 7) / 4;
        labels[i] = (double)(i * i % 11 % 3);
    }
    const sparcl_data_arrays arrays = {.rows = MANY,
                                       .columns = COLUMNS,
                                       .offsets = offsets,
                                       .index_type = SPARCL_INDEX32,
                                       .indices = indices,
                                       .values = values,
                                       .labels = labels};
    assert_done(error, sparcl_data_create(&data, &arrays, &error));
    free(offsets);
    free(indices);
    free(values);
    free(labels);
    return data;
}

static void more_rows_than_a_slice_are_predicted(void **state) {
    sparcl_data *const data = make_many();
    sparcl_train_desc desc;
    sparcl_train_init(&desc, SPARCL_RULE_SGD);
    desc.loss = SPARCL_LOSS_SOFTMAX;
    desc.epochs = 3;
    desc.batch = 0;
    sparcl_model *const model = must_train(*state, data, NULL, &desc, NULL);
    sparcl_predictor *const predictor = must_open(*state, model);
    double *const label = must_have(calloc(2 * MANY, sizeof *label)), *const found = label + MANY;
    float *const p = must_have(calloc(2 * MANY, sizeof *p)), *const found_p = p + MANY;
    sparcl_error error = {0};
    assert_done(error, sparcl_predict(*state, model, data, label, p, &error));
    owned o = arrays_of(data, SPARCL_INDEX32, SPARCL_INDEX64, 0);
    const int64_t before = sparcl_ctx_launches(*state);
    assert_done(error, sparcl_model_predict(predictor, &o.x, found, found_p, NULL, &error));
    assert_true(sparcl_ctx_launches(*state) - before >= 4); /* more than one slice */
    assert_memory_equal(found, label, MANY * sizeof *label);
    assert_memory_equal(found_p, p, MANY * sizeof *p);
    drop(&o);
    free(label);
    free(p);
    sparcl_data_free(data);
    sparcl_predictor_free(predictor);
    sparcl_model_free(model);
}

/* --- what is copied --------------------------------------------------------------------------- */

typedef struct moved {
    int64_t to_device, to_host, inside, launches;
} moved;

static moved moved_by(sparcl_ctx *ctx, sparcl_predictor *predictor, const sparcl_csr_arrays *x) {
    double label[ROWS];
    float p[ROWS];
    sparcl_profile profile;
    sparcl_error error = {0};
    moved m = {.launches = -sparcl_ctx_launches(ctx)};
    assert_ok(ctx, sparcl_profile_reset(ctx));
    assert_done(error, sparcl_model_predict(predictor, x, label, p, NULL, &error));
    assert_ok(ctx, sparcl_profile_read(ctx, &profile));
    m.launches += sparcl_ctx_launches(ctx);
    for (int i = 0; i < profile.count; ++i) {
        const sparcl_profile_line *const line = &profile.lines[i];
        if (line->kind == SPARCL_PROFILE_WRITE) m.to_device += line->bytes;
        if (line->kind == SPARCL_PROFILE_READ) m.to_host += line->bytes;
        if (line->kind == SPARCL_PROFILE_COPY || line->kind == SPARCL_PROFILE_FILL)
            m.inside += line->bytes;
    }
    return m;
}

static sparcl_ctx *open_profiled(bool shares) {
    union {
        const sparcl_device *in;
        sparcl_device *out;
    } device;
    sparcl_ctx_desc desc = test_desc();
    sparcl_ctx *ctx = NULL;
    sparcl_error error = {0};
    desc.profile = 1;
    assert_done(error, sparcl_ctx_open(&ctx, &desc, &error));
    device.in = sparcl_ctx_device(ctx);
    if (!shares) device.out->host_unified = 0; /* as on a device with memory of its own */
    return ctx;
}

static void check_moves(sparcl_ctx *ctx) {
    sparcl_data *const data = make_data(SPARCL_LOSS_LOGISTIC, 7);
    sparcl_model *const model = model_of(ctx, data, "fm:factors=5", SPARCL_LOSS_LOGISTIC);
    sparcl_predictor *const predictor = must_open(ctx, model);
    owned o = arrays_of(data, SPARCL_INDEX32, SPARCL_INDEX32, 0);
    const int64_t all = 4 * (ROWS + 1) + 8 * sparcl_data_get_info(data)->entries;
    const bool shares = sparcl_ctx_device(ctx)->host_unified;
    (void)moved_by(ctx, predictor, &o.x); /* the first call builds kernels and takes memory */
    const int64_t memory = sparcl_ctx_memory(ctx);
    const moved first = moved_by(ctx, predictor, &o.x);
    assert_int_equal(first.to_device, shares ? 0 : all);
    assert_int_equal(first.to_host, 8 * ROWS);
    assert_int_equal(first.inside, 0);
    for (int k = 0; k < 20; ++k) {
        const moved again = moved_by(ctx, predictor, &o.x);
        assert_memory_equal(&again, &first, sizeof first);
    }
    assert_int_equal(sparcl_ctx_memory(ctx), memory);
    /* Rows that do not begin at 0: their offsets are made again, in host memory. */
    o.x.offsets = (const int32_t *)o.offsets + 5;
    o.x.rows = ROWS - 5;
    assert_int_equal(moved_by(ctx, predictor, &o.x).to_device,
                     shares ? 0 : all - 20 - 8 * ((int32_t *)o.offsets)[5]);
    drop(&o);
    sparcl_predictor_free(predictor);
    sparcl_model_free(model);
    sparcl_data_free(data);
}

/* Where memory is shared, rows are read in place, else each is copied once; the graph and its
 * memory stay from call to call. */
static void nothing_is_copied_that_need_not_be(void **state) {
    (void)state;
    for (int shares = 0; shares < 2; ++shares) {
        sparcl_ctx *const ctx = open_profiled(shares);
        check_moves(ctx);
        sparcl_ctx_close(ctx);
    }
}

/* --- refusals --------------------------------------------------------------------------------- */

/* Row 0: columns 1 and 4; row 1: none; row 2: columns 0, 2 and 22. */
typedef struct broken {
    int32_t offsets[4], indices[5];
    float values[5];
    sparcl_csr_arrays x;
} broken;

static void set_up(broken *b) {
    *b = (broken){.offsets = {0, 2, 2, 5}, .indices = {1, 4, 0, 2, 22}, .values = {1, 2, 3, 4, 5}};
    b->x = (sparcl_csr_arrays){.rows = 3,
                               .offset_type = SPARCL_INDEX32,
                               .offsets = b->offsets,
                               .index_type = SPARCL_INDEX32,
                               .indices = b->indices,
                               .values = b->values};
}

#define BROKEN(change, status, part)                                                               \
    do {                                                                                           \
        set_up(&b);                                                                                \
        change;                                                                                    \
        assert_failed(error, sparcl_model_predict(predictor, &b.x, label, p, NULL, &error),        \
                      status, part);                                                               \
    } while (0)

static void broken_rows_are_refused_with_their_place(void **state) {
    sparcl_data *const data = make_data(SPARCL_LOSS_LOGISTIC, 7);
    sparcl_model *const model = model_of(*state, data, "linear", SPARCL_LOSS_LOGISTIC);
    sparcl_predictor *const predictor = must_open(*state, model);
    double label[3];
    float p[3];
    broken b;
    sparcl_error error = {0};
    BROKEN(b.x.rows = -1, SPARCL_E_ARG, "rows is -1, expected at least 0");
    BROKEN(b.x.offsets = NULL, SPARCL_E_ARG, "with offsets, which are NULL");
    BROKEN(b.x.offset_type = (sparcl_itype)7, SPARCL_E_ARG, "offset_type is 7");
    BROKEN(b.x.index_type = (sparcl_itype)7, SPARCL_E_ARG, "index_type 7, expected SPARCL_INDEX32");
    BROKEN(b.x.indices = NULL, SPARCL_E_ARG, "5 entries, but indices or values is NULL");
    BROKEN(b.x.values = NULL, SPARCL_E_ARG, "5 entries, but indices or values is NULL");
    BROKEN(b.x.size = 1, SPARCL_E_ARG, "size is 1");
    BROKEN(b.offsets[0] = -1, SPARCL_E_FORMAT, "row 0: offsets are -1 and 2");
    BROKEN(b.offsets[2] = 1, SPARCL_E_FORMAT,
           "row 1: offsets are 2 and 1, expected them to ascend");
    BROKEN(b.indices[4] = COLUMNS, SPARCL_E_FORMAT,
           "row 2, entry 2: column 23, expected 0 to 22; the model has no others");
    BROKEN(b.indices[2] = -1, SPARCL_E_FORMAT, "row 2, entry 0: column -1");
    BROKEN(b.indices[3] = 0, SPARCL_E_FORMAT, "row 2, entry 1: column 0 after column 0");
    BROKEN(b.indices[0] = 5, SPARCL_E_FORMAT, "row 0, entry 1: column 4 after column 5");
    BROKEN(b.values[1] = NAN, SPARCL_E_FORMAT, "row 0, entry 1: ");
    BROKEN(b.values[4] = -INFINITY, SPARCL_E_FORMAT, "row 2, entry 2: -inf, expected a finite");
    set_up(&b); /* nothing is broken that the next call needs */
    assert_done(error, sparcl_model_predict(predictor, &b.x, label, p, NULL, &error));
    assert_failed(error, sparcl_model_predict(NULL, &b.x, label, p, NULL, &error), SPARCL_E_ARG,
                  "NULL");
    assert_failed(error, sparcl_model_predict(predictor, NULL, label, p, NULL, &error),
                  SPARCL_E_ARG, "NULL");
    sparcl_predictor_free(predictor);
    sparcl_model_free(model);
    sparcl_data_free(data);
}

static void other_models_are_refused(void **state) {
    sparcl_data *const data = make_data(SPARCL_LOSS_LOGISTIC, 7);
    sparcl_model *const model = model_of(*state, data, "bpr:factors=2", SPARCL_LOSS_LOGISTIC);
    sparcl_predictor *predictor = (sparcl_predictor *)&predictor;
    sparcl_error error = {0};
    assert_failed(error, sparcl_model_open(*state, &predictor, model, &error), SPARCL_E_ARG,
                  "bpr ranks items; use sparcl_recommend");
    assert_null(predictor);
    assert_failed(error, sparcl_model_open(NULL, &predictor, model, &error), SPARCL_E_ARG, "NULL");
    assert_failed(error, sparcl_model_open(*state, NULL, model, &error), SPARCL_E_ARG, "NULL");
    assert_failed(error, sparcl_model_open(*state, &predictor, NULL, &error), SPARCL_E_ARG, "NULL");
    sparcl_predictor_free(NULL);
    sparcl_model_free(model);
    sparcl_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(predictions_have_the_bits_of_sparcl_predict),
        cmocka_unit_test(data_sets_have_the_same_predictions),
        cmocka_unit_test(a_model_of_the_callers_own_predicts_itself),
        cmocka_unit_test(each_result_may_be_left_out),
        cmocka_unit_test(scores_reconstruct_rows),
        cmocka_unit_test(more_rows_than_a_slice_are_predicted),
        cmocka_unit_test(nothing_is_copied_that_need_not_be),
        cmocka_unit_test(broken_rows_are_refused_with_their_place),
        cmocka_unit_test(other_models_are_refused),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
