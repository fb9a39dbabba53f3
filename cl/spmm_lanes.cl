/* spmm_lanes.cl: the sums of spmm.cl on many lanes. After spmm.cl.
 *
 * Defines  spmm
 * Range    one group per partition (cl/partition.cl)
 * Memory   one column: the products of a partition's entries in local memory, loaded in order; up
 *          to eight columns: the entries themselves. A lane has four columns of a row where those
 *          of B are aligned, else one
 * Order    docs/numerics.md, rule S
 */
#if SPC_GPU

/* A segment of a partition: a head block, a complete row, or the tail. */
typedef struct {
    long begin, end; /* entries */
    __global STORED *to;
    REAL alpha, beta;
} segment;

/* The work of a partition. */
typedef struct {
    partition rows;
    long complete, segments;
    __global STORED *c;
    __global REAL *head, *tail; /* head: the carry's slots for head blocks, tail: its slot */
    long ldc, n;
    REAL alpha, beta;
} job;

static segment find_segment(ROW_PARAMS, const job *d, long i) {
    const partition s = d->rows;
    segment p = {0, 0, d->c, 1, 0};
    if (i < s.head_blocks) {
        p.begin = offsets[s.begin.row] + (s.begin.block + i) * SPC_BLOCK;
        p.end = min(p.begin + SPC_BLOCK, (long)offsets[s.begin.row + 1]);
        p.to = (__global STORED *)(d->head + i * d->n);
    } else if (i < s.head_blocks + d->complete) {
        const long row = s.first + i - s.head_blocks;
        p.begin = offsets[row];
        p.end = offsets[row + 1];
        p.to += RESULT_ROW(row) * d->ldc;
        p.alpha = d->alpha;
        p.beta = d->beta;
    } else if (i < d->segments) {
        p.begin = offsets[s.end.row];
        p.end = p.begin + s.end.block * SPC_BLOCK;
        p.to = (__global STORED *)d->tail;
    }
    return p;
}

/* Where C has 16 bits, the carry has other elements: `to` of a head block or a tail points to REAL,
 * and the sum itself is stored. */
static int is_carry(const job *d, long i) {
    return STORES_HALVES && (i < d->rows.head_blocks || i >= d->rows.head_blocks + d->complete);
}

static long first_entry(ROW_PARAMS, const job *d) {
    return find_segment(ROW_ARGS, d, 0).begin;
}
static long last_entry(ROW_PARAMS, const job *d) {
    return find_segment(ROW_ARGS, d, max(d->segments - 1, 0L)).end;
}

/* Maximum of entries of a partition in local memory: FEW_PARTITION of src/ops/partition.c, and a
 * block that begins in it. For products of up to FEW columns. */
#define TILE 768
#define FEW  8

/* --- one column ------------------------------------------------------------------------------ */

/* The sum of a block by one lane. */
ALWAYS_INLINE REAL block_sum(__local const REAL *q, long count) {
    REAL p0 = 0, p1 = 0, p2 = 0, p3 = 0, p4 = 0, p5 = 0, p6 = 0, p7 = 0;
    long k = 0;
    IN_ORDER
    for (; count - k >= 8; k += 8) {
        p0 += q[k], p1 += q[k + 1], p2 += q[k + 2], p3 += q[k + 3];
        p4 += q[k + 4], p5 += q[k + 5], p6 += q[k + 6], p7 += q[k + 7];
    }
    if (k < count) p0 += q[k];
    if (k + 1 < count) p1 += q[k + 1];
    if (k + 2 < count) p2 += q[k + 2];
    if (k + 3 < count) p3 += q[k + 3];
    if (k + 4 < count) p4 += q[k + 4];
    if (k + 5 < count) p5 += q[k + 5];
    if (k + 6 < count) p6 += q[k + 6];
    return ((p0 + p4) + (p2 + p6)) + ((p1 + p5) + (p3 + p7));
}

