/* foreign_file.h: refuses files of other programs. */
#ifndef SPC_DATA_FOREIGN_FILE_H
#define SPC_DATA_FOREIGN_FILE_H

#include "data/io/input.h"

/* E_FORMAT: the content is a model, or a file of another program, such as Parquet, Excel, a pickle
 * or JSON; of text only where the caller has not named the format. */
SPARCL_MUST_CHECK sparcl_status spc_refuse_foreign(spc_input *input, bool is_named,
                                                   sparcl_error *error);

#endif
