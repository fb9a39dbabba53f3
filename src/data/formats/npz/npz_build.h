/* npz_build.h: what the readers of the formats of an .npz matrix share: checks of members. */
#ifndef SPC_DATA_NPZBUILD_H
#define SPC_DATA_NPZBUILD_H

#include "data/formats/npz/npz_file.h"

typedef struct spc_npz_builder {
    sparcl_data *data;
    spc_npz_file *file;
    const char *name; /* of the file, for messages */
    const sparcl_data_desc *desc;
    sparcl_error *error;
} spc_npz_builder;

enum { SPC_NO_ELEMENT = -1 }; /* the message is about the member, not about an element */

/* E_FORMAT: "file:member[element]: why" */
sparcl_status spc_npz_refuse(const spc_npz_builder *b, spc_npz_member member, int64_t element,
                             const char *format, ...) SPC_PRINTF(4, 5);

/* Check that the member is there and has little-endian numbers; of indices, int32 or int64. */
SPARCL_MUST_CHECK sparcl_status spc_npz_check_numbers(const spc_npz_builder *b,
                                                      spc_npz_member member, bool is_integer);
/* The same, and its rank. */
SPARCL_MUST_CHECK sparcl_status spc_npz_check_member(const spc_npz_builder *b,
                                                     spc_npz_member member, bool is_integer,
                                                     int rank);

/* Element k of a member that passed spc_npz_check_member as integers. */
int64_t spc_npz_integer(const spc_npz_builder *b, spc_npz_member member, int64_t k);

/* Element k of the values; E_FORMAT when it is out of range. Counts what is rounded. */
SPARCL_MUST_CHECK sparcl_status spc_npz_value(const spc_npz_builder *b, int64_t k, float *value);

/* Check `count` offsets from 0 to `end` that never fall. */
SPARCL_MUST_CHECK sparcl_status spc_npz_check_offsets(const spc_npz_builder *b, int64_t end);

/* The readers of each format; the shape has been read. */
SPARCL_MUST_CHECK sparcl_status spc_npz_read_csr(const spc_npz_builder *b);
SPARCL_MUST_CHECK sparcl_status spc_npz_read_csc(const spc_npz_builder *b);
SPARCL_MUST_CHECK sparcl_status spc_npz_read_coo(const spc_npz_builder *b);
SPARCL_MUST_CHECK sparcl_status spc_npz_read_bsr(const spc_npz_builder *b);
SPARCL_MUST_CHECK sparcl_status spc_npz_read_dia(const spc_npz_builder *b);

#endif
