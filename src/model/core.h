/* core.h: helper functions of the training library for calls of the core. */
#ifndef SPC_MODEL_CORE_H
#define SPC_MODEL_CORE_H

#include "base/macros.h"
#include "sparcl/sparcl.h"

/* Copy the context's last error to the caller's record. */
sparcl_status spc_core(sparcl_ctx *ctx, sparcl_status status, sparcl_error *error);

/* Make *buf have at least `bytes` bytes; contents are lost when it grows. */
sparcl_status spc_grow(sparcl_ctx *ctx, sparcl_buf **buf, int64_t bytes, sparcl_error *error);

/* E_MEMORY: a table of floats has 2^63 bytes or more. */
sparcl_status spc_check_table(int64_t rows, int64_t columns, sparcl_error *error);

#endif
