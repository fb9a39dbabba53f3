/* fuzz_ids.c: libFuzzer target for maps of ids, with fixed edges or ratings: the first byte says
 * which. */
#include "fuzz_data.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static const char edges[] = "1 2\n2 3\n7 1\n", ratings[] = "1::2::5\n1::3::4\n7::2::1\n";
    static fuzz_file ids, rows[2];
    if (size < 1) return 0;
    if (rows[0].path[0] == '\0') {
        fuzz_write(&rows[0], edges, sizeof edges - 1);
        fuzz_write(&rows[1], ratings, sizeof ratings - 1);
    }
    const int kind = bytes[0] & 1;
    fuzz_write(&ids, bytes + 1, size - 1);
    sparcl_data_desc desc = fuzz_desc(0);
    desc.format = kind ? SPARCL_DATA_RATINGS : SPARCL_DATA_EDGES;
    desc.compact_ids = !kind;
    desc.ids = ids.path;
    fuzz_read(rows[kind].path, &desc);
    return 0;
}
