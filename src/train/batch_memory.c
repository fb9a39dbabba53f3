/* batch_memory.c: the memory of a batch of rows, on the host and on the device. */
#include "train/batch_memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/core.h"

void spc_batch_close(spc_batch_memory *m) {
    sparcl_csr_free(&m->x);
    sparcl_buf_free(m->x_fields);
    for (int i = 0; i < SPC_ROW_NUMBERS; ++i) {
        sparcl_buf_free(m->x_numbers[i]);
        free(m->numbers[i]);
    }
    free(m->offsets);
    free(m->indices);
    free(m->values);
    free(m->entry_fields);
}

int64_t spc_csr_bytes(const sparcl_csr *x) {
    return sparcl_buf_bytes(x->offsets) + sparcl_buf_bytes(x->indices) +
           sparcl_buf_bytes(x->values);
}

int64_t spc_batch_bytes(const spc_batch_memory *m) {
    int64_t bytes = spc_csr_bytes(&m->x) + sparcl_buf_bytes(m->x_fields);
    for (int i = 0; i < SPC_ROW_NUMBERS; ++i)
        bytes += sparcl_buf_bytes(m->x_numbers[i]);
    return bytes;
}

/* --- on the device ---------------------------------------------------------------------------- */

/* With spare capacity, so that it seldom grows. */
static sparcl_status grow(spc_batch_memory *m, int64_t rows, int64_t nnz, sparcl_error *error) {
    sparcl_csr *const x = &m->x;
    const int64_t index = (int64_t)sparcl_itype_size(x->index_type), more = nnz + nnz / 8;
    x->offset_type = nnz > INT32_MAX ? SPARCL_INDEX64 : SPARCL_INDEX32;
    SPC_TRY(spc_grow(m->ctx, &x->offsets, (rows + 1) * 8, error));
    for (int i = 0; i < m->number_count; ++i)
        SPC_TRY(spc_grow(m->ctx, &m->x_numbers[i], rows * 4, error));
    if (nnz <= x->nnz) return SPARCL_OK;
    SPC_TRY(spc_grow(m->ctx, &x->indices, more * index, error));
    SPC_TRY(spc_grow(m->ctx, &x->values, more * 4, error));
    if (m->fields > 0) SPC_TRY(spc_grow(m->ctx, &m->x_fields, more * 4, error));
    x->nnz = more;
    return SPARCL_OK;
}

sparcl_status spc_batch_reserve(spc_batch_memory *m, int64_t rows, int64_t nnz, spc_inputs *in,
                                sparcl_error *error) {
    SPC_TRY(grow(m, rows, nnz, error));
    in->x = m->x;
    in->x.rows = rows;
    in->x.cols = m->columns;
    in->x.nnz = nnz;
    spc_batch_view_fields(m, m->x_fields, 0, in);
    spc_batch_view_numbers(m, m->x_numbers, 0, rows, in);
    return SPARCL_OK;
}

void spc_batch_view_fields(const spc_batch_memory *m, sparcl_buf *buf, int64_t at, spc_inputs *in) {
    if (m->fields == 0) return;
    in->fields = (sparcl_list){.limit = m->fields,
                               .count = in->x.nnz,
                               .index_type = SPARCL_INDEX32,
                               .indices = buf,
                               .indices_at = at,
                               .proof = {.flags = SPARCL_TRUSTED | SPARCL_VALID}};
}

void spc_batch_view_numbers(const spc_batch_memory *m, sparcl_buf *const bufs[SPC_ROW_NUMBERS],
                            int64_t first, int64_t count, spc_inputs *in) {
    sparcl_dense *const views[SPC_ROW_NUMBERS] = {&in->labels, &in->weights};
    for (int i = 0; i < m->number_count; ++i)
        *views[i] =
            (sparcl_dense){.rank = 1, .shape = {count}, .values = bufs[i], .values_at = first};
}

/* --- on the host ------------------------------------------------------------------------------ */

static bool reserve_rows(spc_batch_memory *m, int64_t rows) {
    free(m->offsets);
    m->offsets = malloc(((size_t)rows + 1) * 8);
    bool has_all = m->offsets;
    for (int i = 0; i < m->number_count; ++i) {
        free(m->numbers[i]);
        m->numbers[i] = malloc((size_t)rows * sizeof(float));
        has_all = has_all && m->numbers[i];
    }
    m->host_rows = has_all ? rows : 0;
    return has_all;
}

static bool reserve_entries(spc_batch_memory *m, int64_t nnz) {
    free(m->indices);
    free(m->values);
    free(m->entry_fields);
    m->indices = malloc((size_t)nnz * sparcl_itype_size(m->x.index_type));
    m->values = malloc((size_t)nnz * sizeof(float));
    m->entry_fields = m->fields > 0 ? malloc((size_t)nnz * sizeof(int32_t)) : NULL;
    const bool has_all = m->indices && m->values && (m->entry_fields || m->fields == 0);
    m->host_nnz = has_all ? nnz : 0;
    return has_all;
}

