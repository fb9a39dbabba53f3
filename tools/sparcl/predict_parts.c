/* predict_parts.c: predictions on a file that is read part by part. */
#include "predict_parts.h"

#include <stdlib.h>

#include "message.h"
#include "not_finite.h"
#include "open_device.h"
#include "sparcl/data_stream.h"
#include "sparcl/predictor.h"

/* ---- lines ---------------------------------------------------------------------------------- */

enum { LINES_AT_ONCE = 65536 };

exit_code print_predictions(out_file *out, sparcl_loss loss, const double *label, const float *p,
                            int64_t rows) {
    exit_code code = EXIT_OK;
    for (int64_t i = 0; i < rows && code == EXIT_OK; i++) {
        char text[NUMBER_BYTES];
        const double found = without_sign_of_nan((double)p[i]);
        if (loss == SPARCL_LOSS_SQUARED || loss == SPARCL_LOSS_POISSON)
            fprintf(out->file, "%.9g\n", found);
        else
            fprintf(out->file, "%s\t%.9g\n", shortest_number(text, label[i]), found);
        if ((i + 1) % LINES_AT_ONCE == 0) code = out_flush(out);
    }
    return code;
}

/* ---- parts ---------------------------------------------------------------------------------- */

typedef struct job {
    const loaded_model *loaded;
    const char *path;
    input_options input;
    sparcl_data_parts *parts;
    sparcl_predictor *predictor;
    double *label; /* [capacity] */
    float *p;
    int64_t capacity;
    sparcl_data_info total; /* of all parts: what is said of repairs */
    int64_t not_finite;     /* rows with such a prediction */
} job;

static exit_code open_parts(job *j) {
    sparcl_data_desc desc = describe_input(&j->input);
    sparcl_error error = {0};
    if (sparcl_model_open(j->loaded->ctx, &j->predictor, j->loaded->model, &error) != SPARCL_OK)
        return report_device(j->loaded->ctx, &error);
    if (sparcl_data_parts_open(&j->parts, j->path, &desc, 0, &error) == SPARCL_OK) return EXIT_OK;
    return report_input(&error, j->path, &j->input);
}

static bool reserve(job *j, int64_t rows) {
    if (rows <= j->capacity) return true;
    free(j->label);
    free(j->p);
    j->label = malloc((size_t)rows * sizeof *j->label);
    j->p = malloc((size_t)rows * sizeof *j->p);
    j->capacity = j->label && j->p ? rows : 0;
    return j->capacity > 0;
}

static void count(sparcl_data_info *total, const sparcl_data_info *part) {
    const bool is_first = total->rows == 0;
    total->format = part->format;
    total->index_base = part->index_base;
    total->hash_bits = part->hash_bits;
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
    if (!reserve(j, info->rows)) return info->rows > 0 ? out_of_memory() : EXIT_OK;
    if (sparcl_model_predict_data(j->predictor, part, j->label, j->p, NULL, &error) != SPARCL_OK)
        return report_device(j->loaded->ctx, &error);
    j->not_finite += count_not_finite(j->p, info->rows);
    const exit_code code = print_predictions(out, sparcl_model_get_info(j->loaded->model)->loss,
                                             j->label, j->p, info->rows);
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
                        const char *output) {
    job j = {.loaded = loaded, .path = path, .input = input_of_model(loaded->model, options)};
    exit_code code = open_parts(&j);
    if (code == EXIT_OK) code = predict_all(&j, output);
    if (code == EXIT_OK) {
        print_repairs(path, &j.total);
        print_index_base(path, options, loaded->model, &j.total);
        print_not_finite(loaded->model, "predictions", j.not_finite, j.total.rows);
    }
    sparcl_data_parts_close(j.parts);
    sparcl_predictor_free(j.predictor);
    free(j.label);
    free(j.p);
    return code;
}
