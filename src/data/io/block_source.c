/* block_source.c: splits text into blocks of complete lines, and allocates the arrays of each
 * block.
 */
#include "data/io/block_source.h"

#include <string.h>

#include "base/error.h"
#include "base/size.h"
#include "data/formats/csv/csv_text.h"
#include "data/io/number.h"
#include "data/set/crosses.h"

/* A longer line is no row of data: the file has another format. */
static const size_t longest_line = (size_t)1 << 28;

typedef struct reserver {
    spc_block_load *load;
    const sparcl_allocator *allocator;
} reserver;

/* Resize the array `of` for `count` elements; on failure returns NULL and sets load->status. */
static void *make(const reserver *r, spc_array *of, size_t count, size_t size) {
    spc_block_load *load = r->load;
    size_t bytes = 0;
    if (load->status != SPARCL_OK) return NULL;
    load->status = spc_mul_size(count, size, &bytes)
                       ? spc_array_reserve(of, bytes, r->allocator, &load->failure)
                       : spc_fail_memory(&load->failure, "a block of text", SIZE_MAX);
    return of->at;
}

static void measure(spc_block_load *load) {
    spc_block *block = &load->block;
    block->text = load->text.at;
    block->length = load->text.used;
    block->lines = 0;
    block->resume = 0;
    block->resume_line = 0;
    block->longest = 0;
    if (block->length == 0) return;
    const char *at = block->text;
    const char *const end = at + block->length;
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        block->lines += stop != NULL;
        if (!stop) stop = end - 1; /* only where reading failed */
        if ((size_t)(stop - at) > block->longest) block->longest = (size_t)(stop - at);
        at = stop + 1;
    }
}

static spc_cross_room reserve_crosses(const reserver *r, const spc_block_rules *rules,
                                      size_t row_entries) {
    const spc_crossing *const how = rules->crossing;
    spc_block *const block = &r->load->block;
    if (!how) return (spc_cross_room){0, 0};
    block->factors = make(r, &r->load->factors, row_entries, sizeof *block->factors);
    block->last_factors =
        make(r, &r->load->last_factors, (size_t)how->sources, sizeof *block->last_factors);
    if (r->load->status != SPARCL_OK) return (spc_cross_room){0, 0};
    return rules->format->cross_room(block, rules);
}

/* Reserve capacity for everything that this text can contain, so that parsing allocates nothing. */
static void reserve(const reserver *r, const spc_block_source *source) {
    const spc_block_rules *const rules = source->rules;
    const spc_block_format *const format = rules->format;
    const bool multilabel = rules->multilabel;
    spc_block_load *load = r->load;
    spc_block *block = &load->block;
    const size_t rows = (size_t)block->lines;
    if (format->has_pairs) {
        block->pairs = make(r, &load->pairs, rows, sizeof *block->pairs);
        return;
    }
    const size_t longest = format->quotes_after ? block->length : block->longest;
    const size_t row =
        format->row_entries > 0 ? format->row_entries : spc_block_max_entries(format, longest);
    const spc_cross_room crosses = reserve_crosses(r, rules, row);
    const size_t entries =
        spc_room_add(spc_block_max_entries(format, block->length), crosses.block);
    const size_t labels = multilabel ? spc_block_max_labels(block->length) : rows;
    const size_t sorting = 2 * spc_room_add(row, crosses.row);
    block->indices = make(r, &load->indices, entries, sizeof *block->indices);
    block->values = make(r, &load->values, entries, sizeof *block->values);
    block->fields = make(r, &load->fields, format->has_fields ? entries : 0, sizeof *block->fields);
    block->weights =
        make(r, &load->weights, format->has_weights ? rows : 0, sizeof *block->weights);
    block->tags = make(r, &load->tags, rules->keeps_tags ? rows : 0, sizeof *block->tags);
    block->row_ends = make(r, &load->row_ends, rows, sizeof *block->row_ends);
    block->row_lines = make(r, &load->row_lines, rows, sizeof *block->row_lines);
    block->labels = make(r, &load->labels, labels, sizeof *block->labels);
    block->label_ends =
        make(r, &load->label_ends, multilabel ? rows : 0, sizeof *block->label_ends);
    block->sorting = make(r, &load->sorting, sorting, sizeof *block->sorting);
    block->column_missing =
        make(r, &load->column_missing, format->columns, sizeof *block->column_missing);
    if (format->columns > 0 && block->column_missing)
        memset(block->column_missing, 0, format->columns * sizeof *block->column_missing);
}

