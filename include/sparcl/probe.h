/* probe.h: what a device does, found out by trying, whatever it says; and building all kernels. */
#ifndef SPARCL_PROBE_H
#define SPARCL_PROBE_H

#include "sparcl/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What the arithmetic of a device does in kernels built as the library builds its own. */
typedef struct sparcl_probe {
    int flushes_inputs;    /**< subnormal operands count as zero */
    int flushes_results;   /**< subnormal results become zero */
    int contracts;         /**< a * b + c is rounded once although contraction is off */
    int reorders_sums;     /**< changes the order of a serial sum that is not marked */
    int reorders_in_order; /**< changes it even where it is marked, as all sums of the library are
                            */
    int rounds_divide;     /**< plain a / b, without a build option, is correctly rounded */
    int rounds_root;       /**< the same of sqrt */
    int divide_right;      /**< a / b as the library does it there is correctly rounded */
    int root_right;        /**< the same of the square root */
    int own_divide_right;  /**< the library's division from integers is, used there or not */
    int own_root_right;    /**< the same of its square root */
    int conversions_right; /**< float to int cuts off, int to float rounds to nearest, even */
    int64_t loop_limit; /**< a work-item's loops end after so many rounds in all; 0: they do not */
    int loops_right;    /**< they do not, or the library knows that of this device */
    int64_t cases;      /**< how many divisions, and how many roots, were judged */
    char first_wrong[160]; /**< the first result that was not as it must be, or "" */
} sparcl_probe;

/**
 * Find out what the device of a context does.
 *
 * Judged    divisions and roots against exact integer arithmetic, on numbers whose results lie
 *           closest to the middle of two floats; subnormal numbers among them where the device
 *           keeps those. Sums against the sum in order.
 * Promise   the results of the library are the same everywhere (docs/numerics.md) where contracts
 *           and reorders_in_order are 0 and divide_right, root_right, conversions_right and
 *           loops_right are 1; where subnormal numbers are flushed, in the normal range only.
 * Host      waits for the device.
 * Errors    E_ARG: NULL; E_BUILD, E_MEMORY, E_OPENCL. *probe is then zeroed.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_ctx_probe(sparcl_ctx *ctx, sparcl_probe *probe);

/**
 * Build every kernel program of the library with its default options now, to see whether all build
 * or to fill the cache. Goes on after one that does not build.
 *
 * *built and *failed, where not NULL, count them.
 * Errors    that of the first program that failed; sparcl_ctx_build_log has its compiler's output.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_ctx_build_all(sparcl_ctx *ctx, int *built,
                                                                int *failed);

/** What a call of sparcl_ctx_traffic does; x, y and z are [rows, width] in F32, and z [1] where
 * nothing is written. */
typedef enum sparcl_traffic_kind {
    SPARCL_TRAFFIC_NONE = 0, /**< an empty kernel of one work-item; looks at no array */
    SPARCL_TRAFFIC_READ,     /**< reads x; z[0] := infinity where an element is, else z stays */
    SPARCL_TRAFFIC_WRITE,    /**< z := 1 */
    SPARCL_TRAFFIC_COPY,     /**< z := x */
    SPARCL_TRAFFIC_TRIAD,    /**< z := x + y / 2 */
    SPARCL_TRAFFIC_GATHER,   /**< as READ, of the rows that ids name, in that order */
    SPARCL_TRAFFIC_UPDATE    /**< z := z / 2 + x for these rows, each named once */
} sparcl_traffic_kind;

/** Memory that is moved for nothing but to see how long it takes. */
typedef struct sparcl_traffic {
    sparcl_traffic_kind kind; /**< what is done */
    sparcl_buf *x, *y, *z;    /**< F32, [rows, width]: those that `kind` names */
    int64_t rows, width;      /**< width is a multiple of 16 */
    sparcl_buf *ids;          /**< int32; one that is no row counts as the last row */
    int64_t ids_count;        /**< length of ids */
    int past_caches; /**< WRITE, COPY, TRIAD: store past the caches, where the compiler can */
    uint64_t reserved[2];
} sparcl_traffic;

/**
 * Move memory as traffic->kind says, with kernels of the context's class: what an operation that
 * moves as much can reach at most.
 *
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_ARG, E_SHAPE: nothing was enqueued; E_BUILD, E_MEMORY, E_OPENCL.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_ctx_traffic(sparcl_ctx *ctx,
                                                              const sparcl_traffic *traffic);

#ifdef __cplusplus
}
#endif

#endif
