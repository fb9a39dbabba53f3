/* tensor.h: element types and the views: dense, csr, csc, coo, bsr and rows (row-sparse). */
#ifndef SPARCL_TENSOR_H
#define SPARCL_TENSOR_H

#include "sparcl/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The largest number of dimensions of an array. */
#define SPARCL_MAX_RANK 8

typedef struct sparcl_ctx sparcl_ctx; /**< see context.h */
typedef struct sparcl_buf sparcl_buf; /**< see context.h */

/** Element type of values. F16 and BF16 are storage: they are computed with as F32, and a result is
 * rounded to nearest, ties to even, when it is stored. Integers and BOOL are moved and converted,
 * not computed with. Operations take F32 and F64 unless they say otherwise. */
typedef enum sparcl_dtype {
    SPARCL_F32 = 0,
    SPARCL_F64 = 1,   /**< needs a device that has it */
    SPARCL_F16 = 2,   /**< IEEE 754 binary16 */
    SPARCL_BF16 = 3,  /**< the upper 16 bits of an F32 */
    SPARCL_INT32 = 4, /**< int32_t */
    SPARCL_INT64 = 5, /**< int64_t */
    SPARCL_BOOL = 6   /**< one byte: 0 or 1 */
} sparcl_dtype;

/** Integer type of offsets and indices: int32_t or int64_t. */
typedef enum sparcl_itype { SPARCL_INDEX32 = 0, SPARCL_INDEX64 = 1 } sparcl_itype;

/** Bytes of one element. */
SPARCL_API size_t sparcl_dtype_size(sparcl_dtype dtype);
SPARCL_API size_t sparcl_itype_size(sparcl_itype itype);

/**
 * Properties of a sparse view. They are proven by sparcl_..._validate or by the operation that made
 * the view, and hold until one of its index buffers is written again or a field of the view
 * changes.
 */
enum {
    SPARCL_VALID = 1,  /**< offsets ascend from 0 to at most nnz, every index is inside the shape */
    SPARCL_SORTED = 2, /**< indices ascend: per row (csr), per column (csc), lexicographically
                          (coo), overall (rows) */
    SPARCL_UNIQUE = 4, /**< no index is stored twice; together with SORTED strictly ascending */
    SPARCL_FINITE = 8, /**< no value is NaN or infinite; checked on request, never stored */
    SPARCL_TRUSTED = 16 /**< set by the caller: VALID holds without a proof */
};

/*
 * A caller who knows more sets the complete proof: view.proof = (sparcl_proof){.flags =
 * SPARCL_TRUSTED | SPARCL_SORTED | SPARCL_UNIQUE}. Such a proof, with stamp 0, holds until the view
 * becomes the result of an operation or sparcl_..._validate finds it wrong; after that TRUSTED
 * means only VALID, and other flags hold as long as their proof does.
 */

/** The proven properties of a view; written by the library, copied with the view. */
typedef struct sparcl_proof {
    uint32_t flags;       /**< bits SPARCL_VALID, SPARCL_SORTED, ... */
    uint32_t longest_row; /**< csr and csc: no row, or column, has more entries; 0: unknown.
                               Products are faster where it is at most 256, the block of
                               docs/numerics.md; a value that is too small costs only time */
    uint64_t stamp;       /**< fingerprint of the view and of its index buffers' write counts */
} sparcl_proof;

/*
 * Views are plain structs that name buffers: copied freely, never freed. A field that is zero has
 * its default, and `reserved` must be zero. An `..._at` field is the position where the array
 * begins in its buffer, in elements. The buffer of an array without elements may be NULL.
 */

/** The formats of a matrix. */
typedef enum sparcl_format {
    SPARCL_FORMAT_DENSE = 0,
    SPARCL_FORMAT_CSR = 1,
    SPARCL_FORMAT_CSC = 2,
    SPARCL_FORMAT_COO = 3,
    SPARCL_FORMAT_ROWS = 4, /**< row-sparse */
    SPARCL_FORMAT_BSR = 5
} sparcl_format;

/** How the elements of a dense matrix lie in memory. */
typedef enum sparcl_order {
    SPARCL_ROW_MAJOR = 0,   /**< element (i, j) is at i * ld + j */
    SPARCL_COLUMN_MAJOR = 1 /**< element (i, j) is at j * ld + i; rank 2 only */
} sparcl_order;

