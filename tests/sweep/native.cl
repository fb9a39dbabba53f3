/* native.cl: what the kernels call, for kernels that are compiled as host code. In front of prelude.cl.
 * Groups have one work-item, so a barrier is nothing; native.c says which item it is. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define get_global_id(d)   native_item_now()
#define get_group_id(d)    native_item_now()
#define get_global_size(d) native_items_now()
#define get_num_groups(d)  native_items_now()
#define get_local_id(d)    ((size_t)0)
#define get_local_size(d)  ((size_t)1)
#define barrier(fence)     ((void)(fence))
size_t native_item_now(void);
size_t native_items_now(void);

#define OVERLOAD static inline __attribute__((overloadable, unused))
#define CHOICE(T)                                                                                  \
    OVERLOAD T native_min(T a, T b) { return b < a ? b : a; }                                      \
    OVERLOAD T native_max(T a, T b) { return a < b ? b : a; }                                      \
    OVERLOAD T native_clamp(T x, T low, T high) { return native_min(native_max(x, low), high); }
CHOICE(int)
CHOICE(uint)
CHOICE(long)
CHOICE(ulong)
CHOICE(float)
CHOICE(double)
OVERLOAD float native_sqrt(float x) { return __builtin_sqrtf(x); }
OVERLOAD double native_sqrt(double x) { return __builtin_sqrt(x); }
#define ROOTS(T, N)                                                                                \
    OVERLOAD T##N native_sqrt(T##N x) {                                                            \
        for (int i = 0; i < N; ++i) x[i] = native_sqrt(x[i]);                                      \
        return x;                                                                                  \
    }
ROOTS(float, 2)
ROOTS(float, 4)
ROOTS(float, 8)
ROOTS(float, 16)
ROOTS(double, 2)
ROOTS(double, 4)
ROOTS(double, 8)
ROOTS(double, 16)
OVERLOAD float native_fabs(float x) { return __builtin_fabsf(x); }
OVERLOAD double native_fabs(double x) { return __builtin_fabs(x); }
OVERLOAD uint native_atomic_min(__global uint *p, uint x) {
    const uint before = *p;
    *p = native_min(before, x);
    return before;
}
OVERLOAD int native_atomic_min(volatile __global int *p, int x) {
    const int before = *p;
    *p = native_min(before, x);
    return before;
}
OVERLOAD uint native_atomic_add(__global uint *p, uint x) {
    const uint before = *p;
    *p = before + x;
    return before;
}
#define ANY(T, N)                                                                                  \
    OVERLOAD int native_any(T##N x) {                                                              \
        int found = 0;                                                                             \
        for (int i = 0; i < N; ++i) found |= x[i] < 0;                                             \
        return found;                                                                              \
    }
ANY(int, 2)
ANY(int, 4)
ANY(int, 8)
ANY(int, 16)
ANY(long, 2)
ANY(long, 4)
ANY(long, 8)
ANY(long, 16)
OVERLOAD int native_clz(uint x) { return x ? __builtin_clz(x) : 32; }
OVERLOAD int native_clz(ulong x) { return x ? __builtin_clzl(x) : 64; }
#define ROUNDING(name)                                                                             \
    OVERLOAD float native_##name(float x) { return __builtin_##name##f(x); }                       \
    OVERLOAD double native_##name(double x) { return __builtin_##name(x); }
ROUNDING(round)
ROUNDING(rint)
ROUNDING(floor)
ROUNDING(ceil)
ROUNDING(trunc)
OVERLOAD uint native_mul_hi(uint a, uint b) { return (uint)((ulong)a * b >> 32); }
OVERLOAD ulong native_mul_hi(ulong a, ulong b) { return (ulong)((unsigned __int128)a * b >> 64); }
OVERLOAD uint native_popcount(uint x) { return (uint)__builtin_popcount(x); }
OVERLOAD ulong native_popcount(ulong x) { return (ulong)__builtin_popcountl(x); }
#define min  native_min
#define max  native_max
#define clamp native_clamp
#define fmin native_min
#define fmax native_max
#define sqrt native_sqrt
#define fabs native_fabs
#define clz  native_clz
#define any  native_any
#define round native_round
#define rint native_rint
#define floor native_floor
#define ceil native_ceil
#define trunc native_trunc
#define mul_hi native_mul_hi
#define popcount native_popcount
#define atomic_min native_atomic_min
#define atomic_add native_atomic_add
#define atomic_inc(p) native_atomic_add((p), 1)
#define isfinite(x) __builtin_isfinite(x)
#define convert_float(x)  ((float)(x))
#define convert_double(x) ((double)(x))

/* The elements one by one, so that each access is checked. */
#define VECTOR(T, N, SPACE)                                                                        \
    OVERLOAD T##N native_vload##N(size_t at, const SPACE T *p) {                                   \
        T##N x;                                                                                    \
        for (int i = 0; i < N; ++i) x[i] = p[at * N + i];                                          \
        return x;                                                                                  \
    }                                                                                              \
    OVERLOAD void native_vstore##N(T##N x, size_t at, SPACE T *p) {                                \
        for (int i = 0; i < N; ++i) p[at * N + i] = x[i];                                          \
    }
