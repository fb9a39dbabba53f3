/* test_strict_commands.c: the same of commands, of arguments of kernels, and of waiting. */
#include "strict_test.h"

/* Not every driver says of which kind and type an argument is. */
static bool describes_arguments(void) {
    cl_kernel_arg_address_qualifier space = 0;
    return clGetKernelArgInfo(f.kernel, 0, CL_KERNEL_ARG_ADDRESS_QUALIFIER, INFO_OF(space)) ==
           CL_SUCCESS;
}

static void arguments(void **state) {
    const cl_int b = 1;
    cl_mem no_memory = NO_MEMORY;
    (void)state;
    WRONG(CL_INVALID_KERNEL, "lives", clSetKernelArg(NO_KERNEL, 1, sizeof b, &b));
    WRONG(CL_INVALID_ARG_INDEX, "at <", clSetKernelArg(f.kernel, 3, sizeof b, &b));
    if (!describes_arguments()) return;
    cl_kernel with_local = make_kernel("with_local");
    WRONG(CL_INVALID_ARG_SIZE, "expected", clSetKernelArg(f.kernel, 1, 8, f.host));
    WRONG(CL_INVALID_ARG_SIZE, "expected", clSetKernelArg(f.kernel, 2, 12, f.host));
    WRONG(CL_INVALID_ARG_VALUE, "value", clSetKernelArg(f.kernel, 1, sizeof b, NULL));
    WRONG(CL_INVALID_ARG_SIZE, "sizeof(cl_mem)", clSetKernelArg(f.kernel, 0, sizeof b, &b));
    WRONG(CL_INVALID_MEM_OBJECT, "lives",
          clSetKernelArg(f.kernel, 0, sizeof no_memory, &no_memory));
    WRONG(CL_INVALID_ARG_VALUE, "!value", clSetKernelArg(with_local, 1, sizeof b, &b));
    WRONG(CL_INVALID_ARG_SIZE, "size > 0", clSetKernelArg(with_local, 1, 0, NULL));
    RIGHT(clReleaseKernel(with_local));
}

#define LAUNCH(kernel, rank, offset, global, local)                                                \
    clEnqueueNDRangeKernel(f.queue, kernel, rank, offset, global, local, NO_EVENTS)

static void launches(void **state) {
    const size_t one = 1, zero = 0, three = 3, four = 4, largest = SIZE_MAX;
    const size_t group = (size_t)sparcl_ctx_device(f.ctx)->max_group * 2;
    const size_t local = (size_t)sparcl_ctx_device(f.ctx)->local_memory;
    size_t most[16] = {0};
    cl_ulong taken = 0;
    (void)state;
    RIGHT(LAUNCH(f.kernel, 1, NULL, &four, &four));
    WRONG(CL_INVALID_KERNEL, "lives", LAUNCH(NO_KERNEL, 1, NULL, &four, NULL));
    WRONG(CL_INVALID_WORK_DIMENSION, "rank", LAUNCH(f.kernel, 0, NULL, &four, NULL));
    WRONG(CL_INVALID_WORK_DIMENSION, "rank", LAUNCH(f.kernel, 17, NULL, &four, NULL));
    WRONG(CL_INVALID_GLOBAL_WORK_SIZE, "global", LAUNCH(f.kernel, 1, NULL, NULL, NULL));
    WRONG(CL_INVALID_GLOBAL_WORK_SIZE, "global[d] > 0", LAUNCH(f.kernel, 1, NULL, &zero, NULL));
    WRONG(CL_INVALID_GLOBAL_OFFSET, "offset[d]", LAUNCH(f.kernel, 1, &largest, &one, NULL));
    WRONG(CL_INVALID_WORK_GROUP_SIZE, "local[d] > 0", LAUNCH(f.kernel, 1, NULL, &four, &zero));
    WRONG(CL_INVALID_WORK_GROUP_SIZE, "% local[d]", LAUNCH(f.kernel, 1, NULL, &four, &three));
    RIGHT(clGetDeviceInfo(f.device, CL_DEVICE_MAX_WORK_ITEM_SIZES, INFO_OF(most)));
    if (most[0] < group)
        WRONG(CL_INVALID_WORK_ITEM_SIZE, "most[d]", LAUNCH(f.kernel, 1, NULL, &group, &group));
    const size_t wide[2] = {most[0], most[1]}; /* each allowed, but not both */
    WRONG(CL_INVALID_WORK_GROUP_SIZE, "items <= group", LAUNCH(f.kernel, 2, NULL, wide, wide));
    cl_kernel with_local = make_kernel("with_local");
    RIGHT(clSetKernelArg(with_local, 0, sizeof f.memory, &f.memory));
    RIGHT(clSetKernelArg(with_local, 1, local * 2, NULL));
    RIGHT(clGetKernelWorkGroupInfo(with_local, f.device, CL_KERNEL_LOCAL_MEM_SIZE, INFO_OF(taken)));
    if (taken >= local * 2) /* not every driver counts arguments */
        WRONG(CL_OUT_OF_RESOURCES, "LOCAL_MEM_SIZE", LAUNCH(with_local, 1, NULL, &one, NULL));
    RIGHT(clReleaseKernel(with_local));
    cl_kernel of_four = make_kernel("of_four");
    RIGHT(clSetKernelArg(of_four, 0, sizeof f.memory, &f.memory));
    RIGHT(LAUNCH(of_four, 1, NULL, &four, &four));
    WRONG(CL_INVALID_WORK_GROUP_SIZE, "local || required", LAUNCH(of_four, 1, NULL, &four, NULL));
    WRONG(CL_INVALID_WORK_GROUP_SIZE, "== required[d]", LAUNCH(of_four, 1, NULL, &four, &one));
    RIGHT(clReleaseKernel(of_four));
}

