/* test_context.c: opening, closing, the last error, hooks, finish and flush, several contexts. */
#include "device_test.h"

#include <pthread.h>
#include <time.h>

#include "sparcl/opencl.h"

static int setup(void **state) {
    *state = test_open();
    return 0;
}

static int teardown(void **state) {
    sparcl_ctx_close(*state);
    return 0;
}

static sparcl_status try_open(const sparcl_ctx_desc *desc, sparcl_error *error) {
    sparcl_ctx *ctx = (sparcl_ctx *)error; /* anything that is not NULL */
    const sparcl_status status = sparcl_ctx_open(&ctx, desc, error);
    if (status != SPARCL_OK)
        assert_null(ctx);
    else
        sparcl_ctx_close(ctx);
    return status;
}

static void a_wrong_descriptor_is_refused(void **state) {
    sparcl_error error;
    sparcl_ctx_desc desc = test_desc();
    (void)state;
    desc.size = 1;
    assert_int_equal(try_open(&desc, &error), SPARCL_E_ARG);
    assert_non_null(strstr(error.message, "size is 1, expected 0 or "));
    desc = test_desc();
    desc.device_class = (sparcl_class)7;
    assert_int_equal(try_open(&desc, &error), SPARCL_E_ARG);
    assert_non_null(strstr(error.message, "class is 7"));
    assert_int_equal(sparcl_ctx_open(NULL, NULL, &error), SPARCL_E_ARG);
    assert_int_equal(sparcl_ctx_open(NULL, NULL, NULL), SPARCL_E_ARG);
}

static void a_device_that_is_not_there_is_e_device_with_the_list(void **state) {
    const sparcl_ctx_desc desc = {.device = "no such device"};
    sparcl_error error = {0};
    (void)state;
    assert_int_equal(try_open(&desc, &error), SPARCL_E_DEVICE);
    assert_int_equal(error.status, SPARCL_E_DEVICE);
    assert_non_null(strstr(error.message, "0:0"));
    assert_int_equal(try_open(&desc, NULL), SPARCL_E_DEVICE);
}

static void a_null_descriptor_is_the_default(void **state) {
    sparcl_ctx *ctx = NULL;
    sparcl_error error = {0};
    (void)state;
    const sparcl_status status = sparcl_ctx_open(&ctx, NULL, &error);
    if (status == SPARCL_E_DEVICE) skip(); /* auto takes no simulator */
    assert_int_equal(status, SPARCL_OK);
    sparcl_ctx_close(ctx);
}

static void a_calibration_without_context_or_result_is_refused(void **state) {
    sparcl_calibration calibration;
    assert_int_equal(sparcl_calibrate(NULL, 0, &calibration), SPARCL_E_ARG);
    assert_refused(*state, sparcl_calibrate(*state, 0, NULL), SPARCL_E_ARG, "calibration is NULL");
}

