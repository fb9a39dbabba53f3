/* row_reader.c: copies the entries of rows, from memory or from the file again. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "data/set/dataset.h"
#include "sparcl/data.h"

struct sparcl_row_reader {
    const sparcl_data *data;
    sparcl_data_parts *parts; /* of streamed data; NULL before the first rows */
    sparcl_data *part;        /* or NULL */
    int64_t first;            /* the number of its first row */
};

sparcl_status sparcl_row_reader_open(sparcl_row_reader **reader, const sparcl_data *data,
                                     sparcl_error *error) {
    if (reader) *reader = NULL;
    if (!reader || !data) return spc_fail(error, SPARCL_E_ARG, "rows: reader or data is NULL");
    *reader = spc_alloc_zero(NULL, 1, sizeof **reader);
    if (!*reader) return spc_fail_memory(error, "a reader of rows", sizeof **reader);
    (*reader)->data = data;
    return SPARCL_OK;
}

static void end_parts(sparcl_row_reader *r) {
    sparcl_data_free(r->part);
    sparcl_data_parts_close(r->parts);
    r->part = NULL;
    r->parts = NULL;
    r->first = 0;
}

void sparcl_row_reader_close(sparcl_row_reader *r) {
    if (!r) return;
    end_parts(r);
    spc_free(NULL, r, sizeof *r);
}

/* ---- parts ---------------------------------------------------------------------------------- */

static int64_t rows_of(const sparcl_data *part) {
    return part ? part->info.rows : 0;
}

static sparcl_status fail_changed(const sparcl_row_reader *r, int64_t row, sparcl_error *error) {
    return spc_fail(error, SPARCL_E_FORMAT,
                    "%s: expected the rows that it had at first, found another row %lld: the file "
                    "has changed; read it again",
                    r->data->name, (long long)row + 1);
}

static sparcl_status next_part(sparcl_row_reader *r, sparcl_error *error) {
    const int64_t first = r->first + rows_of(r->part);
    sparcl_data_free(r->part);
    r->part = NULL;
    r->first = first;
    SPC_TRY(sparcl_data_parts_next(r->parts, &r->part, error));
    if (!r->part || (r->part->info.columns <= r->data->info.columns &&
                     r->part->info.fields <= r->data->info.fields))
        return SPARCL_OK;
    return fail_changed(r, first, error);
}

/* Make the part the one that has row `row`. */
static sparcl_status seek(sparcl_row_reader *r, int64_t row, sparcl_error *error) {
    const spc_stream *const stream = r->data->stream;
    if (r->parts && row < r->first) end_parts(r);
    if (!r->parts)
        SPC_TRY(sparcl_data_parts_open(&r->parts, stream->path, &stream->desc, 0, error));
    while (row >= r->first + rows_of(r->part)) {
        SPC_TRY(next_part(r, error));
        if (!r->part) return fail_changed(r, r->first, error);
    }
    return SPARCL_OK;
}

/* ---- copies --------------------------------------------------------------------------------- */

typedef struct target {
    void *indices;
    float *values;
    int32_t *fields;
    sparcl_itype type;
    int64_t at;
} target;

static void copy_indices(const target *to, const sparcl_data *from, int64_t begin, int64_t count) {
    const size_t size = sparcl_itype_size(to->type);
    char *const into = (char *)to->indices + (size_t)to->at * size;
    if (from->index_type == to->type) {
        memcpy(into, (const char *)from->indices.at + (size_t)begin * size, (size_t)count * size);
        return;
    }
    for (int64_t k = 0; k < count; k++) /* a part may be narrower than the whole, never wider */
        ((int64_t *)(void *)into)[k] = spc_data_index(from, begin + k);
}

static void copy(target *to, const sparcl_data *from, int64_t begin, int64_t count) {
    if (count == 0) return;
    copy_indices(to, from, begin, count);
    memcpy(to->values + to->at, (const float *)from->values.at + begin,
           (size_t)count * sizeof(float));
    if (to->fields)
        memcpy(to->fields + to->at, (const int32_t *)from->fields.at + begin,
               (size_t)count * sizeof(int32_t));
    to->at += count;
}

/* Rows from..from + rows - 1 of the part must have as many entries as they had. */
static sparcl_status check_rows(const sparcl_row_reader *r, int64_t from, int64_t rows,
                                sparcl_error *error) {
    const int64_t *const had = sparcl_data_offsets(r->data) + r->first + from;
    const int64_t *const has = sparcl_data_offsets(r->part) + from;
    for (int64_t i = 0; i <= rows; i++)
        if (has[i] - has[0] != had[i] - had[0])
            return fail_changed(r, r->first + from + i - 1, error);
    return SPARCL_OK;
}

static sparcl_status check_arguments(const sparcl_row_reader *r, int64_t first, int64_t rows,
                                     const int32_t *fields, sparcl_error *error) {
    const sparcl_data_info *const info = &r->data->info;
    if (first < 0 || rows < 0 || first > info->rows - rows)
        return spc_fail(error, SPARCL_E_ARG, "rows: rows %lld to %lld, expected some of 0 to %lld",
                        (long long)first, (long long)(first + rows - 1), (long long)info->rows - 1);
    if (fields && info->fields == 0)
        return spc_fail(error, SPARCL_E_ARG, "rows: fields are requested, but there are none");
    return SPARCL_OK;
}

sparcl_status sparcl_row_reader_read(sparcl_row_reader *r, int64_t first, int64_t rows,
                                     void *indices, float *values, int32_t *fields,
                                     sparcl_error *error) {
    if (!r) return spc_fail(error, SPARCL_E_ARG, "rows: the reader is NULL");
    SPC_TRY(check_arguments(r, first, rows, fields, error));
    const int64_t *const offsets = sparcl_data_offsets(r->data) + first;
    target to = {indices, values, fields, r->data->index_type, 0};
    if (offsets[rows] > offsets[0] && (!indices || !values))
        return spc_fail(error, SPARCL_E_ARG, "rows: indices or values is NULL");
    if (!r->data->stream) {
        copy(&to, r->data, offsets[0], offsets[rows] - offsets[0]);
        return SPARCL_OK;
    }
    for (int64_t done = 0; done < rows;) {
        SPC_TRY(seek(r, first + done, error));
        const int64_t from = first + done - r->first;
        const int64_t count = spc_min_i64(rows - done, rows_of(r->part) - from);
        const int64_t *const own = sparcl_data_offsets(r->part) + from;
        SPC_TRY(check_rows(r, from, count, error));
        copy(&to, r->part, own[0], own[count] - own[0]);
        done += count;
    }
    return SPARCL_OK;
}
