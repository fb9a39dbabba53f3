/* list.c: the platforms and devices of the ICD loader. */
#include "device/list.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/macros.h"
#include "base/memory.h"
#include "device/codes.h"
#include "device/opening.h"

/* Not in the OpenCL 1.2 headers. */
#define DEVICE_MAX_NUM_SUB_GROUPS 0x105C
#define DEVICE_PCI_BUS_INFO_KHR   0x410F
#define DEVICE_PCI_BUS_ID_NV      0x4008
#define DEVICE_PCI_SLOT_ID_NV     0x4009
#define PLATFORM_NOT_FOUND_KHR    (-1001)

static void device_text(cl_device_id id, cl_device_info what, char *text, size_t size) {
    char long_text[4096] = "";
    text[0] = 0;
    if (clGetDeviceInfo(id, what, sizeof long_text - 1, long_text, NULL) != CL_SUCCESS) return;
    const char *start = long_text + strspn(long_text, " ");
    snprintf(text, size, "%s", start);
    for (size_t n = strlen(text); n > 0 && text[n - 1] == ' '; --n)
        text[n - 1] = 0;
}

static int64_t device_number(cl_device_id id, cl_device_info what, size_t size) {
    union {
        cl_uint u32;
        cl_ulong u64;
        size_t size;
    } value = {.u64 = 0};
    if (clGetDeviceInfo(id, what, size, &value, NULL) != CL_SUCCESS) return 0;
    const uint64_t n = size == sizeof(cl_uint) ? value.u32 : value.u64;
    return n > INT64_MAX ? INT64_MAX : (int64_t)n;
}

static int64_t device_u32(cl_device_id id, cl_device_info what) {
    return device_number(id, what, sizeof(cl_uint));
}

static int64_t device_u64(cl_device_id id, cl_device_info what) {
    return device_number(id, what, sizeof(cl_ulong));
}

static bool has_extension(cl_device_id id, const char *name) {
    char list[16384] = "";
    if (clGetDeviceInfo(id, CL_DEVICE_EXTENSIONS, sizeof list - 1, list, NULL) != CL_SUCCESS)
        return false;
    const size_t n = strlen(name);
    for (const char *at = list; (at = strstr(at, name)); at += n) {
        const bool starts = at == list || at[-1] == ' ';
        if (starts && (at[n] == ' ' || at[n] == 0)) return true;
    }
    return false;
}

static void find_pci(cl_device_id id, char *pci, size_t size) {
    pci[0] = 0;
    if (has_extension(id, "cl_khr_pci_bus_info")) {
        struct {
            cl_uint domain, bus, device, function;
        } at = {0};
        if (clGetDeviceInfo(id, DEVICE_PCI_BUS_INFO_KHR, sizeof at, &at, NULL) == CL_SUCCESS)
            snprintf(pci, size, "%04x:%02x:%02x.%x", at.domain & 0xffffu, at.bus & 0xffu,
                     at.device & 0xffu, at.function & 0xfu);
    } else if (has_extension(id, "cl_nv_device_attribute_query")) {
        cl_uint bus = 0, slot = 0;
        if (clGetDeviceInfo(id, DEVICE_PCI_BUS_ID_NV, sizeof bus, &bus, NULL) == CL_SUCCESS &&
            clGetDeviceInfo(id, DEVICE_PCI_SLOT_ID_NV, sizeof slot, &slot, NULL) == CL_SUCCESS)
            snprintf(pci, size, "0000:%02x:%02x.%x", bus & 0xffu, (slot >> 3) & 0x1fu, slot & 7u);
    }
}

static uint32_t find_types(cl_device_id id) {
    cl_device_type type = 0;
    if (clGetDeviceInfo(id, CL_DEVICE_TYPE, sizeof type, &type, NULL) != CL_SUCCESS) return 0;
    const cl_device_type other = CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM;
    return (type & CL_DEVICE_TYPE_CPU ? SPARCL_TYPE_CPU : 0u) |
           (type & CL_DEVICE_TYPE_GPU ? SPARCL_TYPE_GPU : 0u) |
           (type & other ? SPARCL_TYPE_OTHER : 0u);
}

