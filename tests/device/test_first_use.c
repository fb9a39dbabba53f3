/* test_first_use.c: threads that use OpenCL for the first time in their process, all at the same
 * time. Each trial is a child process: this one must not have used OpenCL before. */
#include "device_test.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_THREADS = 8, TRIALS = 5 };

typedef sparcl_status (*action)(sparcl_error *error);

static struct {
    pthread_barrier_t barrier;
    action act;
    sparcl_status expected;
} shared;

static sparcl_status list_devices(sparcl_error *error) {
    sparcl_device_list list = {0};
    const sparcl_status status = sparcl_device_list_get(&list, NULL, error);
    const int count = list.device_count;
    sparcl_device_list_free(&list);
    return status == SPARCL_OK && count == 0 ? SPARCL_E_DEVICE : status;
}

/* Opens a context, and computes with it: the first kernels of the process. */
static sparcl_status add_two(sparcl_ctx *ctx, sparcl_error *error) {
    const float one[] = {1, 2, 3};
    float sum[] = {0, 0, 0};
    sparcl_dense a = {.rank = 1, .shape = {3}}, b = a;
    sparcl_status status = sparcl_dense_upload(ctx, &a, one);
    if (status == SPARCL_OK) status = sparcl_dense_upload(ctx, &b, one);
    if (status == SPARCL_OK) status = sparcl_binary(ctx, SPARCL_BINARY_ADD, &b, &b, &a);
    if (status == SPARCL_OK) status = sparcl_dense_read(ctx, &b, sum);
    sparcl_dense_free(&a);
    sparcl_dense_free(&b);
    if (status != SPARCL_OK) *error = *sparcl_ctx_error(ctx);
    return status == SPARCL_OK && sum[2] != 6 ? SPARCL_E_DATA : status;
}

static sparcl_status compute(sparcl_error *error) {
    sparcl_ctx *ctx = NULL;
    const sparcl_ctx_desc desc = test_desc();
    sparcl_status status = sparcl_ctx_open(&ctx, &desc, error);
    if (status == SPARCL_OK) status = add_two(ctx, error);
    sparcl_ctx_close(ctx);
    return status;
}

/* NULL: the status is as expected. */
static void *use(void *number) {
    sparcl_error error = {0};
    pthread_barrier_wait(&shared.barrier);
    const sparcl_status status = shared.act(&error);
    if (status == shared.expected) return NULL;
    fprintf(stderr, "%s: %s\n", sparcl_status_text(status), error.message);
    return number;
}

/* In a child: the number of threads whose status is not as expected, as the exit code. */
static void run_threads(int count) {
    pthread_t threads[MOST_THREADS];
    int others = 0;
    pthread_barrier_init(&shared.barrier, NULL, (unsigned)count);
    for (int i = 0; i < count; ++i)
        if (pthread_create(&threads[i], NULL, use, &shared) != 0) _exit(MOST_THREADS + 1);
    for (int i = 0; i < count; ++i) {
        void *result = NULL;
        pthread_join(threads[i], &result);
        others += result != NULL;
    }
    _exit(others);
}

static void try_threads(action act, int count, sparcl_status expected) {
    for (int i = 0; i < TRIALS; ++i) {
        int status = 0;
        fflush(NULL);
        shared.act = act;
        shared.expected = expected;
        const pid_t child = fork();
        if (child == 0) run_threads(count);
        assert_true(child > 0 && waitpid(child, &status, 0) == child);
        if (WIFSIGNALED(status)) fail_msg("trial %d: ended by signal %d", i, WTERMSIG(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
}

static void two_threads_list_devices(void **state) {
    (void)state;
    try_threads(list_devices, 2, SPARCL_OK);
}

static void eight_threads_list_devices(void **state) {
    (void)state;
    try_threads(list_devices, MOST_THREADS, SPARCL_OK);
}

static void two_threads_compute(void **state) {
    (void)state;
    try_threads(compute, 2, SPARCL_OK);
}

static void eight_threads_compute(void **state) {
    (void)state;
    try_threads(compute, MOST_THREADS, SPARCL_OK);
}

static void without_an_implementation_each_thread_gets_the_error(void **state) {
    (void)state;
    setenv("OCL_ICD_VENDORS", "/nonexistent", 1);
    try_threads(compute, MOST_THREADS, SPARCL_E_DEVICE);
}

/* In a child, too: it ends as skipped where there is no device. */
static int find_device(void) {
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        sparcl_ctx_close(test_open());
        exit(0);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status)
               ? WEXITSTATUS(status)
               : 1;
}

int main(void) {
    const int found = find_device();
    if (found != 0) return found;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_threads_list_devices),
        cmocka_unit_test(eight_threads_list_devices),
        cmocka_unit_test(two_threads_compute),
        cmocka_unit_test(eight_threads_compute),
        cmocka_unit_test(without_an_implementation_each_thread_gets_the_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
