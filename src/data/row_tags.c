/* row_tags.c: texts that name the rows of a data set. */
#include "data/row_tags.h"

static sparcl_status add(sparcl_data *data, const char *at, size_t length, sparcl_error *error) {
    const sparcl_allocator *const a = &data->allocator;
    const int64_t begin = (int64_t)data->tags.used;
    SPC_TRY(spc_array_push(&data->tag_begins, &begin, sizeof begin, a, error));
    SPC_TRY(spc_array_add(&data->tags, at, length, a, error));
    return spc_array_push(&data->tags, "", 1, a, error);
}

sparcl_status spc_row_tags_add(sparcl_data *data, const spc_block *block, sparcl_error *error) {
    for (int64_t i = 0; i < block->rows; i++)
        SPC_TRY(add(data, block->text + block->tags[i].begin, block->tags[i].length, error));
    return SPARCL_OK;
}

const char *sparcl_data_row_tag(const sparcl_data *data, int64_t row) {
    const int64_t *const begins = data->tag_begins.at;
    const int64_t count = (int64_t)(data->tag_begins.used / sizeof *begins);
    return row >= 0 && row < count ? (const char *)data->tags.at + begins[row] : NULL;
}
