/* prelude.cl: the beginning of every program.
 *
 * Defines  REAL, STORED, WORD, INDEX, OFFSET, SIZE (types chosen by the build options), STORES_HALVES,
 *          READ_AT, WRITE_AT, GROUP (work-items of a group), FOR_EACH, IN_ORDER, ALWAYS_INLINE,
 *          PREFETCH, STORE_SIXTEEN, STREAM_SIXTEEN, DIVIDE, ROOT, SPC_BLOCK, item_count, load_int,
 *          item_count_of, store_int, row_of_entry
 * Macros   SPC_GPU (many lanes) or not (few wide cores); SPC_F64, SPC_INDEX64, SPC_OFFSET64,
 *          SPC_VALUE64, SPC_VARIANT, SPC_SMALL: 0 or 1; SPC_F16, SPC_BF16, SPC_WORD8, SPC_WORD16: 1 or
 *          undefined; SPC_FORM: which form of its formula a rule computes, SPC_PREPARE: with what comes
 *          before it (step.cl), SPC_STATES: SPC_STATES_F16 or SPC_STATES_BF16 where states have 16
 *          bits, all 0 by default; SPC_GROUP: work-items of a group of lanes;
 *          SPC_OWN_DIVIDE: the device's
 *          divide and square root are not correctly rounded; SPC_HINTS: the compiler supports cache
 *          hints
 */
#pragma OPENCL FP_CONTRACT OFF

#ifndef SPC_FORM
#define SPC_FORM 0
#define SPC_PREPARE 0
#endif
#ifndef SPC_SMALL
#define SPC_SMALL 0
#endif
#ifndef SPC_STATES
#define SPC_STATES 0
#endif
#define SPC_STATES_F16  1
#define SPC_STATES_BF16 2

#if SPC_F64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double REAL;
typedef double2 REAL2;
typedef double4 REAL4;
typedef double8 REAL8;
typedef double16 REAL16;
#else
typedef float REAL;
typedef float2 REAL2;
typedef float4 REAL4;
typedef float8 REAL8;
typedef float16 REAL16;
#endif

/* Values as they are stored. Kernels read and write them with READ_AT and WRITE_AT, which convert
 * F16 and BF16 (halves.cl). WORD: values that are only moved. */
#if SPC_F16 || SPC_BF16
#define STORES_HALVES 1
#else
#define STORES_HALVES 0
typedef REAL STORED;
typedef REAL2 STORED2;
typedef REAL4 STORED4;
typedef REAL8 STORED8;
typedef REAL16 STORED16;
#define READ_AT(p, i)     ((p)[i])
#define WRITE_AT(p, i, x) ((p)[i] = (x))
#endif

#if SPC_WORD8
typedef uchar WORD;
#elif SPC_WORD16
typedef ushort WORD;
#elif SPC_VALUE64
typedef ulong WORD;
#else
typedef uint WORD;
#endif

#if SPC_INDEX64
typedef long INDEX;
#else
typedef int INDEX;
#endif

#if SPC_OFFSET64
typedef long OFFSET;
#else
typedef int OFFSET;
#endif

/* Positions and strides of elements inside kernels on many lanes: 32 bits where no array of the call
 * has 2^31 elements. */
#if SPC_SMALL
typedef int SIZE;
#else
typedef long SIZE;
#endif

/* Before KERNEL: where 32 lanes, which Intel's GPU compiler else takes, do not fit its registers. */
#if SPC_GPU && defined(cl_intel_required_subgroup_size)
#define LANES_16 __attribute__((intel_reqd_sub_group_size(16)))
#else
#define LANES_16
#endif
#if SPC_F64
#define SUB_GROUP LANES_16
#else
#define SUB_GROUP
#endif
#define KERNEL __kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) SUB_GROUP void

/* Before every loop that adds floating-point numbers into one scalar: Intel's CPU compiler
 * vectorises such a sum, and so changes the order of its additions, although no option allows it.
 */
