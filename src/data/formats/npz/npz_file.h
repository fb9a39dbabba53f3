/* npz_file.h: reads the members of a SciPy .npz file, as arrays that are not checked yet. */
#ifndef SPC_DATA_NPZFILE_H
#define SPC_DATA_NPZFILE_H

#include "data/formats/npz/npy.h"
#include "data/io/input.h"

typedef enum spc_npz_member {
    SPC_NPZ_FORMAT,
    SPC_NPZ_SHAPE,
    SPC_NPZ_INDPTR,
    SPC_NPZ_INDICES,
    SPC_NPZ_DATA,
    SPC_NPZ_ROW,
    SPC_NPZ_COL,
    SPC_NPZ_COORDS,
    SPC_NPZ_OFFSETS,
    SPC_NPZ_COLUMNS, /* a text: how ids became columns (matrix_ids.h) */
    SPC_NPZ_WHOLE,   /* the array that has the name itself; only with a name */
    SPC_NPZ_MEMBERS
} spc_npz_member;

/* Capacity for the name of a member with its prefix. */
enum { SPC_MEMBER_CAPACITY = 96 };

typedef struct spc_npz_file {
    char names[SPC_NPZ_MEMBERS][SPC_MEMBER_CAPACITY]; /* such as "indptr.npy" or "adj_indptr.npy" */
    spc_npy arrays[SPC_NPZ_MEMBERS];
    bool present[SPC_NPZ_MEMBERS];
    char others[160]; /* the names of the members that were skipped, as far as they fit */
} spc_npz_file;

/*
 * Read the members above and skip all others. What the headers say is checked against each other
 * before elements are read: in a plain file all of them, else each against those before it. With a
 * `name`, those of the matrix or array NAME: NAME_indptr.npy and so on, and NAME.npy, whose header
 * is for `accept`. Call spc_npz_file_free also after a failure.
 *
 * Errors    E_IO; E_FORMAT, "file:member: expected ..., found ...; how to fix it".
 */
SPARCL_MUST_CHECK sparcl_status spc_npz_file_read(spc_npz_file *file, spc_input *input,
                                                  const char *name, const spc_npy_accept *accept,
                                                  sparcl_error *error);
void spc_npz_file_free(spc_npz_file *file, const sparcl_allocator *allocator);

#endif
