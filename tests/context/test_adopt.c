/* test_adopt.c: working on the caller's own OpenCL objects without disturbing them. */
#include "device_test.h"

#include <time.h>

#include "device/ctx.h"
#include "sparcl/opencl.h"

/* A host program with a context, queue and buffer of its own. */
typedef struct host {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_mem memory; /* 4096 bytes of 5 */
} host;

static cl_uint ask_u32(cl_int (*get)(void *, cl_uint, size_t, void *, size_t *), void *object,
                       cl_uint what) {
    cl_uint value = 0;
    assert_int_equal(get(object, what, sizeof value, &value, NULL), CL_SUCCESS);
    return value;
}

static cl_int get_context(void *o, cl_uint what, size_t size, void *value, size_t *n) {
    return clGetContextInfo(o, what, size, value, n);
}
static cl_int get_queue(void *o, cl_uint what, size_t size, void *value, size_t *n) {
    return clGetCommandQueueInfo(o, what, size, value, n);
}
static cl_int get_memory(void *o, cl_uint what, size_t size, void *value, size_t *n) {
    return clGetMemObjectInfo(o, what, size, value, n);
}

typedef struct counts {
    cl_uint context, queue, memory;
} counts;

static counts count_references(const host *h) {
    return (counts){ask_u32(get_context, h->context, CL_CONTEXT_REFERENCE_COUNT),
                    ask_u32(get_queue, h->queue, CL_QUEUE_REFERENCE_COUNT),
                    ask_u32(get_memory, h->memory, CL_MEM_REFERENCE_COUNT)};
}

/* The counts once they no longer change: a driver's own threads may hold an object a little
 * longer than clFinish (seen with PoCL). */
static counts settled_references(const host *h) {
    const struct timespec moment = {.tv_nsec = 1000000};
    counts now = count_references(h);
    clFinish(h->queue);
    for (int same = 0, i = 0; same < 50 && i < 2000; ++i) {
        const counts earlier = now;
        nanosleep(&moment, NULL);
        now = count_references(h);
        same = memcmp(&now, &earlier, sizeof now) == 0 ? same + 1 : 0;
    }
    return now;
}

/* The counts once they are what they were, or after two seconds. */
static counts references_like(const host *h, const counts *before) {
    const struct timespec moment = {.tv_nsec = 1000000};
    counts now = count_references(h);
    for (int i = 0; i < 2000 && memcmp(&now, before, sizeof now) != 0; ++i) {
        nanosleep(&moment, NULL);
        now = count_references(h);
    }
    return now;
}

static int setup(void **state) {
    static host h;
    unsigned char five[4096];
    cl_int code = CL_SUCCESS;
    sparcl_ctx *ctx = test_open();
    h.device = sparcl_ctx_cl_device(ctx);
    sparcl_ctx_close(ctx);
    memset(five, 5, sizeof five);
    h.context = clCreateContext(NULL, 1, &h.device, NULL, NULL, &code);
    assert_int_equal(code, CL_SUCCESS);
    h.queue = clCreateCommandQueue(h.context, h.device, CL_QUEUE_PROFILING_ENABLE, &code);
    assert_int_equal(code, CL_SUCCESS);
    h.memory = clCreateBuffer(h.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof five,
                              five, &code);
    assert_int_equal(code, CL_SUCCESS);
    *state = &h;
    return 0;
}

static int teardown(void **state) {
    host *h = *state;
    clReleaseMemObject(h->memory);
    clReleaseCommandQueue(h->queue);
    clReleaseContext(h->context);
    return 0;
}

static sparcl_ctx *adopt(const host *h) {
    sparcl_ctx *ctx = NULL;
    sparcl_error error;
    sparcl_ctx_desc desc = test_desc();
    desc.device = "is ignored";
    if (sparcl_ctx_adopt(&ctx, h->context, h->device, h->queue, &desc, &error) != SPARCL_OK)
        fail_msg("%s", error.message);
    return ctx;
}

/* Byte `at` of a memory object, by a queue of the caller's. */
static unsigned char byte_at(cl_command_queue queue, cl_mem memory, size_t at) {
    unsigned char byte = 0;
    assert_int_equal(clEnqueueReadBuffer(queue, memory, CL_TRUE, at, 1, &byte, 0, NULL, NULL),
                     CL_SUCCESS);
    return byte;
}

