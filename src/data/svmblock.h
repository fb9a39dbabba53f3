/* svmblock.h: one block of complete lines of LIBSVM text, and its rows. */
#ifndef SPC_DATA_SVMBLOCK_H
#define SPC_DATA_SVMBLOCK_H

#include <stdbool.h>

#include "base/macros.h"
#include "data/repair.h"
#include "sparcl/data.h"

/* A position in a block: lines count from 0, columns from 1; column 0 means none. */
typedef struct spc_position {
    int64_t line, column;
    int64_t index; /* the index at this position */
} spc_position;

/* The rules for reading the text. */
typedef struct spc_svm_rules {
    int64_t min_index; /* 1 when the file has indices from 1 */
    int64_t width;     /* maximum number of features; INT64_MAX: no limit */
    bool strict, multilabel;
} spc_svm_rules;

typedef struct spc_svm_block {
    /* Input: complete lines, also the last one; SPC_NUMBER_PAD readable bytes after them. */
    char *text;
    size_t length;
    int64_t lines;
    size_t longest; /* bytes of the longest line */

    /* Arrays with capacity for one row per line, and for all labels and entries that the text can
     * contain. */
    int64_t *indices;
    float *values;
    int64_t *row_ends, *row_lines, *label_ends;
    double *labels;
    spc_entry *sorting; /* twice the entries of the longest line */

    /* Output. */
    int64_t rows, entries, label_count;
    int64_t stored; /* entries before repair */
    int64_t duplicates, unsorted_rows;
    int64_t minimum, maximum;          /* indices as written */
    spc_position at_width, past_width; /* first index that is at least, or above, rules.width */
    spc_position not_finite;           /* first value that is not finite */
    spc_position problem;              /* where reading stopped; the reason: */
    char why[384];
} spc_svm_block;

/* Maximum number of entries, and of labels, in `length` bytes of text. */
size_t spc_svm_max_entries(size_t length);
size_t spc_svm_max_labels(size_t length);

/* Read all lines of the block; stops at the first invalid one. */
void spc_svm_block_read(spc_svm_block *block, const spc_svm_rules *rules);

#endif
