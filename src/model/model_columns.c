/* model_columns.c: how data became the columns of a model. */
#include "model/model_columns.h"

#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "sparcl/data.h"

static const char description_name[] = "csv_description";

/* ---- lists of ids --------------------------------------------------------------------------- */

#define LIST(name_, ids_, count_)                                                                  \
    { name_, offsetof(sparcl_model_info, ids_), offsetof(sparcl_model_info, count_) }

/* Each is a tensor of a file; `ids` and `count` are positions in sparcl_model_info. */
static const struct {
    const char *name;
    size_t ids, count;
} lists[SPC_ID_LISTS] = {
    LIST("feature_ids", feature_ids, id_count),
    LIST("user_ids", known_ids.users, known_ids.user_count),
    LIST("item_ids", known_ids.items, known_ids.item_count),
    LIST("node_ids", known_ids.nodes, known_ids.node_count),
};

static const int64_t *ids_of(const sparcl_model_info *info, int list) {
    const int64_t *ids;
    memcpy(&ids, (const char *)info + lists[list].ids, sizeof ids);
    return ids;
}

static int64_t count_of(const sparcl_model_info *info, int list) {
    int64_t count;
    memcpy(&count, (const char *)info + lists[list].count, sizeof count);
    return count;
}

static void set_ids(sparcl_model_info *info, int list, const int64_t *ids, int64_t count) {
    memcpy((char *)info + lists[list].ids, &ids, sizeof ids);
    memcpy((char *)info + lists[list].count, &count, sizeof count);
}

static const char *wrong_list(const int64_t *ids, int64_t count) {
    if (count < 0 || (count > 0 && !ids)) return "there must be as many ids as their count says";
    for (int64_t i = 0; i < count; i++)
        if (ids[i] < 0 || (i > 0 && ids[i] <= ids[i - 1]))
            return "ids must be at least 0 and ascend";
    return NULL;
}

const char *spc_model_columns_wrong(const sparcl_model_info *info) {
    const sparcl_known_ids *const known = &info->known_ids;
    const char *wrong = NULL;
    if (info->hash_bits < 0 || info->hash_bits > SPARCL_HASH_BITS_MAX)
        return "hash_bits must be 0 to 31";
    if (info->hash_bits > 0 && info->feature_ids)
        return "hash_bits and feature_ids contradict each other";
    if (info->id_count > info->columns || known->item_count > info->columns)
        return "feature_ids and item_ids must be at most the columns";
    if (!known->users != !known->items) return "user_ids and item_ids belong together";
    for (int i = 0; i < SPC_ID_LISTS && !wrong; i++)
        wrong = wrong_list(ids_of(info, i), count_of(info, i));
    return wrong;
}

/* ---- in memory ------------------------------------------------------------------------------ */

/* One byte more, so that nothing is NULL. */
static sparcl_status reserve_ids(spc_data_columns *to, int list, int64_t count,
                                 sparcl_error *error) {
    const size_t bytes = (size_t)count * sizeof(int64_t) + 1;
    to->ids[list] = spc_alloc(NULL, bytes);
    if (!to->ids[list]) return spc_fail_memory(error, lists[list].name, bytes);
    to->id_bytes[list] = bytes;
    return SPARCL_OK;
}

