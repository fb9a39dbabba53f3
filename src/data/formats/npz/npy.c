/* npy.c: reads NumPy arrays; no field of the header is trusted before it is checked. */
#include "data/formats/npz/npy.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/text.h"

enum { MAGIC_BYTES = 8, HEADER_MAX = 65536, FIRST_BYTES = 65536, RANK_MAX = 32 };

typedef struct source {
    spc_npy_source read;
    void *user;
    sparcl_error *error;
} source;

/* The header text being parsed; `at` stops at the NUL after it. */
typedef struct scan {
    const char *at;
    bool has_descr, has_order, has_shape;
} scan;

static sparcl_status refuse(sparcl_error *error, const char *expected, const char *found,
                            size_t length, const char *remedy) {
    char buffer[64];
    spc_text shown = spc_text_in(buffer, sizeof buffer);
    spc_text_add_shown(&shown, found, length < 32 ? length : 32);
    return spc_fail(error, SPARCL_E_FORMAT, "expected %s, found \"%s\"; %s", expected, buffer,
                    remedy);
}

static const char again[] = "save the array again with numpy.save";

static sparcl_status refuse_header(const scan *s, const char *expected, sparcl_error *error) {
    return refuse(error, expected, s->at, strlen(s->at), again);
}

static sparcl_status read_exactly(const source *from, void *buffer, size_t size, const char *what) {
    size_t got = 0;
    SPC_TRY(from->read(from->user, buffer, size, &got, from->error));
    if (got == size) return SPARCL_OK;
    return spc_fail(
        from->error, SPARCL_E_FORMAT,
        "expected %zu bytes of %s, found %zu; the file is truncated: fetch or save it again", size,
        what, got);
}

static void skip_space(scan *s) {
    while (*s->at == ' ' || *s->at == '\n' || *s->at == '\t')
        s->at++;
}

static bool accept(scan *s, const char *word) {
    skip_space(s);
    const size_t length = strlen(word);
    if (strncmp(s->at, word, length) != 0) return false;
    s->at += length;
    return true;
}

/* Parse a quoted text without escapes; false when there is none, or when it exceeds the
 * capacity. */
static bool parse_quoted(scan *s, char *into, size_t capacity) {
    skip_space(s);
    const char quote = *s->at;
    if (quote != '\'' && quote != '"') return false;
    const char *const begin = s->at + 1, *const end = strchr(begin, quote);
    if (!end || (size_t)(end - begin) >= capacity) return false;
    memcpy(into, begin, (size_t)(end - begin));
    into[end - begin] = '\0';
    s->at = end + 1;
    return true;
}

static bool parse_length(scan *s, int64_t *value) {
    skip_space(s);
    const char *const begin = s->at;
    *value = 0;
    for (; *s->at >= '0' && *s->at <= '9'; s->at++)
        if (!spc_mul_i64(*value, 10, value) || !spc_add_i64(*value, *s->at - '0', value))
            return false;
    const bool any = s->at > begin;
    if (*s->at == 'L') s->at++; /* NumPy on Python 2 under Windows wrote (2L,) */
    return any;
}

static bool known_size(char kind, size_t size) {
    switch (kind) {
    case 'b':
        return size == 1;
    case 'i':
    case 'u':
        return size == 1 || size == 2 || size == 4 || size == 8;
    case 'f':
        return size == 2 || size == 4 || size == 8;
    default:
        return kind == 'S' || kind == 'U';
    }
}

static sparcl_status parse_type(scan *s, spc_npy *array, sparcl_error *error) {
    const char *const begin = s->at;
    char text[24];
    int64_t size = 0;
    skip_space(s);
    if (!parse_quoted(s, text, sizeof text)) {
        s->at = begin;
        return refuse_header(s, "one plain element type", error);
    }
    const char *const type = text + (text[0] != '\0' && strchr("<>|=", text[0]) != NULL);
    scan digits = {.at = type[0] ? type + 1 : type};
    if (type[0] == 'O')
        return spc_fail(error, SPARCL_E_FORMAT,
                        "expected numbers, found an array of Python objects; "
                        "convert it with .astype(float) and save it again");
    const bool known = parse_length(&digits, &size) && *digits.at == '\0' && size >= 0 &&
                       known_size(type[0], (size_t)size);
    if (!known || text[0] == '=')
        return refuse(error, "an element type of bool, int, uint or float", text, strlen(text),
                      "convert the array with .astype and save it again");
    array->kind = type[0];
    array->size = (size_t)size * (type[0] == 'U' ? 4 : 1);
    array->big_endian = text[0] == '>' && size > 1;
    s->has_descr = true;
    return SPARCL_OK;
}

static sparcl_status parse_shape(scan *s, spc_npy *array, sparcl_error *error) {
    if (!accept(s, "(")) return refuse_header(s, "a shape", error);
    array->rank = 0;
    array->shape[0] = array->shape[1] = array->shape[2] = array->count = 1;
    while (!accept(s, ")")) {
        int64_t length = 0;
        if (array->rank == RANK_MAX || !parse_length(s, &length) ||
            !spc_mul_i64(array->count, length, &array->count))
            return refuse_header(s, "a shape, such as (3,), that fits in memory", error);
        if (array->rank < 3) array->shape[array->rank] = length;
        array->rank++;
        if (!accept(s, ",")) {
            if (!accept(s, ")")) return refuse_header(s, "\")\" after the shape", error);
            break;
        }
    }
    s->has_shape = true;
    return SPARCL_OK;
}

