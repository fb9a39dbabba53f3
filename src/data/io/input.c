/* input.c: reads the bytes of a file or of standard input, decompressed. */
#include "data/io/input.h"

#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/io/decode.h"

sparcl_status spc_input_open(spc_input *input, const char *path, const sparcl_allocator *allocator,
                             sparcl_error *error) {
    *input = (spc_input){.decoder = NULL};
    SPC_TRY(spc_raw_open(&input->raw, path, allocator, error));
    const spc_coding coding = spc_coding_of(input->raw.bytes, input->raw.end);
    if (coding == SPC_CODING_NONE) return SPARCL_OK;
    input->raw.size = -1;
    return spc_decoder_open(&input->decoder, &input->raw, coding, error);
}

void spc_input_close(spc_input *input) {
    spc_decoder_close(input->decoder);
    spc_free(&input->raw.allocator, input->begun, SPC_BEGUN_BYTES);
    input->begun = NULL;
    spc_raw_close(&input->raw);
    input->decoder = NULL;
    input->window_size = 0;
}

int64_t spc_input_seek(spc_input *input, int64_t offset, int whence) {
    if (input->raw.size < 0) return -1;
    /* The caller has not received the bytes that were read ahead. */
    if (whence == SEEK_CUR)
        offset -= (int64_t)(input->raw.end - input->raw.at + input->window_size);
    const off_t at = lseek(input->raw.file, (off_t)offset, whence);
    if (at < 0) return -1;
    input->raw.at = input->raw.end = input->window_size = 0;
    input->raw.at_end = false;
    return at;
}

/* The next window; for a plain file, the raw bytes in memory. */
static sparcl_status next_window(spc_input *input, sparcl_error *error) {
    if (input->after_size > 0) {
        input->window = input->after;
        input->window_size = input->after_size;
        input->after_size = 0;
        return SPARCL_OK;
    }
    if (input->later.status != SPARCL_OK) {
        if (error) *error = input->later;
        return input->later.status;
    }
    if (input->decoder) {
        const sparcl_status status =
            spc_decoder_next(input->decoder, &input->window, &input->window_size, &input->later);
        if (status != SPARCL_OK && error) *error = input->later;
        return status;
    }
    if (input->raw.at == input->raw.end) {
        const int failure = spc_raw_refill(&input->raw);
        if (failure) return spc_raw_fail(&input->raw, "cannot be read", failure, error);
    }
    input->window = input->raw.bytes + input->raw.at;
    input->window_size = input->raw.end - input->raw.at;
    input->raw.at = input->raw.end;
    return SPARCL_OK;
}

/* A decoder gives as little at once as it likes: its first windows are put together. What goes
 * wrong after them is found again when it is read. */
static sparcl_status decode_beginning(spc_input *input, sparcl_error *error) {
    size_t used = 0;
    input->begun = spc_alloc(&input->raw.allocator, SPC_BEGUN_BYTES);
    if (!input->begun) return spc_fail_memory(error, input->raw.name, SPC_BEGUN_BYTES);
    while (input->window_size > 0 && input->window_size <= SPC_BEGUN_BYTES - used) {
        memcpy(input->begun + used, input->window, input->window_size);
        used += input->window_size;
        input->window_size = 0;
        if (used < SPC_BEGUN_BYTES && next_window(input, &input->later) != SPARCL_OK) break;
    }
    input->after = input->window;
    input->after_size = input->window_size;
    input->window = input->begun;
    input->window_size = used;
    return SPARCL_OK;
}

sparcl_status spc_input_peek(spc_input *input, const char **bytes, size_t *size,
                             sparcl_error *error) {
    if (input->window_size == 0) SPC_TRY(next_window(input, error));
    if (input->decoder && !input->begun && input->window_size < SPC_BEGUN_BYTES / 2)
        SPC_TRY(decode_beginning(input, error));
    *bytes = input->window;
    *size = input->window_size;
    return SPARCL_OK;
}

/* After the window, a plain file is read directly into the caller's buffer. */
static sparcl_status read_plain(spc_input *input, char *buffer, size_t size, size_t *got,
                                sparcl_error *error) {
    if (input->raw.at_end || input->raw.at < input->raw.end) return next_window(input, error);
    const int failure = spc_raw_fill(&input->raw, buffer, size, got);
    if (failure) return spc_raw_fail(&input->raw, "cannot be read", failure, error);
    input->raw.at_end = *got < size;
    return SPARCL_OK;
}

sparcl_status spc_input_read(spc_input *input, void *buffer, size_t size, size_t *got,
                             sparcl_error *error) {
    *got = 0;
    while (*got < size) {
        if (input->window_size == 0) {
            size_t direct = 0;
            const sparcl_status status = input->decoder ? next_window(input, error)
                                                        : read_plain(input, (char *)buffer + *got,
                                                                     size - *got, &direct, error);
            *got += direct;
            if (status != SPARCL_OK) return status;
            if (direct == 0 && input->window_size == 0) return SPARCL_OK;
        }
        const size_t part = input->window_size < size - *got ? input->window_size : size - *got;
        memcpy((char *)buffer + *got, input->window, part);
        input->window += part;
        input->window_size -= part;
        *got += part;
    }
    return SPARCL_OK;
}
