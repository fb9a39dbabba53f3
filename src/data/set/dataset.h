/* dataset.h: the data set that the readers build, and growing arrays. */
#ifndef SPC_DATA_DATASET_H
#define SPC_DATA_DATASET_H

#include <stdbool.h>
#include <string.h>

#include "base/macros.h"
#include "data/io/spill.h"
#include "sparcl/data.h"

/* An array that grows at its end; sizes in bytes. All zero is empty. */
typedef struct spc_array {
    void *at;
    size_t used, capacity;
} spc_array;

/* Reserve `more` bytes after the used ones. */
SPARCL_MUST_CHECK sparcl_status spc_array_reserve(spc_array *array, size_t more,
                                                  const sparcl_allocator *allocator,
                                                  sparcl_error *error);
/* Append a copy of these bytes. */
SPARCL_MUST_CHECK sparcl_status spc_array_add(spc_array *array, const void *bytes, size_t size,
                                              const sparcl_allocator *allocator,
                                              sparcl_error *error);
/* The same for one element of a constant size: without a call where there is capacity. */
static inline sparcl_status spc_array_push(spc_array *array, const void *element, size_t size,
                                           const sparcl_allocator *allocator, sparcl_error *error) {
    if (size > array->capacity - array->used)
        return spc_array_add(array, element, size, allocator, error);
    memcpy((char *)array->at + array->used, element, size);
    array->used += size;
    return SPARCL_OK;
}
/* Free unused capacity; the array is unchanged if the allocator fails. */
void spc_array_fit(spc_array *array, const sparcl_allocator *allocator);
void spc_array_free(spc_array *array, const sparcl_allocator *allocator);

/* See texts.h. */
typedef struct spc_texts {
    spc_array bytes;  /* char */
    spc_array begins; /* int64_t: of each text */
} spc_texts;

/* Capacity for a file's name in messages. */
enum { SPC_NAME_CAPACITY = 256, SPC_MARK_BYTES = 40 };

typedef struct spc_kept_names spc_kept_names; /* see kept_names.h */
typedef struct spc_notes spc_notes;           /* see validation.h */

/* What takes the rows of text while it is read, part by part (data_parts.c, row_scan.c). */
typedef struct spc_sink spc_sink;
struct spc_sink {
    size_t bytes;    /* of text, of a part; a part has whole blocks */
    bool keeps_rows; /* only entries are taken, as they stand in the file: the data set keeps what
                        there is once for each row. Else parts are complete data sets */
    bool is_used;    /* set by the reader of blocks: other formats come as a whole */
    sparcl_status (*take)(spc_sink *sink, sparcl_data *data, sparcl_error *error);
};

/* How the entries of a streamed data set are read again. */
typedef struct spc_stream {
    char *path, *csv_description, *crosses; /* copies */
    sparcl_data_desc desc;                  /* its texts are those copies */
    uint64_t sums[3];                       /* of indices, values and fields */
} spc_stream;

struct sparcl_data {
    sparcl_allocator allocator;
    spc_spill *spill;   /* whose allocator that is; or NULL */
    spc_notes *notes;   /* while it is read: rows that cannot be read are noted; NULL: refused */
    spc_sink *sink;     /* while it is read; NULL: all rows are for this data set */
    spc_stream *stream; /* the entries are not in memory; else NULL */
    sparcl_data_info info;
    sparcl_itype index_type;
    bool was_counted;  /* CSV: its words were counted; its entries are not yet weighted by that */
    bool by_line;      /* text with one row per line: `marks` are of rows */
    spc_array offsets; /* int64_t */
    spc_array indices; /* int32_t or int64_t */
    spc_array values;  /* float */
    spc_array labels;  /* double */
    spc_array label_offsets;    /* int64_t */
    spc_array fields;           /* int32_t, of each entry; empty: none */
    spc_array weights;          /* float, of each row; empty: none */
    spc_array row_ids;          /* int64_t: the id of each user or node; empty: none */
    spc_array column_ids;       /* int64_t: the id of each item; empty: none */
    spc_array csv_columns;      /* char: the description of the columns, with a NUL; empty: none */
    spc_array crosses;          /* char: those of namespaces, with a NUL; empty: none */
    spc_kept_names *kept_names; /* of hashed columns, or NULL */
    spc_array csv_missing; /* char: the missing values of its columns, with a NUL; empty: none */
    spc_array csv_notes;   /* char: what was guessed of its columns, with a NUL; empty: nothing */
    spc_texts tags;        /* of each row; empty: they are not kept */
    spc_texts label_names; /* words that are labels; empty: labels are numbers */
    spc_array marks;       /* spc_line_mark: of rows, to lines from 0 (line_marks.h) */
    spc_array left_out;    /* int64_t: lines from 1 of rows that are left out: labelled_only */
    spc_array rows;        /* int64_t: of a part of a data set: which row of the file each is */
    spc_array file;        /* a whole file in the binary form, in which the arrays above lie */
    bool is_mapped;        /* it is mapped; else it is in memory of the allocator */
    char name[SPC_NAME_CAPACITY],
        labels_name[SPC_NAME_CAPACITY]; /* file names; the second only where the labels are in a
                                             separate file */
    char mark[SPC_MARK_BYTES]; /* of a matrix file: how ids became its columns (matrix_ids.h);
                                  empty: it does not say it */
    char member[96];           /* that of an archive which has the values; empty: none */
    /* The first value that is not finite: its line and column from 1; of an array line 0 and the
     * element, or -1 when it is not known. A sum of duplicates that overflows has the position
     * where its row begins. */
    int64_t bad_line, bad_column;
};

/* The row of the file that a row is. */
static inline int64_t spc_data_row(const sparcl_data *data, int64_t row) {
    const int64_t *const rows = data->rows.at;
    return data->rows.used && row >= 0 && row < data->info.rows ? rows[row] : row;
}

/* The index of entry k, and set it; it must fit the index type. */
static inline int64_t spc_data_index(const sparcl_data *data, int64_t k) {
    if (data->index_type == SPARCL_INDEX32) return ((const int32_t *)data->indices.at)[k];
    return ((const int64_t *)data->indices.at)[k];
}

static inline void spc_data_set_index(sparcl_data *data, int64_t k, int64_t index) {
    if (data->index_type == SPARCL_INDEX32)
        ((int32_t *)data->indices.at)[k] = (int32_t)index;
    else
        ((int64_t *)data->indices.at)[k] = index;
}

/* NULL is allowed. */
void spc_stream_free(spc_stream *stream);

/* E_ARG for streamed data, whose entries are not in memory; `what` is the name of a function. */
SPARCL_MUST_CHECK sparcl_status spc_data_check_entries(const sparcl_data *data, const char *what,
                                                       sparcl_error *error);

/* Convert indices to 64 bits; does nothing if they are. */
SPARCL_MUST_CHECK sparcl_status spc_data_widen(sparcl_data *data, sparcl_error *error);

#endif
