/* parameter_list.h: the parameters and settings of an architecture. */
#ifndef SPC_MODEL_PARAMETER_LIST_H
#define SPC_MODEL_PARAMETER_LIST_H

#include <stdbool.h>
#include <string.h>

#include "sparcl/architecture.h"

static inline int spc_architecture_count(const sparcl_architecture *a) {
    int count = 0;
    while (a->parameters[count])
        ++count;
    return count;
}

static inline bool spc_has_settings(const sparcl_architecture *a) {
    return a->settings && *a->settings;
}

/* The index of a name; -1: it is not in the list. */
static inline int spc_architecture_find(const sparcl_architecture *a, const char *name) {
    for (int i = 0; name && a->parameters[i]; ++i)
        if (strcmp(a->parameters[i], name) == 0) return i;
    return -1;
}

#endif
