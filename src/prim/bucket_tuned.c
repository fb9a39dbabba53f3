/* bucket_tuned.c: the tunables of the sort by buckets, by the bytes of its items. */
#include "prim/bucket.h"

#include "tune/tuned.h"

const sparcl_tunable spc_tunable_sort_buckets = {
    .name = "sort.buckets",
    .description = "sort by buckets that fit in the cache of a core: 0 no (radix sort only), 1 yes",
    .kernels = SPARCL_CLASS_CPU,
    SPC_CLASSES(spc_size_classes),
    SPC_SWITCH,
    .defaults = {{1, 1, 1}}};

const sparcl_tunable spc_tunable_sort_bucket_items = {
    .name = "sort.bucket_items",
    .description =
        "maximum items of a bucket, of which two copies should fit in the cache of a core",
    .kernels = SPARCL_CLASS_CPU,
    SPC_CLASSES(spc_size_classes),
    .minimum = 64,
    .maximum = 1 << 20,
    .candidates = {2048, 4096, 8192, 16384, 32768},
    .candidate_count = 5,
    .defaults = {{8192, 8192, 8192}}};

const sparcl_tunable spc_tunable_sort_digit_bits = {
    .name = "sort.digit_bits",
    .description = "maximum bits of a radix digit within a bucket",
    .kernels = SPARCL_CLASS_CPU,
    SPC_CLASSES(spc_size_classes),
    .minimum = 8,
    .maximum = 13,
    .candidates = {8, 9, 11, 13},
    .candidate_count = 4,
    .defaults = {{11, 11, 11}}};

const sparcl_tunable spc_tunable_sort_stream = {
    .name = "sort.stream",
    .description = "write sorted items with non-temporal stores: 0 no, 1 yes",
    .kernels = SPARCL_CLASS_CPU,
    SPC_CLASSES(spc_size_classes),
    SPC_SWITCH,
    .defaults = {{0, 0, 1}}};

const sparcl_tunable spc_tunable_sort_serial_items = {
    .name = "sort.serial_items",
    .description = "items, times the cores, up to which a single core sorts faster than several",
    .kernels = SPARCL_CLASS_CPU,
    SPC_CLASSES(spc_no_classes),
    .minimum = 0,
    .maximum = 1 << 24,
    .candidates = {1 << 15, 1 << 17, 1 << 18, 1 << 19},
    .candidate_count = 4,
    .defaults = {{1 << 18}}};

int spc_bucket_class(const spc_bucket_source *source) {
    return spc_size_class(source->n, 1, 2 * sizeof(int32_t));
}
