/* run_file.h: a manifest or a model file as a flat list of names and values, to compare two. */
#ifndef SPARCL_TOOL_RUN_FILE_H
#define SPARCL_TOOL_RUN_FILE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "exit_codes.h"

typedef struct run_file {
    const char *path;
    json_t *facts;   /* name: text, number, true, false or null */
    json_t *tensors; /* of a model: the header of the file, else NULL */
    int64_t data_at; /* where the bytes of tensors begin */
} run_file;

/* Read one. What is different in each run, such as times and places, is left out. */
exit_code run_file_read(run_file *file, const char *path);
/* True for what is left out: a name such as "options.output". */
bool run_file_leaves_out(const char *name);
void run_file_free(run_file *file);

/* The largest difference between the values of two F32 tensors with one shape, and where it is; -1:
 * none. */
exit_code run_file_compare(const run_file *a, const run_file *b, const char *tensor,
                           double *largest, int64_t *at);

#endif
