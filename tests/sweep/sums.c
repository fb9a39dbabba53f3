/* sums.c: the sum is that of what was read from the device, in the order in which it is compared:
 * numbers of any type as IEEE doubles or 64-bit integers, little-endian, any NaN as one and the
 * same (docs/numerics.md promises no more). */
#define _DEFAULT_SOURCE /* htole64 */
#include "sums.h"

#include <endian.h>
#include <math.h>
#include <string.h>

#include "spec/shared/spec.h"

bool sums_only = false;
static sha256 sum;

void sums_begin(void) {
    sha256_begin(&sum);
}

void sums_end(char text[SHA256_TEXT]) {
    sha256_end(&sum, text);
}

enum { WORDS = 512 };

static void add_words(uint64_t *words, size_t count) {
    for (size_t i = 0; i < count; ++i)
        words[i] = htole64(words[i]);
    sha256_add(&sum, words, 8 * count);
}

void __real_spec_compare(spec_report *report, const char *what, const double *got,
                         const double *order, const double *truth, const double *bound,
                         int64_t count);
void __wrap_spec_compare(spec_report *report, const char *what, const double *got,
                         const double *order, const double *truth, const double *bound,
                         int64_t count);
void __real_spec_compare_ints(spec_report *report, const char *what, const int64_t *got,
                              const int64_t *order, int64_t count);
void __wrap_spec_compare_ints(spec_report *report, const char *what, const int64_t *got,
                              const int64_t *order, int64_t count);

void __wrap_spec_compare(spec_report *report, const char *what, const double *got,
                         const double *order, const double *truth, const double *bound,
                         int64_t count) {
    uint64_t words[WORDS];
    for (int64_t at = 0; at < count; at += WORDS) {
        const size_t here = (size_t)(count - at < WORDS ? count - at : WORDS);
        memcpy(words, got + at, 8 * here);
        for (size_t i = 0; i < here; ++i)
            if (isnan(got[at + (int64_t)i])) words[i] = UINT64_C(0x7ff8000000000000);
        add_words(words, here);
    }
    if (!sums_only) __real_spec_compare(report, what, got, order, truth, bound, count);
}

void __wrap_spec_compare_ints(spec_report *report, const char *what, const int64_t *got,
                              const int64_t *order, int64_t count) {
    uint64_t words[WORDS];
    for (int64_t at = 0; at < count; at += WORDS) {
        const size_t here = (size_t)(count - at < WORDS ? count - at : WORDS);
        memcpy(words, got + at, 8 * here);
        add_words(words, here);
    }
    if (!sums_only) __real_spec_compare_ints(report, what, got, order, count);
}
