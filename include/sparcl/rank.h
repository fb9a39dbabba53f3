/* rank.h: evaluates and applies models that rank items for users (libsparcl-train). */
#ifndef SPARCL_RANK_H
#define SPARCL_RANK_H

#include "sparcl/data.h"
#include "sparcl/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A model of SPARCL_TASK_RANK is trained by sparcl_train from a data set with a row for each user
 * and an entry for each item that he has; values are the weights of edges for models that read an
 * adjacency, else they are not read, and so are labels. A step has `batch` such pairs, each with an
 * item that the user does not have, drawn by sparcl_negative_samples with the seed of the training.
 * The validation data of sparcl_train are such pairs too; their loss is with other drawn items.
 */

/** How good the first k items of each user are; means over the users with items in the test data.
 */
typedef struct sparcl_rank_metrics {
    int64_t users;       /**< users with items in the test data */
    int64_t k;           /**< items that are ranked for each */
    int64_t pairs;       /**< entries of the test data */
    int64_t known_pairs; /**< those that `known` has, too: never among the first k, so missed */
    double recall;       /**< the fraction of a user's test items that are among his first k */
    double precision;    /**< the fraction of the first k that are test items */
    double ndcg; /**< sum of 1 / log2(1 + rank) over the test items among the first k, divided by
                      its maximum (Jarvelin and Kekalainen, 2002) */
    double hit_rate; /**< the fraction of users with a test item among the first k */
    /* What recommending the same to all would have: the items that most users of `known` have. */
    double popular_recall; /**< as recall, of the k most popular items that a user has not */
    double popular_ndcg;   /**< as ndcg */
} sparcl_rank_metrics;

/**
 * Evaluate a ranking: for each user the k items with the highest scores are found, without those of
 * `known`, the data of the training; of equal scores the items with the lower numbers come first.
 *
 * Shapes    known: as many users as the model, with at most its items; test: at most as many users
 *           and items.
 * Errors    E_ARG: NULL, k is not 1 to the number of items, or the model does not rank items;
 *           E_FORMAT: sizes are not as above, or a weight is not; E_MEMORY; errors of the core.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_rank_eval(
    sparcl_ctx *ctx, const sparcl_model *model, const sparcl_data *known, const sparcl_data *test,
    int64_t k, sparcl_rank_metrics *metrics, sparcl_error *error);

/**
 * The first k items of each user, the best one first, and their scores: items[u * k + i] is an item
 * from 0, or -1 where a user has all but i items; `scores` may be NULL. Both have users * k
 * elements.
 *
 * Errors    as sparcl_rank_eval.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_recommend(sparcl_ctx *ctx,
                                                            const sparcl_model *model,
                                                            const sparcl_data *known, int64_t k,
                                                            int64_t *items, float *scores,
                                                            sparcl_error *error);

#ifdef __cplusplus
}
#endif

#endif
