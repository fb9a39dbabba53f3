/* user_items.c: what users have: the data of a ranking. */
#include "user_items.h"

#include <stdbool.h>

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

exit_code keep_pairs(sparcl_data **data) {
    sparcl_data *part = NULL;
    sparcl_error error = {0};
    if (!is_ratings(*data)) return EXIT_OK;
    const sparcl_status status = sparcl_data_of_ratings(*data, &part, &error);
    sparcl_data_free(*data);
    *data = part;
    return status == SPARCL_OK ? EXIT_OK : report(&error);
}
