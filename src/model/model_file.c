/* model_file.c: reads and writes a model as a safetensors file. The metadata contain everything
 * that determines the weights. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/text.h"
#include "model/architecture_check.h"
#include "model/linear.h"
#include "model/model_object.h"
#include "model/parameter_list.h"
#include "model/regular.h"
#include "model/safetensors.h"

#define FORMAT "sparcl.1"
#define CLIP   "clip_global_norm"

typedef enum field_type {
    FIELD_COUNT, /* int64_t, not negative */
    FIELD_BIT,   /* int, 0 or 1 */
    FIELD_SEED,  /* uint64_t */
    FIELD_HASH,  /* uint64_t, 16 hexadecimal digits */
    FIELD_HYPER, /* double */
    FIELD_LOSS,  /* by name */
    FIELD_RULE
} field_type;

/* Every field of sparcl_model_info except the labels and settings; used for writing and reading. */
static const struct field {
    const char *key;
    field_type type;
    size_t at;
} fields[] = {
    {"loss", FIELD_LOSS, offsetof(sparcl_model_info, loss)},
    {"optimizer", FIELD_RULE, offsetof(sparcl_model_info, optimizer)},
    {"columns", FIELD_COUNT, offsetof(sparcl_model_info, columns)},
    {"outputs", FIELD_COUNT, offsetof(sparcl_model_info, outputs)},
    {"classes", FIELD_COUNT, offsetof(sparcl_model_info, classes)},
    {"index_base", FIELD_BIT, offsetof(sparcl_model_info, index_base)},
    {"bias", FIELD_BIT, offsetof(sparcl_model_info, has_bias)},
    {"lr", FIELD_HYPER, offsetof(sparcl_model_info, lr)},
    {"l2", FIELD_HYPER, offsetof(sparcl_model_info, l2)},
    {"momentum", FIELD_HYPER, offsetof(sparcl_model_info, momentum)},
    {"beta1", FIELD_HYPER, offsetof(sparcl_model_info, beta1)},
    {"beta2", FIELD_HYPER, offsetof(sparcl_model_info, beta2)},
    {"epsilon", FIELD_HYPER, offsetof(sparcl_model_info, epsilon)},
    {"epochs", FIELD_COUNT, offsetof(sparcl_model_info, epochs)},
    {"batch", FIELD_COUNT, offsetof(sparcl_model_info, batch)},
    {"seed", FIELD_SEED, offsetof(sparcl_model_info, seed)},
    {"data_fingerprint", FIELD_HASH, offsetof(sparcl_model_info, fingerprint)},
};

/* Beside them the format, the kind, the labels and, where the model has them, the settings of the
 * optimizer, of those of single parameters, of the schedule, and of the architecture, and the limit
 * of all gradients together. */
enum { FIELDS = SPC_COUNT(fields), NOTES = FIELDS + 3, VALUE_BYTES = 40 };

/* ---- writing -------------------------------------------------------------------------------- */

static void print_field(char text[VALUE_BYTES], const sparcl_model_info *info,
                        const struct field *field) {
    const char *const at = (const char *)info + field->at;
    const size_t capacity = VALUE_BYTES;
    switch (field->type) {
    case FIELD_COUNT:
        snprintf(text, capacity, "%" PRId64, *(const int64_t *)(const void *)at);
        break;
    case FIELD_BIT:
        snprintf(text, capacity, "%d", *(const int *)(const void *)at);
        break;
    case FIELD_SEED:
        snprintf(text, capacity, "%" PRIu64, *(const uint64_t *)(const void *)at);
        break;
    case FIELD_HASH:
        snprintf(text, capacity, "%016" PRIx64, *(const uint64_t *)(const void *)at);
        break;
    case FIELD_HYPER:
        spc_decimal_print(text, *(const double *)(const void *)at);
        break;
    case FIELD_LOSS:
        snprintf(text, capacity, "%s", sparcl_loss_name(info->loss));
        break;
    case FIELD_RULE:
        snprintf(text, capacity, "%s", sparcl_rule_name(info->optimizer));
        break;
    }
}

/* All labels, separated by blanks; `text` has SPC_DECIMAL_BYTES per label, and one more byte. */
static void print_labels(char *text, const sparcl_model_info *info) {
    *text = '\0';
    for (int64_t c = 0; c < info->classes; c++) {
        if (c > 0) *text++ = ' ';
        text += spc_decimal_print(text, info->labels[c]);
    }
}

static bool has_settings(const sparcl_architecture *a) {
    return a->settings && *a->settings;
}

