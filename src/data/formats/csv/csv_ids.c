/* csv_ids.c: finds columns of CSV that are ids of rows, and not quantities. */
#include "data/formats/csv/csv_ids.h"

#include "data/formats/csv/csv_shape.h"
#include "data/io/words.h"

/* Digits that int64_t always holds. */
enum { COUNTS_UP_AFTER = 20, DIGITS_MAX = 18 };

static const int64_t largest = (int64_t)1 << 53;

/* A field without the blanks around it, and then without zeros before its digits. */
typedef struct digits {
    const char *at;
    size_t length;
    bool is_negative;
} digits;

/* False: it is no whole number. */
static bool find_digits(const spc_csv_field *field, digits *d) {
    const char *at = field->at, *end = at + field->length;
    while (at < end && spc_is_blank(*at))
        at++;
    while (at < end && spc_is_blank(end[-1]))
        end--;
    d->is_negative = at < end && *at == '-';
    at += at < end && (*at == '-' || *at == '+');
    if (at == end) return false;
    for (const char *c = at; c < end; c++)
        if (*c < '0' || *c > '9') return false;
    while (at + 1 < end && *at == '0')
        at++;
    *d = (digits){at, (size_t)(end - at), d->is_negative};
    return true;
}

/* Of at most DIGITS_MAX digits. */
static int64_t value_of(const digits *d) {
    int64_t value = 0;
    for (size_t i = 0; i < d->length; i++)
        value = 10 * value + (d->at[i] - '0');
    return d->is_negative ? -value : value;
}

static sparcl_status note_word(spc_csv_values *values, const digits *d,
                               const sparcl_allocator *allocator, sparcl_error *error) {
    const char *const word = d->at - d->is_negative; /* the digit before may be a zero */
    const size_t length = d->length + d->is_negative;
    if (values->repeats) return SPARCL_OK;
    if (spc_word_find(&values->words, word, length) < 0)
        return spc_word_add(&values->words, word, length, allocator, error);
    values->repeats = true;
    spc_word_set_free(&values->words, allocator);
    values->words = (spc_word_set){0};
    return SPARCL_OK;
}

sparcl_status spc_csv_values_add(spc_csv_values *values, const spc_csv_field *field,
                                 const sparcl_allocator *allocator, sparcl_error *error) {
    digits d = {.at = NULL};
    if (values->other) return SPARCL_OK;
    if (spc_csv_is_missing(field->at, field->length)) {
        values->jumps = true;
        return SPARCL_OK;
    }
    values->other = !find_digits(field, &d);
    if (values->other) return SPARCL_OK;
    const bool fits = d.length <= DIGITS_MAX;
    const int64_t value = fits ? value_of(&d) : 0;
    values->jumps |= !fits || (values->count > 0 && value != values->last + 1);
    values->is_large |= !fits || value > largest || value < -largest;
    values->last = value;
    values->count++;
    return values->is_large ? note_word(values, &d, allocator, error) : SPARCL_OK;
}

spc_csv_use spc_csv_values_use(const spc_csv_values *values) {
    if (values->other) return SPC_CSV_COMPUTE;
    if (!values->jumps && values->count > COUNTS_UP_AFTER) return SPC_CSV_LEAVE_OUT;
    if (!values->is_large) return SPC_CSV_COMPUTE;
    return values->repeats ? SPC_CSV_HASH : SPC_CSV_LEAVE_OUT;
}

void spc_csv_values_free(spc_csv_values *values, const sparcl_allocator *allocator) {
    spc_word_set_free(&values->words, allocator);
}
