/* checkpoint_file.c: writes files of checkpoints so that no moment is without a complete one. */
#include "train/checkpoint_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/writer.h"
#include "model/core.h"
#include "train/checkpoint_sum.h"

/* --- items ------------------------------------------------------------------------------------ */

sparcl_status spc_items_add(spc_items *items, const char *folder, const char *of, const char *name,
                            const spc_item *item, sparcl_error *error) {
    if (items->count == items->capacity) {
        const int capacity = 2 * items->capacity + 32;
        spc_item *const more = realloc(items->at, (size_t)capacity * sizeof *more);
        if (!more) return spc_fail_memory(error, "checkpoint", (size_t)capacity * sizeof *more);
        items->at = more;
        items->capacity = capacity;
    }
    spc_item *const to = &items->at[items->count++];
    *to = *item;
    snprintf(to->name, sizeof to->name, "%s%s%s/%s", folder, of ? "/" : "", of ? of : "", name);
    return SPARCL_OK;
}

void spc_items_free(spc_items *items) {
    free(items->at);
    *items = (spc_items){0};
}

/* --- writing ---------------------------------------------------------------------------------- */

/* A file that is written, and the sum of its bytes so far. */
typedef struct output {
    spc_writer writer;
    spc_sum sum;
    char *chunk; /* [SPC_CHUNK_BYTES] */
} output;

static sparcl_status put(output *out, const void *bytes, size_t size, sparcl_error *error) {
    spc_sum_add(&out->sum, bytes, size);
    return spc_writer_put(&out->writer, bytes, size, error);
}

static sparcl_status put_item(output *out, sparcl_ctx *ctx, const spc_item *item,
                              sparcl_error *error) {
    if (item->host) return put(out, item->host, (size_t)item->bytes, error);
    for (int64_t done = 0; done < item->bytes; done += SPC_CHUNK_BYTES) {
        const int64_t bytes = spc_min_i64(SPC_CHUNK_BYTES, item->bytes - done);
        SPC_TRY(spc_core(ctx, sparcl_buf_read(ctx, item->buf, item->at + done, bytes, out->chunk),
                         error));
        SPC_TRY(put(out, out->chunk, (size_t)bytes, error));
    }
    return SPARCL_OK;
}

/* The head needs the tensors in one array; the checksum is the last. */
static sparcl_status make_head(const spc_items *items, const spc_note *notes, int note_count,
                               char **head, size_t *head_bytes, sparcl_error *error) {
    const size_t count = (size_t)items->count;
    spc_tensor *const tensors = calloc(count + 1, sizeof *tensors);
    if (!tensors) return spc_fail_memory(error, "checkpoint", (count + 1) * sizeof *tensors);
    for (size_t i = 0; i < count; ++i)
        tensors[i] = (spc_tensor){.name = items->at[i].name,
                                  .dtype = items->at[i].dtype,
                                  .rank = 1,
                                  .shape = {items->at[i].count}};
    tensors[count] =
        (spc_tensor){.name = SPC_CHECKSUM_NAME, .dtype = "U64", .rank = 1, .shape = {1}};
    const sparcl_status status =
        spc_tensors_head(tensors, items->count + 1, notes, note_count, head, head_bytes, error);
    free(tensors);
    return status;
}

static sparcl_status put_all(output *out, sparcl_ctx *ctx, const spc_note *notes, int note_count,
                             const spc_items *items, sparcl_error *error) {
    char *head = NULL;
    size_t head_bytes = 0;
    SPC_TRY(make_head(items, notes, note_count, &head, &head_bytes, error));
    sparcl_status status = put(out, head, head_bytes, error);
    spc_free(NULL, head, head_bytes);
    for (int i = 0; i < items->count && status == SPARCL_OK; ++i)
        status = put_item(out, ctx, &items->at[i], error);
    SPC_TRY(status);
    const uint64_t sum = spc_sum_value(&out->sum);
    return put(out, &sum, sizeof sum, error);
}

static sparcl_status write_all(output *out, sparcl_ctx *ctx, const spc_note *notes, int note_count,
                               const spc_items *items, sparcl_error *error) {
    sparcl_status status = put_all(out, ctx, notes, note_count, items, error);
    if (status == SPARCL_OK) return spc_writer_commit(&out->writer, SPC_PREVIOUS, error);
    spc_writer_discard(&out->writer);
    return status;
}

sparcl_status spc_checkpoint_write(sparcl_ctx *ctx, const char *path, const spc_note *notes,
                                   int note_count, const spc_items *items, sparcl_error *error) {
    output out = {.chunk = malloc(SPC_CHUNK_BYTES)};
    struct stat about;
    if (!out.chunk) return spc_fail_memory(error, "checkpoint", SPC_CHUNK_BYTES);
    spc_sum_start(&out.sum);
    sparcl_status status = SPARCL_OK;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
        status = spc_fail(error, SPARCL_E_IO, "%s: the checkpoint is not a regular file", path);
    if (status == SPARCL_OK) status = spc_writer_open(&out.writer, path, true, error);
    if (status == SPARCL_OK) status = write_all(&out, ctx, notes, note_count, items, error);
    free(out.chunk);
    return status;
}
