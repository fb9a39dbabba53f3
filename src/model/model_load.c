/* model_load.c: reads a model from a safetensors file. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "model/architecture_check.h"
#include "model/linear.h"
#include "model/model_columns.h"
#include "model/model_fields.h"
#include "model/model_object.h"
#include "model/parameter_list.h"
#include "model/regular.h"
#include "model/safetensors.h"
#include "sparcl/data.h"

static sparcl_status bad_note(const spc_tensors *in, const char *key, const char *expected,
                              sparcl_error *error) {
    char shown[64];
    const char *const value = spc_tensors_note(in, key);
    spc_text text = spc_text_in(shown, sizeof shown);
    if (value) spc_text_add_shown(&text, value, strlen(value));
    return spc_fail(error, SPARCL_E_FORMAT, "%s: metadata %s: expected %s, found %s%s%s", in->path,
                    key, expected, value ? "\"" : "", value ? shown : "nothing", value ? "\"" : "");
}

/* Whether the file is of an architecture. */
static sparcl_status check_kind(const spc_tensors *in, const sparcl_architecture *a,
                                sparcl_error *error) {
    const char *const kind = spc_tensors_note(in, "kind");
    const char *const found = spc_tensors_note(in, "architecture");
    const char *const settings = spc_has_settings(a) ? a->settings : "";
    char quoted[SPARCL_MODEL_TEXT + 2];
    snprintf(quoted, sizeof quoted, "\"%s\"", a->name);
    if (!kind || strcmp(kind, a->name) != 0) return bad_note(in, "kind", quoted, error);
    snprintf(quoted, sizeof quoted, "\"%s\"", settings);
    if (strcmp(found ? found : "", settings) != 0)
        return bad_note(in, "architecture", *settings ? quoted : "nothing", error);
    return SPARCL_OK;
}

/* The architecture of a model of the library, from the metadata. It is freed with *made, which is
 * NULL for linear models. */
static sparcl_status find_builtin(const spc_tensors *in, const sparcl_architecture **made,
                                  const sparcl_architecture **found, sparcl_error *error) {
    const char *const kind = spc_tensors_note(in, "kind");
    const char *const settings = spc_tensors_note(in, "architecture");
    char what[512];
    *found = &spc_linear;
    if (!kind || strcmp(kind, spc_linear.name) == 0) return SPARCL_OK;
    if (!spc_is_builtin_name(kind))
        return bad_note(in, "kind", "linear, or another model that sparcl help models lists",
                        error);
    snprintf(what, sizeof what, "%s: metadata architecture", in->path);
    SPC_TRY(spc_builtin_make(made, kind, settings ? settings : "", SPARCL_E_FORMAT, what, error));
    *found = *made;
    return SPARCL_OK;
}

static sparcl_status check_format(const spc_tensors *in, sparcl_error *error) {
    const char *const format = spc_tensors_note(in, "format");
    if (format && strcmp(format, SPC_MODEL_FORMAT) == 0) return SPARCL_OK;
    return bad_note(in, "format", "\"" SPC_MODEL_FORMAT "\", as sparcl train writes it", error);
}

/* Models that do not read fields have no note of them. */
static sparcl_status read_field_count(const spc_tensors *in, sparcl_model_info *info,
                                      sparcl_error *error) {
    const char *const text = spc_tensors_note(in, "fields");
    uint64_t count = 0;
    if (!text) return SPARCL_OK;
    if (!spc_parse_digits(text, INT32_MAX, &count) || count == 0)
        return bad_note(in, "fields", "a number of fields from 1", error);
    info->fields = (int64_t)count;
    return SPARCL_OK;
}

/* Only models of hashed ids have a note of the bits. */
static sparcl_status read_hash_bits(const spc_tensors *in, sparcl_model_info *info,
                                    sparcl_error *error) {
    const char *const text = spc_tensors_note(in, SPC_NOTE_HASH_BITS);
    uint64_t bits = 0;
    if (!text) return SPARCL_OK;
    if (!spc_parse_digits(text, SPARCL_HASH_BITS_MAX, &bits) || bits == 0)
        return bad_note(in, SPC_NOTE_HASH_BITS, "1 to 31", error);
    info->hash_bits = (int)bits;
    return SPARCL_OK;
}

