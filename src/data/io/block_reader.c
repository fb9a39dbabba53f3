/*
 * block_reader.c: reads text with one row per line into a data set, with several threads.
 *
 * A worker loads the next block of complete lines from the input, parses it without the lock, waits
 * until all earlier blocks are added, and adds its rows to the data set. Blocks are loaded and
 * added in file order, so neither the data nor the first error depends on the number of workers.
 */
#include "data/io/block_reader.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "base/size.h"
#include "data/io/block_rows.h"
#include "data/set/validation.h"

enum { WORKERS_MAX = 16 };

typedef struct reader {
    pthread_mutex_t lock; /* guards all fields below, the input and the allocator */
    pthread_cond_t block_added;
    spc_block_source source;
    spc_block_rows rows;
    int64_t loaded, next; /* number of blocks loaded from the source, added to the rows */
    int helper_count;
    sparcl_status status;
} reader;

typedef struct worker {
    reader *reader;
    int64_t number; /* of its block */
    spc_block_load load;
    pthread_t thread;
    bool started;
} worker;

static void start_helpers(worker *first);

/* The loop of every worker, called with the lock held. */
static void work(worker *w) {
    reader *r = w->reader;
    while (r->status == SPARCL_OK && spc_block_next(&r->source, &w->load)) {
        w->number = r->loaded++;
        if (r->helper_count > 0 && !r->source.at_end) start_helpers(w);
        pthread_mutex_unlock(&r->lock);
        if (w->load.status == SPARCL_OK) r->rows.rules->format->read(&w->load.block, r->rows.rules);
        pthread_mutex_lock(&r->lock);
        while (r->status == SPARCL_OK && r->next != w->number)
            pthread_cond_wait(&r->block_added, &r->lock);
        if (r->status == SPARCL_OK) {
            r->status = spc_block_rows_add(&r->rows, &w->load);
            r->next++;
        }
        pthread_cond_broadcast(&r->block_added);
    }
}

static void *help(void *user) {
    worker *w = user;
    pthread_mutex_lock(&w->reader->lock);
    work(w);
    pthread_mutex_unlock(&w->reader->lock);
    return NULL;
}

/* Called by the first worker, when there is more than one block. Signals stay with the caller's
 * thread. */
static void start_helpers(worker *first) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (int i = 1; i <= first->reader->helper_count; i++)
        first[i].started = pthread_create(&first[i].thread, NULL, help, &first[i]) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    first->reader->helper_count = 0;
}

static int count_workers(const spc_input *input, int requested) {
    int64_t count = requested > 0 ? requested : sysconf(_SC_NPROCESSORS_ONLN);
    if (input->raw.size >= 0)
        count = spc_min_i64(count, spc_ceil_div(input->raw.size, SPC_BLOCK_BYTES));
    return (int)spc_max_i64(1, spc_min_i64(count, WORKERS_MAX));
}

static sparcl_status read_blocks(reader *r, int requested) {
    worker workers[WORKERS_MAX] = {{0}};
    for (int i = 0; i < WORKERS_MAX; i++)
        workers[i].reader = r;
    r->helper_count = count_workers(r->source.input, requested) - 1;
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->block_added, NULL);
    pthread_mutex_lock(&r->lock);
    work(&workers[0]);
    pthread_mutex_unlock(&r->lock);
    for (int i = 0; i < WORKERS_MAX; i++)
        if (workers[i].started) pthread_join(workers[i].thread, NULL);
    /* All helpers have ended: the allocator is called by one thread at a time. */
    for (int i = 0; i < WORKERS_MAX; i++)
        spc_block_load_free(&workers[i].load, &r->rows.data->allocator);
    spc_array_free(&r->source.carry, &r->rows.data->allocator);
    pthread_cond_destroy(&r->block_added);
    pthread_mutex_destroy(&r->lock);
    return r->status;
}

sparcl_status spc_blocks_read(sparcl_data *data, spc_input *input, const spc_block_rules *rules,
                              const sparcl_data_desc *desc, sparcl_error *error) {
    reader r = {
        .source = {.input = input, .rules = rules},
        .rows = {
            .data = data, .name = input->raw.name, .rules = rules, .desc = desc, .error = error}};
    SPC_TRY(spc_block_rows_begin(&r.rows));
    if (rules->begun) {
        r.source.carry = *rules->begun;
        *rules->begun = (spc_array){0};
    }
    const sparcl_status status = read_blocks(&r, desc->threads);
    if (status != SPARCL_OK && data->notes) data->notes->rows = data->info.rows;
    SPC_TRY(status);
    return spc_block_rows_end(&r.rows);
}
