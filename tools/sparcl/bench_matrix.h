/* bench_matrix.h: the matrices that are timed: from a file, or made from a description. */
#ifndef SPARCL_TOOL_BENCH_MATRIX_H
#define SPARCL_TOOL_BENCH_MATRIX_H

#include "exit_codes.h"
#include "spec/spec.h"

#define GENERATE_FORMATS "uniform:ROWSxCOLSxPER_ROW, zipf:ROWSxCOLSxPER_ROW or rmat:SCALE:EDGES"

typedef struct bench_matrix {
    char name[64]; /* of the case: the file's stem, or the description */
    spec_matrix matrix;
} bench_matrix;

/* One of both paths is NULL. What is wrong is told on standard error. */
exit_code bench_matrix_open(bench_matrix *m, const char *file, const char *description);
void bench_matrix_close(bench_matrix *m);

#endif
