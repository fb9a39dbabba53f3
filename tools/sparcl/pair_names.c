/* pair_names.c: what the users and items of a ranking are called. */
#include "pair_names.h"

#include <string.h>

#include "message.h"
#include "sparcl/data.h"

static exit_code open_words(pair_names *names, const sparcl_model_info *info) {
    sparcl_error error = {0};
    int64_t items = 0;
    if (sparcl_csv_columns_create(&names->words, info->csv_description, info->columns, &error) !=
        SPARCL_OK)
        return report(&error);
    if (sparcl_csv_columns_pairs(names->words, &names->user_count, &items) &&
        items == info->columns)
        return EXIT_OK;
    print_error("the model has words of %lld items, expected those of its %lld items; train it "
                "again",
                (long long)items, (long long)info->columns);
    return EXIT_CONTRACT;
}

exit_code pair_names_open(pair_names *names, const sparcl_model *model, const sparcl_data *data) {
    const sparcl_model_info *const info = sparcl_model_get_info(model);
    const sparcl_known_ids of_model = info->known_ids, of_data = sparcl_data_known_ids(data);
    *names = of_model.nodes ? (pair_names){of_data.nodes, of_model.nodes, NULL, 0}
                            : (pair_names){of_data.users, of_model.items, NULL, 0};
    return info->csv_description && sparcl_data_csv_columns(data) ? open_words(names, info)
                                                                  : EXIT_OK;
}

void pair_names_close(pair_names *names) {
    sparcl_csv_columns_free(names->words);
}

bool has_user_names(const pair_names *names) {
    return names->users || names->words;
}

/* A word keeps its line and its field. */
static void write_word(FILE *file, const sparcl_csv_columns *words, int64_t column) {
    size_t length = 0;
    const char *const word = sparcl_csv_columns_word(words, column, &length);
    for (size_t i = 0; i < length; i++)
        fputc(memchr("\t\r\n", word[i], 3) ? ' ' : word[i], file);
}

static void write_item(FILE *file, const pair_names *names, int64_t item) {
    if (names->words)
        write_word(file, names->words, names->user_count + item);
    else
        fprintf(file, "%lld", (long long)(names->items ? names->items[item] : item));
}

void write_items_of(FILE *file, const pair_names *names, int64_t user, const int64_t *items,
                    int64_t k) {
    if (names->words)
        write_word(file, names->words, user);
    else if (names->users)
        fprintf(file, "%lld", (long long)names->users[user]);
    if (has_user_names(names)) fputc('\t', file);
    for (int64_t i = 0; i < k && items[i] >= 0; i++) {
        if (i > 0) fputc(names->words ? '\t' : ' ', file);
        write_item(file, names, items[i]);
    }
    fputc('\n', file);
}
