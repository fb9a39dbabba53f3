/* npzfile.h: reads the members of a SciPy .npz file, as arrays that are not checked yet. */
#ifndef SPC_DATA_NPZFILE_H
#define SPC_DATA_NPZFILE_H

#include "data/input.h"
#include "data/npy.h"

typedef enum spc_npz_member {
    SPC_NPZ_FORMAT,
    SPC_NPZ_SHAPE,
    SPC_NPZ_INDPTR,
    SPC_NPZ_INDICES,
    SPC_NPZ_DATA,
    SPC_NPZ_MEMBERS
} spc_npz_member;

typedef struct spc_npz_file {
    spc_npy arrays[SPC_NPZ_MEMBERS];
    bool present[SPC_NPZ_MEMBERS];
} spc_npz_file;

/* Such as "indptr.npy". */
const char *spc_npz_member_name(spc_npz_member member);

/*
 * Read the members above and skip all others. Call spc_npz_file_free also after a failure.
 *
 * Errors    E_IO; E_FORMAT, "file:member: expected ..., found ...; how to fix it".
 */
SPARCL_MUST_CHECK sparcl_status spc_npz_file_read(spc_npz_file *file, spc_input *input,
                                                  sparcl_error *error);
void spc_npz_file_free(spc_npz_file *file, const sparcl_allocator *allocator);

#endif
