/* profile.h: measures the time of each kernel and transfer of a context on the device. */
#ifndef SPARCL_PROFILE_H
#define SPARCL_PROFILE_H

#include "sparcl/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A context that was opened with desc.profile records the device time of each kernel and each
 * transfer, by OpenCL's event profiling. Any other context records nothing, at no cost. The queue
 * is in order, so these times do not overlap: the rest of a run's time is spent on the host, or the
 * device waits for the host.
 */

/** The kinds of commands. */
typedef enum sparcl_profile_kind {
    SPARCL_PROFILE_KERNEL = 0,
    SPARCL_PROFILE_READ = 1,  /**< from the device to the host */
    SPARCL_PROFILE_WRITE = 2, /**< from the host to the device */
    SPARCL_PROFILE_COPY = 3,  /**< inside the device */
    SPARCL_PROFILE_FILL = 4
} sparcl_profile_kind;

/** The sum of all commands of one kind: of one kernel, or of one kind of transfer. */
typedef struct sparcl_profile_line {
    sparcl_profile_kind kind; /**< kind of the commands */
    char name[48];  /**< name of the kernel (clblast for dense products by CLBlast), or read, ... */
    int variant;    /**< 1: the second variant of the kernel, such as the product with the
                         transpose */
    int64_t count;  /**< number of commands */
    int64_t bytes;  /**< bytes of the transfers; 0 for kernels */
    double seconds; /**< sum over the commands, from start to end */
    int64_t groups; /**< work-groups of the kernels; 0 for transfers and CLBlast */
    int64_t items;  /**< their work-items */
} sparcl_profile_line;

/** What was done for one node of a graph, or for the step of a parameter, in all runs. Nodes of two
 * graphs with the same number, operation and operands are one part. */
typedef struct sparcl_profile_part {
    int node;           /**< its number */
    char operation[32]; /**< as in sparcl_operation_info; or step, catch_up (rows with missed steps)
                             or pattern (the transpose of a matrix), of the node */
    char of[96];        /**< the operands: names of inputs and parameters, numbers of nodes */
    int64_t runs;       /**< how often */
    int64_t commands;   /**< kernels and transfers */
    int64_t bytes; /**< that are moved if each operand is read once and each result is written once:
                        of row-sparse arrays the rows that they have room for; of a table of which
                        rows are read, one for each entry, at most all */
    double seconds; /**< sum over the commands, from start to end */
} sparcl_profile_part;

/** Everything recorded since the context was opened, or since the last reset. */
typedef struct sparcl_profile {
    const sparcl_profile_line *lines; /**< owned by the context, valid until the next call on it;
                                           sorted by time */
    int count;                        /**< number of lines */
    double build_seconds; /**< on the host: program builds, and first launches, in which some
                               drivers compile */
    const sparcl_profile_part *parts; /**< in the order of the first run that had them; as `lines`;
                                           what graphs do not do is in no part */
    int part_count;                   /**< number of parts */
} sparcl_profile;

/**
 * The times of the work so far.
 *
 * Host      waits for the device.
 * Errors    E_ARG: NULL, or the context was opened without desc.profile; E_MEMORY: a command could
 *           not be recorded; E_OPENCL, also where the device does not report its times. *profile is
 *           then zeroed.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_profile_read(sparcl_ctx *ctx, sparcl_profile *profile);

/** Discard everything recorded so far. Waits for the device; errors as those of
 * sparcl_profile_read. */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_profile_reset(sparcl_ctx *ctx);

/** Number of kernels that the context has launched, with or without desc.profile; does not wait. */
SPARCL_EXPERIMENTAL_API int64_t sparcl_ctx_launches(const sparcl_ctx *ctx);
/** Number of times that the host waited for all work: for reads and writes of buffers, and in
 * sparcl_ctx_finish. */
SPARCL_EXPERIMENTAL_API int64_t sparcl_ctx_waits(const sparcl_ctx *ctx);

#ifdef __cplusplus
}
#endif

#endif
