/* model_fields.c: the numbers and names in the metadata of a model file, one for each field of
 * sparcl_model_info except the labels and the settings. */
#include "model/model_fields.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "sparcl/optim_text.h"

typedef enum field_type {
    FIELD_COUNT, /* int64_t, not negative */
    FIELD_BIT,   /* int, 0 or 1 */
    FIELD_SEED,  /* uint64_t */
    FIELD_HASH,  /* uint64_t, 16 hexadecimal digits */
    FIELD_HYPER, /* double */
    FIELD_LOSS,  /* by name */
    FIELD_RULE
} field_type;

static const struct field {
    const char *key;
    field_type type;
    size_t at;
} fields[SPC_MODEL_FIELDS] = {
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

const char *spc_model_field_key(int i) {
    return fields[i].key;
}

void spc_model_field_print(char text[SPC_NOTE_BYTES], const sparcl_model_info *info, int i) {
    const struct field *const field = &fields[i];
    const char *const at = (const char *)info + field->at;
    const size_t capacity = SPC_NOTE_BYTES;
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

bool spc_parse_digits(const char *text, uint64_t maximum, uint64_t *value) {
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

bool spc_model_field_parse(const char *text, int i, sparcl_model_info *info) {
    const struct field *const field = &fields[i];
    void *const at = (char *)info + field->at;
    uint64_t number = 0;
    switch (field->type) {
    case FIELD_COUNT:
        if (!spc_parse_digits(text, INT64_MAX, &number)) return false;
        *(int64_t *)at = (int64_t)number;
        return true;
    case FIELD_BIT:
        if (!spc_parse_digits(text, 1, &number)) return false;
        *(int *)at = (int)number;
        return true;
    case FIELD_SEED:
        return spc_parse_digits(text, UINT64_MAX, at);
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

const char *spc_model_field_expected(int i) {
    switch (fields[i].type) {
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
