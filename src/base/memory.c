/* memory.c: host memory through the caller's hook. */
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/size.h"

static void *from_libc(void *memory, size_t size) {
    if (size == 0) {
        free(memory);
        return NULL;
    }
    return realloc(memory, size);
}

void *spc_realloc(const sparcl_allocator *allocator, void *memory, size_t old_size, size_t size) {
    if (!memory && size == 0) return NULL;
    if (!allocator || !allocator->fn) return from_libc(memory, size);
    return allocator->fn(allocator->user, memory, old_size, size);
}

void *spc_alloc(const sparcl_allocator *allocator, size_t size) {
    return spc_realloc(allocator, NULL, 0, size);
}

void *spc_alloc_zero(const sparcl_allocator *allocator, size_t count, size_t size) {
    size_t bytes = 0;
    if (!spc_mul_size(count, size, &bytes)) return NULL;
    void *memory = spc_alloc(allocator, bytes);
    if (memory) memset(memory, 0, bytes);
    return memory;
}

void spc_free(const sparcl_allocator *allocator, void *memory, size_t size) {
    if (memory) spc_realloc(allocator, memory, size, 0);
}

char *spc_strdup(const sparcl_allocator *allocator, const char *text) {
    if (!text) return NULL;
    const size_t bytes = strlen(text) + 1;
    char *copy = spc_alloc(allocator, bytes);
    if (copy) memcpy(copy, text, bytes);
    return copy;
}

void spc_strfree(const sparcl_allocator *allocator, char *text) {
    if (text) spc_free(allocator, text, strlen(text) + 1);
}
