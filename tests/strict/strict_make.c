/* strict_make.c: what makes contexts, queues, buffers, programs and kernels. */
#include "layer_strict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEVICES 64

/* At most one of these flags. */
static bool is_one(cl_bitfield flags, cl_bitfield of) {
    return ((flags & of) & ((flags & of) - 1)) == 0;
}

static cl_uint devices_of(cl_context context, cl_device_id *list) {
    size_t bytes = 0;
    strict_next->clGetContextInfo(context, CL_CONTEXT_DEVICES, MAX_DEVICES * sizeof *list, list,
                                  &bytes);
    return (cl_uint)(bytes / sizeof *list);
}

static bool has_device(cl_context context, cl_device_id device) {
    cl_device_id list[MAX_DEVICES] = {NULL};
    const cl_uint n = devices_of(context, list);
    for (cl_uint i = 0; i < n; ++i)
        if (list[i] == device) return true;
    return false;
}

/* --- contexts and queues -----------------------------------------------------------------------
 */

CHECKED_MAKE(STRICT_CONTEXT, cl_context, clCreateContext,
             (const cl_context_properties *properties, cl_uint n, const cl_device_id *list,
              void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user),
             (properties, n, list, notify, user)) {
    for (const cl_context_properties *each = properties; each && *each; each += 2) {
        REQUIRE(CL_INVALID_PROPERTY,
                *each == CL_CONTEXT_PLATFORM || *each == CL_CONTEXT_INTEROP_USER_SYNC);
        REQUIRE(CL_INVALID_PLATFORM, *each != CL_CONTEXT_PLATFORM || each[1]);
    }
    REQUIRE(CL_INVALID_VALUE, list && n > 0);
    for (cl_uint i = 0; i < n; ++i)
        REQUIRE(CL_INVALID_DEVICE, list[i]);
    REQUIRE(CL_INVALID_VALUE, notify || !user);
    return CL_SUCCESS;
}

CHECKED_MAKE(STRICT_QUEUE, cl_command_queue, clCreateCommandQueue,
             (cl_context context, cl_device_id device, cl_command_queue_properties properties),
             (context, device, properties)) {
    const cl_command_queue_properties all =
        CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
    REQUIRE(CL_INVALID_CONTEXT, strict_lives(STRICT_CONTEXT, context));
    REQUIRE(CL_INVALID_DEVICE, has_device(context, device));
    REQUIRE(CL_INVALID_VALUE, !(properties & ~all));
    REQUIRE(CL_INVALID_QUEUE_PROPERTIES,
            !(properties & ~strict_number(device, CL_DEVICE_QUEUE_PROPERTIES)));
    return CL_SUCCESS;
}

/* --- buffers -----------------------------------------------------------------------------------
 */

static const cl_mem_flags access = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
static const cl_mem_flags host_side =
    CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
static const cl_mem_flags host_ptrs = CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR;

CHECKED_MAKE(STRICT_MEMORY, cl_mem, clCreateBuffer,
             (cl_context context, cl_mem_flags flags, size_t size, void *host),
             (context, flags, size, host)) {
    cl_device_id list[MAX_DEVICES] = {NULL};
    REQUIRE(CL_INVALID_CONTEXT, strict_lives(STRICT_CONTEXT, context));
    REQUIRE(CL_INVALID_VALUE, !(flags & ~(access | host_side | host_ptrs | CL_MEM_ALLOC_HOST_PTR)));
    REQUIRE(CL_INVALID_VALUE, is_one(flags, access));
    REQUIRE(CL_INVALID_VALUE, is_one(flags, host_side));
    REQUIRE(CL_INVALID_VALUE, is_one(flags, host_ptrs));
    REQUIRE(CL_INVALID_VALUE, is_one(flags, CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR));
    REQUIRE(CL_INVALID_HOST_PTR, !host == !(flags & host_ptrs));
    REQUIRE(CL_INVALID_BUFFER_SIZE, size > 0);
    const cl_uint n = devices_of(context, list);
    for (cl_uint i = 0; i < n; ++i)
        REQUIRE(CL_INVALID_BUFFER_SIZE,
                size <= strict_number(list[i], CL_DEVICE_MAX_MEM_ALLOC_SIZE));
    return CL_SUCCESS;
}

