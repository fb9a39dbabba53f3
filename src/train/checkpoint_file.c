/* checkpoint_file.c: writes files of checkpoints so that no moment is without a complete one. */
#include "train/checkpoint_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
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
    const char *path;
    char *temporary, *previous;
    int file; /* -1: not open */
    spc_sum sum;
    char *chunk; /* [SPC_CHUNK_BYTES] */
} output;

static sparcl_status fail_errno(const char *path, const char *what, int code, sparcl_error *error) {
    return spc_fail(error, SPARCL_E_IO, "%s: %s: %s", path, what, strerror(code));
}

static sparcl_status put(output *out, const void *bytes, size_t size, sparcl_error *error) {
    const char *at = bytes;
    spc_sum_add(&out->sum, bytes, size);
    while (size > 0) {
        const ssize_t done = write(out->file, at, size);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0)
            return fail_errno(out->path, "the checkpoint cannot be written", done < 0 ? errno : EIO,
                              error);
        at += done;
        size -= (size_t)done;
    }
    return SPARCL_OK;
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
    SPC_TRY(put(out, &sum, sizeof sum, error));
    if (fsync(out->file) == 0) return SPARCL_OK;
    return fail_errno(out->path, "the checkpoint cannot be written", errno, error);
}

/* A file that another run has meanwhile renamed is not the temporary one any more. */
static bool is_still(int file, const char *path) {
    struct stat mine, there;
    return fstat(file, &mine) == 0 && stat(path, &there) == 0 && mine.st_ino == there.st_ino &&
           mine.st_dev == there.st_dev;
}

/* A run that was killed has left its temporary file, which is written anew; one that goes on has
 * locked it, where the file system has locks. */
static sparcl_status open_temporary(output *out, sparcl_error *error) {
    struct stat about;
    if (stat(out->path, &about) == 0 && !S_ISREG(about.st_mode))
        return spc_fail(error, SPARCL_E_IO, "%s: the checkpoint is not a regular file", out->path);
    out->file = open(out->temporary, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (out->file < 0)
        return fail_errno(out->path, "the checkpoint cannot be written", errno, error);
    const bool mine = (flock(out->file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) &&
                      is_still(out->file, out->temporary);
    if (mine && ftruncate(out->file, 0) == 0) return SPARCL_OK;
    const sparcl_status status =
        mine ? fail_errno(out->path, "the checkpoint cannot be written", errno, error)
             : spc_fail(error, SPARCL_E_IO,
                        "%s: the checkpoint cannot be written: another run is writing it",
                        out->path);
    (void)close(out->file);
    out->file = -1;
    return status;
}

/* A folder that cannot be synced is no error. */
static void sync_folder(char *path) {
    char *const slash = strrchr(path, '/');
    if (slash) slash[slash == path ? 1 : 0] = '\0';
    const int folder = open(slash ? path : ".", O_RDONLY | O_CLOEXEC);
    if (folder < 0) return;
    (void)fsync(folder);
    (void)close(folder);
}

/* In this order: a power cut between the two leaves the previous one. */
static sparcl_status rename_both(output *out, sparcl_error *error) {
    if (rename(out->path, out->previous) != 0 && errno != ENOENT)
        return fail_errno(out->path, "cannot become the previous checkpoint", errno, error);
    if (rename(out->temporary, out->path) != 0)
        return fail_errno(out->path, "the checkpoint cannot be written", errno, error);
    sync_folder(out->temporary);
    return SPARCL_OK;
}

static sparcl_status open_output(output *out, const char *path, sparcl_error *error) {
    const size_t length = strlen(path) + 16;
    *out = (output){.path = path, .file = -1};
    out->temporary = malloc(length);
    out->previous = malloc(length);
    out->chunk = malloc(SPC_CHUNK_BYTES);
    if (!out->temporary || !out->previous || !out->chunk)
        return spc_fail_memory(error, "checkpoint", 2 * length + SPC_CHUNK_BYTES);
    snprintf(out->temporary, length, "%s.tmp", path);
    snprintf(out->previous, length, "%s" SPC_PREVIOUS, path);
    spc_sum_start(&out->sum);
    return open_temporary(out, error);
}

sparcl_status spc_checkpoint_write(sparcl_ctx *ctx, const char *path, const spc_note *notes,
                                   int note_count, const spc_items *items, sparcl_error *error) {
    output out;
    sparcl_status status = open_output(&out, path, error);
    if (status == SPARCL_OK) {
        status = put_all(&out, ctx, notes, note_count, items, error);
        if (status == SPARCL_OK) status = rename_both(&out, error);
        if (status != SPARCL_OK) (void)unlink(out.temporary);
        (void)close(out.file); /* with the lock */
    }
    free(out.temporary);
    free(out.previous);
    free(out.chunk);
    return status;
}