static void launches_of_what_is_not_ready(void **state) {
    const size_t one = 1;
    (void)state;
    cl_kernel kernel = make_kernel("of_four");
    cl_mem gone = clCreateBuffer(f.context, 0, 64, NULL, &made);
    WRONG(CL_INVALID_KERNEL_ARGS, "strict_is_set", LAUNCH(kernel, 1, NULL, &one, NULL));
    RIGHT(clSetKernelArg(kernel, 0, sizeof gone, &gone));
    RIGHT(clReleaseMemObject(gone));
    WRONG(CL_INVALID_KERNEL_ARGS, "strict_is_set", LAUNCH(kernel, 1, NULL, &one, NULL));
    RIGHT(clReleaseKernel(kernel));
    cl_command_queue other = clCreateCommandQueue(f.other, f.device, 0, &made);
    WRONG(CL_INVALID_CONTEXT, "strict_context_of",
          clEnqueueNDRangeKernel(other, f.kernel, 1, NULL, &one, NULL, NO_EVENTS));
    RIGHT(clReleaseCommandQueue(other));
}
#undef LAUNCH

static void reads_and_writes(void **state) {
    (void)state;
#define READ(memory, at, n, host)                                                                  \
    clEnqueueReadBuffer(f.queue, memory, CL_TRUE, at, n, host, NO_EVENTS)
#define WRITE(memory, at, n, host)                                                                 \
    clEnqueueWriteBuffer(f.queue, memory, CL_TRUE, at, n, host, NO_EVENTS)
    RIGHT(READ(f.memory, 1, BYTES - 1, f.host));
    WRONG(CL_INVALID_MEM_OBJECT, "lives", READ(NO_MEMORY, 0, 1, f.host));
    const cl_image_format format = {CL_R, CL_UNSIGNED_INT32};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    cl_mem image = clCreateImage(f.context, 0, &format, &desc, NULL, &made);
    if (image) { /* not every device has them */
        WRONG(CL_INVALID_MEM_OBJECT, "MEM_OBJECT_BUFFER", READ(image, 0, 1, f.host));
        RIGHT(clReleaseMemObject(image));
    }
    WRONG(CL_INVALID_CONTEXT, "context ==", READ(f.foreign, 0, 1, f.host));
    WRONG(CL_INVALID_VALUE, "n > 0", READ(f.memory, 0, 0, f.host));
    WRONG(CL_INVALID_VALUE, "n <= size", READ(f.memory, 1, BYTES, f.host));
    WRONG(CL_INVALID_VALUE, "n <= size", READ(f.memory, SIZE_MAX, 2, f.host));
    WRONG(CL_INVALID_VALUE, "to", READ(f.memory, 0, 1, NULL));
    WRONG(CL_INVALID_VALUE, "n > 0", WRITE(f.memory, 0, 0, f.host));
    WRONG(CL_INVALID_VALUE, "n <= size", WRITE(f.memory, 1, BYTES, f.host));
    WRONG(CL_INVALID_VALUE, "from", WRITE(f.memory, 0, 1, NULL));
#undef READ
#undef WRITE
}

