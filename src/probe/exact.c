/* exact.c: is a float quotient or root correctly rounded? The test follows the definition of
 * rounding, without a division: 2 |a - r b| <= |b| in units of the last place. And inputs that are
 * hard to round. */
#include "probe/exact.h"

#include "base/bits.h"
#include "base/mix.h"

#define SIGN     0x80000000u
#define INFINITE 0x7f800000u
#define ONE      (UINT32_C(1) << 23) /* the smallest significand of a normal number */

static bool is_nan(uint32_t bits) {
    return (bits & ~SIGN) > INFINITE;
}

/* |x| = significand * 2^exponent; the significand of a subnormal number is not normalized. */
static int64_t decompose(uint32_t bits, int *exponent) {
    const uint32_t biased = (bits & INFINITE) >> 23, low = bits & (ONE - 1);
    *exponent = biased ? (int)biased - 150 : -149;
    return (int64_t)(biased ? low | ONE : low);
}

/* The quotient where an operand is zero, infinite or NaN; false where no operand is. */
static bool special_quotient(uint32_t a, uint32_t b, uint32_t *result) {
    const uint32_t sign = (a ^ b) & SIGN, x = a & ~SIGN, y = b & ~SIGN;
    const bool none =
        is_nan(a) || is_nan(b) || (x == 0 && y == 0) || (x == INFINITE && y == INFINITE);
    if (!none && x != 0 && y != 0 && x != INFINITE && y != INFINITE) return false;
    *result = none ? INFINITE | 1 : sign | (x == INFINITE || y == 0 ? INFINITE : 0);
    return true;
}

static bool same(uint32_t a, uint32_t b) {
    return a == b || (is_nan(a) && is_nan(b));
}

/* x * 2^by, or false if that exceeds 2^60. */
static bool shift_up(int64_t *x, int by) {
    if (by > 60 || *x > (INT64_C(1) << 60) >> by) return false;
    *x <<= by;
    return true;
}

/* Does num / den, positive, round to the significand sr? `dense`: floats below are twice as dense.
 */
static bool rounds_to(int64_t num, int64_t den, int64_t sr, bool dense) {
    if (sr != 0 && den > (INT64_C(1) << 60) / sr) return false;
    const int64_t above = 2 * (num - sr * den), below = dense ? -2 * above : -above;
    const int64_t minimum = sr % 2 == 0 ? den : den - 1; /* a tie goes to the even one */
    return above <= minimum && below <= minimum;
}

bool spc_is_quotient(float a, float b, float result) {
    uint32_t expected = 0, r = spc_f32_bits(result);
    if (special_quotient(spc_f32_bits(a), spc_f32_bits(b), &expected)) return same(r, expected);
    if (is_nan(r) || ((r ^ spc_f32_bits(a) ^ spc_f32_bits(b)) & SIGN)) return false;
    r &= ~SIGN;
    int ea = 0, eb = 0, er = 103; /* in units of 2^103, what is infinite begins at 2^25 - 1 */
    int64_t num = decompose(spc_f32_bits(a), &ea), den = decompose(spc_f32_bits(b), &eb);
    const int64_t sr = r == INFINITE ? 0 : decompose(r, &er);
    const int up = ea - eb - er; /* num 2^up / den is a / b in units of the result's last place */
    if (up >= 0 && !shift_up(&num, up)) return r == INFINITE;
    if (up < 0 && !shift_up(&den, -up)) return sr == 0 && r != INFINITE;
    if (r == INFINITE) return num / den >= (INT64_C(1) << 25) - 1;
    return rounds_to(num, den, sr, sr == ONE && er > -149);
}

bool spc_is_root(float x, float result) {
    const uint32_t bits = spc_f32_bits(x), r = spc_f32_bits(result);
    if (is_nan(bits) || (bits & SIGN && bits != SIGN)) return is_nan(r);
    if (bits == 0 || bits == SIGN || bits == INFINITE) return r == bits;
    if (is_nan(r) || r & SIGN || r >= INFINITE || r < ONE) return false;
    int ex = 0, er = 0;
    const int64_t sx = decompose(bits, &ex), sr = decompose(r, &er);
    const int up = ex - 2 * er + 2; /* 4 x in units of the result's last place, squared */
    if (up < 0 || up > 50) return false;
    if (sx > INT64_MAX >> up) return false;
    const int64_t four = sx << up;
    /* (2r - 1)^2 < 4x < (2r + 1)^2: a root is never half-way. Below a power of two the floats are
     * twice as dense. */
    if (sr == ONE && (4 * sr - 1) * (4 * sr - 1) > 4 * four) return false;
    return (2 * sr - 1) * (2 * sr - 1) < four && four < (2 * sr + 1) * (2 * sr + 1);
}

/* splitmix64 (Steele, Lea, Flood 2014) of a position. */
static uint64_t mix(uint64_t i) {
    return spc_mix((i + 1) * UINT64_C(0x9e3779b97f4a7c15));
}

