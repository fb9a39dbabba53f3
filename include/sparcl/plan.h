/* plan.h: which form of a matrix suits a product on a device, from a cost model. */
#ifndef SPARCL_PLAN_H
#define SPARCL_PLAN_H

#include "sparcl/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The forms that a matrix may be kept in. */
typedef enum sparcl_format {
    SPARCL_FORMAT_DENSE = 0,
    SPARCL_FORMAT_CSR = 1,
    SPARCL_FORMAT_CSC = 2,
    SPARCL_FORMAT_COO = 3, /**< sorted by row; becomes CSR in each product */
    SPARCL_FORMAT_ROWS = 4 /**< row-sparse: the rows that have an entry, each whole */
} sparcl_format;
enum { SPARCL_FORMATS = 5 };

/** "dense", "csr", "csc", "coo", "rows"; "?" for any other number. */
SPARCL_API const char *sparcl_format_name(sparcl_format format);

/** What a device is measured at: widths of the dense operand (1, 4, 16, 64, 256 columns), bytes of
 * it that a product reads again and again (2^13, 2^15, 2^18, 2^20, 2^22, 2^24, 2^26), and bytes of
 * a dense matrix (2^20, 2^22, 2^27). */
enum { SPARCL_PLAN_WIDTHS = 5, SPARCL_PLAN_SETS = 7, SPARCL_PLAN_SIZES = 3 };

/** What a device was measured to do: seconds, in a queue that does not run empty. */
typedef struct sparcl_calibration {
    double call[2]; /**< a product with next to nothing to do; one small but shared by all cores */
    double entry[SPARCL_PLAN_WIDTHS][SPARCL_PLAN_SETS]; /**< a stored entry in sparcl_spmm */
    double row[2][SPARCL_PLAN_WIDTHS]; /**< a row of the result: of sparcl_spmm, of sparcl_spmm_t */
    double empty[2][SPARCL_PLAN_WIDTHS];   /**< the same without an entry in A */
    double transposed[SPARCL_PLAN_WIDTHS]; /**< an entry in sparcl_spmm_t with a pattern that was
                                          used before, as a multiple of one in sparcl_spmm */
    double dense[2][SPARCL_PLAN_WIDTHS][SPARCL_PLAN_SIZES]; /**< an element of a dense matrix, as it
                                                               is, and transposed */
    double convert;                                         /**< an entry from sorted COO to CSR */
    double pattern;                                         /**< an entry in sparcl_pattern_build */
    double took;                                            /**< the measurement itself */
    uint64_t reserved[2];
} sparcl_calibration;

/**
 * Measure the device of a context, in some ten seconds on a CPU of two cores; or, where it has been
 * measured before with this driver and these kernels, take what is kept beside the kernel cache
 * (desc.cache_dir).
 *
 * `again` measures in any case, and keeps the new result.
 * Host      waits for the device.
 * Errors    E_ARG, E_MEMORY, E_BUILD, E_OPENCL; *calibration is then zeroed.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_calibrate(sparcl_ctx *ctx, int again,
                                                            sparcl_calibration *calibration);

/** How far a matrix spreads over its columns, or rows: what a cache can hold of B. Rows without an
 * entry cost little where at least SPARCL_PLAN_RUN of them lie together. */
enum { SPARCL_PLAN_FRACTIONS = 12, SPARCL_PLAN_RUN = 32 };
/** The spread over the columns, or the rows. */
typedef struct sparcl_plan_spread {
    int64_t used;     /**< those that have an entry */
    int64_t together; /**< those without that lie together, so many and more */
    double fraction[SPARCL_PLAN_FRACTIONS]; /**< of the entries: in the 4^0, 4^1, ... fullest of
                                                them */
} sparcl_plan_spread;

/** What a plan needs to know of a matrix A and of the product that it is for. */
typedef struct sparcl_plan_case {
    int64_t rows, cols, nnz;                     /**< of A */
    sparcl_plan_spread cols_spread, rows_spread; /**< of its entries */
    int64_t n;                                   /**< columns of B */
    int transposed;                              /**< transpose(A) * B, not A * B */
    uint64_t reserved[2];
} sparcl_plan_case;

/**
 * Find sizes and spreads of a matrix in host memory by compressed rows; the other fields stay.
 * `indices` are of type `type`. Takes 8 bytes of host memory a row or column, or an entry of a
 * matrix that has few for its columns.
 *
 * Errors    E_ARG: offsets do not ascend from 0, or an index is out of range; E_MEMORY.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_plan_look(sparcl_plan_case *about, int64_t rows,
                                                            int64_t cols, const int64_t *offsets,
                                                            const void *indices, sparcl_itype type,
                                                            const sparcl_allocator *allocator,
                                                            sparcl_error *error);

/** One form, and what is predicted of it. */
typedef struct sparcl_plan_line {
    sparcl_format format; /**< of A */
    int fits;             /**< on the device, with B and the result */
    double bytes;         /**< of A in this form, f32 */
    double seconds;       /**< of one product, where the form has been made; predicted */
    double prepare;       /**< once for a pattern, where the product needs one; predicted */
    char reason[160];     /**< a sentence */
} sparcl_plan_line;

/** All forms: those that fit first, the fastest of them first of all; one that is to be prepared
 * counts as an eighth slower. */
typedef struct sparcl_plan {
    sparcl_plan_line lines[SPARCL_FORMATS]; /**< the best first */
} sparcl_plan;

/**
 * Choose a form for C = A * B or transpose(A) * B, with B and C dense: plan->lines[0].
 *
 * Method    seconds are counts times what was measured, between the points measured by powers.
 * Errors    E_ARG: NULL, sizes that are negative or contradict each other, a calibration that was
 *           not measured. *plan is then zeroed.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_choose(const sparcl_calibration *calibration,
                                                         const sparcl_device *device,
                                                         const sparcl_plan_case *about,
                                                         sparcl_plan *plan, sparcl_error *error);

#ifdef __cplusplus
}
#endif

#endif
