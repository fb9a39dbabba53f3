/* block.h: one block of complete lines of text, and its rows. */
#ifndef SPC_DATA_BLOCK_H
#define SPC_DATA_BLOCK_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/macros.h"
#include "data/set/dataset.h"
#include "data/set/id_table.h"
#include "data/set/repair.h"
#include "sparcl/data.h"

/* A position in a block: lines count from 0, columns from 1; column 0 means none. */
typedef struct spc_position {
    int64_t line, column;
    int64_t index; /* the index at this position */
} spc_position;

/* What is in a line of edges, ratings or a matrix: two ids, and a number. */
typedef struct spc_id_pair {
    int64_t left, right;
    double number;
    int64_t line; /* of the block, from 0 */
} spc_id_pair;

/* A piece of the text of a block. */
typedef struct spc_span {
    size_t begin, length;
} spc_span;

typedef struct spc_block spc_block;
typedef struct spc_block_rules spc_block_rules;
typedef struct spc_crossing spc_crossing; /* see crosses.h */
typedef struct spc_factor spc_factor;

/* How many entries the crosses have at most: in a block, and in a row. */
typedef struct spc_cross_room {
    size_t block, row;
} spc_cross_room;

/* A format of text with one row per line. */
typedef struct spc_block_format {
    const char *what; /* for messages: "LIBSVM text" */
    /* Read all lines of the block; stops at the first invalid one. */
    void (*read)(spc_block *block, const spc_block_rules *rules);
    /* Called for each block in file order, before it is added; NULL: nothing is to be done. */
    sparcl_status (*add)(spc_block *block, const spc_block_rules *rules);
    /* Of a format with crosses: what there may be in the text of a block. */
    spc_cross_room (*cross_room)(const spc_block *block, const spc_block_rules *rules);
    size_t entry_bytes; /* of the shortest entry: 4 for " 1:1" */
    size_t row_entries; /* at most, in a row; 0: as many as a line can have */
    size_t columns;     /* whose missing values are counted */
    size_t record_max;  /* bytes of a line; 0: SPC_BLOCK_LINE_MAX */
    char
        quotes_after; /* fields after this delimiter may have line ends in double quotes; 0: none */
    bool has_fields, has_weights;
    bool has_pairs; /* a line is no row but a pair, which `add` takes; it is called anew for the
                       pairs after a line with a problem */
    bool any_order; /* the entries of a row stand in any order: sorting them repairs nothing */
    bool is_hashed; /* indices are hashes: duplicates are collisions, which are no fault */
} spc_block_format;

/* What the indices of a text are. */
typedef enum spc_index_kind {
    SPC_INDEX_COLUMN,
    SPC_INDEX_HASHED,  /* an id, whose hash is the column */
    SPC_INDEX_KNOWN,   /* an id, whose number among those that are known is the column; entries of
                          others are left out */
    SPC_INDEX_NUMBERED /* an id; they are numbered when all are read */
} spc_index_kind;

/* The rules for reading the text. */
struct spc_block_rules {
    const spc_block_format *format;
    int64_t min_index; /* 1 when the file has indices from 1 */
    int64_t width;     /* maximum number of features; INT64_MAX: no limit */
    bool strict, multilabel;
    bool keeps_tags;
    bool labelled_only;       /* rows without a label are left out */
    bool bare;                /* an entry may be an index alone, of value 1 */
    const char *label_column; /* for messages; NULL: labels have no column of their own */
    int hash_bits;
    spc_index_kind index_kind;
    int watch_shift;              /* of hashed ids, `owners` has each 2^watch_shift-th column */
    const spc_id_table *known;    /* ids, of SPC_INDEX_KNOWN */
    const int64_t *known_width;   /* columns, counted when all blocks are read; NULL: the largest
                                     index says it */
    void *plan;                   /* of the format */
    spc_array *begun;             /* text that was read before, or NULL; it is taken over */
    int64_t begun_lines;          /* before that text */
    _Atomic(uint64_t) *owners;    /* of each hash, see hashes.h; NULL: names are not compared */
    spc_kept_names *kept;         /* of some hashes; NULL: of none */
    const spc_crossing *crossing; /* NULL: nothing is crossed */
};

struct spc_block {
    /* Input: complete lines, also the last one; SPC_NUMBER_PAD readable bytes after them. */
    char *text;
    size_t length;
    int64_t lines, lines_before; /* in it; in the file before it, known when it is added */
    size_t longest;              /* bytes of the longest line */

    /* Arrays with capacity for one row per line, and for all labels and entries that the text can
     * contain. Fields and weights are NULL where the format has none. */
    int64_t *indices;
    float *values;
    int32_t *fields;
    int64_t *row_ends, *label_ends;
    int64_t
        *row_lines; /* of rows; the lines of rows that are left out are at its end, descending */
    double *labels;
    float *weights;
    spc_span *tags;          /* of rows; NULL where they are not kept */
    spc_entry *sorting;      /* twice the entries of the longest line */
    int64_t *column_missing; /* of a format with columns: the missing values of each */
    spc_factor *factors;     /* of a row, where there are crosses: as many as it can have entries */
    int32_t *last_factors;   /* of each source the last one, or -1 */
    spc_id_pair *pairs;      /* of a format with pairs, which has none of the other arrays */

    /* Output. */
    int64_t rows, entries, label_count; /* pairs are counted as rows */
    int64_t stored;                     /* entries before repair */
    int64_t crossed;                    /* those of crosses */
    int32_t factor_count;               /* of the row that is read */
    int64_t duplicates, unsorted_rows;
    int64_t missing, unknown;          /* missing values; those that are words nobody knows */
    int64_t negative;                  /* numbers below 0 of which a logarithm was taken */
    int64_t unlabelled;                /* rows without a label, which have nan */
    int64_t queries;                   /* rows with "qid:" */
    int64_t unknown_ids;               /* entries of ids that are not known, which are left out */
    int64_t narrowed;                  /* numbers that were rounded, see number.h */
    int64_t minimum, maximum;          /* indices as written */
    int32_t max_field;                 /* -1 without any */
    spc_position at_width, past_width; /* first index that is at least, or above, rules.width */
    spc_position not_finite;           /* first value that is not finite */
    spc_position without_label;        /* first row without a label */
    int64_t not_utf8, first_not_utf8;  /* csv: lines that are no UTF-8, the first one from 0 */
    spc_position problem;              /* where reading stopped; the reason: */
    /* Where reading goes on when the row with the problem is left out: a place in the text, 0 when
     * it cannot, and the number of its line. */
    size_t resume;
    int64_t problem_line, resume_line; /* the row begins in the first */
    char why[512];
};

extern const spc_block_format spc_svmlight_format, spc_indices_format, spc_libffm_format,
    spc_vw_format;

/* Maximum number of entries, and of labels, in `length` bytes of text. */
size_t spc_block_max_entries(const spc_block_format *format, size_t length);
size_t spc_block_max_labels(size_t length);

#endif
