/* arrays.h: any view as the arrays that it has. */
#ifndef SPC_VIEWS_ARRAYS_H
#define SPC_VIEWS_ARRAYS_H

#include "ops/check.h"
#include "sparcl/views.h"

/* `count` elements of `size` bytes from element `at` on of the buffer that the view names here. */
typedef struct spc_view_array {
    const char *name;
    sparcl_buf **buf;
    int64_t at, count;
    size_t size;
    bool is_count; /* how many entries there are, which not every view has */
    bool made;     /* the buffer was made here */
} spc_view_array;

/* In the order of the parameters of upload and read; a count is the last. */
#define SPC_MOST_ARRAYS (SPARCL_MAX_RANK + 2)
typedef struct spc_view_arrays {
    int count;
    spc_view_array at[SPC_MOST_ARRAYS];
} spc_view_arrays;

/* Of a view whose shape is checked. They point into the view. */
spc_view_arrays spc_dense_arrays(sparcl_dense *view);
spc_view_arrays spc_csr_arrays(sparcl_csr *view);
spc_view_arrays spc_csc_arrays(sparcl_csc *view);
spc_view_arrays spc_coo_arrays(sparcl_coo *view);
spc_view_arrays spc_rows_arrays(sparcl_rows *view);
spc_view_arrays spc_list_arrays(sparcl_list *view);

/* Make the buffers that are NULL, a count's only `with_count`. After an error drop them. */
sparcl_status spc_arrays_make(sparcl_ctx *ctx, const char *op, spc_view_arrays *arrays,
                              bool with_count);
/* Free what was made. */
void spc_arrays_drop(spc_view_arrays *arrays);

#endif
