/* layer_fault.c: an OpenCL layer (OPENCL_LAYERS) that counts live objects and lets the N-th call
 * fail. Controlled by a test through layer_get_control; without one it prints at exit which objects
 * were not released. */
#include "layer_fault.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "layer_info.h"

#define EXPORT       __attribute__((visibility("default")))
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static layer_control control;
static cl_icd_dispatch dispatch;
static const cl_icd_dispatch *next;

static const char *const type_names[LAYER_TYPES] = {"context", "command queue", "memory object",
                                                    "program", "kernel",        "event"};

EXPORT layer_control *layer_get_control(void);
EXPORT layer_control *layer_get_control(void) {
    return &control;
}

/* The code with which this call is to fail, or CL_SUCCESS. */
static cl_int fault(const char *name, const cl_int *codes, size_t count) {
    const long call = ++control.calls;
    if (control.fail_at == 0 || call < control.fail_at) return CL_SUCCESS;
    if (call > control.fail_at && !control.persistent) return CL_SUCCESS;
    const cl_int code = codes[(size_t)control.flavor % count];
    if (control.fired++ == 0) {
        control.name = name;
        control.code = code;
    }
    return code;
}

/* --- functions that return a code: (name, parameters, arguments, what then, codes) ---------------
 */

#define CODE_CALL(name, params, args, then, ...)                                                   \
    static cl_int CL_API_CALL layer_##name params {                                                \
        static const cl_int codes[] = {__VA_ARGS__};                                               \
        const cl_int code = fault(#name, codes, COUNT(codes));                                     \
        if (code != CL_SUCCESS) return code;                                                       \
        const cl_int result = next->name args;                                                     \
        if (result == CL_SUCCESS) {                                                                \
            then;                                                                                  \
        }                                                                                          \
        return result;                                                                             \
    }

/* Those that wait do so all the same: after a failure nobody may still write to host memory. */
#define WAIT_CALL(name, params, args, ...)                                                         \
    static cl_int CL_API_CALL layer_##name params {                                                \
        static const cl_int codes[] = {__VA_ARGS__};                                               \
        const cl_int result = next->name args;                                                     \
        const cl_int code = fault(#name, codes, COUNT(codes));                                     \
        return code != CL_SUCCESS ? code : result;                                                 \
    }

/* Releasing never fails: the caller could do nothing about it. */
#define RELEASE_CALL(name, type, object)                                                           \
    static cl_int CL_API_CALL layer_##name(object it) {                                            \
        const cl_int result = next->name(it);                                                      \
        if (result == CL_SUCCESS) --control.live[type];                                            \
        return result;                                                                             \
    }

#define MAKE_CALL(name, type, object, params, args, ...)                                           \
    static object CL_API_CALL layer_##name params {                                                \
        static const cl_int codes[] = {__VA_ARGS__};                                               \
        const cl_int code = fault(#name, codes, COUNT(codes));                                     \
        if (code != CL_SUCCESS) {                                                                  \
            if (error) *error = code;                                                              \
            return NULL;                                                                           \
        }                                                                                          \
        object made = next->name args;                                                             \
        if (made) ++control.live[type];                                                            \
        return made;                                                                               \
    }

#define NOTHING (void)0
#define NEW_EVENT                                                                                  \
    if (event) ++control.live[LAYER_EVENT]
#define HOST   CL_OUT_OF_HOST_MEMORY
#define DEVICE CL_OUT_OF_RESOURCES
#define ROOM   CL_MEM_OBJECT_ALLOCATION_FAILURE
#define INFO   size_t size, void *value, size_t *bytes
#define WAITS  cl_uint waits, const cl_event *wait, cl_event *event

CODE_CALL(clGetPlatformIDs, (cl_uint n, cl_platform_id *list, cl_uint *count), (n, list, count),
          NOTHING, HOST, -1001)
CODE_CALL(clGetPlatformInfo, (cl_platform_id it, cl_platform_info what, INFO),
          (it, what, size, value, bytes), NOTHING, HOST, CL_INVALID_VALUE)
CODE_CALL(clGetDeviceIDs,
          (cl_platform_id it, cl_device_type type, cl_uint n, cl_device_id *list, cl_uint *count),
          (it, type, n, list, count), NOTHING, CL_DEVICE_NOT_FOUND, HOST)
