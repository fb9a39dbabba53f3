/* test_ranking.c: models that rank items for users: gradients against plain C, what they learn, the
 * metrics of their rankings, recommendations, and refusals. */
#include "folder_test.h"
#include "model_gradient_test.h"
#include "sparcl/apply.h"
#include "sparcl/ops/losses.h"
#include "sparcl/optim.h"
#include "spec/layers/philox.h"

static const char *const path = "test_ranking.safetensors";

enum { USERS = 29, ITEMS = 13, NODES = USERS + ITEMS, FACTORS = 5 };

/* Users have items of their group; user 4 has none, user 5 all. */
static bool has(int user, int item) {
    if (user == 4 || user == 5) return user == 5;
    return (user + item) % 3 == 0 && (7 * user + 5 * item) % 4 != 0;
}

/* Which items: some of each user, the others, or all. */
enum { MOST, OTHERS, ALL };

static bool is_chosen(int which, int user, int item) {
    if (user >= USERS || !has(user, item)) return false;
    return which == ALL || ((user + 2 * item) % 5 == 0) == (which == OTHERS);
}

static sparcl_data *make_items(int which, int64_t users, int64_t items) {
    static int64_t offsets[NODES + 1];
    static int32_t indices[USERS * ITEMS];
    static float values[USERS * ITEMS];
    int64_t at = 0;
    for (int u = 0; u < users; ++u) {
        for (int i = 0; i < ITEMS; ++i) {
            if (!is_chosen(which, u, i)) continue;
            indices[at] = i;
            values[at++] = (float)(1 + (u + i) % 2);
        }
        offsets[u + 1] = at;
    }
    const sparcl_data_arrays arrays = {.rows = users,
                                       .columns = items,
                                       .offsets = offsets,
                                       .index_type = SPARCL_INDEX32,
                                       .indices = indices,
                                       .values = values};
    sparcl_data *data = NULL;
    sparcl_error error = {0};
    assert_done(error, sparcl_data_create(&data, &arrays, &error));
    return data;
}

static bool stores(const sparcl_data *data, int64_t user, int64_t item) {
    if (user >= sparcl_data_get_info(data)->rows) return false;
    for (int64_t k = sparcl_data_offsets(data)[user]; k < sparcl_data_offsets(data)[user + 1]; ++k)
        if (index_of(data, k) == item) return true;
    return false;
}

/* --- the answer in plain C -------------------------------------------------------------------- */

/* As ops/layers.h says, of step 0. */
static int64_t drawn_item(const sparcl_data *data, int64_t user, int64_t t, uint64_t seed) {
    int64_t item = 0;
    for (uint32_t d = 0; d < 16; ++d) {
        uint32_t words[4] = {(uint32_t)t, 65536 * (d / 4), 0, 0};
        spec_philox(words, seed);
        item = (int64_t)((uint64_t)words[d % 4] * ITEMS >> 32);
        if (!stores(data, user, item)) return item;
    }
    for (int64_t i = 0; i < ITEMS; ++i)
        if (!stores(data, user, (item + i) % ITEMS)) return (item + i) % ITEMS;
    return item;
}

static double propagated[NODES][FACTORS];

static void add_product(double to[NODES][FACTORS], double from[NODES][FACTORS],
                        const sparcl_data *data) {
    double sums[NODES] = {0};
    for (int u = 0; u < USERS; ++u)
        for (int64_t k = sparcl_data_offsets(data)[u]; k < sparcl_data_offsets(data)[u + 1]; ++k) {
            sums[u] += (double)sparcl_data_values(data)[k];
            sums[USERS + index_of(data, k)] += (double)sparcl_data_values(data)[k];
        }
    for (int u = 0; u < USERS; ++u)
        for (int64_t k = sparcl_data_offsets(data)[u]; k < sparcl_data_offsets(data)[u + 1]; ++k) {
            const int64_t i = USERS + index_of(data, k);
            const double w = (double)sparcl_data_values(data)[k] / sqrt(sums[u] * sums[i]);
            for (int f = 0; f < FACTORS; ++f) {
                to[u][f] += w * from[i][f];
                to[i][f] += w * from[u][f];
            }
        }
}

/* The mean of the factors and two products with the adjacency; or the factors themselves. */
static void fill_table(const flat *f, const sparcl_data *data) {
    static double layer[NODES][FACTORS], next[NODES][FACTORS];
    memcpy(layer, f->values, sizeof layer);
    memcpy(propagated, layer, sizeof propagated);
    if (strcmp(f->model->architecture.name, "lightgcn") != 0) return;
    for (int hop = 0; hop < 2; ++hop) {
        memset(next, 0, sizeof next);
        add_product(next, layer, data);
        memcpy(layer, next, sizeof layer);
        for (int n = 0; n < NODES; ++n)
            for (int k = 0; k < FACTORS; ++k)
                propagated[n][k] += layer[n][k];
    }
    for (int n = 0; n < NODES; ++n)
        for (int k = 0; k < FACTORS; ++k)
            propagated[n][k] /= 3;
}

