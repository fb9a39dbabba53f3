/* ratings.c: reads ratings: a row for each, with an entry for its user and one for its item. */
#include <inttypes.h>

#include "base/error.h"
#include "base/size.h"
#include "data/formats/id_pairs.h"
#include "data/formats/rating_names.h"
#include "data/formats/readers.h"
#include "data/formats/text_formats.h"
#include "data/io/detect.h"
#include "data/io/line_marks.h"
#include "data/set/ids.h"

typedef struct ratings {
    sparcl_data *data;
    const sparcl_data_desc *desc;
    sparcl_error *error;
    spc_array users, items; /* int64_t: of each rating */
    spc_id_index user_index, item_index;
    spc_rating_heading names; /* of the first line */
} ratings;

static sparcl_status add_ratings(void *user, const spc_id_pair *pairs, int64_t count,
                                 int64_t lines_before) {
    ratings *const r = user;
    sparcl_data *const data = r->data;
    const sparcl_allocator *const allocator = &data->allocator;
    for (int64_t i = 0; i < count; i++) {
        const spc_id_pair *const pair = &pairs[i];
        SPC_TRY(spc_array_push(&r->users, &pair->left, sizeof pair->left, allocator, r->error));
        SPC_TRY(spc_array_push(&r->items, &pair->right, sizeof pair->right, allocator, r->error));
        SPC_TRY(
            spc_array_push(&data->labels, &pair->number, sizeof pair->number, allocator, r->error));
        SPC_TRY(spc_line_marks_add(&data->marks, data->info.rows, lines_before + pair->line,
                                   allocator, r->error));
        data->info.rows++;
    }
    return SPARCL_OK;
}

/* Where the columns are not "user,item[,rating[,time]]" by their names. */
static sparcl_status note_fields(const ratings *r, bool heading) {
    const spc_rating_fields *const fields = &r->names.fields;
    spc_array *const notes = &r->data->csv_notes;
    char note[1024];
    spc_text text = spc_text_in(note, sizeof note);
    const bool was_named = r->desc->format == SPARCL_DATA_RATINGS;
    if (fields->count < 2 || spc_rating_fields_are_usual(fields) || (!heading && was_named))
        return SPARCL_OK;
    spc_rating_fields_note(&text, fields, heading ? r->names.names : NULL, r->desc->ratings);
    return spc_array_add(notes, note, text.length + 1, &r->data->allocator, r->error);
}

static sparcl_status read_all(ratings *r, spc_input *input) {
    const spc_rating_fields *const fields = &r->names.fields;
    const bool is_usual = spc_rating_fields_are_usual(fields);
    spc_id_pairs pairs = {.what = "a rating is \"user,item,rating[,time]\", with whole numbers as "
                                  "users and items, or words between commas, semicolons or tabs; "
                                  "only a heading without digits is skipped",
                          .columns_max = 4,
                          .names = fields->by_name && (!is_usual || fields->count > 3) ? &r->names
                                                                                       : NULL,
                          .add = add_ratings,
                          .user = r};
    if (is_usual) pairs.heading_fields = fields->count;
    SPC_TRY(spc_id_pairs_read(&pairs, r->data, input, r->desc, r->error));
    r->data->info.heading = pairs.heading;
    return note_fields(r, pairs.heading);
}

static sparcl_status collect(ratings *r) {
    sparcl_data *const data = r->data;
    const sparcl_known_ids *const known = &r->desc->known_ids;
    const sparcl_allocator *const allocator = &data->allocator;
    const spc_array *const users = &r->users, *const items = &r->items;
    if (r->desc->ids)
        return spc_ids_take_map(data, r->desc->ids, SPC_ID_USER, SPC_ID_ITEM, r->error);
    if (known->users) {
        SPC_TRY(spc_array_add(&data->row_ids, known->users,
                              (size_t)known->user_count * sizeof *known->users, allocator,
                              r->error));
        return spc_array_add(&data->column_ids, known->items,
                             (size_t)known->item_count * sizeof *known->items, allocator, r->error);
    }
    SPC_TRY(spc_ids_collect(&data->row_ids, &users, 1, allocator, r->error));
    return spc_ids_collect(&data->column_ids, &items, 1, allocator, r->error);
}