static cl_int check_region(const char *call, cl_mem parent, const cl_buffer_region *region) {
    cl_device_id list[MAX_DEVICES] = {NULL};
    cl_context context = NULL;
    size_t bytes = 0;
    cl_uint fitting = 0;
    strict_next->clGetMemObjectInfo(parent, CL_MEM_SIZE, sizeof bytes, &bytes, NULL);
    strict_next->clGetMemObjectInfo(parent, CL_MEM_CONTEXT, sizeof context, &context, NULL);
    REQUIRE(CL_INVALID_VALUE, region);
    REQUIRE(CL_INVALID_BUFFER_SIZE, region->size > 0);
    REQUIRE(CL_INVALID_VALUE, region->origin <= bytes && region->size <= bytes - region->origin);
    const cl_uint n = devices_of(context, list);
    for (cl_uint i = 0; i < n; ++i) /* the alignment is in bits */
        fitting += region->origin * 8 % strict_number(list[i], CL_DEVICE_MEM_BASE_ADDR_ALIGN) == 0;
    REQUIRE(CL_MISALIGNED_SUB_BUFFER_OFFSET, fitting > 0);
    return CL_SUCCESS;
}

CHECKED_MAKE(STRICT_MEMORY, cl_mem, clCreateSubBuffer,
             (cl_mem parent, cl_mem_flags flags, cl_buffer_create_type type, const void *info),
             (parent, flags, type, info)) {
    cl_mem grandparent = NULL;
    cl_mem_flags has = 0;
    REQUIRE(CL_INVALID_MEM_OBJECT, strict_lives(STRICT_MEMORY, parent));
    strict_next->clGetMemObjectInfo(parent, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof grandparent,
                                    &grandparent, NULL);
    strict_next->clGetMemObjectInfo(parent, CL_MEM_FLAGS, sizeof has, &has, NULL);
    REQUIRE(CL_INVALID_MEM_OBJECT, !grandparent);
    REQUIRE(CL_INVALID_VALUE, !(flags & ~(access | host_side)));
    REQUIRE(CL_INVALID_VALUE, is_one(flags, access));
    REQUIRE(CL_INVALID_VALUE, is_one(flags, host_side));
    REQUIRE(CL_INVALID_VALUE,
            !(has & CL_MEM_WRITE_ONLY) || !(flags & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY)));
    REQUIRE(CL_INVALID_VALUE,
            !(has & CL_MEM_READ_ONLY) || !(flags & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY)));
    REQUIRE(CL_INVALID_VALUE, !(has & CL_MEM_HOST_WRITE_ONLY) || !(flags & CL_MEM_HOST_READ_ONLY));
    REQUIRE(CL_INVALID_VALUE, !(has & CL_MEM_HOST_READ_ONLY) || !(flags & CL_MEM_HOST_WRITE_ONLY));
    REQUIRE(CL_INVALID_VALUE, !(has & CL_MEM_HOST_NO_ACCESS) ||
                                  !(flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY)));
    REQUIRE(CL_INVALID_VALUE, type == CL_BUFFER_CREATE_TYPE_REGION);
    return check_region(call, parent, info);
}

/* Tests make images and user events, to see them refused or waited for. */
CHECKED_MAKE(STRICT_MEMORY, cl_mem, clCreateImage,
             (cl_context context, cl_mem_flags flags, const cl_image_format *format,
              const cl_image_desc *desc, void *host),
             (context, flags, format, desc, host)) {
    REQUIRE(CL_INVALID_CONTEXT, strict_lives(STRICT_CONTEXT, context));
    return CL_SUCCESS;
}

