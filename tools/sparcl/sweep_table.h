/* sweep_table.h: the results of a sweep, sorted: as a table, CSV and JSON. */
#ifndef SPARCL_TOOL_SWEEP_TABLE_H
#define SPARCL_TOOL_SWEEP_TABLE_H

#include "sweep_point.h"

typedef struct sweep_table {
    const sweep_grid *grid;
    sweep_point *points;
    int count;
    const char *metric; /* a key of the results */
} sweep_table;

/* The metric to sort by: `wanted`, which some run must have, or where it is NULL the loss of the
 * validation data, or else of the training data. Then the points are sorted, the best first; those
 * that failed are last. */
exit_code sweep_table_sort(sweep_table *table, const char *wanted);

exit_code sweep_table_print(const sweep_table *table);
exit_code sweep_table_save_csv(const sweep_table *table, const char *path);
exit_code sweep_table_save_json(const sweep_table *table, const char *path);

#endif