/* The entry of a user or an item; an id that is not known has none. */
static sparcl_status add_entry(const ratings *r, int64_t wide) {
    sparcl_data *const data = r->data;
    const float one = 1;
    const int32_t narrow = (int32_t)wide;
    SPC_TRY(
        data->index_type == SPARCL_INDEX64
            ? spc_array_push(&data->indices, &wide, sizeof wide, &data->allocator, r->error)
            : spc_array_push(&data->indices, &narrow, sizeof narrow, &data->allocator, r->error));
    data->info.nnz++;
    return spc_array_push(&data->values, &one, sizeof one, &data->allocator, r->error);
}

static sparcl_status add_row(const ratings *r, int64_t row) {
    sparcl_data_info *const info = &r->data->info;
    const int64_t user = spc_id_index_find(&r->user_index, ((const int64_t *)r->users.at)[row]);
    const int64_t item = spc_id_index_find(&r->item_index, ((const int64_t *)r->items.at)[row]);
    info->unknown_ids += (user < 0) + (item < 0);
    if (user >= 0) SPC_TRY(add_entry(r, user));
    if (item >= 0) SPC_TRY(add_entry(r, info->users + item));
    return spc_array_push(&r->data->offsets, &info->nnz, sizeof info->nnz, &r->data->allocator,
                          r->error);
}

static sparcl_status set_shape(const ratings *r) {
    sparcl_data_info *const info = &r->data->info;
    const int64_t wanted = r->desc->columns;
    info->users = spc_ids_count(&r->data->row_ids);
    info->items = spc_ids_count(&r->data->column_ids);
    info->columns = spc_max_i64(info->users + info->items, wanted);
    r->data->index_type = info->columns > INT32_MAX ? SPARCL_INDEX64 : SPARCL_INDEX32;
    if (wanted <= 0 || info->columns <= wanted || r->desc->widen || r->desc->known_ids.users)
        return SPARCL_OK;
    return spc_fail(r->error, SPARCL_E_FORMAT,
                    "%s: expected at most %" PRId64 " users and items, found %" PRId64 "; %" PRId64
                    " columns were requested",
                    r->data->name, wanted, info->columns, wanted);
}

/* Columns of another file mean other users and items, unless its ids are given. */
static sparcl_status check_map(const ratings *r) {
    if (r->desc->columns <= 0 || r->desc->ids || r->desc->known_ids.users) return SPARCL_OK;
    return spc_fail(r->error, SPARCL_E_FORMAT,
                    "%s: expected the ids of users and items of the training data, found only a "
                    "number of columns; a model of ratings that is trained now has them; else "
                    "write a map with 'sparcl inspect --save-ids' and read it with --id-map",
                    r->data->name);
}

static sparcl_status build(ratings *r, spc_input *input) {
    sparcl_data_info *const info = &r->data->info;
    const int64_t zero = 0;
    SPC_TRY(check_map(r));
    SPC_TRY(read_all(r, input));
    SPC_TRY(collect(r));
    SPC_TRY(set_shape(r));
    SPC_TRY(spc_array_add(&r->data->offsets, &zero, sizeof zero, &r->data->allocator, r->error));
    SPC_TRY(spc_id_index_create(&r->user_index, &r->data->row_ids, info->rows, &r->data->allocator,
                                r->error));
    SPC_TRY(spc_id_index_create(&r->item_index, &r->data->column_ids, info->rows,
                                &r->data->allocator, r->error));
    for (int64_t row = 0; row < info->rows; row++)
        SPC_TRY(add_row(r, row));
    info->entries = info->nnz;
    info->label_count = info->rows;
    info->has_labels = 1;
    info->min_index = 0;
    info->max_index = info->users + info->items - 1;
    return SPARCL_OK;
}

sparcl_status spc_ratings_read(sparcl_data *data, spc_input *input, const sparcl_data_desc *desc,
                               sparcl_error *error) {
    ratings r = {.data = data, .desc = desc, .error = error};
    int64_t users, items;
    bool words = desc->csv_description || desc->csv_columns; /* those of the training data are */
    SPC_TRY(spc_refuse_base_1(input, desc, "ratings", error));
    if (!words) SPC_TRY(spc_detect_word_ids(input, &r.names, &words, error));
    if (words) SPC_TRY(spc_csv_read_ratings(data, input, desc, error));
    if (words)
        return desc->csv_columns ? spc_pairs_count_words(data, &users, &items, error) : SPARCL_OK;
    data->by_line = true;
    const sparcl_status status = build(&r, input);
    spc_array_free(&r.users, &data->allocator);
    spc_array_free(&r.items, &data->allocator);
    spc_array_free(&r.user_index.numbers, &data->allocator);
    spc_array_free(&r.item_index.numbers, &data->allocator);
    return status;
}
