/* readers.h: the readers of all data formats, spc_svmlight_read and so on. */
#ifndef SPC_DATA_READERS_H
#define SPC_DATA_READERS_H

#include "data/formats/formats.h"
#include "data/io/input.h"

#define SPC_READER(NAME, word, found, flags, to, endings, help)                                    \
    SPARCL_MUST_CHECK sparcl_status spc_##word##_read(                                             \
        sparcl_data *data, spc_input *input, const sparcl_data_desc *desc, sparcl_error *error);
SPC_FORMATS(SPC_READER)
#undef SPC_READER

/* Refuse a request to count from 1; `what` is what was found. */
SPARCL_MUST_CHECK sparcl_status spc_refuse_base_1(const spc_input *input,
                                                  const sparcl_data_desc *desc, const char *what,
                                                  sparcl_error *error);

#endif
