/* bags.cl: bags of indices, as the kernels of embedding.cl and embedding_gradient.cl read them. After
 * panel.cl.
 *
 * Defines  bag_list, BAGS and OPEN_BAGS (the arguments of a kernel as one), row_of, distance_of,
 *          prefetch_entry, weight_of, bag_begin, bag_end, divisor_of, fold_partial
 * Memory   all indices and offsets are brought into range, whatever they are
 */

#define MEAN  1
#define SQRTN 2
#define MAX   3
#define CLAMP 1

/* include/sparcl/ops/layers.h: sparcl_bags */
typedef struct {
    __global const INDEX *ids;
    __global const OFFSET *offsets; /* or NULL */
    __global const STORED *weights; /* or NULL */
    long bags, count, limit, padding;
    int has_last, mode, bounds, has_padding;
} bag_list;

#define BAGS                                                                                       \
    __global const INDEX *ids, long ids_at, __global const OFFSET *offsets, long offsets_at,       \
        __global const STORED *weights, long weights_at, long bags, long count, long limit,        \
        long padding, int has_last, int mode, int bounds, int has_padding
#define OPEN_BAGS                                                                                  \
    const bag_list b = {ids + ids_at,                                                              \
                        offsets ? offsets + offsets_at : 0,                                        \
                        weights ? weights + weights_at : 0,                                        \
                        bags,                                                                      \
                        count,                                                                     \
                        limit,                                                                     \
                        padding,                                                                   \
                        has_last,                                                                  \
                        mode,                                                                      \
                        bounds,                                                                    \
                        has_padding}

/* The row of entry k; -1: it is left out. (Mesa's compiler loses the sign of an index that is
 * converted to long before it is compared with 0.) */
ALWAYS_INLINE long row_of(const bag_list *b, long k) {
    const INDEX id = b->ids[k];
    if (b->has_padding && (long)id == b->padding) return -1;
    if (id >= 0 && (long)id < b->limit) return (long)id;
    if (b->bounds != CLAMP) return -1;
    return id < 0 && b->limit > 0 ? 0 : b->limit - 1;
}

/* Rows at random positions are prefetched this many entries ahead. (64 is slower for wider rows.) */
ALWAYS_INLINE long distance_of(long width) {
    return width * (long)sizeof(STORED) <= 256 ? 64 : 32;
}

/* Prefetch the row of a later entry than k. */
ALWAYS_INLINE void prefetch_entry(const bag_list *b, long k, __global const STORED *table, long ld,
                                  long width) {
#if SPC_HINTS && !SPC_GPU
    const long next = k + distance_of(width), later = next < b->count ? row_of(b, next) : -1;
    if (later >= 0) prefetch_row(table + later * ld, width);
#endif
}

ALWAYS_INLINE REAL weight_of(const bag_list *b, long k) {
    return b->weights ? READ_AT(b->weights, k) : 1;
}

/* Bag i, or with i = bags the end of the last one. */
static long bag_begin(const bag_list *b, long i) {
    if (!b->offsets) return i;
    return i < b->bags || b->has_last ? clamp((long)b->offsets[i], 0L, b->count) : b->count;
}

static long bag_end(const bag_list *b, long i) {
    return bag_begin(b, i + 1);
}

/* Bags as the rows of partition.cl. */
#define ROW_LIST           const bag_list *
#define ROW_BEGIN(list, r) ((SIZE)bag_begin(list, r))
#define ROW_OFFSETS(list)  ((list)->offsets)

/* What the sum of a bag is divided by; 1 without entries. */
static REAL divisor_of(const bag_list *b, long begin, long end) {
    REAL total = 0;
    int is_empty = 1;
    if (b->mode != MEAN && b->mode != SQRTN) return 1;
    if (!b->weights && b->bounds == 0 && !b->has_padding && end > begin) {
        total = (REAL)(end - begin);
        if (end - begin < (1 << 24)) return b->mode == SQRTN ? ROOT(total) : total;
        total = 0;
    }
    IN_ORDER
    for (long k = begin; k < end;) {
        REAL sum = 0;
        IN_ORDER
        for (int left = SPC_BLOCK; k < end && left > 0; ++k) {
            if (row_of(b, k) < 0) continue;
            const REAL w = weight_of(b, k);
            sum += b->mode == SQRTN ? w * w : w;
            is_empty = 0;
            --left;
        }
        total += sum;
    }
    return is_empty ? 1 : b->mode == SQRTN ? ROOT(total) : total;
}

/* The tree over eight partial sums. */
static REAL fold_partial(const REAL *p) {
    return ((p[0] + p[4]) + (p[2] + p[6])) + ((p[1] + p[5]) + (p[3] + p[7]));
}
