/* file_sum.c: the SHA-256 of a file. */
#include "file_sum.h"

#include <errno.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <string.h>

#include "message.h"

exit_code file_sum(const char *path, char text[SUM_TEXT]) {
    struct sha256_ctx sum;
    uint8_t bytes[65536], digest[SHA256_DIGEST_SIZE];
    size_t count;
    FILE *const file = fopen(path, "rb");
    sha256_init(&sum);
    while (file && (count = fread(bytes, 1, sizeof bytes, file)) > 0)
        sha256_update(&sum, count, bytes);
    const int failed = !file || ferror(file);
    if (failed) print_error("%s: cannot be read: %s", path, strerror(errno));
    if (file) fclose(file);
    if (failed) return EXIT_RUNTIME;
    sha256_digest(&sum, sizeof digest, digest);
    for (size_t i = 0; i < sizeof digest; i++)
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
    return EXIT_OK;
}
