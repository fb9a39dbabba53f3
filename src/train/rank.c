/* rank.c: the first items of each user. */
#include "sparcl/apply.h"
#include "sparcl/ops/conversions.h"
#include "sparcl/ops/products.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/size.h"
#include "model/core.h"
#include "model/model_object.h"
#include "train/adjacency.h"
#include "train/apply_model.h"
#include "train/popular_items.h"
#include "train/problem.h"

/* Scores of a block of users, at most. */
enum { BLOCK_SCORES = 1 << 23 };

/* Scores of items that a user has are below this, those of others above. */
static const float known_score = -1e30F;

typedef struct ranked {
    int32_t item;
    float score;
} ranked;

/* Items are ranked for blocks of users. */
typedef struct ranking {
    sparcl_ctx *ctx;
    const sparcl_data *known;
    int64_t users, items, k, block;
    sparcl_csr adjacency;
    spc_applied model;
    sparcl_dense table;  /* [users + items, width] */
    sparcl_dense scores; /* [block, items] */
    sparcl_csr top;      /* [block, items]: k of each row */
    ranked *first;       /* [block * k]: the best one first */
    int32_t *columns;    /* [block * k]: as they come from the device */
    float *values;
    int64_t *offsets; /* of the known items of a block */
    float *marks;
    size_t mark_count;
} ranking;

static sparcl_status check_arguments(sparcl_ctx *ctx, const sparcl_model *model,
                                     const sparcl_data *known, int64_t k, sparcl_error *error) {
    if (!ctx || !model || !known)
        return spc_fail(error, SPARCL_E_ARG, "rank: ctx, model or known is NULL");
    const int64_t items = sparcl_model_get_info(model)->columns;
    if (model->architecture.task != SPARCL_TASK_RANK)
        return spc_fail(error, SPARCL_E_ARG, "rank: a model of the kind %s does not rank items",
                        model->architecture.name);
    if (k < 1 || k > items)
        return spc_fail(error, SPARCL_E_ARG, "rank: k is %lld, expected 1 to the %lld items",
                        (long long)k, (long long)items);
    SPC_TRY(spc_check_pairs(known, error));
    return spc_check_width(known, items, error);
}

/* --- the table -------------------------------------------------------------------------------- */

static sparcl_status compute_table(ranking *r, const sparcl_model *model, sparcl_error *error) {
    const spc_scores nothing = {0};
    spc_forward_desc desc = spc_describe(model, r->known);
    spc_model_graph *const graph = &r->model.forward.model;
    desc.nodes = r->users + r->items;
    SPC_TRY(spc_applied_open(&r->model, r->ctx, model, &desc, &nothing, error));
    if (model->architecture.adjacency != SPARCL_ADJACENCY_NONE) {
        SPC_TRY(spc_adjacency_make(r->ctx, &r->adjacency, r->known, r->users, r->items,
                                   model->architecture.adjacency, error));
        const spc_inputs in = {.adjacency = r->adjacency};
        SPC_TRY(spc_core(r->ctx, spc_model_graph_bind_all(graph, &in), error));
    }
    sparcl_graph_output(graph->build.graph, graph->build.table);
    SPC_TRY(spc_core(r->ctx, sparcl_graph_forward(graph->build.graph), error));
    return spc_core(r->ctx, sparcl_graph_value(graph->build.graph, graph->build.table, &r->table),
                    error);
}

static sparcl_status allocate(ranking *r, sparcl_error *error) {
    const size_t count = (size_t)(r->block * r->k);
    r->scores = (sparcl_dense){.rank = 2, .shape = {r->block, r->items}};
    r->top = (sparcl_csr){.rows = r->block, .cols = r->items, .nnz = r->block * r->k};
    r->first = malloc(count * sizeof *r->first);
    r->columns = malloc(count * sizeof *r->columns);
    r->values = malloc(count * sizeof *r->values);
    r->offsets = malloc(((size_t)r->block + 1) * sizeof *r->offsets);
    if (!r->first || !r->columns || !r->values || !r->offsets)
        return spc_fail_memory(error, "items", count * 16);
    SPC_TRY(spc_core(r->ctx, sparcl_dense_create(r->ctx, &r->scores), error));
    return spc_core(r->ctx, sparcl_csr_create(r->ctx, &r->top), error);
}

