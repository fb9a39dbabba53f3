/* models.h: the models that the library has, by name (libsparcl-train). */
#ifndef SPARCL_MODELS_H
#define SPARCL_MODELS_H

#include "sparcl/architecture.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A model that the library has. */
typedef struct sparcl_model_kind {
    const char *name;      /**< as in model files */
    const char *formula;   /**< the scores of a row x of the data */
    const char *source;    /**< who described it first; "" where it is nobody's */
    const char *settings;  /**< the names of its settings, separated by blanks */
    const char *usual;     /**< settings whose defaults are its own, as text; NULL: none */
    const char *optimizer; /**< of `sparcl train` and Python where none is given: a rule with its
                                settings as text, such as "adam:lr=0.01" (sparcl_optim_parse) */
    int64_t epochs;        /**< passes of their steps where none are given */
    int has_one_score;     /**< 1: not for softmax */
    sparcl_task task;      /**< what it is trained for */
    int reads_fields;      /**< 1: data need fields, as libFFM text has them */
} sparcl_model_kind;

/** Model number i, from 0; NULL after the last. */
SPARCL_API const sparcl_model_kind *sparcl_model_kind_at(int i);

/** A setting of models. */
typedef struct sparcl_model_setting {
    const char *name;     /**< its key */
    const char *expected; /**< its values in words */
    const char *usual;    /**< the default, as text */
} sparcl_model_setting;

/** Setting number i, from 0; NULL after the last. */
SPARCL_API const sparcl_model_setting *sparcl_model_setting_at(int i);

/** Bytes of the settings of a model as text, with the NUL. */
enum { SPARCL_MODEL_TEXT = 256 };

/**
 * The architecture of a model from text: NAME[:KEY=VALUE,...], such as "fm:factors=16", for
 * sparcl_train_desc. What the text does not set has its default; architecture->settings has all
 * settings as text. To be freed with sparcl_architecture_free; a trained or loaded model has a copy
 * of its own.
 *
 * Errors    E_ARG: no such model or setting, a setting of another model, or a value that is not one
 *           of it; the message says what is expected. E_MEMORY. *architecture is then NULL.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_architecture_parse(
    const sparcl_architecture **architecture, const char *text, sparcl_error *error);
/** Free what sparcl_architecture_parse made. NULL is allowed. */
SPARCL_API void sparcl_architecture_free(const sparcl_architecture *architecture);

#ifdef __cplusplus
}
#endif

#endif
