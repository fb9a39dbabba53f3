/* svmblock.h: one block of whole lines of LIBSVM text, and the rows it holds. */
#ifndef SPC_DATA_SVMBLOCK_H
#define SPC_DATA_SVMBLOCK_H

#include <stdbool.h>

#include "base/macros.h"
#include "data/repair.h"
#include "sparcl/data.h"

/* A place in a block: its lines count from 0, columns from 1; column 0 says "nowhere". */
typedef struct spc_spot {
    int64_t line, column;
    int64_t index; /* the index that stands there */
} spc_spot;

/* How the text is to be read. */
typedef struct spc_svm_rules {
    int64_t min_index; /* 1 when the file was said to count from 1 */
    int64_t width;     /* the feature width that must not be passed; INT64_MAX when free */
    bool strict, multilabel;
} spc_svm_rules;

typedef struct spc_svm_block {
    /* In: whole lines, the last one ended, SPC_NUMBER_PAD readable bytes behind them. */
    char *text;
    size_t length;
    int64_t lines;
    size_t longest; /* bytes of the longest line */

    /* Room: one row a line, one label and one entry as dense as text can write them. */
    int64_t *indices;
    float *values;
    int64_t *row_ends, *row_lines, *label_ends;
    double *labels;
    spc_entry *sorting; /* twice the entries of the longest line */

    /* Out. */
    int64_t rows, entries, label_count;
    int64_t stored; /* entries before repair */
    int64_t duplicates, unsorted_rows;
    int64_t minimum, maximum;      /* indices as written */
    spc_spot at_width, past_width; /* first index that is (at or) past the rules' width */
    spc_spot not_finite;           /* first value that is not */
    spc_spot problem;              /* where reading stopped, and why: */
    char why[384];
} spc_svm_block;

/* Entries, and labels, that so much text can hold at most. */
size_t spc_svm_max_entries(size_t length);
size_t spc_svm_max_labels(size_t length);

/* Read all lines of the block; stops at the first that breaks the rules. */
void spc_svm_block_read(spc_svm_block *block, const spc_svm_rules *rules);

#endif
