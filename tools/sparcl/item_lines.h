/* item_lines.h: the lines of sparcl predict for a ranking, one for each user. */
#ifndef SPARCL_TOOL_ITEM_LINES_H
#define SPARCL_TOOL_ITEM_LINES_H

#include "output.h"
#include "pair_names.h"

typedef struct item_lines {
    int to; /* LINES_TSV, ... */
    int64_t k;
    const int64_t *items; /* [users, k], up to the first below 0 */
    const float *scores;  /* of these; or NULL: they are not printed */
} item_lines;

/* Of CSV, the names of the columns: user,item1,...,itemk, each item with its score. */
void print_item_heading(FILE *file, const item_lines *lines);

/* Of TSV: the user, where users have names, and a tab, and the items: with blanks between numbers,
 * with tabs between words and scores. */
exit_code print_items_of(FILE *file, const item_lines *lines, const pair_names *names,
                         int64_t user);

#endif
