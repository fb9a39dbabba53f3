/* validation.c: says all that is wrong with a file, and writes it without that. */
#include "data/set/validation.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

typedef struct check {
    spc_notes notes; /* first: the callback gets this */
    const char *path;
    sparcl_validation *result;
    const sparcl_allocator *allocator;
    sparcl_error *error;
    spc_array bad;   /* spc_line_range, of the reading that is going on */
    spc_array first; /* those of the strict reading */
    spc_line_fix fix;
} check;

static void report(const check *c, const char *message) {
    if (c->result->problem) c->result->problem(c->result->user, message);
}

static sparcl_status add_range(const check *c, spc_array *ranges, int64_t first, int64_t end,
                               uint64_t message) {
    const spc_line_range range = {first, end, message};
    return spc_array_add(ranges, &range, sizeof range, c->allocator, c->error);
}

static int compare(const void *a, const void *b) {
    const spc_line_range *const x = a, *const y = b;
    return (x->first > y->first) - (x->first < y->first);
}

/* The strict reading stops at the first problem of a row, such as an unsorted index; the other one
 * may find a worse one behind it. */
static bool was_reported(const check *c, int64_t first, uint64_t message) {
    const spc_line_range row = {.first = first};
    const size_t count = c->first.used / sizeof row;
    const spc_line_range *const found =
        count > 0 ? bsearch(&row, c->first.at, count, sizeof row, compare) : NULL;
    return found && found->message == message;
}

static sparcl_status note(spc_notes *notes, int64_t first, int64_t end, const char *message) {
    check *const c = (check *)notes;
    const uint64_t hash = XXH3_64bits(message, strlen(message));
    if (!was_reported(c, first, hash)) report(c, message);
    return add_range(c, &c->bad, first, end, hash);
}

/* ---- what is wrong -------------------------------------------------------------------------- */

/* Unsorted and duplicate indices are among what a strict reading notes. What no row is to blame for
 * is told, and found again by the second reading. */
static sparcl_status read_strictly(check *c, sparcl_data_desc desc) {
    sparcl_data *data = NULL;
    sparcl_error why = {.status = SPARCL_OK};
    desc.strict = 1;
    const sparcl_status status = spc_data_read_noting(&data, c->path, &desc, &c->notes, &why);
    sparcl_data_free(data);
    c->first = c->bad;
    c->bad = (spc_array){0};
    c->notes.count = c->notes.rows = 0;
    if (status == SPARCL_OK) return SPARCL_OK;
    if (status == SPARCL_E_FORMAT) {
        report(c, why.message);
        return SPARCL_OK;
    }
    return spc_fail(c->error, status, "%s", why.message);
}

/* The lines of a row: CSV may have several, up to the next row. */
static sparcl_status drop_row(check *c, const sparcl_data *data, int64_t row) {
    const int64_t first = sparcl_data_line(data, row);
    const bool csv = strcmp(data->info.format, "csv") == 0, last = row + 1 == data->info.rows;
    return add_range(c, &c->bad, first,
                     !csv   ? first + 1
                     : last ? INT64_MAX
                            : sparcl_data_line(data, row + 1),
                     0);
}

/* The first value of a row that is not finite, or NULL. */
static const float *find_bad_value(const sparcl_data *data, int64_t row) {
    const int64_t *const offsets = data->offsets.at;
    const float *const values = data->values.at;
    for (int64_t k = offsets[row]; k < offsets[row + 1]; k++)
        if (!isfinite(values[k])) return &values[k];
    return NULL;
}

static sparcl_status find_not_finite(check *c, const sparcl_data *data) {
    if (data->info.nan_values + data->info.inf_values == 0) return SPARCL_OK;
    for (int64_t row = 0; row < data->info.rows; row++) {
        char place[SPC_NAME_CAPACITY + 64], message[SPC_NAME_CAPACITY + 192];
        const float *const value = find_bad_value(data, row);
        if (!value) continue;
        snprintf(message, sizeof message,
                 "%s: expected finite values in this row, found %s; omit missing values, an absent "
                 "index means 0",
                 sparcl_data_place(data, row, place, sizeof place), isnan(*value) ? "nan" : "inf");
        report(c, message);
        c->result->not_finite_rows++;
        if (data->by_line) SPC_TRY(drop_row(c, data, row));
    }
    return SPARCL_OK;
}

