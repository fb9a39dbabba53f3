/* rank_result.c: how good the first items of each user are, as JSON. */
#include "rank_result.h"

#include <stdio.h>

#include "output.h"

static void add(json_t *object, const char *prefix, const char *name, json_t *value) {
    char key[64];
    snprintf(key, sizeof key, "%s%s", prefix, name);
    json_object_set_new(object, key, value);
}

void rank_describe(json_t *object, const char *prefix, const sparcl_rank_metrics *m) {
    add(object, prefix, "users", json_integer((json_int_t)m->users));
    add(object, prefix, "k", json_integer((json_int_t)m->k));
    add(object, prefix, "recall", json_number(m->recall));
    add(object, prefix, "precision", json_number(m->precision));
    add(object, prefix, "ndcg", json_number(m->ndcg));
    add(object, prefix, "hit_rate", json_number(m->hit_rate));
    add(object, prefix, "popular_recall", json_number(m->popular_recall));
    add(object, prefix, "popular_ndcg", json_number(m->popular_ndcg));
}