/* Bytes of `text` up to and including its last line feed after `from`; 0 without one. */
static size_t complete_lines(const char *text, size_t from, size_t to) {
    while (to > from && text[to - 1] != '\n')
        to--;
    return to > from ? to : 0;
}

/* The same for what the source reads; *open: a quote is not closed. */
static size_t complete_rows(const spc_block_source *source, const spc_array *text, size_t from,
                            bool *open) {
    const char delimiter = source->rules->format->quotes_after;
    if (delimiter) return spc_csv_complete(text->at, text->used, delimiter, open);
    return complete_lines(text->at, from, text->used);
}

static sparcl_status keep_rest(spc_block_source *source, spc_block_load *load, size_t complete) {
    spc_array *text = &load->text;
    SPC_TRY(spc_array_add(&source->carry, (char *)text->at + complete, text->used - complete,
                          &source->input->raw.allocator, &load->failure));
    text->used = complete;
    return SPARCL_OK;
}

/* Read until the text has a complete line; the rest after its last one is kept for the next
 * block. What is before damage is read first, which the next block finds again. */
static sparcl_status read_lines(spc_block_source *source, spc_block_load *load) {
    spc_array *text = &load->text;
    bool open = false;
    const size_t record_max = source->rules->format->record_max;
    const size_t line_max = record_max > 0 ? record_max : longest_line;
    while (text->used < line_max) {
        const size_t before = text->used;
        const size_t most = before < SPC_BLOCK_BYTES / 2 ? SPC_BLOCK_BYTES - before : before;
        const size_t request = spc_raw_request(&source->input->raw, most);
        SPC_TRY(spc_array_reserve(text, request + 1 + SPC_NUMBER_PAD, &source->input->raw.allocator,
                                  &load->failure));
        char *const fresh = (char *)text->at + before;
        size_t got = 0;
        const sparcl_status status =
            spc_input_read(source->input, fresh, request, &got, &load->failure);
        text->used += got;
        source->at_end = status == SPARCL_OK && got < request;
        if (source->at_end) return SPARCL_OK;
        const bool may_go_on = status == SPARCL_OK || status == SPARCL_E_FORMAT;
        const size_t complete = may_go_on ? complete_rows(source, text, before, &open) : 0;
        if (complete > 0) return keep_rest(source, load, complete);
        if (status != SPARCL_OK) return status;
        /* This is not text. Do not search for the end of the line; the parser will stop at the
         * NUL. */
        if (memchr(fresh, '\0', got)) return SPARCL_OK;
    }
    if (open) return SPARCL_OK; /* the parser says where the quote is */
    return spc_fail(&load->failure, SPARCL_E_FORMAT,
                    "expected a line end within %zu bytes, found none; "
                    "use a text file with one row per line",
                    line_max);
}

static void end_last_line(spc_array *text) {
    char *const bytes = text->at;
    if (text->used > 0 && bytes[text->used - 1] != '\n') bytes[text->used++] = '\n';
    memset(bytes + text->used, 0, SPC_NUMBER_PAD);
}

bool spc_block_next(spc_block_source *source, spc_block_load *load) {
    if (source->at_end) return false;
    const spc_array carry = source->carry; /* the two arrays are swapped: nothing is copied */
    source->carry = load->text;
    source->carry.used = 0;
    load->text = carry;
    load->status = read_lines(source, load);
    if (load->status == SPARCL_OK) end_last_line(&load->text);
    measure(load);
    const reserver r = {.load = load, .allocator = &source->input->raw.allocator};
    reserve(&r, source);
    if (load->status != SPARCL_OK) source->at_end = true;
    return load->status != SPARCL_OK || load->text.used > 0;
}

int64_t spc_block_end_column(const spc_block_load *load) {
    const size_t complete = complete_lines(load->text.at, 0, load->text.used);
    return (int64_t)(load->text.used - complete) + 1;
}

void spc_block_load_free(spc_block_load *load, const sparcl_allocator *allocator) {
    spc_array *const arrays[] = {&load->text,     &load->indices,   &load->values,
                                 &load->row_ends, &load->row_lines, &load->label_ends,
                                 &load->labels,   &load->sorting,   &load->fields,
                                 &load->weights,  &load->pairs,     &load->column_missing,
                                 &load->tags,     &load->factors,   &load->last_factors};
    for (size_t i = 0; i < SPC_COUNT(arrays); i++)
        spc_array_free(arrays[i], allocator);
}
