/* words.cl: values that are only moved, in vectors. After panel.cl.
 *
 * Defines  MOVE1 .. MOVE16(from, to): one vector
 */
#if SPC_WORD8
typedef uchar16 WORD16;
#elif SPC_WORD16
typedef ushort16 WORD16;
#elif SPC_VALUE64
typedef ulong16 WORD16;
#else
typedef uint16 WORD16;
#endif

#define MOVE1(from, to)  (*(to) = *(from))
#define MOVE2(from, to)  vstore2(vload2(0, from), 0, to)
#define MOVE4(from, to)  vstore4(vload4(0, from), 0, to)
#define MOVE8(from, to)  vstore8(vload8(0, from), 0, to)
#define MOVE16(from, to) STORE_SIXTEEN(WORD, vload16(0, from), to)