static sparcl_status make_head(const sparcl_model *model, spc_tensor *tensors, int count,
                               char **head, size_t *bytes, sparcl_error *error) {
    char values[FIELDS][VALUE_BYTES], clip[SPC_DECIMAL_BYTES], of_fields[VALUE_BYTES];
    spc_note notes[NOTES + 7];
    int n = 0;
    const size_t capacity = ((size_t)model->info.classes + 1) * SPC_DECIMAL_BYTES;
    char *const labels = spc_alloc(NULL, capacity);
    if (!labels) return spc_fail_memory(error, "model", capacity);
    print_labels(labels, &model->info);
    notes[n++] = (spc_note){"format", FORMAT};
    notes[n++] = (spc_note){"kind", model->architecture.name};
    notes[n++] = (spc_note){"labels", labels};
    for (size_t i = 0; i < FIELDS; i++) {
        print_field(values[i], &model->info, &fields[i]);
        notes[n++] = (spc_note){fields[i].key, values[i]};
    }
    if (model->info.solver) notes[n++] = (spc_note){"solver", model->info.solver};
    if (model->info.settings) notes[n++] = (spc_note){"settings", model->info.settings};
    if (model->info.parameter_settings)
        notes[n++] = (spc_note){"parameter_settings", model->info.parameter_settings};
    if (model->info.schedule) notes[n++] = (spc_note){"schedule", model->info.schedule};
    snprintf(of_fields, sizeof of_fields, "%" PRId64, model->info.fields);
    if (model->info.fields > 0) notes[n++] = (spc_note){"fields", of_fields};
    if (model->info.clip_global_norm != 0) {
        spc_decimal_print(clip, model->info.clip_global_norm);
        notes[n++] = (spc_note){CLIP, clip};
    }
    if (has_settings(&model->architecture))
        notes[n++] = (spc_note){"architecture", model->architecture.settings};
    const sparcl_status status = spc_tensors_head(tensors, count, notes, n, head, bytes, error);
    spc_free(NULL, labels, capacity);
    return status;
}

/* The parameters as tensors of a file, and the parts of the file: the head, then each tensor. */
typedef struct layout {
    size_t count;
    spc_tensor *tensors; /* [count] */
    spc_bytes *parts;    /* [count + 1] */
} layout;

static sparcl_status make_layout(layout *to, const sparcl_model *model, sparcl_error *error) {
    to->count = (size_t)model->count;
    to->tensors = spc_alloc_zero(NULL, to->count, sizeof *to->tensors);
    to->parts = spc_alloc_zero(NULL, to->count + 1, sizeof *to->parts);
    if (!to->tensors || !to->parts)
        return spc_fail_memory(error, "model", to->count * sizeof *to->tensors);
    for (size_t i = 0; i < to->count; i++) {
        const spc_model_tensor *const from = &model->tensors[i];
        to->tensors[i] =
            (spc_tensor){.name = from->tensor.name, .dtype = "F32", .rank = from->tensor.rank};
        memcpy(to->tensors[i].shape, from->tensor.shape, sizeof from->tensor.shape);
        to->parts[i + 1] = (spc_bytes){from->values, from->bytes};
    }
    return SPARCL_OK;
}

sparcl_status sparcl_model_save(const sparcl_model *model, const char *path, sparcl_error *error) {
    layout all = {0};
    char *head = NULL;
    size_t head_bytes = 0;
    sparcl_status status;
    SPC_GO(make_layout(&all, model, error));
    SPC_GO(make_head(model, all.tensors, model->count, &head, &head_bytes, error));
    all.parts[0] = (spc_bytes){head, head_bytes};
    SPC_GO(spc_file_write(path, all.parts, all.count + 1, error));
done:
    spc_free(NULL, head, head_bytes);
    spc_free(NULL, all.tensors, all.count * sizeof *all.tensors);
    spc_free(NULL, all.parts, (all.count + 1) * sizeof *all.parts);
    return status;
}

/* ---- reading -------------------------------------------------------------------------------- */

/* Only digits, without a leading zero: the only form in which integers are written. */
static bool parse_digits(const char *text, uint64_t maximum, uint64_t *value) {
    *value = 0;
    if (text[0] == '0') return text[1] == '\0';
    if (text[0] == '\0') return false;
    for (; *text; text++) {
        if (*text < '0' || *text > '9') return false;
        const uint64_t digit = (uint64_t)(*text - '0');
        if (digit > maximum || *value > (maximum - digit) / 10) return false;
        *value = *value * 10 + digit;
    }
    return true;
}

static bool parse_hash(const char *text, uint64_t *value) {
    if (strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16) return false;
    *value = strtoull(text, NULL, 16);
    return true;
}

static bool parse_field(const char *text, const struct field *field, sparcl_model_info *info) {
    void *const at = (char *)info + field->at;
    uint64_t number = 0;
    switch (field->type) {
    case FIELD_COUNT:
        if (!parse_digits(text, INT64_MAX, &number)) return false;
        *(int64_t *)at = (int64_t)number;
        return true;
    case FIELD_BIT:
        if (!parse_digits(text, 1, &number)) return false;
        *(int *)at = (int)number;
        return true;
    case FIELD_SEED:
        return parse_digits(text, UINT64_MAX, at);
    case FIELD_HASH:
        return parse_hash(text, at);
    case FIELD_HYPER:
        return spc_decimal_parse(text, (int)strnlen(text, 1000), at);
    case FIELD_LOSS:
        return sparcl_loss_parse(&info->loss, text, NULL) == SPARCL_OK;
    case FIELD_RULE:
        return sparcl_rule_parse(&info->optimizer, text, NULL) == SPARCL_OK;
    }
    return false;
}

