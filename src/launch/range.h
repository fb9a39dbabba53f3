/* range.h: how many work-items a kernel gets. */
#ifndef SPC_LAUNCH_RANGE_H
#define SPC_LAUNCH_RANGE_H

#include "device/ctx.h"

typedef struct spc_range {
    int64_t global, local;
} spc_range;

/* For kernels that go over n elements with FOR_EACH. */
spc_range spc_range_each(const sparcl_ctx *ctx, int64_t n);
/* CPU class: as many workers as pay for `work` units of which one worker should have `grain`. */
int64_t spc_workers(const sparcl_ctx *ctx, int64_t work, int64_t grain);
/* Do the loops of a work-item end after some rounds? See launch.c. */
bool spc_has_short_loops(const sparcl_ctx *ctx);
/* E_UNSUPPORTED where they would end before `turns` rounds, which one work-item of `op` may take.
 */
sparcl_status spc_check_iterations(sparcl_ctx *ctx, const char *op, int64_t turns);
/* `groups` groups of one item (CPU class) or SPC_GROUP items (GPU class). */
spc_range spc_range_groups(const sparcl_ctx *ctx, int64_t groups);
/* The same with groups of `local` items, for programs with SPC_GROUP_64 or SPC_GROUP_256. */
spc_range spc_range_groups_of(int64_t groups, int64_t local);

#endif