/* The same by eight lanes, with one partial sum each. All lanes of the group must call it. */
ALWAYS_INLINE REAL fold_eight(__local REAL *p, REAL sum) {
    const int i = get_local_id(0), l = i & 7;
    p[i] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 4; step > 0; step /= 2) {
        if (l < step) p[i] += p[i + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    sum = p[i - l];
    barrier(CLK_LOCAL_MEM_FENCE);
    return sum;
}

ALWAYS_INLINE REAL lane_sum(__local const REAL *q, long first, long last) {
    REAL sum = 0;
    IN_ORDER
    for (long k = first + (get_local_id(0) & 7); k < last; k += 8) sum += q[k];
    return sum;
}

/* Store the sum of a segment. (A call for values of 16 bits: where it is inlined, PoCL 3.1 stores for
 * all lanes, whatever the condition around it.) */
#if STORES_HALVES
static __attribute__((noinline))
#else
ALWAYS_INLINE
#endif
void put_element(segment p, int carries, REAL sum) {
    if (carries)
        *(__global REAL *)p.to = sum;
    else
        WRITE_AT(p.to, 0, finish(sum, p.alpha, p.beta, p.to));
}

/* Many segments: one lane for each. Few segments, which are long: eight lanes for each. */
ALWAYS_INLINE void one_column(ROW_PARAMS, const job *d, __global const STORED *b, long ldb,
                              long first, long last, long blocks, __local REAL *products,
                              __local REAL *fold) {
    const int lane = get_local_id(0);
    for (long k = first + lane; k < last; k += GROUP)
        products[k - first] = READ_AT(values, k) * READ_AT(b, cols[k] * ldb);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (d->segments > GROUP / 8) {
        for (long i = lane; i < d->segments; i += GROUP) {
            const segment p = find_segment(ROW_ARGS, d, i);
            REAL total = 0;
            IN_ORDER
            for (long k = p.begin; k < p.end; k += SPC_BLOCK)
                total += block_sum(products + (k - first), min((long)SPC_BLOCK, p.end - k));
            put_element(p, is_carry(d, i), total);
        }
        return;
    }
    const segment p = find_segment(ROW_ARGS, d, lane / 8); /* an empty one past the last */
    REAL total = 0;
    IN_ORDER
    for (long j = 0; j < blocks; ++j) {
        const long begin = min(p.begin + j * SPC_BLOCK, p.end);
        const long end = min(begin + SPC_BLOCK, p.end);
        const REAL sum = fold_eight(fold, lane_sum(products, begin - first, end - first));
        if (begin < end) total += sum;
    }
    if (lane / 8 < d->segments && (lane & 7) == 0) put_element(p, is_carry(d, lane / 8), total);
}

/* --- more columns ---------------------------------------------------------------------------- */

#define READ1(p) READ_AT(p, 0)
#define READ4(p) WIDEN4(*(__global const STORED4 *)(p))
#define OWN_AT(p, i) ((p)[i])

/* A lane has columns j .. j + w of a row. Entries are in address space SPACE, their values of type
 * VALUE, read with AT; those of the partition begin at `first`. */
#define SOME_COLUMNS(name, w, TYPE, SPACE, VALUE, AT)                                              \
    static TYPE name##_sum(SPACE const INDEX *cols, SPACE const VALUE *values, long count,         \
                           __global const STORED *b, long ldb) {                                   \
        TYPE total = 0;                                                                            \
        IN_ORDER                                                                                   \
        for (long begin = 0; begin < count; begin += SPC_BLOCK) {                                  \
            const long end = min(begin + SPC_BLOCK, count);                                        \
            TYPE sum = 0;                                                                          \
            IN_ORDER                                                                               \
            for (long k = begin; k < end; ++k) sum += AT(values, k) * READ##w(b + cols[k] * ldb);  \
            total += sum;                                                                          \
        }                                                                                          \
        return total;                                                                              \
    }                                                                                              \
    static void name(ROW_PARAMS, const job *d, __global const STORED *b, long ldb, long first,     \
                     SPACE const INDEX *own_cols, SPACE const VALUE *own_values) {                 \
        const int lanes = lanes_for(d->n / w, GROUP), lane = get_local_id(0) & (lanes - 1);        \
        for (long i = get_local_id(0) / lanes; i < d->segments; i += GROUP / lanes) {              \
            const segment p = find_segment(ROW_ARGS, d, i);                                        \
            for (long j = lane * w; j < d->n; j += lanes * w) {                                    \
                const TYPE sum = name##_sum(own_cols + (p.begin - first),                          \
                                            own_values + (p.begin - first), p.end - p.begin,       \
                                            b + j, ldb);                                           \
                if (is_carry(d, i)) {                                                              \
                    STORE##w(sum, (__global REAL *)p.to + j);                                      \
                    continue;                                                                      \
                }                                                                                  \
                const TYPE scaled = p.beta == 0                                                    \
                                        ? p.alpha * sum                                            \
                                        : p.alpha * sum + p.beta * GET##w(p.to + j);               \
                SET##w(scaled, p.to + j);                                                          \
            }                                                                                      \
        }                                                                                          \
    }

SOME_COLUMNS(columns_1, 1, REAL, __global, STORED, READ_AT)
SOME_COLUMNS(columns_4, 4, REAL4, __global, STORED, READ_AT)
SOME_COLUMNS(few_columns_1, 1, REAL, __local, REAL, OWN_AT)
SOME_COLUMNS(few_columns_4, 4, REAL4, __local, REAL, OWN_AT)

KERNEL spmm(MATRIX, __global const STORED *b, long b_at, long ldb, __global STORED *c, long c_at,
            long ldc, long n, REAL alpha, REAL beta, __global REAL *carry, long slots,
            int distance, int stream, int scalar, int unsplit) {
    __local REAL products[TILE], fold[GROUP];
    __local INDEX own_cols[TILE];
    OPEN_MATRIX;
    b += b_at;
    const long w = get_group_id(0), partitions = get_num_groups(0);
    const partition mine = find_partition(offsets, rows, partitions, w);
    const long complete = max(mine.last - mine.first, 0L);
    const job d = {mine,
                   complete,
                   mine.head_blocks + complete + mine.has_tail,
                   c + c_at,
                   carry + w * slots * n,
                   carry + (partitions * slots + w) * n,
                   ldc,
                   n,
                   alpha,
                   beta};
    const long first = first_entry(ROW_ARGS, &d), last = last_entry(ROW_ARGS, &d);
    const int fours = ((n | ldb) & 3) == 0 && ((size_t)b & (sizeof(STORED4) - 1)) == 0;
    if (n == 1) {
        one_column(ROW_ARGS, &d, b, ldb, first, last, slots, products, fold);
    } else if (n <= FEW && last - first <= TILE) {
        for (long k = first + get_local_id(0); k < last; k += GROUP) {
            own_cols[k - first] = cols[k];
            products[k - first] = READ_AT(values, k);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (fours)
            few_columns_4(ROW_ARGS, &d, b, ldb, first, own_cols, products);
        else
            few_columns_1(ROW_ARGS, &d, b, ldb, first, own_cols, products);
    } else if (fours) {
        columns_4(ROW_ARGS, &d, b, ldb, 0, cols, values);
    } else {
        columns_1(ROW_ARGS, &d, b, ldb, 0, cols, values);
    }
}

#endif
