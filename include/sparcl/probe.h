/* probe.h: tests the arithmetic of a device, builds all kernels, and measures memory traffic. */
#ifndef SPARCL_PROBE_H
#define SPARCL_PROBE_H

#include "sparcl/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The arithmetic of a device, tested in kernels with the library's build options. */
typedef struct sparcl_probe {
    int flushes_inputs;       /**< subnormal operands are treated as zero */
    int flushes_results;      /**< subnormal results become zero */
    int contracts;            /**< a * b + c is rounded only once although contraction is off */
    int reorders_sums;        /**< changes the order of a serial sum without the library's mark */
    int reorders_in_order;    /**< changes it even with this mark, which all sums of the library
                                   have */
    int plain_divide_correct; /**< plain a / b, without a build option, is correctly rounded */
    int plain_sqrt_correct;   /**< the same for sqrt */
    int divide_correct; /**< a / b as the library computes it on this device is correctly rounded */
    int sqrt_correct;   /**< the same for the square root */
    int software_divide_correct; /**< the library's own integer division is correctly rounded, used
                                      on this device or not */
    int software_sqrt_correct;   /**< the same for its square root */
    int conversions_correct;     /**< float to int truncates, int to float rounds to nearest even */
    int64_t loop_limit; /**< the loops of a work-item end after this number of iterations in total;
                             0: no limit */
    int loops_correct;  /**< there is no limit, or the library knows it for this device */
    int64_t cases;      /**< number of divisions, and of roots, that were tested */
    char first_error[160]; /**< the first wrong result, or "" */
} sparcl_probe;

/**
 * Test the arithmetic of a context's device.
 *
 * Method    divisions and roots are compared with exact integer arithmetic, for numbers whose
 *           results lie closest to the middle of two floats, with subnormal numbers where the
 *           device supports them. Sums are compared with the sum in order.
 * Promise   the results of the library have the same bits everywhere (docs/numerics.md) where
 *           contracts and reorders_in_order are 0 and divide_correct, sqrt_correct,
 *           conversions_correct and loops_correct are 1; where subnormal numbers are flushed, only
 *           in the normal range.
 * Host      waits for the device.
 * Errors    E_ARG: NULL; E_BUILD, E_MEMORY, E_OPENCL. *probe is then zeroed.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_ctx_probe(sparcl_ctx *ctx,
                                                                         sparcl_probe *probe);

/**
 * Build every kernel program of the library with its default options now, to check that all build
 * or to fill the cache. Continues after one that does not build.
 *
 * *built and *failed, where not NULL, become the numbers of programs.
 * Errors    that of the first program that failed; sparcl_ctx_build_log has its compiler's output.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_ctx_build_all(sparcl_ctx *ctx,
                                                                             int *built,
                                                                             int *failed);

/** The kinds of memory traffic; x, y and z are [rows, width] in F32, and z is [1] where only reads
 * are measured. */
typedef enum sparcl_traffic_kind {
    SPARCL_TRAFFIC_NONE = 0, /**< an empty kernel of one work-item; uses no array */
    SPARCL_TRAFFIC_READ,     /**< reads x; z[0] := infinity if an element of x is infinite, else z
                                  is unchanged */
    SPARCL_TRAFFIC_WRITE,    /**< z := 1 */
    SPARCL_TRAFFIC_COPY,     /**< z := x */
    SPARCL_TRAFFIC_TRIAD,    /**< z := x + y / 2 */
    SPARCL_TRAFFIC_GATHER,   /**< as READ, of the rows ids[0], ids[1], ... */
    SPARCL_TRAFFIC_UPDATE    /**< z := z / 2 + x for these rows; ids must be unique */
} sparcl_traffic_kind;

/** Memory traffic whose only purpose is to measure how long it takes. */
typedef struct sparcl_traffic {
    sparcl_traffic_kind kind; /**< kind of traffic */
    sparcl_buf *x, *y, *z;    /**< F32, [rows, width]: the arrays that `kind` uses */
    int64_t rows, width;      /**< width is a multiple of 16 */
    sparcl_buf *ids;          /**< int32; an index out of range means the last row */
    int64_t ids_count;        /**< length of ids */
    int non_temporal; /**< WRITE, COPY, TRIAD: non-temporal stores, where the compiler supports
                          them */
    uint64_t reserved[2];
} sparcl_traffic;

/**
 * Read and write memory as traffic->kind says, with kernels of the context's class: the upper bound
 * of the speed of an operation with the same traffic.
 *
 * Host      returns after enqueueing; never waits for the device.
 * Errors    E_ARG, E_SHAPE: nothing was enqueued; E_BUILD, E_MEMORY, E_OPENCL.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_ctx_traffic(sparcl_ctx *ctx, const sparcl_traffic *traffic);

#ifdef __cplusplus
}
#endif

#endif
