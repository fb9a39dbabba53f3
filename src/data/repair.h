/* repair.h: putting the entries of one row in order and summing repeated ones. */
#ifndef SPC_DATA_REPAIR_H
#define SPC_DATA_REPAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct spc_entry {
    int64_t index;
    float value;
} spc_entry;

/*
 * Sort `count` entries by index, keeping the order of equal ones, and add up the values of equal
 * ones in that order, in float. `sorting` has room for 2 * count. The entries left over come first;
 * returns how many they are.
 */
int64_t spc_repair_row(int64_t *indices, float *values, int64_t count, spc_entry *sorting);

#endif
