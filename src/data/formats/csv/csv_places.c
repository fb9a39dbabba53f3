/* csv_places.c: ratings for a model of words whose columns have other names: users, items and
 * ratings are found by known names, or are the first fields. */
#include "data/formats/csv/csv.h"

/* The columns of users, items and ratings; -1: there is none. */
typedef struct places {
    int64_t at[3];
} places;

static places find_places(const spc_csv *csv) {
    const spc_csv_column *const columns = spc_csv_columns(csv);
    places found = {{-1, -1, -1}};
    int dictionaries = 0;
    for (int64_t i = 0; i < spc_csv_column_count(csv); i++)
        if (columns[i].kind == SPC_CSV_DICTIONARY && dictionaries < 2)
            found.at[dictionaries++] = i;
        else if (columns[i].kind == SPC_CSV_LABEL)
            found.at[2] = i;
    return found;
}

static bool has_a_name(const spc_csv *csv) {
    char number[SPC_CSV_NAME_BYTES];
    for (int64_t i = 0; i < spc_csv_field_count(csv); i++) {
        size_t length = 0;
        const char *const name = spc_csv_field_name(csv, i, number, &length);
        if (spc_csv_find_column(csv, name, length) >= 0) return true;
    }
    return false;
}

static bool has_word(const spc_csv *csv, int64_t column, const spc_csv_field *field) {
    const spc_word_set *const words = &spc_csv_columns(csv)[column].words;
    return spc_word_find(words, field->at, field->length) >= 0;
}

bool spc_csv_has_places(spc_csv *csv) {
    const places p = find_places(csv);
    const spc_csv_field *const names = csv->names.at;
    if (!csv->desc->ratings || !csv->desc->csv_description || spc_csv_field_count(csv) < 2 ||
        p.at[1] < 0 || has_a_name(csv))
        return false;
    if (csv->desc->csv_heading == SPARCL_HEADING_AUTO &&
        (has_word(csv, p.at[0], &names[0]) || has_word(csv, p.at[1], &names[1])))
        csv->heading = false;
    return true;
}

static sparcl_status note_places(spc_csv *csv, const spc_rating_fields *fields) {
    static const char first[] = "the first fields are taken for users, items and ratings, as it "
                                "has no heading with the names of the training data\n";
    char note[1024];
    spc_text text = spc_text_in(note, sizeof note);
    if (!fields->by_name)
        return spc_array_add(&csv->notes, first, sizeof first - 1, csv->allocator, csv->error);
    spc_rating_fields_note(&text, fields, csv->names.at, true);
    return spc_array_add(&csv->notes, note, text.length, csv->allocator, csv->error);
}

sparcl_status spc_csv_match_places(spc_csv *csv) {
    const places p = find_places(csv);
    const int64_t count = spc_csv_field_count(csv);
    spc_rating_fields fields = spc_rating_fields_of(csv->names.at, csv->heading ? count : 0);
    if (!fields.by_name) fields.rating = 2;
    for (int64_t i = 0; i < count; i++) {
        char number[SPC_CSV_NAME_BYTES];
        size_t length = 0;
        int64_t column = i == fields.user     ? p.at[0]
                         : i == fields.item   ? p.at[1]
                         : i == fields.rating ? p.at[2]
                                              : -1;
        if (column < 0) {
            const char *const name = spc_csv_field_name(csv, i, number, &length);
            column = spc_csv_column_count(csv);
            SPC_TRY(spc_csv_add_column(csv, name, length, SPC_CSV_SKIP, 0));
        }
        spc_csv_columns(csv)[column].field = i;
        const int32_t narrow = (int32_t)column;
        SPC_TRY(spc_array_add(&csv->fields, &narrow, sizeof narrow, csv->allocator, csv->error));
    }
    return note_places(csv, &fields);
}
