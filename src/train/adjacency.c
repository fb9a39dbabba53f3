/* adjacency.c: the normalised matrix between nodes that a model reads, made on the host. */
#include "train/adjacency.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/size.h"
#include "model/core.h"
#include "train/csr_arrays.h"
#include "train/problem.h"

typedef struct edge {
    int32_t to;
    float weight;
} edge;

/* A symmetric matrix; rows are unsorted and have duplicates until they are merged. */
typedef struct matrix {
    int64_t nodes;
    int64_t *offsets; /* [nodes + 1] */
    edge *edges;
    int32_t *indices;
    float *values;
} matrix;

static sparcl_status check(const sparcl_data *edges, int64_t users, int64_t nodes,
                           sparcl_error *error) {
    const sparcl_data_info *const info = sparcl_data_get_info(edges);
    const float *const weights = sparcl_data_values(edges);
    SPC_TRY(spc_check_entries(edges, error));
    if (users == 0 && info->rows != info->columns)
        return spc_refuse_data(
            edges, -1, error,
            "expected a square matrix, an edge between two nodes for each entry, "
            "found %lld x %lld",
            (long long)info->rows, (long long)info->columns);
    if (nodes > INT32_MAX)
        return spc_refuse_data(edges, -1, error, "expected at most 2^31 - 1 nodes, found %lld",
                               (long long)nodes);
    for (int64_t k = 0; k < info->entries; ++k)
        if (!(weights[k] >= 0 && weights[k] < INFINITY))
            return spc_refuse_data(edges, -1, error,
                                   "expected weights of edges from 0, found %g in entry %lld",
                                   (double)weights[k], (long long)k);
    return SPARCL_OK;
}

/* Call for each edge, in both directions: those of a row in the order of its columns, but what
 * comes from other rows may lie between them. Edges of a node with itself are left out. */
static void for_each_edge(const sparcl_data *edges, int64_t users, matrix *m,
                          void (*take)(matrix *m, int64_t from, int64_t to, float weight)) {
    const int64_t rows = sparcl_data_get_info(edges)->rows;
    const int64_t *const offsets = sparcl_data_offsets(edges);
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t k = offsets[i]; k < offsets[i + 1]; ++k) {
            const int64_t j = users + spc_data_column(edges, k);
            const float weight = sparcl_data_values(edges)[k];
            if (i == j) continue;
            take(m, i, j, weight);
            take(m, j, i, weight);
        }
}

static void count(matrix *m, int64_t from, int64_t to, float weight) {
    (void)to;
    (void)weight;
    ++m->offsets[from + 1];
}

/* offsets[i] moves from the beginning of row i to its end. */
static void put(matrix *m, int64_t from, int64_t to, float weight) {
    m->edges[m->offsets[from]++] = (edge){(int32_t)to, weight};
}

static int compare(const void *a, const void *b) {
    const edge *const x = a, *const y = b;
    return x->to != y->to ? (x->to > y->to) - (x->to < y->to)
                          : (x->weight > y->weight) - (x->weight < y->weight);
}

/* Sort the edges of a node, and keep the largest weight of each; returns how many there are. */
static int64_t merge(edge *row, int64_t length) {
    int64_t kept = 0;
    qsort(row, (size_t)length, sizeof *row, compare);
    for (int64_t k = 0; k < length; ++k) {
        if (kept > 0 && row[kept - 1].to == row[k].to) --kept;
        row[kept++] = row[k];
    }
    return kept;
}

/* After put, offsets[i] is the end of row i. */
static void merge_rows(matrix *m) {
    int64_t begin = 0, at = 0;
    for (int64_t i = 0; i < m->nodes; ++i) {
        const int64_t end = m->offsets[i], kept = merge(m->edges + begin, end - begin);
        memmove(m->edges + at, m->edges + begin, (size_t)kept * sizeof *m->edges);
        m->offsets[i] = at;
        at += kept;
        begin = end;
    }
    m->offsets[m->nodes] = at;
}

static sparcl_status fill(matrix *m, const sparcl_data *edges, int64_t users, bool loops,
                          sparcl_error *error) {
    const int64_t entries = 2 * sparcl_data_get_info(edges)->entries + m->nodes;
    const size_t bytes = (size_t)(m->nodes + 2) * 8;
    m->offsets = calloc(1, bytes);
    m->edges = malloc((size_t)entries * sizeof *m->edges + 1);
    if (!m->offsets || !m->edges)
        return spc_fail_memory(error, "edges", bytes + (size_t)entries * sizeof *m->edges);
    for_each_edge(edges, users, m, count);
    for (int64_t i = 0; i < m->nodes; ++i)
        m->offsets[i + 1] += m->offsets[i] + loops;
    for (int64_t i = 0; loops && i < m->nodes; ++i)
        put(m, i, i, 1);
    for_each_edge(edges, users, m, put);
    merge_rows(m);
    return SPARCL_OK;
}

/* Weights divided by the roots of both nodes' sums; in double. */
static sparcl_status normalise(matrix *m, sparcl_error *error) {
    const int64_t entries = m->offsets[m->nodes];
    const size_t bytes = (size_t)(m->nodes + 1) * sizeof(double);
    double *const scale = calloc(1, bytes);
    m->indices = malloc((size_t)entries * sizeof *m->indices + 1);
    m->values = malloc((size_t)entries * sizeof *m->values + 1);
    if (!scale || !m->indices || !m->values) {
        free(scale);
        return spc_fail_memory(error, "edges", bytes + (size_t)entries * 8);
    }
    for (int64_t i = 0; i < m->nodes; ++i) {
        double sum = 0;
        for (int64_t k = m->offsets[i]; k < m->offsets[i + 1]; ++k)
            sum += (double)m->edges[k].weight;
        scale[i] = sum > 0 ? 1 / sqrt(sum) : 0;
    }
    for (int64_t i = 0; i < m->nodes; ++i)
        for (int64_t k = m->offsets[i]; k < m->offsets[i + 1]; ++k) {
            m->indices[k] = m->edges[k].to;
            m->values[k] = (float)(scale[i] * (double)m->edges[k].weight * scale[m->indices[k]]);
        }
    free(scale);
    return SPARCL_OK;
}

static sparcl_status upload(sparcl_ctx *ctx, sparcl_csr *to, const matrix *m, sparcl_error *error) {
    *to = (sparcl_csr){.rows = m->nodes,
                       .cols = m->nodes,
                       .nnz = m->offsets[m->nodes],
                       .offset_type = SPARCL_INDEX64,
                       .index_type = SPARCL_INDEX32};
    return spc_core(ctx,
                    sparcl_csr_upload(ctx, to, m->offsets, m->indices, m->values,
                                      SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE),
                    error);
}

sparcl_status spc_adjacency_make(sparcl_ctx *ctx, sparcl_csr *to, const sparcl_data *edges,
                                 int64_t users, int64_t items, sparcl_adjacency kind,
                                 sparcl_error *error) {
    matrix m = {.nodes = users + items};
    sparcl_status status = SPARCL_OK;
    *to = (sparcl_csr){.rows = 0};
    SPC_TRY(check(edges, users, m.nodes, error));
    SPC_GO(fill(&m, edges, users, kind == SPARCL_ADJACENCY_SELF_LOOPS, error));
    SPC_GO(normalise(&m, error));
    SPC_GO(upload(ctx, to, &m, error));
done:
    free(m.offsets);
    free(m.edges);
    free(m.indices);
    free(m.values);
    return status;
}
