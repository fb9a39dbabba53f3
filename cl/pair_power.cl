/* pair_power.cl: integer powers whose rounding errors do not add up.
 *
 * Defines  power_of_pairs (of REAL, of at most 1 in magnitude; error at most 1 ulp)
 * Method   squaring; each factor is a sum of two numbers, whose product has no rounding error
 * Order    docs/numerics.md, "Optimizer rules"
 */

/* The upper half of a number's digits (Veltkamp 1968). */
static REAL upper_digits(REAL a) {
    const REAL scaled = (SPC_F64 ? (REAL)134217729 : (REAL)4097) * a;
    return scaled - (scaled - a);
}

/* A pair x, y is the sum of both: y has the digits that x has no room for. The first product
 * with its rounding error (Dekker 1971), and what the rests add to it. */
static REAL2 multiply_pairs(REAL2 a, REAL2 b) {
    const REAL product = a.x * b.x;
    const REAL au = upper_digits(a.x), al = a.x - au;
    const REAL bu = upper_digits(b.x), bl = b.x - bu;
    const REAL error = ((au * bu - product) + au * bl + al * bu) + al * bl;
    const REAL rest = error + (a.x * b.y + a.y * b.x), sum = product + rest;
    return (REAL2)(sum, rest - (sum - product));
}

/* x^n; 1 where n is negative, 0 where the power is less than 2^-60. */
static REAL power_of_pairs(REAL x, long n) {
    REAL2 power = (REAL2)(1, 0), square = (REAL2)(x, 0);
    for (; n > 0 && fabs(power.x) > (REAL)0x1p-60; n >>= 1) {
        if (n & 1) power = multiply_pairs(power, square);
        if (fabs(square.x) > (REAL)0x1p-60) square = multiply_pairs(square, square);
    }
    return fabs(power.x) > (REAL)0x1p-60 ? power.x : 0;
}
