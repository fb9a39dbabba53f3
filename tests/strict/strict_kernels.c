/* strict_kernels.c: arguments of kernels, and launches. */
#include "layer_strict.h"

#include <stdlib.h>
#include <string.h>

static cl_uint count_arguments(cl_kernel kernel) {
    cl_uint count = 0;
    strict_next->clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL);
    return count;
}

static cl_context context_of(cl_kernel kernel) {
    cl_context context = NULL;
    strict_next->clGetKernelInfo(kernel, CL_KERNEL_CONTEXT, sizeof context, &context, NULL);
    return context;
}

/* Bytes of a value of this type, as of "float" or "int4"; 0: of a type that is not built in. */
static size_t size_of_type(const char *name) {
    static const struct {
        const char *name;
        size_t size;
    } types[] = {{"char", 1}, {"uchar", 1}, {"short", 2}, {"ushort", 2}, {"half", 2},  {"int", 4},
                 {"uint", 4}, {"float", 4}, {"long", 8},  {"ulong", 8},  {"double", 8}};
    for (size_t i = 0; i < sizeof types / sizeof *types; ++i) {
        const size_t n = strlen(types[i].name);
        if (strncmp(name, types[i].name, n) != 0) continue;
        if (!name[n]) return types[i].size;
        const size_t width = strtoul(name + n, NULL, 10);
        if (width > 0) return types[i].size * (width == 3 ? 4 : width);
    }
    return 0;
}

/* Programs are built so that the driver can say what an argument is (strict_make.c); of a binary it
 * may not. */
static cl_int check_value(const char *call, cl_kernel kernel, cl_uint at, size_t size,
                          const void *value) {
    cl_kernel_arg_address_qualifier space = 0;
    char type[256] = "";
    if (strict_next->clGetKernelArgInfo(kernel, at, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space,
                                        &space, NULL) != CL_SUCCESS)
        return CL_SUCCESS;
    if (space == CL_KERNEL_ARG_ADDRESS_LOCAL) {
        REQUIRE(CL_INVALID_ARG_VALUE, !value);
        REQUIRE(CL_INVALID_ARG_SIZE, size > 0);
    } else if (space == CL_KERNEL_ARG_ADDRESS_PRIVATE) {
        strict_next->clGetKernelArgInfo(kernel, at, CL_KERNEL_ARG_TYPE_NAME, sizeof type - 1, type,
                                        NULL);
        const size_t expected = size_of_type(type);
        REQUIRE(CL_INVALID_ARG_VALUE, value);
        REQUIRE(CL_INVALID_ARG_SIZE, expected == 0 || size == expected);
    } else {
        REQUIRE(CL_INVALID_ARG_SIZE, size == sizeof(cl_mem));
        cl_mem memory = value ? *(const cl_mem *)value : NULL;
        REQUIRE(CL_INVALID_MEM_OBJECT, !memory || strict_lives(STRICT_MEMORY, memory));
    }
    return CL_SUCCESS;
}

/* Where the driver does not say what the argument is, the handle of a buffer counts as one. */
static void remember(cl_kernel kernel, cl_uint at, size_t size, const void *value) {
    cl_mem memory = NULL;
    if (value && size == sizeof memory) memcpy(&memory, value, sizeof memory);
    strict_set_argument(kernel, at, strict_lives(STRICT_MEMORY, memory) ? memory : NULL);
}

CHECKED_THEN(remember(it, at, size, value), clSetKernelArg,
             (cl_kernel it, cl_uint at, size_t size, const void *value), (it, at, size, value)) {
    REQUIRE(CL_INVALID_KERNEL, strict_lives(STRICT_KERNEL, it));
    REQUIRE(CL_INVALID_ARG_INDEX, at < count_arguments(it));
    return check_value(call, it, at, size, value);
}

static cl_int check_arguments(const char *call, cl_command_queue queue, cl_kernel kernel) {
    const cl_uint count = count_arguments(kernel);
    for (cl_uint i = 0; i < count; ++i) {
        REQUIRE(CL_INVALID_KERNEL_ARGS, strict_is_set(kernel, i));
        cl_mem memory = strict_buffer_argument(kernel, i);
        if (memory) TRY(strict_check_memory(call, queue, memory));
    }
    return CL_SUCCESS;
}

