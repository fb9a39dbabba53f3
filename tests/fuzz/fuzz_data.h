/* fuzz_data.h: what the fuzz targets of the data readers share: a file of bytes, and the promises.
 */
#ifndef FUZZ_DATA_H
#define FUZZ_DATA_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sparcl/data.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

typedef struct fuzz_file {
    int file;
    char path[32];
} fuzz_file;

/* A file without a name, read again by way of its descriptor. */
static inline void fuzz_write(fuzz_file *f, const void *bytes, size_t size) {
    if (f->path[0] == '\0') {
        char name[] = "/tmp/sparcl-fuzz-XXXXXX";
        f->file = mkstemp(name);
        if (f->file < 0) abort();
        unlink(name);
        snprintf(f->path, sizeof f->path, "/dev/fd/%d", f->file);
    }
    if (ftruncate(f->file, 0) != 0 || pwrite(f->file, bytes, size, 0) != (ssize_t)size) abort();
}

static inline int64_t fuzz_index(const sparcl_data *data, int64_t k) {
    const void *indices = sparcl_data_indices(data);
    return sparcl_data_index_type(data) == SPARCL_I32 ? ((const int32_t *)indices)[k]
                                                      : ((const int64_t *)indices)[k];
}

/* What every data set that was read keeps. */
static inline void fuzz_check(const sparcl_data *data) {
    const sparcl_data_info *info = sparcl_data_get_info(data);
    const int64_t *offsets = sparcl_data_offsets(data);
    if (offsets[0] != 0 || offsets[info->rows] != info->entries ||
        info->nnz != info->entries + info->duplicates)
        abort();
    for (int64_t row = 0; row < info->rows; row++) {
        int64_t before = -1;
        if (offsets[row + 1] < offsets[row]) abort();
        for (int64_t k = offsets[row]; k < offsets[row + 1]; k++) {
            const int64_t index = fuzz_index(data, k);
            if (index <= before || index >= info->columns) abort();
            before = index;
        }
    }
}

/* Read it; the fingerprint, or 0 when it was refused as it must be. */
static inline uint64_t fuzz_read(const char *path, const sparcl_data_desc *desc) {
    sparcl_error error = {.status = SPARCL_OK};
    sparcl_data *data = NULL;
    const sparcl_status status = sparcl_data_read(&data, path, desc, &error);
    if (status != SPARCL_OK) {
        const int explained =
            strstr(error.message, "expected ") && strstr(error.message, ", found");
        if (data || status != error.status || (status == SPARCL_E_FORMAT && !explained)) abort();
        return 0;
    }
    fuzz_check(data);
    const uint64_t fingerprint = sparcl_data_get_info(data)->fingerprint;
    sparcl_data_free(data);
    return fingerprint;
}

/* One byte says how to read. */
static inline sparcl_data_desc fuzz_desc(uint8_t how) {
    return (sparcl_data_desc){.strict = how & 1,
                              .multilabel = how >> 1 & 1,
                              .index_base = (sparcl_index_base)((how >> 2 & 3) % 3),
                              .columns = how & 16 ? 100 : 0,
                              .widen = how >> 5 & 1,
                              .hash_bits = how & 64 ? 3 : 0,
                              .threads = 1};
}

#endif
