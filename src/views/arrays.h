/* arrays.h: a view as a list of arrays. */
#ifndef SPC_VIEWS_ARRAYS_H
#define SPC_VIEWS_ARRAYS_H

#include "ops/shared/check.h"
#include "sparcl/views.h"

/* An array of a view: `count` elements of `size` bytes, from element `at` of the buffer *buf. */
typedef struct spc_view_array {
    const char *name;
    sparcl_buf **buf;
    int64_t at, count;
    size_t size;
    bool is_count; /* the number of entries, an array that only some views have */
    bool made;     /* the buffer was created by spc_arrays_make */
} spc_view_array;

/* In the order of the parameters of upload and read; a count comes last. */
#define SPC_MAX_ARRAYS (SPARCL_MAX_RANK + 2)
typedef struct spc_view_arrays {
    int count;
    spc_view_array at[SPC_MAX_ARRAYS];
} spc_view_arrays;

/* For a view whose shape was checked. The arrays point into the view. */
spc_view_arrays spc_dense_arrays(sparcl_dense *view);
spc_view_arrays spc_csr_arrays(sparcl_csr *view);
spc_view_arrays spc_csc_arrays(sparcl_csc *view);
spc_view_arrays spc_coo_arrays(sparcl_coo *view);
spc_view_arrays spc_rows_arrays(sparcl_rows *view);
spc_view_arrays spc_bsr_arrays(sparcl_bsr *view);
spc_view_arrays spc_list_arrays(sparcl_list *view);

/* Create the buffers that are NULL, that of a count only `with_count`. After an error, call
 * spc_arrays_drop. */
sparcl_status spc_arrays_make(sparcl_ctx *ctx, const char *op, spc_view_arrays *arrays,
                              bool with_count);
/* Free the buffers that spc_arrays_make created. */
void spc_arrays_drop(spc_view_arrays *arrays);

#endif
