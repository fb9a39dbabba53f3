/* dataset.h: the data set as the readers build it, and arrays that grow. */
#ifndef SPC_DATA_DATASET_H
#define SPC_DATA_DATASET_H

#include "base/macros.h"
#include "sparcl/data.h"

/* An array that grows at its end; sizes in bytes. All zero is empty. */
typedef struct spc_array {
    void *at;
    size_t used, capacity;
} spc_array;

/* Make room for `more` bytes behind the used ones. */
SPARCL_MUST_CHECK sparcl_status spc_array_reserve(spc_array *array, size_t more,
                                                  const sparcl_allocator *allocator,
                                                  sparcl_error *error);
/* The same, add a copy of these bytes. */
SPARCL_MUST_CHECK sparcl_status spc_array_add(spc_array *array, const void *bytes, size_t size,
                                              const sparcl_allocator *allocator,
                                              sparcl_error *error);
/* Give back room that is not used; keeps the array as it is when the allocator cannot. */
void spc_array_fit(spc_array *array, const sparcl_allocator *allocator);
void spc_array_free(spc_array *array, const sparcl_allocator *allocator);

/* Room for a file's name in messages. */
enum { SPC_NAME_CAPACITY = 256 };

/* Rows from `row` on stand `ahead` lines behind their own number, until the next mark. */
typedef struct spc_line_mark {
    int64_t row, distance;
} spc_line_mark;

struct sparcl_data {
    sparcl_allocator allocator;
    sparcl_data_info info;
    sparcl_itype index_type;
    spc_array offsets;       /* int64_t */
    spc_array indices;       /* int32_t or int64_t */
    spc_array values;        /* float */
    spc_array labels;        /* double */
    spc_array label_offsets; /* int64_t */
    spc_array marks;         /* spc_line_mark */
    char name[SPC_NAME_CAPACITY],
        labels_name[SPC_NAME_CAPACITY]; /* of the files; the second only where
                                    the labels have a file of their own */
    /* The first value that is not finite: its line and column from 1, for npz line 0 and the
     * element. Sums of repeated indices that overflow stand at the beginning of their row. */
    int64_t bad_line, bad_column;
};

/* Turn 32-bit indices into 64-bit ones; nothing to do when they are. */
SPARCL_MUST_CHECK sparcl_status spc_data_widen(sparcl_data *data, sparcl_error *error);

#endif
