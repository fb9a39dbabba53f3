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
    SPC_SMALL = 64, /* SIZE is int: no array of the call has 2^31 elements */
    SPC_F16 = 256,  /* STORED is 16 bits of a half, or of a bfloat16; REAL is float */
    SPC_BF16 = 512,
    SPC_WORD8 = 1024, /* WORD has 1 or 2 bytes; 8 with SPC_VALUE64, else 4 */
    SPC_WORD16 = 2048
};

/* For kernels that convert one type to another: SPC_FROM and SPC_TO, as numbers of sparcl_dtype. */
static inline uint32_t spc_pair_options(sparcl_dtype from, sparcl_dtype to) {
    return ((uint32_t)from + 1) << 12 | ((uint32_t)to + 1) << 16;
}
static inline int spc_pair_from(uint32_t options) {
    return (int)(options >> 12 & 15) - 1;
}
static inline int spc_pair_to(uint32_t options) {
    return (int)(options >> 16 & 15) - 1;
}

/* SPC_FORM, from 0 to 255: which of the forms of its formula a program computes. */
static inline uint32_t spc_form_options(uint32_t form) {
    return form << 20;
}
static inline uint32_t spc_form(uint32_t options) {
    return options >> 20 & 255;
}

/* SPC_STATES: the states of a step have 16 bits; a sparcl_state_type. SPC_VARIANT: they are rounded
 * to nearest, not at random. */
static inline uint32_t spc_state_options(int type) {
    return (uint32_t)type << 28;
}
static inline int spc_state_type(uint32_t options) {
    return (int)(options >> 28 & 3);
}

/* SPC_PREPARE: a step scales or clips the gradient, or decays weights apart from it; 0 by default.
 */
enum { SPC_PREPARE = 1 << 30 };

static inline uint32_t spc_dtype_options(sparcl_dtype dtype) {
    return dtype == SPARCL_F64    ? SPC_F64
           : dtype == SPARCL_F16  ? SPC_F16
           : dtype == SPARCL_BF16 ? SPC_BF16
                                  : 0u;
}

/* Bytes of REAL, which values of a type are computed with. */
static inline size_t spc_real_size(sparcl_dtype dtype) {
    return dtype == SPARCL_F64 ? sizeof(double) : sizeof(float);
}

/* For kernels that only move values, as WORD. */
static inline uint32_t spc_word_options(sparcl_dtype dtype) {
    const size_t size = sparcl_dtype_size(dtype);
    return size == 8 ? SPC_VALUE64 : size == 2 ? SPC_WORD16 : size == 1 ? SPC_WORD8 : 0u;
}

static inline uint32_t spc_itype_options(sparcl_itype offset, sparcl_itype index) {
    return (offset == SPARCL_INDEX64 ? SPC_OFFSET64 : 0u) |
           (index == SPARCL_INDEX64 ? SPC_INDEX64 : 0u);
}

static inline uint32_t spc_options(sparcl_dtype dtype, sparcl_itype offset, sparcl_itype index) {
    return spc_dtype_options(dtype) | spc_itype_options(offset, index);
}

#endif
