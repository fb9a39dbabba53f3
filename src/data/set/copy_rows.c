/* copy_rows.c: the lines of a text file that have the rows of a part of it. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "data/io/lines.h"
#include "data/set/dataset.h"

typedef struct copier {
    const sparcl_data *data, *part;
    spc_lines lines;
    int64_t left_out; /* rows that were left out before */
    spc_array text;
    sparcl_error *error;
} copier;

/* Where a row begins, from 1; that of the row after the last one is behind the file. */
static int64_t line_of(const copier *c, int64_t row) {
    return row < c->data->info.rows ? sparcl_data_line(c->data, row) : INT64_MAX;
}

/* Where what belongs to a row ends: at the next row, also one that was left out. */
static int64_t end_of(copier *c, int64_t row) {
    const int64_t *const lines = c->data->left_out.at;
    const int64_t count = (int64_t)(c->data->left_out.used / sizeof *lines);
    const int64_t line = row < 0 ? 0 : line_of(c, row), end = line_of(c, row + 1);
    while (c->left_out < count && lines[c->left_out] < line)
        c->left_out++;
    return c->left_out < count && lines[c->left_out] < end ? lines[c->left_out] : end;
}

/* Lines up to `end`, which is not one of them, or to the end of the file. */
static sparcl_status pass(copier *c, int64_t end, bool copies) {
    for (bool any = true; c->lines.number + 1 < end;) {
        SPC_TRY(spc_lines_next(&c->lines, &any));
        if (!any) return SPARCL_OK;
        const char *const line = c->lines.line;
        const char *const stop = memchr(line, '\n', (size_t)(c->lines.end - line));
        if (copies)
            SPC_TRY(spc_array_add(&c->text, line, (size_t)(stop + 1 - line), &c->data->allocator,
                                  c->error));
    }
    return SPARCL_OK;
}

/* What is before the first row, such as a heading, is in every part. */
static sparcl_status copy_rows(copier *c) {
    SPC_TRY(pass(c, end_of(c, -1), true));
    for (int64_t i = 0; i < c->part->info.rows; i++) {
        const int64_t row = spc_data_row(c->part, i);
        SPC_TRY(pass(c, line_of(c, row), false));
        SPC_TRY(pass(c, end_of(c, row), true));
    }
    return SPARCL_OK;
}

sparcl_status sparcl_data_copy_rows(const sparcl_data *data, const sparcl_data *part,
                                    const char *source, const char *path, sparcl_error *error) {
    spc_input input;
    bool skipped = false;
    if (!data || !part || !source || !path)
        return spc_fail(error, SPARCL_E_ARG, "copy: data, part, source or path is NULL");
    if (!data->by_line || data->rows.used)
        return spc_fail(error, SPARCL_E_ARG,
                        "copy: expected data as they were read from text with a row in each line, "
                        "found %s",
                        data->by_line ? "a part of them" : data->info.format);
    sparcl_status status = spc_input_open(&input, source, &data->allocator, error);
    if (status == SPARCL_OK) status = spc_input_begin_text(&input, &skipped, error);
    copier c = {.data = data, .part = part, .lines = spc_lines_of(&input, error), .error = error};
    if (status == SPARCL_OK) status = copy_rows(&c);
    const spc_bytes text = {c.text.at, c.text.used};
    if (status == SPARCL_OK) status = spc_file_write(path, &text, 1, error);
    spc_array_free(&c.text, &data->allocator);
    spc_lines_free(&c.lines);
    spc_input_close(&input);
    return status;
}
