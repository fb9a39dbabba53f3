/* units.h: rows or runs of items on many lanes, divided into units: cl/partition.cl. */
#ifndef SPC_OPS_UNITS_H
#define SPC_OPS_UNITS_H

#include "launch/launch.h"

typedef struct spc_units {
    int64_t rows;              /* or runs; their maximum where the number is on the device */
    int64_t windows;           /* 0: no row is divided */
    bool small;                /* SPC_SMALL */
    sparcl_buf *parts, *owner; /* scratch memory; NULL without windows */
} spc_units;

/* `longest`: a bound of the items of a row. `elements`: the largest number of elements of an array
 * of the call. */
spc_units spc_find_units(int64_t rows, int64_t items, int64_t longest, int64_t elements);

/* Maximum columns of a panel whose sums of blocks, of `size` bytes each, have at most `maximum`
 * bytes, or four columns. */
int64_t spc_units_columns(const spc_units *units, int64_t n, size_t size, int64_t maximum);

/* Elements of the sums of blocks of n columns. */
int64_t spc_units_elements(const spc_units *units, int64_t n);

/* Scratch memory for n columns; the caller releases it. */
sparcl_status spc_units_reserve(sparcl_ctx *ctx, spc_units *units, int64_t n, size_t size);

/* The build options of kernels that use units. */
uint32_t spc_units_options(const spc_units *units);

/* 2^shift lanes of a team, for a row of `width` elements, which a lane has four of if they are
 * `aligned`. */
int spc_team_shift(int64_t width, bool aligned);

/* FOR_UNITS over `count` units. */
spc_range spc_range_units(const sparcl_ctx *ctx, int64_t count, int shift);

/* Arguments of the kernel of all units, and of that which adds the sums of the blocks of long rows,
 * which is needed only if there are windows. */
static inline void spc_units_add(spc_args *list, const spc_units *units, int shift) {
    SPC_ARGS_ADD(list, SPC_OUT(units->parts), SPC_OUT(units->owner), SPC_I64(units->windows),
                 SPC_I32(shift));
}
static inline void spc_units_add_blocks(spc_args *list, const spc_units *units, int shift) {
    SPC_ARGS_ADD(list, SPC_IN(units->parts), SPC_IN(units->owner), SPC_I64(units->windows),
                 SPC_I32(shift));
}

#endif
