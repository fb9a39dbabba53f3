/* crosses.c: crosses of columns, or of namespaces: the products of their features in each row. */
#include "data/set/crosses.h"

#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/formats/csv/csv_text.h"
#include "data/io/words.h"

/* ---- as requested --------------------------------------------------------------------------- */

static sparcl_status refuse(const char *found, sparcl_error *error) {
    return spc_fail(error, SPARCL_E_ARG,
                    "data: crosses (--cross): expected the names of two columns or namespaces, as "
                    "A,B, or all, found %s",
                    found);
}

static bool is_same(const spc_cross_names *a, const spc_cross_names *b) {
    return (strcmp(a->left, b->left) == 0 && strcmp(a->right, b->right) == 0) ||
           (strcmp(a->left, b->right) == 0 && strcmp(a->right, b->left) == 0);
}

static sparcl_status add_pair(spc_cross_list *list, const spc_cross_names *pair,
                              const sparcl_allocator *allocator, sparcl_error *error) {
    const spc_cross_names *const pairs = list->pairs.at;
    char found[160];
    for (size_t i = 0; i < list->pairs.used / sizeof *pairs; i++)
        if (is_same(&pairs[i], pair)) {
            snprintf(found, sizeof found, "the pair \"%.60s,%.60s\" twice; give it once",
                     pair->left, pair->right);
            return refuse(found, error);
        }
    return spc_array_add(&list->pairs, pair, sizeof *pair, allocator, error);
}

/* The fields of a line; those behind the second are only counted. */
static sparcl_status read_line(spc_csv_text *text, spc_csv_field fields[2], int *count,
                               sparcl_error *error) {
    spc_csv_field field;
    text->at_record_end = false;
    for (*count = 0; !text->at_record_end; ++*count) {
        const spc_csv_fault fault = spc_csv_next(text, &field);
        if (fault != SPC_CSV_GOOD) return refuse(spc_csv_fault_text(fault), error);
        if (*count < 2) fields[*count] = field;
    }
    for (int i = 0; i < *count && i < 2; i++)
        fields[i].at[fields[i].length] = '\0';
    return SPARCL_OK;
}

static sparcl_status read_pairs(spc_cross_list *list, spc_csv_text *text,
                                const sparcl_allocator *allocator, sparcl_error *error) {
    int lines = 0;
    for (; spc_csv_skip_blank_lines(text); lines++) {
        spc_csv_field fields[2];
        int count = 0;
        SPC_TRY(read_line(text, fields, &count, error));
        if (count == 1 && spc_same_word(fields[0].at, fields[0].length, "all")) {
            list->all = true;
            continue;
        }
        if (count != 2)
            return refuse(count == 1 ? "one name"
                                     : "more than two names; put a name with a comma "
                                       "in double quotes",
                          error);
        SPC_TRY(add_pair(list, &(spc_cross_names){fields[0].at, fields[1].at}, allocator, error));
    }
    if (lines == 0) return refuse("nothing", error);
    if (!list->all || lines == 1) return SPARCL_OK;
    return refuse("all and others; all has every pair", error);
}

sparcl_status spc_cross_list_read(spc_cross_list *list, const char *text,
                                  const sparcl_allocator *allocator, sparcl_error *error) {
    static const char end[SPC_NUMBER_PAD + 1] = "\n";
    const size_t length = strlen(text);
    *list = (spc_cross_list){.all = false};
    SPC_TRY(spc_array_add(&list->text, text, length, allocator, error));
    SPC_TRY(spc_array_add(&list->text, end, sizeof end, allocator, error));
    char *const begin = list->text.at;
    spc_csv_text all = {.at = begin, .line = begin, .end = begin + length + 1, .delimiter = ','};
    return read_pairs(list, &all, allocator, error);
}

void spc_cross_list_free(spc_cross_list *list, const sparcl_allocator *allocator) {
    spc_array_free(&list->text, allocator);
    spc_array_free(&list->pairs, allocator);
}

/* ---- namespaces ----------------------------------------------------------------------------- */

static sparcl_status number_space(spc_crossing *how, const char *name, int32_t *source,
                                  const sparcl_allocator *allocator, sparcl_error *error) {
    const size_t length = strlen(name);
    const int64_t found = spc_word_find(&how->names, name, length);
    *source = (int32_t)(found >= 0 ? found : how->sources);
    if (found >= 0) return SPARCL_OK;
    how->sources++;
    return spc_word_add(&how->names, name, length, allocator, error);
}

static sparcl_status add_spaces(spc_crossing *how, const spc_cross_list *list,
                                const sparcl_allocator *allocator, sparcl_error *error) {
    static const spc_cross every = {0, 0, -1};
    const spc_cross_names *const pairs = list->pairs.at;
    how->all = list->all;
    how->sources = list->all;
    if (list->all) SPC_TRY(spc_array_add(&how->crosses, &every, sizeof every, allocator, error));
    for (size_t i = 0; i < list->pairs.used / sizeof *pairs; i++) {
        spc_cross cross = {.field = -1};
        SPC_TRY(number_space(how, pairs[i].left, &cross.left, allocator, error));
        SPC_TRY(number_space(how, pairs[i].right, &cross.right, allocator, error));
        SPC_TRY(spc_array_add(&how->crosses, &cross, sizeof cross, allocator, error));
    }
    how->met = spc_alloc_zero(allocator, (size_t)spc_cross_count(how), sizeof *how->met);
    return how->met ? SPARCL_OK : spc_fail_memory(error, "crosses", sizeof *how->met);
}

