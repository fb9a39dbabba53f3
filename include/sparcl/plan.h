/* plan.h: the format of a result, and the format of a matrix that is the fastest for a product on a
 * device, by a cost model. */
#ifndef SPARCL_PLAN_H
#define SPARCL_PLAN_H

#include "sparcl/context.h"
#include "sparcl/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The formats that a plan chooses from: the first ones, without BSR. */
enum { SPARCL_FORMATS = 5 };

/** "dense", "csr", "csc", "coo", "rows"; "?" for any other number. */
SPARCL_EXPERIMENTAL_API const char *sparcl_format_name(sparcl_format format);

/** The points of a measurement: widths of the dense operand (1, 4, 16, 64, 256 columns), bytes of
 * it that a product reads repeatedly (2^13, 2^15, 2^18, 2^20, 2^22, 2^24, 2^26), and bytes of a
 * dense matrix (2^20, 2^22, 2^27). */
enum { SPARCL_PLAN_WIDTHS = 5, SPARCL_PLAN_WORKING_SETS = 7, SPARCL_PLAN_SIZES = 3 };

/** The measured times of a device: seconds, in a queue that does not run empty. */
typedef struct sparcl_calibration {
    double call[2]; /**< a product with almost no work; a small one that runs on all cores */
    /** Per stored entry in sparcl_spmm. */
    double entry[SPARCL_PLAN_WIDTHS][SPARCL_PLAN_WORKING_SETS];
    double row[2][SPARCL_PLAN_WIDTHS];     /**< per row of the result: sparcl_spmm, sparcl_spmm_t */
    double empty[2][SPARCL_PLAN_WIDTHS];   /**< the same, for a row without entries in A */
    double transposed[SPARCL_PLAN_WIDTHS]; /**< per entry in sparcl_spmm_t with a pattern that was
                                                used before, as a multiple of that in sparcl_spmm */
    double dense[2][SPARCL_PLAN_WIDTHS][SPARCL_PLAN_SIZES]; /**< per element of a dense matrix: not
                                                                 transposed, and transposed */
    double convert; /**< per entry, from sorted COO to CSR */
    double pattern; /**< per entry in sparcl_pattern_build */
    double seconds; /**< of the measurement itself */
    uint64_t reserved[2];
} sparcl_calibration;

/**
 * Measure the device of a context, which takes about ten seconds on a CPU with two cores. If it was
 * measured before with this driver and these kernels, the result stored in the cache folder
 * (desc.cache_dir) is used instead.
 *
 * `force`, if not 0, measures in any case, and stores the new result.
 * Host      waits for the device.
 * Errors    E_ARG, E_MEMORY, E_BUILD, E_OPENCL; *calibration is then zeroed.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_calibrate(sparcl_ctx *ctx, int force, sparcl_calibration *calibration);

/** How the entries of a matrix are distributed over its columns, or rows: this decides how much of
 * B stays in a cache. Rows without entries cost little in runs of at least SPARCL_PLAN_RUN. */
enum { SPARCL_PLAN_FRACTIONS = 12, SPARCL_PLAN_RUN = 32 };
/** The distribution of the entries over the columns, or the rows. */
typedef struct sparcl_plan_distribution {
    int64_t used;          /**< number of columns, or rows, that have an entry */
    int64_t empty_in_runs; /**< number of those without an entry that lie in runs of SPARCL_PLAN_RUN
                                or more */
    double fraction[SPARCL_PLAN_FRACTIONS]; /**< fraction of the entries in the 4^0, 4^1, ...
                                                 columns, or rows, with the most entries */
} sparcl_plan_distribution;

/** The properties of a matrix A and of a product that a plan is based on. */
typedef struct sparcl_plan_case {
    int64_t rows, cols, nnz;                    /**< of A */
    sparcl_plan_distribution cols_distribution; /**< of its entries over the columns */
    sparcl_plan_distribution rows_distribution; /**< of its entries over the rows */
    int64_t n;                                  /**< columns of B */
    int transposed;                             /**< transpose(A) * B, not A * B */
    uint64_t reserved[2];
} sparcl_plan_case;

