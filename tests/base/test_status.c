/* test_status.c: names, numbers and texts of the statuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sparcl/status.h"

/* Numbers are part of the ABI: lines are added here, and never changed. */
static const struct frozen {
    int number;
    const char *name, *text;
} frozen[] = {
    {0, "SPARCL_OK", "success"},
    {-1, "SPARCL_E_ARG", "an argument is wrong"},
    {-2, "SPARCL_E_SHAPE", "shapes do not match"},
    {-3, "SPARCL_E_DTYPE", "element types do not match"},
    {-4, "SPARCL_E_ALIAS", "a result overlaps an operand"},
    {-5, "SPARCL_E_UNCHECKED", "a sparse view was neither validated nor trusted"},
    {-6, "SPARCL_E_DATA", "stored data are invalid"},
    {-7, "SPARCL_E_UNSUPPORTED", "not supported by the device or this build"},
    {-8, "SPARCL_E_DEVICE", "no such device"},
    {-9, "SPARCL_E_MEMORY", "out of memory"},
    {-10, "SPARCL_E_BUILD", "a kernel did not build"},
    {-11, "SPARCL_E_OPENCL", "an OpenCL call failed"},
    {-12, "SPARCL_E_IO", "a file could not be read or written"},
    {-13, "SPARCL_E_FORMAT", "the content of a file is invalid"},
    {-14, "SPARCL_E_DIVERGED", "training diverged"},
    {-15, "SPARCL_E_INTERRUPTED", "interrupted"},
};

enum { COUNT = sizeof frozen / sizeof frozen[0] };

static void every_status_keeps_its_number_name_and_text(void **state) {
    (void)state;
    for (int i = 0; i < COUNT; ++i) {
        const sparcl_status status = (sparcl_status)frozen[i].number;
        assert_string_equal(sparcl_status_name(status), frozen[i].name);
        assert_string_equal(sparcl_status_text(status), frozen[i].text);
    }
    assert_int_equal(SPARCL_E_INTERRUPTED, -15);
}

static void the_list_has_no_status_that_is_not_frozen(void **state) {
    int listed = 0;
    (void)state;
#define COUNT_ONE(name, value, text) listed += (value) == -listed;
    SPARCL_STATUS_LIST(COUNT_ONE)
    assert_int_equal(listed, COUNT);
}

static void a_number_that_is_none_has_a_name_and_a_text_too(void **state) {
    static const int none[] = {1, -COUNT, 1000, INT32_MIN, INT32_MAX};
    (void)state;
    for (size_t i = 0; i < sizeof none / sizeof none[0]; ++i) {
        assert_string_equal(sparcl_status_name((sparcl_status)none[i]), "SPARCL_E_?");
        assert_string_equal(sparcl_status_text((sparcl_status)none[i]), "no such status");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_keeps_its_number_name_and_text),
        cmocka_unit_test(the_list_has_no_status_that_is_not_frozen),
        cmocka_unit_test(a_number_that_is_none_has_a_name_and_a_text_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
