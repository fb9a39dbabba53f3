/* data_output.c: writes data files. */
#include "data_output.h"

#include "message.h"

exit_code write_data(const sparcl_data *data, const char *path, int to) {
    static const sparcl_data_format formats[] = {SPARCL_DATA_SPARCL, SPARCL_DATA_SVMLIGHT,
                                                 SPARCL_DATA_LIBFFM};
    const sparcl_data_format format = formats[to];
    sparcl_error error = {0};
    const sparcl_status status = format == SPARCL_DATA_SPARCL
                                     ? sparcl_data_save(data, path, &error)
                                     : sparcl_data_export(data, path, format, &error);
    return status == SPARCL_OK ? EXIT_OK : report(&error);
}
