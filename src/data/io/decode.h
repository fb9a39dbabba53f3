/* decode.h: decompresses gzip, bzip2, xz, zstd and lz4 streams. */
#ifndef SPC_DATA_DECODE_H
#define SPC_DATA_DECODE_H

#include "base/macros.h"
#include "data/io/raw_input.h"

typedef struct spc_decoder spc_decoder;

typedef enum spc_coding {
    SPC_CODING_NONE,
    SPC_CODING_GZIP,
    SPC_CODING_BZIP2,
    SPC_CODING_XZ,
    SPC_CODING_ZSTD,
    SPC_CODING_LZ4
} spc_coding;

/* Detect the coding from the first bytes of a file. */
spc_coding spc_coding_of(const char *bytes, size_t size);

/* A decoder of the bytes of `raw`, which must outlive it. */
SPARCL_MUST_CHECK sparcl_status spc_decoder_open(spc_decoder **decoder, spc_raw *raw,
                                                 spc_coding coding, sparcl_error *error);
/* NULL is allowed. */
void spc_decoder_close(spc_decoder *decoder);

/* The next decoded bytes, valid until the next call; *size is 0 at the end. */
SPARCL_MUST_CHECK sparcl_status spc_decoder_next(spc_decoder *decoder, const char **bytes,
                                                 size_t *size, sparcl_error *error);

#endif
