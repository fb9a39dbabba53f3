/* types.c: the sizes of element types. */
#include "sparcl/tensor.h"

size_t sparcl_dtype_size(sparcl_dtype dtype) {
    return dtype == SPARCL_F64 ? 8 : 4;
}

size_t sparcl_itype_size(sparcl_itype itype) {
    return itype == SPARCL_I64 ? 8 : 4;
}
