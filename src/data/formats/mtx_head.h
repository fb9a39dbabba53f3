/* mtx_head.h: the head of a Matrix Market file: the banner, the comments and the size. */
#ifndef SPC_DATA_MTXHEAD_H
#define SPC_DATA_MTXHEAD_H

#include "data/formats/triplets.h"
#include "data/io/lines.h"

/* A comment that says how ids became columns (matrix_ids.h). */
#define SPC_MTX_MARK "% sparcl columns: "

typedef enum spc_mtx_field { SPC_MTX_REAL, SPC_MTX_INTEGER, SPC_MTX_PATTERN } spc_mtx_field;

/* An integer type that the second line of a GraphBLAS file names: no value is outside its range. */
typedef struct spc_mtx_type {
    const char *name;
    double least, most; /* the largest double that is inside */
} spc_mtx_type;

typedef struct spc_mtx_head {
    bool array; /* dense, column by column */
    spc_mtx_field field;
    spc_mirror mirror;
    const spc_mtx_type *type;  /* NULL: any value */
    char mark[SPC_MARK_BYTES]; /* how ids became columns, of a comment; empty: there is none */
    int64_t rows, columns;
    int64_t stored; /* entries that follow */
} spc_mtx_head;

/*
 * Read up to the size line. A file without a banner has real values and no symmetry: coordinates
 * when the size line has three numbers, an array when it has two.
 */
SPARCL_MUST_CHECK sparcl_status spc_mtx_read_head(spc_lines *lines, spc_mtx_head *head,
                                                  const sparcl_data_desc *desc);

#endif