static cl_int check_global(const char *call, cl_device_id device, cl_uint rank,
                           const size_t *offset, const size_t *global) {
    const cl_ulong bits = strict_number(device, CL_DEVICE_ADDRESS_BITS);
    const cl_ulong largest = bits < 64 ? (1ull << bits) - 1 : UINT64_MAX;
    REQUIRE(CL_INVALID_WORK_DIMENSION,
            rank > 0 && rank <= strict_number(device, CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS));
    REQUIRE(CL_INVALID_GLOBAL_WORK_SIZE, global);
    for (cl_uint d = 0; d < rank; ++d) {
        REQUIRE(CL_INVALID_GLOBAL_WORK_SIZE, global[d] > 0 && global[d] <= largest);
        REQUIRE(CL_INVALID_GLOBAL_OFFSET, !offset || offset[d] <= largest - global[d]);
    }
    return CL_SUCCESS;
}

/* Work-groups are all of one size in OpenCL 1.2. For a size that the kernel requires, the build has
 * answered; CL_KERNEL_WORK_GROUP_SIZE is that of a sub-group in rusticl of Mesa 22, which runs it.
 */
static cl_int check_local(const char *call, cl_kernel kernel, cl_device_id device, cl_uint rank,
                          const size_t *global, const size_t *local) {
    size_t most[16] = {0}, required[3] = {0}, group = 0, items = 1;
    cl_ulong memory = 0;
    strict_next->clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof most, most, NULL);
#define OF_KERNEL(what, value)                                                                     \
    strict_next->clGetKernelWorkGroupInfo(kernel, device, what, sizeof(value), &(value), NULL)
    OF_KERNEL(CL_KERNEL_WORK_GROUP_SIZE, group);
    OF_KERNEL(CL_KERNEL_COMPILE_WORK_GROUP_SIZE, required);
    OF_KERNEL(CL_KERNEL_LOCAL_MEM_SIZE, memory);
#undef OF_KERNEL
    REQUIRE(CL_OUT_OF_RESOURCES, memory <= strict_number(device, CL_DEVICE_LOCAL_MEM_SIZE));
    REQUIRE(CL_INVALID_WORK_GROUP_SIZE, local || required[0] == 0);
    for (cl_uint d = 0; local && d < rank; ++d) {
        REQUIRE(CL_INVALID_WORK_GROUP_SIZE, local[d] > 0 && global[d] % local[d] == 0);
        REQUIRE(CL_INVALID_WORK_GROUP_SIZE, required[0] == 0 || local[d] == required[d]);
        REQUIRE(CL_INVALID_WORK_ITEM_SIZE, local[d] <= most[d]);
        items *= local[d];
    }
    REQUIRE(CL_INVALID_WORK_GROUP_SIZE, required[0] > 0 || items <= group);
    return CL_SUCCESS;
}

CHECKED_COMMAND(clEnqueueNDRangeKernel,
                (cl_command_queue q, cl_kernel kernel, cl_uint rank, const size_t *offset,
                 const size_t *global, const size_t *local, WAITS),
                (q, kernel, rank, offset, global, local, waits, wait, event)) {
    TRY(strict_check_queue(call, q, waits, wait));
    REQUIRE(CL_INVALID_KERNEL, strict_lives(STRICT_KERNEL, kernel));
    REQUIRE(CL_INVALID_CONTEXT, context_of(kernel) == strict_context_of(q));
    TRY(check_arguments(call, q, kernel));
    cl_device_id device = strict_device_of(q);
    TRY(check_global(call, device, rank, offset, global));
    return check_local(call, kernel, device, rank, global, local);
}

void strict_take_kernels(cl_icd_dispatch *table) {
    table->clSetKernelArg = layer_clSetKernelArg;
    table->clEnqueueNDRangeKernel = layer_clEnqueueNDRangeKernel;
}
