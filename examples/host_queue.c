/* host_queue.c: an application with OpenCL objects of its own calls sparcl between its kernels.
 *
 * The application's kernel writes B, sparcl computes C = A B on the same queue, and the next kernel
 * of the application squares C. B and C are the application's buffers. The product does not wait
 * for the queue. The upload of A (which validates A) and closing the context do wait; an
 * application that multiplies often keeps both. Afterwards the application still owns its objects.
 */
#include <stdio.h>
#include <stdlib.h>

#include <sparcl/opencl.h>
#include <sparcl/sparcl.h>

enum { ROWS = 1000, COLS = 600, N = 4, PER_ROW = 3 };

static const char *const host_kernels =
    "kernel void make_b(global float *b) { b[get_global_id(0)] = get_global_id(0) % 7; }\n"
    "kernel void square(global float *c) { c[get_global_id(0)] *= c[get_global_id(0)]; }\n";

#define CHECK(condition, what)                                                                     \
    if (!(condition)) {                                                                            \
        fprintf(stderr, "%s failed\n", what);                                                      \
        exit(1);                                                                                   \
    }

/* The application's OpenCL objects, on the first device found. */
typedef struct host {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_mem b, c;
} host;

static host open_host(void) {
    cl_platform_id platforms[16];
    cl_uint count = 0;
    cl_int code = clGetPlatformIDs(16, platforms, &count);
    host h = {0};
    for (cl_uint p = 0; code == CL_SUCCESS && p < count && !h.device; ++p)
        clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 1, &h.device, NULL);
    if (!h.device) {
        printf("skipped: there is no OpenCL device\n");
        exit(77);
    }
    h.context = clCreateContext(NULL, 1, &h.device, NULL, NULL, &code);
    CHECK(code == CL_SUCCESS, "clCreateContext");
    h.queue = clCreateCommandQueue(h.context, h.device, 0, &code);
    const char *text = host_kernels;
    h.program = clCreateProgramWithSource(h.context, 1, &text, NULL, &code);
    CHECK(clBuildProgram(h.program, 1, &h.device, "", NULL, NULL) == CL_SUCCESS, "clBuildProgram");
    h.b = clCreateBuffer(h.context, CL_MEM_READ_WRITE, COLS * N * sizeof(float), NULL, &code);
    h.c = clCreateBuffer(h.context, CL_MEM_READ_WRITE, ROWS * N * sizeof(float), NULL, &code);
    CHECK(code == CL_SUCCESS, "clCreateBuffer");
    return h;
}

static void run(const host *h, const char *name, cl_mem memory, size_t n) {
    cl_kernel kernel = clCreateKernel(h->program, name, NULL);
    clSetKernelArg(kernel, 0, sizeof memory, &memory);
    CHECK(clEnqueueNDRangeKernel(h->queue, kernel, 1, NULL, &n, NULL, 0, NULL, NULL) == CL_SUCCESS,
          name);
    clReleaseKernel(kernel);
}

/* Row i of A has the columns 5 i, 5 i + 11, 5 i + 22 (modulo COLS) with values 1, 2, 3. */
static int32_t column_of(int i, int k) {
    return (5 * i + 11 * k) % COLS;
}

static sparcl_status multiply(const host *h) {
    static int32_t offsets[ROWS + 1], indices[ROWS * PER_ROW];
    static float values[ROWS * PER_ROW];
    sparcl_ctx *ctx = NULL;
    sparcl_error error = {0};
    for (int i = 0; i < ROWS; ++i)
        for (int k = 0; k < PER_ROW; ++k) {
            offsets[i + 1] = (i + 1) * PER_ROW;
            indices[i * PER_ROW + k] = column_of(i, k);
            values[i * PER_ROW + k] = (float)(k + 1);
        }
    CHECK(sparcl_ctx_adopt(&ctx, h->context, h->device, h->queue, NULL, &error) == SPARCL_OK,
          error.message);
    sparcl_csr a = {.rows = ROWS, .cols = COLS, .nnz = ROWS * PER_ROW};
    sparcl_dense b = {.rank = 2, .shape = {COLS, N}}, c = {.rank = 2, .shape = {ROWS, N}};
    sparcl_status status = sparcl_csr_upload(ctx, &a, offsets, indices, values, 0);
    if (status == SPARCL_OK) status = sparcl_buf_adopt(ctx, &b.values, h->b);
    if (status == SPARCL_OK) status = sparcl_buf_adopt(ctx, &c.values, h->c);
    if (status == SPARCL_OK) status = sparcl_spmm(ctx, &c, 1, &a, &b, 0);
    if (status != SPARCL_OK) fprintf(stderr, "%s\n", sparcl_ctx_error(ctx)->message);
    sparcl_csr_free(&a);
    sparcl_dense_free(&b);
    sparcl_dense_free(&c);
    sparcl_ctx_close(ctx); /* waits, and releases its references; the queue stays valid */
    return status;
}

static int count_wrong(const float *c) {
    int wrong = 0;
    for (int i = 0; i < ROWS; ++i)
        for (int j = 0; j < N; ++j) {
            float sum = 0;
            for (int k = 0; k < PER_ROW; ++k)
                sum += (float)(k + 1) * (float)((column_of(i, k) * N + j) % 7);
            wrong += c[i * N + j] != sum * sum;
        }
    return wrong;
}

int main(void) {
    static float c[ROWS * N];
    host h = open_host();
    run(&h, "make_b", h.b, COLS * N);
    CHECK(multiply(&h) == SPARCL_OK, "sparcl");
    run(&h, "square", h.c, ROWS * N);
    CHECK(clEnqueueReadBuffer(h.queue, h.c, CL_TRUE, 0, sizeof c, c, 0, NULL, NULL) == CL_SUCCESS,
          "clEnqueueReadBuffer");
    const int wrong = count_wrong(c);
    printf("%d of %d numbers are wrong\n", wrong, ROWS * N);
    clReleaseMemObject(h.b);
    clReleaseMemObject(h.c);
    clReleaseProgram(h.program);
    clReleaseCommandQueue(h.queue);
    clReleaseContext(h.context);
    return wrong != 0;
}
