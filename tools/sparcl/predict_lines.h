/* predict_lines.h: the lines of sparcl predict, one for each row. */
#ifndef SPARCL_TOOL_PREDICT_LINES_H
#define SPARCL_TOOL_PREDICT_LINES_H

#include "options.h"
#include "output.h"
#include "sparcl/data.h"
#include "sparcl/model.h"

typedef struct line_options {
    int proba, scores;
    int64_t top;      /* classes; 0: none */
    double threshold; /* NaN: none */
    int to;           /* LINES_TSV, ... */
    const char *tag;  /* what the rows' tags, which come first, are called; NULL: none */
} line_options;

enum { LINES_BY_NAME = -1, LINES_TSV, LINES_CSV, LINES_JSON };
#define LINE_FORMAT_WORDS "tsv|csv|json"

#define OPTION_THRESHOLD(threshold)                                                                \
    {                                                                                              \
        .name = "threshold", .type = OPTION_REAL, .value = &(threshold), .argument = "X",          \
        .help = "two classes: the higher one where its probability is at least X"                  \
    }

/* What is predicted of some rows. */
typedef struct predicted_rows {
    int64_t count;
    double *label;
    float *p;
    float *scores;           /* [count, outputs], or NULL where no line needs them */
    const sparcl_data *data; /* that has their tags */
} predicted_rows;

/* Room for `rows` rows, with scores where outputs > 0. */
bool make_predicted(predicted_rows *to, int64_t rows, int64_t outputs);
void free_predicted(predicted_rows *rows);

/* The format of lines to `path`, which may be NULL, where none is given. */
int choose_lines(int to, const char *path);

bool lines_need_scores(const line_options *options, const sparcl_model *model);

/* A text as a field of TSV or CSV, or as a string of JSON. */
void print_text_as(FILE *file, int to, const char *text);
/* A number with nine digits; where it is not finite null in JSON. */
void print_real_as(FILE *file, int to, double value);

/* Whether a model has what the options print. */
exit_code check_lines(const line_options *options, const sparcl_model *model);

/* Of CSV, the names of the columns. */
exit_code print_heading(out_file *out, const line_options *options, const sparcl_model *model);

/* Numbers do not depend on the locale: the tool never sets LC_NUMERIC. NaN is "nan" on every
 * device, and null in JSON. */
exit_code print_lines(out_file *out, const line_options *options, const sparcl_model *model,
                      const predicted_rows *rows);

#endif
