/* label_names.c: names of the classes of a model whose labels are numbers. */
#include "model/label_names.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "model/model_object.h"

static const char tensor_name[] = "label_names";

static bool reserve(spc_label_names *to, size_t bytes, int64_t count) {
    *to = (spc_label_names){.bytes = bytes, .count = count};
    to->text = spc_alloc(NULL, bytes);
    to->list = spc_alloc(NULL, (size_t)count * sizeof *to->list);
    return to->text && to->list;
}

/* Where each begins; false: the bytes are not as many names. */
static bool find_names(spc_label_names *names) {
    size_t at = 0;
    for (int64_t i = 0; i < names->count; i++) {
        const char *const end = memchr(names->text + at, '\0', names->bytes - at);
        if (!end) return false;
        names->list[i] = names->text + at;
        at = (size_t)(end - names->text) + 1;
    }
    return at == names->bytes;
}

void spc_label_names_free(spc_label_names *names) {
    spc_free(NULL, names->text, names->bytes);
    spc_free(NULL, names->list, (size_t)names->count * sizeof *names->list);
    *names = (spc_label_names){.text = NULL};
}

/* ---- of a model ----------------------------------------------------------------------------- */

const char *sparcl_model_label_name(const sparcl_model *model, double label) {
    const spc_data_columns *const c = &model->of_data;
    const spc_label_names *const names = &model->label_names;
    for (int64_t i = 0; i < names->count; i++)
        if (model->labels[i] == label) return names->list[i];
    const bool is_number = label >= 0 && label < (double)c->label_count && label == floor(label);
    return is_number ? c->labels[(int64_t)label] : NULL;
}

static sparcl_status copy_names(spc_label_names *to, const char *const *names, int64_t count,
                                sparcl_error *error) {
    size_t bytes = 0;
    for (int64_t i = 0; i < count; i++) {
        if (!names[i])
            return spc_fail(error, SPARCL_E_ARG, "set_label_names: names[%lld] is NULL",
                            (long long)i);
        bytes += strlen(names[i]) + 1;
    }
    if (!reserve(to, bytes, count)) return spc_fail_memory(error, "label names", bytes);
    char *at = to->text;
    for (int64_t i = 0; i < count; i++) {
        const size_t length = strlen(names[i]) + 1;
        to->list[i] = memcpy(at, names[i], length);
        at += length;
    }
    return SPARCL_OK;
}

sparcl_status sparcl_model_set_label_names(sparcl_model *model, const char *const *names,
                                           sparcl_error *error) {
    spc_label_names made = {.text = NULL};
    if (!model) return spc_fail(error, SPARCL_E_ARG, "set_label_names: model is NULL");
    if (names && model->info.classes == 0)
        return spc_fail(error, SPARCL_E_ARG, "set_label_names: the model has no classes");
    if (names && model->of_data.label_count > 0)
        return spc_fail(error, SPARCL_E_ARG,
                        "set_label_names: labels have names, as they were words of CSV");
    const sparcl_status status =
        names ? copy_names(&made, names, model->info.classes, error) : SPARCL_OK;
    if (status == SPARCL_OK) {
        spc_label_names_free(&model->label_names);
        model->label_names = made;
    } else {
        spc_label_names_free(&made);
    }
    return status;
}

/* ---- in a file ------------------------------------------------------------------------------ */

bool spc_label_names_tensor(const spc_label_names *names, spc_tensor *tensor, spc_bytes *part) {
    if (names->count == 0) return false;
    *tensor = (spc_tensor){
        .name = tensor_name, .dtype = "U8", .rank = 1, .shape = {(int64_t)names->bytes}};
    *part = (spc_bytes){names->text, names->bytes};
    return true;
}

sparcl_status spc_label_names_read(const spc_tensors *in, int64_t classes, spc_label_names *names,
                                   sparcl_error *error) {
    const spc_tensor *const found = spc_tensors_find(in, tensor_name);
    *names = (spc_label_names){.text = NULL};
    if (!found || strcmp(found->dtype, "U8") != 0) return SPARCL_OK; /* or a parameter */
    const bool fits = found->rank == 1 && classes > 0 && found->bytes >= classes;
    if (fits) {
        if (!reserve(names, (size_t)found->bytes, classes))
            return spc_fail_memory(error, in->path, (size_t)found->bytes);
        SPC_TRY(spc_tensors_read(in, found, names->text, error));
    }
    if (fits && find_names(names)) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_FORMAT,
                    "%s: tensor %s: expected a name for each of %lld classes, each with a final "
                    "0; train the model again",
                    in->path, tensor_name, (long long)classes);
}
