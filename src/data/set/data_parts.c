/* data_parts.c: reads a data file part by part: a thread reads, and hands over each part. */
#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/set/read.h"
#include "data/set/summary.h"
#include "sparcl/data.h"

enum { PART_BYTES = 4 << 20 };

struct sparcl_data_parts {
    spc_sink sink; /* of the reading thread */
    char *path;
    sparcl_data_desc desc;
    pthread_t thread;
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t changed;
    sparcl_data *ready; /* a complete part that was not fetched yet; or NULL */
    bool ended;         /* no part comes after `ready` */
    bool stops;         /* the caller wants no more */
    sparcl_status status;
    sparcl_error error; /* of the end */
};

/* ---- the reading thread --------------------------------------------------------------------- */

/* Waits until the part before was fetched. It takes the part. */
static sparcl_status hand_over(sparcl_data_parts *p, sparcl_data *part, sparcl_error *error) {
    pthread_mutex_lock(&p->lock);
    while (p->ready && !p->stops)
        pthread_cond_wait(&p->changed, &p->lock);
    const bool stops = p->stops;
    if (!stops) p->ready = part;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    if (!stops) return SPARCL_OK;
    sparcl_data_free(part);
    return spc_fail(error, SPARCL_E_INTERRUPTED, "reading was ended");
}

/* What was read becomes a data set of its own, and `data` begins anew. */
static sparcl_status take(spc_sink *sink, sparcl_data *data, sparcl_error *error) {
    sparcl_data_parts *const p = (sparcl_data_parts *)sink; /* its first member */
    sparcl_data *const part = spc_alloc_zero(NULL, 1, sizeof *part);
    if (!part) return spc_fail_memory(error, "data", sizeof *part);
    *part = *data;
    part->sink = NULL;
    *data = (sparcl_data){.sink = data->sink, .by_line = data->by_line};
    memcpy(data->name, part->name, sizeof data->name);
    data->info.format = part->info.format;
    data->info.index_base_given = part->info.index_base_given;
    data->info.other_columns = part->info.other_columns;
    spc_data_scale(part, p->desc.scale);
    spc_data_summarize(part);
    return hand_over(p, part, error);
}

static void *read_parts(void *user) {
    sparcl_data_parts *const p = user;
    sparcl_data *rest = NULL;
    sparcl_error error = {.status = SPARCL_OK};
    sparcl_status status = spc_data_read_to(&rest, p->path, &p->desc, NULL, &p->sink, &error);
    if (status == SPARCL_OK && !p->sink.is_used)
        status = hand_over(p, rest, &error);
    else
        sparcl_data_free(rest);
    pthread_mutex_lock(&p->lock);
    p->ended = true;
    p->status = status;
    p->error = error;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* Signals stay with the caller's thread. */
static sparcl_status start(sparcl_data_parts *p, sparcl_error *error) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int failure = pthread_create(&p->thread, NULL, read_parts, p);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failure == 0) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_MEMORY, "data: a thread that reads cannot be started: %s",
                    strerror(failure));
}

/* ---- the caller ----------------------------------------------------------------------------- */

static sparcl_status check_arguments(const char *path, const sparcl_data_desc **desc, int64_t bytes,
                                     sparcl_error *error) {
    SPC_TRY(spc_data_check_desc(path, desc, error));
    if (bytes < 0)
        return spc_fail(error, SPARCL_E_ARG, "parts: bytes is %lld, expected at least 0",
                        (long long)bytes);
    if ((*desc)->weights || (*desc)->spill || (*desc)->allocator.fn || (*desc)->stream)
        return spc_fail(error, SPARCL_E_ARG,
                        "parts: expected a description without weights, spill, stream and "
                        "allocator");
    return SPARCL_OK;
}

static void free_parts(sparcl_data_parts *p) {
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    sparcl_data_free(p->ready);
    spc_strfree(NULL, p->path);
    spc_free(NULL, p, sizeof *p);
}

sparcl_status sparcl_data_parts_open(sparcl_data_parts **parts, const char *path,
                                     const sparcl_data_desc *desc, int64_t bytes,
                                     sparcl_error *error) {
    if (!parts) return spc_fail(error, SPARCL_E_ARG, "parts: the pointer for the result is NULL");
    *parts = NULL;
    SPC_TRY(check_arguments(path, &desc, bytes, error));
    sparcl_data_parts *const p = spc_alloc_zero(NULL, 1, sizeof *p);
    if (!p) return spc_fail_memory(error, "parts of data", sizeof *p);
    p->sink = (spc_sink){.bytes = bytes > 0 ? (size_t)bytes : PART_BYTES, .take = take};
    p->desc = *desc;
    p->path = spc_strdup(NULL, path);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    const sparcl_status status =
        p->path ? start(p, error) : spc_fail_memory(error, "the name of a file", strlen(path));
    if (status == SPARCL_OK)
        *parts = p;
    else
        free_parts(p);
    return status;
}

sparcl_status sparcl_data_parts_next(sparcl_data_parts *p, sparcl_data **part,
                                     sparcl_error *error) {
    if (part) *part = NULL;
    if (!p || !part) return spc_fail(error, SPARCL_E_ARG, "parts: parts or part is NULL");
    pthread_mutex_lock(&p->lock);
    while (!p->ready && !p->ended)
        pthread_cond_wait(&p->changed, &p->lock);
    *part = p->ready;
    p->ready = NULL;
    const sparcl_status status = *part ? SPARCL_OK : p->status;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    if (status != SPARCL_OK && error) *error = p->error;
    return status;
}

void sparcl_data_parts_close(sparcl_data_parts *p) {
    if (!p) return;
    pthread_mutex_lock(&p->lock);
    p->stops = true;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->thread, NULL);
    free_parts(p);
}