static double product(const double *x, const double *y) {
    double sum = 0;
    for (int k = 0; k < FACTORS; ++k)
        sum += x[k] * y[k];
    return sum;
}

/* Penalty 0.3. */
static double loss_of_pairs(const flat *f, const sparcl_data *data, const sparcl_train_desc *desc) {
    const int64_t pairs = sparcl_data_get_info(data)->entries;
    static int64_t order[USERS * ITEMS], user_of[USERS * ITEMS];
    double sum = 0;
    fill_table(f, data);
    sparcl_train_order(desc->seed, 0, pairs, order);
    for (int64_t u = 0; u < USERS; ++u)
        for (int64_t k = sparcl_data_offsets(data)[u]; k < sparcl_data_offsets(data)[u + 1]; ++k)
            user_of[k] = u;
    for (int64_t t = 0; t < pairs; ++t) {
        const int64_t user = user_of[order[t]], item = USERS + index_of(data, order[t]);
        const int64_t other = USERS + drawn_item(data, user, t, desc->seed);
        const double *const own[] = {f->values + user * FACTORS, f->values + item * FACTORS,
                                     f->values + other * FACTORS};
        sum += log1p(exp(product(propagated[user], propagated[other]) -
                         product(propagated[user], propagated[item])));
        for (int i = 0; i < 3; ++i)
            sum += 0.3 / 2 * product(own[i], own[i]);
    }
    return sum / (double)pairs;
}

static void gradients_are_those_of_a_plain_answer(void **state) {
    sparcl_data *const data = make_items(ALL, USERS, ITEMS);
    check_gradient_on(*state, data, loss_of_pairs, "bpr:factors=5,init=0.5,penalty=0.3",
                      SPARCL_LOSS_LOGISTIC, NULL);
    check_gradient_on(*state, data, loss_of_pairs,
                      "lightgcn:factors=5,init=0.5,penalty=0.3,layers=2", SPARCL_LOSS_LOGISTIC,
                      NULL);
    sparcl_data_free(data);
}

/* --- training --------------------------------------------------------------------------------- */

static sparcl_model *train(sparcl_ctx *ctx, const sparcl_data *data, const sparcl_data *valid,
                           const char *text, int64_t epochs, sparcl_train_result *result) {
    const sparcl_architecture *const a = must_parse(text);
    sparcl_train_desc desc = run_of(a, SPARCL_LOSS_LOGISTIC, SPARCL_RULE_ADAM);
    desc.l2 = 0;
    desc.optim.lr = 0.02;
    desc.epochs = epochs;
    if (result) desc.patience = 5;
    sparcl_model *const model = must_train(ctx, data, valid, &desc, result);
    sparcl_architecture_free(a);
    return model;
}

static sparcl_rank_metrics must_rank(sparcl_ctx *ctx, const sparcl_model *model,
                                     const sparcl_data *known, const sparcl_data *test, int64_t k) {
    sparcl_rank_metrics m;
    sparcl_error error = {0};
    assert_done(error, sparcl_rank_eval(ctx, model, known, test, k, &m, &error));
    return m;
}

static const char *const learners[] = {"bpr:factors=16,penalty=0", "lightgcn:factors=16,penalty=0"};

/* Nothing is known, so that the items of the training may be ranked. */
static sparcl_data *nothing(void) {
    static const int64_t offsets[NODES + 1];
    const sparcl_data_arrays arrays = {.rows = USERS, .columns = ITEMS, .offsets = offsets};
    sparcl_data *data = NULL;
    sparcl_error error = {0};
    assert_done(error, sparcl_data_create(&data, &arrays, &error));
    return data;
}

static void items_can_be_learnt_by_heart(void **state) {
    sparcl_data *const data = make_items(ALL, USERS, ITEMS), *const none = nothing();
    sparcl_model *const model = train(*state, data, NULL, learners[0], 300, NULL);
    const sparcl_rank_metrics m = must_rank(*state, model, none, data, 5);
    print_message("           recall %.3f, ndcg %.3f\n", m.recall, m.ndcg);
    assert_true(m.users == USERS - 1 && m.k == 5 && m.recall > 0.95 && m.ndcg > 0.99);
    sparcl_model_free(model);
    sparcl_data_free(none);
    sparcl_data_free(data);
}

