/* code_use.h: how often each unit is in a code. */
#ifndef SPARCL_TOOL_CODE_USE_H
#define SPARCL_TOOL_CODE_USE_H

#include "exit_codes.h"
#include "sparcl/data.h"

typedef struct code_use {
    int64_t dead;               /* units that no code has */
    double least, median, most; /* the fraction of the rows whose code has a unit */
} code_use;

exit_code code_use_count(const sparcl_data *codes, code_use *use);

#endif
