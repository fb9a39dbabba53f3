/* cmd_devices.c: sparcl devices: lists every platform and device of the OpenCL loader. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "options.h"
#include "output.h"
#include "pocl_cache.h"
#include "sparcl/device.h"

static struct { int json; } given;

/* ---- what to show --------------------------------------------------------------------------- */

static const char *types_text(char text[NUMBER_BYTES], const sparcl_device *device) {
    snprintf(text, NUMBER_BYTES, "%s%s%s", device->types & SPARCL_TYPE_GPU ? "gpu " : "",
             device->types & SPARCL_TYPE_CPU ? "cpu " : "",
             device->types & SPARCL_TYPE_OTHER ? "other " : "");
    const size_t length = strlen(text);
    if (length > 0) text[length - 1] = '\0';
    return text;
}

static const char *class_text(const sparcl_device *device) {
    return device->device_class == SPARCL_CLASS_GPU ? "gpu" : "cpu";
}

static int usable_count(const sparcl_device_list *list) {
    int count = 0;
    for (int i = 0; i < list->device_count; i++)
        count += list->devices[i].usable != 0;
    return count;
}

/* The device of a command without --device: its position in the list, or -1. */
static int default_device(const sparcl_device_list *list) {
    sparcl_error ignored;
    int index = -1;
    return sparcl_device_select(list, getenv("SPARCL_DEVICE"), &index, NULL, &ignored) == SPARCL_OK
               ? index
               : -1;
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static json_t *device_to_json(const sparcl_device *d) {
    char select[NUMBER_BYTES], types[NUMBER_BYTES];
    snprintf(select, sizeof select, "%d:%d", d->platform, d->number);
    json_t *const object =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "select", select, "name", d->name,
                  "vendor", d->vendor, "types", types_text(types, d), "device_class", class_text(d),
                  "driver", d->driver, "version", d->version, "c_version", d->c_version);
    json_t *const numbers =
        json_pack("{s:I, s:I, s:I, s:I, s:I, s:i}", "units", (json_int_t)d->units, "memory",
                  (json_int_t)d->memory, "max_allocation", (json_int_t)d->max_allocation,
                  "local_memory", (json_int_t)d->local_memory, "max_group",
                  (json_int_t)d->max_group, "float_width", d->float_width);
    json_t *const features =
        json_pack("{s:b, s:b, s:b, s:b, s:b, s:b, s:s, s:b, s:s}", "f64", d->has_f64, "f16",
                  d->has_f16, "sub_groups", d->has_sub_groups, "host_unified", d->host_unified,
                  "denormals", d->has_denormals, "rounded_divide", d->has_rounded_divide, "pci",
                  d->pci, "usable", d->usable, "why_not", d->why_not);
    json_object_update(object, numbers);
    json_object_update(object, features);
    json_decref(numbers);
    json_decref(features);
    return object;
}

static json_t *platform_to_json(const sparcl_device_list *list, int number) {
    const sparcl_platform *const p = &list->platforms[number];
    json_t *const devices = json_array();
    for (int i = 0; i < list->device_count; i++) {
        if (list->devices[i].platform == number)
            json_array_append_new(devices, device_to_json(&list->devices[i]));
    }
    return json_pack("{s:i, s:s, s:s, s:s, s:s, s:o}", "number", number, "name", p->name, "vendor",
                     p->vendor, "version", p->version, "note", p->note, "devices", devices);
}

static json_t *list_to_json(const sparcl_device_list *list) {
    char chosen[NUMBER_BYTES] = "";
    const int best = default_device(list);
    if (best >= 0)
        snprintf(chosen, sizeof chosen, "%d:%d", list->devices[best].platform,
                 list->devices[best].number);
    json_t *const platforms = json_array();
    for (int i = 0; i < list->platform_count; i++)
        json_array_append_new(platforms, platform_to_json(list, i));
    return json_pack("{s:i, s:s?, s:o}", "usable", usable_count(list), "default",
                     best >= 0 ? chosen : NULL, "platforms", platforms);
}

/* ---- the table ------------------------------------------------------------------------------ */

