/* data_output.c: writes data files. */
#include "data_output.h"

#include "message.h"

static const sparcl_data_format formats[] = {SPARCL_DATA_SPARCL, SPARCL_DATA_SVMLIGHT,
                                             SPARCL_DATA_LIBFFM, SPARCL_DATA_MTX, SPARCL_DATA_NPZ};

exit_code write_data_and_labels(const sparcl_data *data, const char *path, int to,
                                const char *labels) {
    const sparcl_data_format format = formats[to];
    sparcl_error error = {0};
    sparcl_status status = SPARCL_OK;
    if (format == SPARCL_DATA_MTX && !labels && sparcl_data_get_info(data)->has_labels) {
        print_error("Matrix Market files have no labels, which the data has");
        print_remedy("use --to npz, or 'sparcl convert' with --labels-to FILE.npy");
        return EXIT_USAGE;
    }
    if (labels) status = sparcl_data_save_labels(data, labels, &error);
    if (status == SPARCL_OK)
        status = format == SPARCL_DATA_SPARCL ? sparcl_data_save(data, path, &error)
                                              : sparcl_data_export(data, path, format, &error);
    return status == SPARCL_OK ? EXIT_OK : report(&error);
}

exit_code write_data(const sparcl_data *data, const char *path, int to) {
    return write_data_and_labels(data, path, to, NULL);
}