CHECKED_MAKE(STRICT_EVENT, cl_event, clCreateUserEvent, (cl_context context), (context)) {
    REQUIRE(CL_INVALID_CONTEXT, strict_lives(STRICT_CONTEXT, context));
    return CL_SUCCESS;
}

/* --- programs and kernels ----------------------------------------------------------------------
 */

CHECKED_MAKE(STRICT_PROGRAM, cl_program, clCreateProgramWithSource,
             (cl_context context, cl_uint n, const char **texts, const size_t *bytes),
             (context, n, texts, bytes)) {
    REQUIRE(CL_INVALID_CONTEXT, strict_lives(STRICT_CONTEXT, context));
    REQUIRE(CL_INVALID_VALUE, n > 0 && texts);
    for (cl_uint i = 0; i < n; ++i)
        REQUIRE(CL_INVALID_VALUE, texts[i]);
    return CL_SUCCESS;
}

CHECKED_MAKE(STRICT_PROGRAM, cl_program, clCreateProgramWithBinary,
             (cl_context context, cl_uint n, const cl_device_id *list, const size_t *bytes,
              const unsigned char **binaries, cl_int *each),
             (context, n, list, bytes, binaries, each)) {
    REQUIRE(CL_INVALID_CONTEXT, strict_lives(STRICT_CONTEXT, context));
    REQUIRE(CL_INVALID_VALUE, n > 0 && list && bytes && binaries);
    for (cl_uint i = 0; i < n; ++i) {
        REQUIRE(CL_INVALID_DEVICE, has_device(context, list[i]));
        REQUIRE(CL_INVALID_VALUE, bytes[i] > 0 && binaries[i]);
    }
    return CL_SUCCESS;
}

/* CL1.2 is at most the "OpenCL C 1.2 ..." of the device. */
static bool has_language(cl_device_id device, const char *standard) {
    char text[256] = "";
    int of_device[2] = {0}, of_option[2] = {0};
    strict_next->clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_VERSION, sizeof text - 1, text, NULL);
    sscanf(text, "OpenCL C %d.%d", &of_device[0], &of_device[1]);
    return sscanf(standard, "CL%d.%d", &of_option[0], &of_option[1]) == 2 &&
           of_option[0] * 10 + of_option[1] <= of_device[0] * 10 + of_device[1];
}

static cl_int check_option(const char *call, cl_device_id device, const char *option) {
    static const char *const known[] = {"-cl-single-precision-constant",
                                        "-cl-denorms-are-zero",
                                        "-cl-opt-disable",
                                        "-cl-mad-enable",
                                        "-cl-no-signed-zeros",
                                        "-cl-unsafe-math-optimizations",
                                        "-cl-finite-math-only",
                                        "-cl-fast-relaxed-math",
                                        "-w",
                                        "-Werror",
                                        "-cl-kernel-arg-info",
                                        "-g"};
    bool is_known = false;
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
        is_known = is_known || strcmp(option, known[i]) == 0;
    if (strcmp(option, "-cl-fp32-correctly-rounded-divide-sqrt") == 0) {
        REQUIRE(CL_INVALID_BUILD_OPTIONS, strict_number(device, CL_DEVICE_SINGLE_FP_CONFIG) &
                                              CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT);
    } else if (strncmp(option, "-cl-std=", 8) == 0) {
        REQUIRE(CL_INVALID_BUILD_OPTIONS, has_language(device, option + 8));
    } else if (strncmp(option, "-D", 2) != 0 && strncmp(option, "-I", 2) != 0) {
        REQUIRE(CL_INVALID_BUILD_OPTIONS, is_known);
    }
    return CL_SUCCESS;
}

