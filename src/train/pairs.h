/* pairs.h: the entries of a sparse matrix of users and items, in batches, with items that the users
 * do not have. A user is a node of his row, an item a node after all users. */
#ifndef SPC_TRAIN_PAIRS_H
#define SPC_TRAIN_PAIRS_H

#include "train/score.h"

/* What users have: the entries of a data set, on the device. */
typedef struct spc_pairs {
    sparcl_ctx *ctx;
    int64_t users, nodes;
    int64_t count;              /* of pairs */
    int32_t *user_of, *item_of; /* [count]: on the host, as stored */
    sparcl_list user, item;     /* [count]: in the order of a pass */
    sparcl_list other;          /* [capacity]: of a batch */
    sparcl_dense ones;          /* [capacity] */
    int64_t capacity;
    uint64_t seed;
    const sparcl_csr *known;     /* [nodes, nodes]: what `other` is not */
    const sparcl_csr *adjacency; /* or without arrays */
} spc_pairs;

/* Users and items as nodes: the matrix [nodes, nodes] of what they have, and the adjacency. */
typedef struct spc_bipartite {
    int64_t users, nodes;
    sparcl_csr known, adjacency;
} spc_bipartite;

sparcl_status spc_bipartite_open(spc_bipartite *to, sparcl_ctx *ctx, const sparcl_data *data,
                                 int64_t items, sparcl_adjacency kind, sparcl_error *error);
void spc_bipartite_close(spc_bipartite *graph);

/* Pairs of a data set with at most the users and items of the graph, whose arrays must stay, in
 * batches of up to `capacity`. E_FORMAT: it has more of them, or no entries. */
sparcl_status spc_pairs_open(spc_pairs *pairs, sparcl_ctx *ctx, const sparcl_data *data,
                             const spc_bipartite *graph, int64_t capacity, uint64_t seed,
                             sparcl_error *error);
void spc_pairs_close(spc_pairs *pairs);
int64_t spc_pairs_bytes(const spc_pairs *pairs);

/* The order of the next batches; NULL: as stored. */
sparcl_status spc_pairs_pass(spc_pairs *pairs, const int64_t *order, sparcl_error *error);
/* Pairs first .. first + count - 1 of the order; `number` determines the items that are drawn. */
sparcl_status spc_pairs_batch(spc_pairs *pairs, int64_t first, int64_t count, uint64_t number,
                              spc_inputs *inputs, sparcl_error *error);

/* For losses: pairs as stored, with the same other items each time. */
spc_scored spc_scored_pairs(spc_pairs *pairs);

#endif