static void a_model_is_read_back(void **state) {
    for (size_t i = 0; i < COUNT(learners); ++i) {
        sparcl_data *const data = make_items(MOST, USERS, ITEMS), *const test = make_items(
                                                                      OTHERS, USERS, ITEMS);
        sparcl_model *const model = train(*state, data, NULL, learners[i], 4, NULL), *back = NULL;
        sparcl_error error = {0};
        assert_done(error, sparcl_model_save(model, path, &error));
        assert_done(error, sparcl_model_load(&back, path, &error));
        assert_true(same_values(model, back));
        assert_int_equal(sparcl_model_get_info(back)->columns, ITEMS);
        const sparcl_rank_metrics m = must_rank(*state, model, data, test, 3);
        const sparcl_rank_metrics n = must_rank(*state, back, data, test, 3);
        assert_memory_equal(&m, &n, sizeof m);
        sparcl_model_free(back);
        sparcl_model_free(model);
        sparcl_data_free(test);
        sparcl_data_free(data);
        unlink(path);
    }
}

static void patience_keeps_the_best_pass(void **state) {
    for (size_t i = 0; i < COUNT(learners); ++i) {
        sparcl_data *const data = make_items(MOST, USERS, ITEMS), *const valid = make_items(
                                                                      OTHERS, USERS, ITEMS);
        sparcl_train_result result;
        sparcl_model *const best = train(*state, data, valid, learners[i], 400, &result);
        assert_true(result.epochs == result.best_epoch + 5 || result.epochs == 400);
        assert_true(isfinite(result.loss) && result.loss < log(2));
        sparcl_model *const again = train(*state, data, NULL, learners[i], result.best_epoch, NULL);
        assert_true(same_values(best, again));
        sparcl_model_free(again);
        sparcl_model_free(best);
        sparcl_data_free(valid);
        sparcl_data_free(data);
    }
}

/* --- rankings --------------------------------------------------------------------------------- */

/* The items that a user does not know in the order of scores. */
static int order_by(const sparcl_data *known, int64_t user, const double scores[ITEMS],
                    int order[ITEMS]) {
    int count = 0;
    for (int i = 0; i < ITEMS; ++i) {
        if (stores(known, user, i)) continue;
        int at = count++;
        for (; at > 0 && scores[order[at - 1]] < scores[i]; --at)
            order[at] = order[at - 1];
        order[at] = i;
    }
    return count;
}

static int order_items(const sparcl_data *known, int64_t user, int order[ITEMS]) {
    double scores[ITEMS];
    for (int i = 0; i < ITEMS; ++i)
        scores[i] = product(propagated[user], propagated[USERS + i]);
    return order_by(known, user, scores, order);
}

/* By how many users have an item. */
static int order_popular(const sparcl_data *known, int64_t user, int order[ITEMS]) {
    double users[ITEMS] = {0};
    for (int i = 0; i < ITEMS; ++i)
        for (int u = 0; u < USERS; ++u)
            users[i] += stores(known, u, i);
    return order_by(known, user, users, order);
}

static sparcl_rank_metrics rank_in_plain_c(const sparcl_data *known, const sparcl_data *test, int k,
                                           int (*order_of)(const sparcl_data *, int64_t,
                                                           int[ITEMS])) {
    sparcl_rank_metrics m = {.k = k};
    for (int u = 0; u < USERS; ++u) {
        int order[ITEMS], hits = 0, relevant = 0;
        const int count = order_of(known, u, order);
        double gains = 0, best = 0;
        for (int i = 0; i < ITEMS; ++i)
            relevant += stores(test, u, i);
        for (int i = 0; i < ITEMS; ++i)
            m.known_pairs += stores(test, u, i) && stores(known, u, i);
        m.pairs += relevant;
        if (relevant == 0) continue;
        for (int i = 0; i < k; ++i) {
            if (i < relevant) best += 1 / log2(2 + i);
            if (i >= count || !stores(test, u, order[i])) continue;
            ++hits;
            gains += 1 / log2(2 + i);
        }
        ++m.users;
        m.recall += (double)hits / relevant;
        m.precision += (double)hits / k;
        m.ndcg += gains / best;
        m.hit_rate += hits > 0;
    }
    m.recall /= (double)m.users;
    m.precision /= (double)m.users;
    m.ndcg /= (double)m.users;
    m.hit_rate /= (double)m.users;
    return m;
}

