/* traffic.cl: kernels that only move memory, an upper bound of what the device can do.
 *
 * Defines  traffic_none, traffic_read, traffic_write, traffic_copy, traffic_triad,
 *          traffic_gather, traffic_update
 * Range    FOR_EACH, over vectors (streams), over ids (rows, CPU) or over the vectors of all
 *          rows (GPU)
 * Memory   all arrays consist of full vectors; a row has `vectors` of them; ids are clamped to the
 *          rows
 * Order    undefined: nobody reads the sums
 * Macros   SPC_VARIANT: streams use non-temporal stores where the compiler has them
 */

#if SPC_GPU
typedef float4 VECTOR;
#else
typedef float16 VECTOR;
#endif

#define STORE(to, value) (to) = (value)
#if SPC_VARIANT && defined(__has_builtin)
#if __has_builtin(__builtin_nontemporal_store)
#undef STORE
#define STORE(to, value) __builtin_nontemporal_store((value), &(to))
#endif
#endif

/* Keeps the compiler from removing the reads: their sum is written where it is infinite. */
static void use_sum(__global float *z, VECTOR sum) {
    if (any(isinf(sum))) z[0] = INFINITY;
}

KERNEL traffic_none(long n) {}

/* Four sums, because each addition waits for the previous one. */
KERNEL traffic_read(__global const VECTOR *x, __global float *z, long n) {
    VECTOR a = 0, b = 0, c = 0, d = 0;
#if SPC_GPU
    FOR_EACH(i, n) a += x[i];
#else
    FOR_EACH(i, n >> 2) {
        a += x[4 * i];
        b += x[4 * i + 1];
        c += x[4 * i + 2];
        d += x[4 * i + 3];
    }
    if (get_global_id(0) == 0)
        for (long i = n & ~3L; i < n; ++i) a += x[i];
#endif
    use_sum(z, (a + b) + (c + d));
}

KERNEL traffic_write(__global VECTOR *z, long n) {
    FOR_EACH(i, n) STORE(z[i], (VECTOR)(1.0f));
}

KERNEL traffic_copy(__global const VECTOR *x, __global VECTOR *z, long n) {
    FOR_EACH(i, n) STORE(z[i], x[i]);
}

KERNEL traffic_triad(__global const VECTOR *x, __global const VECTOR *y, __global VECTOR *z,
                     long n) {
    FOR_EACH(i, n) STORE(z[i], x[i] + 0.5f * y[i]);
}

/* The first vector of the row that id i names. */
static long row_at(__global const int *ids, long i, long rows, long vectors) {
    return min((long)(uint)ids[i], rows - 1) * vectors;
}

KERNEL traffic_gather(__global const VECTOR *x, __global const int *ids, __global float *z, long n,
                      long rows, long vectors) {
    VECTOR a = 0, b = 0, c = 0, d = 0;
#if SPC_GPU
    FOR_EACH(i, n * vectors) {
        const long k = i / vectors;
        a += x[row_at(ids, k, rows, vectors) + (i - k * vectors)];
    }
#else
    FOR_EACH(i, n) {
        __global const VECTOR *row = x + row_at(ids, i, rows, vectors);
        long v = 0;
        for (; v + 4 <= vectors; v += 4) {
            a += row[v];
            b += row[v + 1];
            c += row[v + 2];
            d += row[v + 3];
        }
        for (; v < vectors; ++v) a += row[v];
    }
#endif
    use_sum(z, (a + b) + (c + d));
}

KERNEL traffic_update(__global const VECTOR *x, __global const int *ids, __global VECTOR *z, long n,
                      long rows, long vectors) {
#if SPC_GPU
    FOR_EACH(i, n * vectors) {
        const long k = i / vectors, at = row_at(ids, k, rows, vectors) + (i - k * vectors);
        z[at] = 0.5f * z[at] + x[at];
    }
#else
    FOR_EACH(i, n) {
        const long at = row_at(ids, i, rows, vectors);
        for (long v = at; v < at + vectors; ++v) z[v] = 0.5f * z[v] + x[v];
    }
#endif
}
