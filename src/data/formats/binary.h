/* binary.h: the binary form of a data set: a header, a table of sections with checksums, and the
 * arrays as they are in memory, each at a multiple of 64 bytes. */
#ifndef SPC_DATA_BINARY_H
#define SPC_DATA_BINARY_H

#include "data/io/input.h"

/*
 * The file, in the byte order of the machine, which for others is refused:
 *
 *   header    8 bytes "SPARCL\r\n", uint32 version 1, uint32 number of sections, uint64 XXH3-64 of
 *             the table, 40 zero bytes
 *   table     for each section: uint32 kind (spc_section), uint32 bytes of an element, uint64
 * offset in the file, uint64 bytes, uint64 XXH3-64 of them sections  with zero bytes between them
 */
typedef enum spc_section {
    SPC_SECTION_FACTS, /* int64_t, see binary_facts.h */
    SPC_SECTION_OFFSETS,
    SPC_SECTION_INDICES,
    SPC_SECTION_VALUES,
    SPC_SECTION_LABELS,
    SPC_SECTION_LABEL_OFFSETS,
    SPC_SECTION_FIELDS,
    SPC_SECTION_WEIGHTS,
    SPC_SECTION_ROW_IDS,
    SPC_SECTION_COLUMN_IDS,
    SPC_SECTIONS
} spc_section;

enum { SPC_BINARY_VERSION = 1, SPC_BINARY_ALIGN = 64 };
extern const char spc_binary_magic[8];

typedef struct spc_binary_header {
    char magic[8];
    uint32_t version, sections;
    uint64_t table_sum;
    uint64_t zero[5];
} spc_binary_header;

typedef struct spc_binary_entry {
    uint32_t kind, element;
    uint64_t offset, bytes, sum;
} spc_binary_entry;

/* The numbers of sparcl_data_info that are not found in the arrays. */
enum {
    SPC_FACT_ROWS,
    SPC_FACT_COLUMNS,
    SPC_FACT_INDEX_BASE,
    SPC_FACT_FIELDS,
    SPC_FACT_HASH_BITS,
    SPC_FACT_SHARED_COLUMNS,
    SPC_FACT_USERS,
    SPC_FACT_ITEMS,
    SPC_FACT_HASHED_IDS, /* only written where it is 1 */
    SPC_FACTS
};

/* The array of a section; NULL for the facts. */
spc_array *spc_binary_array(sparcl_data *data, spc_section section);
size_t spc_binary_element(const sparcl_data *data, spc_section section);

#endif
