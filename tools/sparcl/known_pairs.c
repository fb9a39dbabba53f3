/* known_pairs.c: a note where a ranking is evaluated with what users have. */
#include "known_pairs.h"

#include "message.h"

static int64_t item_at(const sparcl_data *data, int64_t entry) {
    const void *const items = sparcl_data_indices(data);
    return sparcl_data_index_type(data) == SPARCL_I64 ? ((const int64_t *)items)[entry]
                                                      : ((const int32_t *)items)[entry];
}

/* The items that both have of a user; those of a row ascend. */
static int64_t count_of_user(const sparcl_data *known, const sparcl_data *test, int64_t user) {
    const int64_t *const left = sparcl_data_offsets(known) + user;
    const int64_t *const right = sparcl_data_offsets(test) + user;
    int64_t count = 0;
    for (int64_t i = left[0], k = right[0]; i < left[1] && k < right[1];) {
        const int64_t has = item_at(known, i), wanted = item_at(test, k);
        count += has == wanted;
        i += has <= wanted;
        k += wanted <= has;
    }
    return count;
}

void print_known_pairs(const char *path, const sparcl_data *test, const char *where,
                       const sparcl_data *known) {
    const int64_t users = sparcl_data_get_info(known)->rows;
    const int64_t rows = sparcl_data_get_info(test)->rows;
    const int64_t pairs = sparcl_data_get_info(test)->entries;
    int64_t count = 0;
    for (int64_t user = 0; user < rows && user < users; user++)
        count += count_of_user(known, test, user);
    if (count == 0) return;
    print_note("%s: %lld of %lld pairs of a user and an item are also in %s, whose items are never "
               "recommended: %s",
               path, (long long)count, (long long)pairs, where,
               count == pairs
                   ? "recall, precision and ndcg are 0; evaluate pairs that were not trained on, "
                     "such as those that 'train --hold-out' or 'sparcl split' leaves out"
                   : "they count as missed; remove pairs that stand twice, or were trained on");
}
