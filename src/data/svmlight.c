/*
 * svmlight.c: a LIBSVM text as a data set, read by several threads.
 *
 * A worker takes the next block of whole lines from the input, reads it alone, waits for its turn
 * and adds the rows to the data set. Blocks are taken and added in file order, so neither the data
 * nor the first error depends on how many workers there are.
 */
#include "data/svmlight.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/size.h"
#include "base/text.h"
#include "data/number.h"
#include "data/svmblock.h"

enum { BLOCK_BYTES = 256 * 1024, WORKERS_MAX = 16 };

/* A longer line is no row of data but a file of another kind. */
static const size_t line_max = (size_t)1 << 30;

typedef struct reader {
    sparcl_data *data;
    spc_input *input;
    spc_svm_rules rules;
    sparcl_error *error;
    pthread_mutex_t lock; /* holds for all below, the allocator included */
    pthread_cond_t turned;
    spc_array carry; /* the beginning of the line that the last block cut */
    bool at_end;
    int64_t taken, turn; /* blocks taken from the input, added to the data */
    int64_t lines;       /* in the blocks added */
    int64_t least, most; /* indices as written */
    spc_spot at_width, past_width;
    int helpers_wanted;
    sparcl_status status;
} reader;

typedef struct worker {
    reader *reader;
    int64_t number; /* of its block */
    spc_svm_block block;
    spc_array text, indices, values, row_ends, row_lines, label_ends, labels, sorting;
    sparcl_status status; /* of taking the block */
    sparcl_error failure;
    pthread_t thread;
    bool started;
} worker;

static int64_t *longs(const spc_array *array) {
    return array->at;
}

static sparcl_status grow(worker *w, spc_array *array, size_t count, size_t size) {
    size_t bytes = 0;
    if (!spc_mul_size(count, size, &bytes))
        return spc_fail_memory(&w->failure, "a block of text", SIZE_MAX);
    return spc_array_reserve(array, bytes, &w->reader->data->allocator, &w->failure);
}

static void count_lines(spc_svm_block *block) {
    const char *at = block->text;
    const char *const end = at + block->length;
    block->lines = 0;
    block->longest = 0;
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop) stop = end; /* only where reading failed */
        if ((size_t)(stop - at) > block->longest) block->longest = (size_t)(stop - at);
        block->lines += stop < end;
        at = stop + 1;
    }
}

/* Room for whatever this text can hold, so that reading it allocates nothing. */
static sparcl_status make_room(worker *w) {
    spc_svm_block *block = &w->block;
    block->text = w->text.at;
    block->length = w->text.used;
    count_lines(block);
    const size_t rows = (size_t)block->lines, entries = spc_svm_most_entries(block->length);
    const bool many = w->reader->rules.multilabel;
    SPC_TRY(grow(w, &w->indices, entries, sizeof *block->indices));
    SPC_TRY(grow(w, &w->values, entries, sizeof *block->values));
    SPC_TRY(grow(w, &w->row_ends, rows, sizeof *block->row_ends));
    SPC_TRY(grow(w, &w->row_lines, rows, sizeof *block->row_lines));
    SPC_TRY(grow(w, &w->label_ends, many ? rows : 0, sizeof *block->label_ends));
    SPC_TRY(grow(w, &w->labels, many ? spc_svm_most_labels(block->length) : rows,
                 sizeof *block->labels));
    SPC_TRY(grow(w, &w->sorting, 2 * spc_svm_most_entries(block->longest), sizeof *block->sorting));
    block->indices = longs(&w->indices);
    block->values = w->values.at;
    block->row_ends = longs(&w->row_ends);
    block->row_lines = longs(&w->row_lines);
    block->label_ends = longs(&w->label_ends);
    block->labels = w->labels.at;
    block->sorting = w->sorting.at;
    return SPARCL_OK;
}

/* Bytes of `text` up to and with its last line feed; 0 without one. */
static size_t whole_lines(const char *text, size_t from, size_t to) {
    while (to > from && text[to - 1] != '\n')
        to--;
    return to > from ? to : 0;
}

