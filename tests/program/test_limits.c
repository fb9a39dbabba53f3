/* test_limits.c: the kernels for many lanes fit every GPU: at most 32 KiB of local memory and 256
 * work-items a group, which are the least limits of the GPUs of AMD, Intel and NVIDIA. */
#include "device_test.h"

#include "device/ctx_impl.h"
#include "program/build.h"
#include "program/build_options.h"

#define MAX_LOCAL 32768
#define MAX_GROUP 256

/* A context with the kernels for many lanes, and the programs that it has built. */
typedef struct fixture {
    sparcl_ctx *ctx;
    char built[65536]; /* the stems, each after a blank */
    int kernels, with_local_memory;
} fixture;

static void remember(void *user, sparcl_log_level level, const char *message) {
    fixture *f = user;
    char stem[100] = "";
    (void)level;
    if (sscanf(message, "built %98s", stem) != 1) return;
    const size_t used = strlen(f->built);
    snprintf(f->built + used, sizeof f->built - used, " %s", stem);
}

static int setup(void **state) {
    fixture *f = calloc(1, sizeof *f);
    sparcl_ctx_desc desc = test_desc();
    sparcl_error error;
    desc.device_class = SPARCL_CLASS_GPU;
    desc.cache_dir = NULL;
    desc.log = remember;
    desc.log_user = f;
    if (sparcl_ctx_open(&f->ctx, &desc, &error) != SPARCL_OK) fail_msg("%s", error.message);
    *state = f;
    return 0;
}

static int teardown(void **state) {
    fixture *f = *state;
    sparcl_ctx_close(f->ctx);
    free(f);
    return 0;
}

static void check_kernel(fixture *f, cl_kernel kernel, const char *stem, uint32_t options) {
    char name[100] = "";
    cl_ulong local = 0;
    size_t group[3] = {0};
    assert_int_equal(clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL),
                     CL_SUCCESS);
    assert_int_equal(clGetKernelWorkGroupInfo(kernel, f->ctx->cl_device, CL_KERNEL_LOCAL_MEM_SIZE,
                                              sizeof local, &local, NULL),
                     CL_SUCCESS);
    assert_int_equal(clGetKernelWorkGroupInfo(kernel, f->ctx->cl_device,
                                              CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof group,
                                              group, NULL),
                     CL_SUCCESS);
    if (local > MAX_LOCAL)
        fail_msg("kernel %s of %s, options 0x%x: expected at most %d bytes of local memory, found "
                 "%llu",
                 name, stem, options, MAX_LOCAL, (unsigned long long)local);
    /* A group of another size cannot be launched. */
    if (group[0] < 1 || group[0] > MAX_GROUP || group[1] != 1 || group[2] != 1)
        fail_msg("kernel %s of %s, options 0x%x: expected a required group of 1 to %d work-items, "
                 "found %zu x %zu x %zu",
                 name, stem, options, MAX_GROUP, group[0], group[1], group[2]);
    ++f->kernels;
    f->with_local_memory += local > 0;
}

/* All kernels of a program that is built here, apart from those that the context keeps. There are
 * none where all are for wide cores. */
static void check_program(fixture *f, const char *stem, uint32_t options) {
    enum { MOST = 64 };
    cl_program program = NULL;
    cl_kernel kernels[MOST];
    cl_uint count = 0;
    const sparcl_status status = spc_build(f->ctx, stem, options, &program);
    if (status != SPARCL_OK)
        fail_msg("%s, options 0x%x: %s", stem, options, sparcl_ctx_error(f->ctx)->message);
    assert_int_equal(clCreateKernelsInProgram(program, MOST, kernels, &count), CL_SUCCESS);
    for (cl_uint k = 0; k < count; ++k) {
        check_kernel(f, kernels[k], stem, options);
        clReleaseKernel(kernels[k]);
    }
    clReleaseProgram(program);
}

/* Local arrays are of REAL, INDEX, OFFSET and the types of a pair: they are largest where these
 * have 8 bytes. */
static void every_kernel_fits_the_limits_of_all_gpus(void **state) {
    fixture *f = *state;
    char stems[sizeof f->built];
    const sparcl_dtype real = sparcl_ctx_device(f->ctx)->has_f64 ? SPARCL_F64 : SPARCL_F32;
    const uint32_t wide = spc_options(real, SPARCL_INDEX64, SPARCL_INDEX64) | SPC_VALUE64;
    const uint32_t pair = spc_pair_options(SPARCL_INT64, SPARCL_INT64) | SPC_VALUE64;
    assert_ok(f->ctx, sparcl_ctx_build_all(f->ctx, NULL, NULL));
    strcpy(stems, f->built);
    for (char *stem = strtok(stems, " "); stem; stem = strtok(NULL, " ")) {
        check_program(f, stem, 0);
        check_program(f, stem, wide);
        check_program(f, stem, wide | SPC_VARIANT);
        if (strstr(stem, "copy")) check_program(f, stem, pair);
    }
    assert_true(f->kernels > 1000);
    assert_true(f->with_local_memory > 400);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_kernel_fits_the_limits_of_all_gpus, setup, teardown),
    };
    sparcl_ctx_close(test_open()); /* skipped without a device */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
