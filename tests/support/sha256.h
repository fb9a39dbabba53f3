/* sha256.h: SHA-256 of bytes that come in parts, as text, by Nettle. */
#ifndef TESTS_SHA256_H
#define TESTS_SHA256_H

#include <nettle/base16.h>
#include <nettle/sha2.h>
#include <stddef.h>
#include <stdint.h>

/* 64 hexadecimal digits and a NUL. */
#define SHA256_TEXT (2 * SHA256_DIGEST_SIZE + 1)

typedef struct sha256_ctx sha256;

static inline void sha256_begin(sha256 *s) {
    sha256_init(s);
}

static inline void sha256_add(sha256 *s, const void *bytes, size_t count) {
    sha256_update(s, count, bytes);
}

static inline void sha256_end(sha256 *s, char text[SHA256_TEXT]) {
    uint8_t digest[SHA256_DIGEST_SIZE];
    sha256_digest(s, sizeof digest, digest);
    base16_encode_update(text, sizeof digest, digest);
    text[SHA256_TEXT - 1] = 0;
}

#endif
