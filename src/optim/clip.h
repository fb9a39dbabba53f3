/* clip.h: what is done to a gradient as a whole before a step. */
#ifndef SPC_OPTIM_CLIP_H
#define SPC_OPTIM_CLIP_H

#include "optim/rules.h"

/* A setting that a step cannot apply element by element: clip_stored with a limit, clip_norm,
 * clip_row_norm. */
bool spc_clips_whole(const sparcl_optim *optim);
/* The clipped gradient, in scratch memory; its rows are unique where clip_row_norm has a limit and
 * the optimizer adds them. */
sparcl_status spc_clip_rows(sparcl_ctx *ctx, const sparcl_optim *optim, const sparcl_rows *from,
                            sparcl_rows *clipped);
/* The same with all rows, of `width` columns. */
sparcl_status spc_clip_dense(sparcl_ctx *ctx, const sparcl_optim *optim, const sparcl_dense *from,
                             int64_t width, sparcl_dense *clipped);

#endif
