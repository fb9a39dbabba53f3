/* core.h: small bridges from the training library to the core. */
#ifndef SPC_TRAIN_CORE_H
#define SPC_TRAIN_CORE_H

#include "base/macros.h"
#include "sparcl/sparcl.h"

/* Carry the context's last error over to the caller's record. */
sparcl_status spc_core(sparcl_ctx *ctx, sparcl_status status, sparcl_error *error);

/* At least `bytes` bytes in *buf; contents are lost when it grows. */
sparcl_status spc_grow(sparcl_ctx *ctx, sparcl_buf **buf, int64_t bytes, sparcl_error *error);

/* A new zeroed buffer for [rows, columns] elements of `size` bytes. */
sparcl_status spc_zeros(sparcl_ctx *ctx, sparcl_buf **buf, int64_t rows, int64_t columns,
                        int64_t size, sparcl_error *error);

#endif
