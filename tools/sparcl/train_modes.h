/* train_modes.h: the kinds of training of sparcl train, and which options act in which of them. */
#ifndef SPARCL_TOOL_TRAIN_MODES_H
#define SPARCL_TOOL_TRAIN_MODES_H

#include <stdbool.h>
#include <stdint.h>

typedef enum train_mode {
    MODE_SEARCH = 1, /* without settings: they are searched for */
    MODE_STEPS = 2,  /* of an optimizer */
    MODE_LBFGS = 4,
    MODE_RATE = 8 /* steps, whose rate is searched for */
} train_mode;

/* What the given options ask for. */
train_mode train_mode_of(void);

/* Whether no rate is searched for where an option is given. */
bool ends_search_of_rate(const char *option);
/* Whether the text of an optimizer, or NULL, has a rate: a preset is that of a system with a rate
 * of its own. */
bool has_own_rate(const char *optimizer);

/* Notes: each option that has no effect, and why not all is searched for where no option names the
 * kind of training, of `passes`. */
void print_mode_notes(train_mode mode, int64_t passes);

#endif
