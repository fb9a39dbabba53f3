/* types.c: the sizes of element types. */
#include "sparcl/tensor.h"

size_t sparcl_dtype_size(sparcl_dtype dtype) {
    switch (dtype) {
    case SPARCL_F64:
    case SPARCL_INT64:
        return 8;
    case SPARCL_F16:
    case SPARCL_BF16:
        return 2;
    case SPARCL_BOOL:
        return 1;
    default:
        return 4;
    }
}

size_t sparcl_itype_size(sparcl_itype itype) {
    return itype == SPARCL_I64 ? 8 : 4;
}
