/* types.c: the sizes and names of element types. */
#include "device/ctx.h"

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
    return itype == SPARCL_INDEX64 ? 8 : 4;
}

const char *spc_dtype_name(sparcl_dtype dtype) {
    static const char *const names[] = {"float32", "float64", "float16", "bfloat16",
                                        "int32",   "int64",   "bool"};
    return (unsigned)dtype < SPC_COUNT(names) ? names[dtype] : "of an unknown type";
}
