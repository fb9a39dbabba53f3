/* test_strict.c: every condition of the strict layer on queries, and on what makes and releases
 * objects, is found with its code, and what is right passes. */
#include "strict_test.h"

static void lists_have_room_and_known_types(void **state) {
    cl_platform_id platform = NULL;
    cl_device_id device = NULL;
    (void)state;
    WRONG(CL_INVALID_VALUE, "list || count", clGetPlatformIDs(0, NULL, NULL));
    WRONG(CL_INVALID_VALUE, "n > 0", clGetPlatformIDs(0, &platform, NULL));
    WRONG(CL_INVALID_VALUE, "list || count",
          clGetDeviceIDs(f.platform, CL_DEVICE_TYPE_ALL, 0, NULL, NULL));
    WRONG(CL_INVALID_VALUE, "n > 0",
          clGetDeviceIDs(f.platform, CL_DEVICE_TYPE_ALL, 0, &device, NULL));
    WRONG(CL_INVALID_DEVICE_TYPE, "type", clGetDeviceIDs(f.platform, 1 << 9, 1, &device, NULL));
}

/* What the device lacks is not asked: parameters of later versions, or of extensions. */
static void parameters_exist_and_their_values_fit(void **state) {
    cl_ulong value = 0;
    char small = 0;
    int major = 0, minor = 0;
    (void)state;
    WRONG(CL_INVALID_VALUE, "what", clGetPlatformInfo(f.platform, 0x0905, INFO_OF(value)));
    WRONG(CL_INVALID_DEVICE, "it", clGetDeviceInfo(NULL, CL_DEVICE_TYPE, INFO_OF(value)));
    WRONG(CL_INVALID_VALUE, "device_has", clGetDeviceInfo(f.device, 0x4003, INFO_OF(value)));
    WRONG(CL_INVALID_VALUE, "device_has", clGetDeviceInfo(f.device, 0x10FF, INFO_OF(value)));
    WRONG(CL_INVALID_VALUE, "size >= needed",
          clGetDeviceInfo(f.device, CL_DEVICE_TYPE, INFO_OF(small)));
    assert_int_equal(sscanf(sparcl_ctx_device(f.ctx)->version, "OpenCL %d.%d", &major, &minor), 2);
    const cl_device_info sub_groups = 0x105C; /* CL_DEVICE_MAX_NUM_SUB_GROUPS, of OpenCL 2.1 */
    if (major * 10 + minor < 21)
        WRONG(CL_INVALID_VALUE, "device_has",
              clGetDeviceInfo(f.device, sub_groups, INFO_OF(value)));
    else
        RIGHT(clGetDeviceInfo(f.device, sub_groups, INFO_OF(value)));
    WRONG(CL_INVALID_CONTEXT, "lives", clGetContextInfo(NO_CONTEXT, 0x1080, INFO_OF(value)));
    WRONG(CL_INVALID_VALUE, "what", clGetContextInfo(f.context, 0x1085, INFO_OF(value)));
    WRONG(CL_INVALID_COMMAND_QUEUE, "lives",
          clGetCommandQueueInfo(NO_QUEUE, 0x1090, INFO_OF(value)));
    WRONG(CL_INVALID_VALUE, "what", clGetCommandQueueInfo(f.queue, 0x1094, INFO_OF(value)));
    WRONG(CL_INVALID_MEM_OBJECT, "lives", clGetMemObjectInfo(NO_MEMORY, 0x1100, INFO_OF(value)));
    WRONG(CL_INVALID_VALUE, "what", clGetMemObjectInfo(f.memory, 0x1109, INFO_OF(value)));
    WRONG(CL_INVALID_PROGRAM, "lives", clGetProgramInfo(NO_PROGRAM, 0x1160, INFO_OF(value)));
    WRONG(CL_INVALID_VALUE, "what", clGetProgramInfo(f.program, 0x1169, INFO_OF(value)));
    WRONG(CL_INVALID_PROGRAM, "lives",
          clGetProgramBuildInfo(NO_PROGRAM, f.device, 0x1181, INFO_OF(value)));
    WRONG(CL_INVALID_DEVICE, "device",
          clGetProgramBuildInfo(f.program, NULL, 0x1181, INFO_OF(value)));
    WRONG(CL_INVALID_VALUE, "what",
          clGetProgramBuildInfo(f.program, f.device, 0x1185, INFO_OF(value)));
    WRONG(CL_INVALID_KERNEL, "lives", clGetKernelInfo(NO_KERNEL, 0x1191, INFO_OF(value)));
    WRONG(CL_INVALID_VALUE, "what", clGetKernelInfo(f.kernel, 0x1196, INFO_OF(value)));
    WRONG(CL_INVALID_KERNEL, "lives",
          clGetKernelWorkGroupInfo(NO_KERNEL, f.device, 0x11B0, INFO_OF(value)));
    WRONG(CL_INVALID_VALUE, "what",
          clGetKernelWorkGroupInfo(f.kernel, f.device, 0x11B5, INFO_OF(value)));
    WRONG(CL_INVALID_EVENT, "lives", clGetEventInfo(NO_EVENT, 0x11D0, INFO_OF(value)));
    WRONG(CL_INVALID_VALUE, "what", clGetEventInfo(f.event, 0x11D5, INFO_OF(value)));
}

