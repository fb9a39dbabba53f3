/* strict_queries.c: what is asked about platforms, devices and objects: it must exist in the
 * version of the device, or by an extension that it has, and fit where it is to be put. */
#include "layer_strict.h"

#include <stdio.h>
#include <string.h>

cl_ulong strict_number(cl_device_id device, cl_device_info what) {
    cl_ulong number = 0; /* of fewer bytes: little-endian */
    strict_next->clGetDeviceInfo(device, what, sizeof number, &number, NULL);
    return number;
}

int strict_version(cl_device_id device) {
    char text[256] = "";
    int major = 0, minor = 0;
    strict_next->clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof text - 1, text, NULL);
    sscanf(text, "OpenCL %d.%d", &major, &minor);
    return major * 10 + minor;
}

static bool has_extension(cl_device_id device, const char *name) {
    char list[16384] = " ", spaced[64];
    strict_next->clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof list - 3, list + 1, NULL);
    snprintf(spaced, sizeof spaced, " %s ", name);
    return strstr(strcat(list, " "), spaced) != NULL;
}

/* Of ranges that have a parameter the first counts. */
static bool device_has(cl_device_id device, cl_device_info what) {
    static const struct {
        cl_device_info first, last;
        int version;
        const char *extension;
    } known[] = {{0x1033, 0x1033, 0, "cl_khr_fp16"}, /* CL_DEVICE_HALF_FP_CONFIG */
                 {0x1000, 0x104A, 12, NULL},
                 {0x104B, 0x105A, 20, NULL},
                 {0x105B, 0x105D, 21, NULL},
                 {0x105E, 0x1073, 30, NULL},
                 {0x4000, 0x400B, 0, "cl_nv_device_attribute_query"},
                 {0x410F, 0x410F, 0, "cl_khr_pci_bus_info"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
        if (known[i].first <= what && what <= known[i].last)
            return known[i].extension ? has_extension(device, known[i].extension)
                                      : strict_version(device) >= known[i].version;
    return false;
}

#define SIZE_OF(name, ...) strict_next->name(__VA_ARGS__, 0, NULL, &needed)

/* The parameter exists (`exists`), the driver knows it, and the place has room for it. */
#define CHECK_INFO(exists, asked)                                                                  \
    size_t needed = 0;                                                                             \
    REQUIRE(CL_INVALID_VALUE, exists);                                                             \
    const cl_int known = (asked);                                                                  \
    REQUIRE(CL_INVALID_VALUE, known != CL_INVALID_VALUE);                                          \
    REQUIRE(CL_INVALID_VALUE, !value || size >= needed || known != CL_SUCCESS);                    \
    return CL_SUCCESS;

CHECKED(clGetPlatformInfo, (cl_platform_id it, cl_platform_info what, INFO),
        (it, what, size, value, bytes)){
    CHECK_INFO(what >= CL_PLATFORM_PROFILE && what <= CL_PLATFORM_EXTENSIONS,
               SIZE_OF(clGetPlatformInfo, it, what))}

CHECKED(clGetDeviceInfo, (cl_device_id it, cl_device_info what, INFO),
        (it, what, size, value, bytes)) {
    REQUIRE(CL_INVALID_DEVICE, it);
    CHECK_INFO(device_has(it, what), SIZE_OF(clGetDeviceInfo, it, what))
}

/* The first and the last parameter in OpenCL 1.2. */
#define OBJECT_INFO(name, type, object, first, last, invalid)                                      \
    CHECKED(name, (object it, cl_uint what, INFO), (it, what, size, value, bytes)) {               \
        REQUIRE(invalid, strict_lives(type, it));                                                  \
        CHECK_INFO(what >= (first) && what <= (last), SIZE_OF(name, it, what))                     \
    }

OBJECT_INFO(clGetContextInfo, STRICT_CONTEXT, cl_context, CL_CONTEXT_REFERENCE_COUNT,
            CL_CONTEXT_NUM_DEVICES, CL_INVALID_CONTEXT)
OBJECT_INFO(clGetCommandQueueInfo, STRICT_QUEUE, cl_command_queue, CL_QUEUE_CONTEXT,
            CL_QUEUE_PROPERTIES, CL_INVALID_COMMAND_QUEUE)
OBJECT_INFO(clGetMemObjectInfo, STRICT_MEMORY, cl_mem, CL_MEM_TYPE, CL_MEM_OFFSET,
            CL_INVALID_MEM_OBJECT)
OBJECT_INFO(clGetProgramInfo, STRICT_PROGRAM, cl_program, CL_PROGRAM_REFERENCE_COUNT,
            CL_PROGRAM_KERNEL_NAMES, CL_INVALID_PROGRAM)
OBJECT_INFO(clGetKernelInfo, STRICT_KERNEL, cl_kernel, CL_KERNEL_FUNCTION_NAME,
            CL_KERNEL_ATTRIBUTES, CL_INVALID_KERNEL)
OBJECT_INFO(clGetEventInfo, STRICT_EVENT, cl_event, CL_EVENT_COMMAND_QUEUE, CL_EVENT_CONTEXT,
            CL_INVALID_EVENT)

CHECKED(clGetProgramBuildInfo,
        (cl_program it, cl_device_id device, cl_program_build_info what, INFO),
        (it, device, what, size, value, bytes)) {
    REQUIRE(CL_INVALID_PROGRAM, strict_lives(STRICT_PROGRAM, it));
    REQUIRE(CL_INVALID_DEVICE, device);
    CHECK_INFO(what >= CL_PROGRAM_BUILD_STATUS && what <= CL_PROGRAM_BINARY_TYPE,
               SIZE_OF(clGetProgramBuildInfo, it, device, what))
}

/* CL_KERNEL_GLOBAL_WORK_SIZE is for custom devices. */
CHECKED(clGetKernelWorkGroupInfo,
        (cl_kernel it, cl_device_id device, cl_kernel_work_group_info what, INFO),
        (it, device, what, size, value, bytes)) {
    REQUIRE(CL_INVALID_KERNEL, strict_lives(STRICT_KERNEL, it));
    CHECK_INFO(what >= CL_KERNEL_WORK_GROUP_SIZE && what <= CL_KERNEL_PRIVATE_MEM_SIZE,
               SIZE_OF(clGetKernelWorkGroupInfo, it, device, what))
}

/* Times exist once the command has ended, in a queue that takes them. */
CHECKED(clGetEventProfilingInfo, (cl_event it, cl_profiling_info what, INFO),
        (it, what, size, value, bytes)) {
    cl_command_queue queue = NULL;
    cl_command_queue_properties properties = 0;
    cl_int status = CL_QUEUED;
    REQUIRE(CL_INVALID_EVENT, strict_lives(STRICT_EVENT, it));
    strict_next->clGetEventInfo(it, CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, NULL);
    REQUIRE(CL_PROFILING_INFO_NOT_AVAILABLE, queue);
    strict_next->clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties,
                                       NULL);
    REQUIRE(CL_PROFILING_INFO_NOT_AVAILABLE, properties & CL_QUEUE_PROFILING_ENABLE);
    strict_next->clGetEventInfo(it, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status,
                                NULL);
    REQUIRE(CL_PROFILING_INFO_NOT_AVAILABLE, status == CL_COMPLETE);
    CHECK_INFO(what >= CL_PROFILING_COMMAND_QUEUED && what <= CL_PROFILING_COMMAND_END,
               SIZE_OF(clGetEventProfilingInfo, it, what))
}

CHECKED(clGetPlatformIDs, (cl_uint n, cl_platform_id *list, cl_uint *count), (n, list, count)) {
    REQUIRE(CL_INVALID_VALUE, list || count);
    REQUIRE(CL_INVALID_VALUE, !list || n > 0);
    return CL_SUCCESS;
}

CHECKED(clGetDeviceIDs,
        (cl_platform_id it, cl_device_type type, cl_uint n, cl_device_id *list, cl_uint *count),
        (it, type, n, list, count)) {
    const cl_device_type types = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU |
                                 CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM;
    REQUIRE(CL_INVALID_DEVICE_TYPE, type == CL_DEVICE_TYPE_ALL || (type && !(type & ~types)));
    REQUIRE(CL_INVALID_VALUE, list || count);
    REQUIRE(CL_INVALID_VALUE, !list || n > 0);
    return CL_SUCCESS;
}

void strict_take_queries(cl_icd_dispatch *table) {
#define TAKE(name) table->name = layer_##name;
    TAKE(clGetPlatformIDs)
    TAKE(clGetPlatformInfo)
    TAKE(clGetDeviceIDs)
    TAKE(clGetDeviceInfo)
    TAKE(clGetContextInfo)
    TAKE(clGetCommandQueueInfo)
    TAKE(clGetMemObjectInfo)
    TAKE(clGetProgramInfo)
    TAKE(clGetProgramBuildInfo)
    TAKE(clGetKernelInfo)
    TAKE(clGetKernelWorkGroupInfo)
    TAKE(clGetEventInfo)
    TAKE(clGetEventProfilingInfo)
#undef TAKE
}
