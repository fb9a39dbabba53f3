/* predict_parts.c: predictions on a file that is read part by part. */
#include "predict_parts.h"

#include <stdlib.h>

#include "input_notes.h"
#include "message.h"
#include "not_finite.h"
#include "open_device.h"
#include "sparcl/apply.h"
#include "sparcl/data.h"
#include "verbose.h"

/* ---- parts ---------------------------------------------------------------------------------- */

typedef struct job {
    const loaded_model *loaded;
    const char *path;
    input_options input;
    sparcl_data_parts *parts;
    const line_options *lines;
    sparcl_predictor *predictor;
    predicted_rows rows; /* [capacity] */
    int64_t capacity;
    sparcl_data_info total; /* of all parts: what is said of repairs */
    int64_t not_finite;     /* rows with such a prediction */
} job;

static exit_code open_parts(job *j) {
    sparcl_data_desc desc = describe_input(&j->input);
    sparcl_error error = {0};
    if (sparcl_model_open(j->loaded->ctx, &j->predictor, j->loaded->model, &error) != SPARCL_OK)
        return report_device(j->loaded->ctx, &error);
    begin_part("predicting %s", j->path);
    if (sparcl_data_parts_open(&j->parts, j->path, &desc, 0, &error) == SPARCL_OK) return EXIT_OK;
    return report_input(&error, j->path, &j->input);
}

static bool reserve(job *j, int64_t rows) {
    const int64_t outputs = sparcl_model_get_info(j->loaded->model)->outputs;
    predicted_rows *const to = &j->rows;
    if (rows <= j->capacity) return true;
    free_predicted(to);
    j->capacity =
        make_predicted(to, rows, lines_need_scores(j->lines, j->loaded->model) ? outputs : 0) ? rows
                                                                                              : 0;
    return j->capacity > 0;
}

static void count(sparcl_data_info *total, const sparcl_data_info *part) {
    const bool is_first = total->rows == 0;
    total->format = part->format;
    total->index_base = part->index_base;
    total->hash_bits = part->hash_bits;
    total->hashed_ids = part->hashed_ids;
    total->id_count = part->id_count;
    total->users = part->users;
    total->items = part->items;
    total->other_columns = part->other_columns;
    total->unknown_ids += part->unknown_ids;
    total->rows += part->rows;
    total->nnz += part->nnz;
    total->duplicates += part->duplicates;
    total->unsorted_rows += part->unsorted_rows;
    total->missing_values += part->missing_values;
    total->unknown_words += part->unknown_words;
    total->query_rows += part->query_rows;
    total->narrowed_values += part->narrowed_values;
    total->float64_source |= part->float64_source;
    if (is_first || part->min_index < total->min_index) total->min_index = part->min_index;
}

static exit_code predict_part(job *j, const sparcl_data *part, out_file *out) {
    const sparcl_data_info *const info = sparcl_data_get_info(part);
    sparcl_error error = {0};
    count(&j->total, info);
    print_csv_notes(j->path, part);
    if (!reserve(j, info->rows)) return info->rows > 0 ? out_of_memory() : EXIT_OK;
    predicted_rows *const to = &j->rows;
    to->count = info->rows;
    to->data = part;
    if (sparcl_model_predict_data(j->predictor, part, to->label, to->p, to->scores, &error) !=
        SPARCL_OK)
        return report_device(j->loaded->ctx, &error);
    j->not_finite += count_not_finite(to->p, info->rows);
    const exit_code code = print_lines(out, j->lines, j->loaded->model, to);
    return code == EXIT_OK ? out_flush(out) : code; /* a pipe goes on */
}

/* Errors of the file before its first part leave no output. */
static exit_code predict_all(job *j, const char *output) {
    sparcl_data *part = NULL;
    sparcl_error error = {0};
    out_file out;
    if (sparcl_data_parts_next(j->parts, &part, &error) != SPARCL_OK)
        return report_input(&error, j->path, &j->input);
    exit_code code = out_open(&out, output);
    if (code != EXIT_OK) {
        sparcl_data_free(part);
        return code;
    }
    code = print_heading(&out, j->lines, j->loaded->model);
    while (part && code == EXIT_OK) {
        code = predict_part(j, part, &out);
        sparcl_data_free(part);
        part = NULL;
        if (code == EXIT_OK && sparcl_data_parts_next(j->parts, &part, &error) != SPARCL_OK)
            code = report_input(&error, j->path, &j->input);
    }
    sparcl_data_free(part);
    const exit_code closed = out_close(&out, code == EXIT_OK);
    return code == EXIT_OK ? closed : code;
}

exit_code predict_parts(const loaded_model *loaded, const char *path, const input_options *options,
                        const line_options *lines, const char *output) {
    job j = {.loaded = loaded,
             .path = path,
             .lines = lines,
             .input = input_of_model(loaded->model, options)};
    exit_code code = open_parts(&j);
    if (code == EXIT_OK) code = predict_all(&j, output);
    if (code == EXIT_OK) {
        print_repairs(path, &j.total);
        print_index_base(path, options, loaded->model, &j.total);
        print_not_finite(loaded->model, "predictions", j.not_finite, j.total.rows);
    }
    sparcl_data_parts_close(j.parts);
    sparcl_predictor_free(j.predictor);
    free_predicted(&j.rows);
    return code;
}
