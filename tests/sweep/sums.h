/* sums.h: SHA-256 of what operations have written. Programs that link sums.c with
 * -Wl,--wrap=spec_compare,--wrap=spec_compare_ints take the sum of all that the specs compare. */
#ifndef TESTS_SUMS_H
#define TESTS_SUMS_H

#include <stdbool.h>

#include "sha256.h"

/* The specs compare nothing, but what they would compare is in the sum. */
extern bool sums_only;
/* The sum starts with what is compared from here on. */
void sums_begin(void);
void sums_end(char text[SHA256_TEXT]);

#endif
