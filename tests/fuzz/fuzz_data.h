/* fuzz_data.h: what the fuzz targets of the data readers share: how to read, and the promises.
 */
#ifndef FUZZ_DATA_H
#define FUZZ_DATA_H

#include "base/mix.h"
#include "data_facts.h"
#include "fuzz_file.h"

/* Of the numbers of all data sets that were read, in any order. replay.c prints it, so that
 * machines can be compared. */
__attribute__((weak)) uint64_t fuzz_sum;

static inline uint64_t fuzz_mix(uint64_t sum, double x) {
    uint64_t bits = 1; /* of any NaN */
    if (!isnan(x)) memcpy(&bits, &x, sizeof bits);
    return spc_mix(sum ^ bits);
}

static inline uint64_t fuzz_sum_of(const sparcl_data *data) {
    const sparcl_data_info *const info = sparcl_data_get_info(data);
    const int64_t *const ends = sparcl_data_label_offsets(data);
    const double *const labels = sparcl_data_labels(data);
    const int64_t label_count = ends ? ends[info->rows] : info->rows;
    uint64_t sum = fuzz_mix(0, (double)info->columns);
    for (int64_t row = 0; row < info->rows; row++)
        sum = fuzz_mix(sum, (double)sparcl_data_offsets(data)[row + 1]);
    for (int64_t i = 0; labels && i < label_count; i++)
        sum = fuzz_mix(sum, labels[i]);
    for (int64_t k = 0; !info->streamed && k < info->entries; k++) {
        sum = fuzz_mix(sum, (double)data_index(data, k));
        sum = fuzz_mix(sum, sparcl_data_values(data)[k]);
    }
    return sum;
}

static inline void fuzz_check(const sparcl_data *data) {
    const char *const fault = data_fault(data);
    if (fault) {
        fprintf(stderr, "wrong: %s\n", fault);
        abort();
    }
    fuzz_sum += fuzz_sum_of(data);
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
                              .threads = 1,
                              .allocator = {.fn = fuzz_realloc}};
}

/* Set the format; names are hashed, indices are columns, or ids that are hashed or numbered. */
static inline void fuzz_set_format(sparcl_data_desc *desc, sparcl_data_format format, uint8_t how) {
    const bool ids = format == SPARCL_DATA_SVMLIGHT || format == SPARCL_DATA_LIBFFM ||
                     format == SPARCL_DATA_INDICES;
    desc->format = format;
    if (ids || format == SPARCL_DATA_VW || format == SPARCL_DATA_CSV)
        desc->hash_bits = how & 64 ? 3 : ids ? 0 : 10;
    if (ids) desc->compact_ids = (how & 192) == 128;
}

#endif
