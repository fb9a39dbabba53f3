/* fuzz_binary.c: libFuzzer target for the binary form. Checksums are made valid first where the
 * table allows it, so that a mutation passes them. */
#include "fuzz_data.h"

#include "data/formats/binary.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

static void seal(uint8_t *bytes, size_t size) {
    spc_binary_header header;
    if (size < sizeof header) return;
    memcpy(&header, bytes, sizeof header);
    const size_t room = (size - sizeof header) / sizeof(spc_binary_entry);
    const size_t count = header.sections < room ? header.sections : room;
    for (size_t i = 0; i < count; i++) {
        uint8_t *const at = bytes + sizeof header + i * sizeof(spc_binary_entry);
        spc_binary_entry entry;
        memcpy(&entry, at, sizeof entry);
        if (entry.offset <= size && entry.bytes <= size - entry.offset &&
            entry.offset >= sizeof header + count * sizeof entry)
            entry.sum = XXH3_64bits(bytes + entry.offset, (size_t)entry.bytes);
        memcpy(at, &entry, sizeof entry);
    }
    header.table_sum = XXH3_64bits(bytes + sizeof header, count * sizeof(spc_binary_entry));
    memcpy(bytes, &header, sizeof header);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static fuzz_file file;
    if (size < 2) return 0;
    uint8_t *const copy = malloc(size);
    if (!copy) return 0;
    memcpy(copy, bytes + 1, size - 1);
    if (!(bytes[0] & 128)) seal(copy, size - 1);
    fuzz_write(&file, copy, size - 1);
    free(copy);
    const sparcl_data_desc desc = fuzz_desc(bytes[0] & 127);
    fuzz_read(file.path, &desc);
    return 0;
}