/* Read on until the text has a whole line; what follows its last one is kept for the next block. */
static sparcl_status take_lines(worker *w) {
    reader *r = w->reader;
    const sparcl_allocator *allocator = &r->data->allocator;
    spc_array *text = &w->text;
    while (!r->at_end) {
        const size_t before = text->used;
        const size_t wanted = before < BLOCK_BYTES / 2 ? BLOCK_BYTES - before : before;
        SPC_TRY(spc_array_reserve(text, wanted + 1 + SPC_NUMBER_PAD, allocator, &w->failure));
        size_t got = 0;
        const sparcl_status status =
            spc_input_read(r->input, (char *)text->at + before, wanted, &got, &w->failure);
        text->used += got;
        if (status != SPARCL_OK) return status;
        r->at_end = got < wanted;
        if (r->at_end) break;
        const size_t whole = whole_lines(text->at, before, text->used);
        if (whole > 0) {
            SPC_TRY(spc_array_add(&r->carry, (char *)text->at + whole, text->used - whole,
                                  allocator, &w->failure));
            text->used = whole;
            return SPARCL_OK;
        }
        /* No text: do not look for the end of such a line, the reader will stop at the NUL. */
        if (memchr((char *)text->at + before, '\0', got)) break;
        if (text->used > line_max)
            return spc_fail(&w->failure, SPARCL_E_FORMAT,
                            "expected a line end within %zu bytes, found none; "
                            "give the file as LIBSVM text, one row a line",
                            line_max);
    }
    if (text->used > 0 && ((char *)text->at)[text->used - 1] != '\n')
        ((char *)text->at)[text->used++] = '\n';
    return SPARCL_OK;
}

/* The next block; false when nothing is left. A failure is kept and told in its turn. */
static bool take_block(worker *w) {
    reader *r = w->reader;
    if (r->at_end) return false;
    w->text.used = 0;
    const spc_array carry = r->carry; /* the two arrays change places: nothing is copied */
    r->carry = w->text;
    w->text = carry;
    w->number = r->taken++;
    const sparcl_allocator *allocator = &r->data->allocator;
    w->status = spc_array_reserve(&w->text, 1 + SPC_NUMBER_PAD, allocator, &w->failure);
    if (w->status == SPARCL_OK) w->status = take_lines(w);
    if (w->status == SPARCL_OK) {
        memset((char *)w->text.at + w->text.used, 0, SPC_NUMBER_PAD);
        w->status = make_room(w);
    }
    if (w->status != SPARCL_OK) r->at_end = true;
    return w->status != SPARCL_OK || w->text.used > 0;
}

static sparcl_status fail_at(const reader *r, int64_t line, int64_t column, const char *why) {
    return spc_fail(r->error, SPARCL_E_FORMAT, "%s:%" PRId64 ":%" PRId64 ": %s", r->input->name,
                    line, column, why);
}

/* The decoder stopped: the place is where its text ends. */
static sparcl_status fail_taking(const reader *r, worker *w) {
    if (w->status != SPARCL_E_FORMAT) {
        if (r->error) *r->error = w->failure;
        return w->status;
    }
    const size_t whole = whole_lines(w->text.at, 0, w->text.used);
    w->block.text = w->text.at;
    w->block.length = w->text.used;
    count_lines(&w->block);
    return fail_at(r, r->lines + w->block.lines + 1, (int64_t)(w->text.used - whole) + 1,
                   w->failure.message);
}

/* Copies of `count` numbers, each moved up by what came before. */
static sparcl_status add_ends(reader *r, spc_array *to, const int64_t *ends, int64_t count,
                              int64_t before) {
    const size_t bytes = (size_t)count * sizeof *ends;
    SPC_TRY(spc_array_reserve(to, bytes, &r->data->allocator, r->error));
    int64_t *into = longs(to) + to->used / sizeof *into;
    for (int64_t i = 0; i < count; i++)
        into[i] = before + ends[i];
    to->used += bytes;
    return SPARCL_OK;
}

static sparcl_status add_indices(reader *r, const spc_svm_block *block) {
    sparcl_data *data = r->data;
    if (block->most > INT32_MAX) SPC_TRY(spc_data_widen(data, r->error));
    const size_t count = (size_t)block->entries;
    if (data->index_type == SPARCL_I64)
        return spc_array_add(&data->indices, block->indices, count * sizeof *block->indices,
                             &data->allocator, r->error);
    const size_t bytes = count * sizeof(int32_t);
    SPC_TRY(spc_array_reserve(&data->indices, bytes, &data->allocator, r->error));
    int32_t *into = (int32_t *)data->indices.at + data->indices.used / sizeof *into;
    for (size_t i = 0; i < count; i++)
        into[i] = (int32_t)block->indices[i];
    data->indices.used += bytes;
    return SPARCL_OK;
}

