/* fuzz_columns.c: libFuzzer target for the description of the columns of CSV, with a fixed table.
 */
#include "fuzz_data.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static const char table[] = "label,a,b,c,d\nyes,1,x,,0.5\nno,-2,\"y,z\",7,1e3\nyes,,x,NA,3\n";
    static fuzz_file columns, rows;
    if (rows.path[0] == '\0') fuzz_write(&rows, table, sizeof table - 1);
    fuzz_write(&columns, bytes, size);
    sparcl_data_desc desc = fuzz_desc(0);
    fuzz_set_format(&desc, SPARCL_DATA_CSV, 0);
    desc.csv_columns = columns.path;
    desc.index_base = SPARCL_BASE_AUTO;
    fuzz_read(rows.path, &desc);
    return 0;
}
