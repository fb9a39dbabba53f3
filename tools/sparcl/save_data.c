/* save_data.c: writes data sets in a format that an option names. */
#include "save_data.h"

#include "message.h"

exit_code save_data(const sparcl_data *data, const char *path, int to) {
    static const sparcl_data_format formats[] = {SPARCL_DATA_SPARCL, SPARCL_DATA_SVMLIGHT,
                                                 SPARCL_DATA_LIBFFM};
    sparcl_error error = {0};
    const sparcl_status status = formats[to] == SPARCL_DATA_SPARCL
                                     ? sparcl_data_save(data, path, &error)
                                     : sparcl_data_export(data, path, formats[to], &error);
    return status == SPARCL_OK ? EXIT_OK : report(&error);
}