static void the_context_knows_its_device_and_objects(void **state) {
    sparcl_ctx *ctx = *state;
    char name[256] = "";
    cl_device_id id = sparcl_ctx_cl_device(ctx);
    assert_int_equal(clGetDeviceInfo(id, CL_DEVICE_VENDOR, sizeof name - 1, name, NULL),
                     CL_SUCCESS);
    assert_non_null(strstr(name, sparcl_ctx_device(ctx)->vendor));
    assert_true(sparcl_ctx_platform(ctx)[0] != 0);
    cl_context context = NULL;
    cl_command_queue queue = sparcl_ctx_cl_queue(ctx);
    assert_int_equal(clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL),
                     CL_SUCCESS);
    assert_ptr_equal(context, sparcl_ctx_cl_context(ctx));
    cl_command_queue_properties properties = 0;
    clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL);
    assert_false(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

static void a_forced_class_is_kept(void **state) {
    (void)state;
    for (int class = SPARCL_CLASS_CPU; class <= SPARCL_CLASS_GPU; ++class) {
        sparcl_ctx_desc desc = test_desc();
        sparcl_ctx *ctx = NULL;
        sparcl_error error;
        desc.device_class = (sparcl_class) class;
        if (sparcl_ctx_open(&ctx, &desc, &error) != SPARCL_OK) fail_msg("%s", error.message);
        assert_int_equal(sparcl_ctx_device(ctx)->device_class, class);
        sparcl_ctx_close(ctx);
    }
}

static void a_successful_call_keeps_the_last_error(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_buf *buf = NULL;
    assert_int_equal(sparcl_ctx_error(ctx)->status, SPARCL_OK);
    assert_string_equal(sparcl_ctx_error(ctx)->message, "");
    assert_refused(ctx, sparcl_buf_create(ctx, &buf, -5), SPARCL_E_ARG, "-5 bytes");
    assert_ok(ctx, sparcl_buf_create(ctx, &buf, 5));
    assert_int_equal(sparcl_ctx_error(ctx)->status, SPARCL_E_ARG);
    sparcl_buf_free(buf);
}

static void every_function_of_a_context_or_buffer_accepts_null(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_buf *buf = (sparcl_buf *)ctx;
    cl_event event = NULL;
    char byte = 0;
    sparcl_ctx_close(NULL);
    sparcl_buf_free(NULL);
    sparcl_buf_touched(NULL);
    assert_null(sparcl_ctx_device(NULL));
    assert_string_equal(sparcl_ctx_platform(NULL), "");
    assert_string_equal(sparcl_ctx_build_log(NULL), "");
    assert_non_null(sparcl_ctx_error(NULL));
    assert_int_equal(sparcl_ctx_error(NULL)->status, SPARCL_E_ARG);
    assert_int_equal(sparcl_ctx_memory(NULL), 0);
    assert_int_equal(sparcl_ctx_peak_memory(NULL), 0);
    assert_int_equal(sparcl_buf_bytes(NULL), 0);
    assert_null(sparcl_ctx_cl_context(NULL));
    assert_null(sparcl_ctx_cl_device(NULL));
    assert_null(sparcl_ctx_cl_queue(NULL));
    assert_null(sparcl_buf_cl_mem(NULL));
    assert_int_equal(sparcl_ctx_finish(NULL), SPARCL_E_ARG);
    assert_int_equal(sparcl_ctx_flush(NULL), SPARCL_E_ARG);
    assert_int_equal(sparcl_buf_create(NULL, &buf, 1), SPARCL_E_ARG);
    assert_null(buf);
    assert_int_equal(sparcl_buf_upload(NULL, &buf, &byte, 1), SPARCL_E_ARG);
    assert_int_equal(sparcl_buf_wrap(NULL, &buf, &byte, 1), SPARCL_E_ARG);
    assert_int_equal(sparcl_buf_adopt(NULL, &buf, NULL), SPARCL_E_ARG);
    assert_int_equal(sparcl_buf_read(NULL, NULL, 0, 0, &byte), SPARCL_E_ARG);
    assert_int_equal(sparcl_buf_write(NULL, NULL, 0, 0, &byte), SPARCL_E_ARG);
    assert_int_equal(sparcl_buf_copy(NULL, NULL, 0, NULL, 0, 0), SPARCL_E_ARG);
    assert_int_equal(sparcl_buf_fill(NULL, NULL, 0, 0, 0), SPARCL_E_ARG);
    assert_int_equal(sparcl_ctx_enqueue_wait(NULL, 0, NULL), SPARCL_E_ARG);
    assert_int_equal(sparcl_ctx_event(NULL, &event), SPARCL_E_ARG);
    assert_refused(ctx, sparcl_ctx_event(ctx, NULL), SPARCL_E_ARG, "event is NULL");
    assert_refused(ctx, sparcl_buf_create(ctx, NULL, 1), SPARCL_E_ARG, "buf is NULL");
}

static void finish_and_flush_work_on_an_idle_and_a_busy_queue(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_buf *buf = NULL;
    assert_ok(ctx, sparcl_ctx_finish(ctx));
    assert_ok(ctx, sparcl_ctx_flush(ctx));
    assert_ok(ctx, sparcl_buf_create(ctx, &buf, 4096));
    assert_ok(ctx, sparcl_buf_fill(ctx, buf, 0, 4096, 7));
    assert_ok(ctx, sparcl_ctx_flush(ctx));
    assert_ok(ctx, sparcl_ctx_finish(ctx));
    sparcl_buf_free(buf);
}

typedef struct opening {
    cl_event gate;
    volatile int opened;
} opening;

static void *open_later(void *user) {
    const struct timespec moment = {.tv_nsec = 100000000};
    opening *o = user;
    nanosleep(&moment, NULL);
    o->opened = 1;
    clSetUserEventStatus(o->gate, CL_COMPLETE);
    return NULL;
}

static void flush_returns_before_the_work_has_ended_and_finish_after(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_buf *buf = NULL;
    pthread_t thread;
    if (test_is_small()) skip(); /* Oclgrind is for one thread */
    opening o = {.gate = clCreateUserEvent(sparcl_ctx_cl_context(ctx), NULL)};
    assert_ok(ctx, sparcl_buf_create(ctx, &buf, 64));
    assert_ok(ctx, sparcl_ctx_enqueue_wait(ctx, 1, &o.gate));
    assert_ok(ctx, sparcl_buf_fill(ctx, buf, 0, 64, 9));
    assert_int_equal(pthread_create(&thread, NULL, open_later, &o), 0);
    assert_ok(ctx, sparcl_ctx_flush(ctx));
    assert_int_equal(o.opened, 0);
    assert_ok(ctx, sparcl_ctx_finish(ctx));
    assert_int_equal(o.opened, 1);
    assert_int_equal(pthread_join(thread, NULL), 0);
    clReleaseEvent(o.gate);
    sparcl_buf_free(buf);
}

static void an_event_ends_when_the_work_before_it_has(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_buf *buf = NULL;
    cl_event event = NULL;
    cl_int status = -1;
    assert_ok(ctx, sparcl_buf_create(ctx, &buf, 4096));
    assert_ok(ctx, sparcl_buf_fill(ctx, buf, 0, 4096, 7));
    assert_ok(ctx, sparcl_ctx_event(ctx, &event));
    assert_int_equal(clWaitForEvents(1, &event), CL_SUCCESS);
    clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    assert_int_equal(status, CL_COMPLETE);
    clReleaseEvent(event);
    sparcl_buf_free(buf);
}

static void a_host_that_throttles_waits_for_what_was_there_at_the_last_call(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_buf *buf = NULL;
    cl_event event = NULL;
    cl_int status = -1;
    assert_int_equal(sparcl_ctx_throttle(NULL), SPARCL_E_ARG);
    assert_ok(ctx, sparcl_buf_create(ctx, &buf, 4096));
    assert_ok(ctx, sparcl_buf_fill(ctx, buf, 0, 4096, 7));
    assert_ok(ctx, sparcl_ctx_event(ctx, &event));
    assert_ok(ctx, sparcl_ctx_throttle(ctx));
    assert_ok(ctx, sparcl_ctx_throttle(ctx));
    clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    assert_int_equal(status, CL_COMPLETE);
    clReleaseEvent(event);
    sparcl_buf_free(buf);
}

/* Large transfers of a CPU go through kernels. */
static void waits_for_all_work_are_counted(void **state) {
    enum { LARGE = 4 << 20 };
    sparcl_ctx *ctx = *state;
    unsigned char *const host = calloc(1, LARGE);
    const int64_t sizes[] = {64, LARGE};
    sparcl_buf *buf = NULL;
    assert_non_null(host);
    assert_int_equal(sparcl_ctx_waits(NULL), 0);
    assert_ok(ctx, sparcl_buf_create(ctx, &buf, LARGE));
    for (int i = 0; i < 2; ++i) {
        const int64_t before = sparcl_ctx_waits(ctx);
        assert_ok(ctx, sparcl_buf_fill(ctx, buf, 0, sizes[i], 7));
        assert_ok(ctx, sparcl_ctx_throttle(ctx));
        assert_int_equal(sparcl_ctx_waits(ctx), before);
        assert_ok(ctx, sparcl_buf_write(ctx, buf, 0, sizes[i], host));
        assert_int_equal(sparcl_ctx_waits(ctx), before + 1);
        assert_ok(ctx, sparcl_buf_read(ctx, buf, 0, sizes[i], host));
        assert_ok(ctx, sparcl_ctx_finish(ctx));
        assert_int_equal(sparcl_ctx_waits(ctx), before + 3);
    }
    sparcl_buf_free(buf);
    free(host);
}

static void later_work_waits_for_the_given_events(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_buf *buf = NULL;
    cl_event event = NULL;
    cl_int code = CL_SUCCESS, status = -1;
    unsigned char byte = 0;
    assert_ok(ctx, sparcl_ctx_enqueue_wait(ctx, 0, NULL));
    assert_refused(ctx, sparcl_ctx_enqueue_wait(ctx, -1, &event), SPARCL_E_ARG, "enqueue_wait");
    assert_refused(ctx, sparcl_ctx_enqueue_wait(ctx, 1, NULL), SPARCL_E_ARG, "enqueue_wait");
    if (test_is_small()) return; /* Oclgrind runs commands only when it is waited for */
    cl_event gate = clCreateUserEvent(sparcl_ctx_cl_context(ctx), &code);
    assert_int_equal(code, CL_SUCCESS);
    assert_ok(ctx, sparcl_buf_create(ctx, &buf, 64));
    assert_ok(ctx, sparcl_ctx_enqueue_wait(ctx, 1, &gate));
    assert_ok(ctx, sparcl_buf_fill(ctx, buf, 0, 64, 9));
    assert_ok(ctx, sparcl_ctx_event(ctx, &event));
    clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    assert_int_not_equal(status, CL_COMPLETE);
    assert_int_equal(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    assert_ok(ctx, sparcl_buf_read(ctx, buf, 63, 1, &byte));
    assert_int_equal(byte, 9);
    clReleaseEvent(event);
    clReleaseEvent(gate);
    sparcl_buf_free(buf);
}

static void memory_counts_the_buffers_that_live(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_buf *a = NULL, *b = NULL;
    assert_int_equal(sparcl_ctx_memory(ctx), 0);
    assert_ok(ctx, sparcl_buf_create(ctx, &a, 1000));
    assert_ok(ctx, sparcl_buf_create(ctx, &b, 234));
    assert_int_equal(sparcl_ctx_memory(ctx), 1234);
    sparcl_buf_free(a);
    assert_int_equal(sparcl_ctx_memory(ctx), 234);
    sparcl_buf_free(b);
    assert_int_equal(sparcl_ctx_memory(ctx), 0);
    assert_int_equal(sparcl_ctx_peak_memory(ctx), 1234);
    assert_ok(ctx, sparcl_buf_create(ctx, &a, 1300));
    sparcl_buf_free(a);
    assert_int_equal(sparcl_ctx_peak_memory(ctx), 1300);
}

typedef struct counter {
    int64_t live, calls;
    bool wrong_size;
} counter;

/* A block begins with its size, so that a wrong old_size is seen. */
static void *count_memory(void *user, void *memory, size_t old_size, size_t size) {
    counter *count = user;
    size_t *block = memory ? (size_t *)memory - 2 : NULL;
    ++count->calls;
    if (block && *block != old_size) count->wrong_size = true;
    count->live += (int64_t)size - (int64_t)(block ? *block : 0);
    if (size == 0) {
        free(block);
        return NULL;
    }
    block = realloc(block, size + 2 * sizeof *block);
    if (!block) return NULL;
    *block = size;
    return block + 2;
}

static void all_host_memory_comes_from_the_allocator_and_goes_back(void **state) {
    counter count = {0};
    sparcl_ctx_desc desc = test_desc();
    sparcl_ctx *ctx = NULL;
    sparcl_buf *buf = NULL;
    sparcl_probe probe;
    (void)state;
    desc.allocator = (sparcl_allocator){count_memory, &count};
    desc.cache_dir = "/nonexistent/folder";
    assert_int_equal(sparcl_ctx_open(&ctx, &desc, NULL), SPARCL_OK);
    assert_true(count.live > 0);
    const int64_t before = count.live;
    assert_ok(ctx, sparcl_buf_create(ctx, &buf, 10));
    assert_true(count.live > before);
    assert_ok(ctx, sparcl_ctx_probe(ctx, &probe));
    sparcl_buf_free(buf);
    sparcl_ctx_close(ctx);
    assert_int_equal(count.live, 0);
    assert_false(count.wrong_size);
}

typedef struct log_entry {
    int messages;
    char last[200];
} log_entry;

static void remember(void *user, sparcl_log_level level, const char *message) {
    log_entry *log = user;
    assert_in_range(level, SPARCL_LOG_DEBUG, SPARCL_LOG_WARNING);
    ++log->messages;
    snprintf(log->last, sizeof log->last, "%s", message);
}

static void the_log_hook_gets_what_is_built(void **state) {
    log_entry log = {0};
    sparcl_ctx_desc desc = test_desc();
    sparcl_ctx *ctx = NULL;
    sparcl_probe probe;
    (void)state;
    desc.log = remember;
    desc.cache_dir = NULL; /* it is to be built */
    desc.log_user = &log;
    assert_int_equal(sparcl_ctx_open(&ctx, &desc, NULL), SPARCL_OK);
    assert_ok(ctx, sparcl_ctx_probe(ctx, &probe));
    assert_true(log.messages >= 2);
    assert_non_null(strstr(log.last, "built probe"));
    sparcl_ctx_close(ctx);
}

static void *use_a_context(void *unused) {
    const sparcl_ctx_desc desc = test_desc();
    (void)unused;
    for (int round = 0; round < 5; ++round) {
        sparcl_ctx *ctx = NULL;
        sparcl_buf *buf = NULL;
        unsigned char back[100];
        if (sparcl_ctx_open(&ctx, &desc, NULL) != SPARCL_OK) return "open";
        if (sparcl_buf_create(ctx, &buf, 100) != SPARCL_OK) return "create";
        if (sparcl_buf_fill(ctx, buf, 0, 100, 42) != SPARCL_OK) return "fill";
        if (sparcl_buf_read(ctx, buf, 0, 100, back) != SPARCL_OK) return "read";
        if (back[0] != 42 || back[99] != 42) return "contents";
        sparcl_buf_free(buf);
        sparcl_ctx_close(ctx);
    }
    return NULL;
}

static void threads_with_a_context_each_do_not_interfere(void **state) {
    pthread_t threads[4];
    (void)state;
    if (test_is_small()) skip(); /* Oclgrind is for one thread */
    for (int i = 0; i < 4; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, use_a_context, NULL), 0);
    for (int i = 0; i < 4; ++i) {
        void *failure = NULL;
        assert_int_equal(pthread_join(threads[i], &failure), 0);
        if (failure) fail_msg("%s", (const char *)failure);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_function_of_a_context_or_buffer_accepts_null, setup,
                                        teardown),
        cmocka_unit_test(a_wrong_descriptor_is_refused),
        cmocka_unit_test(a_device_that_is_not_there_is_e_device_with_the_list),
        cmocka_unit_test(a_null_descriptor_is_the_default),
        cmocka_unit_test(a_forced_class_is_kept),
        cmocka_unit_test_setup_teardown(a_calibration_without_context_or_result_is_refused, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(the_context_knows_its_device_and_objects, setup, teardown),
        cmocka_unit_test_setup_teardown(a_successful_call_keeps_the_last_error, setup, teardown),
        cmocka_unit_test_setup_teardown(finish_and_flush_work_on_an_idle_and_a_busy_queue, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(flush_returns_before_the_work_has_ended_and_finish_after,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(an_event_ends_when_the_work_before_it_has, setup, teardown),
        cmocka_unit_test_setup_teardown(later_work_waits_for_the_given_events, setup, teardown),
        cmocka_unit_test_setup_teardown(
            a_host_that_throttles_waits_for_what_was_there_at_the_last_call, setup, teardown),
        cmocka_unit_test_setup_teardown(waits_for_all_work_are_counted, setup, teardown),
        cmocka_unit_test_setup_teardown(memory_counts_the_buffers_that_live, setup, teardown),
        cmocka_unit_test(all_host_memory_comes_from_the_allocator_and_goes_back),
        cmocka_unit_test(the_log_hook_gets_what_is_built),
        cmocka_unit_test(threads_with_a_context_each_do_not_interfere),
    };
    sparcl_ctx_close(test_open()); /* skipped without a device */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
