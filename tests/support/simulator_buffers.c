/* simulator_buffers.c: linked into tests that run on a simulator, in front of calls whose record of
 * what is initialised Oclgrind 21.10 keeps wrongly:
 *
 *  - It gives a new buffer the number of a freed one and goes on with the freed one's record, at
 * its size: what a larger buffer has more counts as uninitialised for ever. So no buffer is freed;
 * the program ends soon.
 *  - A write, copy or fill by the host makes a new record for the buffer, as large as what it
 * stores at once (a fill: one pattern): all bytes behind that count as uninitialised for ever,
 * whatever is written to them (Uninitialized::hostMemoryStore). So only whole buffers are written
 * by the host, and the rest is done by a kernel, which the simulator follows as it follows ours. */
#include <stdbool.h>
#include <stdlib.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#define WAITS cl_uint waits, const cl_event *wait, cl_event *event

/* A call of OpenCL, and what stands in front of it. */
#define CALL(name, ...)                                                                            \
    cl_int __real_##name(__VA_ARGS__);                                                             \
    cl_int __wrap_##name(__VA_ARGS__)

CALL(clReleaseMemObject, cl_mem memory);
CALL(clEnqueueWriteBuffer, cl_command_queue queue, cl_mem to, cl_bool blocking, size_t at,
     size_t bytes, const void *host, WAITS);
CALL(clEnqueueWriteBufferRect, cl_command_queue queue, cl_mem to, cl_bool blocking,
     const size_t *at, const size_t *host_at, const size_t *region, size_t pitch, size_t slice,
     size_t host_pitch, size_t host_slice, const void *host, WAITS);
CALL(clEnqueueCopyBuffer, cl_command_queue queue, cl_mem from, cl_mem to, size_t from_at, size_t at,
     size_t bytes, WAITS);
CALL(clEnqueueFillBuffer, cl_command_queue queue, cl_mem to, const void *pattern, size_t period,
     size_t at, size_t bytes, WAITS);

static bool on_simulator(void) {
    return getenv("SPARCL_TEST_SMALL") != NULL;
}

cl_int __wrap_clReleaseMemObject(cl_mem memory) {
    return on_simulator() ? CL_SUCCESS : __real_clReleaseMemObject(memory);
}

/* --- one kernel for all ------------------------------------------------------------------------
 */

/* A work-item moves 16 bytes: the simulator takes as long for one. */
static const char *const put_source =
    "kernel void put(global uchar *to, ulong at, ulong pitch, global const uchar *from,\n"
    "                ulong from_at, ulong from_pitch, ulong period, ulong bytes) {\n"
    "  const size_t row = get_global_id(1), x = get_global_id(0) * 16;\n"
    "  to += at + row * pitch;\n"
    "  from += from_at + row * from_pitch;\n"
    "  if (x + 16 <= bytes && x % period + 16 <= period)\n"
    "    vstore16(vload16(0, from + x % period), 0, to + x);\n"
    "  else\n"
    "    for (size_t i = x; i < min(x + 16, bytes); ++i) to[i] = from[i % period];\n"
    "}\n";

/* The kernel of the context of `queue`. It holds its context, so no other context gets the same
 * address, and it is kept until the program ends. */
static cl_kernel put_kernel(cl_command_queue queue) {
    static cl_context context;
    static cl_kernel kernel;
    cl_context now = NULL;
    clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof(now), &now, NULL);
    if (kernel && now == context) return kernel;
    const char *source = put_source;
    cl_program program = clCreateProgramWithSource(now, 1, &source, NULL, NULL);
    if (clBuildProgram(program, 0, NULL, "", NULL, NULL) != CL_SUCCESS) abort();
    kernel = clCreateKernel(program, "put", NULL);
    context = now;
    return kernel;
}

/* Rows of bytes: to[at + row * pitch + x] := from[from_at + row * from_pitch + x % period]. */
typedef struct put_job {
    cl_mem to, from;
    cl_ulong at, pitch, from_at, from_pitch, period;
    size_t bytes, rows;
} put_job;

static cl_int put(cl_command_queue queue, const put_job *job, WAITS) {
    cl_kernel kernel = put_kernel(queue);
    const cl_ulong bytes = job->bytes;
    const size_t size[2] = {(job->bytes + 15) / 16, job->rows};
    clSetKernelArg(kernel, 0, sizeof(job->to), &job->to);
    clSetKernelArg(kernel, 1, sizeof(job->at), &job->at);
    clSetKernelArg(kernel, 2, sizeof(job->pitch), &job->pitch);
    clSetKernelArg(kernel, 3, sizeof(job->from), &job->from);
    clSetKernelArg(kernel, 4, sizeof(job->from_at), &job->from_at);
    clSetKernelArg(kernel, 5, sizeof(job->from_pitch), &job->from_pitch);
    clSetKernelArg(kernel, 6, sizeof(job->period), &job->period);
    clSetKernelArg(kernel, 7, sizeof(bytes), &bytes);
    return clEnqueueNDRangeKernel(queue, kernel, 2, NULL, size, NULL, waits, wait, event);
}

