/* fuzz_data.h: what the fuzz targets of the data readers share: how to read, and the promises.
 */
#ifndef FUZZ_DATA_H
#define FUZZ_DATA_H

#include "data_facts.h"
#include "fuzz_file.h"

static inline void fuzz_check(const sparcl_data *data) {
    const char *const fault = data_fault(data);
    if (!fault) return;
    fprintf(stderr, "wrong: %s\n", fault);
    abort();
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

/* Memory for short inputs only: what a header of some bytes claims to need is refused soon. */
static inline void *fuzz_realloc(void *user, void *memory, size_t old_size, size_t size) {
    enum { MOST = 1 << 22 };
    (void)user;
    (void)old_size;
    if (size > 0) return size <= MOST ? realloc(memory, size) : NULL;
    free(memory);
    return NULL;
}

/* One byte says how to read. */
static inline sparcl_data_desc fuzz_desc(uint8_t how) {
    return (sparcl_data_desc){.strict = how & 1,
                              .multilabel = how >> 1 & 1,
                              .index_base = (sparcl_index_base)((how >> 2 & 3) % 3),
                              .columns = how & 16 ? 100 : 0,
                              .widen = how >> 5 & 1,
                              .hash_bits = how & 64 ? 3 : 10,
                              .threads = 1,
                              .allocator = {.fn = fuzz_realloc}};
}

#endif
