/* csv_crosses.c: which columns of a CSV file are crossed. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "base/utf8.h"
#include "data/formats/csv/csv.h"
#include "data/set/crosses.h"

/* ---- what can be crossed -------------------------------------------------------------------- */

static bool is_number(const spc_csv_column *column) {
    return column->kind == SPC_CSV_NUMERIC || column->kind == SPC_CSV_LOG;
}

static const char *why_no_feature(const spc_csv_column *column) {
    switch (column->kind) {
    case SPC_CSV_LABEL:
        return "which is the label; name a column of features";
    case SPC_CSV_WEIGHT:
        return "which has the weights of rows; name a column of features";
    case SPC_CSV_SKIP:
        return "which is skipped; describe it by --csv-columns, such as NAME,hashed";
    case SPC_CSV_CROSS:
        return "which is a cross; name columns of the file";
    default:
        return NULL;
    }
}

/* NULL: nothing. Texts have too many words for the products of all pairs of them. */
static const char *why_no_cross(const spc_csv_column *left, const spc_csv_column *right) {
    if (left->kind == SPC_CSV_TEXT && right->kind == SPC_CSV_TEXT)
        return "where both are text, whose pairs of words are too many; cross it with a column of "
               "another kind";
    if (left == right && !is_number(left))
        return "which has one value in a row, so that it is its own square; cross it with another "
               "column";
    return NULL;
}

/* "file:line:column: expected ... in the cross "A,B", found "A", why": of a description, or of the
 * file. */
static sparcl_status refuse(const spc_csv *csv, int64_t line, const int64_t pair[2], int64_t found,
                            const char *why) {
    char names[3][80], text[512];
    const int64_t columns[] = {pair[0], pair[1], found};
    for (int i = 0; i < 3; i++) {
        size_t length = 0;
        const char *const name = spc_word_at(&csv->column_names, columns[i], &length);
        spc_text shown = spc_text_in(names[i], sizeof names[i]);
        spc_text_add_beginning(&shown, name, length);
    }
    snprintf(text, sizeof text,
             "expected two columns of features in the cross \"%s,%s\", found "
             "\"%s\", %s",
             names[0], names[1], names[2], why);
    return spc_fail(csv->error, SPARCL_E_FORMAT, "%s:%" PRId64 ":1: %s",
                    line > 0 ? spc_csv_description_name(csv) : csv->name, line > 0 ? line : 1,
                    text);
}

static sparcl_status check_pair(const spc_csv *csv, int64_t line, const int64_t pair[2]) {
    const spc_csv_column *const all = spc_csv_columns(csv);
    for (int i = 0; i < 2; i++)
        if (why_no_feature(&all[pair[i]]))
            return refuse(csv, line, pair, pair[i], why_no_feature(&all[pair[i]]));
    const char *const why = why_no_cross(&all[pair[0]], &all[pair[1]]);
    return why ? refuse(csv, line, pair, pair[0], why) : SPARCL_OK;
}

/* ---- of a description ----------------------------------------------------------------------- */

void spc_csv_cross_name(const spc_csv_column *cross, int side, const char **name, size_t *length) {
    const int64_t last = spc_word_count(&cross->words) - 1;
    *name = spc_word_at(&cross->words, side < last ? side : last, length);
}

static sparcl_status find_described(const spc_csv *csv, const spc_csv_column *cross,
                                    int64_t pair[2]) {
    for (int i = 0; i < 2; i++) {
        size_t length = 0;
        const char *name = NULL;
        char shown[128];
        spc_csv_cross_name(cross, i, &name, &length);
        pair[i] = spc_csv_find_column(csv, name, length);
        spc_text text = spc_text_in(shown, sizeof shown);
        spc_text_add_beginning(&text, name, length);
        if (pair[i] < 0)
            return spc_fail(csv->error, SPARCL_E_FORMAT,
                            "%s:%" PRId64 ":1: expected the names of two columns in a cross, found "
                            "\"%s\", which is none; correct it",
                            spc_csv_description_name(csv), cross->line, shown);
    }
    return SPARCL_OK;
}

static sparcl_status keep(spc_csv *csv, int64_t column, const int64_t pair[2]) {
    spc_csv_column *const all = spc_csv_columns(csv);
    for (int i = 0; i < 2; i++) {
        all[column].crossed[i] = pair[i];
        all[pair[i]].is_crossed = true;
    }
    return SPARCL_OK;
}

sparcl_status spc_csv_find_crosses(spc_csv *csv) {
    for (int64_t i = 0; i < spc_csv_column_count(csv); i++) {
        const spc_csv_column *const cross = &spc_csv_columns(csv)[i];
        int64_t pair[2];
        if (cross->kind != SPC_CSV_CROSS) continue;
        SPC_TRY(find_described(csv, cross, pair));
        SPC_TRY(check_pair(csv, cross->line, pair));
        SPC_TRY(keep(csv, i, pair));
    }
    return SPARCL_OK;
}

/* ---- as requested --------------------------------------------------------------------------- */

/* "A^B" */
static sparcl_status join(const spc_csv *csv, const int64_t pair[2], spc_array *name) {
    name->used = 0;
    for (int i = 0; i < 2; i++) {
        size_t length = 0;
        const char *const own = spc_word_at(&csv->column_names, pair[i], &length);
        if (i > 0) SPC_TRY(spc_array_add(name, "^", 1, csv->allocator, csv->error));
        SPC_TRY(spc_array_add(name, own, length, csv->allocator, csv->error));
    }
    return SPARCL_OK;
}