/* A buffer that has these bytes, written whole. */
static cl_mem host_copy(cl_command_queue queue, const void *host, size_t bytes) {
    cl_context context = NULL;
    clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof(context), &context, NULL);
    cl_mem copy = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, NULL);
    if (__real_clEnqueueWriteBuffer(queue, copy, CL_TRUE, 0, bytes, host, 0, NULL, NULL)) abort();
    return copy;
}

/* --- the calls ---------------------------------------------------------------------------------
 */

static bool is_whole(cl_mem memory, size_t at, size_t bytes) {
    size_t size = 0;
    cl_mem parent = NULL;
    clGetMemObjectInfo(memory, CL_MEM_SIZE, sizeof(size), &size, NULL);
    clGetMemObjectInfo(memory, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof(parent), &parent, NULL);
    return !parent && at == 0 && bytes == size;
}

cl_int __wrap_clEnqueueWriteBuffer(cl_command_queue queue, cl_mem to, cl_bool blocking, size_t at,
                                   size_t bytes, const void *host, WAITS) {
    if (!on_simulator() || is_whole(to, at, bytes))
        return __real_clEnqueueWriteBuffer(queue, to, blocking, at, bytes, host, waits, wait,
                                           event);
    const put_job job = {.to = to,
                         .at = at,
                         .from = host_copy(queue, host, bytes),
                         .period = bytes,
                         .bytes = bytes,
                         .rows = 1};
    const cl_int code = put(queue, &job, waits, wait, event);
    return code == CL_SUCCESS && blocking ? clFinish(queue) : code;
}

cl_int __wrap_clEnqueueWriteBufferRect(cl_command_queue queue, cl_mem to, cl_bool blocking,
                                       const size_t *at, const size_t *host_at,
                                       const size_t *region, size_t pitch, size_t slice,
                                       size_t host_pitch, size_t host_slice, const void *host,
                                       WAITS) {
    if (!on_simulator() || region[2] != 1 || at[2] || host_at[2])
        return __real_clEnqueueWriteBufferRect(queue, to, blocking, at, host_at, region, pitch,
                                               slice, host_pitch, host_slice, host, waits, wait,
                                               event);
    const unsigned char *first = (const unsigned char *)host + host_at[1] * host_pitch + host_at[0];
    const size_t bytes = (region[1] - 1) * host_pitch + region[0];
    const put_job job = {.to = to,
                         .at = at[1] * pitch + at[0],
                         .pitch = pitch,
                         .from = host_copy(queue, first, bytes),
                         .from_pitch = host_pitch,
                         .period = region[0],
                         .bytes = region[0],
                         .rows = region[1]};
    const cl_int code = put(queue, &job, waits, wait, event);
    return code == CL_SUCCESS && blocking ? clFinish(queue) : code;
}

cl_int __wrap_clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_at,
                                  size_t at, size_t bytes, WAITS) {
    if (!on_simulator())
        return __real_clEnqueueCopyBuffer(queue, from, to, from_at, at, bytes, waits, wait, event);
    const put_job job = {.to = to,
                         .at = at,
                         .from = from,
                         .from_at = from_at,
                         .period = bytes,
                         .bytes = bytes,
                         .rows = 1};
    return put(queue, &job, waits, wait, event);
}

/* A buffer is filled whole by a write of the host, which is much faster here than a kernel; a part,
 * from 16 times the pattern. */
cl_int __wrap_clEnqueueFillBuffer(cl_command_queue queue, cl_mem to, const void *pattern,
                                  size_t period, size_t at, size_t bytes, WAITS) {
    if (!on_simulator())
        return __real_clEnqueueFillBuffer(queue, to, pattern, period, at, bytes, waits, wait,
                                          event);
    const bool whole = is_whole(to, at, bytes);
    const size_t count = whole ? bytes : 16 * period;
    unsigned char *const filled = malloc(count);
    if (!filled) return CL_OUT_OF_HOST_MEMORY;
    for (size_t i = 0; i < count; ++i)
        filled[i] = ((const unsigned char *)pattern)[i % period];
    cl_int code = CL_SUCCESS;
    if (whole) {
        code =
            __real_clEnqueueWriteBuffer(queue, to, CL_TRUE, 0, bytes, filled, waits, wait, event);
    } else {
        const put_job job = {.to = to,
                             .at = at,
                             .from = host_copy(queue, filled, count),
                             .period = count,
                             .bytes = bytes,
                             .rows = 1};
        code = put(queue, &job, waits, wait, event);
    }
    free(filled);
    return code;
}
