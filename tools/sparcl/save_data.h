/* save_data.h: writes data sets in a format that an option names. */
#ifndef SPARCL_TOOL_SAVE_DATA_H
#define SPARCL_TOOL_SAVE_DATA_H

#include "exit_codes.h"
#include "sparcl/data.h"

#define OPTION_TO(variable)                                                                        \
    {                                                                                              \
        .name = "to", .type = OPTION_CHOICE, .value = &(variable),                                 \
        .choices = "sparcl|svmlight|libffm",                                                       \
        .help = "the format to write; default sparcl, the binary form"                             \
    }

/* `to`: the number of the word of OPTION_TO. */
exit_code save_data(const sparcl_data *data, const char *path, int to);

#endif
