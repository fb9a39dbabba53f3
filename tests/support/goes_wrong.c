/* goes_wrong.c: errors on purpose, so that tests can check that they are found. Two
 * contexts, one after the other: in the first a kernel does what the command line says (race,
 * outside, uninitialised, or nothing), in the second all is well; with "leak" a buffer of the first
 * is not released, with "empty" nothing is read from it. The program itself sees no error:
 * test_simulator.sh, test_strict_layer.sh and cli/objects.sh look for it. */
#include <stdio.h>
#include <string.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

static const char source[] =
    "kernel void nothing(global int *a, global const int *b) { a[get_global_id(0)] = 1; }\n"
    "kernel void race(global int *a, global const int *b) { a[0] = (int)get_global_id(0); }\n"
    "kernel void outside(global int *a, global const int *b) { a[get_global_id(0) + 60] = 1; }\n"
    "kernel void uninitialised(global int *a, global const int *b) {\n"
    "    if (b[get_global_id(0)] > 0) a[get_global_id(0)] = 1;\n"
    "}\n";

enum { ITEMS = 64 };

/* 0 when every call succeeds. */
static int run(cl_platform_id platform, cl_device_id device, const char *name) {
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                                (cl_context_properties)platform, 0};
    const char *text = source;
    const size_t items = ITEMS;
    const int leaks = strcmp(name, "leak") == 0, is_empty = strcmp(name, "empty") == 0;
    cl_int code = 0, failed = 0;
    cl_context context = clCreateContext(properties, 1, &device, NULL, NULL, &code);
    if (code) return 1;
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    failed |= clBuildProgram(program, 1, &device, "", NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, leaks || is_empty ? "nothing" : name, NULL);
    cl_mem a = clCreateBuffer(context, CL_MEM_READ_WRITE, ITEMS * sizeof(cl_int), NULL, NULL);
    cl_mem b = clCreateBuffer(context, CL_MEM_READ_WRITE, ITEMS * sizeof(cl_int), NULL, NULL);
    failed |= clSetKernelArg(kernel, 0, sizeof a, &a);
    failed |= clSetKernelArg(kernel, 1, sizeof b, &b);
    failed |= clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
    if (is_empty) clEnqueueReadBuffer(queue, a, CL_TRUE, 0, 0, &code, 0, NULL, NULL);
    failed |= clFinish(queue);
    clReleaseMemObject(a);
    if (!leaks) clReleaseMemObject(b);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return failed != 0;
}

int main(int argc, char **argv) {
    cl_platform_id platform = NULL;
    cl_device_id device = NULL;
    if (argc != 2 || clGetPlatformIDs(1, &platform, NULL) ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
        return 1;
    return run(platform, device, argv[1]) | run(platform, device, "nothing");
}