/* A mark wherever rows and lines go apart: after comments and blank lines. */
static sparcl_status add_marks(reader *r, const spc_svm_block *block) {
    spc_array *marks = &r->data->marks;
    const spc_line_mark *all = marks->at;
    int64_t ahead = marks->used > 0 ? all[marks->used / sizeof *all - 1].ahead : 0;
    for (int64_t i = 0; i < block->rows; i++) {
        const int64_t row = r->data->info.rows + i;
        const int64_t now = r->lines + block->row_lines[i] - row;
        if (now == ahead) continue;
        const spc_line_mark mark = {.row = row, .ahead = now};
        SPC_TRY(spc_array_add(marks, &mark, sizeof mark, &r->data->allocator, r->error));
        ahead = now;
    }
    return SPARCL_OK;
}

static void note_spot(spc_spot *first, const spc_spot *found, int64_t lines) {
    if (first->column > 0 || found->column == 0) return;
    *first = *found;
    first->line += lines;
}

static void add_counts(reader *r, const spc_svm_block *block) {
    sparcl_data_info *info = &r->data->info;
    note_spot(&r->at_width, &block->at_width, r->lines);
    note_spot(&r->past_width, &block->past_width, r->lines);
    info->rows += block->rows;
    info->nnz += block->stored;
    info->entries += block->entries;
    info->duplicates += block->duplicates;
    info->unsorted_rows += block->unsorted_rows;
    info->label_count += block->label_count;
    r->least = spc_min_i64(r->least, block->least);
    r->most = spc_max_i64(r->most, block->most);
    r->lines += block->lines;
}

static sparcl_status add_block(reader *r, worker *w) {
    const spc_svm_block *block = &w->block;
    sparcl_data *data = r->data;
    if (w->status != SPARCL_OK) return fail_taking(r, w);
    if (block->problem.column > 0)
        return fail_at(r, r->lines + block->problem.line + 1, block->problem.column, block->why);
    SPC_TRY(add_indices(r, block));
    SPC_TRY(spc_array_add(&data->values, block->values,
                          (size_t)block->entries * sizeof *block->values, &data->allocator,
                          r->error));
    SPC_TRY(spc_array_add(&data->labels, block->labels,
                          (size_t)block->label_count * sizeof *block->labels, &data->allocator,
                          r->error));
    SPC_TRY(add_ends(r, &data->offsets, block->row_ends, block->rows, data->info.entries));
    if (r->rules.multilabel)
        SPC_TRY(add_ends(r, &data->label_offsets, block->label_ends, block->rows,
                         data->info.label_count));
    SPC_TRY(add_marks(r, block));
    add_counts(r, block);
    return SPARCL_OK;
}

static void start_helpers(worker *first);

/* What every worker does, called with the lock held. */
static void work(worker *w) {
    reader *r = w->reader;
    while (r->status == SPARCL_OK && take_block(w)) {
        if (r->helpers_wanted > 0 && !r->at_end) start_helpers(w);
        pthread_mutex_unlock(&r->lock);
        if (w->status == SPARCL_OK) spc_svm_block_read(&w->block, &r->rules);
        pthread_mutex_lock(&r->lock);
        while (r->status == SPARCL_OK && r->turn != w->number)
            pthread_cond_wait(&r->turned, &r->lock);
        if (r->status == SPARCL_OK) {
            r->status = add_block(r, w);
            r->turn++;
        }
        pthread_cond_broadcast(&r->turned);
    }
}

static void *help(void *user) {
    worker *w = user;
    pthread_mutex_lock(&w->reader->lock);
    work(w);
    pthread_mutex_unlock(&w->reader->lock);
    return NULL;
}

/* By the first worker, when there is more than its one block. The caller's signals stay his. */
static void start_helpers(worker *first) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (int i = 1; i <= first->reader->helpers_wanted; i++)
        first[i].started = pthread_create(&first[i].thread, NULL, help, &first[i]) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    first->reader->helpers_wanted = 0;
}

static int count_workers(const spc_input *input, int wanted) {
    int64_t count = wanted > 0 ? wanted : sysconf(_SC_NPROCESSORS_ONLN);
    if (input->size >= 0) count = spc_min_i64(count, spc_ceil_div(input->size, BLOCK_BYTES));
    return (int)spc_max_i64(1, spc_min_i64(count, WORKERS_MAX));
}