CODE_CALL(clGetDeviceInfo, (cl_device_id it, cl_device_info what, INFO),
          (it, what, size, value, bytes), NOTHING, HOST, CL_INVALID_VALUE)
CODE_CALL(clRetainContext, (cl_context it), (it), ++control.live[LAYER_CONTEXT], DEVICE, HOST)
CODE_CALL(clGetContextInfo, (cl_context it, cl_context_info what, INFO),
          (it, what, size, value, bytes), NOTHING, HOST, DEVICE)
CODE_CALL(clRetainCommandQueue, (cl_command_queue it), (it), ++control.live[LAYER_QUEUE], DEVICE,
          HOST)
CODE_CALL(clGetCommandQueueInfo, (cl_command_queue it, cl_command_queue_info what, INFO),
          (it, what, size, value, bytes), NOTHING, HOST, DEVICE)
CODE_CALL(clRetainMemObject, (cl_mem it), (it), ++control.live[LAYER_MEMORY], DEVICE, HOST)
CODE_CALL(clGetMemObjectInfo, (cl_mem it, cl_mem_info what, INFO), (it, what, size, value, bytes),
          NOTHING, HOST, DEVICE)
CODE_CALL(clRetainProgram, (cl_program it), (it), ++control.live[LAYER_PROGRAM], DEVICE, HOST)
CODE_CALL(clBuildProgram,
          (cl_program it, cl_uint n, const cl_device_id *list, const char *options,
           void(CL_CALLBACK *notify)(cl_program, void *), void *user),
          (it, n, list, options, notify, user), NOTHING, CL_BUILD_PROGRAM_FAILURE, HOST)
CODE_CALL(clGetProgramInfo, (cl_program it, cl_program_info what, INFO),
          (it, what, size, value, bytes), NOTHING, HOST, DEVICE)
CODE_CALL(clGetProgramBuildInfo,
          (cl_program it, cl_device_id device, cl_program_build_info what, INFO),
          (it, device, what, size, value, bytes), NOTHING, HOST, DEVICE)
CODE_CALL(clRetainKernel, (cl_kernel it), (it), ++control.live[LAYER_KERNEL], DEVICE, HOST)
CODE_CALL(clSetKernelArg, (cl_kernel it, cl_uint at, size_t size, const void *value),
          (it, at, size, value), NOTHING, DEVICE, HOST)
CODE_CALL(clRetainEvent, (cl_event it), (it), ++control.live[LAYER_EVENT], DEVICE, HOST)
CODE_CALL(clGetEventProfilingInfo, (cl_event it, cl_profiling_info what, INFO),
          (it, what, size, value, bytes), NOTHING, CL_PROFILING_INFO_NOT_AVAILABLE, HOST)
