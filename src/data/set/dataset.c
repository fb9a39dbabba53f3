/* dataset.c: growing arrays, and the conversion of indices that both readers need. */
#include "data/set/dataset.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum { FIRST_CAPACITY = 4096 };

sparcl_status spc_array_reserve(spc_array *array, size_t more, const sparcl_allocator *allocator,
                                sparcl_error *error) {
    if (more <= array->capacity - array->used) return SPARCL_OK;
    if (more > SIZE_MAX - array->used) return spc_fail_memory(error, "data", SIZE_MAX);
    size_t capacity = array->used + more;
    /* Grow by half: few reallocations, and little unused memory. */
    const size_t grown = array->capacity < SIZE_MAX / 2 ? array->capacity + array->capacity / 2 : 0;
    if (capacity < grown) capacity = grown;
    if (capacity < FIRST_CAPACITY) capacity = FIRST_CAPACITY;
    void *at = spc_realloc(allocator, array->at, array->capacity, capacity);
    if (!at) return spc_fail_memory(error, "data", capacity);
    array->at = at;
    array->capacity = capacity;
    return SPARCL_OK;
}

sparcl_status spc_array_add(spc_array *array, const void *bytes, size_t size,
                            const sparcl_allocator *allocator, sparcl_error *error) {
    if (size == 0) return SPARCL_OK;
    SPC_TRY(spc_array_reserve(array, size, allocator, error));
    memcpy((char *)array->at + array->used, bytes, size);
    array->used += size;
    return SPARCL_OK;
}

void spc_array_fit(spc_array *array, const sparcl_allocator *allocator) {
    if (array->used == array->capacity || array->used == 0) return;
    void *at = spc_realloc(allocator, array->at, array->capacity, array->used);
    if (!at) return;
    array->at = at;
    array->capacity = array->used;
}

void spc_array_free(spc_array *array, const sparcl_allocator *allocator) {
    spc_free(allocator, array->at, array->capacity);
    *array = (spc_array){0};
}

sparcl_status spc_data_widen(sparcl_data *data, sparcl_error *error) {
    if (data->index_type == SPARCL_INDEX64) return SPARCL_OK;
    spc_array *indices = &data->indices;
    const size_t count = indices->used / sizeof(int32_t);
    SPC_TRY(spc_array_reserve(indices, indices->used, &data->allocator, error));
    /* In place, from the end: the 64-bit element i overlaps the 32-bit elements 2i and 2i + 1. */
    for (size_t i = count; i-- > 0;) {
        int32_t narrow;
        memcpy(&narrow, (char *)indices->at + i * sizeof narrow, sizeof narrow);
        const int64_t wide = narrow;
        memcpy((char *)indices->at + i * sizeof wide, &wide, sizeof wide);
    }
    indices->used = count * sizeof(int64_t);
    data->index_type = SPARCL_INDEX64;
    return SPARCL_OK;
}

sparcl_status spc_data_check_entries(const sparcl_data *data, const char *what,
                                     sparcl_error *error) {
    if (!data->stream) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_ARG,
                    "%s: %s: expected data in memory, found a stream; read the file without stream",
                    what, data->name);
}

void spc_stream_free(spc_stream *stream) {
    if (!stream) return;
    spc_strfree(NULL, stream->path);
    spc_strfree(NULL, stream->crosses);
    spc_strfree(NULL, stream->csv_description);
    spc_free(NULL, stream, sizeof *stream);
}