static const char *expected_of(field_type type) {
    switch (type) {
    case FIELD_COUNT:
        return "an integer of at least 0";
    case FIELD_BIT:
        return "0 or 1";
    case FIELD_SEED:
        return "an integer from 0 to 2^64 - 1";
    case FIELD_HASH:
        return "16 hexadecimal digits";
    case FIELD_HYPER:
        return "a finite decimal number";
    case FIELD_LOSS:
        return "logistic, softmax, squared, poisson or hinge";
    case FIELD_RULE:
        return "the name of an optimizer";
    }
    return "";
}

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
    const char *const settings = has_settings(a) ? a->settings : "";
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
    if (format && strcmp(format, FORMAT) == 0) return SPARCL_OK;
    return bad_note(in, "format", "\"" FORMAT "\", as sparcl train writes it", error);
}

/* Models that do not read fields have no note of them. */
static sparcl_status read_field_count(const spc_tensors *in, sparcl_model_info *info,
                                      sparcl_error *error) {
    const char *const text = spc_tensors_note(in, "fields");
    uint64_t count = 0;
    if (!text) return SPARCL_OK;
    if (!parse_digits(text, INT32_MAX, &count) || count == 0)
        return bad_note(in, "fields", "a number of fields from 1", error);
    info->fields = (int64_t)count;
    return SPARCL_OK;
}

static sparcl_status parse_fields(const spc_tensors *in, const sparcl_architecture *a,
                                  sparcl_model_info *info, sparcl_error *error) {
    SPC_TRY(check_kind(in, a, error));
    for (size_t i = 0; i < FIELDS; i++) {
        const char *const text = spc_tensors_note(in, fields[i].key);
        if (!text || !parse_field(text, &fields[i], info))
            return bad_note(in, fields[i].key, expected_of(fields[i].type), error);
    }
    info->solver = spc_tensors_note(in, "solver");
    info->settings = spc_tensors_note(in, "settings");
    info->parameter_settings = spc_tensors_note(in, "parameter_settings");
    info->schedule = spc_tensors_note(in, "schedule");
    SPC_TRY(read_field_count(in, info, error));
    const char *const clip = spc_tensors_note(in, CLIP);
    if (clip && !(spc_decimal_parse(clip, (int)strlen(clip), &info->clip_global_norm) &&
                  info->clip_global_norm > 0))
        return bad_note(in, CLIP, "a number above 0", error);
    const int expected = NOTES + (clip != NULL) + (info->solver != NULL) +
                         (info->settings != NULL) + (info->parameter_settings != NULL) +
                         (info->schedule != NULL) + (info->fields > 0) + has_settings(a);
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
        if (length > VALUE_BYTES || !spc_decimal_parse(at, (int)length, &(*labels)[c]))
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
                                 sparcl_tensor *shapes, sparcl_error *error) {
    const int count = spc_architecture_count(architecture);
    for (int i = 0; i < count; i++)
        SPC_TRY(read_shape(in, architecture->parameters[i], &shapes[i], error));
    if (in->count == count) return SPARCL_OK;
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
                                const sparcl_architecture *architecture, sparcl_error *error) {
    const bool is_linear = strcmp(architecture->name, spc_linear.name) == 0;
    if (is_linear) architecture = info->has_bias ? &spc_linear : &spc_linear_without_bias;
    const size_t count = (size_t)spc_architecture_count(architecture);
    sparcl_tensor *const shapes = spc_alloc_zero(NULL, count, sizeof *shapes);
    sparcl_status status;
    if (!shapes) return spc_fail_memory(error, in->path, count * sizeof *shapes);
    SPC_GO(read_shapes(in, architecture, shapes, error));
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
    spc_tensors in;
    *model = NULL;
    SPC_TRY(spc_tensors_open(&in, file, path, error));
    SPC_GO(check_format(&in, error));
    if (!architecture) SPC_GO(find_builtin(&in, &made, &architecture, error));
    SPC_GO(parse_fields(&in, architecture, &info, error));
    SPC_GO(parse_labels(&in, &info, &labels, &label_bytes, error));
    SPC_GO(spc_model_check(&info, architecture->task, SPARCL_E_FORMAT, path, error));
    SPC_GO(read_model(model, &in, &info, architecture, error));
done:
    if (status != SPARCL_OK) {
        sparcl_model_free(*model);
        *model = NULL;
    }
    sparcl_architecture_free(made);
    spc_free(NULL, labels, label_bytes);
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
