/* crc32.h: the checksum of gzip (CRC-32, reflected polynomial 0xedb88320), eight bytes at a time.
 */
#ifndef SPC_DATA_CRC32_H
#define SPC_DATA_CRC32_H

#include <stddef.h>
#include <stdint.h>

typedef struct spc_crc32 {
    uint32_t table[8][256];
    uint32_t state;
} spc_crc32;

/* Initialize the tables; call it once, first. */
void spc_crc32_prepare(spc_crc32 *crc);
void spc_crc32_start(spc_crc32 *crc);
void spc_crc32_add(spc_crc32 *crc, const void *bytes, size_t size);
uint32_t spc_crc32_value(const spc_crc32 *crc);

#endif
