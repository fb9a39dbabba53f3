/* unary_answer.c: what spec_unary.c expects of each function and its gradient. */
#include "spec/elements/unary_answer.h"

#include <math.h>

#include "spec/elements/unary_functions.h"
#include "spec/shared/elementary.h"

#define R(x) spec_round(dtype, (x))

static double radian(sparcl_dtype dtype) {
    return dtype == SPARCL_F64 ? 0.017453292519943295 : 0.0174532924f;
}
static double degree(sparcl_dtype dtype) {
    return dtype == SPARCL_F64 ? 57.29577951308232 : 57.2957802f;
}

double spec_unary_order_value(int function, sparcl_dtype dtype, double x) {
    switch (function) {
    case SPARCL_UNARY_ABS:
        return fabs(x);
    case SPARCL_UNARY_SIGN:
        return x > 0 ? 1 : x < 0 ? -1 : x == 0 ? 0 : x;
    case SPARCL_UNARY_ROUND:
        return round(x);
    case SPARCL_UNARY_RINT:
        return rint(x);
    case SPARCL_UNARY_FLOOR:
        return floor(x);
    case SPARCL_UNARY_CEIL:
        return ceil(x);
    case SPARCL_UNARY_TRUNC:
        return trunc(x);
    case SPARCL_UNARY_SQRT:
        return R(sqrt(x));
    case SPARCL_UNARY_SQUARE:
        return R(x * x);
    case SPARCL_UNARY_NEGATIVE:
        return -x;
    case SPARCL_UNARY_RELU:
        return x <= 0 ? 0 : x;
    case SPARCL_UNARY_RADIANS:
        return R(x * radian(dtype));
    case SPARCL_UNARY_DEGREES:
        return R(x * degree(dtype));
    case SPARCL_UNARY_CBRT:
        return spec_cbrt(dtype, x);
    case SPARCL_UNARY_SIN:
        return spec_sin(dtype, x);
    case SPARCL_UNARY_TAN:
        return spec_tan(dtype, x);
    case SPARCL_UNARY_ARCSIN:
        return spec_arcsin(dtype, x);
    case SPARCL_UNARY_ARCTAN:
        return spec_arctan(dtype, x);
    case SPARCL_UNARY_SINH:
        return spec_sinh(dtype, x);
    case SPARCL_UNARY_TANH:
        return spec_tanh(dtype, x);
    case SPARCL_UNARY_ARCSINH:
        return spec_arcsinh(dtype, x);
    case SPARCL_UNARY_ARCTANH:
        return spec_arctanh(dtype, x);
    case SPARCL_UNARY_EXPM1:
        return spec_expm1(dtype, x);
    case SPARCL_UNARY_LOG1P:
        return spec_log1p_all(dtype, x);
    case SPARCL_UNARY_EXP:
        return spec_exp(dtype, x);
    case SPARCL_UNARY_LOG:
        return spec_log(dtype, x);
    case SPARCL_UNARY_SIGMOID:
        return spec_sigmoid(dtype, x);
    case SPARCL_UNARY_RECIPROCAL:
        return R(1 / x);
    case SPARCL_UNARY_RSQRT:
        return R(1 / R(sqrt(x)));
    default:
        return x < SPEC_UNARY_LOW ? SPEC_UNARY_LOW : x > SPEC_UNARY_HIGH ? SPEC_UNARY_HIGH : x;
    }
}

/* v is x or y. */
double spec_unary_order_gradient(int function, sparcl_dtype dtype, double v, double g) {
    const double large = dtype == SPARCL_F64 ? 0x1p28 : 8192;
    switch (function) {
    case SPARCL_UNARY_ABS:
        return v > 0 ? g : v < 0 ? -g : v == 0 ? 0 : v;
    case SPARCL_UNARY_SQRT:
        return R(R(0.5 / v) * g);
    case SPARCL_UNARY_SQUARE:
        return R(R(2 * v) * g);
    case SPARCL_UNARY_NEGATIVE:
        return -g;
    case SPARCL_UNARY_RELU:
        return v > 0 ? g : v <= 0 ? 0 : v;
    case SPARCL_UNARY_RADIANS:
        return R(g * radian(dtype));
    case SPARCL_UNARY_DEGREES:
        return R(g * degree(dtype));
    case SPARCL_UNARY_CBRT:
        return R(g / R(3 * R(v * v)));
    case SPARCL_UNARY_SIN:
        return R(spec_cos(dtype, v) * g);
    case SPARCL_UNARY_TAN:
        return R(R(1 + R(v * v)) * g);
    case SPARCL_UNARY_ARCSIN:
        return R(g / R(sqrt(R(R(1 - v) * R(1 + v)))));
    case SPARCL_UNARY_ARCTAN:
        return R(g / R(1 + R(v * v)));
    case SPARCL_UNARY_SINH:
        return R(spec_cosh(dtype, v) * g);
    case SPARCL_UNARY_TANH:
        return R(R(R(1 - v) * R(1 + v)) * g);
    case SPARCL_UNARY_ARCSINH:
        return R(g / (fabs(v) < large ? R(sqrt(R(1 + R(v * v)))) : fabs(v)));
    case SPARCL_UNARY_ARCTANH:
        return R(g / R(R(1 - v) * R(1 + v)));
    case SPARCL_UNARY_EXPM1:
        return R(R(v + 1) * g);
    case SPARCL_UNARY_LOG1P:
        return R(g / R(1 + v));
    case SPARCL_UNARY_EXP:
        return R(v * g);
    case SPARCL_UNARY_LOG:
        return R(g / v);
    case SPARCL_UNARY_SIGMOID:
        return R(R(v * R(1 - v)) * g);
    case SPARCL_UNARY_RECIPROCAL:
        return -R(R(v * v) * g);
    case SPARCL_UNARY_RSQRT:
        return R(R(R(-0.5 * v) * R(v * v)) * g);
    case SPEC_UNARY_CLIP:
        return v >= SPEC_UNARY_LOW && v <= SPEC_UNARY_HIGH ? g : 0;
    default:
        return 0;
    }
}

