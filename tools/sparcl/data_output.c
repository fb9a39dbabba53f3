/* data_output.c: writes data files. */
#include "data_output.h"

#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "files.h"
#include "message.h"
#include "verbose.h"

/* In the order of OPTION_TO. */
static const struct {
    sparcl_data_format format;
    int flags;
    const char *endings; /* of names of files, separated by blanks */
} formats[] = {
#define ROW(NAME, word, found, flags, to, endings, help) {SPARCL_DATA_##NAME, flags, endings},
    SPC_WRITTEN_FORMATS(ROW)};
enum {
#define AT(NAME, ...) AT_##NAME,
    SPC_WRITTEN_FORMATS(AT)
};

/* CSV that is written has a number for every column of a row: in more than these, of which few are
 * not 0, nobody finds anything. */
static const double most_cells = 1 << 26, most_zeros = 100;

static bool has_ending_of(const char *path, const char *endings) {
    const size_t length = strlen(path);
    for (const char *at = endings; *at; at += strspn(at, " ")) {
        const size_t size = strcspn(at, " ");
        if (size < length && strncasecmp(path + length - size, at, size) == 0) return true;
        at += size;
    }
    return false;
}

/* A position in formats. */
static size_t choose(const char *path, int to) {
    if (to != TO_BY_NAME) return (size_t)to;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (has_ending_of(path, formats[i].endings)) return i;
    return AT_SPARCL;
}

static exit_code check_name(const char *path) {
    static const char *const packed[] = {".gz", ".zst", ".xz", ".bz2"};
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++) {
        if (!ends_in(path, packed[i])) continue;
        print_error("%s: expected the name of a file that is not compressed, found the ending %s",
                    path, packed[i]);
        print_remedy("write -, which is standard output, into a pipe to a program that compresses");
        return EXIT_USAGE;
    }
    return EXIT_OK;
}

static exit_code check_cells(const sparcl_data *data, const char *path, sparcl_data_format format) {
    const sparcl_data_info *const info = sparcl_data_get_info(data);
    const double cells = (double)info->rows * (double)info->columns;
    if (format != SPARCL_DATA_CSV || cells <= most_cells ||
        cells <= most_zeros * (double)info->entries)
        return EXIT_OK;
    print_error("%s: expected data that CSV can hold, found %lld rows of %lld columns, nearly all "
                "of them 0: %.3g bytes",
                path, (long long)info->rows, (long long)info->columns, 2 * cells);
    print_remedy("use --to svmlight, or sparcl; 'sparcl split' and 'sample' keep rows of CSV");
    return EXIT_USAGE;
}

/* Binary data would change the settings of a terminal. */
static exit_code check_terminal(const char *path, size_t to) {
    if (!is_standard_output(path) || !(formats[to].flags & SPC_IS_BINARY) || !isatty(STDOUT_FILENO))
        return EXIT_OK;
    print_error("standard output is a terminal, expected a file or a pipe for %s data",
                sparcl_data_format_name(formats[to].format));
    print_remedy("name a file, or use --to svmlight, which is text");
    return EXIT_USAGE;
}

bool writes_fields(const char *path, int to) {
    return choose(path, to) == AT_LIBFFM;
}

static bool has_index_0(const sparcl_data *data) {
    const int64_t *const offsets = sparcl_data_offsets(data);
    const void *const indices = sparcl_data_indices(data);
    const bool wide = sparcl_data_index_type(data) == SPARCL_INDEX64;
    for (int64_t row = 0; row < sparcl_data_get_info(data)->rows; row++) {
        const int64_t k = offsets[row];
        if (k < offsets[row + 1] &&
            (wide ? ((const int64_t *)indices)[k] : ((const int32_t *)indices)[k]) == 0)
            return true;
    }
    return false;
}

