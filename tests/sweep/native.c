/* native.c: linked into the sweep in front of spc_launch: the kernels for CPUs run as host code
 * that clang has compiled under AddressSanitizer and UndefinedBehaviorSanitizer, on copies of the
 * buffers that have exactly their sizes. What OpenCL device there is only keeps the buffers. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/ctx_impl.h"
#include "launch/launch.h"
#include "program/source.h"
#include "sparcl/opencl.h"

enum { MAX_ARGS = 64, MAX_PROGRAMS = 1000 };

sparcl_status __wrap_spc_launch(sparcl_ctx *ctx, const char *stem, uint32_t options,
                                const char *kernel, spc_range range, const spc_arg *args,
                                size_t count);
__attribute__((visibility("default"))) size_t native_item_now(void);
__attribute__((visibility("default"))) size_t native_items_now(void);

static size_t item, items;

size_t native_item_now(void) {
    return item;
}
size_t native_items_now(void) {
    return items;
}

static void need(bool good, const char *what, const char *which) {
    if (good) return;
    fprintf(stderr, "native: %s: %s\n", what, which);
    _exit(1);
}

/* What was compiled stays until the end: reports take names and lines from it. */
static char folder[] = "/tmp/sparcl_native_XXXXXX";

static void remove_folder(void) {
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    if (system(command) != 0) fprintf(stderr, "native: %s stays\n", folder);
}

/* prelude.cl and the files of "a+b", compiled; -O1 would take five times as long. A buffer of no
 * element is NULL, and kernels add an offset of 0 to it: that is no finding. */
static void *compile(const char *stem, uint32_t options) {
    static int number;
    char command[4096], parts[256], files[1024] = "";
    char types[64];
    if (number++ == 0) need(mkdtemp(folder) && atexit(remove_folder) == 0, "no folder", folder);
    spc_source_types(options, types, sizeof types);
    snprintf(parts, sizeof parts, "%s%s",
             spc_state_type(options)          ? "halves+philox+half_states+"
             : options & (SPC_F16 | SPC_BF16) ? "halves+"
                                              : "",
             stem);
    for (char *part = strtok(parts, "+"); part; part = strtok(NULL, "+")) {
        const size_t used = strlen(files);
        snprintf(files + used, sizeof files - used, " -include %s/%s.cl", NATIVE_KERNEL_DIR, part);
    }
    snprintf(
        command, sizeof command,
        "%s -x cl -cl-std=CL1.2 -Xclang -finclude-default-header -ffp-contract=off -O0 -g -w "
        "-shared -fPIC -fsanitize=address,undefined -fno-sanitize-recover=undefined "
        "-fno-sanitize=pointer-overflow -DSPC_GPU=0 -DSPC_HINTS=1 -DSPC_F64=%d -DSPC_INDEX64=%d "
        "-DSPC_OFFSET64=%d -DSPC_VALUE64=%d -DSPC_VARIANT=%d -DSPC_OWN_DIVIDE=%d %s"
        "-include %s -include %s/prelude.cl%s /dev/null -o %s/%d.so",
        NATIVE_CLANG, (options & SPC_F64) != 0, (options & SPC_INDEX64) != 0,
        (options & SPC_OFFSET64) != 0, (options & SPC_VALUE64) != 0, (options & SPC_VARIANT) != 0,
        (options & SPC_OWN) != 0, types, NATIVE_SHIM, NATIVE_KERNEL_DIR, files, folder, number);
    need(system(command) == 0, "does not compile", command);
    snprintf(command, sizeof command, "%s/%d.so", folder, number);
    void *library = dlopen(command, RTLD_NOW);
    need(library != NULL, "does not load", library ? "" : dlerror());
    return library;
}

static void *find_kernel(const char *stem, uint32_t options, const char *kernel) {
    static struct {
        char stem[96];
        uint32_t options;
        void *library;
    } programs[MAX_PROGRAMS];
    static int n;
    int i = 0;
    while (i < n && (programs[i].options != options || strcmp(programs[i].stem, stem) != 0))
        ++i;
    need(i < MAX_PROGRAMS, "too many programs", stem);
    if (i == n) {
        ++n;
        snprintf(programs[i].stem, sizeof programs[i].stem, "%s", stem);
        programs[i].options = options;
        programs[i].library = compile(stem, options);
    }
    void *found = dlsym(programs[i].library, kernel);
    need(found != NULL, "no such kernel", kernel);
    return found;
}

