/* long_runs.h: runs of items, some of several blocks of 256, at all distances from multiples of
 * 256, between empty and short ones. */
#ifndef LONG_RUNS_H
#define LONG_RUNS_H

#include "op_test.h"

enum { LONG_RUNS = 700 };

/* Where the runs begin; their items, about `most` of them in one run. */
static inline int64_t long_run_offsets(int64_t offsets[LONG_RUNS + 1], int64_t most) {
    static const int64_t lengths[] = {255, 0, 256, 1, 257, 511, 3, 512, 513, 7, 1025, 0};
    offsets[0] = 0;
    for (int u = 0; u < LONG_RUNS; ++u) {
        int64_t length = u % 3;
        if (u < 40) length = lengths[u % (int)COUNT(lengths)];
        if (u > 400 && u < 600) length = 0;
        if (u == 300) length = most;
        if (u == LONG_RUNS - 1) length = most / 2 + 1;
        offsets[u + 1] = offsets[u] + length;
    }
    return offsets[LONG_RUNS];
}

#endif
