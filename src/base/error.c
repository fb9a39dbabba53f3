/* error.c: write the caller's error record. */
#include "base/error.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* printf shows the sign of a NaN, which means nothing. */
static void drop_signs_of_nan(char *text) {
    for (char *at = text; (at = strstr(at, " -nan")); at++)
        if (!isalnum((unsigned char)at[5])) memmove(at + 1, at + 2, strlen(at + 2) + 1);
}

sparcl_status spc_fail_v(sparcl_error *error, sparcl_status status, const char *format,
                         va_list args) {
    if (error) {
        error->status = status;
        error->opencl_code = 0;
        vsnprintf(error->message, sizeof error->message, format, args);
        drop_signs_of_nan(error->message);
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