static sparcl_status has_cross(const spc_csv *csv, const int64_t pair[2], spc_array *name,
                               bool *found) {
    const int64_t swapped[] = {pair[1], pair[0]};
    SPC_TRY(join(csv, swapped, name));
    *found = spc_csv_find_column(csv, name->at, name->used) >= 0;
    SPC_TRY(join(csv, pair, name));
    *found |= spc_csv_find_column(csv, name->at, name->used) >= 0;
    return SPARCL_OK;
}

/* A column of the description "A^B,cross,A,B". */
static sparcl_status add_cross(spc_csv *csv, const int64_t pair[2], const spc_array *name) {
    SPC_TRY(spc_csv_add_column(csv, name->at, name->used, SPC_CSV_CROSS, 0));
    const int64_t column = spc_csv_column_count(csv) - 1;
    spc_word_set *const words = &spc_csv_columns(csv)[column].words;
    for (int i = 0; i < 2 - (pair[0] == pair[1]); i++) {
        size_t length = 0;
        const char *const own = spc_word_at(&csv->column_names, pair[i], &length);
        SPC_TRY(spc_word_add(words, own, length, csv->allocator, csv->error));
    }
    return keep(csv, column, pair);
}

static sparcl_status add_named(spc_csv *csv, const spc_cross_names *names, spc_array *name) {
    const char *const given[] = {names->left, names->right};
    const int32_t *const columns = csv->fields.at;
    int64_t pair[2];
    bool exists = false;
    for (int i = 0; i < 2; i++) {
        int64_t field = 0;
        SPC_TRY(spc_csv_find_given(csv, given[i], "cross", &field));
        pair[i] = columns[field];
    }
    SPC_TRY(check_pair(csv, 0, pair));
    SPC_TRY(has_cross(csv, pair, name, &exists));
    if (exists)
        return refuse(csv, 0, pair, pair[0],
                      "of which there is this cross, or a column with its "
                      "name; cross every pair once");
    return add_cross(csv, pair, name);
}

/* Columns of text are left out. */
static sparcl_status add_all(spc_csv *csv, spc_array *name) {
    const int64_t count = spc_csv_column_count(csv);
    int64_t added = 0;
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = i; j < count; j++) {
            const int64_t pair[] = {i, j};
            const spc_csv_column *const left = &spc_csv_columns(csv)[i], *const right =
                                                                             &spc_csv_columns(
                                                                                 csv)[j];
            bool exists = false;
            if (left->kind == SPC_CSV_TEXT || right->kind == SPC_CSV_TEXT || why_no_feature(left) ||
                why_no_feature(right) || why_no_cross(left, right))
                continue;
            SPC_TRY(has_cross(csv, pair, name, &exists));
            if (!exists) SPC_TRY(add_cross(csv, pair, name));
            added++;
        }
    if (added > 0) return SPARCL_OK;
    return spc_fail(csv->error, SPARCL_E_FORMAT,
                    "%s:1:1: expected columns to cross (--cross all), found no two columns of "
                    "features that are not text; read it without",
                    csv->name);
}

static sparcl_status add_list(spc_csv *csv, const spc_cross_list *list) {
    const spc_cross_names *const pairs = list->pairs.at;
    spc_array name = {0};
    sparcl_status status = list->all ? add_all(csv, &name) : SPARCL_OK;
    for (size_t i = 0; status == SPARCL_OK && i < list->pairs.used / sizeof *pairs; i++)
        status = add_named(csv, &pairs[i], &name);
    spc_array_free(&name, csv->allocator);
    return status;
}

static sparcl_status add_requested(spc_csv *csv) {
    spc_cross_list list;
    if (!csv->desc->crosses) return SPARCL_OK;
    sparcl_status status =
        spc_cross_list_read(&list, csv->desc->crosses, csv->allocator, csv->error);
    if (status == SPARCL_OK) status = add_list(csv, &list);
    spc_cross_list_free(&list, csv->allocator);
    return status;
}

sparcl_status spc_csv_plan_crosses(spc_csv *csv) {
    SPC_TRY(spc_csv_find_crosses(csv));
    return add_requested(csv);
}

/* ---- for the reader ------------------------------------------------------------------------- */

sparcl_status spc_csv_make_crossing(const spc_csv *csv, spc_crossing *how) {
    const spc_csv_column *const all = spc_csv_columns(csv);
    *how = (spc_crossing){.sources = spc_csv_column_count(csv),
                          .bits = csv->bits,
                          .owners = csv->owners,
                          .kept = csv->kept,
                          .between = "="};
    for (int64_t i = 0; i < how->sources; i++) {
        if (all[i].kind != SPC_CSV_CROSS) continue;
        const int64_t *const pair = all[i].crossed;
        const spc_cross cross = {(int32_t)pair[0], (int32_t)pair[1], all[i].number};
        how->growing += all[pair[0]].kind == SPC_CSV_TEXT || all[pair[1]].kind == SPC_CSV_TEXT;
        SPC_TRY(spc_array_add(&how->crosses, &cross, sizeof cross, csv->allocator, csv->error));
    }
    return SPARCL_OK;
}

/* A text has at most one entry for each of its bytes, and one more. */
spc_cross_room spc_csv_cross_room(const spc_block *block, const spc_block_rules *rules) {
    const size_t all = (size_t)spc_cross_count(rules->crossing);
    const size_t growing = (size_t)rules->crossing->growing, lines = (size_t)block->lines;
    const size_t of_text = spc_room_multiply(growing, block->length + lines);
    return (spc_cross_room){.block = spc_room_add(spc_room_multiply(all, lines), of_text),
                            .row = spc_room_add(all, of_text)};
}