static sparcl_status open_ranking(ranking *r, sparcl_ctx *ctx, const sparcl_model *model,
                                  const sparcl_data *known, int64_t k, sparcl_error *error) {
    *r = (ranking){.ctx = ctx,
                   .known = known,
                   .users = sparcl_data_get_info(known)->rows,
                   .items = sparcl_model_get_info(model)->columns,
                   .k = k};
    r->block = spc_max_i64(1, spc_min_i64(r->users, BLOCK_SCORES / r->items));
    SPC_TRY(compute_table(r, model, error));
    return allocate(r, error);
}

static void close_ranking(ranking *r) {
    spc_applied_close(&r->model);
    sparcl_csr_free(&r->adjacency);
    sparcl_dense_free(&r->scores);
    sparcl_csr_free(&r->top);
    free(r->first);
    free(r->columns);
    free(r->values);
    free(r->offsets);
    free(r->marks);
}

/* --- a block of users ------------------------------------------------------------------------- */

static sparcl_status grow_marks(ranking *r, int64_t count, sparcl_error *error) {
    const size_t wanted = (size_t)count + 1;
    if (wanted <= r->mark_count) return SPARCL_OK;
    float *const marks = realloc(r->marks, wanted * sizeof *marks);
    if (!marks) return spc_fail_memory(error, "items", wanted * sizeof *marks);
    for (size_t i = r->mark_count; i < wanted; ++i)
        marks[i] = 2 * known_score;
    r->marks = marks;
    r->mark_count = wanted;
    return SPARCL_OK;
}

/* scores := a very low number where a user has an item, else 0. */
static sparcl_status mark_known(ranking *r, int64_t first, int64_t count, const sparcl_dense *to,
                                sparcl_error *error) {
    const int64_t *const offsets = sparcl_data_offsets(r->known) + first;
    const sparcl_itype type = sparcl_data_index_type(r->known);
    sparcl_csr block = {.rows = count,
                        .cols = r->items,
                        .nnz = offsets[count] - offsets[0],
                        .offset_type = SPARCL_INDEX64,
                        .index_type = type};
    SPC_TRY(grow_marks(r, block.nnz, error));
    for (int64_t i = 0; i <= count; ++i)
        r->offsets[i] = offsets[i] - offsets[0];
    const char *const columns = sparcl_data_indices(r->known);
    sparcl_status status = sparcl_csr_upload(
        r->ctx, &block, r->offsets, columns + (size_t)offsets[0] * sparcl_itype_size(type),
        r->marks, SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE);
    if (status == SPARCL_OK) status = sparcl_csr_to_dense(r->ctx, to, &block);
    status = spc_core(r->ctx, status, error);
    sparcl_csr_free(&block);
    return status;
}

static sparcl_status score_block(ranking *r, int64_t first, int64_t count, sparcl_error *error) {
    sparcl_dense scores = r->scores, users = r->table, items = r->table;
    scores.shape[0] = users.shape[0] = count;
    items.shape[0] = r->items;
    users.values_at += first * users.shape[1];
    items.values_at += r->users * items.shape[1];
    SPC_TRY(mark_known(r, first, count, &scores, error));
    return spc_core(r->ctx,
                    sparcl_gemm(r->ctx, &scores, 1, SPARCL_OP_N, &users, SPARCL_OP_T, &items, 1,
                                SPARCL_MATH_EXACT),
                    error);
}

static int compare(const void *a, const void *b) {
    const ranked *const x = a, *const y = b;
    if (x->score != y->score) return (x->score < y->score) - (x->score > y->score);
    return (x->item > y->item) - (x->item < y->item);
}