static void times_exist_when_a_queue_takes_them_and_the_command_has_ended(void **state) {
    cl_ulong time = 0;
    cl_event marker = NULL;
    (void)state;
    WRONG(CL_PROFILING_INFO_NOT_AVAILABLE, "queue",
          clGetEventProfilingInfo(f.foreign_event, CL_PROFILING_COMMAND_END, INFO_OF(time)));
    WRONG(CL_PROFILING_INFO_NOT_AVAILABLE, "PROFILING_ENABLE",
          clGetEventProfilingInfo(f.event, CL_PROFILING_COMMAND_END, INFO_OF(time)));
    WRONG(CL_INVALID_EVENT, "lives",
          clGetEventProfilingInfo(NO_EVENT, CL_PROFILING_COMMAND_END, INFO_OF(time)));
    cl_command_queue queue =
        clCreateCommandQueue(f.context, f.device, CL_QUEUE_PROFILING_ENABLE, &made);
    cl_event gate = clCreateUserEvent(f.context, &made);
    RIGHT(clEnqueueMarkerWithWaitList(queue, 1, &gate, &marker));
    WRONG(CL_PROFILING_INFO_NOT_AVAILABLE, "CL_COMPLETE",
          clGetEventProfilingInfo(marker, CL_PROFILING_COMMAND_END, INFO_OF(time)));
    RIGHT(clSetUserEventStatus(gate, CL_COMPLETE));
    RIGHT(clFinish(queue));
    RIGHT(clGetEventProfilingInfo(marker, CL_PROFILING_COMMAND_END, INFO_OF(time)));
    WRONG(CL_INVALID_VALUE, "what", clGetEventProfilingInfo(marker, 0x1284, INFO_OF(time)));
    RIGHT(clReleaseEvent(gate));
    RIGHT(clReleaseEvent(marker));
    RIGHT(clReleaseCommandQueue(queue));
}

static void contexts_and_queues(void **state) {
    const cl_context_properties odd[] = {1, 1, 0}, none[] = {CL_CONTEXT_PLATFORM, 0, 0};
    cl_device_id no_device = NULL;
    cl_command_queue_properties can = 0;
    (void)state;
    RIGHT(clGetDeviceInfo(f.device, CL_DEVICE_QUEUE_PROPERTIES, INFO_OF(can)));
    NOT_MADE(CL_INVALID_PROPERTY, "INTEROP", clCreateContext(odd, 1, &f.device, NULL, NULL, &made));
    NOT_MADE(CL_INVALID_PLATFORM, "each[1]",
             clCreateContext(none, 1, &f.device, NULL, NULL, &made));
    NOT_MADE(CL_INVALID_VALUE, "n > 0", clCreateContext(NULL, 0, &f.device, NULL, NULL, &made));
    NOT_MADE(CL_INVALID_DEVICE, "list[i]", clCreateContext(NULL, 1, &no_device, NULL, NULL, &made));
    NOT_MADE(CL_INVALID_VALUE, "notify", clCreateContext(NULL, 1, &f.device, NULL, &made, &made));
    NOT_MADE(CL_INVALID_CONTEXT, "lives", clCreateCommandQueue(NO_CONTEXT, f.device, 0, &made));
    NOT_MADE(CL_INVALID_DEVICE, "has_device",
             clCreateCommandQueue(f.context, (cl_device_id)&made, 0, &made));
    NOT_MADE(CL_INVALID_VALUE, "~all", clCreateCommandQueue(f.context, f.device, 16, &made));
    if (!(can & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE))
        NOT_MADE(CL_INVALID_QUEUE_PROPERTIES, "QUEUE_PROPERTIES",
                 clCreateCommandQueue(f.context, f.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
                                      &made));
    NOT_MADE(CL_INVALID_CONTEXT, "lives", clCreateUserEvent(NO_CONTEXT, &made));
}

