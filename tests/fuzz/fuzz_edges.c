/* fuzz_edges.c: libFuzzer target for edge lists. */
#include "fuzz_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    return fuzz_text(bytes, size, SPARCL_DATA_EDGES);
}
