/* word_labels.h: labels that are words, of which each is a class. */
#ifndef SPARCL_TOOL_WORD_LABELS_H
#define SPARCL_TOOL_WORD_LABELS_H

#include <stdbool.h>

#include "exit_codes.h"
#include "sparcl/data.h"

/* Refuse more classes than words that name them usually are, unless these are wanted; a note counts
 * them where they are many. */
exit_code check_word_labels(const sparcl_data *data, bool are_wanted);

#endif
