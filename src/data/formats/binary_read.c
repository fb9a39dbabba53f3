/* binary_read.c: reads the binary form of a data set: a plain file is mapped and used in place.
 * Nothing in it is trusted before it is checked. */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "data/formats/binary.h"
#include "data/formats/readers.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

/* The version in the other byte order. */
enum { OTHER_ORDER = SPC_BINARY_VERSION << 24 };

typedef struct reader {
    sparcl_data *data;
    const char *name;
    sparcl_error *error;
    const char *bytes;
    uint64_t size;
} reader;

static const char again[] = "convert the file again with 'sparcl convert'";

static const char *const names[SPC_SECTIONS] = {"facts",   "offsets",       "indices", "values",
                                                "labels",  "label offsets", "fields",  "weights",
                                                "row ids", "column ids"};

/* Where the last section ends, as the header and the table at the beginning say; 0: unknown. */
static uint64_t end_of(const spc_array *bytes) {
    spc_binary_header header;
    uint64_t end = 0;
    if (bytes->used < sizeof header) return 0;
    memcpy(&header, bytes->at, sizeof header);
    if (header.sections > SPC_SECTIONS) return 0;
    for (uint32_t i = 0; i < header.sections; i++) {
        spc_binary_entry entry;
        const size_t at = sizeof header + i * sizeof entry;
        if (at + sizeof entry > bytes->used) return 0;
        memcpy(&entry, (const char *)bytes->at + at, sizeof entry);
        if (entry.bytes > UINT64_MAX - entry.offset) return 0;
        if (entry.offset + entry.bytes > end) end = entry.offset + entry.bytes;
    }
    return end;
}

/* Compressed or from a pipe: it is read into memory, but nothing after the last section. */
static sparcl_status read_all(reader *r, spc_input *input, spc_array *into) {
    static const uint64_t beginning = 65536; /* has the table */
    sparcl_error why = {.status = SPARCL_OK};
    uint64_t end = beginning;
    while (into->used < end) {
        const uint64_t most = into->used < beginning ? beginning : into->used;
        const size_t step = (size_t)(end - into->used < most ? end - into->used : most);
        size_t got = 0;
        SPC_TRY(spc_array_reserve(into, step, &r->data->allocator, r->error));
        const sparcl_status status =
            spc_input_read(input, (char *)into->at + into->used, step, &got, &why);
        into->used += got;
        if (status == SPARCL_E_FORMAT)
            return spc_fail(r->error, status, "%s: %s", r->name, why.message);
        if (status != SPARCL_OK) {
            if (r->error) *r->error = why;
            return status;
        }
        if (got < step) break;
        if (into->used == beginning) end = end_of(into);
    }
    return SPARCL_OK;
}

/* Pages that are written, when values are scaled, become private copies; the file stays. */
static sparcl_status load(reader *r, spc_input *input) {
    sparcl_data *const data = r->data;
    if (input->raw.size > 0) {
        void *const map = mmap(NULL, (size_t)input->raw.size, PROT_READ | PROT_WRITE, MAP_PRIVATE,
                               input->raw.file, 0);
        if (map != MAP_FAILED) {
            data->file = (spc_array){map, (size_t)input->raw.size, (size_t)input->raw.size};
            data->is_mapped = true;
        }
    }
    if (!data->is_mapped) SPC_TRY(read_all(r, input, &data->file));
    r->bytes = data->file.at;
    r->size = data->file.used;
    return SPARCL_OK;
}

static sparcl_status check_header(const reader *r, spc_binary_header *header) {
    if (r->size < sizeof *header)
        return spc_fail(r->error, SPARCL_E_FORMAT,
                        "%s: expected a header of %zu bytes, found %" PRIu64
                        "; the file is truncated: %s",
                        r->name, sizeof *header, r->size, again);
    memcpy(header, r->bytes, sizeof *header);
    if (memcmp(header->magic, spc_binary_magic, sizeof header->magic) != 0)
        return spc_fail(r->error, SPARCL_E_FORMAT,
                        "%s: expected a file that begins with \"SPARCL\", found another; %s",
                        r->name, again);
    if (header->version == OTHER_ORDER)
        return spc_fail(r->error, SPARCL_E_FORMAT,
                        "%s: expected the byte order of this machine, found the other one; "
                        "convert the source of the file on this machine",
                        r->name);
    if (header->version != SPC_BINARY_VERSION)
        return spc_fail(r->error, SPARCL_E_FORMAT,
                        "%s: expected version %d of the format, found %" PRIu32 "; %s", r->name,
                        SPC_BINARY_VERSION, header->version, again);
    const uint64_t table = (uint64_t)header->sections * sizeof(spc_binary_entry);
    if (header->sections > SPC_SECTIONS || r->size - sizeof *header < table ||
        XXH3_64bits(r->bytes + sizeof *header, (size_t)table) != header->table_sum)
        return spc_fail(r->error, SPARCL_E_FORMAT,
                        "%s: expected a table of sections with its checksum, found a damaged one; "
                        "%s",
                        r->name, again);
    return SPARCL_OK;
}

