/* tuned.h: the values of tunables in a context. An operation declares a tunable in its own file, as
 * spc_tunable_<name>, and reads its value with spc_tuned. No value may change a bit of a result. */
#ifndef SPC_TUNE_TUNED_H
#define SPC_TUNE_TUNED_H

#include "device/ctx.h"
#include "sparcl/tune.h"

/* All tunables: an id, and the name of the description. */
#define SPC_TUNABLES(X)                                                                            \
    X(SPMM_PREFETCH, spmm_prefetch)                                                                \
    X(SPMM_STREAM, spmm_stream)                                                                    \
    X(SPMM_NO_GATHER, spmm_no_gather)                                                              \
    X(SPMM_PACK, spmm_pack)                                                                        \
    X(SPMM_T_FILL, spmm_t_fill)                                                                    \
    X(SPMM_T_DIRECT, spmm_t_direct)                                                                \
    X(SPMM_T_SCATTER, spmm_t_scatter)                                                              \
    X(PRODUCT_GRAIN, product_grain)                                                                \
    X(ROWS_PREFETCH, rows_prefetch)                                                                \
    X(ROWS_GRAIN, rows_grain)                                                                      \
    X(SORT_BUCKETS, sort_buckets)                                                                  \
    X(SORT_BUCKET_ITEMS, sort_bucket_items)                                                        \
    X(SORT_DIGIT_BITS, sort_digit_bits)                                                            \
    X(SORT_STREAM, sort_stream)                                                                    \
    X(SORT_SERIAL_ITEMS, sort_serial_items)                                                        \
    X(SCAN_GRAIN, scan_grain)                                                                      \
    X(SELECT_GRAIN, select_grain)                                                                  \
    X(WORKERS, workers)                                                                            \
    X(ELEMENTWISE_GRAIN, elementwise_grain)                                                        \
    X(ELEMENTWISE_GROUPS, elementwise_groups)

typedef enum spc_tune_id {
#define SPC_TUNE_ID(id, name) SPC_TUNE_##id,
    SPC_TUNABLES(SPC_TUNE_ID)
#undef SPC_TUNE_ID
        SPC_TUNE_COUNT
} spc_tune_id;

#define SPC_TUNE_DECLARE(id, name) extern const sparcl_tunable spc_tunable_##name;
SPC_TUNABLES(SPC_TUNE_DECLARE)
#undef SPC_TUNE_DECLARE

/* The current value; costs some nanoseconds. */
int32_t spc_tuned(const sparcl_ctx *ctx, spc_tune_id id, int input_class);

/* --- classes of inputs: names for a description, and the class of an input ---------------------
 */

#define SPC_CLASSES(names) .classes = (names), .class_count = (int)SPC_COUNT(names)

/* The values of a tunable that is off, 0, or on, 1. */
#define SPC_SWITCH .minimum = 0, .maximum = 1, .candidates = {0, 1}, .candidate_count = 2

/* "any": all inputs. */
extern const char *const spc_no_classes[1];

/* By columns: n1, n2 (to 7), n8 (to 31: a vector), n32 (two and more). */
extern const char *const spc_width_classes[4];
int spc_width_class(int64_t n);

/* By bytes: fits the cache of a core, that of the machine, or neither; approximately. */
extern const char *const spc_size_classes[3];
int spc_size_class(int64_t rows, int64_t columns, size_t size);

/* By elements of work, rows * columns: some microseconds, some tens of microseconds, more. */
extern const char *const spc_work_classes[3];
int spc_work_class(int64_t rows, int64_t columns);

/* By columns, at least two, and bytes: n2.core ... n32.beyond. */
extern const char *const spc_panel_classes[9];
static inline int spc_panel_class(int width_class, int size_class) {
    return 3 * (width_class - 1) + size_class;
}

typedef struct spc_tuning spc_tuning;
/* --- the tuning of a context --------------------------------------------------------------------
 */

struct spc_tuning {
    sparcl_tuned at[SPC_TUNE_COUNT][SPARCL_TUNE_CLASSES];
    uint32_t used[SPC_TUNE_COUNT]; /* bit c: the value of class c was read */
};

/* Set all defaults, for this class of kernels. */
void spc_tuning_default(spc_tuning *tuning, bool is_gpu);
/* Read a text; on an error the tuning is not changed. */
sparcl_status spc_tuning_read(spc_tuning *tuning, bool is_gpu, const char *text,
                              sparcl_error *error);
/* Open the tuning of a context whose device is open, from desc.tuning (NULL: the stored tuning). */
sparcl_status spc_tuning_open(sparcl_ctx *ctx, const char *text, sparcl_error *error);

#endif