#if defined(__clang__)
#define IN_ORDER _Pragma("clang loop vectorize(disable)")
#else
#define IN_ORDER
#endif

/* For functions that must be inlined into each caller. */
#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* A hint that the cache line at p will be used soon. */
#if SPC_HINTS
#define PREFETCH(p) __builtin_prefetch((const void *)(size_t)(p))
#else
#define PREFETCH(p) ((void)0)
#endif

/* Store sixteen elements of type T at p, with any alignment. STREAM_SIXTEEN uses a non-temporal
 * store where p is aligned for it. (PoCL 3.1 compiles a vstore16 to three stores.) */
#if SPC_HINTS
#define STORE_SIXTEEN(T, x, p)                                                                     \
    do {                                                                                           \
        typedef T##16 unaligned __attribute__((aligned(sizeof(T))));                               \
        *(__global unaligned *)(p) = (x);                                                          \
    } while (0)
#define STREAM_SIXTEEN(T, x, p)                                                                    \
    do {                                                                                           \
        if (((size_t)(p) & (sizeof(T##16) - 1)) == 0)                                              \
            __builtin_nontemporal_store(x, (__global T##16 *)(p));                                 \
        else                                                                                       \
            STORE_SIXTEEN(T, x, p);                                                                \
    } while (0)
#else
#define STORE_SIXTEEN(T, x, p) vstore16(x, 0, p)
#define STREAM_SIXTEEN(T, x, p) vstore16(x, 0, p)
#endif

/* Longer rows and runs are summed in blocks of this many entries: docs/numerics.md. */
#define SPC_BLOCK 256

/* Where chunk w begins when n items are divided into chunks of equal size, the last ones smaller or
 * empty. (No kernel computes quotient and remainder of the same two numbers: LLVM then emits a
 * `freeze` instruction, which Oclgrind 21.10 does not support.) */
static long chunk_begin(long n, long chunks, long w) {
    return min((n + chunks - 1) / chunks * w, n);
}

/* Loop over 0 .. n-1: contiguous chunks for CPU workers, a grid-stride loop for GPU lanes. */
#if SPC_GPU
#define GROUP SPC_GROUP
#define FOR_EACH(i, n) for (long i = get_global_id(0); i < (n); i += get_global_size(0))
#else
#define GROUP 1
#define FOR_EACH(i, n)                                                                             \
    for (long i = chunk_begin(n, get_global_size(0), get_global_id(0)),                            \
              i##_end = chunk_begin(n, get_global_size(0), get_global_id(0) + 1);                  \
         i < i##_end; ++i)
#endif

/* Number of items: the count on the device, or the capacity where there is no count. */
static long item_count(long capacity, __global const long *count, long count_at) {
    return count ? clamp(count[count_at], 0L, capacity) : capacity;
}

/* Integer i of an array of int, or with is64 of long. */
static long load_int(__global const void *p, int is64, long i) {
    return is64 ? ((__global const long *)p)[i] : (long)((__global const int *)p)[i];
}

/* The same as item_count, of an array of int, or with is64 of long. */
static long item_count_of(long capacity, __global const void *count, int is64, long at) {
    return count ? clamp(load_int(count, is64, at), 0L, capacity) : capacity;
}

static void store_int(__global void *p, int is64, long i, long x) {
    if (is64)
        ((__global long *)p)[i] = x;
    else
        ((__global int *)p)[i] = (int)x;
}

/* The row of entry k, which is in one of the rows low .. high - 1. */
ALWAYS_INLINE SIZE row_of_entry(__global const OFFSET *offsets, SIZE low, SIZE high, SIZE k) {
    while (high - low > 1) { /* offsets[low] <= k < offsets[high] */
        const SIZE middle = low + (high - low) / 2;
        if ((SIZE)offsets[middle] <= k)
            low = middle;
        else
            high = middle;
    }
    return low;
}

#if SPC_OWN_DIVIDE

/* Round sig * 2^(exponent - 24), sig in [2^24, 2^25), to the nearest float, ties to even. `sticky`:
 * lower bits that are not 0 were cut off. */
static float round_to_float(uint sig, int exponent, int sticky, uint sign) {
    /* sig has one bit more than a float holds. */
    int biased = exponent + 127;
    if (biased <= 0) { /* subnormal: shift right first */
        const int shift = 1 - biased;
        if (shift > 26) return as_float(sign);
        sticky |= (sig & ((1u << shift) - 1u)) != 0;
        sig >>= shift;
        biased = 0;
    }
    const uint half_bit = sig & 1u;
    uint kept = sig >> 1;
    kept += half_bit & (uint)(sticky | (int)(kept & 1u));
    /* Adding lets a carry move into the exponent. */
    const uint bits = biased == 0 ? kept : (((uint)biased << 23) + (kept - (1u << 23)));
    return as_float(sign | min(bits, 0x7f800000u));
}

/* The significand in [2^23, 2^24) and the exponent of a finite number that is not 0. */
static uint decompose(float x, int *exponent) {
    uint bits = as_uint(x) & 0x7fffffffu;
    uint sig = bits & 0x7fffffu;
    int e = (int)(bits >> 23);
    if (e == 0) {
        const int shift = (int)clz(sig) - 8;
        sig <<= shift;
        e = 1 - shift;
    } else {
        sig |= 0x800000u;
    }
    *exponent = e - 127;
    return sig;
}

/* a / b, correctly rounded, from integer arithmetic. */
static float own_divide(float a, float b) {
    const uint sign = (as_uint(a) ^ as_uint(b)) & 0x80000000u;
    const uint ma = as_uint(a) & 0x7fffffffu, mb = as_uint(b) & 0x7fffffffu;
    if (ma > 0x7f800000u || mb > 0x7f800000u || (ma == 0 && mb == 0) ||
        (ma == 0x7f800000u && mb == 0x7f800000u))
        return NAN;
    if (ma == 0x7f800000u || mb == 0) return as_float(sign | 0x7f800000u);
    if (ma == 0 || mb == 0x7f800000u) return as_float(sign);
    int ea, eb;
    const ulong sa = decompose(a, &ea);
    const uint sb = decompose(b, &eb);
    int e = ea - eb;
    ulong n = sa << 25;
    if (sa < sb) n <<= 1, --e;
    n >>= 1; /* quotient in [2^24, 2^25) */
    const ulong q = n / sb;
    return round_to_float((uint)q, e, q * sb != n, sign);
}

/* sqrt(x), correctly rounded: one integer Newton step from the device's root. No loop: Mesa's
 * llvmpipe stops all loops of a work-item after 65535 iterations, without an error. */
static float own_root(float x) {
    const uint bits = as_uint(x);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return NAN;
    if ((bits & 0x7fffffffu) == 0) return x;
    if (bits & 0x80000000u) return NAN;
    if (bits == 0x7f800000u) return x;
    int e;
    ulong s = decompose(x, &e);
    if (e & 1) s <<= 1, --e;
    /* root of s * 2^25, which lies in [2^24, 2^25); the step comes from above, by less than 1 */
    const ulong n = s << 25;
    ulong root = (ulong)sqrt((float)n);
    root = (root + n / root) >> 1;
    if (root * root > n) --root;
    return round_to_float((uint)root, e / 2, root * root != n, 0u);
}

#if SPC_F64
/* The rounding option is for float only: OpenCL's double divide and root are always exact. */
#define DIVIDE(a, b) ((a) / (b))
#define ROOT(x) sqrt(x)
#else
#define DIVIDE(a, b) own_divide((a), (b))
#define ROOT(x) own_root(x)
#endif
#else
#define DIVIDE(a, b) ((a) / (b))
#define ROOT(x) sqrt(x)
#endif
