/* crc32.c: the checksum of gzip, eight bytes at a time ("slicing by 8", Kounavis and Berry 2005).
 */
#include "data/io/crc32.h"

void spc_crc32_prepare(spc_crc32 *crc) {
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t value = byte;
        for (int bit = 0; bit < 8; bit++)
            value = value >> 1 ^ (value & 1 ? UINT32_C(0xedb88320) : 0);
        crc->table[0][byte] = value;
    }
    for (int slice = 1; slice < 8; slice++)
        for (int byte = 0; byte < 256; byte++) {
            const uint32_t value = crc->table[slice - 1][byte];
            crc->table[slice][byte] = value >> 8 ^ crc->table[0][value & 255];
        }
}

void spc_crc32_start(spc_crc32 *crc) {
    crc->state = UINT32_MAX;
}

void spc_crc32_add(spc_crc32 *crc, const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    uint32_t state = crc->state;
    for (; size >= 8; size -= 8, at += 8) {
        state ^=
            (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
        state = crc->table[7][state & 255] ^ crc->table[6][state >> 8 & 255] ^
                crc->table[5][state >> 16 & 255] ^ crc->table[4][state >> 24] ^
                crc->table[3][at[4]] ^ crc->table[2][at[5]] ^ crc->table[1][at[6]] ^
                crc->table[0][at[7]];
    }
    for (; size > 0; size--, at++)
        state = state >> 8 ^ crc->table[0][(state ^ *at) & 255];
    crc->state = state;
}

uint32_t spc_crc32_value(const spc_crc32 *crc) {
    return ~crc->state;
}