static void metrics_are_those_of_a_plain_answer(void **state) {
    static const char *const models[] = {"bpr:factors=5", "lightgcn:factors=5,layers=2"};
    for (size_t i = 0; i < COUNT(models); ++i) {
        sparcl_data *const data = make_items(MOST, USERS, ITEMS);
        sparcl_data *const test = make_items(OTHERS, USERS - 3, ITEMS);
        sparcl_model *const model = train(*state, data, NULL, models[i], 6, NULL);
        flat f = flatten(model);
        fill_table(&f, data);
        for (int k = 1; k <= ITEMS; k += 4) {
            const sparcl_rank_metrics m = must_rank(*state, model, data, test, k);
            const sparcl_rank_metrics n = rank_in_plain_c(data, test, k, order_items);
            const sparcl_rank_metrics p = rank_in_plain_c(data, test, k, order_popular);
            assert_true(m.users == n.users && m.k == k && m.users > 15);
            assert_true(m.pairs == n.pairs && m.known_pairs == n.known_pairs);
            assert_true(fabs(m.recall - n.recall) < 1e-12 && fabs(m.ndcg - n.ndcg) < 1e-12);
            assert_true(m.precision == n.precision && m.hit_rate == n.hit_rate);
            assert_true(fabs(m.popular_recall - p.recall) < 1e-12);
            assert_true(fabs(m.popular_ndcg - p.ndcg) < 1e-12);
        }
        free(f.values);
        sparcl_model_free(model);
        sparcl_data_free(test);
        sparcl_data_free(data);
    }
}

static void pairs_that_are_known_are_counted(void **state) {
    sparcl_data *const data = make_items(MOST, USERS, ITEMS), *const none = nothing();
    sparcl_data *const all = make_items(ALL, USERS, ITEMS);
    sparcl_model *const model = train(*state, data, NULL, "bpr:factors=5", 1, NULL);
    const int64_t most = sparcl_data_get_info(data)->entries;
    const int64_t entries = sparcl_data_get_info(all)->entries;
    const sparcl_rank_metrics m = must_rank(*state, model, data, all, 3);
    assert_true(m.pairs == entries && m.known_pairs == most && 0 < most && most < entries);
    assert_int_equal(must_rank(*state, model, none, all, 3).known_pairs, 0);
    sparcl_model_free(model);
    sparcl_data_free(all);
    sparcl_data_free(none);
    sparcl_data_free(data);
}

static void recommendations_are_in_order_and_unknown(void **state) {
    sparcl_data *const data = make_items(ALL, USERS, ITEMS);
    sparcl_model *const model = train(*state, data, NULL, "bpr:factors=5", 6, NULL);
    int64_t items[USERS * ITEMS], first[USERS];
    float scores[USERS * ITEMS];
    sparcl_error error = {0};
    flat f = flatten(model);
    fill_table(&f, data);
    assert_done(error, sparcl_recommend(*state, model, data, ITEMS, items, scores, &error));
    for (int u = 0; u < USERS; ++u) {
        int order[ITEMS];
        const int count = order_items(data, u, order);
        assert_int_equal(count, u == 4 ? ITEMS : u == 5 ? 0 : count);
        for (int i = 0; i < ITEMS; ++i) {
            assert_int_equal(items[u * ITEMS + i], i < count ? order[i] : -1);
            if (i < count)
                assert_true(fabs((double)scores[u * ITEMS + i] -
                                 product(propagated[u], propagated[USERS + order[i]])) < 1e-5);
        }
    }
    assert_done(error, sparcl_recommend(*state, model, data, 1, first, NULL, &error));
    for (int u = 0; u < USERS; ++u)
        assert_int_equal(first[u], items[u * ITEMS]);
    free(f.values);
    sparcl_model_free(model);
    sparcl_data_free(data);
}

/* --- refusals --------------------------------------------------------------------------------- */