/* Many lanes with local memory, or few wide cores? Kernels for lanes need work-groups. */
static sparcl_class find_class(const sparcl_device *device) {
    const bool lanes = !(device->types & SPARCL_TYPE_CPU) && device->max_group >= 128;
    return lanes ? SPARCL_CLASS_GPU : SPARCL_CLASS_CPU;
}

static bool has_sub_groups(cl_device_id id, const char *version) {
    int major = 0, minor = 0;
    if (has_extension(id, "cl_khr_subgroups")) return true;
    if (sscanf(version, "OpenCL %d.%d", &major, &minor) != 2 || major * 10 + minor < 21)
        return false;
    return device_u32(id, DEVICE_MAX_NUM_SUB_GROUPS) > 0;
}

static const char *find_obstacle(cl_device_id id, const sparcl_device *device) {
    int major = 0, minor = 0;
    if (!device_u32(id, CL_DEVICE_AVAILABLE)) return "the driver reports that it is not available";
    if (!device_u32(id, CL_DEVICE_COMPILER_AVAILABLE)) return "it has no kernel compiler";
    if (!device_u32(id, CL_DEVICE_ENDIAN_LITTLE)) return "it is big-endian";
    if (sscanf(device->version, "OpenCL %d.%d", &major, &minor) != 2 || major * 10 + minor < 12)
        return "it does not support OpenCL 1.2";
    if (device->units <= 0) return "it reports no compute unit";
    if (device->max_allocation <= 0) return "it reports no memory";
    return NULL;
}

