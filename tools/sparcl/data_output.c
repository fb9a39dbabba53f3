/* data_output.c: writes data files. */
#include "data_output.h"

#include "files.h"
#include "message.h"

/* In the order of OPTION_TO. */
static const struct {
    sparcl_data_format format;
    bool has_labels;
} formats[] = {
    {SPARCL_DATA_SPARCL, true},  {SPARCL_DATA_SVMLIGHT, true},   {SPARCL_DATA_LIBFFM, true},
    {SPARCL_DATA_VW, true},      {SPARCL_DATA_CSV, true},        {SPARCL_DATA_NPZ, true},
    {SPARCL_DATA_ARRAY, false},  {SPARCL_DATA_MTX, false},       {SPARCL_DATA_EDGES, false},
    {SPARCL_DATA_RATINGS, true}, {SPARCL_DATA_ADJACENCY, false}, {SPARCL_DATA_SMTX, false}};

bool writes_fields(int to) {
    return formats[to].format == SPARCL_DATA_LIBFFM;
}

exit_code write_data_and_labels(const sparcl_data *data, const char *path, int to,
                                const char *labels) {
    const sparcl_data_format format = formats[to].format;
    sparcl_error error = {0};
    sparcl_status status = SPARCL_OK;
    if (!formats[to].has_labels && !labels && sparcl_data_get_info(data)->has_labels) {
        print_error("%s files have no labels, which the data has", sparcl_data_format_name(format));
        print_remedy("use --to npz, or 'sparcl convert' with --labels-to FILE.npy");
        return EXIT_USAGE;
    }
    if (labels) status = sparcl_data_save_labels(data, written_path(labels), &error);
    if (status == SPARCL_OK)
        status = format == SPARCL_DATA_SPARCL
                     ? sparcl_data_save(data, written_path(path), &error)
                     : sparcl_data_export(data, written_path(path), format, &error);
    return status == SPARCL_OK ? EXIT_OK : report(&error);
}

exit_code write_data(const sparcl_data *data, const char *path, int to) {
    return write_data_and_labels(data, path, to, NULL);
}
