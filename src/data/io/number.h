/* number.h: parses decimal text as float and double, correctly rounded, independent of the
 * locale. */
#ifndef SPC_DATA_NUMBER_H
#define SPC_DATA_NUMBER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/macros.h"

/*
 * All text must end with a byte that cannot be part of a number, such as a newline or a NUL, and
 * this many bytes after it must be readable: digits are read eight at a time.
 */
enum { SPC_NUMBER_PAD = 8 };

typedef enum spc_number {
    SPC_NUMBER_READ,
    SPC_NUMBER_NONE, /* no number begins here */
    SPC_NUMBER_RANGE /* a number above the largest of the type */
} spc_number;

typedef struct spc_rounded {
    bool f32, f64;
} spc_rounded;

/*
 * Read [+-] digits [. digits] [e [+-] digits], nan, inf or infinity (in any case) at *at, and move
 * *at to its end, unless the result is NONE. The caller must check what follows the number: "0x1"
 * is a 0 before an x. A number too small for the type rounds to a subnormal or to a zero of its
 * sign. *rounded says of which types the text has more digits than they hold: the number of that
 * type, with as many digits, is another one.
 */
spc_number spc_read_f32(const char **at, float *value, bool *rounded);
spc_number spc_read_f64(const char **at, double *value, spc_rounded *rounded);

/* Parse the digits at the beginning of the next 8 bytes; returns their count, and *value becomes
 * their value. */
static inline unsigned spc_parse_digits(const char *at, uint64_t *value) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t bytes;
    memcpy(&bytes, at, sizeof bytes);
    bytes ^= 0x3030303030303030u; /* a digit is now a byte from 0 to 9 */
    const uint64_t others = ((bytes + 0x7676767676767676u) | bytes) & 0x8080808080808080u;
    unsigned count = 8;
    if (others) {
        count = (unsigned)__builtin_ctzll(others) / 8;
        if (count == 0) {
            *value = 0;
            return 0;
        }
        bytes <<= 64 - 8 * count; /* leading zeros replace the bytes after the digits */
    }
    bytes = bytes * 10 + (bytes >> 8); /* pairs, then fours, then all eight */
    bytes = ((bytes & 0x000000ff000000ffu) * 0x000f424000000064u +
             ((bytes >> 16) & 0x000000ff000000ffu) * 0x0000271000000001u) >>
            32;
    *value = bytes;
    return count;
#else
    unsigned count = 0;
    *value = 0;
    for (; count < 8 && at[count] >= '0' && at[count] <= '9'; count++)
        *value = *value * 10 + (uint64_t)(at[count] - '0');
    return count;
#endif
}

#endif