static cl_mem part_of(cl_mem memory, size_t at, size_t bytes) {
    const cl_buffer_region region = {at, bytes};
    cl_int code = CL_SUCCESS;
    cl_mem part =
        clCreateSubBuffer(memory, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    assert_int_equal(code, CL_SUCCESS);
    return part;
}

static void reference_counts_are_as_before_after_closing(void **state) {
    const host *h = *state;
    const counts before = settled_references(h);
    sparcl_ctx *ctx = adopt(h);
    sparcl_buf *buf = NULL;
    sparcl_probe probe;
    assert_ok(ctx, sparcl_buf_adopt(ctx, &buf, h->memory));
    assert_int_equal(sparcl_buf_bytes(buf), 4096);
    assert_int_equal(count_references(h).memory, before.memory + 1);
    assert_ok(ctx, sparcl_ctx_probe(ctx, &probe));
    sparcl_buf_free(buf);
    sparcl_ctx_close(ctx);
    const counts after = references_like(h, &before);
    /* A context also counts what lives in it, such as the buffers that drivers keep. */
    assert_int_equal(after.queue, before.queue);
    assert_int_equal(after.memory, before.memory);
    assert_int_equal(after.context, before.context);
}

static void the_opencl_objects_are_the_callers(void **state) {
    const host *h = *state;
    sparcl_ctx *ctx = adopt(h);
    sparcl_buf *buf = NULL;
    assert_ptr_equal(sparcl_ctx_cl_context(ctx), h->context);
    assert_ptr_equal(sparcl_ctx_cl_device(ctx), h->device);
    assert_ptr_equal(sparcl_ctx_cl_queue(ctx), h->queue);
    assert_ok(ctx, sparcl_buf_adopt(ctx, &buf, h->memory));
    assert_ptr_equal(sparcl_buf_cl_mem(buf), h->memory);
    assert_true(sparcl_ctx_device(ctx)->usable);
    sparcl_buf_free(buf);
    sparcl_ctx_close(ctx);
}

static void the_callers_objects_live_on(void **state) {
    const host *h = *state;
    sparcl_ctx *ctx = adopt(h);
    sparcl_buf *buf = NULL;
    assert_ok(ctx, sparcl_buf_adopt(ctx, &buf, h->memory));
    assert_ok(ctx, sparcl_buf_fill(ctx, buf, 0, 4095, 6));
    sparcl_ctx_close(ctx);
    sparcl_buf_free(buf);
    assert_int_equal(byte_at(h->queue, h->memory, 7), 6);
    assert_int_equal(byte_at(h->queue, h->memory, 4095), 5);
}

/* The caller's commands and ours are in one queue, so they need no waiting between them. */
static void work_goes_in_the_order_of_the_callers_queue(void **state) {
    const host *h = *state;
    const unsigned char nine = 9;
    sparcl_ctx *ctx = adopt(h);
    sparcl_buf *ours = NULL, *theirs = NULL;
    assert_ok(ctx, sparcl_buf_adopt(ctx, &theirs, h->memory));
    assert_ok(ctx, sparcl_buf_create(ctx, &ours, 4096));
    assert_int_equal(clEnqueueFillBuffer(h->queue, h->memory, &nine, 1, 0, 4096, 0, NULL, NULL),
                     CL_SUCCESS);
    assert_ok(ctx, sparcl_buf_copy(ctx, ours, 0, theirs, 0, 4096));
    assert_ok(ctx, sparcl_buf_fill(ctx, theirs, 0, 4096, 8));
    assert_int_equal(byte_at(h->queue, sparcl_buf_cl_mem(ours), 0), 9);
    assert_int_equal(byte_at(h->queue, h->memory, 0), 8);
    sparcl_buf_free(ours);
    sparcl_buf_free(theirs);
    sparcl_ctx_close(ctx);
}

static void refuse(const host *h, cl_context context, cl_device_id device, cl_command_queue queue,
                   const char *part) {
    const counts before = settled_references(h);
    sparcl_ctx *ctx = (sparcl_ctx *)h;
    sparcl_error error = {0};
    assert_int_equal(sparcl_ctx_adopt(&ctx, context, device, queue, NULL, &error), SPARCL_E_ARG);
    assert_null(ctx);
    if (!strstr(error.message, part)) fail_msg("\"%s\" is not in: %s", part, error.message);
    const counts after = references_like(h, &before);
    assert_int_equal(after.queue, before.queue);
    assert_int_equal(after.context, before.context);
}

static void null_is_refused_by_name(void **state) {
    const host *h = *state;
    sparcl_ctx *ctx = adopt(h);
    sparcl_buf *buf = NULL;
    refuse(h, NULL, h->device, h->queue, "context is NULL");
    refuse(h, h->context, NULL, h->queue, "device is NULL");
    refuse(h, h->context, h->device, NULL, "queue is NULL");
    assert_int_equal(sparcl_ctx_adopt(NULL, h->context, h->device, h->queue, NULL, NULL),
                     SPARCL_E_ARG);
    assert_refused(ctx, sparcl_buf_adopt(ctx, &buf, NULL), SPARCL_E_ARG, "memory is NULL");
    assert_refused(ctx, sparcl_buf_adopt(ctx, NULL, h->memory), SPARCL_E_ARG, "buf is NULL");
    sparcl_ctx_close(ctx);
}

static void an_out_of_order_queue_is_refused(void **state) {
    const host *h = *state;
    const cl_command_queue_properties out_of_order = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    cl_command_queue_properties can = 0;
    cl_int code = CL_SUCCESS;
    clGetDeviceInfo(h->device, CL_DEVICE_QUEUE_PROPERTIES, sizeof can, &can, NULL);
    if (!(can & out_of_order)) skip();
    cl_command_queue queue = clCreateCommandQueue(h->context, h->device, out_of_order, &code);
    assert_int_equal(code, CL_SUCCESS);
    refuse(h, h->context, h->device, queue, "out of order");
    clReleaseCommandQueue(queue);
}

static void a_queue_of_another_context_is_refused(void **state) {
    const host *h = *state;
    cl_int code = CL_SUCCESS;
    cl_context other = clCreateContext(NULL, 1, &h->device, NULL, NULL, &code);
    assert_int_equal(code, CL_SUCCESS);
    refuse(h, other, h->device, h->queue, "does not belong");
    sparcl_ctx *ctx = adopt(h);
    sparcl_buf *buf = (sparcl_buf *)ctx;
    cl_mem foreign = clCreateBuffer(other, CL_MEM_READ_WRITE, 64, NULL, &code);
    assert_refused(ctx, sparcl_buf_adopt(ctx, &buf, foreign), SPARCL_E_ARG, "another cl_context");
    assert_null(buf);
    sparcl_ctx_close(ctx);
    clReleaseMemObject(foreign);
    clReleaseContext(other);
}

static void a_wrong_descriptor_is_refused(void **state) {
    const host *h = *state;
    const sparcl_ctx_desc desc = {.size = 1};
    sparcl_ctx *ctx = NULL;
    const counts before = settled_references(h);
    assert_int_equal(sparcl_ctx_adopt(&ctx, h->context, h->device, h->queue, &desc, NULL),
                     SPARCL_E_ARG);
    assert_int_equal(references_like(h, &before).queue, before.queue);
}

static void an_image_is_no_buffer(void **state) {
    const host *h = *state;
    const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 8};
    cl_int code = CL_SUCCESS;
    cl_mem image = clCreateImage(h->context, CL_MEM_READ_WRITE, &format, &desc, NULL, &code);
    if (code != CL_SUCCESS) skip(); /* the device has none */
    sparcl_ctx *ctx = adopt(h);
    sparcl_buf *buf = NULL;
    assert_refused(ctx, sparcl_buf_adopt(ctx, &buf, image), SPARCL_E_ARG, "not a buffer");
    sparcl_ctx_close(ctx);
    clReleaseMemObject(image);
}

