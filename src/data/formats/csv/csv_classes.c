/* csv_classes.c: labels of CSV that are words. */
#include "data/formats/csv/csv_classes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "data/io/texts.h"
#include "data/io/words.h"

static spc_csv_column *find_label(const spc_csv *csv) {
    spc_csv_column *const columns = spc_csv_columns(csv);
    for (int64_t i = 0; i < spc_csv_column_count(csv); i++)
        if (columns[i].kind == SPC_CSV_LABEL) return &columns[i];
    return NULL;
}

/* ---- words that are learnt ------------------------------------------------------------------ */

sparcl_status spc_csv_learn_labels(spc_csv *csv, spc_block *block) {
    spc_csv_column *const column = find_label(csv);
    if (!column || !column->learns) return SPARCL_OK;
    for (int64_t i = 0; i < block->label_count; i++) {
        double *const label = &block->labels[i];
        if (isnan(*label)) continue;
        const char *const word = block->text + (size_t)*label;
        const size_t length = strlen(word);
        int64_t number = spc_word_find(&column->words, word, length);
        if (number < 0) {
            number = spc_word_count(&column->words);
            SPC_TRY(spc_word_add(&column->words, word, length, csv->allocator, csv->error));
        }
        *label = (double)number;
    }
    return SPARCL_OK;
}

typedef struct numbered {
    const char *word;
    size_t length;
    int64_t number;
} numbered;

static int compare(const void *left, const void *right) {
    const numbered *const a = left, *const b = right;
    const size_t common = a->length < b->length ? a->length : b->length;
    const int order = memcmp(a->word, b->word, common);
    return order != 0 ? order : (a->length > b->length) - (a->length < b->length);
}

/* Replace the words by those in order; to[k]: the new number of the k-th. */
static sparcl_status sort_words(spc_csv *csv, spc_word_set *words, numbered *all, double *to) {
    const int64_t count = spc_word_count(words);
    spc_word_set sorted = {.text = {0}};
    for (int64_t k = 0; k < count; k++) {
        all[k].word = spc_word_at(words, k, &all[k].length);
        all[k].number = k;
    }
    qsort(all, (size_t)count, sizeof *all, compare);
    sparcl_status status = SPARCL_OK;
    for (int64_t k = 0; k < count && status == SPARCL_OK; k++) {
        to[all[k].number] = (double)k;
        status = spc_word_add(&sorted, all[k].word, all[k].length, csv->allocator, csv->error);
    }
    spc_word_set_free(status == SPARCL_OK ? words : &sorted, csv->allocator);
    if (status == SPARCL_OK) *words = sorted;
    return status;
}

static sparcl_status sort_labels(spc_csv *csv, spc_word_set *words, sparcl_data *data) {
    const size_t count = (size_t)spc_word_count(words);
    double *const labels = data->labels.at;
    spc_array all = {0}, to = {0};
    sparcl_status status;
    SPC_GO(spc_array_reserve(&all, count * sizeof(numbered), csv->allocator, csv->error));
    SPC_GO(spc_array_reserve(&to, count * sizeof(double), csv->allocator, csv->error));
    SPC_GO(sort_words(csv, words, all.at, to.at));
    for (int64_t i = 0; i < data->info.label_count; i++)
        if (!isnan(labels[i])) labels[i] = ((const double *)to.at)[(int64_t)labels[i]];
done:
    spc_array_free(&all, csv->allocator);
    spc_array_free(&to, csv->allocator);
    return status;
}

sparcl_status spc_csv_finish_labels(spc_csv *csv, sparcl_data *data) {
    spc_csv_column *const column = find_label(csv);
    if (!column) return SPARCL_OK;
    if (column->learns && spc_word_count(&column->words) > 0)
        SPC_TRY(sort_labels(csv, &column->words, data));
    data->info.label_words = spc_word_count(&column->words);
    for (int64_t k = 0; k < data->info.label_words; k++) {
        size_t length = 0;
        const char *const word = spc_word_at(&column->words, k, &length);
        SPC_TRY(spc_texts_add(&data->label_names, word, length, csv->allocator, csv->error));
    }
    return SPARCL_OK;
}

/* ---- words of a description ----------------------------------------------------------------- */

/* The next field is in *field; false at the end of the record, and where it is no CSV. */
static bool next_of_record(spc_csv_text *text, spc_csv_field *field) {
    return !text->at_record_end && spc_csv_next(text, field) == SPC_CSV_GOOD;
}

typedef struct word_taker {
    void (*each)(void *user, const char *word);
    void *user;
} word_taker;

/* The byte behind a field was read. */
static void take_words(spc_csv_text *in, const word_taker *to) {
    spc_csv_field word;
    while (next_of_record(in, &word)) {
        word.at[word.length] = '\0';
        to->each(to->user, word.at);
    }
}

/* False: what follows it cannot be read. */
static bool read_record(spc_csv_text *in, const word_taker *to) {
    spc_csv_field name, kind;
    in->at_record_end = false;
    if (next_of_record(in, &name) && next_of_record(in, &kind) &&
        spc_same_word(kind.at, kind.length, "label"))
        take_words(in, to);
    while (next_of_record(in, &kind))
        continue;
    return in->at_record_end;
}

sparcl_status sparcl_csv_label_words(const char *description,
                                     void (*each)(void *user, const char *word), void *user,
                                     sparcl_error *error) {
    if (!description || !each)
        return spc_fail(error, SPARCL_E_ARG, "label_words: description or each is NULL");
    const size_t length = strlen(description), bytes = length + 2;
    const word_taker to = {each, user};
    char *const copy = spc_alloc(NULL, bytes);
    if (!copy) return spc_fail_memory(error, "description", bytes);
    memcpy(copy, description, length);
    memcpy(copy + length, "\n", 2);
    spc_csv_text in = {.at = copy, .line = copy, .end = copy + length + 1, .delimiter = ','};
    while (spc_csv_skip_blank_lines(&in) && read_record(&in, &to))
        continue;
    spc_free(NULL, copy, bytes);
    return SPARCL_OK;
}
