/* column_names.c: what the columns of a model are called, or the users and items of a ranking. */
#include "column_names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

/* ---- a file of names ------------------------------------------------------------------------ */

/* Of a line "kind TAB id" of a map the id, after the kind only of users and items. */
static void take_id(char *line) {
    static const char *const kinds[] = {"feature\t", "node\t"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(line, kinds[i], strlen(kinds[i])) == 0)
            memmove(line, line + strlen(kinds[i]), strlen(line + strlen(kinds[i])) + 1);
    char *const tab = strchr(line, '\t');
    if (tab && (strncmp(line, "user\t", 5) == 0 || strncmp(line, "item\t", 5) == 0)) *tab = ' ';
}

static bool add_line(column_names *names, char *line, int64_t *capacity) {
    if (names->line_count == *capacity) {
        *capacity = *capacity > 0 ? 2 * *capacity : 1024;
        char **const more = realloc(names->lines, (size_t)*capacity * sizeof *more);
        if (!more) return false;
        names->lines = more;
    }
    line[strcspn(line, "\r\n")] = '\0';
    take_id(line);
    names->lines[names->line_count] = strdup(line);
    return names->lines[names->line_count++] != NULL;
}

static exit_code refuse_line(const column_names *names, const char *path) {
    print_error("%s:%" PRId64 ": expected at most %" PRId64 " names, one for each %s of the model, "
                "found more",
                path, names->line_count, names->count,
                names->info->columns < names->count ? "user and item" : "column");
    print_remedy("use the names of the columns of the training data, in their order, without a "
                 "heading; or a map of 'sparcl inspect --save-ids'");
    return EXIT_CONTRACT;
}

static exit_code refuse_bytes(const column_names *names, const char *path) {
    print_error("%s:%" PRId64 ": expected text, a name in each line, found a NUL byte", path,
                names->line_count + 1);
    return EXIT_CONTRACT;
}

static exit_code read_lines(column_names *names, const char *path, FILE *in) {
    char *line = NULL;
    size_t room = 0;
    int64_t capacity = 0;
    ssize_t length;
    exit_code code = EXIT_OK;
    errno = 0;
    while (code == EXIT_OK && (length = getline(&line, &room, in)) >= 0) {
        if (memchr(line, '\0', (size_t)length))
            code = refuse_bytes(names, path);
        else if (!add_line(names, line, &capacity))
            code = out_of_memory();
        else if (names->line_count > names->count)
            code = refuse_line(names, path);
    }
    free(line);
    return code == EXIT_OK && ferror(in) ? cannot_read(path) : code;
}

static exit_code read_names(column_names *names, const char *path) {
    errno = 0;
    FILE *const in = fopen(path, "r");
    if (!in) return cannot_read(path);
    const exit_code code = read_lines(names, path, in);
    fclose(in);
    if (code == EXIT_OK && names->line_count < names->count)
        print_note("%s: %" PRId64 " names; the other %" PRId64 " columns have none", path,
                   names->line_count, names->count - names->line_count);
    return code;
}

/* ---- names ---------------------------------------------------------------------------------- */

exit_code column_names_open(column_names *names, const sparcl_model *model, const char *path) {
    const sparcl_model_info *const info = sparcl_model_get_info(model);
    sparcl_error error = {0};
    *names = (column_names){.model = model, .info = info, .count = info->columns};
    if (sparcl_model_architecture(model)->task == SPARCL_TASK_RANK) {
        const sparcl_tensor *const factors = sparcl_model_tensor(model, "factors");
        names->count = factors ? factors->shape[0] : info->columns;
        names->users = names->count - info->columns;
    } else {
        names->users = info->known_ids.user_count;
    }
    const char *const kept = sparcl_model_note(model, COLUMN_NAMES_NOTE);
    if (kept) names->kept = json_loads(kept, 0, NULL);
    if (info->csv_description && sparcl_csv_columns_create(&names->table, info->csv_description,
                                                           info->columns, &error) != SPARCL_OK)
        return report(&error);
    return path ? read_names(names, path) : EXIT_OK;
}

void column_names_close(column_names *names) {
    for (int64_t i = 0; i < names->line_count; i++)
        free(names->lines[i]);
    free(names->lines);
    json_decref(names->kept);
    sparcl_csv_columns_free(names->table);
}

static int64_t id_of(const int64_t *ids, int64_t count, int64_t number) {
    return ids && number < count ? ids[number] : number;
}

/* Its word, its id, or its number. */
static void name_pair(const column_names *names, int64_t column, char name[COLUMN_NAME_BYTES]) {
    const sparcl_known_ids *const k = &names->info->known_ids;
    const bool is_user = column < names->users;
    const char *const kind = is_user ? "user" : "item";
    size_t length = 0;
    const char *const word =
        names->table ? sparcl_csv_columns_word(names->table, column, &length) : NULL;
    if (word) {
        snprintf(name, COLUMN_NAME_BYTES, "%s %.*s", kind, (int)length, word);
        return;
    }
    int64_t number = is_user ? column : column - names->users;
    if (k->nodes)
        number = id_of(k->nodes, k->node_count, number);
    else
        number = is_user ? id_of(k->users, k->user_count, number)
                         : id_of(k->items, k->item_count, number);
    snprintf(name, COLUMN_NAME_BYTES, "%s %" PRId64, kind, number);
}

/* As it stands in the data. */
static const char *number_of(const column_names *names, int64_t column,
                             char name[COLUMN_NAME_BYTES]) {
    const sparcl_model_info *const info = names->info;
    int64_t number = column + info->index_base;
    if (info->feature_ids && column < info->id_count) number = info->feature_ids[column];
    if (names->users > 0)
        name_pair(names, column, name);
    else
        snprintf(name, COLUMN_NAME_BYTES, info->hash_bits ? "hash %" PRId64 : "%" PRId64, number);
    return name;
}

/* NULL: the model keeps none. */
static const char *kept_name(const column_names *names, int64_t column) {
    char number[24];
    if (!names->kept) return NULL;
    snprintf(number, sizeof number, "%" PRId64, column);
    return json_string_value(json_object_get(names->kept, number));
}

const char *column_name(const column_names *names, int64_t column, char name[COLUMN_NAME_BYTES]) {
    const char *const kept = kept_name(names, column);
    *name = '\0';
    if (column < names->line_count)
        snprintf(name, COLUMN_NAME_BYTES, "%s", names->lines[column]);
    else if (kept)
        snprintf(name, COLUMN_NAME_BYTES, "%s", kept);
    else if (names->table && names->users == 0)
        sparcl_csv_columns_name(names->table, column, name, COLUMN_NAME_BYTES);
    return *name ? name : number_of(names, column, name);
}

int64_t column_of_name(const column_names *names, const char *name) {
    char found[COLUMN_NAME_BYTES], item[COLUMN_NAME_BYTES];
    for (int64_t c = 0; c < names->count; c++)
        if (strcmp(column_name(names, c, found), name) == 0) return c;
    const int64_t hashed = names->table ? sparcl_csv_columns_hashed(names->table, name) : -1;
    if (hashed >= 0) return hashed;
    snprintf(item, sizeof item, "item %s", name);
    for (int64_t c = 0; c < names->count; c++)
        if (strcmp(number_of(names, c, found), name) == 0 || strcmp(found, item) == 0) return c;
    return -1;
}
