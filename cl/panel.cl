/* panel.cl: loops over the elements of a row: in vectors on wide cores, one lane per element on
 * many lanes.
 *
 * Defines  LOAD and STORE of 1, 2, 4, 8 and 16 REAL, GET and SET of as many STORED values; STREAM16
 *          (SET16 with a non-temporal store); WIDEN of 4 and 8 STORED values;
 *          EACH_WIDTH(M): M(type, elements) for all of these; FOR_ROWS: the rows of a work-item (of a
 *          team of lanes, which all execute the body); EACH_PANEL(j, width, call), after it:
 *          call(elements, j) for each panel of a row, which is elements j .. j + elements;
 *          BY_WIDTH(loop): loop(panels), where panels(call) calls for each panel of a row of `width`
 *          elements, with SPC_HINTS also of 64; EACH_PANEL_WIDTH: EACH_WIDTH, with SPC_HINTS also
 *          for 64; with SPC_HINTS prefetch_row; ADD for all of these; FIRST_LANE; FOURS, FOR_ROWS_OF_FOURS:
 *          many lanes have four elements of aligned rows each
 */

#define LOAD1(p) (*(p))
#define LOAD2(p) vload2(0, p)
/* Many lanes: vectors of four are aligned (`fours`); compilers make four loads of others. */
#if SPC_GPU
#define LOAD4(p)     (*(__global const REAL4 *)(p))
#define STORE4(x, p) (*(__global REAL4 *)(p) = (x))
#define GET_FOUR(p)  (*(__global const STORED4 *)(p))
#define SET_FOUR(x, p) (*(__global STORED4 *)(p) = (x))
#else
#define LOAD4(p)     vload4(0, p)
#define STORE4(x, p) vstore4(x, 0, p)
#define GET_FOUR(p)  vload4(0, p)
#define SET_FOUR(x, p) vstore4(x, 0, p)
#endif
/* PoCL 3.1 compiles most uses of vload16 to eight loads. Intel's compiler takes minutes for programs
 * with the other form. */
#if SPC_HINTS && defined(POCL_DEVICE_ADDRESS_BITS)
typedef REAL8 UNALIGNED8 __attribute__((aligned(sizeof(REAL))));
typedef REAL16 UNALIGNED16 __attribute__((aligned(sizeof(REAL))));
#define LOAD8(p) (*(__global const UNALIGNED8 *)(p))
#define LOAD16(p) (*(__global const UNALIGNED16 *)(p))
#else
#define LOAD8(p) vload8(0, p)
#define LOAD16(p) vload16(0, p)
#endif
#define STORE1(x, p) (*(p) = (x))
#define STORE2(x, p) vstore2(x, 0, p)
#define STORE8(x, p) vstore8(x, 0, p)
#define STORE16(x, p) STORE_SIXTEEN(REAL, x, p)
#if SPC_F16 || SPC_BF16
#define WIDEN4(x) widen4(x)
#define WIDEN8(x) widen8(x)
#define GET1(p)   widen1(*(p))
#define GET2(p)   widen2(vload2(0, p))
#define GET4(p)   widen4(GET_FOUR(p))
#define GET8(p)   widen8(vload8(0, p))
#define GET16(p)  widen16(vload16(0, p))
#define SET1(x, p)     (*(p) = narrow1(x))
#define SET2(x, p)     vstore2(narrow2(x), 0, p)
#define SET4(x, p)     SET_FOUR(narrow4(x), p)
#define SET8(x, p)     vstore8(narrow8(x), 0, p)
#define SET16(x, p)    STORE_SIXTEEN(STORED, narrow16(x), p)
#define STREAM16(x, p) STREAM_SIXTEEN(STORED, narrow16(x), p)
#else
#define WIDEN4(x) (x)
#define WIDEN8(x) (x)
#define GET1  LOAD1
#define GET2  LOAD2
#define GET4  LOAD4
#define GET8  LOAD8
#define GET16 LOAD16
#define SET1  STORE1
#define SET2  STORE2
#define SET4  STORE4
#define SET8  STORE8
#define SET16 STORE16
#define STREAM16(x, p) STREAM_SIXTEEN(REAL, x, p)
#endif
#define ADD1(x, y) ((x) + (y))
#define ADD2 ADD1
#define ADD4 ADD1
#define ADD8 ADD1
#define ADD16 ADD1

#if SPC_GPU

#define EACH_WIDTH(M) M(REAL, 1) M(REAL4, 4)

/* 2^shift lanes for a row: one for each element, at most 32, which read 128 bytes at once. */
static int team_shift(long width) {
    return 32 - (int)clz((uint)clamp(width, 1L, 32L) - 1u);
}

#define TEAM(width)                                                                                \
    const int shift = team_shift(width), lanes = 1 << shift, lane = get_local_id(0) & (lanes - 1)