static void sub_buffers_of_one_memory_alias(void **state) {
    const host *h = *state;
    sparcl_ctx *ctx = adopt(h);
    sparcl_buf *whole = NULL, *a = NULL, *b = NULL;
    cl_mem part_a = part_of(h->memory, 0, 1024), part_b = part_of(h->memory, 1024, 3072);
    assert_ok(ctx, sparcl_buf_adopt(ctx, &whole, h->memory));
    assert_ok(ctx, sparcl_buf_adopt(ctx, &a, part_a));
    assert_ok(ctx, sparcl_buf_adopt(ctx, &b, part_b));
    assert_int_equal(sparcl_buf_bytes(b), 3072);
    assert_true(spc_buf_overlaps(a, 0, 1024, whole, 0, 1));
    assert_true(spc_buf_overlaps(whole, 1500, 10, b, 400, 100));
    assert_false(spc_buf_overlaps(whole, 1500, 10, b, 0, 476));
    assert_false(spc_buf_overlaps(a, 0, 1024, b, 0, 3072));
    assert_false(spc_buf_overlaps(a, 0, 0, whole, 0, 4096));
    assert_refused(ctx, sparcl_buf_copy(ctx, whole, 1024, b, 0, 64), SPARCL_E_ALIAS, "overlap");
    assert_ok(ctx, sparcl_buf_copy(ctx, a, 0, b, 0, 64));
    sparcl_buf_free(whole);
    sparcl_buf_free(a);
    sparcl_buf_free(b);
    sparcl_ctx_close(ctx);
    clReleaseMemObject(part_a);
    clReleaseMemObject(part_b);
}

