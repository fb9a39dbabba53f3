/* pairs.c: the entries of a matrix of users and items, in batches. */
#include "train/pairs.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/size.h"
#include "model/core.h"
#include "train/adjacency.h"
#include "train/csr_arrays.h"
#include "train/problem.h"

/* --- users and items as nodes ----------------------------------------------------------------- */

static sparcl_status upload_known(spc_bipartite *to, sparcl_ctx *ctx, const sparcl_data *data,
                                  sparcl_error *error) {
    const int64_t entries = sparcl_data_get_info(data)->entries;
    const int64_t *const offsets = sparcl_data_offsets(data);
    const size_t bytes = ((size_t)to->nodes + 1) * 8 + (size_t)entries * 4;
    int64_t *const own = malloc(((size_t)to->nodes + 1) * sizeof *own);
    int32_t *const columns = malloc((size_t)entries * sizeof *columns + 1);
    sparcl_status status = SPARCL_OK;
    if (!own || !columns) SPC_GO(spc_fail_memory(error, "items", bytes));
    for (int64_t i = 0; i <= to->nodes; ++i)
        own[i] = i < to->users ? offsets[i] : entries;
    for (int64_t k = 0; k < entries; ++k)
        columns[k] = (int32_t)(to->users + spc_data_column(data, k));
    to->known = (sparcl_csr){.rows = to->nodes,
                             .cols = to->nodes,
                             .nnz = entries,
                             .offset_type = SPARCL_INDEX64,
                             .index_type = SPARCL_INDEX32};
    SPC_GO(spc_core(ctx,
                    sparcl_csr_upload(ctx, &to->known, own, columns, sparcl_data_values(data),
                                      SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE),
                    error));
done:
    free(own);
    free(columns);
    return status;
}

sparcl_status spc_bipartite_open(spc_bipartite *to, sparcl_ctx *ctx, const sparcl_data *data,
                                 int64_t items, sparcl_adjacency kind, sparcl_error *error) {
    const int64_t users = sparcl_data_get_info(data)->rows;
    *to = (spc_bipartite){.users = users, .nodes = users + items};
    SPC_TRY(spc_check_entries(data, error));
    if (to->nodes > INT32_MAX || items < 1)
        return spc_refuse_data(data, -1, error,
                               "expected items, and at most 2^31 - 1 users and items, found %lld "
                               "users and %lld items",
                               (long long)users, (long long)items);
    SPC_TRY(upload_known(to, ctx, data, error));
    if (kind == SPARCL_ADJACENCY_NONE) return SPARCL_OK;
    SPC_TRY(spc_adjacency_make(ctx, &to->adjacency, data, users, items, kind, error));
    return SPARCL_OK;
}

void spc_bipartite_close(spc_bipartite *graph) {
    sparcl_csr_free(&graph->known);
    sparcl_csr_free(&graph->adjacency);
    memset(graph, 0, sizeof *graph);
}

/* --- pairs ------------------------------------------------------------------------------------ */

static sparcl_status check(const sparcl_data *data, const spc_bipartite *graph,
                           sparcl_error *error) {
    const sparcl_data_info *const info = sparcl_data_get_info(data);
    const int64_t items = graph->nodes - graph->users;
    if (info->entries == 0)
        return spc_refuse_data(data, -1, error,
                               "expected entries, an item of a user each, found none; use another "
                               "file");
    if (info->rows <= graph->users && info->columns <= items) return SPARCL_OK;
    return spc_refuse_data(data, -1, error,
                           "expected at most the %lld users and %lld items of the training data, "
                           "found %lld and %lld",
                           (long long)graph->users, (long long)items, (long long)info->rows,
                           (long long)info->columns);
}

static sparcl_status copy_pairs(spc_pairs *p, const sparcl_data *data, sparcl_error *error) {
    const int64_t rows = sparcl_data_get_info(data)->rows;
    const int64_t *const offsets = sparcl_data_offsets(data);
    const size_t bytes = (size_t)p->count * sizeof *p->user_of;
    p->user_of = malloc(bytes);
    p->item_of = malloc(bytes);
    if (!p->user_of || !p->item_of) return spc_fail_memory(error, "pairs", 2 * bytes);
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t k = offsets[i]; k < offsets[i + 1]; ++k) {
            p->user_of[k] = (int32_t)i;
            p->item_of[k] = (int32_t)(p->users + spc_data_column(data, k));
        }
    return SPARCL_OK;
}

static sparcl_list list_of(const spc_pairs *p, int64_t count) {
    return (sparcl_list){.count = count, .limit = p->nodes, .index_type = SPARCL_INDEX32};
}

/* What a batch has beside its pairs: drawn items, and the labels 1. */
static sparcl_status open_batch(spc_pairs *p, sparcl_error *error) {
    const size_t bytes = (size_t)p->capacity * sizeof(float);
    float *const ones = malloc(bytes);
    if (!ones) return spc_fail_memory(error, "labels", bytes);
    for (int64_t i = 0; i < p->capacity; ++i)
        ones[i] = 1;
    p->other = list_of(p, p->capacity);
    p->ones = (sparcl_dense){.rank = 1, .shape = {p->capacity}};
    sparcl_status status = sparcl_list_create(p->ctx, &p->other);
    if (status == SPARCL_OK) status = sparcl_dense_upload(p->ctx, &p->ones, ones);
    free(ones);
    return spc_core(p->ctx, status, error);
}

