/* elements.cl: loop over the elements of a dense matrix whose rows may have gaps.
 *
 * Defines  FOR_EACH_PART, IN_ANY_ORDER, STORE_EACH, STORE_EACH_BY, EACH_OF_PART
 */

/* FOR_EACH_PART(row, column, count, m, n): those elements of a matrix [m, n], n > 0, that this
 * work-item processes: `count` elements of `row` from `column` on. A lane gets one element at a
 * time, in a grid-stride loop that divides only at its start; a CPU worker gets a contiguous chunk
 * of all elements, row by row. */
#if SPC_GPU

#define FOR_EACH_PART(row, column, count, m, n)                                                    \
    const long count = 1, row##_step = (long)get_global_size(0) / (n);                             \
    const long column##_step = (long)get_global_size(0) - row##_step * (n);                        \
    for (long row = (long)get_global_id(0) / (n), column = (long)get_global_id(0) - row * (n);     \
         row < (m); row += row##_step + (column + column##_step >= (n)),                           \
              column += column##_step - (column + column##_step >= (n) ? (n) : 0))

#else

#define FOR_EACH_PART(row, column, count, m, n)                                                    \
    const long row##_end = chunk_begin((m) * (n), get_global_size(0), get_global_id(0) + 1);       \
    long row##_at = chunk_begin((m) * (n), get_global_size(0), get_global_id(0));                  \
    for (long row = row##_at / (n), column = row##_at - row * (n), count;                          \
         (count = min((n) - column, row##_end - row##_at)) > 0;                                    \
         row##_at += count, ++row, column = 0)

#endif

/* Before a loop over elements whose result may be an operand: compilers may use vectors. */
#if defined(__clang__)
#define IN_ANY_ORDER _Pragma("clang loop vectorize(assume_safety)")
#else
#define IN_ANY_ORDER
#endif

/* to[k] = value for the elements k of a part; `to` may be an operand. STORE_EACH_BY: by another
 * macro than WRITE_AT. */
#define STORE_EACH(to, k, count, value) STORE_EACH_BY(WRITE_AT, to, k, count, value)
#define STORE_EACH_BY(WRITE, to, k, count, value)                                                  \
    IN_ANY_ORDER                                                                                   \
    for (long k = 0; k < (count); ++k) WRITE(to, k, value)

/* EACH_OF_PART(k, count, body): body(n, k) for each vector of a part, elements k .. k + n. */
#if SPC_GPU
#define EACH_OF_PART(k, count, body)                                                               \
    for (long k = 0; k < (count); ++k) body(1, k)
#else
#define EACH_OF_PART(k, count, body)                                                               \
    long k = 0;                                                                                    \
    for (; k + 16 <= (count); k += 16) body(16, k)                                                 \
    for (; k + 4 <= (count); k += 4) body(4, k)                                                    \
    for (; k < (count); ++k) body(1, k)
#endif
