/* fuzz_vw.c: libFuzzer target for Vowpal Wabbit text. */
#include "fuzz_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    return fuzz_text(bytes, size, SPARCL_DATA_VW);
}