/* Only formats that say how ids became columns, or that have the ids, keep them. */
static void print_ids(const sparcl_data *data, const char *path, size_t to) {
    enum { MANY = 1 << 30 }; /* columns from which on they are ids */
    const sparcl_data_info *const info = sparcl_data_get_info(data);
    const bool is_matrix = formats[to].flags & SPC_IS_MATRIX;
    if (info->hashed_ids && !is_matrix && to != AT_SPARCL)
        print_note("%s: its columns are hashes of ids, which it does not say: a model of "
                   "--hash-bits hashes them again; it reads sparcl, npz and mtx as they are",
                   path);
    if (is_matrix && info->index_base == 1 && info->columns > MANY &&
        strcmp(info->format, "mtx") != 0)
        print_note("%s: index 1 of the source is the first column; --index-base 0 keeps ids as "
                   "they are, --hash-bits or --compact-ids makes columns of them",
                   path);
}

/* Text keeps the index base of its source, which is found in it only where an index is 0. */
static void print_base(const sparcl_data *data, const char *path, size_t to) {
    const sparcl_data_info *const info = sparcl_data_get_info(data);
    const bool keeps =
        spc_format_has_base(spc_format_flags(info->format)) || strcmp(info->format, "sparcl") == 0;
    if (spc_format_has_base(formats[to].flags) && keeps && info->index_base == 0 &&
        info->entries > 0 && !has_index_0(data))
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

/* No format says how columns were made of those of a table, or of crosses: a model of it does not
 * know it, either. */
static void print_lost_columns(const sparcl_data *data, const input_options *input,
                               const char *path) {
    const char *const format = sparcl_data_get_info(data)->format;
    if (sparcl_data_crosses(data))
        print_note("%s: it does not say what is crossed: convert data for a model of it with the "
                   "same --cross, or train on the text",
                   path);
    else if (strcmp(format, "csv") == 0 && !input->csv_columns)
        print_note("%s: it does not say how its columns were made of those of the table: convert "
                   "data for a model of it with --csv-columns FILE, which 'sparcl inspect TABLE "
                   "--save-columns FILE' writes, or train on the table",
                   path);
}

exit_code write_data_and_labels(const sparcl_data *data, const input_options *input,
                                const char *path, int to, const char *labels) {
    const size_t chosen = choose(path, to);
    const sparcl_data_format format = formats[chosen].format;
    sparcl_error error = {0};
    sparcl_status status = SPARCL_OK;
    if (!(formats[chosen].flags & SPC_KEEPS_LABELS) && !labels &&
        sparcl_data_get_info(data)->has_labels) {
        print_error("%s files have no labels, which the data has", sparcl_data_format_name(format));
        print_remedy("use --to npz, or 'sparcl convert' with --labels-to FILE.npy");
        return EXIT_USAGE;
    }
    exit_code code = check_name(path);
    if (code == EXIT_OK) code = check_terminal(path, chosen);
    if (code == EXIT_OK) code = check_cells(data, path, format);
    if (code != EXIT_OK) return code;
    begin_part("writing %s", path);
    if (labels) status = sparcl_data_save_labels(data, written_path(labels), &error);
    if (status == SPARCL_OK) status = sparcl_data_export(data, written_path(path), format, &error);
    if (status == SPARCL_OK) print_base(data, path, chosen);
    if (status == SPARCL_OK) print_ids(data, path, chosen);
    if (status == SPARCL_OK) print_lost_columns(data, input, path);
    if (status == SPARCL_OK) print_label_words(data, path);
    return status == SPARCL_OK ? EXIT_OK : report(&error);
}

/* Numbers of columns are no names. Ratings are tables, too. */
static bool stays(const sparcl_data *data, const char *source, const input_options *input,
                  size_t to) {
    const char *const found = sparcl_data_get_info(data)->format;
    const char *const format = strcmp(found, "ratings") == 0 ? "csv" : found;
    return (spc_format_flags(format) & SPC_HAS_NAMES) &&
           strcmp(format, sparcl_data_format_name(formats[to].format)) == 0 &&
           strcmp(source, "-") != 0 && !input->labels && !input->weights && input->scale == 0;
}

exit_code write_rows(const sparcl_data *data, const sparcl_data *part, const char *source,
                     const input_options *input, const char *path, int to) {
    sparcl_error error = {0};
    if (!stays(data, source, input, choose(path, to)))
        return write_data_and_labels(part, input, path, to, NULL);
    begin_part("writing %s", path);
    return sparcl_data_copy_rows(data, part, source, written_path(path), &error) == SPARCL_OK
               ? EXIT_OK
               : report(&error);
}