#define VECTORS(T, SPACE)                                                                          \
    VECTOR(T, 2, SPACE)                                                                            \
    VECTOR(T, 4, SPACE)                                                                            \
    VECTOR(T, 8, SPACE)                                                                            \
    VECTOR(T, 16, SPACE)
VECTORS(int, __global)
VECTORS(uint, __global)
VECTORS(long, __global)
VECTORS(ulong, __global)
VECTORS(float, __global)
VECTORS(double, __global)
VECTORS(int, __private)
VECTORS(long, __private)
VECTORS(float, __private)
VECTORS(double, __private)
VECTORS(uchar, __global)
VECTORS(ushort, __global)

/* What bucket_order.cl takes items apart with. */
#define CONVERT(T)                                                                                 \
    OVERLOAD T##16 convert_##T##16(ulong16 x) {                                                    \
        return __builtin_convertvector(x, T##16);                                                  \
    }
CONVERT(int)
CONVERT(uint)
CONVERT(long)

/* What philox.cl multiplies. */
OVERLOAD ulong16 convert_ulong16(uint16 x) { return __builtin_convertvector(x, ulong16); }

/* What halves.cl converts. */
#define convert_uint(x)   ((uint)(x))
#define convert_ushort(x) ((ushort)(x))
#define HALVES(N)                                                                                  \
    OVERLOAD uint##N convert_uint##N(ushort##N x) { return __builtin_convertvector(x, uint##N); }  \
    OVERLOAD float##N convert_float##N(uint##N x) { return __builtin_convertvector(x, float##N); } \
    OVERLOAD ushort##N convert_ushort##N(uint##N x) {                                              \
        return __builtin_convertvector(x, ushort##N);                                              \
    }
HALVES(2)
HALVES(4)
HALVES(8)
HALVES(16)

/* What half_states.cl needs. */
#define RANDOM_HALVES(N)                                                                           \
    OVERLOAD uint##N native_clamp(uint##N x, uint##N low, uint##N high) {                          \
        x = x < low ? low : x;                                                                     \
        return x > high ? high : x;                                                                \
    }
RANDOM_HALVES(2)
RANDOM_HALVES(4)
RANDOM_HALVES(8)
RANDOM_HALVES(16)
#define NARROW_WORDS(N)                                                                            \
    OVERLOAD uint##N convert_uint##N(ulong##N x) { return __builtin_convertvector(x, uint##N); }
NARROW_WORDS(2)
NARROW_WORDS(4)
NARROW_WORDS(8)
#define vload2   native_vload2
#define vload4   native_vload4
#define vload8   native_vload8
#define vload16  native_vload16
#define vstore2  native_vstore2
#define vstore4  native_vstore4
#define vstore8  native_vstore8
#define vstore16 native_vstore16
