/* test_device.c: the list of devices, compared with what OpenCL reports. */
#include "device_test.h"

#include "sparcl/opencl.h"

/* The list of the implementations under test; ends as skipped where there is none. */
static int get_list(void **state) {
    static sparcl_device_list list;
    sparcl_error error;
    sparcl_ctx_close(test_open());
    if (sparcl_device_list_get(&list, NULL, &error) != SPARCL_OK) fail_msg("%s", error.message);
    *state = &list;
    return 0;
}

static int free_list(void **state) {
    sparcl_device_list_free(*state);
    return 0;
}

static cl_device_id handle_of(const sparcl_device *device) {
    cl_platform_id platforms[64];
    cl_device_id ids[256];
    assert_int_equal(clGetPlatformIDs(64, platforms, NULL), CL_SUCCESS);
    assert_int_equal(
        clGetDeviceIDs(platforms[device->platform], CL_DEVICE_TYPE_ALL, 256, ids, NULL),
        CL_SUCCESS);
    return ids[device->number];
}

static uint64_t query(cl_device_id id, cl_device_info what, size_t size) {
    uint64_t value = 0;
    assert_int_equal(clGetDeviceInfo(id, what, size, &value, NULL), CL_SUCCESS);
    return value;
}

static void devices_are_in_loader_order(void **state) {
    const sparcl_device_list *list = *state;
    int at = 0;
    for (int p = 0; p < list->platform_count; ++p)
        for (int d = 0; d < list->platforms[p].devices; ++d, ++at) {
            assert_int_equal(list->devices[at].platform, p);
            assert_int_equal(list->devices[at].number, d);
        }
    assert_int_equal(at, list->device_count);
}

static void a_platform_without_a_device_says_so(void **state) {
    const sparcl_device_list *list = *state;
    for (int p = 0; p < list->platform_count; ++p) {
        assert_true(list->platforms[p].name[0] != 0);
        if (list->platforms[p].devices == 0)
            assert_non_null(strstr(list->platforms[p].note, "no device"));
        else
            assert_string_equal(list->platforms[p].note, "");
    }
}

