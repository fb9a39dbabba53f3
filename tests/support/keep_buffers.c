/* keep_buffers.c: linked into tests that run on a simulator, in front of clReleaseMemObject.
 *
 * Oclgrind 21.10 gives a new buffer the number of a freed one and goes on with the freed one's
 * record of what was initialised, at its size: what a larger buffer has more counts as
 * uninitialised for ever. So no buffer is freed there; the program ends soon. */
#include <stdlib.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

cl_int __real_clReleaseMemObject(cl_mem memory);
cl_int __wrap_clReleaseMemObject(cl_mem memory);

cl_int __wrap_clReleaseMemObject(cl_mem memory) {
    return getenv("SPARCL_TEST_SMALL") ? CL_SUCCESS : __real_clReleaseMemObject(memory);
}
