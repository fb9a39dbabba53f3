/* sha256.h: SHA-256 (FIPS 180-4) of bytes that come in parts. */
#ifndef TESTS_SHA256_H
#define TESTS_SHA256_H

#include <stddef.h>
#include <stdint.h>

/* 64 hexadecimal digits and a NUL. */
#define SHA256_TEXT 65

typedef struct sha256 {
    uint32_t state[8];
    uint64_t bytes; /* so far */
    unsigned char block[64];
} sha256;

void sha256_begin(sha256 *s);
void sha256_add(sha256 *s, const void *bytes, size_t count);
void sha256_end(sha256 *s, char text[SHA256_TEXT]);

#endif
