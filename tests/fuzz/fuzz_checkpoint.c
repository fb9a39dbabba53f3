/* fuzz_checkpoint.c: libFuzzer target for checkpoints. With 1 in the first byte the length of the
 * header, which ends at a line feed, and the checksum are made here, so that a mutation passes
 * them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "train/checkpoint_file.h"
#include "train/checkpoint_sum.h"
#include "train/run_settings.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { LENGTH = 8, CHECKSUM = 8 };

static void seal(uint8_t *bytes, size_t size) {
    if (size < LENGTH + CHECKSUM) return;
    const uint8_t *const end = memchr(bytes + LENGTH, '\n', size - LENGTH);
    const uint64_t header = (uint64_t)(end ? end - bytes - LENGTH : 0);
    memcpy(bytes, &header, LENGTH);
    spc_sum sum;
    spc_sum_start(&sum);
    spc_sum_add(&sum, bytes, size - CHECKSUM);
    const uint64_t value = spc_sum_value(&sum);
    memcpy(bytes + size - CHECKSUM, &value, CHECKSUM);
}

/* Every array that it has, in turn with the right number of elements and with one more. */
static void read_items(const spc_checkpoint *in) {
    for (int64_t i = 0; i < in->tensors.count; i++) {
        const spc_tensor *const tensor = &in->tensors.tensors[i];
        spc_item item = {.dtype = tensor->dtype,
                         .count = tensor->rank == 1 ? tensor->shape[0] : 1,
                         .bytes = tensor->bytes,
                         .host = malloc((size_t)tensor->bytes + 1),
                         .most = 100};
        snprintf(item.name, sizeof item.name, "%s", tensor->name);
        sparcl_error error = {.status = SPARCL_OK};
        if (!item.host) abort();
        const sparcl_status status = spc_checkpoint_read(NULL, in, &item, &error);
        if (status != error.status) abort();
        item.count++;
        if (spc_checkpoint_read(NULL, in, &item, &error) == SPARCL_OK) abort();
        free(item.host);
    }
}

static void read_checkpoint(uint8_t *bytes, size_t size) {
    sparcl_error error = {.status = SPARCL_OK};
    spc_checkpoint in = {.path = strdup("fuzz"), .file = fmemopen(bytes, size, "rb")};
    if (!in.path || !in.file) abort();
    const sparcl_status status = spc_checkpoint_check(&in, &error);
    if (status != error.status) abort();
    if (status == SPARCL_OK)
        read_items(&in);
    else if (strncmp(error.message, "fuzz: ", 6) != 0)
        abort();
    (void)spc_settings_solver(&in.tensors);
    spc_checkpoint_close(&in);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    uint8_t *const copy = size > 1 ? malloc(size - 1) : NULL;
    if (!copy) return 0;
    memcpy(copy, bytes + 1, size - 1);
    if (bytes[0] & 1) seal(copy, size - 1);
    read_checkpoint(copy, size - 1);
    free(copy);
    return 0;
}
