/* optim_settings.h: an optimizer in an initializer. */
#ifndef TEST_OPTIM_SETTINGS_H
#define TEST_OPTIM_SETTINGS_H

#include <math.h>

/* All settings that are not given are neutral. */
#define OPTIM(...)                                                                                 \
    {                                                                                              \
        .rescale = 1, .eta = 1, .clip_value = (double)INFINITY, .clip_weights = (double)INFINITY,  \
        .clip_norm = (double)INFINITY, .clip_row_norm = (double)INFINITY,                          \
        .upper_bound = (double)INFINITY, .max_norm = (double)INFINITY, .step = 1, __VA_ARGS__      \
    }

#endif