static sparcl_status refuse_section(const reader *r, const spc_binary_entry *entry,
                                    const char *found) {
    return spc_fail(r->error, SPARCL_E_FORMAT, "%s: expected a valid section of %s, found %s; %s",
                    r->name, entry->kind < SPC_SECTIONS ? names[entry->kind] : "a known kind",
                    found, again);
}

static sparcl_status check_entry(const reader *r, const spc_binary_entry *entry) {
    if (entry->kind >= SPC_SECTIONS) return refuse_section(r, entry, "an unknown one");
    if (entry->offset % SPC_BINARY_ALIGN != 0 || entry->offset > r->size ||
        entry->bytes > r->size - entry->offset)
        return refuse_section(r, entry, "one that lies outside of the file, which is truncated");
    if (entry->element == 0 || entry->bytes % entry->element != 0)
        return refuse_section(r, entry, "part of an element");
    if (XXH3_64bits(r->bytes + entry->offset, (size_t)entry->bytes) != entry->sum)
        return refuse_section(r, entry, "another checksum than its own");
    return SPARCL_OK;
}

static sparcl_status take_facts(const reader *r, const spc_binary_entry *entry) {
    sparcl_data_info *const info = &r->data->info;
    int64_t facts[SPC_FACTS] = {0};
    if (entry->bytes != sizeof facts && entry->bytes != sizeof facts - sizeof *facts)
        return refuse_section(r, entry, "another number of facts");
    memcpy(facts, r->bytes + entry->offset, (size_t)entry->bytes);
    info->rows = facts[SPC_FACT_ROWS];
    info->columns = facts[SPC_FACT_COLUMNS];
    info->index_base = facts[SPC_FACT_INDEX_BASE] != 0;
    info->fields = facts[SPC_FACT_FIELDS];
    info->hash_bits = (int)facts[SPC_FACT_HASH_BITS];
    info->shared_columns = facts[SPC_FACT_SHARED_COLUMNS];
    info->users = facts[SPC_FACT_USERS];
    info->items = facts[SPC_FACT_ITEMS];
    info->hashed_ids = facts[SPC_FACT_HASHED_IDS] != 0;
    if (info->rows < 0 || info->columns < 0 || info->fields < 0 || info->hash_bits < 0 ||
        info->hash_bits > SPARCL_HASH_BITS_MAX || info->users < 0 || info->items < 0)
        return refuse_section(r, entry, "negative numbers");
    r->data->index_type = info->columns > INT32_MAX ? SPARCL_INDEX64 : SPARCL_INDEX32;
    return SPARCL_OK;
}

/* The first section has the facts, on which the others depend; each kind stands once. */
static sparcl_status take_sections(const reader *r, uint32_t count, bool present[SPC_SECTIONS]) {
    for (uint32_t i = 0; i < count; i++) {
        spc_binary_entry entry;
        memcpy(&entry, r->bytes + sizeof(spc_binary_header) + i * sizeof entry, sizeof entry);
        SPC_TRY(check_entry(r, &entry));
        if (present[entry.kind] || (i == 0) != (entry.kind == SPC_SECTION_FACTS))
            return refuse_section(r, &entry, "one at another place");
        present[entry.kind] = true;
        if (entry.kind == SPC_SECTION_FACTS) {
            SPC_TRY(take_facts(r, &entry));
            continue;
        }
        if (entry.element != spc_binary_element(r->data, (spc_section)entry.kind))
            return refuse_section(r, &entry, "elements of another size");
        *spc_binary_array(r->data, (spc_section)entry.kind) = (spc_array){
            (char *)(uintptr_t)r->bytes + entry.offset, (size_t)entry.bytes, (size_t)entry.bytes};
    }
    return SPARCL_OK;
}

static sparcl_status refuse_array(const reader *r, spc_section section, int64_t element,
                                  const char *expected) {
    return spc_fail(r->error, SPARCL_E_FORMAT, "%s:%s[%" PRId64 "]: expected %s, found another; %s",
                    r->name, names[section], element, expected, again);
}

static bool has_count(const spc_array *array, size_t element, int64_t count) {
    return count >= 0 && array->used / element == (uint64_t)count;
}

