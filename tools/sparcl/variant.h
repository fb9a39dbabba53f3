/* variant.h: the option --tuning, and the tunables that calls have used. */
#ifndef SPARCL_TOOL_VARIANT_H
#define SPARCL_TOOL_VARIANT_H

#include "exit_codes.h"
#include "options.h"
#include "sparcl/sparcl.h"

#define OPTION_TUNING(text)                                                                        \
    {                                                                                              \
        .name = "tuning", .type = OPTION_TEXT, .value = &(text), .argument = "FILE|WHAT",          \
        .choices = "none", .file = FILE_READ,                                                      \
        .help = "none, a file, or workers=4,rows.grain:tiny=64; default: stored"                   \
    }

/*
 * The text of a tuning (sparcl/tune.h) from the option --tuning, which the caller frees; NULL
 * without the option. "none" is no tuning; with a '=' it is a list of settings NAME[:CLASS]=VALUE,
 * separated by commas; else a file.
 */
exit_code read_tuning(const char *what, char **text);

enum { VARIANT_BYTES = 400 };

/* The class of kernels, and the values that calls have read since sparcl_tune_reset_used: "cpu
 * spmm.prefetch=16 product.grain=2048". */
const char *variant_text(sparcl_ctx *ctx, char text[VARIANT_BYTES]);

#endif
