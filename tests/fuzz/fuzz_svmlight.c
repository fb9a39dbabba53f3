/*
 * fuzz_svmlight.c: libFuzzer target for LIBSVM text, also compressed. The first byte says how to
 * read, the second how often the rest is repeated, up to some length, so that it can fill several
 * blocks. One in 16 of these, as its bytes say, is also read with threads, which take most time.
 */
#include "fuzz_data.h"

#ifdef SPARCL_FUZZ /* where blocks are short */
enum { LEAST = 249, MOST = 1 << 10 };
#else
enum { LEAST = 245, MOST = 1 << 20 };
#endif

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static fuzz_file file;
    if (size < 2) return 0;
    const size_t length = size - 2;
    size_t times = bytes[1] < 250 ? 1 : (size_t)1 << (bytes[1] - LEAST);
    while (times > 1 && length * times > MOST)
        times /= 2;
    char *text = malloc(length * times + 1);
    if (!text) return 0;
    unsigned sum = 0;
    for (size_t i = 0; i < size; i++)
        sum += bytes[i];
    for (size_t i = 0; i < times; i++)
        memcpy(text + i * length, bytes + 2, length);
    fuzz_write(&file, text, length * times);
    free(text);
    sparcl_data_desc desc = fuzz_desc(bytes[0]);
    fuzz_set_format(&desc, SPARCL_DATA_SVMLIGHT, bytes[0]);
    const uint64_t serial = fuzz_read(file.path, &desc);
    desc.threads = 3;
    if (times > 1 && sum % 16 == 0 && fuzz_read(file.path, &desc) != serial) abort();
    return 0;
}
