/* top_list.c: the largest of many values, with the rows that they are of. */
#include "top_list.h"

#include <stdlib.h>

bool top_list_create(top_list *list, int64_t capacity) {
    *list = (top_list){.entries = calloc((size_t)capacity + 1, sizeof *list->entries),
                       .capacity = capacity};
    return list->entries != NULL;
}

void top_list_free(top_list *list) {
    free(list->entries);
}

static bool is_below(const top_entry *a, const top_entry *b) {
    return a->key != b->key ? a->key < b->key : a->row > b->row;
}

static void swap(top_entry *a, top_entry *b) {
    const top_entry kept = *a;
    *a = *b;
    *b = kept;
}

static void rise(top_entry *heap, int64_t at) {
    for (; at > 0 && is_below(&heap[at], &heap[(at - 1) / 2]); at = (at - 1) / 2)
        swap(&heap[at], &heap[(at - 1) / 2]);
}

static void sink(top_entry *heap, int64_t count) {
    for (int64_t at = 0, child; (child = 2 * at + 1) < count; at = child) {
        child += child + 1 < count && is_below(&heap[child + 1], &heap[child]);
        if (!is_below(&heap[child], &heap[at])) return;
        swap(&heap[child], &heap[at]);
    }
}

void top_list_offer(top_list *list, top_entry entry) {
    if (list->count < list->capacity) {
        list->entries[list->count] = entry;
        rise(list->entries, list->count++);
    } else if (list->capacity > 0 && is_below(&list->entries[0], &entry)) {
        list->entries[0] = entry;
        sink(list->entries, list->count);
    }
}

static int compare(const void *a, const void *b) {
    return is_below(a, b) ? 1 : is_below(b, a) ? -1 : 0;
}

void top_list_sort(top_list *list) {
    qsort(list->entries, (size_t)list->count, sizeof *list->entries, compare);
}