/**
 * Fill in the sizes and the distributions of a CSR matrix in host memory; the other fields are
 * unchanged. `indices` are of type `type`. Needs 8 bytes of host memory per row or column, or per
 * entry where these are few compared to the columns.
 *
 * Errors    E_ARG: offsets do not ascend from 0, or an index is out of range; E_MEMORY.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_plan_inspect(
    sparcl_plan_case *about, int64_t rows, int64_t cols, const int64_t *offsets,
    const void *indices, sparcl_itype type, const sparcl_allocator *allocator, sparcl_error *error);

/** One format, and its predicted times. */
typedef struct sparcl_plan_line {
    sparcl_format format; /**< of A */
    int fits;             /**< on the device, with B and the result */
    double bytes;         /**< of A in this format, f32 */
    double seconds;       /**< of one product, with A already in this format; predicted */
    double prepare;       /**< once, to build a pattern where the product needs one; predicted */
    char reason[160];     /**< a sentence */
} sparcl_plan_line;

/** All formats. Those that fit come first, ordered by time; a format that needs preparation counts
 * as an eighth slower. */
typedef struct sparcl_plan {
    sparcl_plan_line lines[SPARCL_FORMATS]; /**< the best first */
} sparcl_plan;

/**
 * Choose a format for C = A * B or transpose(A) * B, with B and C dense: plan->lines[0].
 *
 * Method    seconds are counts times measured times, interpolated by powers between the measured
 *           points.
 * Errors    E_ARG: NULL, sizes that are negative or contradict each other, a calibration that was
 *           not measured. *plan is then zeroed.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_choose(const sparcl_calibration *calibration, const sparcl_device *device,
              const sparcl_plan_case *about, sparcl_plan *plan, sparcl_error *error);

/* --- the format of a result ------------------------------------------------------------------- */

/** What an operation does, as far as the format of its result depends on it. */
typedef enum sparcl_format_of {
    SPARCL_FORMAT_OF_MATMUL = 0,   /**< the product of two matrices, as they are */
    SPARCL_FORMAT_OF_MATMUL_T = 1, /**< transpose(A) * B */
    SPARCL_FORMAT_OF_SDDMM = 2,    /**< a pattern, and two dense factors */
    SPARCL_FORMAT_OF_SUM = 3,      /**< a sum, or difference, of any number of arrays */
    SPARCL_FORMAT_OF_MULTIPLY = 4, /**< the product of two arrays element by element */
    SPARCL_FORMAT_OF_BROADCAST =
        5, /**< a matrix times, or divided by, a dense vector for its rows or columns */
    SPARCL_FORMAT_OF_SCALE = 6,         /**< times or divided by a number */
    SPARCL_FORMAT_OF_SHIFT = 7,         /**< plus a number that is not 0, and what else changes 0 */
    SPARCL_FORMAT_OF_ZERO_FUNCTION = 8, /**< f of each element, f(0) = 0; clip with 0 inside */
    SPARCL_FORMAT_OF_FUNCTION = 9,      /**< f of each element, f(0) is not 0 */
    SPARCL_FORMAT_OF_REDUCTION = 10,    /**< sums, maxima, ... of rows, columns or all elements */
    SPARCL_FORMAT_OF_SOFTMAX = 11,      /**< of the stored entries of rows */
    SPARCL_FORMAT_OF_SELECTION = 12,    /**< slices, selections, concatenation, reshape */
    SPARCL_FORMAT_OF_EMBEDDING_GRADIENT = 13 /**< by the table that is the operand */
} sparcl_format_of;

/**
 * *result := the format that the result has, as MXNet infers storage types, but never a dense one
 * of sparse arrays alone where there is a sparse one. docs/operations has the table, and which
 * function computes what. CSR results of SDDMM, BROADCAST, SCALE, ZERO_FUNCTION and SOFTMAX have
 * the pattern of their operand: the function gives their values. The transposed product can be
 * dense, too, where the caller's view is.
 *
 * Errors    E_UNSUPPORTED: no function has these operands, or the result would be dense: convert
 *           first (sparcl_csr_to_dense, ...); E_ARG: an unknown operation, NULL, or not as many
 *           operands as the operation has. *result is then unchanged.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_result_format(
    sparcl_format_of operation, const sparcl_format *operands, int count, sparcl_format *result);

#ifdef __cplusplus
}
#endif

#endif
