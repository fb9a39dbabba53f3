/* texts.c: a list of texts, each with a NUL. */
#include "data/io/texts.h"

#include <math.h>

sparcl_status spc_texts_add(spc_texts *list, const char *text, size_t length,
                            const sparcl_allocator *allocator, sparcl_error *error) {
    const int64_t begin = (int64_t)list->bytes.used;
    SPC_TRY(spc_array_push(&list->begins, &begin, sizeof begin, allocator, error));
    SPC_TRY(spc_array_add(&list->bytes, text, length, allocator, error));
    return spc_array_push(&list->bytes, "", 1, allocator, error);
}

const char *spc_texts_at(const spc_texts *list, int64_t number) {
    const int64_t *const begins = list->begins.at;
    const int64_t count = (int64_t)(list->begins.used / sizeof *begins);
    return number >= 0 && number < count ? (const char *)list->bytes.at + begins[number] : NULL;
}

const char *spc_texts_of(const spc_texts *list, double number) {
    const double most = (double)(list->begins.used / sizeof(int64_t));
    return number >= 0 && number < most && number == floor(number)
               ? spc_texts_at(list, (int64_t)number)
               : NULL;
}

void spc_texts_free(spc_texts *list, const sparcl_allocator *allocator) {
    spc_array_free(&list->bytes, allocator);
    spc_array_free(&list->begins, allocator);
}

const char *sparcl_data_row_tag(const sparcl_data *data, int64_t row) {
    return spc_texts_at(&data->tags, row);
}

const char *sparcl_data_label_name(const sparcl_data *data, double label) {
    return spc_texts_of(&data->label_names, label);
}