/* Offsets from 0 to `end` that do not fall; `rows` + 1 of them. */
static sparcl_status check_offsets(const reader *r, spc_section section, int64_t end) {
    const spc_array *const array = spc_binary_array(r->data, section);
    const int64_t rows = r->data->info.rows;
    const int64_t *const offsets = array->at;
    if (rows == INT64_MAX || !has_count(array, 8, rows + 1))
        return refuse_array(r, section, 0, "one offset more than rows");
    for (int64_t i = 0; i <= rows; i++)
        if (offsets[i] < (i == 0 ? 0 : offsets[i - 1]) || offsets[i] > (i == 0 ? 0 : end) ||
            (i == rows && offsets[i] != end))
            return refuse_array(r, section, i, "an offset that does not fall, up to the end");
    return SPARCL_OK;
}

static sparcl_status check_indices(const reader *r) {
    sparcl_data_info *const info = &r->data->info;
    const int64_t *const offsets = r->data->offsets.at;
    info->min_index = info->entries > 0 ? INT64_MAX : -1;
    info->max_index = -1;
    for (int64_t row = 0; row < info->rows; row++) {
        int64_t before = -1;
        for (int64_t k = offsets[row]; k < offsets[row + 1]; k++) {
            const int64_t index = spc_data_index(r->data, k);
            if (index <= before || index >= info->columns)
                return refuse_array(r, SPC_SECTION_INDICES, k, "ascending indices below columns");
            before = index;
            info->min_index = spc_min_i64(info->min_index, index + info->index_base);
            info->max_index = spc_max_i64(info->max_index, index + info->index_base);
        }
    }
    return SPARCL_OK;
}

static sparcl_status check_labels(const reader *r, bool several) {
    sparcl_data_info *const info = &r->data->info;
    const double *const labels = r->data->labels.at;
    info->label_count = (int64_t)(r->data->labels.used / sizeof *labels);
    info->has_labels = info->label_count > 0;
    if (several) SPC_TRY(check_offsets(r, SPC_SECTION_LABEL_OFFSETS, info->label_count));
    if (!several && info->has_labels && info->label_count != info->rows)
        return refuse_array(r, SPC_SECTION_LABELS, info->label_count, "one label for each row");
    for (int64_t i = 0; i < info->label_count; i++)
        if (!isfinite(labels[i])) return refuse_array(r, SPC_SECTION_LABELS, i, "a finite label");
    return SPARCL_OK;
}

/* Ids of the first columns, ascending. */
static sparcl_status check_feature_ids(const reader *r) {
    const spc_array *const array = &r->data->column_ids;
    const int64_t *const ids = array->at;
    const int64_t count = (int64_t)(array->used / sizeof *ids);
    if (count > r->data->info.columns)
        return refuse_array(r, SPC_SECTION_COLUMN_IDS, 0, "at most an id for each column");
    for (int64_t i = 0; i < count; i++)
        if (ids[i] < 0 || (i > 0 && ids[i] <= ids[i - 1]))
            return refuse_array(r, SPC_SECTION_COLUMN_IDS, i, "ascending ids from 0");
    r->data->info.id_count = count;
    return SPARCL_OK;
}

static sparcl_status check_extras(const reader *r) {
    const sparcl_data *const data = r->data;
    const int32_t *const fields = data->fields.at;
    const float *const weights = data->weights.at;
    if (data->fields.used && !has_count(&data->fields, 4, data->info.entries))
        return refuse_array(r, SPC_SECTION_FIELDS, 0, "a field for each entry");
    for (int64_t k = 0; fields && k < data->info.entries; k++)
        if (fields[k] < 0 || fields[k] >= data->info.fields)
            return refuse_array(r, SPC_SECTION_FIELDS, k, "a field below their number");
    if (data->weights.used && !has_count(&data->weights, 4, data->info.rows))
        return refuse_array(r, SPC_SECTION_WEIGHTS, 0, "a weight for each row");
    for (int64_t i = 0; weights && i < data->info.rows; i++)
        if (!(weights[i] >= 0) || !isfinite(weights[i]))
            return refuse_array(r, SPC_SECTION_WEIGHTS, i, "a finite weight of at least 0");
    const int64_t left = data->info.users > 0 ? data->info.users : data->info.rows;
    if (data->row_ids.used && !has_count(&data->row_ids, 8, left))
        return refuse_array(r, SPC_SECTION_ROW_IDS, 0, "an id for each user or node");
    if (data->info.items == 0) return check_feature_ids(r);
    if (!has_count(&data->column_ids, 8, data->info.items))
        return refuse_array(r, SPC_SECTION_COLUMN_IDS, 0, "an id for each item");
    return SPARCL_OK;
}

