/* products.cl: the sums of docs/numerics.md, rule S, vector by vector. After panel.cl.
 *
 * Defines  ONE, TWO, FOUR: what is done with each vector of a panel, such as TOTAL, SUM,
 * MULTIPLY_ADD (v times what `from` points to) and FOLD, which keep a panel's sums t0 .. t3 of
 * blocks s0 .. s3; few wide cores: for one column, whose eight partial sums are a vector:
 * ADD_REST8, fold8, fold4
 */

#define VECTOR_1  REAL
#define VECTOR_2  REAL2
#define VECTOR_4  REAL4
#define VECTOR_8  REAL8
#define VECTOR_16 REAL16

#define ONE(M, n)  M(n, 0)
#define TWO(M, n)  M(n, 0) M(n, 1)
#define FOUR(M, n) M(n, 0) M(n, 1) M(n, 2) M(n, 3)

#define TOTAL(n, i)        VECTOR_##n t##i = 0;
#define SUM(n, i)          VECTOR_##n s##i = 0;
#define MULTIPLY_ADD(n, i) s##i += v * GET##n(from + i * n);
#define FOLD(n, i)         t##i += s##i;

#if !SPC_GPU

/* Add the terms 0 .. count - 1, the last ones of a block, fewer than eight. */
#define ADD_REST8(s, count, TERM)                                                                  \
    if ((count) > 0) {                                                                             \
        s.s0 += TERM(0);                                                                           \
        if ((count) > 1) s.s1 += TERM(1);                                                          \
        if ((count) > 2) s.s2 += TERM(2);                                                          \
        if ((count) > 3) s.s3 += TERM(3);                                                          \
        if ((count) > 4) s.s4 += TERM(4);                                                          \
        if ((count) > 5) s.s5 += TERM(5);                                                          \
        if ((count) > 6) s.s6 += TERM(6);                                                          \
    }

/* x itself, at no cost. LLVM compiles the sum of two elements of a vector to shuffles with
 * undefined elements, on which Oclgrind 21.10 aborts. There, this is a call, which prevents it. */
#if SPC_F64
#define LANE(x) convert_double(x)
#else
#define LANE(x) convert_float(x)
#endif

ALWAYS_INLINE REAL fold8(REAL8 s) {
    const REAL4 t = s.lo + s.hi;
    const REAL2 u = t.lo + t.hi;
    return LANE(u.x) + u.y;
}

/* The sum of the first `count` elements of p, at most four, without a branch on `count`. */
ALWAYS_INLINE REAL fold4(REAL4 p, OFFSET count) {
    const REAL p0 = count > 0 ? p.x : 0, p1 = count > 1 ? p.y : 0;
    const REAL p2 = count > 2 ? p.z : 0, p3 = count > 3 ? p.w : 0;
    return (p0 + p2) + (p1 + p3);
}

#endif
