/* word_labels.c: labels that are words, of which each is a class. */
#include "word_labels.h"

#include <stdbool.h>
#include <stdio.h>

#include "message.h"
#include "printable.h"

/* From MANY on they are counted in a note, and refused where they are most of the rows. */
enum { MANY = 50, MOST = 1000, SHOWN = 3 };

static bool are_too_many(int64_t words, int64_t rows) {
    return words > MOST || (words >= MANY && 2 * words > rows);
}

exit_code check_word_labels(const sparcl_data *data, bool are_wanted) {
    const sparcl_data_info *const info = sparcl_data_get_info(data);
    const int64_t words = info->label_words;
    char place[256], first[SHOWN][48];
    const bool is_refused = info->label_guessed && info->heading; /* by the training */
    if (words < MANY || is_refused) return EXIT_OK;
    sparcl_data_place(data, -1, place, sizeof place);
    for (int i = 0; i < SHOWN; i++) {
        const char *const name = sparcl_data_label_name(data, i);
        snprintf(first[i], sizeof first[i], "%.*s", fitting_bytes(name, 47), name);
    }
    if (are_wanted || !are_too_many(words, info->rows)) {
        print_note("%s: its labels are %lld different words, of which each is a class: \"%s\", "
                   "\"%s\", \"%s\", ...",
                   place, (long long)words, first[0], first[1], first[2]);
        return EXIT_OK;
    }
    print_error("%s: expected numbers as labels, or words of few classes, found %lld different "
                "words in %lld rows: \"%s\", \"%s\", \"%s\", ...",
                place, (long long)words, (long long)info->rows, first[0], first[1], first[2]);
    print_remedy("use --label NAME for another column, or --loss softmax to train these classes");
    return EXIT_CONTRACT;
}