static void buffers(void **state) {
    const cl_ulong most = (cl_ulong)sparcl_ctx_device(f.ctx)->max_allocation;
    const cl_mem_flags write_and_read = CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
    (void)state;
#define BUFFER(flags, size, host) clCreateBuffer(f.context, flags, size, host, &made)
    NOT_MADE(CL_INVALID_CONTEXT, "lives", clCreateBuffer(NO_CONTEXT, 0, 16, NULL, &made));
    NOT_MADE(CL_INVALID_VALUE, "flags & ~", BUFFER(1 << 20, 16, NULL));
    NOT_MADE(CL_INVALID_VALUE, "is_one(flags, access)", BUFFER(write_and_read, 16, NULL));
    NOT_MADE(CL_INVALID_VALUE, "is_one(flags, host_side)",
             BUFFER(CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS, 16, NULL));
    NOT_MADE(CL_INVALID_VALUE, "is_one(flags, host_ptrs)",
             BUFFER(CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, 16, f.host));
    NOT_MADE(CL_INVALID_VALUE, "CL_MEM_ALLOC_HOST_PTR)",
             BUFFER(CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR, 16, f.host));
    NOT_MADE(CL_INVALID_HOST_PTR, "!host ==", BUFFER(0, 16, f.host));
    NOT_MADE(CL_INVALID_HOST_PTR, "!host ==", BUFFER(CL_MEM_USE_HOST_PTR, 16, NULL));
    NOT_MADE(CL_INVALID_BUFFER_SIZE, "size > 0", BUFFER(0, 0, NULL));
    NOT_MADE(CL_INVALID_BUFFER_SIZE, "MAX_MEM_ALLOC", BUFFER(0, (size_t)most + 1, NULL));
    NOT_MADE(CL_INVALID_CONTEXT, "lives", clCreateImage(NO_CONTEXT, 0, NULL, NULL, NULL, &made));
#undef BUFFER
}

