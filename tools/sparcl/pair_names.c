/* pair_names.c: what the users and items of a ranking are called. */
#include "pair_names.h"

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

static pair_name name_of(const pair_names *names, int64_t column, int64_t number,
                         const int64_t *ids) {
    pair_name name = {.id = ids ? ids[number] : number};
    if (names->words) name.word = sparcl_csv_columns_word(names->words, column, &name.length);
    return name;
}

pair_name name_of_user(const pair_names *names, int64_t user) {
    return name_of(names, user, user, names->users);
}

pair_name name_of_item(const pair_names *names, int64_t item) {
    return name_of(names, names->user_count + item, item, names->items);
}