static cl_int check_clBuildProgram(const char *call, cl_program it, cl_uint n,
                                   const cl_device_id *list, const char *options, bool has_notify,
                                   const void *user) {
    char text[4096] = "", *rest = text;
    cl_device_id devices[MAX_DEVICES] = {NULL};
    cl_context context = NULL;
    REQUIRE(CL_INVALID_PROGRAM, strict_lives(STRICT_PROGRAM, it));
    REQUIRE(CL_INVALID_VALUE, !list == !n);
    REQUIRE(CL_INVALID_VALUE, has_notify || !user);
    strict_next->clGetProgramInfo(it, CL_PROGRAM_CONTEXT, sizeof context, &context, NULL);
    for (cl_uint i = 0; i < n; ++i)
        REQUIRE(CL_INVALID_DEVICE, has_device(context, list[i]));
    devices_of(context, devices);
    snprintf(text, sizeof text, "%s", options);
    for (char *each; (each = strtok_r(rest, " ", &rest));)
        TRY(check_option(call, list ? list[0] : devices[0], each));
    return CL_SUCCESS;
}

/* So that the driver can say what the arguments of kernels are. */
static cl_int CL_API_CALL layer_clBuildProgram(cl_program it, cl_uint n, const cl_device_id *list,
                                               const char *options,
                                               void(CL_CALLBACK *notify)(cl_program, void *),
                                               void *user) {
    char more[4096];
    snprintf(more, sizeof more, "%s -cl-kernel-arg-info", options ? options : "");
    TRY(check_clBuildProgram("clBuildProgram", it, n, list, more, notify != NULL, user));
    return strict_next->clBuildProgram(it, n, list, more, notify, user);
}

static size_t kernels_of(cl_program program) {
    size_t count = 0;
    strict_next->clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof count, &count, NULL);
    return count;
}

/* Also without kernels, as where a driver's cache is damaged, which is no fault of the caller. */
static bool is_built(cl_program program) {
    cl_device_id devices[64] = {NULL};
    size_t bytes = 0;
    strict_next->clGetProgramInfo(program, CL_PROGRAM_DEVICES, sizeof devices, devices, &bytes);
    for (size_t i = 0; i < bytes / sizeof devices[0]; ++i) {
        cl_build_status status = CL_BUILD_NONE;
        strict_next->clGetProgramBuildInfo(program, devices[i], CL_PROGRAM_BUILD_STATUS,
                                           sizeof status, &status, NULL);
        if (status == CL_BUILD_SUCCESS) return true;
    }
    return false;
}

CHECKED_MAKE(STRICT_KERNEL, cl_kernel, clCreateKernel, (cl_program program, const char *name),
             (program, name)) {
    REQUIRE(CL_INVALID_PROGRAM, strict_lives(STRICT_PROGRAM, program));
    REQUIRE(CL_INVALID_PROGRAM_EXECUTABLE, is_built(program));
    REQUIRE(CL_INVALID_VALUE, name);
    return CL_SUCCESS;
}

CHECKED_THEN(for (size_t i = 0; list && i < kernels_of(program); ++i)
                 strict_add(STRICT_KERNEL, list[i]),
             clCreateKernelsInProgram,
             (cl_program program, cl_uint n, cl_kernel *list, cl_uint *count),
             (program, n, list, count)) {
    REQUIRE(CL_INVALID_PROGRAM, strict_lives(STRICT_PROGRAM, program));
    REQUIRE(CL_INVALID_VALUE, !list || n >= kernels_of(program));
    return CL_SUCCESS;
}

void strict_take_make(cl_icd_dispatch *table) {
#define TAKE(name) table->name = layer_##name;
    TAKE(clCreateContext)
    TAKE(clCreateCommandQueue)
    TAKE(clCreateBuffer)
    TAKE(clCreateSubBuffer)
    TAKE(clCreateImage)
    TAKE(clCreateUserEvent)
    TAKE(clCreateProgramWithSource)
    TAKE(clCreateProgramWithBinary)
    TAKE(clBuildProgram)
    TAKE(clCreateKernel)
    TAKE(clCreateKernelsInProgram)
#undef TAKE
}
