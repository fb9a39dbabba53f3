/* bench_matrix.h: the matrices for timing: read from a file, or generated from a description. */
#ifndef SPARCL_TOOL_BENCH_MATRIX_H
#define SPARCL_TOOL_BENCH_MATRIX_H

#include "exit_codes.h"
#include "spec/shared/spec.h"

#define GENERATE_FORMATS "uniform:ROWSxCOLSxPER_ROW, zipf:ROWSxCOLSxPER_ROW or rmat:SCALE:EDGES"

typedef struct bench_matrix {
    char name[64]; /* of the case: the stem of the file's name, or the description */
    spec_matrix matrix;
} bench_matrix;

/* One of `file` and `description` is NULL. Errors are printed on standard error. */
exit_code bench_matrix_open(bench_matrix *m, const char *file, const char *description);
void bench_matrix_close(bench_matrix *m);

#endif
