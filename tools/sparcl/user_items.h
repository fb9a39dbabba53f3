/* user_items.h: what users have: the data of a ranking. */
#ifndef SPARCL_TOOL_USER_ITEMS_H
#define SPARCL_TOOL_USER_ITEMS_H

#include "exit_codes.h"
#include "sparcl/data.h"

/* Replace an adjacency of users and items by the rows of the users. */
exit_code keep_users(int64_t users, sparcl_data **data);

/* Replace ratings by what users have; other data stay as they are. */
exit_code keep_pairs(sparcl_data **data);
/* The same of a file; a note counts users whose items a model does not know. */
exit_code keep_known_pairs(const char *path, sparcl_data **data);

#endif