static void add_device(struct libscols_table *table, struct libscols_line *platform,
                       const sparcl_device *d, int is_default) {
    char select[NUMBER_BYTES], types[NUMBER_BYTES], units[NUMBER_BYTES], memory[NUMBER_BYTES],
        largest[NUMBER_BYTES];
    snprintf(select, sizeof select, "%d:%d%s", d->platform, d->number, is_default ? " *" : "");
    snprintf(units, sizeof units, "%" PRId64, d->units);
    const char *const cells[] = {
        d->name,
        select,
        types_text(types, d),
        class_text(d),
        units,
        format_bytes(memory, d->memory),
        format_bytes(largest, d->max_allocation),
        d->has_f64 ? "yes" : "no",
        d->has_f16 ? "yes" : "no",
        d->has_sub_groups ? "yes" : "no",
        d->pci[0] ? d->pci : "-",
        d->driver,
        d->usable ? "yes" : "no",
    };
    table_add(table, platform, cells);
}

static exit_code print_list(const sparcl_device_list *list) {
    static const char *const names[] = {"+PLATFORM / DEVICE",
                                        "SELECT",
                                        "TYPE",
                                        "KERNELS",
                                        ">UNITS",
                                        ">MEMORY",
                                        ">LARGEST BUFFER",
                                        "FP64",
                                        "FP16",
                                        "SUBGROUPS",
                                        "PCI",
                                        "DRIVER",
                                        "USABLE",
                                        NULL};
    if (list->platform_count == 0) return EXIT_OK;
    struct libscols_table *const table = table_new(names);
    const int best = default_device(list);
    for (int p = 0; p < list->platform_count; p++) {
        const char *const heading[13] = {list->platforms[p].name};
        struct libscols_line *const line = table_add(table, NULL, heading);
        for (int i = 0; line && i < list->device_count; i++) {
            if (list->devices[i].platform == p)
                add_device(table, line, &list->devices[i], i == best);
        }
    }
    const exit_code code = table_print(table);
    if (best >= 0) puts("* the default device");
    return code;
}

/* ---- what is missing ------------------------------------------------------------------------ */

static exit_code print_problems(const sparcl_device_list *list) {
    char why[900];
    for (int p = 0; p < list->platform_count; p++) {
        if (list->platforms[p].note[0])
            print_note("%s: %s", list->platforms[p].name, list->platforms[p].note);
        else if (list->platforms[p].devices == 0)
            print_note("%s: this platform has no device", list->platforms[p].name);
    }
    for (int i = 0; i < list->device_count; i++) {
        const sparcl_device *const d = &list->devices[i];
        if (!d->usable) print_note("%d:%d %s: %s", d->platform, d->number, d->name, d->why_not);
    }
    if (pocl_cache_is_why(list, why, sizeof why)) print_note("%s", why);
    if (usable_count(list) > 0) return EXIT_OK;
    if (list->platform_count == 0)
        print_error("no OpenCL platform is installed");
    else if (list->device_count == 0)
        print_error("no installed OpenCL platform has a device");
    else
        print_error("none of the OpenCL devices is usable");
    print_remedy("install an OpenCL implementation, such as the package pocl-opencl-icd for CPUs");
    return EXIT_DEVICE;
}

static exit_code run(int operand_count, const char *const *operands) {
    (void)operand_count, (void)operands;
    sparcl_device_list list = {0};
    sparcl_error error = {0};
    if (sparcl_device_list_get(&list, NULL, &error) != SPARCL_OK) return report(&error);
    exit_code code = given.json ? print_object(list_to_json(&list), true) : print_list(&list);
    if (code == EXIT_OK) code = flush_results();
    const exit_code problem = print_problems(&list);
    sparcl_device_list_free(&list);
    return code != EXIT_OK ? code : problem;
}

static const char *const examples[] = {
    "which devices are usable, and which is the default?",
    "sparcl devices",
    "use one of them",
    "sparcl train train.svm --device 0:0 -o model.safetensors",
    NULL,
};

static const tool_option options[] = {
    OPTION_JSON(given.json),
    {0},
};

static const json_key keys[] = {
    {"usable", "number of usable devices"},
    {"default", "the default device, as \"0:0\", or null"},
    {"platforms", "list: number, name, vendor, version, note, devices"},
    {"  devices", "list: select, name, vendor, types, device_class, driver, version,"},
    {"", "c_version, units, memory, max_allocation, local_memory (bytes),"},
    {"", "max_group, float_width, f64, f16, sub_groups, host_unified,"},
    {"", "denormals, rounded_divide, pci, usable, why_not"},
    {0},
};

extern const tool_command command_devices;
const tool_command command_devices = {
    .name = "devices",
    .summary = "list the OpenCL platforms and devices",
    .operands = "[--json]",
    .examples = examples,
    .options = options,
    .keys = keys,
    .notes = "Exits with 3 when no device is usable.",
    .run = run,
};