/* The three at the end are those of NVIDIA: a row is counted up to the next. */
static void rectangles(void **state) {
    (void)state;
#define READ(at, region, row, slice, host_row, host_slice)                                         \
    clEnqueueReadBufferRect(f.queue, f.memory, CL_TRUE, at, SIZES(0, 0, 0), region, row, slice,    \
                            host_row, host_slice, f.host, NO_EVENTS)
#define ORIGIN SIZES(0, 0, 0)
    RIGHT(READ(ORIGIN, SIZES(8, 4, 2), 16, 64, 0, 0));
    RIGHT(READ(SIZES(8, 0, 0), SIZES(8, BYTES / 16, 1), 16, 0, 0, 0));
    WRONG(CL_INVALID_VALUE, "s->at && region", READ(NULL, SIZES(1, 1, 1), 0, 0, 0, 0));
    WRONG(CL_INVALID_VALUE, "s->at && region", READ(ORIGIN, NULL, 0, 0, 0, 0));
    WRONG(CL_INVALID_VALUE, "region[2] > 0", READ(ORIGIN, SIZES(1, 1, 0), 0, 0, 0, 0));
    WRONG(CL_INVALID_VALUE, "s->row >= ", READ(ORIGIN, SIZES(8, 4, 1), 7, 0, 0, 0));
    WRONG(CL_INVALID_VALUE, "s->row >= ", READ(ORIGIN, SIZES(8, 4, 1), 0, 0, 7, 0));
    WRONG(CL_INVALID_VALUE, "s->slice >= ", READ(ORIGIN, SIZES(8, 4, 2), 8, 31, 0, 0));
    WRONG(CL_INVALID_VALUE, "s->slice % ", READ(ORIGIN, SIZES(8, 4, 2), 8, 36, 0, 0));
    WRONG(CL_INVALID_VALUE, "s->row - s->at[0]", READ(SIZES(9, 0, 0), SIZES(8, 4, 1), 16, 0, 0, 0));
    WRONG(CL_INVALID_VALUE, "s->row - s->at[0]",
          READ(SIZES(32, 0, 0), SIZES(8, 4, 1), 16, 0, 0, 0));
    WRONG(CL_INVALID_VALUE, "last <= size",
          READ(SIZES(0, 1, 0), SIZES(8, BYTES / 16, 1), 16, 0, 0, 0));
    WRONG(CL_INVALID_VALUE, "to",
          clEnqueueReadBufferRect(f.queue, f.memory, CL_TRUE, ORIGIN, ORIGIN, SIZES(1, 1, 1), 0, 0,
                                  0, 0, NULL, NO_EVENTS));
    WRONG(CL_INVALID_VALUE, "from",
          clEnqueueWriteBufferRect(f.queue, f.memory, CL_TRUE, ORIGIN, ORIGIN, SIZES(1, 1, 1), 0, 0,
                                   0, 0, NULL, NO_EVENTS));
    WRONG(CL_INVALID_VALUE, "last <= size",
          clEnqueueWriteBufferRect(f.queue, f.memory, CL_TRUE, ORIGIN, ORIGIN,
                                   SIZES(8, 1, 1 + BYTES / 64), 16, 64, 0, 0, f.host, NO_EVENTS));
#undef READ
#undef ORIGIN
}

static void copies_and_fills(void **state) {
    const cl_buffer_region first = {0, BYTES / 2};
    const cl_int pattern = 1;
    (void)state;
    cl_mem part = clCreateSubBuffer(f.memory, 0, CL_BUFFER_CREATE_TYPE_REGION, &first, &made);
#define COPY(from, to, from_at, to_at, n)                                                          \
    clEnqueueCopyBuffer(f.queue, from, to, from_at, to_at, n, NO_EVENTS)
    RIGHT(COPY(f.memory, part, BYTES / 2, 0, BYTES / 2));
    WRONG(CL_INVALID_VALUE, "n > 0", COPY(f.memory, f.memory, 0, 64, 0));
    WRONG(CL_INVALID_VALUE, "n <= size", COPY(f.memory, f.memory, 0, BYTES, 64));
    WRONG(CL_INVALID_CONTEXT, "context ==", COPY(f.memory, f.foreign, 0, 0, 64));
    WRONG(CL_MEM_COPY_OVERLAP, "overlaps", COPY(f.memory, f.memory, 0, 63, 64));
    WRONG(CL_MEM_COPY_OVERLAP, "overlaps", COPY(f.memory, part, 0, 1, 64));
#undef COPY
#define FILL(pattern, size, at, n)                                                                 \
    clEnqueueFillBuffer(f.queue, f.memory, pattern, size, at, n, NO_EVENTS)
    RIGHT(FILL(&pattern, 4, 8, 64));
    WRONG(CL_INVALID_VALUE, "n > 0", FILL(&pattern, 4, 0, 0));
    WRONG(CL_INVALID_VALUE, "n <= size", FILL(&pattern, 4, 4, BYTES));
    WRONG(CL_INVALID_VALUE, "pattern", FILL(NULL, 4, 0, 64));
    WRONG(CL_INVALID_VALUE, "size & (size - 1)", FILL(f.host, 12, 0, 48));
    WRONG(CL_INVALID_VALUE, "size & (size - 1)", FILL(f.host, 256, 0, 256));
    WRONG(CL_INVALID_VALUE, "at % size", FILL(&pattern, 4, 2, 64));
    WRONG(CL_INVALID_VALUE, "at % size", FILL(&pattern, 4, 4, 63));
#undef FILL
    RIGHT(clReleaseMemObject(part));
}

