/* pair_names.h: what the users and items of a ranking are called. */
#ifndef SPARCL_TOOL_PAIR_NAMES_H
#define SPARCL_TOOL_PAIR_NAMES_H

#include <stdbool.h>

#include "exit_codes.h"
#include "sparcl/data.h"
#include "sparcl/model.h"

/* All zero: by their numbers. */
typedef struct pair_names {
    const int64_t *users, *items; /* ids, or NULL */
    sparcl_csv_columns *words;    /* of users, then of items, or NULL */
    int64_t user_count;           /* of the words */
} pair_names;

/* The names of a model, with the users of data that were read for it; both must stay. Close it also
 * after a failure. */
exit_code pair_names_open(pair_names *names, const sparcl_model *model, const sparcl_data *data);
void pair_names_close(pair_names *names);

/* Users have names, which are printed. */
bool has_user_names(const pair_names *names);

typedef struct pair_name {
    const char *word; /* without a NUL; NULL: the number is the name */
    size_t length;
    int64_t id;
} pair_name;

pair_name name_of_user(const pair_names *names, int64_t user);
pair_name name_of_item(const pair_names *names, int64_t item);

#endif