#define FOR_ROWS(i, n, width)                                                                      \
    TEAM(width);                                                                                   \
    for (long i = get_global_id(0) >> shift; i < (n); i += get_global_size(0) >> shift)
#define FIRST_LANE (lane == 0)
#define EACH_PANEL(j, width, call)                                                                 \
    for (long j = lane; j < (width); j += lanes) call(1, j)
#define EACH_PANEL_WIDTH(M) EACH_WIDTH(M)

/* The first `fours` elements of each row are computed four a lane: all but the last up to three if
 * `aligned`, which says so of all rows that are read or written; else none. (Kernels that have
 * positions of 64 bits, too, would need more registers than some GPUs have: SPC_SMALL.) */
#define ALIGNED(p)     (((size_t)(p) & (4 * sizeof(*(p)) - 1)) == 0)
#define FOURS(aligned) const SIZE fours = (aligned) ? (SIZE)width & ~3 : 0
#define FOR_ROWS_OF_FOURS(i, n) FOR_ROWS(i, n, max((long)fours / 4, (long)width - (long)fours))
#define PANELS(call)                                                                               \
    for (SIZE j = 4 * lane; j < fours; j += 4 * lanes) call(4, j);                                 \
    for (SIZE j = fours + lane; j < (SIZE)width; j += lanes) call(1, j)
#define BY_WIDTH(loop) loop(PANELS)

#else

#define EACH_WIDTH(M) M(REAL, 1) M(REAL2, 2) M(REAL4, 4) M(REAL8, 8) M(REAL16, 16)

#define FOR_ROWS(i, n, width) FOR_EACH(i, n)
#define FOURS(aligned)
#define FOR_ROWS_OF_FOURS(i, n) FOR_EACH(i, n)
#define FIRST_LANE 1
#define EACH_PANEL(j, width, call)                                                                 \
    long j = 0;                                                                                    \
    for (; j + 16 <= (width); j += 16) call(16, j);                                                \
    if ((width) & 8) call(8, j), j += 8;                                                           \
    if ((width) & 4) call(4, j), j += 4;                                                           \
    if ((width) & 2) call(2, j), j += 2;                                                           \
    if ((width) & 1) call(1, j)

#if SPC_HINTS
/* For rows at random positions, before they are read. */
ALWAYS_INLINE void prefetch_row(__global const STORED *row, long width) {
    for (long j = 0; j < width; j += 64 / (long)sizeof(STORED)) PREFETCH(row + j);
}

/* Four vectors at once. */
typedef struct {
    REAL16 a, b, c, d;
} REAL64;

ALWAYS_INLINE REAL64 load64(__global const REAL *p) {
    const REAL64 x = {LOAD16(p), LOAD16(p + 16), LOAD16(p + 32), LOAD16(p + 48)};
    return x;
}

ALWAYS_INLINE void store64(REAL64 x, __global REAL *p) {
    STORE16(x.a, p);
    STORE16(x.b, p + 16);
    STORE16(x.c, p + 32);
    STORE16(x.d, p + 48);
}

ALWAYS_INLINE REAL64 add64(REAL64 x, REAL64 y) {
    const REAL64 sum = {x.a + y.a, x.b + y.b, x.c + y.c, x.d + y.d};
    return sum;
}

#define LOAD64 load64
#define STORE64 store64
#if SPC_F16 || SPC_BF16
ALWAYS_INLINE REAL64 get64(__global const STORED *p) {
    const REAL64 x = {GET16(p), GET16(p + 16), GET16(p + 32), GET16(p + 48)};
    return x;
}

ALWAYS_INLINE void set64(REAL64 x, __global STORED *p) {
    SET16(x.a, p);
    SET16(x.b, p + 16);
    SET16(x.c, p + 32);
    SET16(x.d, p + 48);
}

#define GET64 get64
#define SET64 set64
#else
#define GET64 LOAD64
#define SET64 STORE64
#endif
#define ADD64 add64
#define EACH_PANEL_WIDTH(M) EACH_WIDTH(M) M(REAL64, 64)

/* A loop over rows without other branches inside is up to twice as fast. */
#define PANELS(call) EACH_PANEL(j, width, call)
#define PANELS16(call) for (long j = 0; j < width; j += 16) call(16, j)
#define PANELS64(call) for (long j = 0; j < width; j += 64) call(64, j)
#define BY_WIDTH(loop)                                                                             \
    if (width % 64 == 0) {                                                                         \
        loop(PANELS64)                                                                             \
    } else if (width % 16 == 0) {                                                                  \
        loop(PANELS16)                                                                             \
    } else {                                                                                       \
        loop(PANELS)                                                                               \
    }
#else
#define EACH_PANEL_WIDTH(M) EACH_WIDTH(M)
#define PANELS(call) EACH_PANEL(j, width, call)
#define BY_WIDTH(loop) loop(PANELS)
#endif

#endif
