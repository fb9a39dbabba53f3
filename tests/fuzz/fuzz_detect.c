/* fuzz_detect.c: libFuzzer target for files whose format is not named: it is detected, then read.
 */
#include "fuzz_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    return fuzz_text(bytes, size, SPARCL_DATA_AUTO);
}