static void the_properties_of_devices_are_those_of_opencl(void **state) {
    const sparcl_device_list *list = *state;
    for (int i = 0; i < list->device_count; ++i) {
        const sparcl_device *d = &list->devices[i];
        const cl_device_id id = handle_of(d);
        assert_int_equal(d->units, query(id, CL_DEVICE_MAX_COMPUTE_UNITS, 4));
        assert_int_equal(d->memory, query(id, CL_DEVICE_GLOBAL_MEM_SIZE, 8));
        assert_int_equal(d->max_allocation, query(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE, 8));
        assert_int_equal(d->local_memory, query(id, CL_DEVICE_LOCAL_MEM_SIZE, 8));
        assert_int_equal(d->max_group, query(id, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(size_t)));
        assert_int_equal(d->has_f64, query(id, CL_DEVICE_DOUBLE_FP_CONFIG, 8) != 0);
        assert_int_equal(d->host_unified, query(id, CL_DEVICE_HOST_UNIFIED_MEMORY, 4) != 0);
        const uint64_t single = query(id, CL_DEVICE_SINGLE_FP_CONFIG, 8);
        assert_int_equal(d->has_denormals, (single & CL_FP_DENORM) != 0);
        assert_int_equal(d->has_rounded_divide,
                         (single & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0);
        const uint64_t type = query(id, CL_DEVICE_TYPE, sizeof(cl_device_type));
        assert_int_equal((d->types & SPARCL_TYPE_CPU) != 0, (type & CL_DEVICE_TYPE_CPU) != 0);
        assert_int_equal((d->types & SPARCL_TYPE_GPU) != 0, (type & CL_DEVICE_TYPE_GPU) != 0);
    }
}

static void the_class_comes_from_the_properties(void **state) {
    const sparcl_device_list *list = *state;
    for (int i = 0; i < list->device_count; ++i) {
        const sparcl_device *d = &list->devices[i];
        if (d->types & SPARCL_TYPE_CPU)
            assert_int_equal(d->device_class, SPARCL_CLASS_CPU);
        else if (d->max_group >= 128)
            assert_int_equal(d->device_class, SPARCL_CLASS_GPU);
        assert_int_equal(d->usable, d->why_not[0] == 0);
    }
}

static void texts_have_no_surrounding_spaces(void **state) {
    const sparcl_device_list *list = *state;
    for (int i = 0; i < list->device_count; ++i) {
        const sparcl_device *d = &list->devices[i];
        assert_true(d->name[0] != 0 && d->name[0] != ' ');
        assert_true(d->name[strlen(d->name) - 1] != ' ');
        assert_non_null(strstr(d->version, "OpenCL "));
    }
}

typedef struct counter {
    int64_t live, calls;
} counter;

static void *count_memory(void *user, void *memory, size_t old_size, size_t size) {
    counter *count = user;
    ++count->calls;
    count->live += (int64_t)size - (int64_t)(memory ? old_size : 0);
    if (size == 0) {
        free(memory);
        return NULL;
    }
    return realloc(memory, size);
}

static void the_list_allocates_and_frees_with_the_allocator(void **state) {
    counter count = {0};
    const sparcl_allocator allocator = {count_memory, &count};
    sparcl_device_list list;
    (void)state;
    sparcl_ctx_close(test_open());
    assert_int_equal(sparcl_device_list_get(&list, &allocator, NULL), SPARCL_OK);
    assert_true(count.calls >= 2 && count.live > 0);
    sparcl_device_list_free(&list);
    assert_int_equal(count.live, 0);
    assert_int_equal(list.device_count + list.platform_count, 0);
    sparcl_device_list_free(&list);
}

static void *give_one_block(void *user, void *memory, size_t old_size, size_t size) {
    int *left = user;
    (void)old_size;
    if (size == 0) {
        free(memory);
        return NULL;
    }
    return (*left)-- > 0 ? realloc(memory, size) : NULL;
}

static void after_an_error_the_list_is_empty(void **state) {
    (void)state;
    for (int blocks = 0; blocks < 2; ++blocks) {
        int left = blocks;
        const sparcl_allocator allocator = {give_one_block, &left};
        sparcl_device_list list;
        sparcl_error error = {0};
        memset(&list, 0x55, sizeof list);
        assert_int_equal(sparcl_device_list_get(&list, &allocator, &error), SPARCL_E_MEMORY);
        assert_non_null(strstr(error.message, "no host memory for"));
        assert_int_equal(list.device_count + list.platform_count, 0);
        assert_null(list.devices);
        assert_null(list.platforms);
    }
}

static void a_zeroed_list_and_null_are_safe(void **state) {
    sparcl_device_list zero = {0};
    sparcl_error error;
    (void)state;
    sparcl_device_list_free(&zero);
    sparcl_device_list_free(NULL);
    assert_int_equal(sparcl_device_list_get(NULL, NULL, &error), SPARCL_E_ARG);
    assert_non_null(strstr(error.message, "list is NULL"));
}

#define LIST_TEST(test) cmocka_unit_test_setup_teardown(test, get_list, free_list)

int main(void) {
    const struct CMUnitTest tests[] = {
        LIST_TEST(devices_are_in_loader_order),
        LIST_TEST(a_platform_without_a_device_says_so),
        LIST_TEST(the_properties_of_devices_are_those_of_opencl),
        LIST_TEST(the_class_comes_from_the_properties),
        LIST_TEST(texts_have_no_surrounding_spaces),
        cmocka_unit_test(the_list_allocates_and_frees_with_the_allocator),
        cmocka_unit_test(after_an_error_the_list_is_empty),
        cmocka_unit_test(a_zeroed_list_and_null_are_safe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