/** A dense array: element (i, j) of a row-major matrix is values[values_at + i * ld + j]. Products
 * and sparcl_copy take matrices of either order, other operations row-major ones. */
typedef struct sparcl_dense {
    int rank;                       /**< 1 to 8; 1 is a vector */
    sparcl_dtype dtype;             /**< of the values */
    int64_t shape[SPARCL_MAX_RANK]; /**< [rank] */
    int64_t ld;         /**< elements from one row (first index) to the next, or from one column
                             to the next where it is column-major; 0: packed */
    sparcl_order order; /**< row-major by default */
    sparcl_buf *values; /**< the elements */
    int64_t values_at;  /**< where they begin, in elements */
    uint64_t reserved[2];
} sparcl_dense;

/** A sparse matrix in CSR format (compressed rows). */
typedef struct sparcl_csr {
    int64_t rows, cols; /**< the shape */
    int64_t nnz; /**< stored entries; in a result whose size depends on the data: the capacity, and
                      offsets[rows] is the count */
    sparcl_dtype dtype;                        /**< of the values */
    sparcl_itype offset_type, index_type;      /**< of `offsets` and of `indices` */
    sparcl_buf *offsets;                       /**< [rows + 1] */
    sparcl_buf *indices;                       /**< [nnz] columns */
    sparcl_buf *values;                        /**< [nnz] */
    int64_t offsets_at, indices_at, values_at; /**< where they begin, in elements */
    sparcl_proof proof;                        /**< what is proven of it */
    uint64_t reserved[2];
} sparcl_csr;

/** A sparse matrix in CSC format (compressed columns): offsets [cols + 1], indices are rows. */
typedef struct sparcl_csc {
    int64_t rows, cols;                   /**< the shape */
    int64_t nnz;                          /**< stored entries, or the capacity, as in sparcl_csr */
    sparcl_dtype dtype;                   /**< of the values */
    sparcl_itype offset_type, index_type; /**< of `offsets` and of `indices` */
    sparcl_buf *offsets;                  /**< [cols + 1] */
    sparcl_buf *indices;                  /**< [nnz] rows */
    sparcl_buf *values;                   /**< [nnz] */
    int64_t offsets_at, indices_at, values_at; /**< where they begin, in elements */
    sparcl_proof proof;                        /**< what is proven of it */
    uint64_t reserved[2];
} sparcl_csc;

/** A sparse array in COO format (coordinates): entry k is at (indices[0][k], indices[1][k], ...).
 * */
typedef struct sparcl_coo {
    int rank;                             /**< 1 to 8 */
    sparcl_dtype dtype;                   /**< of the values */
    sparcl_itype index_type;              /**< of `indices` */
    int64_t shape[SPARCL_MAX_RANK];       /**< [rank] */
    int64_t nnz;                          /**< stored entries; with `count`: the capacity */
    sparcl_buf *indices[SPARCL_MAX_RANK]; /**< one array [nnz] per dimension; may share a buffer */
    int64_t indices_at[SPARCL_MAX_RANK];  /**< where each begins, in elements */
    sparcl_buf *values;                   /**< [nnz] */
    int64_t values_at;                    /**< where they begin, in elements */
    sparcl_buf *count;  /**< NULL, or one int64 on the device: the number of entries */
    int64_t count_at;   /**< its position, in elements */
    sparcl_proof proof; /**< what is proven of it */
    uint64_t reserved[2];
} sparcl_coo;

/**
 * A row-sparse array: some rows of a dense array [shape]; all others are zero. Row indices[k] is
 * stored packed, at values[values_at + k * sparcl_row_width(rank, shape)].
 */
typedef struct sparcl_rows {
    int rank;                       /**< of the dense array, 1 to 8 */
    sparcl_dtype dtype;             /**< of the values */
    sparcl_itype index_type;        /**< of `indices` */
    int64_t shape[SPARCL_MAX_RANK]; /**< of the dense array; shape[0] is the number of all rows */
    int64_t nnr;                    /**< stored rows; with `count`: the capacity */
    sparcl_buf *indices;            /**< [nnr] */
    sparcl_buf *values;             /**< [nnr, shape[1], ...] */
    int64_t indices_at, values_at;  /**< where they begin, in elements */
    sparcl_buf *count;              /**< NULL, or one int64 on the device: the number of rows */
    int64_t count_at;               /**< its position, in elements */
    sparcl_proof proof;             /**< what is proven of it */
    uint64_t reserved[2];
} sparcl_rows;

