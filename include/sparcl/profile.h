/* profile.h: where the time of a context's work goes, told by the device itself. */
#ifndef SPARCL_PROFILE_H
#define SPARCL_PROFILE_H

#include "sparcl/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A context that was opened with desc.profile notes for each kernel and each transfer how long the
 * device worked on it, by OpenCL's own event profiling. Nothing is noted, and nothing is paid for
 * it, in any other context. The queue is in order, so these times do not overlap: what a run takes
 * beyond their sum went to the host, and to the device's waiting for it.
 */

/** What a command does. */
typedef enum sparcl_profile_kind {
    SPARCL_PROFILE_KERNEL = 0,
    SPARCL_PROFILE_READ = 1,  /**< from the device to the host */
    SPARCL_PROFILE_WRITE = 2, /**< from the host to the device */
    SPARCL_PROFILE_COPY = 3,  /**< inside the device */
    SPARCL_PROFILE_FILL = 4
} sparcl_profile_kind;

/** All commands of one kind: of a kernel, or of a way to move memory. */
typedef struct sparcl_profile_line {
    sparcl_profile_kind kind; /**< what the commands do */
    char name[48];  /**< of the kernel (of dense products by CLBlast: clblast), or read, ... */
    int variant;    /**< the kernel's second form, such as the product with the transpose */
    int64_t count;  /**< of commands */
    int64_t bytes;  /**< that transfers moved; 0 for kernels */
    double seconds; /**< from a command's start to its end, summed */
} sparcl_profile_line;

/** What was noted since the context was opened, or since the last reset. */
typedef struct sparcl_profile {
    const sparcl_profile_line *lines; /**< the context's, until the next call on it; by time */
    int count;                        /**< of lines */
    double build_seconds; /**< of the host: building programs, and first launches, in which some
                               drivers compile */
} sparcl_profile;

/**
 * What the work so far took.
 *
 * Host      waits for the device.
 * Errors    E_ARG: NULL, or the context was opened without desc.profile; E_MEMORY: there was none
 *           to note a command; E_OPENCL, also where the device does not tell its times. *profile is
 *           then zeroed.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_profile_read(sparcl_ctx *ctx,
                                                               sparcl_profile *profile);

/** Begin again from nothing. Waits for the device; errors as those of sparcl_profile_read. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_profile_reset(sparcl_ctx *ctx);

/** How many kernels the context has launched, profile or not; does not wait. */
SPARCL_API int64_t sparcl_ctx_launches(const sparcl_ctx *ctx);

#ifdef __cplusplus
}
#endif

#endif
