/* idx.h: reads IDX arrays, the format of the MNIST images. */
#ifndef SPC_DATA_IDX_H
#define SPC_DATA_IDX_H

#include "data/formats/npz/npy.h"

/*
 * Read an IDX stream to its end into `array`: two zero bytes, the type, the number of dimensions,
 * their lengths (32 bits, big-endian), the elements. As spc_npy_read.
 */
SPARCL_MUST_CHECK sparcl_status spc_idx_read(spc_npy *array, spc_npy_source source, void *user,
                                             const spc_npy_accept *accept,
                                             const sparcl_allocator *allocator,
                                             sparcl_error *error);

#endif
