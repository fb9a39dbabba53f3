/* row_scan.c: reads a file of text once, and keeps only what there is once for each row: offsets,
 * labels and weights. Entries are counted, hashed, and read again by a row reader. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/formats/format_words.h"
#include "data/formats/formats.h"
#include "data/set/id_columns.h"
#include "data/set/read.h"
#include "data/set/summary.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { PART_BYTES = 1 << 20 };

typedef struct scan {
    spc_sink sink;
    double scale;
    int64_t nan, inf;
    XXH3_state_t sums[3]; /* of indices as written in the file, values and fields */
    const sparcl_data_desc *desc;
    spc_id_table ids; /* of all indices, where they are ids that are to be numbered */
} scan;

static void drop(XXH3_state_t *sum, spc_array *array) {
    if (array->used > 0) XXH3_64bits_update(sum, array->at, array->used);
    array->used = 0;
}

static bool numbers_ids(const scan *s, const sparcl_data *data) {
    return s->desc->compact_ids && !s->desc->feature_ids && data->column_ids.used == 0;
}

static sparcl_status take(spc_sink *sink, sparcl_data *data, sparcl_error *error) {
    scan *const s = (scan *)sink; /* its first member */
    const float *const values = data->values.at;
    if (numbers_ids(s, data)) SPC_TRY(spc_id_table_add_indices(&s->ids, data, NULL, error));
    spc_data_scale(data, s->scale);
    for (size_t k = 0; k < data->values.used / sizeof *values; k++) {
        s->nan += isnan(values[k]) != 0;
        s->inf += isinf(values[k]) != 0;
    }
    drop(&s->sums[0], &data->indices);
    drop(&s->sums[1], &data->values);
    drop(&s->sums[2], &data->fields);
    return SPARCL_OK;
}

/* ---- how it is read again ------------------------------------------------------------------- */

/* Indices are read with the width and the base that were found; names and CSV have their own, and
 * CSV the description that was found, with the means and scales of all rows. */
static bool has_own_width(const sparcl_data *data) {
    return spc_format_flags(data->info.format) & SPC_HAS_NAMES;
}

static sparcl_data_format format_of(const sparcl_data *data) {
    for (int i = 1;; i++)
        if (strcmp(sparcl_data_format_name((sparcl_data_format)i), data->info.format) == 0)
            return (sparcl_data_format)i;
}

static sparcl_status open_stream(sparcl_data *data, const char *path, const sparcl_data_desc *desc,
                                 sparcl_error *error) {
    spc_stream *const stream = spc_alloc_zero(NULL, 1, sizeof *stream);
    if (!stream) return spc_fail_memory(error, "data", sizeof *stream);
    data->stream = stream;
    stream->path = spc_strdup(NULL, path);
    stream->csv_description = spc_strdup(NULL, data->csv_columns.at);
    stream->crosses = spc_strdup(NULL, data->crosses.at);
    if (!stream->path || (data->csv_columns.used && !stream->csv_description) ||
        (data->crosses.used && !stream->crosses))
        return spc_fail_memory(error, "the name of a file", strlen(path));
    stream->desc = *desc;
    stream->desc.csv_description = stream->csv_description;
    stream->desc.csv_columns = stream->desc.csv_label = NULL;
    stream->desc.crosses = stream->crosses;
    stream->desc.labels = stream->desc.weights = stream->desc.spill = stream->desc.ids = NULL;
    stream->desc.allocator = (sparcl_allocator){0};
    stream->desc.known_ids = (sparcl_known_ids){0};
    stream->desc.progress = NULL;
    stream->desc.stream = 0;
    stream->desc.format = format_of(data);
    if (has_own_width(data)) return SPARCL_OK;
    stream->desc.columns = data->info.columns;
    stream->desc.widen = 0;
    stream->desc.index_base = data->info.index_base ? SPARCL_BASE_1 : SPARCL_BASE_0;
    return SPARCL_OK;
}

/* ---- reading -------------------------------------------------------------------------------- */

static sparcl_status check_use(const scan *s, const char *path, const sparcl_data *data,
                               sparcl_error *error) {
    spc_format_list expected;
    if (s->sink.is_used) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_FORMAT,
                    "%s: expected text with a row in each line (%s) to be read as a stream, found "
                    "%s; read it without, or convert it to the binary form, which may be larger "
                    "than memory",
                    path, spc_format_words(&expected, SPC_HAS_PARTS), data->info.format);
}

/* Before this the indices were as wide as the largest id. */
static sparcl_status set_ids(scan *s, sparcl_data *data, sparcl_error *error) {
    SPC_TRY(spc_id_columns_set(data, &s->ids, s->desc, error));
    data->index_type = data->info.columns > INT32_MAX ? SPARCL_INDEX64 : SPARCL_INDEX32;
    data->stream->desc.columns = data->info.columns;
    return SPARCL_OK;
}

static void read_ids_again(sparcl_data *data) {
    sparcl_data_desc *const desc = &data->stream->desc;
    desc->compact_ids = 0;
    desc->feature_ids = data->info.id_count > 0 ? data->column_ids.at : NULL;
    desc->feature_id_count = data->info.id_count;
}

static sparcl_status finish(scan *s, sparcl_data *data, const char *path,
                            const sparcl_data_desc *desc, sparcl_error *error) {
    SPC_TRY(check_use(s, path, data, error));
    SPC_TRY(open_stream(data, path, desc, error));
    for (int i = 0; i < 3; i++)
        data->stream->sums[i] = XXH3_64bits_digest(&s->sums[i]);
    data->info.streamed = 1;
    spc_array_free(&data->indices, &data->allocator);
    spc_array_free(&data->values, &data->allocator);
    spc_array_free(&data->fields, &data->allocator);
    if (numbers_ids(s, data)) SPC_TRY(set_ids(s, data, error));
    spc_data_summarize(data);
    read_ids_again(data);
    data->info.nan_values = s->nan;
    data->info.inf_values = s->inf;
    return SPARCL_OK;
}

sparcl_status spc_data_scan(sparcl_data **data, const char *path, const sparcl_data_desc *desc,
                            sparcl_error *error) {
    if (strcmp(path, "-") == 0)
        return spc_fail(error, SPARCL_E_ARG,
                        "data: expected a file, which a stream reads several times, found standard "
                        "input; write it to a file, or read it with spill");
    scan *const s = spc_alloc_zero(NULL, 1, sizeof *s);
    sparcl_data *made = NULL;
    if (!s) return spc_fail_memory(error, "data", sizeof *s);
    s->sink = (spc_sink){.bytes = PART_BYTES, .keeps_rows = true, .take = take};
    s->scale = desc->scale;
    s->desc = desc;
    for (int i = 0; i < 3; i++)
        XXH3_64bits_reset(&s->sums[i]);
    sparcl_status status = spc_data_read_to(&made, path, desc, NULL, &s->sink, error);
    if (status == SPARCL_OK) status = finish(s, made, path, desc, error);
    if (status == SPARCL_OK)
        *data = made;
    else
        sparcl_data_free(made);
    spc_id_table_free(&s->ids, NULL);
    spc_free(NULL, s, sizeof *s);
    return status;
}
