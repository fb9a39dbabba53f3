/* strided.h: describes a dense view as rows of bytes. */
#ifndef SPC_VIEWS_STRIDED_H
#define SPC_VIEWS_STRIDED_H

#include "launch/transfer.h"
#include "ops/shared/check.h"

/* For a view whose shape was checked. */
static inline spc_strided spc_dense_rows(const sparcl_dense *view) {
    const int64_t size = (int64_t)sparcl_dtype_size(view->dtype);
    const int64_t width = spc_shape_width(view->rank, view->shape);
    return (spc_strided){.at = view->values_at * size,
                         .bytes = width * size,
                         .pitch = spc_dense_ld(view) * size,
                         .count = width > 0 ? view->shape[0] : 0};
}

#endif
