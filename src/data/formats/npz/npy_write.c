/* npy_write.c: writes the headers of NumPy arrays. */
#include "data/formats/npz/npy_write.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
static const char order[] = ">";
#else
static const char order[] = "<";
#endif

/* Version 1.0: the length of what follows it in two bytes; blanks up to the last byte. */
static void write_header(char header[SPC_NPY_HEADER_BYTES], const char *before, const char *type,
                         const char *shape) {
    enum { PREFIX = 10, REST = SPC_NPY_HEADER_BYTES - PREFIX };
    memcpy(header, "\x93NUMPY\1\0", 8);
    header[8] = REST;
    header[9] = 0;
    memset(header + PREFIX, ' ', REST);
    char text[REST];
    const int length =
        snprintf(text, sizeof text, "{'descr': '%s%s', 'fortran_order': False, 'shape': %s, }",
                 before, type, shape);
    memcpy(header + PREFIX, text, (size_t)length);
    header[SPC_NPY_HEADER_BYTES - 1] = '\n';
}

void spc_npy_header(char header[SPC_NPY_HEADER_BYTES], const char *type, int64_t count) {
    char shape[32];
    snprintf(shape, sizeof shape, "(%" PRId64 ",)", count);
    write_header(header, order, type, shape);
}

void spc_npy_header_of_rows(char header[SPC_NPY_HEADER_BYTES], const char *type, int64_t rows,
                            int64_t columns) {
    char shape[56];
    snprintf(shape, sizeof shape, "(%" PRId64 ", %" PRId64 ")", rows, columns);
    write_header(header, order, type, shape);
}

void spc_npy_header_of_bytes(char header[SPC_NPY_HEADER_BYTES], const char *type) {
    write_header(header, "|", type, "()");
}
