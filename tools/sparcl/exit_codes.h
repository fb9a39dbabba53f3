/* exit_codes.h: the exit status of the tool; the help is generated from this list. */
#ifndef SPARCL_TOOL_EXIT_CODES_H
#define SPARCL_TOOL_EXIT_CODES_H

#include "sparcl/status.h"

#define EXIT_CODE_LIST(X)                                                                          \
    X(EXIT_OK, 0, "success")                                                                       \
    X(EXIT_RUNTIME, 1, "an error while running: a file, the driver")                               \
    X(EXIT_USAGE, 2, "the command line is wrong")                                                  \
    X(EXIT_DEVICE, 3, "no such device, or none at all")                                            \
    X(EXIT_SELF_TEST, 4, "a self-test found a wrong result")                                       \
    X(EXIT_CONTRACT, 5, "the content of a data or model file is invalid")                          \
    X(EXIT_MEMORY, 6, "out of memory, on the host or the device")                                  \
    X(EXIT_BUILD, 7, "a kernel did not build")                                                     \
    X(EXIT_DIVERGED, 8, "training diverged")                                                       \
    X(EXIT_INTERRUPTED, 9, "interrupted; no model or result was written")

typedef enum exit_code {
#define EXIT_CODE_ENUM(name, value, text) name = value,
    EXIT_CODE_LIST(EXIT_CODE_ENUM)
#undef EXIT_CODE_ENUM
} exit_code;

static inline exit_code exit_code_of(sparcl_status status) {
    switch (status) {
    case SPARCL_OK:
        return EXIT_OK;
    case SPARCL_E_ARG:
        return EXIT_USAGE;
    case SPARCL_E_DEVICE:
        return EXIT_DEVICE;
    case SPARCL_E_DATA:
    case SPARCL_E_FORMAT:
        return EXIT_CONTRACT;
    case SPARCL_E_MEMORY:
        return EXIT_MEMORY;
    case SPARCL_E_BUILD:
        return EXIT_BUILD;
    case SPARCL_E_DIVERGED:
        return EXIT_DIVERGED;
    case SPARCL_E_INTERRUPTED:
        return EXIT_INTERRUPTED;
    case SPARCL_E_SHAPE:
    case SPARCL_E_DTYPE:
    case SPARCL_E_ALIAS:
    case SPARCL_E_UNCHECKED:
    case SPARCL_E_UNSUPPORTED:
    case SPARCL_E_OPENCL:
    case SPARCL_E_IO:
        return EXIT_RUNTIME;
    }
    return EXIT_RUNTIME;
}

#endif