static void free_worker(worker *w, const sparcl_allocator *allocator) {
    spc_array *const arrays[] = {&w->text,      &w->indices,    &w->values, &w->row_ends,
                                 &w->row_lines, &w->label_ends, &w->labels, &w->sorting};
    for (size_t i = 0; i < SPC_COUNT(arrays); i++)
        spc_array_free(arrays[i], allocator);
}

static sparcl_status read_blocks(reader *r, int wanted) {
    worker workers[WORKERS_MAX] = {{0}};
    for (int i = 0; i < WORKERS_MAX; i++)
        workers[i].reader = r;
    r->helpers_wanted = count_workers(r->input, wanted) - 1;
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->turned, NULL);
    pthread_mutex_lock(&r->lock);
    work(&workers[0]);
    pthread_mutex_unlock(&r->lock);
    for (int i = 0; i < WORKERS_MAX; i++) {
        if (workers[i].started) pthread_join(workers[i].thread, NULL);
        free_worker(&workers[i], &r->data->allocator);
    }
    spc_array_free(&r->carry, &r->data->allocator);
    pthread_cond_destroy(&r->turned);
    pthread_mutex_destroy(&r->lock);
    return r->status;
}

static sparcl_status check_width(const reader *r, int base) {
    const spc_spot *spot = base == 0 ? &r->at_width : &r->past_width;
    if (spot->column == 0) return SPARCL_OK;
    const int64_t width = r->rules.width;
    char buffer[256];
    spc_text why = spc_text_in(buffer, sizeof buffer);
    spc_text_add(&why, "expected an index up to %" PRId64 ", found %" PRId64 "; ", width - 1 + base,
                 spot->index);
    if (width == INT64_MAX)
        spc_text_add(&why, "renumber the features");
    else
        spc_text_add(&why,
                     "%" PRId64 " columns were asked for: use --columns %" PRId64
                     " or more, or --widen to take what the file has",
                     width, spot->index + 1 - base);
    return fail_at(r, spot->line + 1, spot->column, buffer);
}

static void shift_indices(sparcl_data *data, int base) {
    const size_t count = (size_t)data->info.entries;
    int32_t *const narrow = data->indices.at;
    int64_t *const wide = data->indices.at;
    if (base == 0) return;
    if (data->index_type == SPARCL_I32)
        for (size_t i = 0; i < count; i++)
            narrow[i]--;
    else
        for (size_t i = 0; i < count; i++)
            wide[i]--;
}

/* The index base is known only now, and with it whether every index fits. */
static sparcl_status settle(reader *r, const sparcl_data_desc *desc) {
    sparcl_data_info *info = &r->data->info;
    if (info->rows == 0)
        return fail_at(r, spc_max_i64(r->lines, 1), 1,
                       r->lines == 0 ? "expected rows, found an empty file; name another file"
                                     : "expected rows, found only comments and blank lines; "
                                       "name another file");
    info->index_base =
        desc->index_base == SPARCL_BASE_AUTO ? r->least > 0 : r->rules.least_index > 0;
    SPC_TRY(check_width(r, info->index_base));
    const int64_t needed = r->most < 0 ? 0 : r->most - info->index_base + 1;
    info->columns = spc_max_i64(desc->columns, needed);
    info->min_index = r->most < 0 ? -1 : r->least;
    info->max_index = r->most;
    info->has_labels = info->label_count > 0;
    shift_indices(r->data, info->index_base);
    return info->columns > INT32_MAX ? spc_data_widen(r->data, r->error) : SPARCL_OK;
}

sparcl_status spc_svmlight_read(sparcl_data *data, spc_input *input, const sparcl_data_desc *desc,
                                sparcl_error *error) {
    reader r = {.data = data, .input = input, .error = error, .least = INT64_MAX, .most = -1};
    r.rules = (spc_svm_rules){
        .least_index = desc->index_base == SPARCL_BASE_1,
        .width = desc->columns > 0 && !desc->widen ? desc->columns : INT64_MAX,
        .strict = desc->strict != 0,
        .multilabel = desc->multilabel != 0,
    };
    data->info.format = "svmlight";
    const int64_t zero = 0;
    SPC_TRY(spc_array_add(&data->offsets, &zero, sizeof zero, &data->allocator, error));
    if (r.rules.multilabel)
        SPC_TRY(spc_array_add(&data->label_offsets, &zero, sizeof zero, &data->allocator, error));
    SPC_TRY(read_blocks(&r, desc->threads));
    return settle(&r, desc);
}