static sparcl_status parse_fields(const spc_tensors *in, const sparcl_architecture *a,
                                  int note_count, sparcl_model_info *info, sparcl_error *error) {
    SPC_TRY(check_kind(in, a, error));
    for (int i = 0; i < SPC_MODEL_FIELDS; i++) {
        const char *const key = spc_model_field_key(i), *const text = spc_tensors_note(in, key);
        if (!text || !spc_model_field_parse(text, i, info))
            return bad_note(in, key, spc_model_field_expected(i), error);
    }
    info->solver = spc_tensors_note(in, "solver");
    info->settings = spc_tensors_note(in, "settings");
    info->parameter_settings = spc_tensors_note(in, "parameter_settings");
    info->schedule = spc_tensors_note(in, "schedule");
    info->crosses = spc_tensors_note(in, SPC_NOTE_CROSSES);
    SPC_TRY(read_field_count(in, info, error));
    SPC_TRY(read_hash_bits(in, info, error));
    const char *const clip = spc_tensors_note(in, SPC_NOTE_CLIP);
    if (clip && !(spc_decimal_parse(clip, (int)strlen(clip), &info->clip_global_norm) &&
                  info->clip_global_norm > 0))
        return bad_note(in, SPC_NOTE_CLIP, "a number above 0", error);
    const int expected = SPC_MODEL_NOTES + (clip != NULL) + (info->solver != NULL) +
                         (info->settings != NULL) + (info->parameter_settings != NULL) +
                         (info->schedule != NULL) + (info->fields > 0) + (info->hash_bits > 0) +
                         (info->crosses != NULL) + spc_has_settings(a) + note_count;
    if (spc_tensors_note_count(in) != expected)
        return spc_fail(error, SPARCL_E_FORMAT, "%s: metadata has %d entries, expected %d",
                        in->path, spc_tensors_note_count(in), expected);
    return SPARCL_OK;
}

/* The length of the text limits the number of labels, so that a wrong count is refused before
 * memory is allocated for it.
 */
static sparcl_status parse_labels(const spc_tensors *in, sparcl_model_info *info, double **labels,
                                  size_t *bytes, sparcl_error *error) {
    const char *at = spc_tensors_note(in, "labels");
    if (!at || info->classes > (int64_t)strlen(at))
        return bad_note(in, "labels", "as many labels as classes", error);
    *bytes = (size_t)info->classes * sizeof(double);
    *labels = spc_alloc(NULL, *bytes);
    if (*bytes && !*labels) return spc_fail_memory(error, in->path, *bytes);
    for (int64_t c = 0; c < info->classes; c++) {
        const size_t length = strcspn(at, " ");
        if (length > SPC_NOTE_BYTES || !spc_decimal_parse(at, (int)length, &(*labels)[c]))
            return bad_note(in, "labels", "a number for each class", error);
        at += length;
        if (*at == ' ' && c + 1 < info->classes) at++;
    }
    if (*at != '\0') return bad_note(in, "labels", "as many labels as classes", error);
    info->labels = *labels;
    return SPARCL_OK;
}

static sparcl_status read_shape(const spc_tensors *in, const char *name, sparcl_tensor *shape,
                                sparcl_error *error) {
    const spc_tensor *const tensor = spc_tensors_find(in, name);
    if (!tensor)
        return spc_fail(error, SPARCL_E_FORMAT, "%s: the tensor %s is missing", in->path, name);
    if (strcmp(tensor->dtype, "F32") != 0)
        return spc_fail(error, SPARCL_E_FORMAT, "%s: tensor %s: expected F32, found %s", in->path,
                        name, tensor->dtype);
    if (tensor->rank < 1)
        return spc_fail(error, SPARCL_E_FORMAT, "%s: tensor %s: expected a rank of at least 1",
                        in->path, name);
    *shape = (sparcl_tensor){.rank = tensor->rank};
    memcpy(shape->shape, tensor->shape, sizeof shape->shape);
    return SPARCL_OK;
}

/* The shapes of a linear model follow from the metadata. */
static sparcl_status check_linear(const spc_tensors *in, const sparcl_model_info *info,
                                  const sparcl_tensor *shapes, sparcl_error *error) {
    const sparcl_tensor *const weight = &shapes[0], *const bias = &shapes[1];
    const char *wrong = NULL;
    if (info->has_bias && (bias->rank != 1 || bias->shape[0] != info->outputs)) wrong = "bias";
    if (weight->rank != 2 || weight->shape[0] != info->columns || weight->shape[1] != info->outputs)
        wrong = "weight";
    if (!wrong) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_FORMAT, "%s: tensor %s: its shape does not match the metadata",
                    in->path, wrong);
}

static sparcl_status read_shapes(const spc_tensors *in, const sparcl_architecture *architecture,
                                 int others, sparcl_tensor *shapes, sparcl_error *error) {
    const int count = spc_architecture_count(architecture);
    for (int i = 0; i < count; i++)
        SPC_TRY(read_shape(in, architecture->parameters[i], &shapes[i], error));
    if (in->count == count + others) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_FORMAT,
                    "%s: expected the %d parameters of %s and no other tensor, found %lld",
                    in->path, count, architecture->name, (long long)in->count);
}

