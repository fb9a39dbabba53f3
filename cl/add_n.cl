/* add_n.cl: sums of several arrays. After panel.cl, products.cl and elements.cl.
 *
 * Defines  append_scaled, store_sums (row-sparse); add_terms (dense)
 * Range    append_scaled, store_sums: FOR_ROWS; add_terms: FOR_EACH_PART over a matrix
 * Memory   counts: counts[t] is the number of rows of the terms before number t. OFFSET is the type
 *          of the result's indices, INDEX that of the operand's
 * Order    add_terms: from left to right; append_scaled: one product for each element
 */

/* The rows of term t, times the factor, after those of the terms before it. */
KERNEL append_scaled(__global long *counts, int t, __global const INDEX *ids, long ids_at,
                     __global const STORED *values, long values_at, __global const long *count,
                     long count_at, long capacity, REAL factor, __global OFFSET *to_ids,
                     __global REAL *to_values, long width) {
    const long first = t ? counts[t] : 0;
    const long n = item_count(capacity, count, count_at);
    if (get_global_id(0) == 0) counts[t + 1] = first + n;
    FOURS((width & 3) == 0 && ALIGNED(values + values_at) && ALIGNED(to_values));
    FOR_ROWS_OF_FOURS(i, n) {
        __global const STORED *row = values + (values_at + i * width);
        __global REAL *to = to_values + (first + i) * width;
        if (FIRST_LANE) to_ids[first + i] = (OFFSET)ids[ids_at + i];
#define SCALE(n, j) STORE##n(factor * GET##n(row + j), to + j)
        PANELS(SCALE);
#undef SCALE
    }
}

/* The first rows, as many as fit. */
KERNEL store_sums(__global const OFFSET *ids, __global const REAL *sums, __global const long *found,
                  long capacity, __global OFFSET *to_ids, long to_ids_at,
                  __global STORED *to_values, long to_values_at, __global long *to_count,
                  long to_count_at, long width) {
    const long n = min(found[0], capacity);
    if (get_global_id(0) == 0) to_count[to_count_at] = n;
    FOURS((width & 3) == 0 && ALIGNED(sums) && ALIGNED(to_values + to_values_at));
    FOR_ROWS_OF_FOURS(i, n) {
        __global const REAL *row = sums + i * width;
        __global STORED *to = to_values + (to_values_at + i * width);
        if (FIRST_LANE) to_ids[to_ids_at + i] = ids[i];
#define KEEP(n, j) SET##n(LOAD##n(row + j), to + j)
        PANELS(KEEP);
#undef KEEP
    }
}

/* A dense term. */
#define TERM(x) __global const STORED *x, long x##_at, long x##_ld, REAL x##_factor
#define PART(x) (x + (x##_at + row * x##_ld + column))
#define PRODUCT(n, x, k) (x##_factor * GET##n(x##_part + k))

/* y := the sum, or with `to_sums` sums; it starts from sums with `adds`. */
KERNEL add_terms(int terms, TERM(a), TERM(b), TERM(c), TERM(d), __global REAL *sums, long sums_at,
                 long sums_ld, int adds, int to_sums, __global STORED *y, long y_at, long y_ld,
                 long m, long n) {
    FOR_EACH_PART(row, column, count, m, n) {
        __global const STORED *a_part = PART(a), *b_part = PART(b);
        __global const STORED *c_part = PART(c), *d_part = PART(d);
        __global REAL *old = PART(sums);
        __global STORED *to = PART(y);
#define ADD_TERMS(n, k)                                                                            \
    {                                                                                              \
        VECTOR_##n sum = PRODUCT(n, a, k);                                                         \
        if (adds) sum = LOAD##n(old + k) + sum;                                                    \
        if (terms > 1) sum += PRODUCT(n, b, k);                                                    \
        if (terms > 2) sum += PRODUCT(n, c, k);                                                    \
        if (terms > 3) sum += PRODUCT(n, d, k);                                                    \
        if (to_sums)                                                                               \
            STORE##n(sum, old + k);                                                                \
        else                                                                                       \
            SET##n(sum, to + k);                                                                   \
    }
        EACH_OF_PART(k, count, ADD_TERMS)
#undef ADD_TERMS
    }
}