#define PI 3.14159265358979323846264338327950288L

/* The exact value, and in *ulp the error of ours in units of the last place; exact where it is 0.
 */
long double spec_unary_true_value(int function, double near, long double x, double *ulp) {
    *ulp = 2;
    switch (function) {
    case SPARCL_UNARY_SQRT:
        *ulp = 0.5;
        return sqrtl(x);
    case SPARCL_UNARY_SQUARE:
        *ulp = 0.5;
        return x * x;
    case SPARCL_UNARY_RADIANS:
        *ulp = 1.5;
        return x * PI / 180;
    case SPARCL_UNARY_DEGREES:
        *ulp = 1.5;
        return x * 180 / PI;
    case SPARCL_UNARY_CBRT:
        *ulp = 1;
        return cbrtl(x);
    case SPARCL_UNARY_SIN:
        *ulp = 1;
        return sinl(x);
    case SPARCL_UNARY_TAN:
        *ulp = 3;
        return tanl(x);
    case SPARCL_UNARY_ARCSIN:
        *ulp = 3;
        return asinl(x);
    case SPARCL_UNARY_ARCTAN:
        return atanl(x);
    case SPARCL_UNARY_SINH:
        return sinhl(x);
    case SPARCL_UNARY_TANH:
        return tanhl(x);
    case SPARCL_UNARY_ARCSINH:
        return asinhl(x);
    case SPARCL_UNARY_ARCTANH:
        *ulp = 3;
        return atanhl(x);
    case SPARCL_UNARY_EXPM1:
        return expm1l(x);
    case SPARCL_UNARY_LOG1P:
        return log1pl(x);
    case SPARCL_UNARY_EXP:
        return expl(x);
    case SPARCL_UNARY_LOG:
        return logl(x);
    case SPARCL_UNARY_SIGMOID:
        *ulp = 3;
        return 1 / (1 + expl(-x));
    case SPARCL_UNARY_RECIPROCAL:
        *ulp = 0.5;
        return 1 / x;
    case SPARCL_UNARY_RSQRT:
        *ulp = 1.5;
        return 1 / sqrtl(x);
    default:
        *ulp = 0;
        return near;
    }
}

/* The exact value of the formula for v and g, and in *roundings the error of ours in units u. */
long double spec_unary_true_gradient(int function, double near, long double v, long double g,
                                     double *roundings) {
    *roundings = 4;
    switch (function) {
    case SPARCL_UNARY_SQRT:
        return 0.5L / v * g;
    case SPARCL_UNARY_SQUARE:
        return 2 * v * g;
    case SPARCL_UNARY_RADIANS:
        return g * PI / 180;
    case SPARCL_UNARY_DEGREES:
        return g * 180 / PI;
    case SPARCL_UNARY_CBRT:
        return g / (3 * v * v);
    case SPARCL_UNARY_SIN:
        return cosl(v) * g;
    case SPARCL_UNARY_TAN:
        return (1 + v * v) * g;
    case SPARCL_UNARY_ARCSIN:
        return g / sqrtl((1 - v) * (1 + v));
    case SPARCL_UNARY_ARCTAN:
        return g / (1 + v * v);
    case SPARCL_UNARY_SINH:
        *roundings = 5;
        return coshl(v) * g;
    case SPARCL_UNARY_TANH:
        return (1 - v) * (1 + v) * g;
    case SPARCL_UNARY_ARCSINH:
        return g / sqrtl(1 + v * v);
    case SPARCL_UNARY_ARCTANH:
        return g / ((1 - v) * (1 + v));
    case SPARCL_UNARY_EXPM1:
        return (v + 1) * g;
    case SPARCL_UNARY_LOG1P:
        return g / (1 + v);
    case SPARCL_UNARY_EXP:
        return v * g;
    case SPARCL_UNARY_LOG:
        return g / v;
    case SPARCL_UNARY_SIGMOID:
        return v * (1 - v) * g;
    case SPARCL_UNARY_RECIPROCAL:
        return -v * v * g;
    case SPARCL_UNARY_RSQRT:
        return -0.5L * v * v * v * g;
    default:
        *roundings = 0;
        return near;
    }
}
