/* entry_sums.cl: entries of one position, which are added.
 *
 * Defines  VALUE, PUT_RUN(to, values, k, end): *to := the sum of the entries k .. end - 1
 * Order    docs/numerics.md, rule R
 * Variant  VALUE is WORD, which is only moved: there is one entry; without it STORED
 */
#if SPC_VARIANT

typedef WORD VALUE;
#define PUT_RUN(to, values, k, end) (to)[0] = (values)[k]

#else

typedef STORED VALUE;

/* The sum of at least two entries. */
static REAL sum_run(__global const VALUE *values, long begin, long end) {
    REAL total = 0;
    IN_ORDER
    for (long first = begin; first < end; first += SPC_BLOCK) {
        const long last = min(first + SPC_BLOCK, end);
        REAL sum = READ_AT(values, first);
        IN_ORDER
        for (long k = first + 1; k < last; ++k) sum += READ_AT(values, k);
        total = first == begin ? sum : total + sum;
    }
    return total;
}

/* One entry keeps its bits. */
#define PUT_RUN(to, values, k, end)                                                                \
    do {                                                                                           \
        if ((end) - (k) == 1)                                                                      \
            (to)[0] = (values)[k];                                                                 \
        else                                                                                       \
            WRITE_AT(to, 0, sum_run(values, k, end));                                              \
    } while (0)

#endif
