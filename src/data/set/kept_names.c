/* kept_names.c: the names that are hashed to some of the columns. */
#include "data/set/kept_names.h"

#include <pthread.h>
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"

enum { KEPT = 3, NAME_BYTES = 96 };

/* The first names in byte order, so that threads do not decide it. */
typedef struct column_names {
    char names[KEPT][NAME_BYTES];
    int count;
    bool has_more;
    char text[KEPT * (NAME_BYTES + 2) + 8]; /* all of them, when they are asked for */
} column_names;

struct spc_kept_names {
    pthread_mutex_t lock;
    int64_t count;
    int64_t *columns; /* [count], ascending */
    column_names *of; /* [count] */
};

sparcl_status spc_kept_names_create(spc_kept_names **names, const sparcl_data_desc *desc,
                                    const sparcl_allocator *allocator, sparcl_error *error) {
    const size_t count = (size_t)desc->named_column_count;
    *names = NULL;
    if (count == 0) return SPARCL_OK;
    spc_kept_names *const made = spc_alloc_zero(allocator, 1, sizeof *made);
    if (!made) return spc_fail_memory(error, "names of columns", sizeof *made);
    pthread_mutex_init(&made->lock, NULL);
    made->count = desc->named_column_count;
    made->columns = spc_alloc(allocator, count * sizeof *made->columns);
    made->of = spc_alloc_zero(allocator, count, sizeof *made->of);
    if (!made->columns || !made->of) {
        spc_kept_names_free(made, allocator);
        return spc_fail_memory(error, "names of columns", count * sizeof *made->of);
    }
    memcpy(made->columns, desc->named_columns, count * sizeof *made->columns);
    *names = made;
    return SPARCL_OK;
}

void spc_kept_names_free(spc_kept_names *names, const sparcl_allocator *allocator) {
    if (!names) return;
    spc_free(allocator, names->columns, (size_t)names->count * sizeof *names->columns);
    spc_free(allocator, names->of, (size_t)names->count * sizeof *names->of);
    pthread_mutex_destroy(&names->lock);
    spc_free(allocator, names, sizeof *names);
}

/* NULL: its names are not kept. */
static column_names *find(const spc_kept_names *names, int64_t column) {
    int64_t low = 0, high = names->count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (names->columns[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low < names->count && names->columns[low] == column ? &names->of[low] : NULL;
}

static void insert(column_names *to, const char *name) {
    int at = 0;
    while (at < to->count && strcmp(to->names[at], name) < 0)
        at++;
    if (at < to->count && strcmp(to->names[at], name) == 0) return;
    to->has_more |= to->count == KEPT;
    if (at == KEPT) return;
    const int moved = (to->count < KEPT ? to->count : KEPT - 1) - at;
    memmove(to->names[at + 1], to->names[at], (size_t)moved * NAME_BYTES);
    snprintf(to->names[at], NAME_BYTES, "%s", name);
    to->count += to->count < KEPT;
}

void spc_kept_names_note(spc_kept_names *names, int64_t column, spc_name_part space,
                         const char *between, spc_name_part name) {
    column_names *const to = find(names, column);
    char text[NAME_BYTES];
    if (!to) return;
    snprintf(text, sizeof text, "%.*s%s%.*s", (int)space.length, space.at, between,
             (int)name.length, name.at);
    pthread_mutex_lock(&names->lock);
    insert(to, text);
    pthread_mutex_unlock(&names->lock);
}

static const char *list_names(column_names *of) {
    size_t used = 0;
    for (int i = 0; i < of->count; i++)
        used += (size_t)snprintf(of->text + used, sizeof of->text - used, "%s%s", i ? ", " : "",
                                 of->names[i]);
    if (of->has_more) snprintf(of->text + used, sizeof of->text - used, ", ...");
    return of->text;
}

const char *sparcl_data_column_name(const sparcl_data *data, int64_t column) {
    column_names *const of = data && data->kept_names ? find(data->kept_names, column) : NULL;
    return of && of->count > 0 ? list_names(of) : NULL;
}
