/* optim_settings.h: an optimizer in an initializer. */
#ifndef TEST_OPTIM_SETTINGS_H
#define TEST_OPTIM_SETTINGS_H

#include <math.h>

/* All settings that are not given are neutral. */
#define OPTIM(...)                                                                                 \
    {                                                                                              \
        .size = sizeof(sparcl_optim), .rescale = 1, .eta = 1, .clip.value = (double)INFINITY,      \
        .clip.weights = (double)INFINITY, .clip.norm = (double)INFINITY,                           \
        .clip.row_norm = (double)INFINITY, .trust.upper_bound = (double)INFINITY,                  \
        .max_norm = (double)INFINITY, .step = 1, __VA_ARGS__                                       \
    }

#endif
