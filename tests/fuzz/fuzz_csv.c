/* fuzz_csv.c: libFuzzer target for CSV: after the first byte comes the description, up to a byte 1;
 * without one the columns are guessed. */
#include "fuzz_data.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static fuzz_file columns, rows;
    if (size < 1) return 0;
    const uint8_t *const mark = memchr(bytes + 1, 1, size - 1);
    const uint8_t *const text = mark ? mark + 1 : bytes + 1;
    sparcl_data_desc desc = fuzz_desc(bytes[0]);
    fuzz_set_format(&desc, SPARCL_DATA_CSV, bytes[0]);
    desc.multilabel = 0;
    desc.csv_heading = (sparcl_heading)((bytes[0] >> 2 & 3) % 3);
    desc.index_base = SPARCL_BASE_AUTO;
    fuzz_write(&rows, text, (size_t)(bytes + size - text));
    if (mark) {
        fuzz_write(&columns, bytes + 1, (size_t)(mark - bytes - 1));
        desc.csv_columns = columns.path;
    }
    fuzz_read(rows.path, &desc);
    return 0;
}
