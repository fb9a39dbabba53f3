/* text_formats.c: the formats of text with one row per line, and their rules. */
#include "data/formats/text_formats.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/size.h"
#include "data/formats/readers.h"
#include "data/io/block_reader.h"
#include "data/io/hashes.h"
#include "data/set/crosses.h"
#include "data/set/id_columns.h"
#include "data/set/ids.h"

/* Of the columns of hashed ids 2^WATCHED_BITS are watched, in a table that stays in the cache; they
 * are a sample of all, as hashes are uniform. */
enum { USUAL_HASH_BITS = 18, WATCHED_BITS = 14 };

bool spc_leaves_out_unlabelled(const sparcl_data_desc *desc) {
    return desc->labelled_only && !desc->labels && !desc->weights && !desc->multilabel;
}

static spc_block_rules rules_of(const spc_block_format *format, const sparcl_data_desc *desc) {
    return (spc_block_rules){
        .format = format,
        .min_index = desc->index_base == SPARCL_BASE_1,
        .width = desc->columns > 0 && !desc->widen ? desc->columns : INT64_MAX,
        .strict = desc->strict != 0,
        .multilabel = desc->multilabel != 0,
        .labelled_only = spc_leaves_out_unlabelled(desc),
    };
}

static sparcl_status refuse_base_1(const spc_input *input, const char *found, sparcl_error *error) {
    return spc_fail(error, SPARCL_E_FORMAT,
                    "%s: expected indices from 1, found %s; read it with indices from 0",
                    input->raw.name, found);
}

static sparcl_status check_hash_width(const spc_input *input, int bits,
                                      const sparcl_data_desc *desc, sparcl_error *error) {
    if (desc->columns == 0 || desc->columns >= (int64_t)1 << bits || desc->widen) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_FORMAT,
                    "%s: expected hashes of at most %" PRId64 " columns, found %d bits, %" PRId64
                    " columns; read it with fewer bits",
                    input->raw.name, desc->columns, bits, (int64_t)1 << bits);
}

/* --- indices, or ids -------------------------------------------------------------------------- */

/* Ids are hashed as they stand in the file, whatever it counts from. */
static sparcl_status read_hashed(sparcl_data *data, spc_input *input, spc_block_rules *rules,
                                 const sparcl_data_desc *desc, sparcl_error *error) {
    const int bits = desc->hash_bits;
    const int watched = bits < WATCHED_BITS ? bits : WATCHED_BITS;
    const int64_t width = (int64_t)1 << bits;
    spc_block_format format = *rules->format;
    spc_owner *owners = NULL;
    SPC_TRY(check_hash_width(input, bits, desc, error));
    SPC_TRY(spc_owners_create(&owners, watched, &data->allocator, error));
    format.any_order = format.is_hashed = true;
    rules->format = &format;
    rules->index_kind = SPC_INDEX_HASHED;
    rules->hash_bits = bits;
    rules->known_width = &width;
    rules->width = INT64_MAX;
    rules->owners = owners;
    rules->kept = data->kept_names;
    rules->watch_shift = bits - watched;
    const sparcl_status status = spc_blocks_read(data, input, rules, desc, error);
    data->info.shared_columns = spc_owners_shared(owners, watched) << rules->watch_shift;
    spc_owners_free(owners, watched, &data->allocator);
    return status;
}

static sparcl_status check_known(const spc_input *input, int64_t count,
                                 const sparcl_data_desc *desc, sparcl_error *error) {
    if (desc->columns == 0 || count <= desc->columns || desc->widen) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_FORMAT,
                    "%s: expected ids of at most %" PRId64 " columns, found those of %" PRId64
                    "; read it with the columns of these ids",
                    input->raw.name, desc->columns, count);
}

static sparcl_status read_known(sparcl_data *data, spc_input *input, spc_block_rules *rules,
                                const sparcl_data_desc *desc, sparcl_error *error) {
    spc_id_table table = {.count = 0};
    sparcl_status status;
    SPC_GO(spc_id_columns_take(data, desc, error));
    const int64_t width = spc_ids_count(&data->column_ids);
    SPC_GO(check_known(input, width, desc, error));
    SPC_GO(spc_id_table_of(&table, data->column_ids.at, width, &data->allocator, error));
    rules->index_kind = SPC_INDEX_KNOWN;
    rules->known = &table;
    rules->known_width = &width;
    rules->width = INT64_MAX;
    SPC_GO(spc_blocks_read(data, input, rules, desc, error));
done:
    spc_id_table_free(&table, &data->allocator);
    return status;
}

static sparcl_status read_indices(sparcl_data *data, spc_input *input, spc_block_rules *rules,
                                  const sparcl_data_desc *desc, sparcl_error *error) {
    const bool known = desc->feature_ids || desc->ids;
    if ((desc->hash_bits > 0 || desc->compact_ids || known) && desc->index_base == SPARCL_BASE_1)
        return refuse_base_1(input, "ids, which are taken as they stand", error);
    if (desc->hash_bits > 0) return read_hashed(data, input, rules, desc, error);
    if (known) return read_known(data, input, rules, desc, error);
    if (desc->compact_ids) {
        rules->index_kind = SPC_INDEX_NUMBERED;
        rules->width = INT64_MAX;
    }
    return spc_blocks_read(data, input, rules, desc, error);
}

