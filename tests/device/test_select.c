/* test_select.c: from a selector text to a device, on lists made by hand; needs no OpenCL. */
#include "device_test.h"

enum { CPU = SPARCL_TYPE_CPU, GPU = SPARCL_TYPE_GPU, OTHER = SPARCL_TYPE_OTHER };

#define DEVICE(p, n, named, sold_by, kind, many)                                                   \
    {                                                                                              \
        .platform = (p), .number = (n), .name = named, .vendor = sold_by, .types = (kind),         \
        .units = (many), .usable = 1                                                               \
    }

static sparcl_platform platforms[] = {
    {.name = "Simulator", .vendor = "University"},
    {.name = "Portable Computing Language", .vendor = "The pocl project"},
    {.name = "Fast OpenCL", .vendor = "Fast Corp"},
    {.name = "Empty", .vendor = "Nobody"},
};

static sparcl_device devices[] = {
    DEVICE(0, 0, "Simulated", "University", CPU | GPU | OTHER, 1000),
    DEVICE(1, 0, "pthread-EPYC", "AuthenticAMD", CPU, 2),
    DEVICE(1, 1, "basic-EPYC", "AuthenticAMD", CPU, 64),
    DEVICE(2, 0, "Fast 10", "Fast Corp", GPU, 10),
    DEVICE(2, 1, "Fast 80", "Fast Corp", GPU, 80),
    DEVICE(2, 2, "Fast 80", "Fast Corp", GPU, 80),
    DEVICE(2, 3, "Fast Board", "Fast Corp", OTHER, 500),
};

static const sparcl_device_list all = {4, 7, platforms, devices, {NULL, NULL}};
static const sparcl_device_list no_gpu = {2, 3, platforms, devices, {NULL, NULL}};
static const sparcl_device_list simulator = {1, 1, platforms, devices, {NULL, NULL}};
static const sparcl_device_list nothing = {0, 0, NULL, NULL, {NULL, NULL}};
static const sparcl_device_list no_device = {1, 0, platforms + 3, NULL, {NULL, NULL}};

static int setup(void **state) {
    (void)state;
    strcpy(devices[3].pci, "0000:01:00.0");
    strcpy(devices[4].pci, "0000:02:00.0");
    strcpy(devices[5].pci, "0001:02:00.0");
    devices[4].usable = devices[5].usable = 1;
    return 0;
}

/* The device that a text selects, or -1; `matches` must be as expected. */
static int choose(const sparcl_device_list *list, const char *text, int expected_matches) {
    int index = -7, matches = -7;
    sparcl_error error = {0};
    if (sparcl_device_select(list, text, &index, &matches, &error) != SPARCL_OK) {
        assert_int_equal(error.status, SPARCL_E_DEVICE);
        assert_true(error.message[0] != 0);
        return -1;
    }
    assert_int_equal(matches, expected_matches);
    return index;
}

static const char *refusal(const sparcl_device_list *list, const char *text) {
    static sparcl_error error;
    int index = 0;
    assert_int_equal(sparcl_device_select(list, text, &index, NULL, &error), SPARCL_E_DEVICE);
    assert_int_equal(index, -1);
    return error.message;
}

#define assert_has(text, part)                                                                     \
    do {                                                                                           \
        if (!strstr(text, part)) fail_msg("\"%s\" is not in: %s", part, text);                     \
    } while (0)

static void auto_selects_the_gpu_with_most_units_else_the_first_cpu(void **state) {
    (void)state;
    assert_int_equal(choose(&all, "auto", 3), 4);
    assert_int_equal(choose(&all, NULL, 3), 4);
    assert_int_equal(choose(&all, "", 3), 4);
    assert_int_equal(choose(&all, "AUTO", 3), 4);
    assert_int_equal(choose(&no_gpu, "auto", 2), 1);
}

static void gpu_and_cpu_select_the_first_in_loader_order(void **state) {
    (void)state;
    assert_int_equal(choose(&all, "gpu", 3), 3);
    assert_int_equal(choose(&all, "cpu", 2), 1);
    assert_int_equal(choose(&all, "gpu:2", 1), 5);
    assert_int_equal(choose(&all, "cpu:1", 1), 2);
    assert_int_equal(choose(&all, "cpu:2", 1), -1);
}