CODE_CALL(clFlush, (cl_command_queue it), (it), NOTHING, DEVICE, HOST)
WAIT_CALL(clFinish, (cl_command_queue it), (it), DEVICE, HOST)
WAIT_CALL(clWaitForEvents, (cl_uint n, const cl_event *list), (n, list), DEVICE,
          CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
CODE_CALL(clEnqueueReadBuffer,
          (cl_command_queue q, cl_mem from, cl_bool wait_now, size_t at, size_t n, void *to, WAITS),
          (q, from, wait_now, at, n, to, waits, wait, event), NEW_EVENT, DEVICE, ROOM)
CODE_CALL(clEnqueueWriteBuffer,
          (cl_command_queue q, cl_mem to, cl_bool wait_now, size_t at, size_t n, const void *from,
           WAITS),
          (q, to, wait_now, at, n, from, waits, wait, event), NEW_EVENT, DEVICE, ROOM)
#define RECT                                                                                       \
    const size_t *at, const size_t *host_at, const size_t *region, size_t pitch, size_t slice,     \
        size_t host_pitch, size_t host_slice
#define RECT_ARGS at, host_at, region, pitch, slice, host_pitch, host_slice
CODE_CALL(clEnqueueReadBufferRect,
          (cl_command_queue q, cl_mem from, cl_bool wait_now, RECT, void *to, WAITS),
          (q, from, wait_now, RECT_ARGS, to, waits, wait, event), NEW_EVENT, DEVICE, ROOM)
CODE_CALL(clEnqueueWriteBufferRect,
          (cl_command_queue q, cl_mem to, cl_bool wait_now, RECT, const void *from, WAITS),
          (q, to, wait_now, RECT_ARGS, from, waits, wait, event), NEW_EVENT, DEVICE, ROOM)
CODE_CALL(clEnqueueCopyBuffer,
          (cl_command_queue q, cl_mem from, cl_mem to, size_t from_at, size_t to_at, size_t n,
           WAITS),
          (q, from, to, from_at, to_at, n, waits, wait, event), NEW_EVENT, DEVICE, ROOM)
CODE_CALL(clEnqueueFillBuffer,
          (cl_command_queue q, cl_mem to, const void *pattern, size_t size, size_t at, size_t n,
           WAITS),
          (q, to, pattern, size, at, n, waits, wait, event), NEW_EVENT, DEVICE, ROOM)
CODE_CALL(clEnqueueUnmapMemObject, (cl_command_queue q, cl_mem it, void *mapped, WAITS),
          (q, it, mapped, waits, wait, event), NEW_EVENT, DEVICE, HOST)
CODE_CALL(clEnqueueNDRangeKernel,
          (cl_command_queue q, cl_kernel kernel, cl_uint rank, const size_t *offset,
           const size_t *global, const size_t *local, WAITS),
          (q, kernel, rank, offset, global, local, waits, wait, event), NEW_EVENT, DEVICE, ROOM)
CODE_CALL(clEnqueueMarkerWithWaitList, (cl_command_queue q, WAITS), (q, waits, wait, event),
          NEW_EVENT, DEVICE, HOST)
CODE_CALL(clEnqueueBarrierWithWaitList, (cl_command_queue q, WAITS), (q, waits, wait, event),
          NEW_EVENT, DEVICE, HOST)

RELEASE_CALL(clReleaseContext, LAYER_CONTEXT, cl_context)
RELEASE_CALL(clReleaseCommandQueue, LAYER_QUEUE, cl_command_queue)
RELEASE_CALL(clReleaseMemObject, LAYER_MEMORY, cl_mem)
RELEASE_CALL(clReleaseProgram, LAYER_PROGRAM, cl_program)
RELEASE_CALL(clReleaseKernel, LAYER_KERNEL, cl_kernel)
RELEASE_CALL(clReleaseEvent, LAYER_EVENT, cl_event)

MAKE_CALL(clCreateContext, LAYER_CONTEXT, cl_context,
          (const cl_context_properties *properties, cl_uint n, const cl_device_id *list,
           void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user,
           cl_int *error),
          (properties, n, list, notify, user, error), CL_DEVICE_NOT_AVAILABLE, HOST)
MAKE_CALL(clCreateCommandQueue, LAYER_QUEUE, cl_command_queue,
          (cl_context it, cl_device_id device, cl_command_queue_properties properties,
           cl_int *error),
          (it, device, properties, error), DEVICE, HOST)
MAKE_CALL(clCreateBuffer, LAYER_MEMORY, cl_mem,
          (cl_context it, cl_mem_flags flags, size_t bytes, void *host, cl_int *error),
          (it, flags, bytes, host, error), ROOM, HOST)
MAKE_CALL(clCreateSubBuffer, LAYER_MEMORY, cl_mem,
          (cl_mem it, cl_mem_flags flags, cl_buffer_create_type type, const void *info,
           cl_int *error),
          (it, flags, type, info, error), ROOM, HOST)
MAKE_CALL(clCreateProgramWithSource, LAYER_PROGRAM, cl_program,
          (cl_context it, cl_uint n, const char **texts, const size_t *bytes, cl_int *error),
          (it, n, texts, bytes, error), DEVICE, HOST)
MAKE_CALL(clCreateProgramWithBinary, LAYER_PROGRAM, cl_program,
          (cl_context it, cl_uint n, const cl_device_id *list, const size_t *bytes,
           const unsigned char **binaries, cl_int *each, cl_int *error),
          (it, n, list, bytes, binaries, each, error), CL_INVALID_BINARY, HOST)
MAKE_CALL(clCreateKernel, LAYER_KERNEL, cl_kernel, (cl_program it, const char *name, cl_int *error),
          (it, name, error), DEVICE, HOST)

static void *CL_API_CALL layer_clEnqueueMapBuffer(cl_command_queue q, cl_mem it, cl_bool wait_now,
                                                  cl_map_flags flags, size_t at, size_t n, WAITS,
                                                  cl_int *error) {
    static const cl_int codes[] = {CL_MAP_FAILURE, HOST};
    const cl_int code = fault("clEnqueueMapBuffer", codes, COUNT(codes));
    if (code != CL_SUCCESS) {
        if (error) *error = code;
        return NULL;
    }
    void *mapped =
        next->clEnqueueMapBuffer(q, it, wait_now, flags, at, n, waits, wait, event, error);
    if (mapped && event) ++control.live[LAYER_EVENT];
    return mapped;
}

/* --- the layer's own interface ------------------------------------------------------------------
 */

#define FUNCTIONS(X)                                                                               \
    X(clGetPlatformIDs)                                                                            \
    X(clGetPlatformInfo)                                                                           \
    X(clGetDeviceIDs)                                                                              \
    X(clGetDeviceInfo)                                                                             \
    X(clCreateContext)                                                                             \
    X(clRetainContext)                                                                             \
    X(clReleaseContext)                                                                            \
    X(clGetContextInfo)                                                                            \
    X(clCreateCommandQueue)                                                                        \
    X(clRetainCommandQueue)                                                                        \
    X(clReleaseCommandQueue)                                                                       \
    X(clGetCommandQueueInfo)                                                                       \
    X(clCreateBuffer)                                                                              \
    X(clCreateSubBuffer)                                                                           \
    X(clRetainMemObject)                                                                           \
    X(clReleaseMemObject)                                                                          \
    X(clGetMemObjectInfo)                                                                          \
    X(clCreateProgramWithSource)                                                                   \
    X(clCreateProgramWithBinary)                                                                   \
    X(clRetainProgram)                                                                             \
    X(clReleaseProgram)                                                                            \
    X(clBuildProgram)                                                                              \
    X(clGetProgramInfo)                                                                            \
    X(clGetProgramBuildInfo)                                                                       \
    X(clCreateKernel)                                                                              \
    X(clRetainKernel)                                                                              \
    X(clReleaseKernel)                                                                             \
    X(clSetKernelArg)                                                                              \
    X(clWaitForEvents)                                                                             \
    X(clRetainEvent)                                                                               \
    X(clReleaseEvent)                                                                              \
    X(clGetEventProfilingInfo)                                                                     \
    X(clFlush)                                                                                     \
    X(clFinish)                                                                                    \
    X(clEnqueueReadBuffer)                                                                         \
    X(clEnqueueWriteBuffer)                                                                        \
    X(clEnqueueReadBufferRect)                                                                     \
    X(clEnqueueWriteBufferRect)                                                                    \
    X(clEnqueueCopyBuffer)                                                                         \
    X(clEnqueueFillBuffer)                                                                         \
    X(clEnqueueMapBuffer)                                                                          \
    X(clEnqueueUnmapMemObject)                                                                     \
    X(clEnqueueNDRangeKernel)                                                                      \
    X(clEnqueueMarkerWithWaitList)                                                                 \
    X(clEnqueueBarrierWithWaitList)

EXPORT cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t size, void *value,
                                         size_t *bytes) {
    return layer_info("sparcl fault layer", what, size, value, bytes);
}

EXPORT cl_int CL_API_CALL clInitLayer(cl_uint count, const cl_icd_dispatch *target,
                                      cl_uint *count_back, const cl_icd_dispatch **layer) {
    if (!target || !count_back || !layer || count < sizeof dispatch / sizeof(void *))
        return CL_INVALID_VALUE;
    next = target;
    dispatch = *target;
#define TAKE(name) dispatch.name = layer_##name;
    FUNCTIONS(TAKE)
#undef TAKE
    *layer = &dispatch;
    *count_back = sizeof dispatch / sizeof(void *);
    return CL_SUCCESS;
}

__attribute__((destructor)) static void print(void) {
    for (int type = 0; type < LAYER_TYPES; ++type)
        if (control.live[type] != 0)
            fprintf(stderr, "layer: objects left: %ld of type %s\n", control.live[type],
                    type_names[type]);
}
