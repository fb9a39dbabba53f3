/* partition.h: how many shares rows and their items are cut into, and what they carry:
 * cl/partition.cl.
 */
#ifndef SPC_OPS_PARTITION_H
#define SPC_OPS_PARTITION_H

#include "device/ctx.h"

/* SPC_BLOCK of cl/prelude.cl: entries of a row or run that are added up by themselves. */
#define SPC_ROW_BLOCK 256

/* `carry`: elements that one column of the result needs where rows lie across shares. */
typedef struct spc_partition {
    int64_t count, slots, carry;
} spc_partition;

/* For rows of n columns. */
spc_partition spc_find_partition(const sparcl_ctx *ctx, int64_t rows, int64_t items, int64_t n);

/* Groups a share, among which n columns are cut where the carry is added up. */
int64_t spc_carry_parts(const spc_partition *partitions, int64_t items, int64_t n);

/*
 * Columns are done in panels, so that a carry of elements of `size` bytes has at most `most` bytes,
 * or what four columns need. spc_panel_capacity is the most columns of a panel; spc_panel_at the
 * columns of the panel that begins at column j. No panel has one column unless n is 1: one column
 * alone is added up in another order (rule S).
 */
int64_t spc_panel_capacity(const spc_partition *partitions, int64_t n, size_t size,
                           int64_t maximum);
int64_t spc_panel_at(int64_t capacity, int64_t n, int64_t j);

/* Rounds that the loops of one share take at most: a block more than its work, for each panel of 64
 * columns and for those that are left. */
int64_t spc_partition_iterations(const spc_partition *partitions, int64_t rows, int64_t items,
                                 int64_t n);

#endif
