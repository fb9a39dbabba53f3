/* strict_test.h: what the tests of the strict layer share: wrong calls, and objects for them. */
#ifndef TESTS_STRICT_TEST_H
#define TESTS_STRICT_TEST_H

#include "device_test.h"

#include <dlfcn.h>

#include "layer_strict.h"
#include "sparcl/opencl.h"

static strict_control *strict;

/* The call is refused by the layer, for this condition. */
static void check_found(const char *call, cl_int code, cl_int expected, const char *condition,
                        long before) {
    char name[64] = ""; /* of a call by a macro: none */
    sscanf(call, "cl%63[^(]", name);
    if (code != expected || strict->count != before + 1 || !strstr(strict->last, name) ||
        !strstr(strict->last, condition))
        fail_msg("%s: %d, expected %d and \"%s\"; %ld found: %s", call, (int)code, (int)expected,
                 condition, strict->count - before, strict->last);
    strict->last[0] = 0;
}

#define WRONG(expected, condition, call)                                                           \
    do {                                                                                           \
        const long before_ = strict->count;                                                        \
        const cl_int code_ = (call);                                                               \
        check_found(#call, code_, expected, condition, before_);                                   \
    } while (0)

/* Of a call that makes an object, and stores its error in `made`. */
static cl_int made;
#define NOT_MADE(expected, condition, call)                                                        \
    do {                                                                                           \
        const long before_ = strict->count;                                                        \
        assert_null(call);                                                                         \
        check_found(#call, made, expected, condition, before_);                                    \
    } while (0)

#define RIGHT(call) assert_int_equal((call), CL_SUCCESS)

#define NO_EVENTS      0, NULL, NULL
#define SIZES(x, y, z) ((const size_t[]){(x), (y), (z)})
#define NO_CONTEXT     ((cl_context)&made)
#define NO_QUEUE       ((cl_command_queue)&made)
#define NO_MEMORY      ((cl_mem)&made)
#define NO_PROGRAM     ((cl_program)&made)
#define NO_KERNEL      ((cl_kernel)&made)
#define NO_EVENT       ((cl_event)&made)
#define INFO_OF(x)     sizeof(x), &(x), NULL

enum { BYTES = 4096 };

static const char source[] =
    "kernel void plain(global int *a, int b, float4 c) { a[get_global_id(0)] = b + (int)c.x; }\n"
    "kernel void with_local(global int *a, local int *b) { b[0] = 1; a[0] = b[0]; }\n"
    "kernel __attribute__((reqd_work_group_size(4, 1, 1))) void of_four(global int *a) {\n"
    "    a[get_global_id(0)] = 4;\n"
    "}\n";

/* What most tests call with. */
static struct {
    sparcl_ctx *ctx;
    cl_context context, other;
    cl_device_id device;
    cl_platform_id platform;
    cl_command_queue queue;
    cl_mem memory, foreign;
    cl_program program, unbuilt;
    cl_kernel kernel;
    cl_event event, foreign_event;
    unsigned char host[BYTES];
} f;

static cl_context make_context(void) {
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                                (cl_context_properties)f.platform, 0};
    return clCreateContext(properties, 1, &f.device, NULL, NULL, &made);
}

static cl_kernel make_kernel(const char *name) {
    cl_kernel kernel = clCreateKernel(f.program, name, &made);
    assert_non_null(kernel);
    return kernel;
}

static int set_up(void **state) {
    const char *text = source;
    const float c[4] = {0};
    const cl_int b = 1;
    (void)state;
    f.ctx = test_open();
    f.device = sparcl_ctx_cl_device(f.ctx);
    RIGHT(clGetDeviceInfo(f.device, CL_DEVICE_PLATFORM, INFO_OF(f.platform)));
    f.context = make_context();
    f.other = make_context();
    f.queue = clCreateCommandQueue(f.context, f.device, 0, &made);
    f.memory = clCreateBuffer(f.context, CL_MEM_READ_WRITE, BYTES, NULL, &made);
    f.foreign = clCreateBuffer(f.other, CL_MEM_READ_WRITE, BYTES, NULL, &made);
    f.program = clCreateProgramWithSource(f.context, 1, &text, NULL, &made);
    f.unbuilt = clCreateProgramWithSource(f.context, 1, &text, NULL, &made);
    RIGHT(clBuildProgram(f.program, 1, &f.device, "-cl-std=CL1.2 -DX=1 -w", NULL, NULL));
    f.kernel = make_kernel("plain");
    RIGHT(clSetKernelArg(f.kernel, 0, sizeof f.memory, &f.memory));
    RIGHT(clSetKernelArg(f.kernel, 1, sizeof b, &b));
    RIGHT(clSetKernelArg(f.kernel, 2, sizeof c, c));
    RIGHT(clEnqueueMarkerWithWaitList(f.queue, 0, NULL, &f.event));
    f.foreign_event = clCreateUserEvent(f.other, &made);
    RIGHT(clSetUserEventStatus(f.foreign_event, CL_COMPLETE));
    RIGHT(clFinish(f.queue));
    strict->expected = 1;
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    strict->expected = 0;
    RIGHT(clReleaseEvent(f.event));
    RIGHT(clReleaseEvent(f.foreign_event));
    RIGHT(clReleaseKernel(f.kernel));
    RIGHT(clReleaseProgram(f.program));
    RIGHT(clReleaseProgram(f.unbuilt));
    RIGHT(clReleaseMemObject(f.memory));
    RIGHT(clReleaseMemObject(f.foreign));
    RIGHT(clReleaseCommandQueue(f.queue));
    RIGHT(clReleaseContext(f.context));
    RIGHT(clReleaseContext(f.other));
    sparcl_ctx_close(f.ctx);
    return 0;
}

/* The layer is the loader's; the same library opened again is the same. */
static bool find_layer(void) {
    const char *const path = getenv("SPARCL_TEST_LAYER");
    void *library = path ? dlopen(path, RTLD_NOW) : NULL;
    union {
        void *object;
        strict_get_control_fn function;
    } get = {.object = library ? dlsym(library, "strict_get_control") : NULL};
    if (get.object) strict = get.function();
    return get.object != NULL;
}

#endif
