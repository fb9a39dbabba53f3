/* partition.h: the number of partitions of rows and their items, and the size of their carry:
 * cl/partition.cl.
 */
#ifndef SPC_OPS_PARTITION_H
#define SPC_OPS_PARTITION_H

#include "device/ctx.h"

/* SPC_BLOCK of cl/prelude.cl: entries of a row or run that have their own partial sum. */
#define SPC_ROW_BLOCK 256

/* `carry`: elements per column of the result, for rows that are split between partitions. */
typedef struct spc_partition {
    int64_t count, slots, carry;
} spc_partition;

/* For rows of n columns, on few wide cores. */
spc_partition spc_find_partition(const sparcl_ctx *ctx, int64_t rows, int64_t items, int64_t n);

/* Chunks of n columns, each summed by its own group, when the carry of a partition is summed. */
int64_t spc_carry_chunks(const spc_partition *partitions, int64_t items, int64_t n);

/*
 * Columns are processed in panels, so that a carry of elements of `size` bytes has at most
 * `maximum` bytes, or those of four columns. spc_panel_capacity is the maximum of columns of a
 * panel; spc_panel_at the columns of the panel that begins at column j. No panel has one column
 * unless n is 1: a single column is summed in another order (rule S).
 */
int64_t spc_panel_capacity(const spc_partition *partitions, int64_t n, size_t size,
                           int64_t maximum);
int64_t spc_panel_at(int64_t capacity, int64_t n, int64_t j);

/* Maximum loop iterations of one partition: a block more than its work, for each panel of 64
 * columns and for the remaining ones. */
int64_t spc_partition_iterations(const spc_partition *partitions, int64_t rows, int64_t items,
                                 int64_t n);

#endif