/* significand * 2^exponent, exact and normal. */
static float compose(uint32_t sig, int exponent) {
    while (sig < ONE)
        sig <<= 1, --exponent;
    return spc_f32_of_bits((uint32_t)(exponent + 150) << 23 | (sig & (ONE - 1)));
}

/* Any finite number except 0; of moderate size unless subnormal numbers are allowed. */
static float any_float(uint64_t random, bool subnormal) {
    const uint32_t low = (uint32_t)random & (SIGN | (ONE - 1));
    const uint32_t exponent = (uint32_t)(random >> 32);
    if (!subnormal) return spc_f32_of_bits(low | (97 + exponent % 60) << 23);
    return spc_f32_of_bits(low | (exponent % 255) << 23 | 1);
}

/* What every division and root treats by itself: case i % 32 = 3 has one of them. */
#define POWER_OF_TWO(e) ((uint32_t)((e) + 127) << 23)
static const uint32_t special[] = {0,
                                   SIGN,
                                   INFINITE,
                                   SIGN | INFINITE,
                                   INFINITE | ONE >> 1, /* NaN */
                                   POWER_OF_TWO(0),
                                   POWER_OF_TWO(126),
                                   SIGN | POWER_OF_TWO(126),
                                   POWER_OF_TWO(-126)};
enum { SPECIAL = sizeof special / sizeof *special };

static bool is_special(uint32_t i) {
    return i % 32 == 3;
}

static float special_float(uint32_t i) {
    return spc_f32_of_bits(special[i % SPECIAL]);
}

/* The inverse of an odd number modulo 2^32, by Newton's iteration. */
static uint32_t inverse(uint32_t odd) {
    uint32_t x = odd;
    for (int k = 0; k < 5; ++k)
        x *= 2 - odd * x;
    return x;
}

void spc_hard_division(uint32_t i, bool subnormal, float *a, float *b) {
    const uint64_t random = mix(i);
    if (is_special(i)) {
        *a = special_float(i / 32);
        *b = special_float(i / 32 / SPECIAL);
        return;
    }
    *a = any_float(random, subnormal);
    *b = any_float(mix(random), subnormal);
    if (subnormal && i % 8 == 1) {
        /* a / b has the 24 bits of a, of which `cut` lie below the last one of a subnormal float.
         */
        const int exponent = 24 + (int)(random >> 58), cut = 1 + (int)(random >> 32 & 15);
        *a = compose(ONE | ((uint32_t)random & (ONE - 1)), exponent - 149 - cut);
        *b = compose(ONE, exponent - 23);
    }
    if (i % 2 != 0) return;
    /* m b = 2^24 a + k with m odd and k small: a / b is nearly m / 2^24, half-way between two
     * floats. */
    const uint32_t sig = ONE | ((uint32_t)random & (ONE - 1)) | 1;
    const int64_t size = 2 * (int64_t)((random >> 40) % 8) + 1, k = random >> 63 ? -size : size;
    const uint32_t low = (uint32_t)k * inverse(sig) & (2 * ONE - 1);
    const int64_t m = low | 2 * ONE;
    const uint32_t quotient = (uint32_t)((m * sig - k) >> 24);
    if (quotient >= 2 * ONE && quotient % 2 != 0) return;
    *a = quotient >= 2 * ONE ? compose(quotient / 2, -22) : compose(quotient, -23);
    *b = compose(sig, -23);
}

void spc_hard_root(uint32_t i, bool subnormal, float *x) {
    const uint64_t random = mix(~(uint64_t)i);
    *x = spc_f32_of_bits((uint32_t)random & 1
                             ? 0x3f800000u + (uint32_t)(random >> 40)
                             : 0x00800000u + (uint32_t)(random >> 33) % 0x7e000000u);
    if (is_special(i)) *x = special_float(i / 32);
    if (subnormal && i % 16 == 1) *x = spc_f32_of_bits((uint32_t)(random >> 33) % ONE);
    if (i % 2 != 0) return;
    /* m m = k modulo 2^25 with m odd and k small, bit by bit; then m m - k is 2^25 x', and the root
     * of x' is nearly m / 2^12.5: half-way between two floats. k = 1 modulo 8 has such roots. */
    const int64_t k = 8 * ((int64_t)(i / 2) % 4096 - 2048) + 1;
    int64_t m = 1 + 2 * (int64_t)(random & 1);
    for (int bit = 3; bit < 25; ++bit)
        if (((uint64_t)(m * m) - (uint64_t)k) >> bit & 1) m += INT64_C(1) << (bit - 1);
    m |= 2 * ONE;
    const int64_t squared = m * m - k;
    const uint32_t sig = (uint32_t)(squared >> 25);
    if ((int64_t)sig << 25 != squared || (sig >= 2 * ONE && sig % 2 != 0)) return;
    *x = sig >= 2 * ONE ? compose(sig / 2, -22) : compose(sig, -23);
}
