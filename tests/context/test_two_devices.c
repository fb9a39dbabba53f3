/* test_two_devices.c: an adopted context of two devices. In a process of its own, since PoCL counts
 * its devices once. */
#include "device_test.h"
#include "folder_test.h"

#include <sys/wait.h>

#include "device/ctx_impl.h"
#include "sparcl/opencl.h"

typedef struct host {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
} host;

static const char *self; /* the path of this program */

static void remember(void *user, sparcl_log_level level, const char *message) {
    (void)level;
    if (strncmp(message, "loaded transfer", 13) == 0) ++*(int *)user;
}

/* A large fill needs a kernel: is it loaded from the cache? */
static int build_one(const host *h, const char *cache) {
    int taken = 0;
    const sparcl_ctx_desc desc = {.cache_dir = cache, .log = remember, .log_user = &taken};
    sparcl_ctx *ctx = NULL;
    sparcl_buf *buf = NULL;
    if (sparcl_ctx_adopt(&ctx, h->context, h->device, h->queue, &desc, NULL) != SPARCL_OK)
        return -1;
    ctx->keeps_programs = true; /* also with PoCL */
    sparcl_status status = sparcl_buf_create(ctx, &buf, 1 << 21);
    if (status == SPARCL_OK) status = sparcl_buf_fill(ctx, buf, 0, 1 << 21, 1);
    sparcl_buf_free(buf);
    sparcl_ctx_close(ctx);
    return status == SPARCL_OK ? taken : -1;
}

static int try_two_devices(const char *cache) {
    cl_platform_id platform = NULL;
    cl_device_id devices[2];
    cl_uint count = 0;
    sparcl_ctx *ctx = NULL;
    sparcl_error error = {0};
    if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 2, devices, &count) != CL_SUCCESS || count < 2)
        return EXIT_SKIPPED;
    host h = {.device = devices[1]};
    h.context = clCreateContext(NULL, 2, devices, NULL, NULL, NULL);
    h.queue = clCreateCommandQueue(h.context, h.device, 0, NULL);
    if (!h.context || !h.queue) return 1;
    if (sparcl_ctx_adopt(&ctx, h.context, devices[0], h.queue, NULL, &error) != SPARCL_E_ARG ||
        ctx || !strstr(error.message, "does not belong"))
        return 2;
    if (build_one(&h, cache) != 0) return 3;
    if (build_one(&h, cache) != 1) return 4;
    clReleaseCommandQueue(h.queue);
    clReleaseContext(h.context);
    return 0;
}

static void of_several_devices_the_one_given_is_used(void **state) {
    char cache[] = "/tmp/sparcl_adopt_XXXXXX";
    int code = 0;
    (void)state;
    if (test_is_small()) skip(); /* only large buffers are filled by a kernel */
    assert_non_null(mkdtemp(cache));
    const pid_t child = fork();
    if (child == 0) {
        setenv("POCL_DEVICES", "pthread pthread", 1);
        execl(self, self, "--two-devices", cache, (char *)NULL);
        _exit(127);
    }
    assert_int_equal(waitpid(child, &code, 0), child);
    remove_tree(cache);
    assert_true(WIFEXITED(code));
    if (WEXITSTATUS(code) == EXIT_SKIPPED) skip(); /* this implementation has one device */
    assert_int_equal(WEXITSTATUS(code), 0);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_several_devices_the_one_given_is_used),
    };
    if (argc == 3 && strcmp(argv[1], "--two-devices") == 0) return try_two_devices(argv[2]);
    self = argv[0];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