static void a_view_through_a_buffer_on_the_same_memory_becomes_unproven(void **state) {
    const host *h = *state;
    sparcl_ctx *ctx = adopt(h);
    const unsigned char zeros[1024] = {0};
    sparcl_buf *whole = NULL, *again = NULL, *a = NULL, *b = NULL;
    cl_mem part_a = part_of(h->memory, 0, 1024), part_b = part_of(h->memory, 1024, 1024);
    assert_ok(ctx, sparcl_buf_adopt(ctx, &whole, h->memory));
    assert_ok(ctx, sparcl_buf_adopt(ctx, &again, h->memory));
    assert_ok(ctx, sparcl_buf_adopt(ctx, &a, part_a));
    assert_ok(ctx, sparcl_buf_adopt(ctx, &b, part_b));
    assert_ok(ctx, sparcl_buf_write(ctx, a, 0, 1024, zeros));
    sparcl_list list = {.count = 4, .limit = 1, .indices = whole};
    sparcl_buf *const through[] = {a, again, whole};
    for (size_t i = 0; i < sizeof through / sizeof *through; ++i) {
        assert_ok(ctx, sparcl_list_validate(ctx, &list, 0));
        assert_int_not_equal(sparcl_list_flags(&list) & SPARCL_VALID, 0);
        assert_ok(ctx, sparcl_buf_fill(ctx, through[i], 0, 4, 0));
        assert_int_equal(sparcl_list_flags(&list), 0);
    }
    list.indices = a;
    assert_ok(ctx, sparcl_list_validate(ctx, &list, 0));
    assert_ok(ctx, sparcl_buf_fill(ctx, b, 0, 4, 7)); /* beside it: the view stays proven */
    assert_int_not_equal(sparcl_list_flags(&list) & SPARCL_VALID, 0);
    sparcl_buf_touched(whole);
    assert_int_equal(sparcl_list_flags(&list), 0);
    sparcl_buf *const all[] = {whole, again, a, b};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        sparcl_buf_free(all[i]);
    sparcl_ctx_close(ctx);
    clReleaseMemObject(part_a);
    clReleaseMemObject(part_b);
}

static void another_queue_may_wait_for_our_event(void **state) {
    const host *h = *state;
    sparcl_ctx *ctx = adopt(h);
    sparcl_buf *buf = NULL;
    unsigned char byte = 0;
    cl_event event = NULL;
    cl_int code = CL_SUCCESS;
    cl_command_queue second = clCreateCommandQueue(h->context, h->device, 0, &code);
    assert_int_equal(code, CL_SUCCESS);
    assert_ok(ctx, sparcl_buf_adopt(ctx, &buf, h->memory));
    assert_ok(ctx, sparcl_buf_fill(ctx, buf, 0, 4096, 3));
    assert_ok(ctx, sparcl_ctx_event(ctx, &event));
    assert_int_equal(clEnqueueReadBuffer(second, h->memory, CL_TRUE, 9, 1, &byte, 1, &event, NULL),
                     CL_SUCCESS);
    assert_int_equal(byte, 3);
    clReleaseEvent(event);
    clReleaseCommandQueue(second);
    sparcl_buf_free(buf);
    sparcl_ctx_close(ctx);
}

#define HOST_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        HOST_TEST(reference_counts_are_as_before_after_closing),
        HOST_TEST(the_opencl_objects_are_the_callers),
        HOST_TEST(the_callers_objects_live_on),
        HOST_TEST(work_goes_in_the_order_of_the_callers_queue),
        HOST_TEST(null_is_refused_by_name),
        HOST_TEST(an_out_of_order_queue_is_refused),
        HOST_TEST(a_queue_of_another_context_is_refused),
        HOST_TEST(a_wrong_descriptor_is_refused),
        HOST_TEST(an_image_is_no_buffer),
        HOST_TEST(sub_buffers_of_one_memory_alias),
        HOST_TEST(a_view_through_a_buffer_on_the_same_memory_becomes_unproven),
        HOST_TEST(another_queue_may_wait_for_our_event),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