/* Where others have one. */
static sparcl_status find_unlabelled(check *c, const sparcl_data *data) {
    const double *const labels = sparcl_data_labels(data);
    if (!labels || data->info.unlabelled_rows == 0) return SPARCL_OK;
    for (int64_t row = 0; row < data->info.rows; row++) {
        char place[SPC_NAME_CAPACITY + 64], message[SPC_NAME_CAPACITY + 192];
        if (!isnan(labels[row]) || find_bad_value(data, row)) continue;
        snprintf(message, sizeof message,
                 "%s: expected a label, as other rows have one, found none; add it, or remove the "
                 "row, as training and evaluation do",
                 sparcl_data_place(data, row, place, sizeof place));
        report(c, message);
        c->result->unlabelled_rows++;
        SPC_TRY(drop_row(c, data, row));
    }
    return SPARCL_OK;
}

static void sort_ranges(const spc_array *ranges) {
    if (ranges->used > 0)
        qsort(ranges->at, ranges->used / sizeof(spc_line_range), sizeof(spc_line_range), compare);
}

/* What the strict reading noted, but not the other, is repaired. */
static sparcl_status find_repaired(check *c) {
    const spc_line_range *const strict = c->first.at, *const dropped = c->bad.at;
    const size_t count = c->first.used / sizeof *strict, others = c->bad.used / sizeof *dropped;
    size_t d = 0;
    for (size_t i = 0; i < count; i++) {
        while (d < others && dropped[d].end <= strict[i].first)
            d++;
        if (d < others && dropped[d].first <= strict[i].first) continue;
        SPC_TRY(spc_array_add(&c->fix.repaired, &strict[i].first, sizeof(int64_t), c->allocator,
                              c->error));
    }
    return SPARCL_OK;
}

static sparcl_status check_left(const check *c) {
    if (c->result->rows > c->result->not_finite_rows + c->result->unlabelled_rows) return SPARCL_OK;
    return spc_fail(c->error, SPARCL_E_FORMAT,
                    "%s: expected a good row to be left, found none; name the format of the file",
                    c->path);
}

static sparcl_status read_and_fix(check *c, const sparcl_data_desc *desc) {
    sparcl_validation *const result = c->result;
    sparcl_data *data = NULL;
    sparcl_error why = {.status = SPARCL_OK};
    sparcl_status status = spc_data_read_noting(&data, c->path, desc, &c->notes, &why);
    result->bad_rows = (int64_t)(c->bad.used / sizeof(spc_line_range));
    if (c->notes.format) result->format = c->notes.format;
    result->rows = c->notes.rows;
    if (status == SPARCL_E_FORMAT && !result->fixed) {
        result->unreadable = 1;
        return SPARCL_OK;
    }
    if (status != SPARCL_OK) return spc_fail(c->error, status, "%s", why.message);
    result->rows = data->info.rows;
    if (result->info) *result->info = data->info;
    result->unsorted_rows = data->info.unsorted_rows;
    result->duplicates = data->info.hash_bits ? 0 : data->info.duplicates;
    SPC_GO(find_not_finite(c, data));
    SPC_GO(find_unlabelled(c, data));
    sort_ranges(&c->bad);
    SPC_GO(find_repaired(c));
    c->fix.dropped = c->bad;
    if (result->fixed) SPC_GO(check_left(c));
    if (result->fixed) SPC_GO(spc_fix_write(data, c->path, result->fixed, &c->fix, c->error));
done:
    sparcl_data_free(data);
    return status;
}

sparcl_status sparcl_data_validate(const char *path, const sparcl_data_desc *desc,
                                   sparcl_validation *result, sparcl_error *error) {
    const sparcl_data_desc zero = {.labels = NULL};
    if (!path || !result) return spc_fail(error, SPARCL_E_ARG, "validate: path or result is NULL");
    if (strcmp(path, "-") == 0)
        return spc_fail(error, SPARCL_E_ARG,
                        "validate: expected a file, which is read twice, found standard input");
    if (!desc) desc = &zero;
    check c = {.notes.add = note,
               .path = path,
               .result = result,
               .allocator = &desc->allocator,
               .error = error};
    result->rows = result->bad_rows = result->not_finite_rows = 0;
    result->unsorted_rows = result->duplicates = result->unreadable = 0;
    result->unlabelled_rows = 0;
    result->format = sparcl_data_format_name(desc->format);
    sparcl_status status = read_strictly(&c, *desc);
    if (status == SPARCL_OK) status = read_and_fix(&c, desc);
    spc_array_free(&c.first, c.allocator);
    spc_array_free(&c.bad, c.allocator);
    spc_array_free(&c.fix.repaired, c.allocator);
    return status;
}
