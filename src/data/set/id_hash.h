/* id_hash.h: the hash of an id, which is part of the format of data and of models. */
#ifndef SPC_DATA_ID_HASH_H
#define SPC_DATA_ID_HASH_H

#include <stdint.h>

/* fmix64, by which MurmurHash3 (x64, 128 bits) of Austin Appleby ends, in the public domain:
 * https://github.com/aappleby/smhasher/blob/master/src/MurmurHash3.cpp. Different ids have
 * different hashes; the column of an id are their low bits. */
static inline uint64_t spc_hash_id(uint64_t id) {
    id = (id ^ id >> 33) * 0xff51afd7ed558ccdu;
    id = (id ^ id >> 33) * 0xc4ceb9fe1a85ec53u;
    return id ^ id >> 33;
}

#endif