/* A copy of a buffer; the same one where a buffer is given twice. */
typedef struct copy {
    cl_mem memory;
    void *bytes;
    size_t size;
    bool written;
} copy;

static void *copy_in(sparcl_ctx *ctx, const spc_arg *arg, copy *copies, int *n) {
    const sparcl_buf *buf = arg->kind == SPC_ARG_IN ? arg->as.in : arg->as.out;
    int i = 0;
    if (!buf) return NULL;
    while (i < *n && copies[i].memory != buf->memory)
        ++i;
    if (i == *n) {
        ++*n;
        copies[i] = (copy){.memory = buf->memory, .size = (size_t)buf->bytes};
        copies[i].bytes = malloc(copies[i].size);
        need(copies[i].size == 0 ||
                 (copies[i].bytes &&
                  clEnqueueReadBuffer(ctx->cl_queue, buf->memory, CL_TRUE, 0, copies[i].size,
                                      copies[i].bytes, 0, NULL, NULL) == CL_SUCCESS),
             "no copy of a buffer", "");
    }
    copies[i].written |= arg->kind == SPC_ARG_OUT;
    return copies[i].bytes;
}

/*
 * On x86-64 and 64-bit Arm, the first eight floating-point arguments and the first few others go in
 * registers, each kind in its own, and what is left on the stack in its order, eight bytes each. So
 * one type serves for all kernels.
 */
#if defined(__aarch64__)
enum { REGISTERS = 8 };
#else
enum { REGISTERS = 6 };
#endif
#define EIGHT(x) x, x, x, x, x, x, x, x
typedef void (*any_kernel)(EIGHT(double), EIGHT(int64_t), EIGHT(int64_t), EIGHT(int64_t),
                           EIGHT(int64_t), EIGHT(int64_t), EIGHT(int64_t), EIGHT(int64_t),
                           EIGHT(int64_t));

static void call(void *kernel, const double *d, const int64_t *a) {
    const union {
        void *object;
        any_kernel function;
    } as = {.object = kernel};
#define OF(x, i)                                                                                   \
    x[i], x[(i) + 1], x[(i) + 2], x[(i) + 3], x[(i) + 4], x[(i) + 5], x[(i) + 6], x[(i) + 7]
    as.function(OF(d, 0), OF(a, 0), OF(a, 8), OF(a, 16), OF(a, 24), OF(a, 32), OF(a, 40), OF(a, 48),
                OF(a, 56));
#undef OF
}

sparcl_status __wrap_spc_launch(sparcl_ctx *ctx, const char *stem, uint32_t options,
                                const char *kernel, spc_range range, const spc_arg *args,
                                size_t count) {
    double reals[8] = {0};
    int64_t others[MAX_ARGS] = {0};
    copy copies[MAX_ARGS];
    int in_reals = 0, in_others = 0, on_stack = REGISTERS, n = 0;
    void *function = find_kernel(stem, options, kernel);
    need(range.local == 1 && count <= MAX_ARGS - REGISTERS, "not for a CPU", kernel);
    for (size_t i = 0; i < count; ++i) {
        const spc_arg *arg = &args[i];
        const bool is_real = arg->kind == SPC_ARG_F32 || arg->kind == SPC_ARG_F64;
        int64_t bits = arg->as.i64;
        if (arg->kind == SPC_ARG_I32) bits = arg->as.i32;
        if (arg->kind == SPC_ARG_IN || arg->kind == SPC_ARG_OUT)
            bits = (int64_t)(intptr_t)copy_in(ctx, arg, copies, &n);
        if (is_real && in_reals < 8)
            memcpy(&reals[in_reals++], &bits, sizeof bits);
        else if (!is_real && in_others < REGISTERS)
            others[in_others++] = bits;
        else
            others[on_stack++] = bits;
    }
    items = (size_t)range.global;
    for (item = 0; item < items; ++item)
        call(function, reals, others);
    for (int i = 0; i < n; ++i) {
        need(!copies[i].written || copies[i].size == 0 ||
                 clEnqueueWriteBuffer(ctx->cl_queue, copies[i].memory, CL_TRUE, 0, copies[i].size,
                                      copies[i].bytes, 0, NULL, NULL) == CL_SUCCESS,
             "a buffer cannot be written back", kernel);
        free(copies[i].bytes);
    }
    for (size_t i = 0; i < count; ++i)
        if (args[i].kind == SPC_ARG_OUT) sparcl_buf_touched(args[i].as.out);
    return SPARCL_OK;
}
