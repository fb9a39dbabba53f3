/* data_output.c: writes data files. */
#include "data_output.h"

#include <string.h>
#include <unistd.h>

#include "files.h"
#include "live_line.h"
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

/* It would change the settings of a terminal. */
static bool is_binary(sparcl_data_format format) {
    return format == SPARCL_DATA_SPARCL || format == SPARCL_DATA_NPZ || format == SPARCL_DATA_ARRAY;
}

static exit_code check_terminal(const char *path, sparcl_data_format format) {
    if (!is_standard_output(path) || !is_binary(format) || !isatty(STDOUT_FILENO)) return EXIT_OK;
    print_error("standard output is a terminal, expected a file or a pipe for %s data",
                sparcl_data_format_name(format));
    print_remedy("name a file, or use --to svmlight, which is text");
    return EXIT_USAGE;
}

bool writes_fields(int to) {
    return formats[to].format == SPARCL_DATA_LIBFFM;
}

static bool has_index_0(const sparcl_data *data) {
    const int64_t *const offsets = sparcl_data_offsets(data);
    const void *const indices = sparcl_data_indices(data);
    const bool wide = sparcl_data_index_type(data) == SPARCL_I64;
    for (int64_t row = 0; row < sparcl_data_get_info(data)->rows; row++) {
        const int64_t k = offsets[row];
        if (k < offsets[row + 1] &&
            (wide ? ((const int64_t *)indices)[k] : ((const int32_t *)indices)[k]) == 0)
            return true;
    }
    return false;
}

/* Text keeps the index base of its source, which is found in it only where an index is 0. */
static void print_base(const sparcl_data *data, const char *path, sparcl_data_format format) {
    const sparcl_data_info *const info = sparcl_data_get_info(data);
    const bool counts = format == SPARCL_DATA_SVMLIGHT || format == SPARCL_DATA_LIBFFM;
    const bool keeps = strcmp(info->format, "svmlight") == 0 ||
                       strcmp(info->format, "libffm") == 0 ||
                       strcmp(info->format, "indices") == 0 || strcmp(info->format, "sparcl") == 0;
    if (counts && keeps && info->index_base == 0 && info->entries > 0 && !has_index_0(data))
        print_note("%s: it counts from 0, as its source, and no index in it is 0: read it with "
                   "--index-base 0",
                   path);
}

static void print_label_words(const sparcl_data *data, const char *path) {
    const int64_t words = sparcl_data_get_info(data)->label_words;
    if (words > 0)
        print_note("%s: its labels are words, which are written as 0 to %lld, in this order: %s%s%s"
                   "%s",
                   path, (long long)words - 1, sparcl_data_label_name(data, 0),
                   words > 1 ? ", " : "", words > 1 ? sparcl_data_label_name(data, 1) : "",
                   words > 2 ? ", ..." : "");
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
    const exit_code code = check_terminal(path, format);
    if (code != EXIT_OK) return code;
    live_line_begin("writing %s", path);
    if (labels) status = sparcl_data_save_labels(data, written_path(labels), &error);
    if (status == SPARCL_OK)
        status = format == SPARCL_DATA_SPARCL
                     ? sparcl_data_save(data, written_path(path), &error)
                     : sparcl_data_export(data, written_path(path), format, &error);
    if (status == SPARCL_OK) print_base(data, path, format);
    if (status == SPARCL_OK) print_label_words(data, path);
    return status == SPARCL_OK ? EXIT_OK : report(&error);
}

exit_code write_data(const sparcl_data *data, const char *path, int to) {
    return write_data_and_labels(data, path, to, NULL);
}
