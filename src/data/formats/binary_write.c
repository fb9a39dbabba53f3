/* binary_write.c: writes the binary form of a data set. */
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "data/formats/binary.h"
#include "data/formats/export.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

const char spc_binary_magic[8] = {'S', 'P', 'A', 'R', 'C', 'L', '\r', '\n'};

spc_array *spc_binary_array(sparcl_data *data, spc_section section) {
    switch (section) {
    case SPC_SECTION_OFFSETS:
        return &data->offsets;
    case SPC_SECTION_INDICES:
        return &data->indices;
    case SPC_SECTION_VALUES:
        return &data->values;
    case SPC_SECTION_LABELS:
        return &data->labels;
    case SPC_SECTION_LABEL_OFFSETS:
        return &data->label_offsets;
    case SPC_SECTION_FIELDS:
        return &data->fields;
    case SPC_SECTION_WEIGHTS:
        return &data->weights;
    case SPC_SECTION_ROW_IDS:
        return &data->row_ids;
    case SPC_SECTION_COLUMN_IDS:
        return &data->column_ids;
    default:
        return NULL;
    }
}

size_t spc_binary_element(const sparcl_data *data, spc_section section) {
    if (section == SPC_SECTION_INDICES) return sparcl_itype_size(data->index_type);
    return section == SPC_SECTION_VALUES || section == SPC_SECTION_FIELDS ||
                   section == SPC_SECTION_WEIGHTS
               ? 4
               : 8;
}

/* What is written: the sections in order, and zeros before each. */
typedef struct plan {
    spc_binary_header header;
    spc_binary_entry table[SPC_SECTIONS];
    int64_t facts[SPC_FACTS];
    spc_bytes parts[2 + 2 * SPC_SECTIONS];
    size_t part_count;
    uint64_t at; /* where the next part goes */
} plan;

static void add_part(plan *p, const void *bytes, size_t size) {
    p->parts[p->part_count++] = (spc_bytes){bytes, size};
    p->at += size;
}

static void add_section(plan *p, spc_section kind, size_t element, const void *bytes, size_t size) {
    static const char zeros[SPC_BINARY_ALIGN] = {0};
    add_part(p, zeros, (size_t)(-p->at % SPC_BINARY_ALIGN));
    p->table[p->header.sections++] =
        (spc_binary_entry){.kind = (uint32_t)kind,
                           .element = (uint32_t)element,
                           .offset = p->at,
                           .bytes = size,
                           .sum = XXH3_64bits(bytes ? bytes : "", size)};
    add_part(p, bytes, size);
}

static void set_facts(plan *p, const sparcl_data_info *info) {
    p->facts[SPC_FACT_ROWS] = info->rows;
    p->facts[SPC_FACT_COLUMNS] = info->columns;
    p->facts[SPC_FACT_INDEX_BASE] = info->index_base;
    p->facts[SPC_FACT_FIELDS] = info->fields;
    p->facts[SPC_FACT_HASH_BITS] = info->hash_bits;
    p->facts[SPC_FACT_SHARED_COLUMNS] = info->shared_columns;
    p->facts[SPC_FACT_USERS] = info->users;
    p->facts[SPC_FACT_ITEMS] = info->items;
    p->facts[SPC_FACT_HASHED_IDS] = info->hashed_ids;
}

/* Sections without elements are written too, except those that say by being there what data has. */
static bool is_written(sparcl_data *data, spc_section section) {
    return section <= SPC_SECTION_VALUES || spc_binary_array(data, section)->used > 0;
}

sparcl_status sparcl_data_save(const sparcl_data *data, const char *path, sparcl_error *error) {
    plan p = {.part_count = 0};
    if (!data || !path) return spc_fail(error, SPARCL_E_ARG, "save: data or path is NULL");
    SPC_TRY(spc_data_check_entries(data, "save", error));
    sparcl_data *const source = (sparcl_data *)(uintptr_t)data; /* only read */
    set_facts(&p, &data->info);
    memcpy(p.header.magic, spc_binary_magic, sizeof p.header.magic);
    p.header.version = SPC_BINARY_VERSION;
    uint32_t sections = 0;
    for (int s = 0; s < SPC_SECTIONS; s++)
        sections += is_written(source, (spc_section)s);
    add_part(&p, &p.header, sizeof p.header);
    add_part(&p, p.table, sections * sizeof *p.table);
    add_section(&p, SPC_SECTION_FACTS, sizeof *p.facts, p.facts,
                sizeof p.facts - (data->info.hashed_ids ? 0 : sizeof *p.facts));
    for (int s = 1; s < SPC_SECTIONS; s++) {
        const spc_array *const array = spc_binary_array(source, (spc_section)s);
        if (is_written(source, (spc_section)s))
            add_section(&p, (spc_section)s, spc_binary_element(data, (spc_section)s), array->at,
                        array->used);
    }
    p.header.table_sum = XXH3_64bits(p.table, sections * sizeof *p.table);
    return spc_file_write(path, p.parts, p.part_count, error);
}

const spc_writing spc_sparcl_writing = {.whole = sparcl_data_save};
