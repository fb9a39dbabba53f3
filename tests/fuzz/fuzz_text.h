/* fuzz_text.h: a target for a format of text: the first byte says how to read the rest. */
#ifndef FUZZ_TEXT_H
#define FUZZ_TEXT_H

#include "fuzz_data.h"

static inline int fuzz_text(const uint8_t *bytes, size_t size, sparcl_data_format format) {
    static fuzz_file file;
    if (size < 1) return 0;
    fuzz_write(&file, bytes + 1, size - 1);
    sparcl_data_desc desc = fuzz_desc(bytes[0]);
    fuzz_set_format(&desc, format, bytes[0]);
    if (format == SPARCL_DATA_VW && bytes[0] >> 7) desc.crosses = "a,b\nb,b";
    if (format == SPARCL_DATA_EDGES) {
        desc.symmetric = bytes[0] >> 6 & 1;
        desc.compact_ids = bytes[0] >> 7;
    }
    fuzz_read(file.path, &desc);
    return 0;
}

#endif
