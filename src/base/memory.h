/* memory.h: host memory through the caller's hook; a zeroed hook is malloc. */
#ifndef SPC_BASE_MEMORY_H
#define SPC_BASE_MEMORY_H

#include "sparcl/status.h"

/* NULL if memory runs out, or if size is 0. */
void *spc_alloc(const sparcl_allocator *allocator, size_t size);
/* The same, zeroed, for count elements; also NULL if the product overflows. */
void *spc_alloc_zero(const sparcl_allocator *allocator, size_t count, size_t size);
void *spc_realloc(const sparcl_allocator *allocator, void *memory, size_t old_size, size_t size);
/* NULL is allowed. */
void spc_free(const sparcl_allocator *allocator, void *memory, size_t size);
/* A copy of a string, of strlen + 1 bytes; NULL for NULL or if memory runs out. */
char *spc_strdup(const sparcl_allocator *allocator, const char *text);
void spc_strfree(const sparcl_allocator *allocator, char *text);

#endif
