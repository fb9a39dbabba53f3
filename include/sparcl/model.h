/* model.h: a trained model in host memory, and its file (libsparcl-train). */
#ifndef SPARCL_MODEL_H
#define SPARCL_MODEL_H

#include "sparcl/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A trained model. Owned. */
typedef struct sparcl_model sparcl_model;

/** Names on the command line and in files: "logistic", "softmax", "squared". */
typedef enum sparcl_loss {
    SPARCL_LOSS_LOGISTIC = 0, /**< two classes, one output: log(1 + exp(-y s)), y = -1 or +1 */
    SPARCL_LOSS_SOFTMAX = 1,  /**< one output a class: log(sum exp s) - s[label] */
    SPARCL_LOSS_SQUARED = 2   /**< one output: (s - label)^2 / 2 */
} sparcl_loss;

/** Names: "sgd", "momentum", "adagrad", "adam". */
typedef enum sparcl_optimizer {
    SPARCL_OPTIMIZER_SGD = 0,
    SPARCL_OPTIMIZER_MOMENTUM = 1,
    SPARCL_OPTIMIZER_ADAGRAD = 2,
    SPARCL_OPTIMIZER_ADAM = 3
} sparcl_optimizer;

SPARCL_API const char *sparcl_loss_name(sparcl_loss loss);
SPARCL_API const char *sparcl_optimizer_name(sparcl_optimizer optimizer);
/** E_ARG: no such name; the message lists the names. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_loss_parse(sparcl_loss *loss, const char *name,
                                                             sparcl_error *error);
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_optimizer_parse(sparcl_optimizer *optimizer,
                                                                  const char *name,
                                                                  sparcl_error *error);

/**
 * What a model is and what its weights came from; nothing here depends on a path or a device, so
 * equal runs give equal files.
 */
typedef struct sparcl_model_info {
    sparcl_loss loss;
    sparcl_optimizer optimizer;
    int64_t columns;       /**< feature width */
    int64_t outputs;       /**< 1, or the number of classes for softmax */
    int64_t classes;       /**< length of labels: 2 for logistic, outputs for softmax, 0 for squared */
    const double *labels;  /**< the label of each class, ascending */
    int index_base;        /**< 0 or 1: of the indices in the data file */
    int has_bias;
    double lr, l2, momentum, beta1, beta2, epsilon; /**< 0 where the optimizer has no such rate */
    int64_t epochs, batch; /**< batch: rows of a step; 0 = all */
    uint64_t seed;
    uint64_t fingerprint;  /**< sparcl_data_info.fingerprint of the training data; 0: a callback */
} sparcl_model_info;

/**
 * Make a model from weights [columns, outputs] and bias [outputs] (NULL without bias); all is
 * copied. E_ARG, E_MEMORY.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_model_create(sparcl_model **model,
                                                               const sparcl_model_info *info,
                                                               const float *weights,
                                                               const float *bias,
                                                               sparcl_error *error);
/** NULL is allowed. */
SPARCL_API void sparcl_model_free(sparcl_model *model);

SPARCL_API const sparcl_model_info *sparcl_model_get_info(const sparcl_model *model);
SPARCL_API const float *sparcl_model_weights(const sparcl_model *model);
/** NULL without bias. */
SPARCL_API const float *sparcl_model_bias(const sparcl_model *model);

/**
 * Write a model as safetensors: F32 tensors "weight" [columns, outputs] and "bias" [outputs], and
 * metadata with string values and sorted keys. Equal models give equal bytes.
 *
 * The file is written under a temporary name in the same folder and renamed: at any time `path` is
 * the whole old file or the whole new one. E_IO.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_model_save(const sparcl_model *model,
                                                             const char *path,
                                                             sparcl_error *error);

/**
 * Read a model. Every field of the file is checked before it is used, so a hostile file is refused.
 * E_IO; E_FORMAT with what was expected and found; E_MEMORY. *model is then NULL.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_model_load(sparcl_model **model,
                                                             const char *path,
                                                             sparcl_error *error);

#ifdef __cplusplus
}
#endif

#endif
