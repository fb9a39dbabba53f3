/* export_npz.c: writes a data set as scipy.sparse.save_npz does, and its labels as a NumPy array.
 */
#include "data/formats/export.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>

#include <archive.h>
#include <archive_entry.h>

#include "base/error.h"
#include "base/file.h"
#include "data/formats/npz/npy_write.h"
#include "data/set/matrix_ids.h"

typedef struct writer {
    const sparcl_data *data;
    struct archive *archive;
    spc_array bytes; /* of the archive */
    sparcl_error *error;
} writer;

static la_ssize_t keep(struct archive *archive, void *user, const void *bytes, size_t size) {
    writer *const w = user;
    if (spc_array_add(&w->bytes, bytes, size, &w->data->allocator, w->error) == SPARCL_OK)
        return (la_ssize_t)size;
    archive_set_error(archive, ENOMEM, "out of memory");
    return -1;
}

/* All that libarchive can lack here is memory. */
static sparcl_status fail(const writer *w) {
    return spc_fail_memory(w->error, "an archive", w->bytes.used);
}

static sparcl_status open_archive(writer *w) {
    w->archive = archive_write_new();
    if (!w->archive) return fail(w);
    if (archive_write_set_format_zip(w->archive) != ARCHIVE_OK ||
        archive_write_zip_set_compression_store(w->archive) != ARCHIVE_OK ||
        archive_write_set_bytes_in_last_block(w->archive, 1) != ARCHIVE_OK ||
        archive_write_open(w->archive, w, NULL, keep, NULL) != ARCHIVE_OK)
        return fail(w);
    return SPARCL_OK;
}

static bool put(const writer *w, const void *bytes, size_t size) {
    return size == 0 || archive_write_data(w->archive, bytes, size) == (la_ssize_t)size;
}

static sparcl_status add_member(writer *w, const char *name,
                                const char header[SPC_NPY_HEADER_BYTES], const void *bytes,
                                size_t size) {
    struct archive_entry *const entry = archive_entry_new();
    if (!entry) return fail(w);
    archive_entry_set_pathname(entry, name);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_mtime(entry, 315532800, 0); /* 1980-01-01: equal data make equal files */
    archive_entry_set_size(entry, (int64_t)(SPC_NPY_HEADER_BYTES + size));
    const bool done = archive_write_header(w->archive, entry) == ARCHIVE_OK &&
                      put(w, header, SPC_NPY_HEADER_BYTES) && put(w, bytes, size) &&
                      archive_write_finish_entry(w->archive) == ARCHIVE_OK;
    archive_entry_free(entry);
    return done ? SPARCL_OK : fail(w);
}

static sparcl_status add_array(writer *w, const char *name, const char *type, int64_t count,
                               const void *elements, size_t element) {
    char header[SPC_NPY_HEADER_BYTES];
    spc_npy_header(header, type, count);
    return add_member(w, name, header, elements, (size_t)count * element);
}

/* As narrow as the indices, where they fit: SciPy would convert both to the wider type. */
static sparcl_status add_offsets(writer *w) {
    const sparcl_data *const data = w->data;
    const int64_t *const offsets = sparcl_data_offsets(data), count = data->info.rows + 1;
    if (data->index_type == SPARCL_INDEX64 || data->info.entries > INT32_MAX)
        return add_array(w, "indptr.npy", "i8", count, offsets, sizeof *offsets);
    spc_array narrow = {0};
    SPC_TRY(
        spc_array_reserve(&narrow, (size_t)count * sizeof(int32_t), &data->allocator, w->error));
    for (int64_t i = 0; i < count; i++)
        ((int32_t *)narrow.at)[i] = (int32_t)offsets[i];
    const sparcl_status status =
        add_array(w, "indptr.npy", "i4", count, narrow.at, sizeof(int32_t));
    spc_array_free(&narrow, &data->allocator);
    return status;
}

static sparcl_status add_mark(writer *w) {
    char mark[SPC_MARK_BYTES], type[32], header[SPC_NPY_HEADER_BYTES];
    spc_data_mark(w->data, mark);
    if (!mark[0]) return SPARCL_OK;
    snprintf(type, sizeof type, "S%zu", strlen(mark));
    spc_npy_header_of_bytes(header, type);
    return add_member(w, "sparcl_columns.npy", header, mark, strlen(mark));
}

static sparcl_status add_members(writer *w) {
    const sparcl_data *const data = w->data;
    const sparcl_data_info *const info = &data->info;
    const bool wide = data->index_type == SPARCL_INDEX64;
    const int64_t shape[] = {info->rows, info->columns};
    char header[SPC_NPY_HEADER_BYTES];
    SPC_TRY(add_array(w, "indices.npy", wide ? "i8" : "i4", info->entries, data->indices.at,
                      sparcl_itype_size(data->index_type)));
    SPC_TRY(add_offsets(w));
    spc_npy_header_of_bytes(header, "S3");
    SPC_TRY(add_member(w, "format.npy", header, "csr", 3));
    SPC_TRY(add_array(w, "shape.npy", "i8", 2, shape, sizeof *shape));
    SPC_TRY(add_array(w, "data.npy", "f4", info->entries, data->values.at, sizeof(float)));
    SPC_TRY(add_mark(w));
    if (info->label_count == 0) return SPARCL_OK;
    return add_array(w, "labels.npy", "f8", info->rows, data->labels.at, sizeof(double));
}

/* A csr matrix of SciPy, with the labels as the member labels.npy. */
static sparcl_status export_npz(const sparcl_data *data, const char *path, sparcl_error *error) {
    writer w = {.data = data, .error = error};
    sparcl_status status = open_archive(&w);
    if (status == SPARCL_OK) status = add_members(&w);
    if (status == SPARCL_OK && archive_write_close(w.archive) != ARCHIVE_OK) status = fail(&w);
    if (w.archive) archive_write_free(w.archive);
    const spc_bytes part = {w.bytes.at, w.bytes.used};
    if (status == SPARCL_OK) status = spc_file_write(path, &part, 1, error);
    spc_array_free(&w.bytes, &data->allocator);
    return status;
}

const spc_writing spc_npz_writing = {.whole = export_npz};

sparcl_status sparcl_data_save_labels(const sparcl_data *data, const char *path,
                                      sparcl_error *error) {
    if (!data || !path) return spc_fail(error, SPARCL_E_ARG, "save_labels: data or path is NULL");
    if (data->info.label_count == 0 || data->label_offsets.used)
        return spc_fail(error, SPARCL_E_ARG,
                        "save_labels: the data has not one label for each row, as an array must");
    char header[SPC_NPY_HEADER_BYTES];
    spc_npy_header(header, "f8", data->info.rows);
    const spc_bytes parts[] = {{header, sizeof header},
                               {data->labels.at, (size_t)data->info.rows * sizeof(double)}};
    return spc_file_write(path, parts, 2, error);
}
