/* fuzz_cache.c: libFuzzer target for records of the kernel cache. With 1 in the first byte the
 * checksum is made valid, so that a mutation passes it. */
#include "fuzz_file.h"

#include "base/memory.h"
#include "program/cache.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { KEY = 8, HEAD = 40, SUM = 24 };

static void seal(uint8_t *record, size_t size) {
    if (size < HEAD + KEY) return;
    const XXH128_hash_t sum = XXH3_128bits(record + HEAD + KEY, size - HEAD - KEY);
    const uint64_t words[] = {sum.high64, sum.low64};
    memcpy(record + SUM, words, sizeof words);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static fuzz_file file;
    static const char key[KEY] = "the key";
    unsigned char *binary = NULL;
    size_t binary_size = 0;
    uint8_t *const record = size > 0 ? malloc(size) : NULL;
    if (!record) return 0;
    memcpy(record, bytes + 1, size - 1);
    if (bytes[0] & 1) seal(record, size - 1);
    fuzz_write(&file, record, size - 1);
    if (lseek(file.file, 0, SEEK_SET) != 0) abort();
    const bool good = spc_record_read(file.file, NULL, key, sizeof key, &binary, &binary_size);
    if (good != (binary != NULL)) abort();
    if (good && (binary_size != size - 1 - HEAD - KEY || memcmp(record + HEAD, key, KEY) != 0 ||
                 memcmp(record + HEAD + KEY, binary, binary_size) != 0))
        abort();
    if (good) spc_free(NULL, binary, binary_size);
    free(record);
    return 0;
}