static sparcl_status reserve_description(spc_data_columns *to, size_t length, sparcl_error *error) {
    to->description = spc_alloc_zero(NULL, length + 1, 1);
    if (!to->description) return spc_fail_memory(error, description_name, length + 1);
    to->description_bytes = length + 1;
    return SPARCL_OK;
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

static sparcl_status copy_ids(spc_data_columns *to, const sparcl_model_info *info, int list,
                              sparcl_error *error) {
    const int64_t *const ids = ids_of(info, list), count = count_of(info, list);
    if (!ids) return SPARCL_OK;
    SPC_TRY(reserve_ids(to, list, count, error));
    memcpy(to->ids[list], ids, (size_t)count * sizeof *ids);
    return SPARCL_OK;
}

static sparcl_status copy_columns(spc_data_columns *to, const sparcl_model_info *info,
                                  sparcl_error *error) {
    for (int i = 0; i < SPC_ID_LISTS; i++)
        SPC_TRY(copy_ids(to, info, i, error));
    to->crosses = spc_strdup(NULL, info->crosses);
    if (info->crosses && !to->crosses)
        return spc_fail_memory(error, "crosses", strlen(info->crosses));
    if (!info->csv_description) return SPARCL_OK;
    SPC_TRY(reserve_description(to, strlen(info->csv_description), error));
    memcpy(to->description, info->csv_description, strlen(info->csv_description));
    return find_labels(to, error);
}

sparcl_status spc_model_set_columns(sparcl_model *model, const sparcl_model_info *info,
                                    sparcl_error *error) {
    spc_data_columns made = {0};
    const sparcl_status status = copy_columns(&made, info, error);
    if (status != SPARCL_OK) {
        spc_data_columns_free(&made);
        return status;
    }
    model->info.hash_bits = info->hash_bits;
    for (int i = 0; i < SPC_ID_LISTS; i++)
        set_ids(&model->info, i, made.ids[i], made.ids[i] ? count_of(info, i) : 0);
    model->info.csv_description = made.description;
    model->info.crosses = made.crosses;
    spc_data_columns_free(&model->of_data);
    model->of_data = made;
    return SPARCL_OK;
}

void spc_data_columns_free(spc_data_columns *columns) {
    for (int i = 0; i < SPC_ID_LISTS; i++)
        spc_free(NULL, columns->ids[i], columns->id_bytes[i]);
    spc_free(NULL, columns->description, columns->description_bytes);
    spc_strfree(NULL, columns->crosses);
    spc_free(NULL, columns->words, columns->word_bytes);
    spc_free(NULL, columns->labels, (size_t)columns->label_count * sizeof *columns->labels);
    *columns = (spc_data_columns){0};
}

/* ---- in a file ------------------------------------------------------------------------------ */

size_t spc_model_ids_tensors(const sparcl_model_info *info, spc_tensor *tensors, spc_bytes *parts) {
    size_t n = 0;
    for (int i = 0; i < SPC_ID_LISTS; i++) {
        const int64_t *const ids = ids_of(info, i), count = count_of(info, i);
        if (!ids) continue;
        tensors[n] =
            (spc_tensor){.name = lists[i].name, .dtype = "I64", .rank = 1, .shape = {count}};
        parts[n++] = (spc_bytes){ids, (size_t)count * sizeof *ids};
    }
    return n;
}

int spc_model_column_tensors(const sparcl_model_info *info) {
    int count = info->csv_description != NULL;
    for (int i = 0; i < SPC_ID_LISTS; i++)
        count += ids_of(info, i) != NULL;
    return count;
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

static sparcl_status read_ids(const spc_tensors *in, spc_data_columns *columns, int list,
                              sparcl_model_info *info, sparcl_error *error) {
    const spc_tensor *ids;
    SPC_TRY(find(in, lists[list].name, "I64", &ids, error));
    if (!ids) return SPARCL_OK;
    SPC_TRY(reserve_ids(columns, list, ids->shape[0], error));
    SPC_TRY(spc_tensors_read(in, ids, columns->ids[list], error));
    set_ids(info, list, columns->ids[list], ids->shape[0]);
    return SPARCL_OK;
}

sparcl_status spc_model_read_columns(const spc_tensors *in, spc_data_columns *columns,
                                     sparcl_model_info *info, sparcl_error *error) {
    const spc_tensor *description;
    *columns = (spc_data_columns){0};
    for (int i = 0; i < SPC_ID_LISTS; i++)
        SPC_TRY(read_ids(in, columns, i, info, error));
    SPC_TRY(find(in, description_name, "U8", &description, error));
    if (!description) return SPARCL_OK;
    const size_t text_bytes = (size_t)description->bytes;
    SPC_TRY(reserve_description(columns, text_bytes, error));
    SPC_TRY(spc_tensors_read(in, description, columns->description, error));
    info->csv_description = columns->description;
    if (strlen(columns->description) == text_bytes) return find_labels(columns, error);
    return spc_fail(error, SPARCL_E_FORMAT, "%s: tensor %s: expected text, found a NUL byte",
                    in->path, description_name);
}
