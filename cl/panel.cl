/* panel.cl: going over a row: in vectors on wide cores, a lane an element on many lanes.
 *
 * Defines  LOAD and STORE of 1, 2, 4, 8 and 16 elements; STREAM16; EACH_WIDTH(M): M(type, elements) for all
 *          of these; FOR_ROWS: the rows of a work-item (of a team of lanes, which all go through
 *          the body); FOR_PIECES: the same inside one group; ALL_LANES: the group has one row;
 *          EACH_PANEL(j, width, call), after any of these: call(elements, j) for each panel of a
 *          row, which is elements j .. j + elements; FIRST_LANE; many lanes: lanes_for
 */

#define LOAD1(p) (*(p))
#define LOAD2(p) vload2(0, p)
#define LOAD4(p) vload4(0, p)
#define LOAD8(p) vload8(0, p)
#define LOAD16(p) vload16(0, p)
#define STORE1(x, p) (*(p) = (x))
#define STORE2(x, p) vstore2(x, 0, p)
#define STORE4(x, p) vstore4(x, 0, p)
#define STORE8(x, p) vstore8(x, 0, p)
#define STORE16(x, p) vstore16(x, 0, p)

/* Sixteen elements past the caches, where they lie so that this can be done. */
#if SPC_HINTS
#define STREAM16(x, p)                                                                             \
    do {                                                                                           \
        if (((size_t)(p) & (sizeof(REAL16) - 1)) == 0)                                             \
            __builtin_nontemporal_store(x, (__global REAL16 *)(p));                                \
        else                                                                                       \
            STORE16(x, p);                                                                         \
    } while (0)
#else
#define STREAM16(x, p) STORE16(x, p)
#endif

#if SPC_GPU

#define EACH_WIDTH(M) M(REAL, 1)

/* Lanes for a row: the least power of two with a lane for each element, at most `most`. */
static int lanes_for(long width, int most) {
    int lanes = 1;
    while (lanes < width && lanes < most) lanes *= 2;
    return lanes;
}

/* 32 lanes read 128 bytes at once. */
#define TEAM(width) const int lanes = lanes_for(width, 32), lane = get_local_id(0) & (lanes - 1)
#define FOR_ROWS(i, n, width)                                                                      \
    TEAM(width);                                                                                   \
    for (long i = get_global_id(0) / lanes; i < (n); i += get_global_size(0) / lanes)
#define FOR_PIECES(i, n, width)                                                                    \
    TEAM(width);                                                                                   \
    for (long i = get_local_id(0) / lanes; i < (n); i += GROUP / lanes)
#define ALL_LANES const int lanes = GROUP, lane = get_local_id(0)
#define FIRST_LANE (lane == 0)
#define EACH_PANEL(j, width, call)                                                                 \
    for (long j = lane; j < (width); j += lanes) call(1, j)

#else

#define EACH_WIDTH(M) M(REAL, 1) M(REAL2, 2) M(REAL4, 4) M(REAL8, 8) M(REAL16, 16)

#define FOR_ROWS(i, n, width) FOR_EACH(i, n)
#define FOR_PIECES(i, n, width) for (long i = 0; i < (n); ++i)
#define ALL_LANES
#define FIRST_LANE 1
#define EACH_PANEL(j, width, call)                                                                 \
    long j = 0;                                                                                    \
    for (; j + 16 <= (width); j += 16) call(16, j);                                                \
    if ((width) & 8) call(8, j), j += 8;                                                           \
    if ((width) & 4) call(4, j), j += 4;                                                           \
    if ((width) & 2) call(2, j), j += 2;                                                           \
    if ((width) & 1) call(1, j)

#endif
