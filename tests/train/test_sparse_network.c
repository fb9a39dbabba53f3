/* test_sparse_network.c: deep networks with sparse weights: against plain C, the known answer of
 * the GraphChallenge, and refusals. */
#include "real_data.h"
#include "sparcl/apply.h"
#include "train_test.h"

enum { IN = 9, MIDDLE = 14, OUT = 9 };

/* A matrix of numbers from -1 to 1 in steps of 1/8; some rows are empty. */
static sparcl_data *make(int64_t rows, int64_t columns, uint64_t seed) {
    static int64_t offsets[ROWS + 1];
    static int32_t indices[ROWS * 20];
    static float values[ROWS * 20];
    int64_t at = 0;
    for (int64_t i = 0; i < rows; ++i) {
        for (int64_t j = 0; j < columns; ++j) {
            const int64_t drawn = (int64_t)(spec_random(&seed) % 40);
            if (drawn > 16 || drawn == 8 || i % 11 == 7) continue;
            indices[at] = (int32_t)j;
            values[at++] = (float)(drawn - 8) / 8;
        }
        offsets[i + 1] = at;
    }
    const sparcl_data_arrays arrays = {.rows = rows,
                                       .columns = columns,
                                       .offsets = offsets,
                                       .index_type = SPARCL_INDEX32,
                                       .indices = indices,
                                       .values = values};
    sparcl_data *data = NULL;
    sparcl_error error = {0};
    assert_done(error, sparcl_data_create(&data, &arrays, &error));
    return data;
}

static void unpack_row(const sparcl_data *data, int64_t row, double *x) {
    memset(x, 0, 20 * sizeof *x);
    for (int64_t k = sparcl_data_offsets(data)[row]; k < sparcl_data_offsets(data)[row + 1]; ++k)
        x[index_of(data, k)] = (double)sparcl_data_values(data)[k];
}

static void apply_in_plain_c(const sparcl_sparse_network *n, double x[20]) {
    for (int step = 0; step < n->count * n->repeats; ++step) {
        const sparcl_data *const w = n->layers[step % n->count];
        double next[20] = {0}, row[20];
        for (int64_t i = 0; i < sparcl_data_get_info(w)->rows; ++i) {
            unpack_row(w, i, row);
            for (int j = 0; j < 20; ++j)
                next[j] += x[i] * row[j];
        }
        for (int j = 0; j < 20; ++j)
            x[j] = fmin(n->cap, fmax(0, next[j] == 0 ? 0 : next[j] + n->bias));
    }
}

static void layers_are_those_of_plain_c(void **state) {
    sparcl_data *const inputs = make(ROWS, IN, 3), *result = NULL;
    sparcl_data *const layers[] = {make(IN, MIDDLE, 4), make(MIDDLE, OUT, 5)};
    for (int repeats = 1; repeats <= 3; ++repeats) {
        const sparcl_sparse_network n = {.layers = (const sparcl_data *const *)layers,
                                         .count = 2,
                                         .repeats = repeats,
                                         .bias = -0.0625,
                                         .cap = 1.5};
        sparcl_error error = {0};
        assert_done(error, sparcl_sparse_network_apply(*state, &n, inputs, &result, &error));
        const sparcl_data_info *const info = sparcl_data_get_info(result);
        assert_true(info->rows == ROWS && info->columns == OUT && info->entries > ROWS);
        for (int64_t i = 0; i < ROWS; ++i) {
            double expected[20], got[20];
            unpack_row(inputs, i, expected);
            apply_in_plain_c(&n, expected);
            unpack_row(result, i, got);
            for (int j = 0; j < OUT; ++j)
                assert_true(fabs(got[j] - expected[j]) < 1e-5);
        }
        for (int64_t k = 0; k < info->entries; ++k)
            assert_true(sparcl_data_values(result)[k] > 0);
        sparcl_data_free(result);
    }
    sparcl_data_free(layers[0]);
    sparcl_data_free(layers[1]);
    sparcl_data_free(inputs);
}

static void what_does_not_fit_is_refused(void **state) {
    sparcl_data *const inputs = make(5, IN, 3), *result = NULL;
    sparcl_data *const layers[] = {make(IN, MIDDLE, 4), make(MIDDLE, OUT + 1, 5), make(IN, 2, 4)};
    sparcl_sparse_network n = {
        .layers = (const sparcl_data *const *)layers, .count = 2, .repeats = 1, .cap = 1};
    sparcl_error error;
    n.repeats = 2;
    assert_failed(error, sparcl_sparse_network_apply(*state, &n, inputs, &result, &error),
                  SPARCL_E_FORMAT, "layer 1 has 9 inputs, expected 10");
    n.count = 3;
    n.repeats = 1;
    assert_failed(error, sparcl_sparse_network_apply(*state, &n, inputs, &result, &error),
                  SPARCL_E_FORMAT, "layer 3 has 9 inputs, expected 10");
    n.bias = 0.5;
    assert_failed(error, sparcl_sparse_network_apply(*state, &n, inputs, &result, &error),
                  SPARCL_E_ARG, "bias is 0.5");
    n.bias = 0;
    n.count = 0;
    assert_failed(error, sparcl_sparse_network_apply(*state, &n, inputs, &result, &error),
                  SPARCL_E_ARG, "0 layers");
    assert_failed(error, sparcl_sparse_network_apply(*state, NULL, inputs, &result, &error),
                  SPARCL_E_ARG, "NULL");
    assert_null(result);
    for (size_t i = 0; i < COUNT(layers); ++i)
        sparcl_data_free(layers[i]);
    sparcl_data_free(inputs);
}

/* 30 layers of 1024 neurons: shared/data/README.md. */
static void the_graph_challenge_has_its_categories(void **state) {
    enum { LAYERS = 30, CATEGORIES = 19 };
    sparcl_data *layers[LAYERS], *result = NULL;
    sparcl_error error = {0};
    if (!real_folder() || test_is_small()) skip();
    for (int i = 0; i < LAYERS; ++i) {
        char file[64];
        snprintf(file, sizeof file, "dnn1024/n1024-l%d.mtx.gz", i + 1);
        layers[i] = real_data(file, 0);
    }
    sparcl_data *const images = real_data("dnn1024/sparse-images-1024_subset.mtx.gz", 0);
    sparcl_data *const known = real_data("dnn1024/neuron1024-l120-categories_subset.mtx", 0);
    const sparcl_sparse_network n = {.layers = (const sparcl_data *const *)layers,
                                     .count = LAYERS,
                                     .repeats = 1,
                                     .bias = -0.3,
                                     .cap = 32};
    assert_done(error, sparcl_sparse_network_apply(*state, &n, images, &result, &error));
    const int64_t *const offsets = sparcl_data_offsets(result);
    assert_int_equal(sparcl_data_get_info(result)->entries, CATEGORIES * 1024);
    assert_int_equal(sparcl_data_get_info(known)->entries, CATEGORIES);
    for (int64_t i = 0; i < 1200; ++i) {
        const bool is_known = sparcl_data_offsets(known)[i + 1] > sparcl_data_offsets(known)[i];
        assert_int_equal(offsets[i + 1] - offsets[i], is_known ? 1024 : 0);
    }
    for (int64_t k = 0; k < CATEGORIES * 1024; ++k)
        assert_true(sparcl_data_values(result)[k] == 32);
    for (int i = 0; i < LAYERS; ++i)
        sparcl_data_free(layers[i]);
    sparcl_data_free(result);
    sparcl_data_free(known);
    sparcl_data_free(images);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_are_those_of_plain_c),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(the_graph_challenge_has_its_categories),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