static sparcl_status check_arrays(const reader *r, const bool *present) {
    sparcl_data_info *const info = &r->data->info;
    for (int s = 0; s <= SPC_SECTION_VALUES; s++)
        if (!present[s])
            return spc_fail(r->error, SPARCL_E_FORMAT,
                            "%s: expected a section of %s, found none; %s", r->name, names[s],
                            again);
    info->entries = info->nnz = (int64_t)(r->data->values.used / sizeof(float));
    if (!has_count(&r->data->indices, sparcl_itype_size(r->data->index_type), info->entries))
        return refuse_array(r, SPC_SECTION_INDICES, 0, "as many indices as values");
    SPC_TRY(check_offsets(r, SPC_SECTION_OFFSETS, info->entries));
    SPC_TRY(check_indices(r));
    SPC_TRY(check_labels(r, present[SPC_SECTION_LABEL_OFFSETS]));
    return check_extras(r);
}

/* Indices are 32 bits only below 2^31 columns, and the arrays cannot be changed. */
static sparcl_status check_width(const reader *r, const sparcl_data_desc *desc) {
    sparcl_data_info *const info = &r->data->info;
    if (desc->columns > 0 && info->columns > desc->columns && !desc->widen)
        return spc_fail(r->error, SPARCL_E_FORMAT,
                        "%s: expected at most %" PRId64 " columns, found %" PRId64 "; %" PRId64
                        " columns were requested",
                        r->name, desc->columns, info->columns, desc->columns);
    const int64_t width = spc_max_i64(info->columns, desc->columns);
    if (width > INT32_MAX && r->data->index_type == SPARCL_INDEX32)
        return spc_fail(r->error, SPARCL_E_FORMAT,
                        "%s: expected up to %d columns, which its indices of 32 bits can name, "
                        "found a request for %" PRId64 "; convert the source with this width",
                        r->name, INT32_MAX, width);
    info->columns = width;
    return SPARCL_OK;
}

static sparcl_status check_base(const reader *r, const sparcl_data_desc *desc) {
    const int wanted = desc->index_base == SPARCL_BASE_1;
    if (desc->index_base == SPARCL_BASE_AUTO || wanted == r->data->info.index_base)
        return SPARCL_OK;
    return spc_fail(r->error, SPARCL_E_FORMAT,
                    "%s: expected indices from %d, found those of a file that counts from %d; "
                    "convert its source with the index base %d",
                    r->name, wanted, r->data->info.index_base, wanted);
}

static bool same_ids(const int64_t *a, int64_t a_count, const int64_t *b, int64_t b_count) {
    return a_count == b_count && (a_count == 0 || memcmp(a, b, (size_t)a_count * sizeof *a) == 0);
}

/* False: the file has other users and items, or nodes, than `known`. */
static bool has_known(const reader *r, const sparcl_known_ids *known) {
    const sparcl_known_ids own = sparcl_data_known_ids(r->data);
    if (own.users && known->users)
        return same_ids(own.users, own.user_count, known->users, known->user_count) &&
               same_ids(own.items, own.item_count, known->items, known->item_count);
    return !own.nodes || !known->nodes ||
           same_ids(own.nodes, own.node_count, known->nodes, known->node_count);
}

/* Columns of other ids, or hashes, mean something else. */
static sparcl_status check_ids(const reader *r, const sparcl_data_desc *desc) {
    const sparcl_data_info *const info = &r->data->info;
    const size_t bytes = (size_t)desc->feature_id_count * sizeof *desc->feature_ids;
    const char *expected = NULL;
    if (desc->hash_bits > 0 && info->hash_bits != desc->hash_bits)
        expected = "the columns of hash_bits";
    if (desc->compact_ids && info->id_count == 0) expected = "the columns of compact_ids";
    if (desc->feature_ids &&
        (info->id_count != desc->feature_id_count ||
         (bytes > 0 && memcmp(r->data->column_ids.at, desc->feature_ids, bytes) != 0)))
        expected = "the columns of feature_ids, such as those of a model";
    if (!has_known(r, &desc->known_ids))
        return spc_fail(r->error, SPARCL_E_FORMAT,
                        "%s: expected the users and items, or nodes, of the training data, found "
                        "others; give the source itself, or convert it with --id-map",
                        r->name);
    if (!expected) return SPARCL_OK;
    return spc_fail(r->error, SPARCL_E_FORMAT,
                    "%s: expected %s, found others (%d hash bits, %" PRId64
                    " ids of features); convert the source with them",
                    r->name, expected, info->hash_bits, info->id_count);
}

sparcl_status spc_sparcl_read(sparcl_data *data, spc_input *input, const sparcl_data_desc *desc,
                              sparcl_error *error) {
    reader r = {.data = data, .name = input->raw.name, .error = error};
    spc_binary_header header;
    bool present[SPC_SECTIONS] = {false};
    data->bad_column = -1;
    SPC_TRY(load(&r, input));
    SPC_TRY(check_header(&r, &header));
    SPC_TRY(take_sections(&r, header.sections, present));
    SPC_TRY(check_arrays(&r, present));
    SPC_TRY(check_base(&r, desc));
    SPC_TRY(check_ids(&r, desc));
    return check_width(&r, desc);
}
