/* textformats.c: the formats of text with one row per line, and their rules. */
#include "data/textformats.h"

#include <inttypes.h>

#include "base/error.h"
#include "base/size.h"
#include "data/blockreader.h"
#include "data/hashes.h"

enum { USUAL_HASH_BITS = 18 };

static spc_block_rules rules_of(const spc_block_format *format, const sparcl_data_desc *desc) {
    return (spc_block_rules){
        .format = format,
        .min_index = desc->index_base == SPARCL_BASE_1,
        .width = desc->columns > 0 && !desc->widen ? desc->columns : INT64_MAX,
        .strict = desc->strict != 0,
        .multilabel = desc->multilabel != 0,
    };
}

sparcl_status spc_svmlight_read(sparcl_data *data, spc_input *input, const sparcl_data_desc *desc,
                                sparcl_error *error) {
    const spc_block_rules rules = rules_of(&spc_svmlight_format, desc);
    return spc_blocks_read(data, input, &rules, desc, error);
}

sparcl_status spc_indices_read(sparcl_data *data, spc_input *input, const sparcl_data_desc *desc,
                               sparcl_error *error) {
    spc_block_rules rules = rules_of(&spc_indices_format, desc);
    rules.bare = true;
    return spc_blocks_read(data, input, &rules, desc, error);
}

sparcl_status spc_libffm_read(sparcl_data *data, spc_input *input, const sparcl_data_desc *desc,
                              sparcl_error *error) {
    const spc_block_rules rules = rules_of(&spc_libffm_format, desc);
    return spc_blocks_read(data, input, &rules, desc, error);
}

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
    if (desc->columns > 0 && desc->columns < (int64_t)1 << bits && !desc->widen)
        return spc_fail(error, SPARCL_E_FORMAT,
                        "%s: expected hashes of at most %" PRId64
                        " columns, found %d bits, %" PRId64 " columns; read it with fewer bits",
                        name, desc->columns, bits, (int64_t)1 << bits);
    if (desc->index_base == SPARCL_BASE_1)
        return spc_fail(error, SPARCL_E_FORMAT,
                        "%s: expected indices from 1, as requested, found names, whose hashes "
                        "count from 0; read it without an index base",
                        name);
    if (desc->multilabel)
        return spc_fail(error, SPARCL_E_FORMAT,
                        "%s: expected several labels in a row, as requested, found Vowpal Wabbit "
                        "text, which has one; read it without multilabel",
                        name);
    return SPARCL_OK;
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
    const sparcl_status status = spc_blocks_read(data, input, &rules, desc, error);
    data->info.index_base = 0;
    data->info.hash_bits = bits;
    data->info.shared_columns = spc_owners_shared(owners, bits);
    spc_owners_free(owners, bits, &data->allocator);
    return status;
}
