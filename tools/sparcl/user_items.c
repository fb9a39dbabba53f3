/* user_items.c: what users have: the data of a ranking. */
#include "user_items.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

#include "message.h"

/* Those of a file with an entry for the user and one for the item of each row; a table may be, and
 * is nothing else that can be ranked. */
static bool is_ratings(const sparcl_data *data) {
    return sparcl_data_csv_columns(data) ||
           (sparcl_data_get_info(data)->users > 0 && sparcl_data_labels(data));
}

exit_code keep_users(int64_t users, sparcl_data **data) {
    sparcl_data *part = NULL;
    sparcl_error error = {0};
    const sparcl_status status = sparcl_data_of_users(*data, users, &part, &error);
    sparcl_data_free(*data);
    *data = part;
    return status == SPARCL_OK ? EXIT_OK : report(&error);
}

static exit_code make_pairs(const sparcl_data *data, sparcl_data **part) {
    sparcl_error error = {0};
    return sparcl_data_of_ratings(data, part, &error) == SPARCL_OK ? EXIT_OK : report(&error);
}

exit_code keep_pairs(sparcl_data **data) {
    sparcl_data *part = NULL;
    if (!is_ratings(*data)) return EXIT_OK;
    const exit_code code = make_pairs(*data, &part);
    sparcl_data_free(*data);
    *data = part;
    return code;
}

static int64_t index_at(const sparcl_data *data, int64_t k) {
    const void *const indices = sparcl_data_indices(data);
    return sparcl_data_index_type(data) == SPARCL_INDEX64 ? ((const int64_t *)indices)[k]
                                                          : ((const int32_t *)indices)[k];
}

/* Known users whose items are all unknown: their rows have no other entry. */
static exit_code note_lost_users(const char *path, const sparcl_data *data,
                                 const sparcl_data *pairs) {
    const int64_t users = sparcl_data_get_info(pairs)->rows;
    const int64_t *const offsets = sparcl_data_offsets(data), *const kept =
                                                                  sparcl_data_offsets(pairs);
    bool *const lost = calloc((size_t)users + 1, sizeof *lost);
    int64_t count = 0;
    if (!lost) return out_of_memory();
    for (int64_t row = 0; row < sparcl_data_get_info(data)->rows; row++) {
        const int64_t user =
            offsets[row + 1] - offsets[row] == 1 ? index_at(data, offsets[row]) : users;
        if (user >= users || kept[user + 1] > kept[user] || lost[user]) continue;
        lost[user] = true;
        count++;
    }
    free(lost);
    if (count > 0)
        print_note("%s: %" PRId64 " known user%s only items that the training data does not have, "
                   "and %s left out",
                   path, count, count > 1 ? "s have" : " has", count > 1 ? "are" : "is");
    return EXIT_OK;
}

exit_code keep_known_pairs(const char *path, sparcl_data **data) {
    sparcl_data *part = NULL;
    if (!is_ratings(*data)) return EXIT_OK;
    exit_code code = make_pairs(*data, &part);
    if (code == EXIT_OK) code = note_lost_users(path, *data, part);
    sparcl_data_free(*data);
    *data = part;
    return code;
}
