/* list.h: descriptions of OpenCL platforms and devices. */
#ifndef SPC_DEVICE_LIST_H
#define SPC_DEVICE_LIST_H

#include <stdbool.h>

#include "sparcl/device.h"
#include "sparcl/opencl.h"

/* Fill in a record; `platform` and `number` are its position in a list, or -1. */
void spc_device_describe(cl_device_id id, int platform, int number, sparcl_device *device);
void spc_platform_describe(cl_platform_id id, sparcl_platform *platform);

/*
 * Short loops: Mesa's llvmpipe stops all loops of a work-item, without an error, after 65535
 * iterations in total (LP_MAX_TGSI_LOOP_ITERATIONS, observed in 22.3). There, kernels run with more
 * work-items, which have little work each.
 */
bool spc_device_has_short_loops(const sparcl_device *device);

#endif
