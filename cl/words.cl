/* words.cl: values that are only moved, in vectors.
 *
 * Defines  MOVE1 .. MOVE16(from, to): one vector; move_words: any number; fill_words: zeros.
 *          stream: by non-temporal stores. ROWS_AHEAD, prefetch_words, move_row: for rows at random
 *          positions
 */
#if SPC_WORD8
typedef uchar4 WORD4;
typedef uchar16 WORD16;
#elif SPC_WORD16
typedef ushort4 WORD4;
typedef ushort16 WORD16;
#elif SPC_VALUE64
typedef ulong4 WORD4;
typedef ulong16 WORD16;
#else
typedef uint4 WORD4;
typedef uint16 WORD16;
#endif

/* As LOAD16 of panel.cl. */
#if SPC_HINTS && defined(POCL_DEVICE_ADDRESS_BITS)
typedef WORD16 UNALIGNED_WORD16 __attribute__((aligned(sizeof(WORD))));
#define LOAD_WORD16(p) (*(__global const UNALIGNED_WORD16 *)(p))
#else
#define LOAD_WORD16(p) vload16(0, p)
#endif

#define MOVE1(from, to)  (*(to) = *(from))
#define MOVE2(from, to)  vstore2(vload2(0, from), 0, to)
/* Many lanes: aligned, as LOAD4 of panel.cl. */
#if SPC_GPU
#define MOVE4(from, to) (*(__global WORD4 *)(to) = *(__global const WORD4 *)(from))
#else
#define MOVE4(from, to) vstore4(vload4(0, from), 0, to)
#endif
#define MOVE8(from, to)  vstore8(vload8(0, from), 0, to)
#define MOVE16(from, to) STORE_SIXTEEN(WORD, LOAD_WORD16(from), to)

/* `from` is prefetched this many words ahead; it may be in short rows that follow each other. */
#define AHEAD 512

/* How many words come before the first that a non-temporal store of sixteen may begin at. */
static long words_unaligned(__global const WORD *to, long count) {
    const long size = sizeof(WORD16), past = (size_t)to & (size_t)(size - 1);
    return min(count, past == 0 ? 0 : (size - past) / (long)sizeof(WORD));
}

/* With LOAD_WORD16, non-temporal stores take 1.3 times as long. */
static void move_words(__global const WORD *from, __global WORD *to, long count, int stream) {
    const long aligned = stream ? words_unaligned(to, count) : 0;
    long j = 0;
    for (; j < aligned; ++j) to[j] = from[j];
    for (; stream && j + 16 <= count; j += 16) STREAM_SIXTEEN(WORD, vload16(0, from + j), to + j);
    for (; j + 16 <= count; j += 16) {
        PREFETCH(from + j + AHEAD);
        MOVE16(from + j, to + j);
    }
    for (; j < count; ++j) to[j] = from[j];
}

static void fill_words(__global WORD *to, long count, int stream) {
    const long aligned = stream ? words_unaligned(to, count) : 0;
    long j = 0;
    for (; j < aligned; ++j) to[j] = 0;
    for (; stream && j + 16 <= count; j += 16) STREAM_SIXTEEN(WORD, (WORD16)(0), to + j);
    for (; j + 16 <= count; j += 16) STORE_SIXTEEN(WORD, (WORD16)(0), to + j);
    for (; j < count; ++j) to[j] = 0;
}

/* Rows at random positions are prefetched this many rows ahead; of long ones only the beginning, as
 * processors prefetch what is read in order. */
#define ROWS_AHEAD 32
#define MOST_AHEAD 256 /* words of a row */

static void prefetch_words(__global const WORD *row, long width) {
    for (long j = 0; j < min(width, (long)MOST_AHEAD); j += 64 / (long)sizeof(WORD))
        PREFETCH(row + j);
}

static void move_row(__global const WORD *from, __global WORD *to, long width) {
    long j = 0;
    for (; j + 16 <= width; j += 16) MOVE16(from + j, to + j);
    for (; j < width; ++j) to[j] = from[j];
}
