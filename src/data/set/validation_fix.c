/* validation_fix.c: writes text without the lines that cannot be read, and with repaired rows. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "data/formats/export.h"
#include "data/io/lines.h"
#include "data/io/words.h"
#include "data/set/validation.h"

typedef struct fixer {
    const sparcl_data *data;
    const spc_line_fix *fix;
    spc_lines lines;
    spc_array text;
    size_t dropped, repaired; /* the ranges and lines that were passed */
    int64_t row;              /* the next one of the data */
    sparcl_error *error;
} fixer;

static sparcl_status add(fixer *f, const char *bytes, size_t size) {
    return spc_array_add(&f->text, bytes, size, &f->data->allocator, f->error);
}

static bool is_dropped(fixer *f) {
    const spc_line_range *const ranges = f->fix->dropped.at;
    const size_t count = f->fix->dropped.used / sizeof *ranges;
    while (f->dropped < count && ranges[f->dropped].end <= f->lines.number)
        f->dropped++;
    return f->dropped < count && ranges[f->dropped].first <= f->lines.number;
}

static bool is_repaired(fixer *f) {
    const int64_t *const lines = f->fix->repaired.at;
    const size_t count = f->fix->repaired.used / sizeof *lines;
    while (f->repaired < count && lines[f->repaired] < f->lines.number)
        f->repaired++;
    return f->repaired < count && lines[f->repaired] == f->lines.number;
}

/* Where the first index:value stands: what is before it, labels and "qid:", stays. */
static const char *find_entries(const char *at, bool multilabel) {
    at = spc_skip_blanks(at);
    for (bool first = true; !spc_at_line_end(at) && *at != '#'; first = false) {
        const char *end = at;
        while (!spc_ends_word(*end))
            end++;
        const bool label = first && (!multilabel || !memchr(at, ':', (size_t)(end - at)));
        if (!label && strncmp(at, "qid:", 4) != 0) return at;
        at = spc_skip_blanks(end);
    }
    return at;
}

static sparcl_status add_repaired(fixer *f) {
    const char *const line = f->lines.line;
    const char *const entries = find_entries(line, f->data->label_offsets.used > 0);
    const char *rest = entries;
    while (*rest != '#' && !spc_at_line_end(rest))
        rest++;
    while (f->row < f->data->info.rows && sparcl_data_line(f->data, f->row) < f->lines.number)
        f->row++;
    size_t before = (size_t)(entries - line);
    while (before > 0 && spc_is_blank(line[before - 1]))
        before--;
    SPC_TRY(add(f, line, before));
    SPC_TRY(spc_export_entries(f->data, f->row, f->data->info.index_base, &f->text, f->error));
    if (*rest == '#') SPC_TRY(add(f, " ", 1));
    return add(f, rest, (size_t)(strchr(rest, '\n') + 1 - rest));
}

static sparcl_status copy_lines(fixer *f) {
    for (bool any = true; any;) {
        SPC_TRY(spc_lines_next(&f->lines, &any));
        if (!any || is_dropped(f)) continue;
        const char *const line = f->lines.line;
        const size_t size =
            (size_t)((const char *)memchr(line, '\n', (size_t)(f->lines.end - line)) + 1 - line);
        SPC_TRY(is_repaired(f) ? add_repaired(f) : add(f, line, size));
    }
    return SPARCL_OK;
}

static sparcl_status check_format(const sparcl_data *data, sparcl_error *error) {
    if (spc_format_flags(data->info.format) & SPC_HAS_LINES) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_ARG,
                    "validate: expected text with a row in each line to be fixed, found %s; "
                    "'sparcl convert' writes what was read in another format",
                    data->info.format);
}

sparcl_status spc_fix_write(const sparcl_data *data, const char *path, const char *fixed,
                            const spc_line_fix *fix, sparcl_error *error) {
    spc_input input;
    SPC_TRY(check_format(data, error));
    bool skipped = false;
    sparcl_status status = spc_input_open(&input, path, &data->allocator, error);
    if (status == SPARCL_OK) status = spc_input_begin_text(&input, &skipped, error);
    fixer f = {.data = data, .fix = fix, .lines = spc_lines_of(&input, error), .error = error};
    if (status == SPARCL_OK) status = copy_lines(&f);
    const spc_bytes part = {f.text.at, f.text.used};
    if (status == SPARCL_OK) status = spc_file_write(fixed, &part, 1, error);
    spc_array_free(&f.text, &data->allocator);
    spc_lines_free(&f.lines);
    spc_input_close(&input);
    return status;
}