static void parts_of_buffers(void **state) {
    const cl_buffer_region right = {0, 16}, empty = {0, 0}, outside = {BYTES - 15, 16},
                           odd = {1, 16};
    cl_mem reads =
        clCreateBuffer(f.context, CL_MEM_READ_ONLY | CL_MEM_HOST_READ_ONLY, 64, NULL, &made);
    cl_mem writes =
        clCreateBuffer(f.context, CL_MEM_WRITE_ONLY | CL_MEM_HOST_WRITE_ONLY, 64, NULL, &made);
    cl_mem hidden = clCreateBuffer(f.context, CL_MEM_HOST_NO_ACCESS, 64, NULL, &made);
    (void)state;
#define PART(of, flags, region)                                                                    \
    clCreateSubBuffer(of, flags, CL_BUFFER_CREATE_TYPE_REGION, region, &made)
    cl_mem part = PART(f.memory, 0, &right);
    assert_non_null(part);
    NOT_MADE(CL_INVALID_MEM_OBJECT, "lives", PART(NO_MEMORY, 0, &right));
    NOT_MADE(CL_INVALID_MEM_OBJECT, "!grandparent", PART(part, 0, &right));
    NOT_MADE(CL_INVALID_VALUE, "flags & ~", PART(f.memory, CL_MEM_USE_HOST_PTR, &right));
    NOT_MADE(CL_INVALID_VALUE, "is_one(flags, access)",
             PART(f.memory, CL_MEM_READ_ONLY | CL_MEM_READ_WRITE, &right));
    NOT_MADE(CL_INVALID_VALUE, "is_one(flags, host_side)",
             PART(f.memory, CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY, &right));
    NOT_MADE(CL_INVALID_VALUE, "has & CL_MEM_WRITE_ONLY", PART(writes, CL_MEM_READ_ONLY, &right));
    NOT_MADE(CL_INVALID_VALUE, "has & CL_MEM_READ_ONLY", PART(reads, CL_MEM_READ_WRITE, &right));
    NOT_MADE(CL_INVALID_VALUE, "has & CL_MEM_HOST_WRITE_ONLY",
             PART(writes, CL_MEM_HOST_READ_ONLY, &right));
    NOT_MADE(CL_INVALID_VALUE, "has & CL_MEM_HOST_READ_ONLY",
             PART(reads, CL_MEM_HOST_WRITE_ONLY, &right));
    NOT_MADE(CL_INVALID_VALUE, "has & CL_MEM_HOST_NO_ACCESS",
             PART(hidden, CL_MEM_HOST_READ_ONLY, &right));
    NOT_MADE(CL_INVALID_VALUE, "type ==", clCreateSubBuffer(f.memory, 0, 1, &right, &made));
    NOT_MADE(CL_INVALID_VALUE, "region", PART(f.memory, 0, NULL));
    NOT_MADE(CL_INVALID_BUFFER_SIZE, "region->size > 0", PART(f.memory, 0, &empty));
    NOT_MADE(CL_INVALID_VALUE, "bytes - region->origin", PART(f.memory, 0, &outside));
    NOT_MADE(CL_MISALIGNED_SUB_BUFFER_OFFSET, "fitting > 0", PART(f.memory, 0, &odd));
#undef PART
    WRONG(CL_INVALID_OPERATION, "HOST_WRITE_ONLY",
          clEnqueueReadBuffer(f.queue, writes, CL_TRUE, 0, 1, f.host, NO_EVENTS));
    WRONG(CL_INVALID_OPERATION, "HOST_READ_ONLY",
          clEnqueueWriteBuffer(f.queue, reads, CL_TRUE, 0, 1, f.host, NO_EVENTS));
    RIGHT(clReleaseMemObject(part));
    RIGHT(clReleaseMemObject(reads));
    RIGHT(clReleaseMemObject(writes));
    RIGHT(clReleaseMemObject(hidden));
}