static sparcl_status read_values(const spc_tensors *in, const sparcl_model *model,
                                 sparcl_error *error) {
    for (int i = 0; i < model->count; i++) {
        const spc_model_tensor *const to = &model->tensors[i];
        SPC_TRY(spc_tensors_read(in, spc_tensors_find(in, to->tensor.name), to->values, error));
    }
    return spc_model_check_finite(model, SPARCL_E_FORMAT, in->path, error);
}

/* The tensors, after the metadata. */
static sparcl_status read_model(sparcl_model **model, const spc_tensors *in,
                                const sparcl_model_info *info,
                                const sparcl_architecture *architecture, int others,
                                sparcl_error *error) {
    const bool is_linear = strcmp(architecture->name, spc_linear.name) == 0;
    if (is_linear) architecture = info->has_bias ? &spc_linear : &spc_linear_without_bias;
    const size_t count = (size_t)spc_architecture_count(architecture);
    sparcl_tensor *const shapes = spc_alloc_zero(NULL, count, sizeof *shapes);
    sparcl_status status;
    if (!shapes) return spc_fail_memory(error, in->path, count * sizeof *shapes);
    others += spc_model_column_tensors(info);
    SPC_GO(read_shapes(in, architecture, others, shapes, error));
    if (is_linear) SPC_GO(check_linear(in, info, shapes, error));
    SPC_GO(spc_model_new(model, info, architecture, shapes, error));
    SPC_GO(read_values(in, *model, error));
done:
    spc_free(NULL, shapes, count * sizeof *shapes);
    return status;
}

sparcl_status spc_model_read(sparcl_model **model, FILE *file, const char *path,
                             const sparcl_architecture *architecture, sparcl_error *error) {
    sparcl_status status;
    sparcl_model_info info = {0};
    const sparcl_architecture *made = NULL;
    double *labels = NULL;
    size_t label_bytes = 0;
    spc_data_columns columns = {0};
    spc_score_map calibration = {.method = NULL};
    spc_model_notes notes = {.count = 0};
    spc_label_names names = {.text = NULL};
    spc_tensors in;
    *model = NULL;
    SPC_TRY(spc_tensors_open(&in, file, path, error));
    SPC_GO(check_format(&in, error));
    if (!architecture) SPC_GO(find_builtin(&in, &made, &architecture, error));
    SPC_GO(spc_model_notes_read(&in, &notes, error));
    SPC_GO(parse_fields(&in, architecture, notes.count, &info, error));
    SPC_GO(parse_labels(&in, &info, &labels, &label_bytes, error));
    SPC_GO(spc_model_read_columns(&in, &columns, &info, error));
    SPC_GO(spc_model_check(&info, architecture->task, SPARCL_E_FORMAT, path, error));
    SPC_GO(spc_score_map_read(&in, info.outputs, &calibration, error));
    SPC_GO(spc_label_names_read(&in, info.classes, &names, error));
    SPC_GO(read_model(model, &in, &info, architecture,
                      (calibration.method != NULL) + (names.count > 0), error));
    (*model)->calibration = calibration;
    calibration = (spc_score_map){.method = NULL};
    (*model)->notes = notes;
    notes.count = 0;
    (*model)->label_names = names;
    names = (spc_label_names){.text = NULL};
done:
    if (status != SPARCL_OK) {
        sparcl_model_free(*model);
        *model = NULL;
    }
    sparcl_architecture_free(made);
    spc_free(NULL, labels, label_bytes);
    spc_data_columns_free(&columns);
    spc_score_map_free(&calibration);
    spc_model_notes_free(&notes);
    spc_label_names_free(&names);
    spc_tensors_close(&in);
    return status;
}

static sparcl_status load(sparcl_model **model, const char *path,
                          const sparcl_architecture *architecture, sparcl_error *error) {
    FILE *file = NULL;
    *model = NULL;
    SPC_TRY(spc_open_regular(&file, path, error));
    const sparcl_status status = spc_model_read(model, file, path, architecture, error);
    fclose(file);
    return status;
}

sparcl_status sparcl_model_load(sparcl_model **model, const char *path, sparcl_error *error) {
    return load(model, path, NULL, error);
}

sparcl_status sparcl_model_load_as(sparcl_model **model, const char *path,
                                   const sparcl_architecture *architecture, sparcl_error *error) {
    *model = NULL;
    SPC_TRY(spc_architecture_check(architecture, "model", error));
    return load(model, path, architecture, error);
}
