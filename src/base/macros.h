/* macros.h: the few macros that every source file may use. */
#ifndef SPC_BASE_MACROS_H
#define SPC_BASE_MACROS_H

#include "sparcl/status.h"

/* Number of elements of an array. */
#define SPC_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Return if a call fails; for functions that own nothing. */
#define SPC_TRY(call)                                                                              \
    do {                                                                                           \
        const sparcl_status spc_status_ = (call);                                                  \
        if (spc_status_ != SPARCL_OK) return spc_status_;                                          \
    } while (0)

/* Set `status`, and go to `done:` if a call fails; for functions that own something. */
#define SPC_GO(call)                                                                               \
    do {                                                                                           \
        status = (call);                                                                           \
        if (status != SPARCL_OK) goto done;                                                        \
    } while (0)

#if defined(__GNUC__)
#define SPC_PRINTF(format_at, args_at) __attribute__((format(printf, format_at, args_at)))
#else
#define SPC_PRINTF(format_at, args_at)
#endif

#endif
