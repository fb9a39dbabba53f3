/* fuzz_array.c: libFuzzer target for dense arrays, .npy and IDX. The first byte says how to read,
 * with 64 as its own labels. */
#include "fuzz_data.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static fuzz_file file;
    if (size < 1) return 0;
    fuzz_write(&file, bytes + 1, size - 1);
    sparcl_data_desc desc = fuzz_desc(bytes[0]);
    desc.format = SPARCL_DATA_ARRAY;
    if (bytes[0] & 64) desc.labels = file.path;
    fuzz_read(file.path, &desc);
    return 0;
}
