/* model_columns.c: how data became the columns of a model. */
#include "model/model_columns.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "sparcl/data.h"

static const char ids_name[] = "feature_ids", description_name[] = "csv_description";

const char *spc_model_columns_wrong(const sparcl_model_info *info) {
    const int64_t *const ids = info->feature_ids;
    if (info->hash_bits < 0 || info->hash_bits > SPARCL_HASH_BITS_MAX)
        return "hash_bits must be 0 to 31";
    if (info->hash_bits > 0 && info->feature_ids)
        return "hash_bits and feature_ids contradict each other";
    if (info->id_count < 0 || info->id_count > info->columns || (info->id_count > 0 && !ids))
        return "id_count must be that of feature_ids, at most the columns";
    for (int64_t i = 0; i < info->id_count; i++)
        if (ids[i] < 0 || (i > 0 && ids[i] <= ids[i - 1]))
            return "feature_ids must be at least 0 and ascend";
    return NULL;
}

/* ---- in memory ------------------------------------------------------------------------------ */

/* One byte more, so that nothing is NULL. */
static bool reserve(spc_data_columns *to, size_t ids, size_t description) {
    to->id_bytes = ids + 1;
    to->description_bytes = description + 1;
    to->ids = spc_alloc(NULL, to->id_bytes);
    to->description = spc_alloc_zero(NULL, to->description_bytes, 1);
    return to->ids && to->description;
}

static void count_word(void *user, const char *word) {
    spc_data_columns *const c = user;
    c->label_count++;
    c->word_bytes += strlen(word) + 1;
}

static void copy_word(void *user, const char *word) {
    spc_data_columns *const c = user;
    const size_t bytes = strlen(word) + 1;
    c->labels[c->label_count++] = memcpy(c->words + c->word_bytes, word, bytes);
    c->word_bytes += bytes;
}

/* The labels that are words, of the description. */
static sparcl_status find_labels(spc_data_columns *c, sparcl_error *error) {
    SPC_TRY(sparcl_csv_label_words(c->description, count_word, c, error));
    if (c->label_count == 0) return SPARCL_OK;
    c->words = spc_alloc(NULL, c->word_bytes);
    c->labels = spc_alloc(NULL, (size_t)c->label_count * sizeof *c->labels);
    if (!c->words || !c->labels) return spc_fail_memory(error, "labels", c->word_bytes);
    c->label_count = 0;
    c->word_bytes = 0;
    return sparcl_csv_label_words(c->description, copy_word, c, error);
}

const char *sparcl_model_label_name(const sparcl_model *model, double label) {
    const spc_data_columns *const c = &model->of_data;
    const bool is_number = label >= 0 && label < (double)c->label_count && label == floor(label);
    return is_number ? c->labels[(int64_t)label] : NULL;
}

sparcl_status spc_model_set_columns(sparcl_model *model, const sparcl_model_info *info,
                                    sparcl_error *error) {
    const size_t ids = (size_t)info->id_count * sizeof *info->feature_ids;
    const size_t description = info->csv_description ? strlen(info->csv_description) : 0;
    spc_data_columns made = {0};
    if (!reserve(&made, ids, description)) {
        spc_data_columns_free(&made);
        return spc_fail_memory(error, "columns of a model", ids + description);
    }
    if (info->feature_ids) memcpy(made.ids, info->feature_ids, ids);
    if (description > 0) memcpy(made.description, info->csv_description, description);
    const sparcl_status status = find_labels(&made, error);
    if (status != SPARCL_OK) {
        spc_data_columns_free(&made);
        return status;
    }
    model->info.hash_bits = info->hash_bits;
    model->info.id_count = info->feature_ids ? info->id_count : 0;
    model->info.feature_ids = info->feature_ids ? made.ids : NULL;
    model->info.csv_description = info->csv_description ? made.description : NULL;
    spc_data_columns_free(&model->of_data);
    model->of_data = made;
    return SPARCL_OK;
}

void spc_data_columns_free(spc_data_columns *columns) {
    spc_free(NULL, columns->ids, columns->id_bytes);
    spc_free(NULL, columns->description, columns->description_bytes);
    spc_free(NULL, columns->words, columns->word_bytes);
    spc_free(NULL, columns->labels, (size_t)columns->label_count * sizeof *columns->labels);
    *columns = (spc_data_columns){0};
}

/* ---- in a file ------------------------------------------------------------------------------ */

bool spc_model_ids_tensor(const sparcl_model_info *info, spc_tensor *tensor, spc_bytes *part) {
    if (!info->feature_ids) return false;
    *tensor = (spc_tensor){.name = ids_name, .dtype = "I64", .rank = 1, .shape = {info->id_count}};
    *part = (spc_bytes){info->feature_ids, (size_t)info->id_count * sizeof *info->feature_ids};
    return true;
}

bool spc_model_description_tensor(const sparcl_model_info *info, spc_tensor *tensor,
                                  spc_bytes *part) {
    if (!info->csv_description) return false;
    const size_t length = strlen(info->csv_description);
    *tensor = (spc_tensor){
        .name = description_name, .dtype = "U8", .rank = 1, .shape = {(int64_t)length}};
    *part = (spc_bytes){info->csv_description, length};
    return true;
}

/* NULL in *tensor: there is none; a tensor of another type is a parameter. */
static sparcl_status find(const spc_tensors *in, const char *name, const char *dtype,
                          const spc_tensor **tensor, sparcl_error *error) {
    *tensor = spc_tensors_find(in, name);
    if (*tensor && strcmp((*tensor)->dtype, dtype) != 0) *tensor = NULL;
    if (!*tensor || (*tensor)->rank == 1) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_FORMAT, "%s: tensor %s: expected a rank of 1, found %d",
                    in->path, name, (*tensor)->rank);
}

sparcl_status spc_model_read_columns(const spc_tensors *in, spc_data_columns *columns,
                                     sparcl_model_info *info, sparcl_error *error) {
    const spc_tensor *ids, *description;
    *columns = (spc_data_columns){0};
    SPC_TRY(find(in, ids_name, "I64", &ids, error));
    SPC_TRY(find(in, description_name, "U8", &description, error));
    const size_t id_bytes = ids ? (size_t)ids->bytes : 0;
    const size_t text_bytes = description ? (size_t)description->bytes : 0;
    if (!reserve(columns, id_bytes, text_bytes))
        return spc_fail_memory(error, in->path, id_bytes + text_bytes);
    if (ids) {
        SPC_TRY(spc_tensors_read(in, ids, columns->ids, error));
        info->feature_ids = columns->ids;
        info->id_count = ids->shape[0];
    }
    if (!description) return SPARCL_OK;
    SPC_TRY(spc_tensors_read(in, description, columns->description, error));
    info->csv_description = columns->description;
    if (strlen(columns->description) == text_bytes) return find_labels(columns, error);
    return spc_fail(error, SPARCL_E_FORMAT, "%s: tensor %s: expected text, found a NUL byte",
                    in->path, description_name);
}
