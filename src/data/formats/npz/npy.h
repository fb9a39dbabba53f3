/* npy.h: reads NumPy arrays: the header, the bytes, and single elements as numbers. */
#ifndef SPC_DATA_NPY_H
#define SPC_DATA_NPY_H

#include <stdbool.h>

#include "base/macros.h"
#include "data/set/dataset.h"

/* Fill `buffer`; *got < size only at the end. `error` has no position. */
typedef sparcl_status (*spc_npy_source)(void *user, void *buffer, size_t size, size_t *got,
                                        sparcl_error *error);

typedef struct spc_npy spc_npy;

/* Called when the header is known, before any element is read; NULL as `check`: all is accepted.
 * *skip: the elements are not needed. */
typedef struct spc_npy_accept {
    sparcl_status (*check)(void *user, const spc_npy *array, bool *skip, sparcl_error *error);
    void *user;
} spc_npy_accept;

struct spc_npy {
    char kind;       /* as in NumPy: b bool, i, u, f, S bytes, U text; others are refused */
    bool big_endian; /* false for elements of one byte */
    size_t size;     /* bytes of one element */
    bool fortran;
    int rank;
    int64_t shape[3]; /* of the first dimensions; 1 where the rank is smaller */
    int64_t count;    /* number of elements */
    spc_array bytes;
};

/*
 * Read a .npy stream to its end into `array`. Memory is allocated only as far as the stream fills
 * it, whatever its header declares. Free array->bytes also after a failure.
 *
 * Errors    E_FORMAT: "expected ..., found ...; how to fix it", without the position.
 */
SPARCL_MUST_CHECK sparcl_status spc_npy_read(spc_npy *array, spc_npy_source source, void *user,
                                             const spc_npy_accept *accept,
                                             const sparcl_allocator *allocator,
                                             sparcl_error *error);

/* The rest of that: read the elements of an array whose header is known, up to the end. */
SPARCL_MUST_CHECK sparcl_status spc_npy_read_elements(spc_npy *array, spc_npy_source source,
                                                      void *user, const spc_npy_accept *accept,
                                                      const sparcl_allocator *allocator,
                                                      sparcl_error *error);

/* The result of converting an element. */
typedef enum spc_npy_result {
    SPC_NPY_EXACT,
    SPC_NPY_ROUNDED,
    SPC_NPY_RANGE, /* a finite number outside the range of the type */
    SPC_NPY_BAD    /* a bool that is neither 0 nor 1 */
} spc_npy_result;

/* Element k of a bool, integer or float array. */
spc_npy_result spc_npy_f32(const spc_npy *array, int64_t k, float *value);
spc_npy_result spc_npy_f64(const spc_npy *array, int64_t k, double *value);
/* Element k of an integer array; RANGE above 2^63 - 1. */
spc_npy_result spc_npy_i64(const spc_npy *array, int64_t k, int64_t *value);
/* True for an array of numbers, which spc_npy_f32 can read. */
bool spc_npy_is_number(const spc_npy *array);

#endif