sparcl_status spc_pairs_open(spc_pairs *p, sparcl_ctx *ctx, const sparcl_data *data,
                             const spc_bipartite *graph, int64_t capacity, uint64_t seed,
                             sparcl_error *error) {
    *p = (spc_pairs){.ctx = ctx,
                     .users = graph->users,
                     .nodes = graph->nodes,
                     .count = sparcl_data_get_info(data)->entries,
                     .seed = seed,
                     .known = &graph->known,
                     .adjacency = &graph->adjacency};
    SPC_TRY(spc_check_pairs(data, error));
    SPC_TRY(check(data, graph, error));
    p->capacity = spc_min_i64(capacity, p->count);
    SPC_TRY(copy_pairs(p, data, error));
    p->user = p->item = list_of(p, p->count);
    SPC_TRY(spc_core(ctx, sparcl_list_create(ctx, &p->user), error));
    SPC_TRY(spc_core(ctx, sparcl_list_create(ctx, &p->item), error));
    SPC_TRY(open_batch(p, error));
    return spc_pairs_pass(p, NULL, error);
}

void spc_pairs_close(spc_pairs *p) {
    sparcl_list_free(&p->user);
    sparcl_list_free(&p->item);
    sparcl_list_free(&p->other);
    sparcl_dense_free(&p->ones);
    free(p->user_of);
    free(p->item_of);
    memset(p, 0, sizeof *p);
}

int64_t spc_pairs_bytes(const spc_pairs *p) {
    return sparcl_buf_bytes(p->user.indices) + sparcl_buf_bytes(p->item.indices) +
           sparcl_buf_bytes(p->other.indices) + sparcl_buf_bytes(p->ones.values);
}

static sparcl_status put(spc_pairs *p, sparcl_list *to, const int32_t *from, const int64_t *order,
                         int32_t *ordered, sparcl_error *error) {
    for (int64_t k = 0; order && k < p->count; ++k)
        ordered[k] = from[order[k]];
    to->proof.flags = SPARCL_TRUSTED;
    return spc_core(p->ctx,
                    sparcl_buf_write(p->ctx, to->indices, 0, p->count * 4, order ? ordered : from),
                    error);
}

sparcl_status spc_pairs_pass(spc_pairs *p, const int64_t *order, sparcl_error *error) {
    const size_t bytes = (size_t)p->count * sizeof(int32_t);
    int32_t *const ordered = order ? malloc(bytes) : NULL;
    if (order && !ordered) return spc_fail_memory(error, "pairs", bytes);
    sparcl_status status = put(p, &p->user, p->user_of, order, ordered, error);
    if (status == SPARCL_OK) status = put(p, &p->item, p->item_of, order, ordered, error);
    free(ordered);
    return status;
}

static sparcl_list part_of(const sparcl_list *list, int64_t first, int64_t count) {
    sparcl_list part = *list;
    part.count = count;
    part.indices_at = first;
    return part;
}

sparcl_status spc_pairs_batch(spc_pairs *p, int64_t first, int64_t count, uint64_t number,
                              spc_inputs *in, sparcl_error *error) {
    *in = (spc_inputs){.labels = p->ones,
                       .adjacency = *p->adjacency,
                       .user = part_of(&p->user, first, count),
                       .item = part_of(&p->item, first, count),
                       .other = part_of(&p->other, 0, count)};
    in->labels.shape[0] = count;
    return spc_core(
        p->ctx,
        sparcl_negative_samples(p->ctx, &in->other, p->known, &in->user, p->users, p->seed, number),
        error);
}

/* --- losses ----------------------------------------------------------------------------------- */

static sparcl_status score(void *source, spc_forward *f, const spc_scores *out,
                           sparcl_error *error) {
    spc_pairs *const p = source;
    sparcl_graph *const g = f->model.build.graph;
    double total = 0;
    SPC_TRY(spc_core(f->ctx, sparcl_graph_reserve(g, f->model.build.rows, p->capacity), error));
    for (int64_t first = 0, count; first < p->count; first += count) {
        spc_inputs in;
        count = spc_min_i64(p->capacity, p->count - first);
        SPC_TRY(spc_pairs_batch(p, first, count, UINT64_MAX - (uint64_t)first, &in, error));
        if (first == 0) SPC_TRY(spc_core(f->ctx, spc_model_graph_bind_all(&f->model, &in), error));
        SPC_TRY(spc_core(f->ctx, spc_model_graph_bind(&f->model, &in), error));
        SPC_TRY(spc_forward_run(f, first, out, &total, error));
    }
    if (out->mean_loss) *out->mean_loss = total / (double)p->count;
    return SPARCL_OK;
}

spc_scored spc_scored_pairs(spc_pairs *pairs) {
    return (spc_scored){score, pairs};
}
