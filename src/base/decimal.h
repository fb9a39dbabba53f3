/* decimal.h: converts doubles to decimal text and back, exactly and independent of the locale. */
#ifndef SPC_BASE_DECIMAL_H
#define SPC_BASE_DECIMAL_H

#include <stdbool.h>

enum { SPC_DECIMAL_BYTES = 32 };

/* The shortest text of a finite number that reads back as the same double; returns its length. */
int spc_decimal_print(char text[SPC_DECIMAL_BYTES], double value);

/* The same for a float: often shorter than the text of its double. */
int spc_decimal_print_f32(char text[SPC_DECIMAL_BYTES], float value);

/*
 * Parse the `length` bytes at `text` as a number: digits, sign, '.', exponent. False for any other
 * text, or when the number is not finite.
 */
bool spc_decimal_parse(const char *text, int length, double *value);

#endif