/**
 * A sparse matrix in BSR format (compressed rows of dense blocks): block k, row-major, is
 * values[values_at + k * block_rows * block_cols]. Every element of a block is stored.
 */
typedef struct sparcl_bsr {
    int64_t rows, cols;                   /**< the shape, multiples of the block's */
    int64_t block_rows, block_cols;       /**< the shape of a block, at least 1 x 1 */
    int64_t nnzb;                         /**< stored blocks, or the capacity, as in sparcl_csr */
    sparcl_dtype dtype;                   /**< of the values */
    sparcl_itype offset_type, index_type; /**< of `offsets` and of `indices` */
    sparcl_buf *offsets;                  /**< [rows / block_rows + 1], counting blocks */
    sparcl_buf *indices;                  /**< [nnzb] columns, counting blocks */
    sparcl_buf *values;                   /**< [nnzb, block_rows, block_cols] */
    int64_t offsets_at, indices_at, values_at; /**< where they begin, in elements */
    sparcl_proof proof;                        /**< what is proven of its blocks */
    uint64_t reserved[2];
} sparcl_bsr;

/** Number of elements in a row of a dense or row-sparse array: shape[1] * shape[2] * ..., 1 for
 * rank 1. */
SPARCL_API int64_t sparcl_row_width(int rank, const int64_t *shape);

/** The properties of a view that are proven now, or set by the caller; 0 when unproven. */
SPARCL_API uint32_t sparcl_csr_flags(const sparcl_csr *view);
SPARCL_API uint32_t sparcl_csc_flags(const sparcl_csc *view);
SPARCL_API uint32_t sparcl_coo_flags(const sparcl_coo *view);
SPARCL_API uint32_t sparcl_rows_flags(const sparcl_rows *view);
SPARCL_API uint32_t sparcl_bsr_flags(const sparcl_bsr *view);

/**
 * Check a sparse view on the device, and store what was proven in the view.
 *
 * `want` has the properties that must hold (VALID is always checked). One that does not hold is
 * E_DATA, and the message names the first bad position and what was found there. The other
 * properties are checked too, and stored where they hold.
 *
 * Order     "first" is the smallest bad position in the array; offsets come before indices, indices
 *           before values.
 * Scratch   16 bytes per entry where a view is not sorted, 24 with 64-bit indices or for arrays of
 *           rank 2, 40 for those of a higher rank.
 * Host      waits for the device: validation must read the data.
 * Errors    E_DATA as above; E_ARG, E_DTYPE: the view itself is invalid. The view then has no
 *           proof, and is not TRUSTED.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_csr_validate(sparcl_ctx *ctx, sparcl_csr *view,
                                                               uint32_t want);
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_csc_validate(sparcl_ctx *ctx, sparcl_csc *view,
                                                               uint32_t want);
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_coo_validate(sparcl_ctx *ctx, sparcl_coo *view,
                                                               uint32_t want);
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_rows_validate(sparcl_ctx *ctx, sparcl_rows *view,
                                                                uint32_t want);
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_bsr_validate(sparcl_ctx *ctx, sparcl_bsr *view,
                                                               uint32_t want);

/**
 * What depends only on a sparsity pattern: its sorted transpose. Built once, it is used for every
 * product with the transpose of a matrix of that pattern, for any values. It also stores a copy of
 * the values in its own order (made when it is built, or in the first product). Products read this
 * copy until A's values are written again. Owned.
 */
typedef struct sparcl_pattern sparcl_pattern;

/**
 * A list of row indices on the device, such as a mini-batch.
 */
typedef struct sparcl_list {
    int64_t count;           /**< number of indices */
    int64_t limit;           /**< each index is at least 0 and less than this */
    sparcl_itype index_type; /**< of `indices` */
    sparcl_buf *indices;     /**< [count] */
    int64_t indices_at;      /**< where they begin, in elements */
    sparcl_proof proof;      /**< what is proven of it */
    uint64_t reserved[2];
} sparcl_list;

/** As the sparcl_csr functions of these names; validation needs 8 bytes of scratch memory per
 * index, 12 or 16 with 64-bit indices. */
SPARCL_API uint32_t sparcl_list_flags(const sparcl_list *list);
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_list_validate(sparcl_ctx *ctx, sparcl_list *list,
                                                                uint32_t want);

#ifdef __cplusplus
}
#endif

#endif
