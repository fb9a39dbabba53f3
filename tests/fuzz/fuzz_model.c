/*
 * fuzz_model.c: libFuzzer target for the model reader. A first byte '=' means that the rest is a
 * header up to a newline, then data, and the length in front is made here; otherwise the bytes are
 * the file as it is. The first format lets a mutation pass the length check.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/model_object.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The same bytes as a model of a caller, whose shapes are those of the file. */
static void read_own(void *bytes, size_t size) {
    static const char *const names[] = {"weight", "bias", NULL};
    const sparcl_architecture own = {.name = "linear", .parameters = names};
    FILE *const file = fmemopen(bytes, size, "rb");
    if (!file) return;
    sparcl_model *model = NULL;
    if ((spc_model_read(&model, file, "fuzz", &own, NULL) == SPARCL_OK) != (model != NULL)) abort();
    for (int i = 0; model && i < model->count; i++)
        for (int64_t k = 0; k < spc_tensor_elements(&model->tensors[i].tensor); k++)
            if (!isfinite(model->tensors[i].values[k])) abort();
    sparcl_model_free(model);
    fclose(file);
}

static void read_model(void *bytes, size_t size) {
    FILE *const file = fmemopen(bytes, size, "rb");
    if (!file) return;
    sparcl_model *model = NULL;
    sparcl_error error = {0};
    const sparcl_status status = spc_model_read(&model, file, "fuzz", NULL, &error);
    if ((status == SPARCL_OK) != (model != NULL)) abort();
    if (status != SPARCL_OK && strncmp(error.message, "fuzz: ", 6) != 0) abort();
    if (model) {
        const sparcl_model_info *const info = sparcl_model_get_info(model);
        for (int64_t i = 0; i < info->columns * info->outputs; i++)
            if (!isfinite(sparcl_model_weights(model)[i])) abort();
    }
    sparcl_model_free(model);
    fclose(file);
    read_own(bytes, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const size_t capacity = size + 8;
    uint8_t *const file = malloc(capacity);
    if (!file || size == 0) {
        free(file);
        return 0;
    }
    if (data[0] != '=') {
        memcpy(file, data, size);
        read_model(file, size);
    } else {
        const uint8_t *const newline = memchr(data, '\n', size);
        const size_t header = newline ? (size_t)(newline - data) - 1 : size - 1;
        const size_t rest = newline ? size - header - 2 : 0;
        for (int i = 0; i < 8; i++)
            file[i] = (uint8_t)(header >> (8 * i) & 0xff);
        memcpy(file + 8, data + 1, header);
        if (newline) memcpy(file + 8 + header, newline + 1, rest);
        read_model(file, 8 + header + rest);
    }
    free(file);
    return 0;
}
