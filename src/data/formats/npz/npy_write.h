/* npy_write.h: writes the headers of NumPy arrays. */
#ifndef SPC_DATA_NPY_WRITE_H
#define SPC_DATA_NPY_WRITE_H

#include <stddef.h>
#include <stdint.h>

enum { SPC_NPY_HEADER_BYTES = 128 };

/*
 * The header of an array of one dimension, whose elements follow in the byte order of this machine.
 * `type` is that of NumPy without the byte order, such as "f4".
 */
void spc_npy_header(char header[SPC_NPY_HEADER_BYTES], const char *type, int64_t count);

/* The same of two dimensions. */
void spc_npy_header_of_rows(char header[SPC_NPY_HEADER_BYTES], const char *type, int64_t rows,
                            int64_t columns);

/* The same for one string of bytes, "S3", which has no dimension. */
void spc_npy_header_of_bytes(char header[SPC_NPY_HEADER_BYTES], const char *type);

#endif
