/* tune.h: what decides how fast the operations of a context go, and never what they compute. */
#ifndef SPARCL_TUNE_H
#define SPARCL_TUNE_H

#include "sparcl/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A tunable is a whole number that an operation looks at when it is called: how far ahead to ask
 * for memory, how much work a worker should have. It has a value for each class of inputs, such as
 * "products with 8 to 31 columns and a B that fits in no cache". Results are the same bits for
 * every value; scratch memory may differ, and a context that is opened for a forecast counts it
 * with the values in force.
 *
 * A tuning is the values of all tunables, as text. A context takes that of desc.tuning, or what was
 * stored beside the kernel cache for this device, driver and class of kernels, and for these
 * kernels.
 *
 *     sparcl tuning 1
 *     # tunable, class or * for all, value; and how it was found, where it was measured
 *     spmm.prefetch n32.beyond 32 gain=1.083 spread=0.012 when=1763751600
 *     sort.buckets * 0
 *
 * The first line is always the same. A class is set once. What is not set is the default.
 *
 * Host: no function here launches anything or waits for the device.
 */

enum { SPARCL_TUNE_CLASSES = 9, SPARCL_TUNE_CANDIDATES = 6 };

/** What a tunable is. */
typedef struct sparcl_tunable {
    const char *name;           /**< such as "spmm.ahead" */
    const char *what;           /**< what it does, a sentence */
    sparcl_class kernels;       /**< the class of kernels that looks at it; auto: both */
    const char *const *classes; /**< names of the classes of inputs */
    int class_count;            /**< how many names */
    int32_t minimum, maximum;   /**< legal values */
    int32_t candidates[SPARCL_TUNE_CANDIDATES]; /**< values worth trying */
    int candidate_count;                        /**< how many of them there are */
    int32_t defaults[2][SPARCL_TUNE_CLASSES];   /**< of kernels for CPUs, and for GPUs */
} sparcl_tunable;

/** A value in force. */
typedef struct sparcl_tuned {
    int32_t value; /**< between `minimum` and `maximum` of the tunable */
    double gain;   /**< what it was measured to gain: the default's seconds by its own */
    double spread; /**< of that quotient: it is uncertain by so much */
    int64_t when;  /**< seconds since 1970; 0: was not measured */
} sparcl_tuned;

/** How many tunables there are. */
SPARCL_API int sparcl_tune_count(void);
/** Tunable 0 .. count - 1, which lives as long as the library; NULL for another number. */
SPARCL_API const sparcl_tunable *sparcl_tune_at(int tunable);

/**
 * The value in force for a class of inputs.
 *
 * Errors    E_ARG: NULL, or there is no such tunable or class; *tuned is then zeroed.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_tune_get(sparcl_ctx *ctx, int tunable,
                                                           int input_class, sparcl_tuned *tuned);

/**
 * Set a value, from the next call of an operation on. Does not wait, and stores nothing.
 *
 * Errors    E_ARG: as above, or a value that is not legal, or a gain, spread or time that is
 *           negative or not finite; nothing is then set.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_tune_set(sparcl_ctx *ctx, int tunable,
                                                           int input_class,
                                                           const sparcl_tuned *tuned);

/**
 * Was the value looked at since the context was opened or last told to forget that? So it shows
 * which tunables, in which class, decide how fast a call goes. 0 where there is no such class.
 */
SPARCL_API int sparcl_tune_used(const sparcl_ctx *ctx, int tunable, int input_class);
/** Forget which values were looked at. */
SPARCL_API void sparcl_tune_forget_used(sparcl_ctx *ctx);

/**
 * The tuning in force, as a text that desc.tuning takes: what was measured or is not the default.
 * Writes at most `room` bytes with the final NUL, so it may be cut; returns how many it has without
 * it. `text` may be NULL where `room` is 0.
 */
SPARCL_API size_t sparcl_tune_text(const sparcl_ctx *ctx, char *text, size_t capacity);

/**
 * Store the tuning in force beside the kernel cache (desc.cache_dir), for contexts that are opened
 * later for this device, driver and class of kernels, with the same kernels.
 *
 * Errors    E_ARG; E_IO: there is no cache, or it could not be written; what was stored before
 *           stays.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_tune_store(sparcl_ctx *ctx);

#ifdef __cplusplus
}
#endif

#endif
