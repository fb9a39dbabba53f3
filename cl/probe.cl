/* probe.cl: arithmetic whose results show how a device computes; src/probe/probe.c checks them.
 *
 * Defines  probe_divide, probe_root, probe_multiply_add, probe_scale, probe_convert,
 *          probe_loop, probe_sum
 * Range    FOR_EACH; probe_loop, probe_sum: only the first work-item works
 * Macros   with SPC_OWN_DIVIDE, `/` and sqrt are plain and DIVIDE and ROOT are our own
 */

KERNEL probe_divide(__global const float *a, __global const float *b, __global float *plain,
                    __global float *used, long n) {
    FOR_EACH(i, n) plain[i] = a[i] / b[i];
    FOR_EACH(i, n) used[i] = DIVIDE(a[i], b[i]);
}

KERNEL probe_root(__global const float *x, __global float *plain, __global float *used, long n) {
    FOR_EACH(i, n) plain[i] = sqrt(x[i]);
    FOR_EACH(i, n) used[i] = ROOT(x[i]);
}

/* One at a time, four at a time, and as a step of a sum. */
KERNEL probe_multiply_add(__global const float *a, __global const float *b,
                          __global const float *c, __global float *out, long n) {
    FOR_EACH(i, n) {
        out[i] = a[i] * b[i] + c[i];
        const float4 sums = (float4)(a[i]) * (float4)(b[i]) + (float4)(c[i]);
        out[n + i] = sums.z;
        float sum = c[i];
        IN_ORDER
        for (long k = i; k < i + 1; ++k) sum += a[k] * b[k];
        out[2 * n + i] = sum;
    }
}

/* A product, and a difference, of the same numbers. */
KERNEL probe_scale(__global const float *a, __global const float *b, __global float *out, long n) {
    FOR_EACH(i, n) {
        out[i] = a[i] * b[i];
        out[n + i] = a[i] - b[i];
    }
}

KERNEL probe_convert(__global const float *x, __global const int *k, __global int *to_int,
                     __global float *to_float, long n) {
    FOR_EACH(i, n) {
        to_int[i] = (int)x[i];
        to_float[i] = (float)k[i];
    }
}

/* The iterations that a loop of n iterations really makes. */
KERNEL probe_loop(__global const int *step, __global int *out, long n) {
    if (get_global_id(0) != 0) return;
    int iterations = 0;
    for (long i = 0; i < n; ++i) iterations += step[i & 7];
    out[0] = iterations;
}

/* out[0]: a sum without IN_ORDER; out[1]: the same with it; out[2], out[3]: sums of products. */
KERNEL probe_sum(__global const float *x, __global const float *y, __global float *out, long n) {
    if (get_global_id(0) != 0) return;
    float free_sum = 0, sum = 0, free_dot = 0, dot_sum = 0;
    for (long i = 0; i < n; ++i) free_sum += x[i];
    IN_ORDER
    for (long i = 0; i < n; ++i) sum += x[i];
    for (long i = 0; i < n; ++i) free_dot += x[i] * y[i];
    IN_ORDER
    for (long i = 0; i < n; ++i) dot_sum += x[i] * y[i];
    out[0] = free_sum;
    out[1] = sum;
    out[2] = free_dot;
    out[3] = dot_sum;
}
