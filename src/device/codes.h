/* codes.h: OpenCL's error codes as errors. */
#ifndef SPC_DEVICE_CODES_H
#define SPC_DEVICE_CODES_H

#include "sparcl/opencl.h"

/* Fail with an OpenCL code; `what` names the call that failed. */
sparcl_status spc_fail_cl(sparcl_error *error, cl_int code, const char *what);
/* The name of an OpenCL error code. */
const char *spc_cl_name(cl_int code);
/* The status for a code: memory, build, device or OpenCL. */
sparcl_status spc_cl_status(cl_int code);

#endif
