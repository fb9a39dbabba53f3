/* texts.h: a list of texts, each with a NUL. */
#ifndef SPC_DATA_TEXTS_H
#define SPC_DATA_TEXTS_H

#include "data/set/dataset.h"

SPARCL_MUST_CHECK sparcl_status spc_texts_add(spc_texts *list, const char *text, size_t length,
                                              const sparcl_allocator *allocator,
                                              sparcl_error *error);

/* NULL: there is none of this number. */
const char *spc_texts_at(const spc_texts *list, int64_t number);
/* The same for a whole number; NULL for another one. */
const char *spc_texts_of(const spc_texts *list, double number);

void spc_texts_free(spc_texts *list, const sparcl_allocator *allocator);

#endif
