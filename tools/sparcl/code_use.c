/* code_use.c: how often each unit is in a code. */
#include "code_use.h"

#include <stdlib.h>

#include "message.h"

static int compare(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int64_t unit_of(const sparcl_data *codes, int64_t k) {
    const void *const units = sparcl_data_indices(codes);
    return sparcl_data_index_type(codes) == SPARCL_INDEX64 ? ((const int64_t *)units)[k]
                                                           : ((const int32_t *)units)[k];
}

exit_code code_use_count(const sparcl_data *codes, code_use *use) {
    const sparcl_data_info *const info = sparcl_data_get_info(codes);
    const int64_t units = info->columns;
    const double rows = (double)info->rows;
    int64_t *const uses = calloc((size_t)units + 1, sizeof *uses), dead = 0;
    if (!uses) return out_of_memory();
    for (int64_t k = 0; k < info->entries; k++)
        uses[unit_of(codes, k)]++;
    qsort(uses, (size_t)units, sizeof *uses, compare);
    while (dead < units && uses[dead] == 0)
        dead++;
    *use = (code_use){.dead = dead,
                      .least = (double)uses[0] / rows,
                      .median = (double)uses[units / 2] / rows,
                      .most = (double)uses[units > 0 ? units - 1 : 0] / rows};
    free(uses);
    return EXIT_OK;
}
