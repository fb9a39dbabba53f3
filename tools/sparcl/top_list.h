/* top_list.h: the largest of many values, with the rows that they are of. */
#ifndef SPARCL_TOOL_TOP_LIST_H
#define SPARCL_TOOL_TOP_LIST_H

#include <stdbool.h>
#include <stdint.h>

typedef struct top_entry {
    int64_t row;
    double key;   /* what is compared */
    double value; /* what is shown */
} top_entry;

/* A heap, whose smallest entry is the first one; of equal keys the later row is the smaller entry.
 */
typedef struct top_list {
    top_entry *entries;
    int64_t count, capacity;
} top_list;

/* False: out of memory. */
bool top_list_create(top_list *list, int64_t capacity);
void top_list_offer(top_list *list, top_entry entry);
/* The largest key first; nothing may be offered afterwards. */
void top_list_sort(top_list *list);
void top_list_free(top_list *list);

#endif