static void maps(void **state) {
    (void)state;
#define MAP(flags, at, n)                                                                          \
    clEnqueueMapBuffer(f.queue, f.memory, CL_TRUE, flags, at, n, NO_EVENTS, &made)
#define UNMAP(place) clEnqueueUnmapMemObject(f.queue, f.memory, place, NO_EVENTS)
    NOT_MADE(CL_INVALID_VALUE, "n > 0", MAP(CL_MAP_READ, 0, 0));
    NOT_MADE(CL_INVALID_VALUE, "n <= size", MAP(CL_MAP_READ, 1, BYTES));
    NOT_MADE(CL_INVALID_VALUE, "flags && ", MAP(0, 0, 64));
    NOT_MADE(CL_INVALID_VALUE, "INVALIDATE",
             MAP(CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, 0, 64));
    WRONG(CL_INVALID_VALUE, "mapped", UNMAP(f.host));
    void *mapped = MAP(CL_MAP_READ, 0, 64);
    assert_non_null(mapped);
    WRONG(CL_INVALID_VALUE, "mapped", UNMAP(NULL));
    RIGHT(UNMAP(mapped));
    WRONG(CL_INVALID_VALUE, "mapped", UNMAP(mapped));
    RIGHT(clFinish(f.queue));
#undef MAP
#undef UNMAP
}

static void queues_and_events(void **state) {
    cl_event no_event = NO_EVENT, both[] = {f.event, f.foreign_event};
    (void)state;
    WRONG(CL_INVALID_COMMAND_QUEUE, "lives", clFlush(NO_QUEUE));
    WRONG(CL_INVALID_COMMAND_QUEUE, "lives", clFinish(NO_QUEUE));
    WRONG(CL_INVALID_EVENT_WAIT_LIST, "!wait == !waits",
          clEnqueueMarkerWithWaitList(f.queue, 1, NULL, NULL));
    WRONG(CL_INVALID_EVENT_WAIT_LIST, "!wait == !waits",
          clEnqueueBarrierWithWaitList(f.queue, 0, &f.event, NULL));
    WRONG(CL_INVALID_EVENT_WAIT_LIST, "lives",
          clEnqueueMarkerWithWaitList(f.queue, 1, &no_event, NULL));
    WRONG(CL_INVALID_CONTEXT, "event_context",
          clEnqueueMarkerWithWaitList(f.queue, 1, &f.foreign_event, NULL));
    WRONG(CL_INVALID_VALUE, "n > 0", clWaitForEvents(0, &f.event));
    WRONG(CL_INVALID_EVENT, "lives", clWaitForEvents(1, &no_event));
    WRONG(CL_INVALID_CONTEXT, "event_context", clWaitForEvents(2, both));
    WRONG(CL_INVALID_EVENT, "lives", clSetUserEventStatus(no_event, CL_COMPLETE));
    WRONG(CL_INVALID_VALUE, "status", clSetUserEventStatus(f.foreign_event, CL_RUNNING));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(arguments),
                                       cmocka_unit_test(launches),
                                       cmocka_unit_test(launches_of_what_is_not_ready),
                                       cmocka_unit_test(reads_and_writes),
                                       cmocka_unit_test(rectangles),
                                       cmocka_unit_test(copies_and_fills),
                                       cmocka_unit_test(maps),
                                       cmocka_unit_test(queues_and_events)};
    if (!find_layer()) {
        printf("skipped: SPARCL_TEST_LAYER does not name the strict layer\n");
        return EXIT_SKIPPED;
    }
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
