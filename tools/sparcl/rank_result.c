/* rank_result.c: how good the first items of each user are, as JSON and notes. */
#include "rank_result.h"

#include <stdio.h>

#include "message.h"
#include "output.h"

static void add(json_t *object, const char *prefix, const char *name, json_t *value) {
    char key[64];
    snprintf(key, sizeof key, "%s%s", prefix, name);
    json_object_set_new(object, key, value);
}

void rank_describe(json_t *object, const char *prefix, const sparcl_rank_metrics *m) {
    add(object, prefix, "users", json_integer((json_int_t)m->users));
    add(object, prefix, "k", json_integer((json_int_t)m->k));
    add(object, prefix, "pairs", json_integer((json_int_t)m->pairs));
    add(object, prefix, "known_pairs", json_integer((json_int_t)m->known_pairs));
    add(object, prefix, "recall", json_number(m->recall));
    add(object, prefix, "precision", json_number(m->precision));
    add(object, prefix, "ndcg", json_number(m->ndcg));
    add(object, prefix, "hit_rate", json_number(m->hit_rate));
    add(object, prefix, "popular_recall", json_number(m->popular_recall));
    add(object, prefix, "popular_ndcg", json_number(m->popular_ndcg));
}

void print_known_pairs(const char *path, const char *known, const sparcl_rank_metrics *m) {
    if (m->known_pairs == 0) return;
    print_note("%s: %lld of %lld pairs of a user and an item are also in %s, whose items are never "
               "recommended: %s",
               path, (long long)m->known_pairs, (long long)m->pairs, known,
               m->known_pairs == m->pairs
                   ? "recall, precision and ndcg are 0; evaluate pairs that were not trained on, "
                     "such as those that 'train --hold-out' or 'sparcl split' leaves out"
                   : "they count as missed; remove pairs that stand twice, or were trained on");
}

bool print_worse_ranking(const sparcl_rank_metrics *m) {
    const bool is_found = m->ndcg < m->popular_ndcg;
    if (is_found)
        print_note("the ranking is worse than the most popular items, the same for all users: its "
                   "NDCG is %.4g, theirs %.4g; use more --epochs, or another --lr",
                   m->ndcg, m->popular_ndcg);
    return is_found;
}
