/* model_save.c: writes a model as a safetensors file. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "model/model_columns.h"
#include "model/model_fields.h"
#include "model/model_object.h"
#include "model/parameter_list.h"
#include "model/safetensors.h"

/* All labels, separated by blanks; `text` has SPC_DECIMAL_BYTES per label, and one more byte. */
static void print_labels(char *text, const sparcl_model_info *info) {
    *text = '\0';
    for (int64_t c = 0; c < info->classes; c++) {
        if (c > 0) *text++ = ' ';
        text += spc_decimal_print(text, info->labels[c]);
    }
}

static sparcl_status make_head(const sparcl_model *model, spc_tensor *tensors, int count,
                               char **head, size_t *bytes, sparcl_error *error) {
    char values[SPC_MODEL_FIELDS][SPC_NOTE_BYTES], clip[SPC_DECIMAL_BYTES];
    char of_fields[SPC_NOTE_BYTES], hash_bits[SPC_NOTE_BYTES];
    spc_note notes[SPC_MODEL_NOTES + 9 + SPARCL_MODEL_NOTES];
    int n = 0;
    const size_t capacity = ((size_t)model->info.classes + 1) * SPC_DECIMAL_BYTES;
    char *const labels = spc_alloc(NULL, capacity);
    if (!labels) return spc_fail_memory(error, "model", capacity);
    print_labels(labels, &model->info);
    notes[n++] = (spc_note){"format", SPC_MODEL_FORMAT};
    notes[n++] = (spc_note){"kind", model->architecture.name};
    notes[n++] = (spc_note){"labels", labels};
    for (int i = 0; i < SPC_MODEL_FIELDS; i++) {
        spc_model_field_print(values[i], &model->info, i);
        notes[n++] = (spc_note){spc_model_field_key(i), values[i]};
    }
    if (model->info.solver) notes[n++] = (spc_note){"solver", model->info.solver};
    if (model->info.settings) notes[n++] = (spc_note){"settings", model->info.settings};
    if (model->info.parameter_settings)
        notes[n++] = (spc_note){"parameter_settings", model->info.parameter_settings};
    if (model->info.schedule) notes[n++] = (spc_note){"schedule", model->info.schedule};
    snprintf(of_fields, sizeof of_fields, "%" PRId64, model->info.fields);
    if (model->info.fields > 0) notes[n++] = (spc_note){"fields", of_fields};
    snprintf(hash_bits, sizeof hash_bits, "%d", model->info.hash_bits);
    if (model->info.hash_bits > 0) notes[n++] = (spc_note){SPC_NOTE_HASH_BITS, hash_bits};
    if (model->info.crosses) notes[n++] = (spc_note){SPC_NOTE_CROSSES, model->info.crosses};
    if (model->info.clip_global_norm != 0) {
        spc_decimal_print(clip, model->info.clip_global_norm);
        notes[n++] = (spc_note){SPC_NOTE_CLIP, clip};
    }
    if (spc_has_settings(&model->architecture))
        notes[n++] = (spc_note){"architecture", model->architecture.settings};
    n += spc_model_notes_write(&model->notes, notes + n);
    const sparcl_status status = spc_tensors_head(tensors, count, notes, n, head, bytes, error);
    spc_free(NULL, labels, capacity);
    return status;
}

/* The parameters, and before and behind them what there is of how data became columns, as tensors
 * of a file, and the parts of the file: the head, then each tensor. */
typedef struct layout {
    size_t count, capacity;
    spc_tensor *tensors; /* [capacity] */
    spc_bytes *parts;    /* [capacity + 1] */
} layout;

static sparcl_status make_layout(layout *to, const sparcl_model *model, sparcl_error *error) {
    const size_t capacity = (size_t)model->count + SPC_ID_LISTS + 3;
    to->capacity = capacity;
    to->tensors = spc_alloc_zero(NULL, capacity, sizeof *to->tensors);
    to->parts = spc_alloc_zero(NULL, capacity + 1, sizeof *to->parts);
    if (!to->tensors || !to->parts)
        return spc_fail_memory(error, "model", capacity * sizeof *to->tensors);
    size_t n = spc_model_ids_tensors(&model->info, to->tensors, to->parts + 1);
    n += spc_score_map_tensor(&model->calibration, to->tensors + n, to->parts + n + 1);
    for (int i = 0; i < model->count; i++) {
        const spc_model_tensor *const from = &model->tensors[i];
        to->tensors[n] =
            (spc_tensor){.name = from->tensor.name, .dtype = "F32", .rank = from->tensor.rank};
        memcpy(to->tensors[n].shape, from->tensor.shape, sizeof from->tensor.shape);
        to->parts[++n] = (spc_bytes){from->values, from->bytes};
    }
    n += spc_model_description_tensor(&model->info, to->tensors + n, to->parts + n + 1);
    n += spc_label_names_tensor(&model->label_names, to->tensors + n, to->parts + n + 1);
    to->count = n;
    return SPARCL_OK;
}

sparcl_status sparcl_model_save(const sparcl_model *model, const char *path, sparcl_error *error) {
    layout all = {0};
    char *head = NULL;
    size_t head_bytes = 0;
    sparcl_status status;
    SPC_GO(make_layout(&all, model, error));
    SPC_GO(make_head(model, all.tensors, (int)all.count, &head, &head_bytes, error));
    all.parts[0] = (spc_bytes){head, head_bytes};
    SPC_GO(spc_file_write(path, all.parts, all.count + 1, error));
done:
    spc_free(NULL, head, head_bytes);
    spc_free(NULL, all.tensors, all.capacity * sizeof *all.tensors);
    spc_free(NULL, all.parts, (all.capacity + 1) * sizeof *all.parts);
    return status;
}
