/* fuzz_tuning.c: libFuzzer target for the text of a tuning. What was read is printed, and read
 * again as the same. The first byte says for which class of kernels. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "device/ctx_impl.h"
#include "tune/tuned.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* A default is 0 where a class of kernels does not use the tunable. */
static void check_values(const spc_tuning *tuning, bool is_gpu) {
    for (int t = 0; t < SPC_TUNE_COUNT; t++) {
        const sparcl_tunable *const about = sparcl_tune_at(t);
        for (int c = 0; c < about->class_count; c++) {
            const int32_t value = tuning->at[t][c].value;
            if (value != about->defaults[is_gpu][c] &&
                (value < about->minimum || value > about->maximum))
                abort();
        }
    }
}

/* Gains and times may be rounded, and only where a time was given are they printed. */
static void read_again(spc_tuning *tuning, bool is_gpu) {
    sparcl_ctx ctx = {.tuning = tuning,
                      .device = {.device_class = is_gpu ? SPARCL_CLASS_GPU : SPARCL_CLASS_CPU}};
    spc_tuning again;
    char text[1 << 14];
    if (sparcl_tune_text(&ctx, text, sizeof text) >= sizeof text) abort();
    if (spc_tuning_read(&again, is_gpu, text, NULL) != SPARCL_OK) abort();
    for (int t = 0; t < SPC_TUNE_COUNT; t++)
        for (int c = 0; c < sparcl_tune_at(t)->class_count; c++)
            if (again.at[t][c].value != tuning->at[t][c].value) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    sparcl_error error = {.status = SPARCL_OK};
    spc_tuning tuning;
    char *const text = size > 0 ? malloc(size) : NULL;
    if (!text) return 0;
    memcpy(text, bytes + 1, size - 1);
    text[size - 1] = '\0';
    const sparcl_status status = spc_tuning_read(&tuning, bytes[0] & 1, text, &error);
    if (status == SPARCL_OK) {
        check_values(&tuning, bytes[0] & 1);
        read_again(&tuning, bytes[0] & 1);
    } else if (status != SPARCL_E_ARG || strncmp(error.message, "tuning, line ", 13) != 0) {
        abort();
    }
    free(text);
    return 0;
}
