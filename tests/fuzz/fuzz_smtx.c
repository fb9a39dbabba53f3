/* fuzz_smtx.c: libFuzzer target for .smtx files. */
#include "fuzz_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    return fuzz_text(bytes, size, SPARCL_DATA_SMTX);
}
