/* idx.c: reads IDX arrays, the format of the MNIST images. */
#include "data/formats/idx.h"

#include "base/error.h"
#include "base/size.h"

enum { START_BYTES = 4, LENGTH_BYTES = 4, RANK_MAX = 8 };

static const struct {
    unsigned char code;
    char kind;
    size_t size;
} types[] = {{0x08, 'u', 1}, {0x09, 'i', 1}, {0x0b, 'i', 2},
             {0x0c, 'i', 4}, {0x0d, 'f', 4}, {0x0e, 'f', 8}};

static sparcl_status read_exactly(spc_npy_source read, void *user, void *bytes, size_t size,
                                  sparcl_error *error) {
    size_t got = 0;
    SPC_TRY(read(user, bytes, size, &got, error));
    if (got == size) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_FORMAT,
                    "expected %zu bytes of an IDX header, found %zu; the file is truncated: fetch "
                    "it again",
                    size, got);
}

static sparcl_status set_type(spc_npy *array, const unsigned char *start, sparcl_error *error) {
    for (size_t i = 0; i < SPC_COUNT(types); i++) {
        if (types[i].code != start[2]) continue;
        array->kind = types[i].kind;
        array->size = types[i].size;
        array->big_endian = types[i].size > 1;
    }
    array->rank = start[3];
    if (start[0] == 0 && start[1] == 0 && array->kind != 0 && array->rank >= 1 &&
        array->rank <= RANK_MAX)
        return SPARCL_OK;
    return spc_fail(error, SPARCL_E_FORMAT,
                    "expected an IDX array of numbers, found the bytes "
                    "\"\\x%02x\\x%02x\\x%02x\\x%02x\"; fetch the file again",
                    start[0], start[1], start[2], start[3]);
}

static sparcl_status read_shape(spc_npy *array, spc_npy_source read, void *user,
                                sparcl_error *error) {
    array->shape[0] = array->shape[1] = array->shape[2] = array->count = 1;
    for (int i = 0; i < array->rank; i++) {
        unsigned char bytes[LENGTH_BYTES];
        SPC_TRY(read_exactly(read, user, bytes, sizeof bytes, error));
        const int64_t length = (int64_t)bytes[0] << 24 | (int64_t)bytes[1] << 16 |
                               (int64_t)bytes[2] << 8 | (int64_t)bytes[3];
        if (!spc_mul_i64(array->count, length, &array->count))
            return spc_fail(error, SPARCL_E_FORMAT,
                            "expected a shape that fits in memory, found %lld in dimension %d; "
                            "fetch the file again",
                            (long long)length, i);
        if (i < 3) array->shape[i] = length;
    }
    return SPARCL_OK;
}

sparcl_status spc_idx_read(spc_npy *array, spc_npy_source read, void *user,
                           const spc_npy_accept *accept, const sparcl_allocator *allocator,
                           sparcl_error *error) {
    unsigned char start[START_BYTES];
    *array = (spc_npy){.kind = 0};
    SPC_TRY(read_exactly(read, user, start, sizeof start, error));
    SPC_TRY(set_type(array, start, error));
    SPC_TRY(read_shape(array, read, user, error));
    return spc_npy_read_elements(array, read, user, accept, allocator, error);
}
