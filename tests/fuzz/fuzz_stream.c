/*
 * fuzz_stream.c: libFuzzer target for text that is read in parts, and as a stream whose entries are
 * read again: both have the rows that reading at once has. The first byte says how to read, the
 * second which format, and how large a part is.
 */
#include "fuzz_data.h"

#include "sparcl/data.h"

static const sparcl_data_format formats[] = {SPARCL_DATA_SVMLIGHT, SPARCL_DATA_LIBFFM,
                                             SPARCL_DATA_INDICES, SPARCL_DATA_VW};

/* Rows first .. first + rows - 1 of `all` are those of `data`, whose entries are given. */
static void check_same(const sparcl_data *all, int64_t first, const sparcl_data *data,
                       const void *indices, const float *values) {
    const sparcl_data_info *const info = sparcl_data_get_info(data);
    const int64_t *const has = sparcl_data_offsets(data);
    const int64_t *const had = sparcl_data_offsets(all) + first;
    if (first + info->rows > sparcl_data_get_info(all)->rows) abort();
    for (int64_t row = 0; row <= info->rows; row++)
        if (has[row] - has[0] != had[row] - had[0]) abort();
    const bool narrow = sparcl_data_index_type(data) == SPARCL_INDEX32;
    for (int64_t k = 0; k < info->entries; k++) {
        const int64_t index =
            narrow ? ((const int32_t *)indices)[k] : ((const int64_t *)indices)[k];
        const float *const value = sparcl_data_values(all) + had[0] + k;
        if (index != data_index(all, had[0] + k) || memcmp(value, values + k, sizeof *value) != 0)
            abort();
    }
}

/* Where the whole file is refused, so is one of the parts. */
static void read_parts(const char *path, const sparcl_data_desc *desc, int64_t bytes,
                       const sparcl_data *all) {
    sparcl_data_parts *parts = NULL;
    sparcl_data *part = NULL;
    int64_t rows = 0;
    sparcl_status status = sparcl_data_parts_open(&parts, path, desc, bytes, NULL);
    if (status != SPARCL_OK) abort();
    while ((status = sparcl_data_parts_next(parts, &part, NULL)) == SPARCL_OK && part) {
        fuzz_check(part);
        if (all) check_same(all, rows, part, sparcl_data_indices(part), sparcl_data_values(part));
        rows += sparcl_data_get_info(part)->rows;
        sparcl_data_free(part);
    }
    sparcl_data_parts_close(parts);
    if ((status == SPARCL_OK) != (all != NULL) || (all && rows != sparcl_data_get_info(all)->rows))
        abort();
}

static void read_rows(const sparcl_data *stream, const sparcl_data *all) {
    const sparcl_data_info *const info = sparcl_data_get_info(stream);
    sparcl_row_reader *reader = NULL;
    void *const indices = malloc((size_t)info->entries * sizeof(int64_t) + 1);
    float *const values = malloc((size_t)info->entries * sizeof *values + 1);
    if (!indices || !values || sparcl_row_reader_open(&reader, stream, NULL) != SPARCL_OK ||
        sparcl_row_reader_read(reader, 0, info->rows, indices, values, NULL, NULL) != SPARCL_OK)
        abort();
    check_same(all, 0, stream, indices, values);
    sparcl_row_reader_close(reader);
    free(indices);
    free(values);
}

static void read_stream(const char *path, sparcl_data_desc desc, const sparcl_data *all) {
    sparcl_data *stream = NULL;
    desc.stream = 1;
    const sparcl_status status = sparcl_data_read(&stream, path, &desc, NULL);
    if ((status == SPARCL_OK) != (all != NULL)) abort();
    if (stream) read_rows(stream, all);
    sparcl_data_free(stream);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static fuzz_file file;
    if (size < 2) return 0;
    fuzz_write(&file, bytes + 2, size - 2);
    sparcl_data_desc desc = fuzz_desc((uint8_t)(bytes[0] | 16));
    desc.allocator = (sparcl_allocator){0};
    fuzz_set_format(&desc, formats[bytes[1] & 3], bytes[0]);
    if (bytes[1] & 4) desc.compact_ids = 0; /* ids are not known before the end */
    if (desc.index_base == SPARCL_BASE_AUTO) desc.index_base = SPARCL_BASE_1;
    sparcl_data *all = NULL;
    if (sparcl_data_read(&all, file.path, &desc, NULL) == SPARCL_OK) fuzz_check(all);
    if (bytes[1] & 4)
        read_parts(file.path, &desc, 1 + (bytes[1] >> 3), all);
    else
        read_stream(file.path, desc, all);
    sparcl_data_free(all);
    return 0;
}