void spc_device_describe(cl_device_id id, int platform, int number, sparcl_device *device) {
    memset(device, 0, sizeof *device);
    device->platform = platform;
    device->number = number;
    device_text(id, CL_DEVICE_NAME, device->name, sizeof device->name);
    device_text(id, CL_DEVICE_VENDOR, device->vendor, sizeof device->vendor);
    device_text(id, CL_DRIVER_VERSION, device->driver, sizeof device->driver);
    device_text(id, CL_DEVICE_VERSION, device->version, sizeof device->version);
    device_text(id, CL_DEVICE_OPENCL_C_VERSION, device->c_version, sizeof device->c_version);
    device->types = find_types(id);
    device->units = device_u32(id, CL_DEVICE_MAX_COMPUTE_UNITS);
    device->memory = device_u64(id, CL_DEVICE_GLOBAL_MEM_SIZE);
    device->max_allocation = device_u64(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    device->local_memory = device_u64(id, CL_DEVICE_LOCAL_MEM_SIZE);
    device->max_group = device_number(id, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(size_t));
    device->has_f64 = device_u64(id, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
    device->has_f16 = has_extension(id, "cl_khr_fp16");
    device->has_sub_groups = has_sub_groups(id, device->version);
    device->host_unified = device_u32(id, CL_DEVICE_HOST_UNIFIED_MEMORY) != 0;
    const int64_t single = device_u64(id, CL_DEVICE_SINGLE_FP_CONFIG);
    device->has_denormals = (single & CL_FP_DENORM) != 0;
    device->has_rounded_divide = (single & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
    device->float_width = (int)device_u32(id, CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT);
    find_pci(id, device->pci, sizeof device->pci);
    device->device_class = find_class(device);
    const char *obstacle = find_obstacle(id, device);
    device->usable = obstacle == NULL;
    snprintf(device->why_not, sizeof device->why_not, "%s", obstacle ? obstacle : "");
}

bool spc_device_has_short_loops(const sparcl_device *device) {
    return strncmp(device->name, "llvmpipe", 8) == 0;
}

static void platform_text(cl_platform_id id, cl_platform_info what, char *text, size_t size) {
    char long_text[4096] = "";
    clGetPlatformInfo(id, what, sizeof long_text - 1, long_text, NULL);
    snprintf(text, size, "%s", long_text);
}

void spc_platform_describe(cl_platform_id id, sparcl_platform *platform) {
    cl_uint devices = 0;
    memset(platform, 0, sizeof *platform);
    platform_text(id, CL_PLATFORM_NAME, platform->name, sizeof platform->name);
    platform_text(id, CL_PLATFORM_VENDOR, platform->vendor, sizeof platform->vendor);
    platform_text(id, CL_PLATFORM_VERSION, platform->version, sizeof platform->version);
    const cl_int code = clGetDeviceIDs(id, CL_DEVICE_TYPE_ALL, 0, NULL, &devices);
    platform->devices = code == CL_SUCCESS ? (int)devices : 0;
    if (code != CL_SUCCESS && code != CL_DEVICE_NOT_FOUND)
        snprintf(platform->note, sizeof platform->note, "querying its devices failed: %s",
                 spc_cl_name(code));
    else if (platform->devices == 0)
        snprintf(platform->note, sizeof platform->note, "%s",
                 strcmp(platform->name, "rusticl") == 0
                     ? "it has no device; rusticl offers one when RUSTICL_ENABLE names a driver, "
                       "such as llvmpipe"
                     : "it has no device");
}

static sparcl_status list_devices(sparcl_device_list *list, const cl_platform_id *ids,
                                  sparcl_error *error) {
    for (int p = 0; p < list->platform_count; ++p) {
        cl_device_id found[256];
        cl_uint n = (cl_uint)list->platforms[p].devices;
        if (n == 0) continue;
        if (n > SPC_COUNT(found)) n = (cl_uint)SPC_COUNT(found);
        const cl_int code = clGetDeviceIDs(ids[p], CL_DEVICE_TYPE_ALL, n, found, NULL);
        if (code != CL_SUCCESS) return spc_fail_cl(error, code, list->platforms[p].name);
        for (cl_uint d = 0; d < n; ++d)
            spc_device_describe(found[d], p, (int)d, &list->devices[list->device_count++]);
    }
    return SPARCL_OK;
}

static sparcl_status find_devices(sparcl_device_list *list, sparcl_error *error) {
    cl_platform_id ids[64];
    cl_uint count = 0;
    cl_int code = clGetPlatformIDs(0, NULL, &count);
    if (code == PLATFORM_NOT_FOUND_KHR || (code == CL_SUCCESS && count == 0)) return SPARCL_OK;
    if (count > SPC_COUNT(ids)) count = (cl_uint)SPC_COUNT(ids);
    if (code == CL_SUCCESS) code = clGetPlatformIDs(count, ids, NULL);
    if (code != CL_SUCCESS) return spc_fail_cl(error, code, "list of platforms");
    list->platforms = spc_alloc_zero(&list->allocator, count, sizeof *list->platforms);
    if (!list->platforms)
        return spc_fail_memory(error, "device list", count * sizeof *list->platforms);
    list->platform_count = (int)count;
    size_t devices = 0;
    for (cl_uint p = 0; p < count; ++p) {
        spc_platform_describe(ids[p], &list->platforms[p]);
        devices += (size_t)list->platforms[p].devices;
    }
    sparcl_status status = SPARCL_OK;
    if (devices > 0) {
        list->devices = spc_alloc_zero(&list->allocator, devices, sizeof *list->devices);
        status = list->devices
                     ? list_devices(list, ids, error)
                     : spc_fail_memory(error, "device list", devices * sizeof *list->devices);
    }
    return status;
}

sparcl_status sparcl_device_list_get(sparcl_device_list *list, const sparcl_allocator *allocator,
                                     sparcl_error *error) {
    if (!list) return spc_fail(error, SPARCL_E_ARG, "device list: list is NULL");
    memset(list, 0, sizeof *list);
    if (allocator) list->allocator = *allocator;
    spc_opening_begin();
    const sparcl_status status = find_devices(list, error);
    spc_opening_end();
    if (status != SPARCL_OK) sparcl_device_list_free(list);
    return status;
}

void sparcl_device_list_free(sparcl_device_list *list) {
    if (!list) return;
    size_t devices = 0;
    for (int p = 0; p < list->platform_count; ++p)
        devices += (size_t)list->platforms[p].devices;
    spc_free(&list->allocator, list->devices, devices * sizeof *list->devices);
    spc_free(&list->allocator, list->platforms,
             (size_t)list->platform_count * sizeof *list->platforms);
    const sparcl_allocator allocator = list->allocator;
    memset(list, 0, sizeof *list);
    list->allocator = allocator;
}