/* first := the items of `count` users from the device, the best one first; -1 where a user has no
 * more that he does not know. */
static sparcl_status read_block(ranking *r, int64_t count, sparcl_error *error) {
    const int64_t found = count * r->k;
    sparcl_dense scores = r->scores;
    sparcl_csr top = r->top;
    scores.shape[0] = top.rows = count;
    top.nnz = found;
    sparcl_status status = sparcl_topk_rows(r->ctx, &top, &scores, r->k, SPARCL_TOPK_VALUE);
    if (status == SPARCL_OK)
        status = sparcl_buf_read(r->ctx, top.indices, 0, found * 4, r->columns);
    if (status == SPARCL_OK) status = sparcl_buf_read(r->ctx, top.values, 0, found * 4, r->values);
    SPC_TRY(spc_core(r->ctx, status, error));
    for (int64_t i = 0; i < found; ++i)
        r->first[i] = (ranked){r->values[i] > known_score ? r->columns[i] : -1, r->values[i]};
    for (int64_t u = 0; u < count; ++u)
        qsort(r->first + u * r->k, (size_t)r->k, sizeof *r->first, compare);
    return SPARCL_OK;
}

/* What takes the first items of each user. */
typedef void (*take_items)(void *to, const ranking *r, int64_t user, const ranked *items);

static sparcl_status rank_all(ranking *r, take_items take, void *to, sparcl_error *error) {
    for (int64_t first = 0; first < r->users; first += r->block) {
        const int64_t count = spc_min_i64(r->block, r->users - first);
        SPC_TRY(score_block(r, first, count, error));
        SPC_TRY(read_block(r, count, error));
        for (int64_t u = 0; u < count; ++u)
            take(to, r, first + u, r->first + u * r->k);
    }
    return SPARCL_OK;
}

/* --- metrics ---------------------------------------------------------------------------------- */

typedef struct evaluation {
    const sparcl_data *test;
    spc_popular_items popular;
    sparcl_rank_metrics sums;
} evaluation;

/* What a list of items is worth to a user. */
typedef struct worth {
    int64_t hits;
    double gains;
} worth;

static void add_item(worth *to, const sparcl_data *test, int64_t user, int64_t rank, int64_t item) {
    if (item < 0 || !spc_has_item(test, user, item)) return;
    to->gains += 1 / log2(2 + (double)rank);
    ++to->hits;
}

static double most_gains(int64_t count) {
    double sum = 0;
    for (int64_t i = 0; i < count; ++i)
        sum += 1 / log2(2 + (double)i);
    return sum;
}

static int64_t count_known(const ranking *r, const sparcl_data *test, int64_t user) {
    const int64_t *const offsets = sparcl_data_offsets(test);
    int64_t count = 0;
    for (int64_t i = offsets[user]; i < offsets[user + 1]; ++i)
        count += spc_has_item(r->known, user, spc_data_column(test, i));
    return count;
}

static void add_user(void *to, const ranking *r, int64_t user, const ranked *items) {
    evaluation *const e = to;
    sparcl_rank_metrics *const m = &e->sums;
    const int64_t *const offsets = sparcl_data_offsets(e->test);
    if (user >= sparcl_data_get_info(e->test)->rows) return;
    const int64_t relevant = offsets[user + 1] - offsets[user];
    worth own = {0}, popular = {0};
    int64_t at = 0;
    if (relevant == 0) return;
    for (int64_t i = 0; i < r->k; ++i) {
        add_item(&own, e->test, user, i, items[i].item);
        add_item(&popular, e->test, user, i, spc_popular_items_next(&e->popular, user, &at));
    }
    const double best = most_gains(spc_min_i64(r->k, relevant));
    ++m->users;
    m->pairs += relevant;
    m->known_pairs += count_known(r, e->test, user);
    m->recall += (double)own.hits / (double)relevant;
    m->precision += (double)own.hits / (double)r->k;
    m->ndcg += own.gains / best;
    m->hit_rate += own.hits > 0;
    m->popular_recall += (double)popular.hits / (double)relevant;
    m->popular_ndcg += popular.gains / best;
}

