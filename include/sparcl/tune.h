/* tune.h: tunables: integers that decide how fast operations run, and never what they compute. */
#ifndef SPARCL_TUNE_H
#define SPARCL_TUNE_H

#include "sparcl/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A tunable is an integer that an operation reads when it is called, such as a prefetch distance or
 * the amount of work per work-item. It has one value for each class of inputs, such as "products
 * with 8 to 31 columns and a B larger than the caches". Results are the same bits for every value;
 * scratch memory may differ, and a forecast context counts it with the current values.
 *
 * A tuning is the values of all tunables, as text. A context uses desc.tuning, or the tuning that
 * was stored in the cache folder for this device, driver, class of kernels and version of the
 * kernels.
 *
 *     sparcl tuning 1
 *     # tunable, class or * for all, value; and how it was measured, if it was
 *     spmm.prefetch n32.beyond 32 gain=1.083 spread=0.012 when=1763751600
 *     sort.buckets * 0
 *
 * The first line is always the same. Each class may be set only once. A class that is not set has
 * the default.
 *
 * Host: no function here launches anything or waits for the device.
 */

enum { SPARCL_TUNE_CLASSES = 9, SPARCL_TUNE_CANDIDATES = 6 };

/** The description of a tunable. */
typedef struct sparcl_tunable {
    const char *name;           /**< such as "spmm.prefetch" */
    const char *description;    /**< one sentence */
    sparcl_class kernels;       /**< the class of kernels that uses it; auto: both */
    const char *const *classes; /**< names of the classes of inputs */
    int class_count;            /**< number of names */
    int32_t minimum, maximum;   /**< legal values */
    int32_t candidates[SPARCL_TUNE_CANDIDATES]; /**< values worth trying */
    int candidate_count;                        /**< number of candidates */
    int32_t defaults[2][SPARCL_TUNE_CLASSES];   /**< for kernels of class CPU, and of class GPU */
} sparcl_tunable;

/** The current value of a tunable for a class of inputs. */
typedef struct sparcl_tuned {
    int32_t value; /**< between `minimum` and `maximum` of the tunable */
    double gain;   /**< measured gain: seconds with the default divided by seconds with this
                        value */
    double spread; /**< uncertainty of that quotient */
    int64_t when;  /**< time of the measurement, in seconds since 1970; 0: not measured */
} sparcl_tuned;

/** The number of tunables. */
SPARCL_EXPERIMENTAL_API int sparcl_tune_count(void);
/** Tunable 0 .. count - 1, which is a constant of the library; NULL for another number. */
SPARCL_EXPERIMENTAL_API const sparcl_tunable *sparcl_tune_at(int tunable);

/**
 * The current value for a class of inputs.
 *
 * Errors    E_ARG: NULL, or there is no such tunable or class; *tuned is then zeroed.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_tune_get(sparcl_ctx *ctx,
                                                                        int tunable,
                                                                        int input_class,
                                                                        sparcl_tuned *tuned);

/**
 * Set a value, from the next call of an operation on. Does not wait, and does not store it.
 *
 * Errors    E_ARG: as above, or a value that is not legal, or a gain, spread or time that is
 *           negative or not finite; nothing is then set.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_tune_set(sparcl_ctx *ctx,
                                                                        int tunable,
                                                                        int input_class,
                                                                        const sparcl_tuned *tuned);

/**
 * Returns 1 if an operation has read the value since the context was opened, or since
 * sparcl_tune_reset_used. This shows which tunables, in which class, decide how fast a call runs.
 * 0 where there is no such class.
 */
SPARCL_EXPERIMENTAL_API int sparcl_tune_used(const sparcl_ctx *ctx, int tunable, int input_class);
/** Start to record again which values are read. */
SPARCL_EXPERIMENTAL_API void sparcl_tune_reset_used(sparcl_ctx *ctx);

/**
 * The current tuning as text for desc.tuning: the values that were measured or differ from the
 * default. Writes at most `capacity` bytes including the final NUL, so the text may be truncated;
 * returns its full length without the NUL. `text` may be NULL where `capacity` is 0.
 */
SPARCL_EXPERIMENTAL_API size_t sparcl_tune_text(const sparcl_ctx *ctx, char *text, size_t capacity);

/**
 * Store the current tuning in the cache folder (desc.cache_dir), for contexts that are opened later
 * for this device, driver and class of kernels, with the same version of the kernels.
 *
 * Errors    E_ARG; E_IO: there is no cache folder, or it could not be written; a tuning stored
 *           before is unchanged.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_tune_store(sparcl_ctx *ctx);

#ifdef __cplusplus
}
#endif

#endif
