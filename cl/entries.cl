/* entries.cl: loops over the entries of the rows of a CSR matrix, or over runs of items. After
 * scan.cl.
 *
 * Defines  EACH_ENTRY
 */

/* CALL(k, r) for each entry k < n, in row r: offsets[r] <= k < offsets[r + 1]. */
#if SPC_GPU
#define EACH_ENTRY(offsets, rows, n, CALL)                                                         \
    FOR_EACH(k, n) {                                                                               \
        const long r = find_offset(offsets, 0, (rows) + 1, k + 1) - 1;                             \
        CALL(k, r);                                                                                \
    }
#else
#define EACH_ENTRY(offsets, rows, n, CALL)                                                         \
    for (long chunks = get_num_groups(0), chunk = get_group_id(0),                                 \
              k = chunk_begin(n, chunks, chunk), end = chunk_begin(n, chunks, chunk + 1), r = 0;   \
         k < end;) {                                                                               \
        r = find_offset(offsets, r, (rows) + 1, k + 1) - 1;                                        \
        for (const long last = min((long)(offsets)[r + 1], end); k < last; ++k) {                  \
            CALL(k, r);                                                                            \
        }                                                                                          \
    }
#endif
