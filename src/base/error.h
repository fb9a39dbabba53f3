/* error.h: write the caller's error record. */
#ifndef SPC_BASE_ERROR_H
#define SPC_BASE_ERROR_H

#include <stdarg.h>
#include <stdio.h>

#include "base/macros.h"

/* Fill `error` (may be NULL) and return `status`; a long message is truncated. */
sparcl_status spc_fail(sparcl_error *error, sparcl_status status, const char *format, ...)
    SPC_PRINTF(3, 4);
sparcl_status spc_fail_v(sparcl_error *error, sparcl_status status, const char *format,
                         va_list args) SPC_PRINTF(3, 0);

/* In a function whose last named argument is `format`: print its arguments into an array. */
#define SPC_FORMAT(array, format)                                                                  \
    do {                                                                                           \
        va_list args_;                                                                             \
        va_start(args_, format);                                                                   \
        vsnprintf(array, sizeof(array), format, args_);                                            \
        va_end(args_);                                                                             \
    } while (0)

/* E_MEMORY: `what` needs `bytes` bytes of host memory. */
sparcl_status spc_fail_memory(sparcl_error *error, const char *what, size_t bytes);

#endif