static sparcl_status parse_item(scan *s, spc_npy *array, sparcl_error *error) {
    char key[24];
    if (!parse_quoted(s, key, sizeof key) || !accept(s, ":"))
        return refuse_header(s, "descr, fortran_order or shape", error);
    if (strcmp(key, "descr") == 0) return parse_type(s, array, error);
    if (strcmp(key, "shape") == 0) return parse_shape(s, array, error);
    if (strcmp(key, "fortran_order") != 0)
        return refuse(error, "descr, fortran_order or shape", key, strlen(key), again);
    array->fortran = accept(s, "True");
    s->has_order = array->fortran || accept(s, "False");
    return s->has_order ? SPARCL_OK : refuse_header(s, "True or False", error);
}

/* A Python dictionary such as {'descr': '<f8', 'fortran_order': False, 'shape': (4,), } */
static sparcl_status parse_header(const char *text, spc_npy *array, sparcl_error *error) {
    scan s = {.at = text};
    if (!accept(&s, "{")) return refuse_header(&s, "a header that begins with {", error);
    while (!accept(&s, "}")) {
        SPC_TRY(parse_item(&s, array, error));
        if (!accept(&s, ",")) {
            if (!accept(&s, "}")) return refuse_header(&s, "} at the end of the header", error);
            break;
        }
    }
    if (!s.has_descr || !s.has_order || !s.has_shape)
        return refuse(error, "descr, fortran_order and shape", text, strlen(text), again);
    return SPARCL_OK;
}

/* Read the length of the header; formats 1.0 to 3.0. */
static sparcl_status read_header_length(const source *from, size_t *length) {
    unsigned char start[MAGIC_BYTES], bytes[4] = {0};
    SPC_TRY(read_exactly(from, start, sizeof start, "header"));
    if (memcmp(start, "\x93NUMPY", 6) != 0 || start[6] < 1 || start[6] > 3)
        return refuse(from->error, "an array in NumPy's .npy format 1 to 3", (const char *)start,
                      sizeof start, again);
    SPC_TRY(read_exactly(from, bytes, start[6] == 1 ? 2 : 4, "header"));
    *length =
        (size_t)bytes[0] | (size_t)bytes[1] << 8 | (size_t)bytes[2] << 16 | (size_t)bytes[3] << 24;
    if (*length <= HEADER_MAX) return SPARCL_OK;
    return spc_fail(from->error, SPARCL_E_FORMAT,
                    "expected a header of at most %d bytes, found %zu; %s", HEADER_MAX, *length,
                    again);
}

static sparcl_status read_header(const source *from, spc_npy *array,
                                 const sparcl_allocator *allocator) {
    size_t length = 0;
    SPC_TRY(read_header_length(from, &length));
    char *text = spc_alloc(allocator, length + 1);
    if (!text) return spc_fail_memory(from->error, "a .npy header", length + 1);
    sparcl_status status = read_exactly(from, text, length, "header");
    if (status == SPARCL_OK) {
        text[length] = '\0';
        status = parse_header(text, array, from->error);
    }
    spc_free(allocator, text, length + 1);
    return status;
}

/* Each step allocates at most as much memory as the previous steps have filled. */
static sparcl_status read_elements(const source *from, spc_npy *array,
                                   const sparcl_allocator *allocator) {
    int64_t bytes = 0;
    if (!spc_mul_i64(array->count, (int64_t)array->size, &bytes))
        return spc_fail(from->error, SPARCL_E_FORMAT,
                        "expected a shape that fits in memory, found %" PRId64
                        " elements of %zu bytes; %s",
                        array->count, array->size, again);
    spc_array *into = &array->bytes;
    while (into->used < (size_t)bytes) {
        const size_t left = (size_t)bytes - into->used;
        const size_t step = into->used < FIRST_BYTES ? FIRST_BYTES : into->used;
        const size_t bytes_now = left < step ? left : step;
        size_t got = 0;
        SPC_TRY(spc_array_reserve(into, bytes_now, allocator, from->error));
        SPC_TRY(
            from->read(from->user, (char *)into->at + into->used, bytes_now, &got, from->error));
        into->used += got;
        if (got < bytes_now)
            return spc_fail(
                from->error, SPARCL_E_FORMAT,
                "expected %" PRId64
                " bytes of elements, found %zu; the file is truncated: fetch or save it again",
                bytes, into->used);
    }
    char beyond;
    size_t got = 0;
    SPC_TRY(from->read(from->user, &beyond, 1, &got, from->error));
    if (got == 0) return SPARCL_OK;
    return spc_fail(from->error, SPARCL_E_FORMAT,
                    "expected %" PRId64 " bytes of elements, found more; %s", bytes, again);
}

sparcl_status spc_npy_read_elements(spc_npy *array, spc_npy_source read, void *user,
                                    const spc_npy_accept *accept, const sparcl_allocator *allocator,
                                    sparcl_error *error) {
    const source from = {.read = read, .user = user, .error = error};
    bool skip = false;
    if (accept->check) SPC_TRY(accept->check(accept->user, array, &skip, error));
    return skip ? SPARCL_OK : read_elements(&from, array, allocator);
}

sparcl_status spc_npy_read(spc_npy *array, spc_npy_source read, void *user,
                           const spc_npy_accept *accept, const sparcl_allocator *allocator,
                           sparcl_error *error) {
    const source from = {.read = read, .user = user, .error = error};
    *array = (spc_npy){.kind = 0};
    SPC_TRY(read_header(&from, array, allocator));
    return spc_npy_read_elements(array, read, user, accept, allocator, error);
}
