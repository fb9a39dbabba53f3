/* data_read.c: sparcl_data_read: into memory, or without the entries. */
#include "base/error.h"
#include "data/read.h"

sparcl_status sparcl_data_read(sparcl_data **data, const char *path, const sparcl_data_desc *desc,
                               sparcl_error *error) {
    if (!data) return spc_fail(error, SPARCL_E_ARG, "data: the pointer for the result is NULL");
    *data = NULL;
    SPC_TRY(spc_data_check_desc(path, &desc, error));
    return desc->stream ? spc_data_scan(data, path, desc, error)
                        : spc_data_read_to(data, path, desc, NULL, NULL, error);
}
