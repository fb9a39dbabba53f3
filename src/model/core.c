/* core.c: helper functions of the training library for calls of the core. */
#include "model/core.h"

#include "base/error.h"
#include "base/size.h"

sparcl_status spc_core(sparcl_ctx *ctx, sparcl_status status, sparcl_error *error) {
    if (status != SPARCL_OK && error) *error = *sparcl_ctx_error(ctx);
    return status;
}

sparcl_status spc_grow(sparcl_ctx *ctx, sparcl_buf **buf, int64_t bytes, sparcl_error *error) {
    if (*buf && sparcl_buf_bytes(*buf) >= bytes) return SPARCL_OK;
    sparcl_buf *larger = NULL;
    SPC_TRY(spc_core(ctx, sparcl_buf_create(ctx, &larger, bytes), error));
    sparcl_buf_free(*buf);
    *buf = larger;
    return SPARCL_OK;
}

sparcl_status spc_check_table(int64_t rows, int64_t columns, sparcl_error *error) {
    int64_t bytes = 0;
    if (spc_mul_i64(rows, columns, &bytes) && spc_mul_i64(bytes, 4, &bytes)) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_MEMORY,
                    "a table of %lld rows and %lld columns is too large for any memory",
                    (long long)rows, (long long)columns);
}