static void what_does_not_fit_is_refused(void **state) {
    sparcl_data *const data = make_items(MOST, USERS, ITEMS), *const none = nothing();
    sparcl_data *const wide = make_items(OTHERS, USERS, ITEMS + 2), *const tall = make_items(
                                                                        OTHERS, USERS + 1, ITEMS);
    const sparcl_architecture *const a = must_parse("bpr:factors=2"), *const l =
                                                                          must_parse("lightgcn");
    sparcl_train_desc desc = run_of(a, SPARCL_LOSS_SOFTMAX, SPARCL_RULE_SGD);
    sparcl_model *model;
    sparcl_metrics m;
    sparcl_error error;
    double label[USERS];
    float p[USERS];
    assert_failed(error, sparcl_train(*state, &model, data, NULL, &desc, NULL, &error),
                  SPARCL_E_ARG,
                  "loss is softmax, expected logistic: a model of the kind bpr ranks items");
    desc.loss = SPARCL_LOSS_LOGISTIC;
    desc.l2 = 0;
    assert_failed(error, sparcl_train(*state, &model, none, NULL, &desc, NULL, &error),
                  SPARCL_E_FORMAT, "expected entries, an item of a user each, found none");
    assert_failed(error, sparcl_train(*state, &model, data, wide, &desc, NULL, &error),
                  SPARCL_E_FORMAT,
                  "expected at most the 29 users and 13 items of the training data");
    assert_failed(error, sparcl_train(*state, &model, data, tall, &desc, NULL, &error),
                  SPARCL_E_FORMAT, "found 30 and 13");
    model = must_train(*state, data, NULL, &desc, NULL);
    assert_failed(error, sparcl_eval(*state, model, data, &m, &error), SPARCL_E_ARG,
                  "ranks items; use sparcl_rank_eval");
    assert_failed(error, sparcl_predict(*state, model, data, label, p, &error), SPARCL_E_ARG,
                  "use sparcl_rank_eval or sparcl_recommend");
    sparcl_model_free(model);
    sparcl_data *const negative = make_data(SPARCL_LOSS_SQUARED, 3);
    desc.architecture = l;
    assert_failed(error, sparcl_train(*state, &model, negative, NULL, &desc, NULL, &error),
                  SPARCL_E_FORMAT, "expected weights of edges from 0");
    sparcl_data_free(negative);
    sparcl_architecture_free(l);
    sparcl_architecture_free(a);
    sparcl_data_free(tall);
    sparcl_data_free(wide);
    sparcl_data_free(none);
    sparcl_data_free(data);
}

static void wrong_evaluations_are_refused(void **state) {
    sparcl_data *const data = make_items(MOST, USERS, ITEMS);
    sparcl_data *const wide = make_items(OTHERS, USERS, ITEMS + 2), *const tall = make_items(
                                                                        OTHERS, USERS + 1, ITEMS);
    sparcl_model *model = train(*state, data, NULL, "bpr:factors=2", 1, NULL);
    sparcl_rank_metrics m;
    int64_t items[USERS];
    sparcl_error error;
    assert_failed(error, sparcl_rank_eval(*state, model, data, wide, 3, &m, &error),
                  SPARCL_E_FORMAT,
                  "expected at most the 29 users and 13 items of the training, found 29 and 15");
    assert_failed(error, sparcl_rank_eval(*state, model, data, tall, 3, &m, &error),
                  SPARCL_E_FORMAT, "found 30 and 13");
    assert_failed(error, sparcl_rank_eval(*state, model, wide, data, 3, &m, &error),
                  SPARCL_E_FORMAT, "expected at most the model's 13 columns");
    assert_failed(error, sparcl_rank_eval(*state, model, tall, data, 3, &m, &error),
                  SPARCL_E_FORMAT,
                  "parameter factors has 42 rows and 84 elements, these data need 43");
    assert_failed(error, sparcl_rank_eval(*state, model, data, data, 14, &m, &error), SPARCL_E_ARG,
                  "k is 14, expected 1 to the 13 items");
    assert_failed(error, sparcl_rank_eval(*state, model, data, NULL, 3, &m, &error), SPARCL_E_ARG,
                  "NULL");
    assert_failed(error, sparcl_recommend(*state, model, data, 1, NULL, NULL, &error), SPARCL_E_ARG,
                  "items is NULL");
    assert_failed(error, sparcl_recommend(*state, model, NULL, 1, items, NULL, &error),
                  SPARCL_E_ARG, "known is NULL");
    sparcl_model_free(model);
    sparcl_data *const rows = make_data(SPARCL_LOSS_LOGISTIC, 3);
    const sparcl_train_desc desc = small_run(SPARCL_LOSS_LOGISTIC, SPARCL_RULE_SGD);
    model = must_train(*state, rows, NULL, &desc, NULL);
    assert_failed(error, sparcl_recommend(*state, model, rows, 1, items, NULL, &error),
                  SPARCL_E_ARG, "a model of the kind linear does not rank items");
    sparcl_model_free(model);
    sparcl_data_free(rows);
    sparcl_data_free(tall);
    sparcl_data_free(wide);
    sparcl_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_are_those_of_a_plain_answer),
        cmocka_unit_test(items_can_be_learnt_by_heart),
        cmocka_unit_test(a_model_is_read_back),
        cmocka_unit_test(patience_keeps_the_best_pass),
        cmocka_unit_test(metrics_are_those_of_a_plain_answer),
        cmocka_unit_test(pairs_that_are_known_are_counted),
        cmocka_unit_test(recommendations_are_in_order_and_unknown),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(wrong_evaluations_are_refused),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