sparcl_status spc_crossing_of_spaces(spc_crossing *how, const char *text,
                                     const sparcl_allocator *allocator, sparcl_error *error) {
    spc_cross_list list;
    *how = (spc_crossing){.between = "^"};
    sparcl_status status = spc_cross_list_read(&list, text, allocator, error);
    if (status == SPARCL_OK) status = add_spaces(how, &list, allocator, error);
    spc_cross_list_free(&list, allocator);
    return status;
}

void spc_crossing_free(spc_crossing *how, const sparcl_allocator *allocator) {
    spc_free(allocator, how->met, (size_t)spc_cross_count(how) * sizeof *how->met);
    spc_array_free(&how->crosses, allocator);
    spc_word_set_free(&how->names, allocator);
}

/* ---- room ----------------------------------------------------------------------------------- */

static const size_t too_much = SIZE_MAX >> 8;

size_t spc_room_add(size_t a, size_t b) {
    return a < too_much - b ? a + b : too_much;
}

size_t spc_room_multiply(size_t a, size_t b) {
    return b == 0 || a < too_much / b ? a * b : too_much;
}

/* ---- in a row ------------------------------------------------------------------------------- */

void spc_factors_begin(spc_block *block, const spc_crossing *how) {
    block->factor_count = 0;
    for (int64_t i = 0; how && i < how->sources; i++)
        block->last_factors[i] = -1;
}

void spc_factors_add(spc_block *block, int64_t source, const spc_factor *factor) {
    spc_factor *const to = &block->factors[block->factor_count];
    *to = *factor;
    to->before = block->last_factors[source];
    block->last_factors[source] = block->factor_count++;
}

enum { NAME_BYTES = 96 };

/* "column=word", "column" of a number, "column[2]" of a range of numbers; "namespace^name". */
static spc_name_part show(const spc_factor *f, const char *between, char name[NAME_BYTES]) {
    const char *const link = f->source.length > 0 && f->text.length > 0 ? between : "";
    int length = f->range >= 0 ? snprintf(name, NAME_BYTES, "%.*s[%d]", (int)f->source.length,
                                          f->source.at, (int)f->range)
                               : snprintf(name, NAME_BYTES, "%.*s%s%.*s", (int)f->source.length,
                                          f->source.at, link, (int)f->text.length, f->text.at);
    if (length >= NAME_BYTES) length = NAME_BYTES - 1;
    return (spc_name_part){name, (size_t)length};
}

static void keep_name(const spc_crossing *how, uint64_t column, const spc_factor *left,
                      const spc_factor *right) {
    char names[2][NAME_BYTES];
    spc_kept_names_note(how->kept, (int64_t)column, show(left, how->between, names[0]),
                        how->between[0] == '^' ? "*" : "^", show(right, how->between, names[1]));
}

static void add_entry(spc_block *block, const spc_crossing *how, const spc_cross *cross,
                      const spc_factor *left, const spc_factor *right) {
    const float value = left->value * right->value;
    const uint64_t mask = ((uint64_t)1 << how->bits) - 1;
    const uint64_t column = spc_cross_hash(left->hash, right->hash) & mask;
    if (value == 0) return;
    if (how->owners)
        spc_owners_note(how->owners, column, left->name * 0x9e3779b97f4a7c15 + right->name);
    if (how->kept) keep_name(how, column, left, right);
    if (block->fields) {
        block->fields[block->entries] = cross->field;
        if (cross->field > block->max_field) block->max_field = cross->field;
    }
    block->indices[block->entries] = (int64_t)column;
    block->values[block->entries++] = value;
    block->crossed++;
}

static bool is_left(const spc_factor *a, const spc_factor *b) {
    return a->order != b->order ? a->order < b->order : a->hash < b->hash;
}

/* All pairs of the features of one source. */
static void cross_itself(spc_block *block, const spc_crossing *how, const spc_cross *cross) {
    const spc_factor *const all = block->factors;
    for (int32_t i = block->last_factors[cross->left]; i >= 0; i = all[i].before) {
        if (all[i].has_square) add_entry(block, how, cross, &all[i], &all[i]);
        for (int32_t j = all[i].before; j >= 0; j = all[j].before) {
            const bool is_first = is_left(&all[i], &all[j]);
            add_entry(block, how, cross, &all[is_first ? i : j], &all[is_first ? j : i]);
        }
    }
}

static void cross_two(spc_block *block, const spc_crossing *how, const spc_cross *cross) {
    const spc_factor *const all = block->factors;
    for (int32_t i = block->last_factors[cross->left]; i >= 0; i = all[i].before)
        for (int32_t j = block->last_factors[cross->right]; j >= 0; j = all[j].before)
            add_entry(block, how, cross, &all[i], &all[j]);
}

void spc_factors_cross(spc_block *block, const spc_crossing *how) {
    const spc_cross *const crosses = how ? how->crosses.at : NULL;
    for (int64_t c = 0; c < spc_cross_count(how); c++) {
        const int64_t before = block->entries;
        if (crosses[c].left == crosses[c].right)
            cross_itself(block, how, &crosses[c]);
        else
            cross_two(block, how, &crosses[c]);
        if (how->met && block->entries > before && !how->met[c]) how->met[c] = true;
    }
}
