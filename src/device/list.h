/* list.h: describing the platforms and devices that OpenCL has. */
#ifndef SPC_DEVICE_LIST_H
#define SPC_DEVICE_LIST_H

#include <stdbool.h>

#include "sparcl/device.h"
#include "sparcl/opencl.h"

/* Fill in all of the record; `platform` and `number` are its place in a list, or -1. */
void spc_device_describe(cl_device_id id, int platform, int number, sparcl_device *device);
void spc_platform_describe(cl_platform_id id, sparcl_platform *platform);

/*
 * Mesa's llvmpipe ends all loops of a work-item, without a word, when it has gone round them 65535
 * times in all (LP_MAX_TGSI_LOOP_ITERATIONS, seen in 22.3). There, work-items get little to do, and
 * are as many as that takes.
 */
bool spc_device_has_short_loops(const sparcl_device *device);

#endif
