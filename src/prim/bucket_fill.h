/* bucket_fill.h: the items of a sort, moved into their buckets. */
#ifndef SPC_PRIM_BUCKET_FILL_H
#define SPC_PRIM_BUCKET_FILL_H

#include "prim/bucket_plan.h"

/* Create the buffers in scratch memory and fill the buckets, unless one group does everything. With
 * `full_spare`, the second buffer is as large as the items. */
sparcl_status spc_bucket_fill(sparcl_ctx *ctx, const spc_bucket_source *s, bool full_spare,
                              spc_buckets *b);
/* The arguments of kernels that read a source, and that sort buckets. */
void spc_bucket_add_source(spc_args *list, const spc_bucket_source *s);
void spc_bucket_add_args(spc_args *list, const spc_buckets *b);
/* Kernels of cl/bucket_columns.cl. */
sparcl_status spc_bucket_launch_columns(sparcl_ctx *ctx, const spc_buckets *b, const char *kernel,
                                        sparcl_itype offset_type, sparcl_itype index_type,
                                        spc_range range, const spc_args *list);
/* Kernels of cl/bucket_order.cl, and those that sort rows and columns alike. */
sparcl_status spc_bucket_launch(sparcl_ctx *ctx, const spc_buckets *b, const char *kernel,
                                sparcl_itype index_type, spc_range range, const spc_args *list);

#endif
