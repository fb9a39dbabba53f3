/* input.c: the bytes of a file or of standard input, seen through compression. */
#include "data/input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/text.h"
#include "data/decode.h"

static sparcl_status fail_errno(const spc_input *input, const char *what, int failure,
                                sparcl_error *error) {
    return spc_fail(error, SPARCL_E_IO, "%s: %s: %s", input->name, what, strerror(failure));
}

/* A long path keeps its end: the place and the reason must still fit in the message. */
static void name_input(spc_input *input, const char *path) {
    spc_text name = spc_text_in(input->name, sizeof input->name);
    const size_t length = strlen(path), maximum = sizeof input->name - 4;
    if (strcmp(path, "-") == 0) path = "standard input";
    spc_text_add(&name, "%s%s", length > maximum ? "..." : "",
                 length > maximum ? path + length - maximum : path);
}

int spc_input_refill(spc_input *input) {
    const size_t left = input->raw_end - input->raw_at;
    memmove(input->raw, input->raw + input->raw_at, left);
    input->raw_at = 0;
    input->raw_end = left;
    if (input->raw_done) return 0;
    size_t got = 0;
    const int failure =
        spc_file_fill(input->file, input->raw + left, SPC_RAW_CAPACITY - left, &got);
    input->raw_end += got;
    input->raw_done = failure != 0 || input->raw_end < SPC_RAW_CAPACITY;
    return failure;
}

int64_t spc_input_seek(spc_input *input, int64_t offset, int whence) {
    if (input->size < 0) return -1;
    /* The caller has not seen what was read ahead. */
    if (whence == SEEK_CUR)
        offset -= (int64_t)(input->raw_end - input->raw_at + input->window_size);
    const off_t at = lseek(input->file, (off_t)offset, whence);
    if (at < 0) return -1;
    input->raw_at = input->raw_end = input->window_size = 0;
    input->raw_done = false;
    return at;
}

static sparcl_status open_file(spc_input *input, const char *path, sparcl_error *error) {
    if (strcmp(path, "-") == 0) {
        input->file = STDIN_FILENO;
        return SPARCL_OK;
    }
    input->file = open(path, O_RDONLY | O_CLOEXEC);
    if (input->file < 0) return fail_errno(input, "cannot be opened", errno, error);
    input->owned = true;
    return SPARCL_OK;
}

/* Only what begins where the descriptor stands may be measured and sought. */
static void measure(spc_input *input) {
    struct stat about;
    if (fstat(input->file, &about) == 0 && S_ISREG(about.st_mode) &&
        lseek(input->file, 0, SEEK_CUR) == 0)
        input->size = about.st_size;
}

sparcl_status spc_input_open(spc_input *input, const char *path, const sparcl_allocator *allocator,
                             sparcl_error *error) {
    *input = (spc_input){.file = -1, .size = -1, .allocator = *allocator};
    name_input(input, path);
    SPC_TRY(open_file(input, path, error));
    measure(input);
    input->raw = spc_alloc(allocator, SPC_RAW_CAPACITY);
    if (!input->raw) return spc_fail_memory(error, input->name, SPC_RAW_CAPACITY);
    const int failure = spc_input_refill(input);
    if (failure) return fail_errno(input, "cannot be read", failure, error);
    const spc_coding coding = spc_coding_of(input->raw, input->raw_end);
    if (coding == SPC_CODING_NONE) return SPARCL_OK;
    input->size = -1;
    return spc_decoder_open(&input->decoder, input, coding, error);
}

void spc_input_close(spc_input *input) {
    spc_decoder_close(input->decoder);
    spc_free(&input->allocator, input->raw, SPC_RAW_CAPACITY);
    if (input->owned) (void)close(input->file);
    *input = (spc_input){.file = -1, .size = -1};
}

/* The next window of a plain file is what is there raw. */
static sparcl_status next_window(spc_input *input, sparcl_error *error) {
    if (input->decoder)
        return spc_decoder_next(input->decoder, &input->window, &input->window_size, error);
    if (input->raw_at == input->raw_end) {
        const int failure = spc_input_refill(input);
        if (failure) return fail_errno(input, "cannot be read", failure, error);
    }
    input->window = input->raw + input->raw_at;
    input->window_size = input->raw_end - input->raw_at;
    input->raw_at = input->raw_end;
    return SPARCL_OK;
}

sparcl_status spc_input_begins(spc_input *input, const char *bytes, size_t size, bool *begins,
                               sparcl_error *error) {
    *begins = false;
    if (input->window_size == 0) SPC_TRY(next_window(input, error));
    *begins = input->window_size >= size && memcmp(input->window, bytes, size) == 0;
    return SPARCL_OK;
}

/* Past the window a plain file is read straight into the caller's buffer. */
static sparcl_status read_plain(spc_input *input, char *buffer, size_t size, size_t *got,
                                sparcl_error *error) {
    if (input->raw_done || input->raw_at < input->raw_end) return next_window(input, error);
    const int failure = spc_file_fill(input->file, buffer, size, got);
    if (failure) return fail_errno(input, "cannot be read", failure, error);
    input->raw_done = *got < size;
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
