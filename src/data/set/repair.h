/* repair.h: sorts the entries of one row and adds duplicates. */
#ifndef SPC_DATA_REPAIR_H
#define SPC_DATA_REPAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct spc_entry {
    int64_t index;
    float value;
    int32_t field;
} spc_entry;

/*
 * Sort `count` entries by index (stable), and add the values of equal indices in that order, in
 * float; the field is that of the first. `fields` may be NULL. `sorting` has 2 * count elements.
 * Returns the number of entries left, which are at the beginning.
 */
int64_t spc_repair_row(int64_t *indices, float *values, int32_t *fields, int64_t count,
                       spc_entry *sorting);

#endif
