/* item_lines.c: the lines of sparcl predict for a ranking, one for each user. */
#include "item_lines.h"

#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "predict_lines.h"

static exit_code print_name(FILE *file, const item_lines *lines, const pair_name *name) {
    if (!name->word) {
        fprintf(file, "%lld", (long long)name->id);
        return EXIT_OK;
    }
    char *const text = strndup(name->word, name->length);
    if (!text) return out_of_memory();
    print_text_as(file, lines->to, text);
    free(text);
    return EXIT_OK;
}

static int64_t count_items(const item_lines *lines, int64_t user) {
    int64_t count = 0;
    while (count < lines->k && lines->items[user * lines->k + count] >= 0)
        count++;
    return count;
}

void print_item_heading(FILE *file, const item_lines *lines) {
    if (lines->to != LINES_CSV) return;
    fputs("user", file);
    for (int64_t i = 1; i <= lines->k; i++) {
        fprintf(file, ",item%lld", (long long)i);
        if (lines->scores) fprintf(file, ",item%lld_score", (long long)i);
    }
    fputc('\n', file);
}

static exit_code print_object_of(FILE *file, const item_lines *lines, const pair_names *names,
                                 int64_t user) {
    const pair_name of_user = name_of_user(names, user);
    const int64_t first = user * lines->k, count = count_items(lines, user);
    fputs("{\"user\": ", file);
    exit_code code = print_name(file, lines, &of_user);
    fputs(", \"items\": [", file);
    for (int64_t i = 0; i < count && code == EXIT_OK; i++) {
        const pair_name item = name_of_item(names, lines->items[first + i]);
        if (i > 0) fputs(", ", file);
        code = print_name(file, lines, &item);
    }
    for (int64_t i = 0; i < count && lines->scores; i++) {
        fputs(i > 0 ? ", " : "], \"scores\": [", file);
        print_real_as(file, lines->to, (double)lines->scores[first + i]);
    }
    fputs(count == 0 && lines->scores ? "], \"scores\": []}\n" : "]}\n", file);
    return code;
}

/* CSV has as many fields in each line. */
static exit_code print_fields(FILE *file, const item_lines *lines, const pair_names *names,
                              int64_t user) {
    const bool is_csv = lines->to == LINES_CSV, has_user = is_csv || has_user_names(names);
    const int64_t first = user * lines->k, count = count_items(lines, user);
    const char between = is_csv ? ',' : names->words || lines->scores ? '\t' : ' ';
    const pair_name of_user = name_of_user(names, user);
    exit_code code = has_user ? print_name(file, lines, &of_user) : EXIT_OK;
    if (has_user) fputc(is_csv ? ',' : '\t', file);
    for (int64_t i = 0; i < (is_csv ? lines->k : count) && code == EXIT_OK; i++) {
        const pair_name item = i < count ? name_of_item(names, lines->items[first + i])
                                         : (pair_name){.word = "", .length = 0};
        if (i > 0) fputc(between, file);
        code = print_name(file, lines, &item);
        if (lines->scores) fputc(between, file);
        if (lines->scores && i < count)
            print_real_as(file, lines->to, (double)lines->scores[first + i]);
    }
    fputc('\n', file);
    return code;
}

exit_code print_items_of(FILE *file, const item_lines *lines, const pair_names *names,
                         int64_t user) {
    return lines->to == LINES_JSON ? print_object_of(file, lines, names, user)
                                   : print_fields(file, lines, names, user);
}
