/* checkpoint_read.c: opens and reads files of checkpoints. A file is checked completely first. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/size.h"
#include "base/writer.h"
#include "model/core.h"
#include "train/checkpoint_file.h"
#include "train/checkpoint_sum.h"

static sparcl_status fail_damaged(const char *path, sparcl_error *error) {
    return spc_fail(error, SPARCL_E_FORMAT,
                    "%s: the checkpoint is damaged: its checksum is wrong, or missing", path);
}

/* The sum of the first `bytes` bytes. */
static sparcl_status sum_file(FILE *file, int64_t bytes, char *chunk, uint64_t *value) {
    spc_sum sum;
    spc_sum_start(&sum);
    if (fseeko(file, 0, SEEK_SET) != 0) return SPARCL_E_IO;
    while (bytes > 0) {
        const size_t part = (size_t)spc_min_i64(bytes, SPC_CHUNK_BYTES);
        if (fread(chunk, 1, part, file) != part) return SPARCL_E_IO;
        spc_sum_add(&sum, chunk, part);
        bytes -= (int64_t)part;
    }
    *value = spc_sum_value(&sum);
    return SPARCL_OK;
}

static sparcl_status check_sum(const spc_checkpoint *in, sparcl_error *error) {
    const spc_tensor *const last = spc_tensors_find(&in->tensors, SPC_CHECKSUM_NAME);
    uint64_t expected = 0, found = 0;
    if (!last || last->bytes != sizeof expected ||
        last != &in->tensors.tensors[in->tensors.count - 1])
        return fail_damaged(in->path, error);
    SPC_TRY(spc_tensors_read(&in->tensors, last, &expected, error));
    char *const chunk = malloc(SPC_CHUNK_BYTES);
    if (!chunk) return spc_fail_memory(error, "checkpoint", SPC_CHUNK_BYTES);
    const sparcl_status status =
        sum_file(in->file, in->tensors.data_at + last->begin, chunk, &found);
    free(chunk);
    if (status != SPARCL_OK)
        return spc_fail(error, status, "%s: cannot be read: %s", in->path, strerror(errno));
    return found == expected ? SPARCL_OK : fail_damaged(in->path, error);
}

sparcl_status spc_checkpoint_check(spc_checkpoint *in, sparcl_error *error) {
    SPC_TRY(spc_tensors_open(&in->tensors, in->file, in->path, error));
    return check_sum(in, error);
}

/* PATH and a suffix. *exists is false where there is no such file. */
static sparcl_status open_one(spc_checkpoint *in, const char *path, const char *suffix,
                              bool *exists, sparcl_error *error) {
    const size_t length = strlen(path) + strlen(suffix) + 1;
    *in = (spc_checkpoint){.path = malloc(length)};
    *exists = true;
    if (!in->path) return spc_fail_memory(error, "checkpoint", length);
    snprintf(in->path, length, "%s%s", path, suffix);
    in->file = fopen(in->path, "rbe");
    if (!in->file) {
        *exists = errno != ENOENT;
        return spc_fail(error, SPARCL_E_IO, "%s: cannot be opened: %s", in->path, strerror(errno));
    }
    return spc_checkpoint_check(in, error);
}

void spc_checkpoint_close(spc_checkpoint *in) {
    spc_tensors_close(&in->tensors);
    if (in->file) fclose(in->file);
    free(in->path);
    *in = (spc_checkpoint){0};
}

/* The file, or the one before it. */
static sparcl_status open_either(spc_checkpoint *in, const char *path, bool *found,
                                 sparcl_error *error) {
    sparcl_error first = {0}, second = {0};
    bool exists, previous_exists;
    *found = true;
    if (open_one(in, path, "", &exists, &first) == SPARCL_OK) return SPARCL_OK;
    spc_checkpoint_close(in);
    if (open_one(in, path, SPC_PREVIOUS, &previous_exists, &second) == SPARCL_OK) {
        in->is_previous = true;
        in->damage = first;
        return SPARCL_OK;
    }
    spc_checkpoint_close(in);
    *found = exists || previous_exists;
    if (!*found) return SPARCL_OK;
    const sparcl_error *const why = exists ? &first : &second;
    return spc_fail(error, why->status, "%s", why->message);
}

sparcl_status spc_checkpoint_open(spc_checkpoint *in, const char *path, bool *found,
                                  sparcl_error *error) {
    char *target = NULL;
    *in = (spc_checkpoint){0};
    *found = false;
    const int failure = spc_link_target(path, &target);
    if (failure)
        return spc_fail(error, SPARCL_E_IO, "%s: cannot be opened: %s", path,
                        spc_failure_text(failure));
    const sparcl_status status = open_either(in, target, found, error);
    free(target);
    return status;
}

/* --- items ------------------------------------------------------------------------------------ */

static sparcl_status fail_item(const spc_checkpoint *in, const spc_item *item,
                               sparcl_error *error) {
    return spc_fail(error, SPARCL_E_FORMAT,
                    "%s: tensor %s: expected %lld elements of %s within the bounds of this run; "
                    "the checkpoint is of another run",
                    in->path, item->name, (long long)item->count, item->dtype);
}

static bool is_within(const spc_item *item, const void *bytes, int64_t count) {
    const bool wide = strcmp(item->dtype, "I64") == 0;
    if (item->dtype[0] != 'I') return true;
    for (int64_t i = 0; i < count; ++i) {
        const int64_t x = wide ? ((const int64_t *)bytes)[i] : ((const int32_t *)bytes)[i];
        if (x < item->least || x > item->most) return false;
    }
    return true;
}

static sparcl_status read_part(sparcl_ctx *ctx, const spc_checkpoint *in, const spc_item *item,
                               int64_t element, int64_t done, int64_t bytes, char *to,
                               sparcl_error *error) {
    if (fread(to, 1, (size_t)bytes, in->file) != (size_t)bytes)
        return spc_fail(error, SPARCL_E_IO, "%s: cannot be read: %s", in->path, strerror(errno));
    if (!is_within(item, to, bytes / element)) return fail_item(in, item, error);
    return item->host
               ? SPARCL_OK
               : spc_core(ctx, sparcl_buf_write(ctx, item->buf, item->at + done, bytes, to), error);
}

sparcl_status spc_checkpoint_read(sparcl_ctx *ctx, const spc_checkpoint *in, const spc_item *item,
                                  sparcl_error *error) {
    const spc_tensor *const found = spc_tensors_find(&in->tensors, item->name);
    sparcl_status status = SPARCL_OK;
    if (!found || strcmp(found->dtype, item->dtype) != 0 || found->rank != 1 ||
        found->shape[0] != item->count || found->bytes != item->bytes)
        return fail_item(in, item, error);
    if (item->bytes == 0) return SPARCL_OK;
    if (fseeko(in->file, (off_t)(in->tensors.data_at + found->begin), SEEK_SET) != 0)
        return spc_fail(error, SPARCL_E_IO, "%s: cannot be read: %s", in->path, strerror(errno));
    char *const chunk = item->host ? item->host : malloc(SPC_CHUNK_BYTES);
    if (!chunk) return spc_fail_memory(error, "checkpoint", SPC_CHUNK_BYTES);
    const int64_t part = item->host ? item->bytes : SPC_CHUNK_BYTES;
    for (int64_t done = 0; done < item->bytes && status == SPARCL_OK; done += part)
        status = read_part(ctx, in, item, item->bytes / item->count, done,
                           spc_min_i64(part, item->bytes - done), chunk, error);
    if (!item->host) free(chunk);
    return status;
}
