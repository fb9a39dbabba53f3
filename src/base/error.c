/* error.c: write the caller's error record. */
#include "base/error.h"

#include <stdio.h>

sparcl_status spc_fail_v(sparcl_error *error, sparcl_status status, const char *format,
                         va_list args) {
    if (error) {
        error->status = status;
        error->opencl_code = 0;
        vsnprintf(error->message, sizeof error->message, format, args);
    }
    return status;
}

sparcl_status spc_fail(sparcl_error *error, sparcl_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    spc_fail_v(error, status, format, args);
    va_end(args);
    return status;
}

sparcl_status spc_fail_memory(sparcl_error *error, const char *what, size_t bytes) {
    return spc_fail(error, SPARCL_E_MEMORY, "%s: no host memory for %zu bytes", what, bytes);
}
