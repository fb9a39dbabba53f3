/* build_options.h: the build options of a program. */
#ifndef SPC_PROGRAM_BUILD_OPTIONS_H
#define SPC_PROGRAM_BUILD_OPTIONS_H

#include "sparcl/tensor.h"

/* All build options, except those that follow from the context. */
enum {
    SPC_F64 = 1,      /* REAL is double */
    SPC_INDEX64 = 2,  /* INDEX is long */
    SPC_OFFSET64 = 4, /* OFFSET is long */
    SPC_VALUE64 = 8,  /* payload elements of 8 bytes */
    SPC_VARIANT = 16, /* a second variant of the kernels; the .cl file defines it */
    SPC_OWN =
        32, /* our own divide and square root, even if those of the device are correctly rounded */
    SPC_GROUP_64 = 64, /* 64 or 256 work-items per GPU group instead of SPC_GROUP */
    SPC_GROUP_256 = 128
};

static inline uint32_t spc_options(sparcl_dtype dtype, sparcl_itype offset, sparcl_itype index) {
    return (dtype == SPARCL_F64 ? SPC_F64 : 0u) | (offset == SPARCL_I64 ? SPC_OFFSET64 : 0u) |
           (index == SPARCL_I64 ? SPC_INDEX64 : 0u);
}

#endif