static void programs_and_kernels(void **state) {
    const char *text = NULL, *right = source;
    const unsigned char *binary = (const unsigned char *)source;
    const size_t zero = 0, one = 1;
    cl_device_id no_device = (cl_device_id)&made;
    cl_kernel kernel = NULL;
    (void)state;
    NOT_MADE(CL_INVALID_CONTEXT, "lives",
             clCreateProgramWithSource(NO_CONTEXT, 1, &right, NULL, &made));
    NOT_MADE(CL_INVALID_VALUE, "n > 0",
             clCreateProgramWithSource(f.context, 0, &right, NULL, &made));
    NOT_MADE(CL_INVALID_VALUE, "texts[i]",
             clCreateProgramWithSource(f.context, 1, &text, NULL, &made));
#define BINARY(context, n, devices, bytes)                                                         \
    clCreateProgramWithBinary(context, n, devices, bytes, &binary, NULL, &made)
    NOT_MADE(CL_INVALID_CONTEXT, "lives", BINARY(NO_CONTEXT, 1, &f.device, &one));
    NOT_MADE(CL_INVALID_VALUE, "list && bytes", BINARY(f.context, 0, &f.device, &one));
    NOT_MADE(CL_INVALID_DEVICE, "has_device", BINARY(f.context, 1, &no_device, &one));
    NOT_MADE(CL_INVALID_VALUE, "bytes[i] > 0", BINARY(f.context, 1, &f.device, &zero));
#undef BINARY
#define BUILD(n, list, options) clBuildProgram(f.unbuilt, n, list, options, NULL, NULL)
    WRONG(CL_INVALID_PROGRAM, "lives", clBuildProgram(NO_PROGRAM, 0, NULL, "", NULL, NULL));
    WRONG(CL_INVALID_VALUE, "!list == !n", BUILD(1, NULL, ""));
    WRONG(CL_INVALID_VALUE, "notify", clBuildProgram(f.unbuilt, 0, NULL, "", NULL, &made));
    WRONG(CL_INVALID_DEVICE, "has_device", BUILD(1, &no_device, ""));
    WRONG(CL_INVALID_BUILD_OPTIONS, "has_language", BUILD(0, NULL, "-cl-std=CL9.0"));
    WRONG(CL_INVALID_BUILD_OPTIONS, "is_known", BUILD(1, &f.device, "-DX -O3"));
    if (!sparcl_ctx_device(f.ctx)->has_rounded_divide)
        WRONG(CL_INVALID_BUILD_OPTIONS, "CORRECTLY_ROUNDED",
              BUILD(1, &f.device, "-cl-fp32-correctly-rounded-divide-sqrt"));
#undef BUILD
    NOT_MADE(CL_INVALID_PROGRAM, "lives", clCreateKernel(NO_PROGRAM, "plain", &made));
    NOT_MADE(CL_INVALID_PROGRAM_EXECUTABLE, "is_built", clCreateKernel(f.unbuilt, "plain", &made));
    NOT_MADE(CL_INVALID_VALUE, "name", clCreateKernel(f.program, NULL, &made));
    WRONG(CL_INVALID_PROGRAM, "lives", clCreateKernelsInProgram(NO_PROGRAM, 1, &kernel, NULL));
    WRONG(CL_INVALID_VALUE, "kernels_of", clCreateKernelsInProgram(f.program, 1, &kernel, NULL));
}

/* Once for each reference, and not once more; what is released is no object any more. */
static void releases(void **state) {
    (void)state;
    cl_mem memory = clCreateBuffer(f.context, 0, 64, NULL, &made);
    RIGHT(clRetainMemObject(memory));
    RIGHT(clReleaseMemObject(memory));
    RIGHT(clReleaseMemObject(memory));
    WRONG(CL_INVALID_MEM_OBJECT, "lives", clReleaseMemObject(memory));
    WRONG(CL_INVALID_MEM_OBJECT, "lives", clRetainMemObject(memory));
    WRONG(CL_INVALID_CONTEXT, "lives", clReleaseContext(NULL));
    WRONG(CL_INVALID_CONTEXT, "lives", clRetainContext(NO_CONTEXT));
    WRONG(CL_INVALID_COMMAND_QUEUE, "lives", clReleaseCommandQueue(NO_QUEUE));
    WRONG(CL_INVALID_COMMAND_QUEUE, "lives", clRetainCommandQueue(NO_QUEUE));
    WRONG(CL_INVALID_PROGRAM, "lives", clReleaseProgram(NO_PROGRAM));
    WRONG(CL_INVALID_PROGRAM, "lives", clRetainProgram(NO_PROGRAM));
    WRONG(CL_INVALID_KERNEL, "lives", clReleaseKernel(NO_KERNEL));
    WRONG(CL_INVALID_KERNEL, "lives", clRetainKernel(NO_KERNEL));
    WRONG(CL_INVALID_EVENT, "lives", clReleaseEvent(NO_EVENT));
    WRONG(CL_INVALID_EVENT, "lives", clRetainEvent(NO_EVENT));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_have_room_and_known_types),
        cmocka_unit_test(parameters_exist_and_their_values_fit),
        cmocka_unit_test(times_exist_when_a_queue_takes_them_and_the_command_has_ended),
        cmocka_unit_test(contexts_and_queues),
        cmocka_unit_test(buffers),
        cmocka_unit_test(parts_of_buffers),
        cmocka_unit_test(programs_and_kernels),
        cmocka_unit_test(releases)};
    if (!find_layer()) {
        printf("skipped: SPARCL_TEST_LAYER does not name the strict layer\n");
        return EXIT_SKIPPED;
    }
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