static void a_device_of_several_types_is_only_selected_by_name(void **state) {
    static const char *const texts[] = {"auto", "gpu", "cpu", "auto,gpu,cpu"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
        assert_int_equal(choose(&simulator, texts[i], 0), -1);
    assert_int_equal(choose(&simulator, "simulat", 1), 0);
    assert_int_equal(choose(&simulator, "0:0", 1), 0);
}

static void names_match_in_part_and_without_letter_case(void **state) {
    (void)state;
    assert_int_equal(choose(&all, "BASIC", 1), 2);
    assert_int_equal(choose(&all, "authenticamd", 2), 1);  /* device vendor */
    assert_int_equal(choose(&all, "fast corp", 4), 3);     /* platform vendor */
    assert_int_equal(choose(&all, "Portable Comp", 2), 1); /* platform name */
    assert_int_equal(choose(&all, "80", 2), 4);
    assert_int_equal(choose(&all, "Fast 80x", 0), -1);
}

static void pocl_means_only_its_platform(void **state) {
    (void)state;
    assert_int_equal(choose(&all, "pocl", 2), 1);
    assert_int_equal(choose(&all, "pocl:1", 1), 2);
    platforms[1].name[0] = 'Q';
    assert_int_equal(choose(&all, "pocl", 0), -1); /* although its vendor has it in its name */
    platforms[1].name[0] = 'P';
}

static void a_number_after_a_name_counts_its_devices_from_zero(void **state) {
    (void)state;
    assert_int_equal(choose(&all, "fast:0", 1), 3);
    assert_int_equal(choose(&all, "fast:3", 1), 6);
    assert_int_equal(choose(&all, "fast:4", 1), -1);
    assert_int_equal(choose(&all, "fast:", 1), -1);
    assert_int_equal(choose(&all, "fast:x", 1), -1);
}

static void platform_and_device_are_selected_by_number(void **state) {
    (void)state;
    assert_int_equal(choose(&all, "2:1", 1), 4);
    assert_int_equal(choose(&all, "1:0", 1), 1);
    assert_int_equal(choose(&all, "1:2", 1), -1);
    assert_int_equal(choose(&all, "9:0", 1), -1);
    assert_int_equal(choose(&all, "99999999999999:0", 1), -1);
}

static void a_pci_address_may_be_shortened(void **state) {
    (void)state;
    assert_int_equal(choose(&all, "pci:0000:01:00.0", 1), 3);
    assert_int_equal(choose(&all, "pci:01:00.0", 1), 3);
    assert_int_equal(choose(&all, "pci:02:00.0", 2), 4);
    assert_int_equal(choose(&all, "pci:0001:02:00.0", 1), 5);
    assert_int_equal(choose(&all, "pci:07:00.0", 1), -1);
    assert_int_equal(choose(&all, "PCI:01:00.0", 1), 3);
    assert_int_equal(choose(&all, "pci:", 1), -1);
    assert_int_equal(choose(&all, "pci:,cpu", 2), 1);
}

static void commas_give_an_order_of_preference(void **state) {
    (void)state;
    assert_int_equal(choose(&all, "nvidia,gpu,cpu", 3), 3);
    assert_int_equal(choose(&no_gpu, "nvidia,gpu,cpu", 2), 1);
    assert_int_equal(choose(&all, "cpu,gpu", 2), 1);
    assert_int_equal(choose(&all, " nvidia , fast 80:1 ", 1), 5);
    assert_int_equal(choose(&all, ",,cpu", 2), 1);
    assert_int_equal(choose(&all, "pci:07:00.0,2:1", 1), 4);
}

static void an_unusable_device_is_skipped_or_named(void **state) {
    (void)state;
    devices[4].usable = 0;
    strcpy(devices[4].why_not, "it has no kernel compiler");
    assert_int_equal(choose(&all, "auto", 2), 5);
    assert_int_equal(choose(&all, "80", 1), 5);
    assert_has(refusal(&all, "2:1"), "cannot be used: it has no kernel compiler");
    assert_has(refusal(&all, "zzz"), "not usable");
    assert_int_equal(choose(&all, "2:1,cpu", 2), 1); /* what follows it is tried */
    assert_int_equal(choose(&all, "2:1, 2:2", 1), 5);
    assert_has(refusal(&all, "2:1,zzz"), "cannot be used: it has no kernel compiler");
}

static void a_list_that_is_too_long_ends_with_how_many_more_there_are(void **state) {
    static sparcl_device many[100];
    sparcl_device_list list = {4, 0, platforms, many, {NULL, NULL}};
    (void)state;
    for (int d = 0; d < 100; ++d) {
        many[d] = devices[1];
        many[d].number = d;
        snprintf(many[d].name, sizeof many[d].name, "device %0*d", d % 40 + 1, d);
    }
    for (list.device_count = 1; list.device_count <= 100; ++list.device_count) {
        const char *message = refusal(&list, "zzz");
        int lines = 0, more = 0;
        for (const char *at = message; (at = strchr(at, '\n')); ++at) {
            if (sscanf(at, "\n  and %d more", &more) == 1) break;
            const size_t length = strcspn(at + 1, "\n"); /* each line is whole */
            assert_memory_equal(at + length - 1, "e)", 2);
            ++lines;
        }
        assert_int_equal(lines + more, list.device_count);
        assert_true(list.device_count > 3 || more == 0);
    }
    list.device_count = 100;
    assert_has(refusal(&list, "zzz"), "  and ");
}

static void a_text_that_matches_nothing_lists_the_devices(void **state) {
    (void)state;
    const char *message = refusal(&all, "geforce");
    assert_has(message, "\"geforce\" matches none of");
    assert_has(message, "0:0  Simulated (several types, Simulator)");
    assert_has(message, "1:1  basic-EPYC (CPU, Portable Computing Language)");
    assert_has(message, "2:1  Fast 80 (GPU, Fast OpenCL)");
    assert_has(message, "2:3  Fast Board (other, Fast OpenCL)");
}

static void an_empty_list_says_what_to_install(void **state) {
    (void)state;
    assert_has(refusal(&nothing, "auto"), "there is no OpenCL platform;");
    assert_has(refusal(&nothing, "auto"), "pocl-opencl-icd");
    assert_has(refusal(&no_device, "gpu"), "no OpenCL platform has a device");
}

static void long_and_strange_texts_are_safe(void **state) {
    char text[3000];
    int index = 0;
    sparcl_error error;
    (void)state;
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = 0;
    assert_has(refusal(&all, text), "matches none of");
    memset(text, ',', sizeof text - 1);
    assert_has(refusal(&all, text), "matches none of");
    assert_int_equal(sparcl_device_select(NULL, "cpu", &index, NULL, &error), SPARCL_E_ARG);
    assert_int_equal(index, -1);
    assert_has(error.message, "list is NULL");
    assert_int_equal(sparcl_device_select(&all, "cpu", NULL, NULL, NULL), SPARCL_E_ARG);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(auto_selects_the_gpu_with_most_units_else_the_first_cpu, setup),
        cmocka_unit_test_setup(gpu_and_cpu_select_the_first_in_loader_order, setup),
        cmocka_unit_test_setup(a_device_of_several_types_is_only_selected_by_name, setup),
        cmocka_unit_test_setup(names_match_in_part_and_without_letter_case, setup),
        cmocka_unit_test_setup(pocl_means_only_its_platform, setup),
        cmocka_unit_test_setup(a_number_after_a_name_counts_its_devices_from_zero, setup),
        cmocka_unit_test_setup(platform_and_device_are_selected_by_number, setup),
        cmocka_unit_test_setup(a_pci_address_may_be_shortened, setup),
        cmocka_unit_test_setup(commas_give_an_order_of_preference, setup),
        cmocka_unit_test_setup(an_unusable_device_is_skipped_or_named, setup),
        cmocka_unit_test_setup(a_text_that_matches_nothing_lists_the_devices, setup),
        cmocka_unit_test_setup(a_list_that_is_too_long_ends_with_how_many_more_there_are, setup),
        cmocka_unit_test_setup(an_empty_list_says_what_to_install, setup),
        cmocka_unit_test_setup(long_and_strange_texts_are_safe, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