sparcl_status spc_svmlight_read(sparcl_data *data, spc_input *input, const sparcl_data_desc *desc,
                                sparcl_error *error) {
    spc_block_rules rules = rules_of(&spc_svmlight_format, desc);
    return read_indices(data, input, &rules, desc, error);
}

sparcl_status spc_indices_read(sparcl_data *data, spc_input *input, const sparcl_data_desc *desc,
                               sparcl_error *error) {
    spc_block_rules rules = rules_of(&spc_indices_format, desc);
    rules.bare = true;
    return read_indices(data, input, &rules, desc, error);
}

sparcl_status spc_libffm_read(sparcl_data *data, spc_input *input, const sparcl_data_desc *desc,
                              sparcl_error *error) {
    spc_block_rules rules = rules_of(&spc_libffm_format, desc);
    return read_indices(data, input, &rules, desc, error);
}

/* --- names ------------------------------------------------------------------------------------ */

/* As given, or those of a width that is a power of two, such as the width of a model. */
static int hash_bits_of(const sparcl_data_desc *desc) {
    if (desc->hash_bits > 0) return desc->hash_bits;
    for (int bits = 1; bits <= SPARCL_HASH_BITS_MAX; bits++)
        if (desc->columns == (int64_t)1 << bits) return bits;
    return USUAL_HASH_BITS;
}

static sparcl_status check_hashes(const spc_input *input, int bits, const sparcl_data_desc *desc,
                                  sparcl_error *error) {
    const char *const name = input->raw.name;
    SPC_TRY(check_hash_width(input, bits, desc, error));
    if (desc->index_base == SPARCL_BASE_1)
        return refuse_base_1(input, "names, whose hashes count from 0", error);
    if (desc->multilabel)
        return spc_fail(error, SPARCL_E_FORMAT,
                        "%s: expected several labels in a row, as requested, found Vowpal Wabbit "
                        "text, which has one; read it without multilabel",
                        name);
    return SPARCL_OK;
}

/* A cross that no row of training data has is a wrong name. */
static sparcl_status check_met(const spc_input *input, const spc_crossing *how,
                               const sparcl_data_desc *desc, sparcl_error *error) {
    const spc_cross *const crosses = how->crosses.at;
    for (int64_t i = 0; desc->columns == 0 && i < spc_cross_count(how); i++) {
        size_t lengths[2] = {3, 0};
        const char *names[2] = {"all", ""};
        if (how->met[i]) continue;
        if (!how->all) names[0] = spc_word_at(&how->names, crosses[i].left, &lengths[0]);
        if (!how->all) names[1] = spc_word_at(&how->names, crosses[i].right, &lengths[1]);
        return spc_fail(error, SPARCL_E_FORMAT,
                        "%s: expected rows with features in both namespaces of the cross "
                        "\"%.*s%s%.*s\", found none; correct the names, which stand behind \"|\" "
                        "in the rows",
                        input->raw.name, (int)spc_min_i64((int64_t)lengths[0], 64), names[0],
                        how->all ? "" : ",", (int)spc_min_i64((int64_t)lengths[1], 64), names[1]);
    }
    return SPARCL_OK;
}

static sparcl_status read_names(sparcl_data *data, spc_input *input, spc_block_rules *rules,
                                const sparcl_data_desc *desc, sparcl_error *error) {
    const char *const text = desc->crosses;
    spc_crossing how;
    if (!text) return spc_blocks_read(data, input, rules, desc, error);
    sparcl_status status;
    SPC_GO(spc_crossing_of_spaces(&how, text, &data->allocator, error));
    how.bits = rules->hash_bits;
    how.owners = rules->owners;
    how.kept = rules->kept;
    rules->crossing = &how;
    SPC_GO(spc_blocks_read(data, input, rules, desc, error));
    SPC_GO(check_met(input, &how, desc, error));
    SPC_GO(spc_array_add(&data->crosses, text, strlen(text) + 1, &data->allocator, error));
    data->info.crosses = how.all ? 0 : spc_cross_count(&how);
done:
    spc_crossing_free(&how, &data->allocator);
    return status;
}

sparcl_status spc_vw_read(sparcl_data *data, spc_input *input, const sparcl_data_desc *desc,
                          sparcl_error *error) {
    const int bits = hash_bits_of(desc);
    spc_owner *owners = NULL;
    SPC_TRY(check_hashes(input, bits, desc, error));
    SPC_TRY(spc_owners_create(&owners, bits, &data->allocator, error));
    spc_block_rules rules = rules_of(&spc_vw_format, desc);
    const int64_t width = (int64_t)1 << bits;
    rules.hash_bits = bits;
    rules.known_width = &width;
    rules.owners = owners;
    rules.kept = data->kept_names;
    rules.keeps_tags = desc->row_tag != NULL;
    const sparcl_status status = read_names(data, input, &rules, desc, error);
    data->info.index_base = 0;
    data->info.hash_bits = bits;
    data->info.shared_columns = spc_owners_shared(owners, bits);
    spc_owners_free(owners, bits, &data->allocator);
    return status;
}