static void divide(sparcl_rank_metrics *m) {
    const double users = (double)m->users;
    m->recall /= users; /* NaN without users */
    m->precision /= users;
    m->ndcg /= users;
    m->hit_rate /= users;
    m->popular_recall /= users;
    m->popular_ndcg /= users;
}

static sparcl_status check_test(const sparcl_data *test, const sparcl_data *known, int64_t items,
                                sparcl_error *error) {
    const sparcl_data_info *const info = sparcl_data_get_info(test);
    const int64_t users = sparcl_data_get_info(known)->rows;
    SPC_TRY(spc_check_pairs(test, error));
    if (info->rows <= users && info->columns <= items) return SPARCL_OK;
    return spc_refuse_data(test, -1, error,
                           "expected at most the %lld users and %lld items of the training, found "
                           "%lld and %lld",
                           (long long)users, (long long)items, (long long)info->rows,
                           (long long)info->columns);
}

static sparcl_status evaluate(sparcl_ctx *ctx, const sparcl_model *model, const sparcl_data *known,
                              const sparcl_data *test, int64_t k, sparcl_rank_metrics *metrics,
                              sparcl_error *error) {
    ranking r = {0};
    evaluation e = {.test = test};
    sparcl_status status = SPARCL_OK;
    if (!test || !metrics) return spc_fail(error, SPARCL_E_ARG, "rank: test or metrics is NULL");
    SPC_TRY(check_arguments(ctx, model, known, k, error));
    SPC_TRY(check_test(test, known, sparcl_model_get_info(model)->columns, error));
    SPC_GO(open_ranking(&r, ctx, model, known, k, error));
    SPC_GO(spc_popular_items_open(&e.popular, known, r.items, error));
    SPC_GO(rank_all(&r, add_user, &e, error));
    divide(&e.sums);
    e.sums.k = k;
    *metrics = e.sums;
done:
    spc_popular_items_close(&e.popular);
    close_ranking(&r);
    return status;
}

sparcl_status sparcl_rank_eval(sparcl_ctx *ctx, const sparcl_model *model, const sparcl_data *known,
                               const sparcl_data *test, int64_t k, sparcl_rank_metrics *metrics,
                               sparcl_error *error) {
    sparcl_error found = {0};
    return sparcl_ctx_report(ctx, evaluate(ctx, model, known, test, k, metrics, &found), &found,
                             error);
}

/* --- recommendations -------------------------------------------------------------------------- */

typedef struct recommended {
    int64_t *items;
    float *scores;
} recommended;

static void copy_user(void *to, const ranking *r, int64_t user, const ranked *items) {
    const recommended *const c = to;
    for (int64_t i = 0; i < r->k; ++i) {
        c->items[user * r->k + i] = items[i].item;
        if (c->scores) c->scores[user * r->k + i] = items[i].score;
    }
}

static sparcl_status recommend(sparcl_ctx *ctx, const sparcl_model *model, const sparcl_data *known,
                               int64_t k, int64_t *items, float *scores, sparcl_error *error) {
    ranking r = {0};
    recommended to = {items, scores};
    sparcl_status status = SPARCL_OK;
    if (!items) return spc_fail(error, SPARCL_E_ARG, "rank: items is NULL");
    SPC_TRY(check_arguments(ctx, model, known, k, error));
    SPC_GO(open_ranking(&r, ctx, model, known, k, error));
    SPC_GO(rank_all(&r, copy_user, &to, error));
done:
    close_ranking(&r);
    return status;
}

sparcl_status sparcl_recommend(sparcl_ctx *ctx, const sparcl_model *model, const sparcl_data *known,
                               int64_t k, int64_t *items, float *scores, sparcl_error *error) {
    sparcl_error found = {0};
    return sparcl_ctx_report(ctx, recommend(ctx, model, known, k, items, scores, &found), &found,
                             error);
}
