/* transfer.h: copies between the host and strided rows of a buffer. */
#ifndef SPC_LAUNCH_TRANSFER_H
#define SPC_LAUNCH_TRANSFER_H

#include "device/ctx.h"

/* `count` rows of `bytes` bytes, from byte `at` on, with a stride of `pitch` bytes. */
typedef struct spc_strided {
    int64_t at, bytes, pitch, count;
} spc_strided;

/* As sparcl_buf_read, _write and _fill with 0; on the host the rows are packed. Bytes between the
 * rows are neither read nor written. */
sparcl_status spc_buf_read_rows(sparcl_ctx *ctx, const sparcl_buf *buf, const spc_strided *rows,
                                void *host);
sparcl_status spc_buf_write_rows(sparcl_ctx *ctx, sparcl_buf *buf, const spc_strided *rows,
                                 const void *host);
sparcl_status spc_buf_zero_rows(sparcl_ctx *ctx, sparcl_buf *buf, const spc_strided *rows);

#endif
