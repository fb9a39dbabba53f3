/* lines.c: reads text line by line, and refuses what stands at a place of the line. */
#include "data/io/lines.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "data/io/number.h"
#include "data/io/words.h"

enum { BLOCK_BYTES = 256 * 1024 };

spc_lines spc_lines_of(spc_input *input, sparcl_error *error) {
    return (spc_lines){.input = input, .error = error};
}

void spc_lines_free(spc_lines *lines) {
    spc_array_free(&lines->text, &lines->input->raw.allocator);
}

spc_array spc_lines_take_rest(spc_lines *lines, bool with_current) {
    char *const text = lines->text.at;
    const size_t from = with_current ? (size_t)(lines->line - text) : lines->next;
    spc_array rest = lines->text;
    rest.used -= from;
    if (rest.used > 0) memmove(text, text + from, rest.used);
    lines->text = (spc_array){0};
    lines->next = 0;
    lines->at_end = true;
    return rest;
}

/* Where the text that could be read ends. */
static sparcl_status fail_reading(const spc_lines *lines, sparcl_status status,
                                  const sparcl_error *why) {
    const char *const text = lines->text.at;
    int64_t line = lines->number + 1, column = 1;
    if (status != SPARCL_E_FORMAT) {
        if (lines->error) *lines->error = *why;
        return status;
    }
    for (size_t i = lines->next; i < lines->text.used; i++) {
        column++;
        if (text[i] != '\n') continue;
        line++;
        column = 1;
    }
    return spc_fail(lines->error, status, "%s:%" PRId64 ":%" PRId64 ": %s", lines->input->raw.name,
                    line, column, why->message);
}

/* Read more text after what is left; the last line gets a line feed. */
static sparcl_status fill(spc_lines *lines) {
    spc_array *const text = &lines->text;
    const sparcl_allocator *const allocator = &lines->input->raw.allocator;
    sparcl_error why = {.status = SPARCL_OK};
    text->used -= lines->next;
    if (text->used > 0) memmove(text->at, (char *)text->at + lines->next, text->used);
    lines->next = 0;
    const size_t more =
        spc_raw_request(&lines->input->raw, text->used < BLOCK_BYTES ? BLOCK_BYTES : text->used);
    size_t got = 0;
    SPC_TRY(spc_array_reserve(text, more + 1 + SPC_NUMBER_PAD, allocator, lines->error));
    char *const into = (char *)text->at + text->used;
    const sparcl_status status = spc_input_read(lines->input, into, more, &got, &why);
    text->used += got;
    if (status != SPARCL_OK) return fail_reading(lines, status, &why);
    lines->at_end = got < more;
    char *const bytes = text->at;
    if (lines->at_end && text->used > 0 && bytes[text->used - 1] != '\n')
        bytes[text->used++] = '\n';
    memset(bytes + text->used, 0, SPC_NUMBER_PAD);
    lines->end = bytes + text->used;
    return SPARCL_OK;
}

static const char *find_line_end(const spc_lines *lines, size_t from) {
    if (lines->text.used == from) return NULL;
    return memchr((const char *)lines->text.at + from, '\n', lines->text.used - from);
}

sparcl_status spc_lines_next(spc_lines *lines, bool *any) {
    const char *stop = find_line_end(lines, lines->next);
    *any = false;
    while (!stop && !lines->at_end) {
        const size_t length = lines->text.used - lines->next;
        if (length >= SPC_LINE_MAX)
            return spc_fail(lines->error, SPARCL_E_FORMAT,
                            "%s:%" PRId64 ":1: expected a line end within %d bytes, found none; "
                            "use a text file",
                            lines->input->raw.name, lines->number + 1, SPC_LINE_MAX);
        SPC_TRY(fill(lines));
        stop = find_line_end(lines, length);
    }
    if (!stop) return SPARCL_OK;
    lines->line = (const char *)lines->text.at + lines->next;
    lines->next = (size_t)(stop + 1 - (const char *)lines->text.at);
    lines->number++;
    *any = true;
    return SPARCL_OK;
}

sparcl_status spc_lines_next_row(spc_lines *lines, const char *comments, bool *any) {
    do {
        SPC_TRY(spc_lines_next(lines, any));
        if (!*any) return SPARCL_OK;
        const char *const at = spc_skip_blanks(lines->line);
        if (!spc_at_line_end(at) && (*at == '\0' || !strchr(comments, *at))) return SPARCL_OK;
    } while (true);
}

/* Reading goes on after the line, if that is requested. */
static sparcl_status stop_block(const spc_lines *lines, const char *at, const char *why) {
    spc_block *const block = lines->block;
    spc_text text = spc_text_in(block->why, sizeof block->why);
    spc_text_add(&text, "%s", why);
    block->problem_line = lines->number - 1;
    block->problem = (spc_position){.line = block->problem_line, .column = at - lines->line + 1};
    block->resume = lines->next;
    block->resume_line = lines->number;
    return SPARCL_E_FORMAT;
}

sparcl_status spc_lines_refuse_why(const spc_lines *lines, const char *at, const char *format,
                                   ...) {
    char why[512];
    SPC_FORMAT(why, format);
    const bool none = lines->number == 0 || !at; /* the end of the file */
    if (lines->block) return stop_block(lines, at, why);
    return spc_fail(lines->error, SPARCL_E_FORMAT, "%s:%" PRId64 ":%" PRId64 ": %s",
                    lines->input->raw.name, lines->number + (none ? 1 : 0),
                    none ? 1 : (int64_t)(at - lines->line) + 1, why);
}

sparcl_status spc_lines_refuse(const spc_lines *lines, const char *at, const char *expected,
                               const char *remedy) {
    char found[128];
    spc_text text = spc_text_in(found, sizeof found);
    if (at)
        spc_text_add_word(&text, at, lines->end);
    else
        spc_text_add(&text, "the end of the file");
    return spc_lines_refuse_why(lines, at, "expected %s, found %s; %s", expected, found, remedy);
}

bool spc_read_long_count(const char **at, int64_t *value) {
    uint64_t number = 0;
    const char *next = *at;
    for (; *next >= '0' && *next <= '9'; next++) {
        const uint64_t digit = (uint64_t)(*next - '0');
        if (number > ((uint64_t)INT64_MAX - digit) / 10) return false;
        number = number * 10 + digit;
    }
    *at = next;
    *value = (int64_t)number;
    return true;
}
