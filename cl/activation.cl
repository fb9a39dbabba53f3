/* activation.cl: activations and their gradients, element by element.
 *
 * Defines  activate, activate_gradient
 * Range    FOR_EACH_PART over a matrix
 * Variant  activate adds a bias for each column of x before
 * Memory   y may be x and gx may be gy: each element is read before it is written
 * Order    docs/numerics.md
 */

#define RELU 0
#define SIGMOID 1

/* A NaN stays. */
static REAL relu(REAL x) {
    return x <= 0 ? 0 : x;
}

static REAL relu_gradient(REAL y, REAL gy) {
    return y > 0 ? gy : y <= 0 ? 0 : y;
}

#if SPC_VARIANT
#define GET_X(k) (READ_AT(from, k) + READ_AT(bias, bias_at + column + (k)))
#else
#define GET_X(k) READ_AT(from, k)
#endif

KERNEL activate(int kind, __global const STORED *x, long x_at, long x_ld, __global const STORED *bias,
                long bias_at, __global STORED *y, long y_at, long y_ld, long m, long n) {
    FOR_EACH_PART(row, column, count, m, n) {
        __global const STORED *from = x + x_at + row * x_ld + column;
        __global STORED *to = y + y_at + row * y_ld + column;
        if (kind == RELU) {
            STORE_EACH(to, k, count, relu(GET_X(k)));
        } else if (kind == SIGMOID) {
            STORE_EACH(to, k, count, own_sigmoid(GET_X(k)));
        } else {
            STORE_EACH(to, k, count, own_tanh(GET_X(k)));
        }
    }
}

KERNEL activate_gradient(int kind, __global const STORED *y, long y_at, long y_ld,
                         __global const STORED *gy, long gy_at, long gy_ld, __global STORED *gx,
                         long gx_at, long gx_ld, long m, long n) {
    FOR_EACH_PART(row, column, count, m, n) {
        __global const STORED *value = y + y_at + row * y_ld + column;
        __global const STORED *from = gy + gy_at + row * gy_ld + column;
        __global STORED *to = gx + gx_at + row * gx_ld + column;
        if (kind == RELU) {
            STORE_EACH(to, k, count, relu_gradient(READ_AT(value, k), READ_AT(from, k)));
        } else if (kind == SIGMOID) {
            STORE_EACH(to, k, count, READ_AT(value, k) * (1.0f - READ_AT(value, k)) * READ_AT(from, k));
        } else {
            /* 1 - y^2 without cancellation where y is near 1 */
            STORE_EACH(to, k, count, (1.0f - READ_AT(value, k)) * (1.0f + READ_AT(value, k)) * READ_AT(from, k));
        }
    }
}