/* The views of a batch on the device, whose arrays there is memory for on the host. */
static sparcl_status stage(spc_batch_memory *m, int64_t rows, int64_t nnz, spc_inputs *in,
                           sparcl_error *error) {
    SPC_TRY(spc_batch_reserve(m, rows, nnz, in, error));
    in->x.proof.flags = SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE | SPARCL_TRUSTED;
    if (rows > m->host_rows && !reserve_rows(m, rows))
        return spc_fail_memory(error, "a batch on the host", (size_t)rows * 16);
    if (nnz > m->host_nnz && !reserve_entries(m, nnz))
        return spc_fail_memory(error, "a batch on the host", (size_t)nnz * 8);
    return SPARCL_OK;
}

int64_t spc_batch_entries(const int64_t *offsets, const int64_t *order, int64_t first,
                          int64_t rows) {
    int64_t nnz = 0;
    if (!order) return offsets[first + rows] - offsets[first];
    for (int64_t i = first; i < first + rows; ++i)
        nnz += offsets[order[i] + 1] - offsets[order[i]];
    return nnz;
}

static void gather_entries(const spc_batch_memory *m, const sparcl_csr_arrays *from, int64_t begin,
                           int64_t count, int64_t at) {
    const size_t index = sparcl_itype_size(m->x.index_type);
    if (count == 0) return;
    memcpy((char *)m->indices + (size_t)at * index,
           (const char *)from->indices + (size_t)begin * index, (size_t)count * index);
    memcpy(m->values + at, from->values + begin, (size_t)count * sizeof(float));
    if (m->fields > 0)
        memcpy(m->entry_fields + at, from->fields + begin, (size_t)count * sizeof(int32_t));
}

/* Indices of a callback's batches may change their type. */
static void set_index_type(spc_batch_memory *m, sparcl_itype type) {
    if (m->x.index_type == type) return;
    sparcl_buf_free(m->x.indices);
    m->x.indices = NULL;
    m->x.nnz = m->host_nnz = 0;
    m->x.index_type = type;
}

sparcl_status spc_batch_gather(spc_batch_memory *m, const sparcl_csr_arrays *from,
                               const float *const numbers[SPC_ROW_NUMBERS], const int64_t *order,
                               int64_t first, int64_t rows, spc_inputs *in, sparcl_error *error) {
    const int64_t *const offsets = from->offsets;
    int64_t at = 0;
    set_index_type(m, from->index_type);
    SPC_TRY(stage(m, rows, spc_batch_entries(offsets, order, first, rows), in, error));
    spc_set_index(m->offsets, m->x.offset_type, 0, 0);
    for (int64_t i = 0; i < rows; ++i) {
        const int64_t row = order ? order[first + i] : first + i;
        const int64_t count = offsets[row + 1] - offsets[row];
        for (int k = 0; k < m->number_count; ++k)
            m->numbers[k][i] = numbers[k][row];
        if (from->values) gather_entries(m, from, offsets[row], count, at);
        at += count;
        spc_set_index(m->offsets, m->x.offset_type, i + 1, at);
    }
    return SPARCL_OK;
}

static sparcl_status write(const spc_batch_memory *m, sparcl_buf *to, const void *from,
                           int64_t bytes, sparcl_error *error) {
    return spc_core(m->ctx, sparcl_buf_write(m->ctx, to, 0, bytes, from), error);
}

static sparcl_status write_offsets(const spc_batch_memory *m, int64_t rows, sparcl_error *error) {
    const int64_t size = (int64_t)sparcl_itype_size(m->x.offset_type);
    return write(m, m->x.offsets, m->offsets, (rows + 1) * size, error);
}

sparcl_status spc_batch_send_offsets(spc_batch_memory *m, const int64_t *offsets, int64_t rows,
                                     spc_inputs *in, sparcl_error *error) {
    SPC_TRY(stage(m, rows, 0, in, error));
    m->x.offset_type = offsets[rows] - offsets[0] > INT32_MAX ? SPARCL_INDEX64 : SPARCL_INDEX32;
    for (int64_t i = 0; i <= rows; ++i)
        spc_set_index(m->offsets, m->x.offset_type, i, offsets[i] - offsets[0]);
    return write_offsets(m, rows, error);
}

sparcl_status spc_batch_send(const spc_batch_memory *m, const sparcl_csr *x, sparcl_error *error) {
    const int64_t index = (int64_t)sparcl_itype_size(x->index_type);
    SPC_TRY(write_offsets(m, x->rows, error));
    SPC_TRY(write(m, x->indices, m->indices, x->nnz * index, error));
    SPC_TRY(write(m, x->values, m->values, x->nnz * 4, error));
    if (m->fields > 0) SPC_TRY(write(m, m->x_fields, m->entry_fields, x->nnz * 4, error));
    for (int i = 0; i < m->number_count; ++i)
        SPC_TRY(write(m, m->x_numbers[i], m->numbers[i], x->rows * 4, error));
    return SPARCL_OK;
}
