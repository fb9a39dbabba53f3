/* model.h: a trained model in host memory, and its file (libsparcl-train). */
#ifndef SPARCL_MODEL_H
#define SPARCL_MODEL_H

#include "sparcl/architecture.h"
#include "sparcl/data.h"
#include "sparcl/graph.h"
#include "sparcl/ops/losses.h"
#include "sparcl/optim.h"
#include "sparcl/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A trained model in host memory. Owned. Only sparcl_model_calibrate, sparcl_model_set_note and
 * sparcl_model_set_label_names change it after it was created, so any number of threads may read it
 * at the same time.
 */
typedef struct sparcl_model sparcl_model;

/** The name of a loss: "logistic", "softmax", "squared", "poisson", "hinge"; "?" for another
 * number. */
SPARCL_API const char *sparcl_loss_name(sparcl_loss loss);
/** Parse a name.
 *
 * Errors    E_ARG: no such name; the message lists the names, and the result is unchanged.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_loss_parse(sparcl_loss *loss, const char *name,
                                                             sparcl_error *error);

/** The optimizer of one parameter of a model, in place of that of the training. */
typedef struct sparcl_parameter_optim {
    char parameter[48]; /**< its name in the architecture */
    sparcl_optim optim; /**< its step, last_steps and lazy are not used */
} sparcl_parameter_optim;

/** Parameters that can have an optimizer of their own. */
enum { SPARCL_PARAMETER_OPTIMS = 32 };

/**
 * Optimizers of single parameters from text: PARAMETER=NAME[:KEY=VALUE,...], separated by
 * semicolons, such as "weight=adagrad:lr=0.05;factors=adagrad:lr=0.01". Where lr is not set it is
 * that of sparcl_train_init. `list` has SPARCL_PARAMETER_OPTIMS elements.
 *
 * Errors    E_ARG: the message says which part is not as expected; *count is the number of those
 *           before it.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_parameter_optims_parse(
    sparcl_parameter_optim *list, int *count, const char *text, sparcl_error *error);

/**
 * The description of a model and of its training; nothing here depends on a path or a device, so
 * equal runs give equal files.
 */
typedef struct sparcl_model_info {
    sparcl_loss loss;      /**< the loss that was minimized */
    sparcl_rule optimizer; /**< the optimizer that trained it */
    int64_t columns;       /**< number of features */
    int64_t outputs;       /**< 1, or the number of classes for softmax */
    int64_t classes; /**< length of labels: 2 for logistic and hinge, outputs for softmax, else 0 */
    const double *labels;                           /**< the label of each class, ascending */
    int index_base;                                 /**< 0 or 1: of the indices in the data file */
    int has_bias;                                   /**< linear models: 0: without a bias; else 0 */
    double lr, l2, momentum, beta1, beta2, epsilon; /**< hyper-parameters; 0 where the optimizer
                                                         does not use them */
    int64_t epochs, batch;                          /**< passes; rows per step, 0: all */
    uint64_t seed;                                  /**< seed of the row order */
    const char *parameter_settings;                 /**< the optimizers of single parameters, as
                                                       sparcl_parameter_optims_parse takes them; NULL: none */
    const char *settings; /**< all settings of the optimizer, as sparcl_optim_print writes them;
                             NULL: those that are not here are as sparcl_optim_init has them */
    const char *solver;   /**< how it was trained where not by steps of the optimizer, such as
                             "lbfgs:l1=0,tolerance=1e-06"; `optimizer` is then sgd; NULL: by steps */
    const char *schedule; /**< of the rates, as sparcl_schedule_print writes it; NULL: constant */
    int64_t fields;       /**< sparcl_data_info.fields of the training data where the architecture
                             reads them, else 0 */
    double clip_global_norm; /**< limit of the norm of all gradients together; 0: none */
    uint64_t fingerprint; /**< sparcl_data_info.fingerprint of the training data; 0: trained from a
                               callback */
    int hash_bits;    /**< where the columns are hashed ids: sparcl_data_desc.hash_bits, with which
                         other data is to be read; else 0, also where names are hashed */
    int64_t id_count; /**< length of feature_ids */
    const int64_t
        *feature_ids; /**< the ids of the first columns, ascending, where the training data
                           was read with compact_ids or a map: sparcl_data_desc.feature_ids
                           for other data; NULL: columns are no ids */
    const char *csv_description; /**< the columns of the training data, where it was CSV:
                                      sparcl_data_desc.csv_description for other data; else NULL */
    sparcl_known_ids known_ids;  /**< those of the training data, where it was ratings, or edges
                                      read with compact_ids: sparcl_data_desc.known_ids for other
                                      data. Of ratings the columns are the users, then the items;
                                      of a model that ranks items the items */
    const char *crosses; /**< of namespaces: sparcl_data_desc.crosses for other Vowpal Wabbit text;
                              NULL: none, or csv_description has them */
} sparcl_model_info;

/**
 * Create a linear model from weights [columns, outputs], row-major, and bias [outputs] (NULL
 * exactly where has_bias is 0). Everything is copied, also the labels.
 *
 * Errors    E_ARG: fields that contradict each other, labels that do not ascend, a
 *           hyper-parameter, weight or bias that is not finite (the message names the first);
 *           E_MEMORY. *model is then NULL.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_model_create(sparcl_model **model,
                                                               const sparcl_model_info *info,
                                                               const float *weights,
                                                               const float *bias,
                                                               sparcl_error *error);
/** Free a model. NULL is allowed. */
SPARCL_API void sparcl_model_free(sparcl_model *model);

/** The description of a model. The model owns this and the results of the next functions. */
SPARCL_API const sparcl_model_info *sparcl_model_get_info(const sparcl_model *model);
/** The word that a label of the training data was, where it was CSV whose labels are words: such a
 * label is the number of its word; or the name of a class. NULL: labels are numbers, or this is
 * none of them. */
SPARCL_API const char *sparcl_model_label_name(const sparcl_model *model, double label);
/**
 * Name the classes of a model: names[c] is the name of info->labels[c], for
 * sparcl_model_label_name, in its file too. Labels stay numbers. NULL: without names. It changes
 * the model: call it before others read it.
 *
 * Errors    E_ARG: model or a name is NULL, a model without classes, or whose labels are words of
 *           CSV; E_MEMORY. The model is then unchanged.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_model_set_label_names(sparcl_model *model, const char *const *names, sparcl_error *error);
/** How sparcl_model_calibrate calibrated a model: "platt", "isotonic" or
 * "temperature"; NULL: it did not. */
SPARCL_EXPERIMENTAL_API const char *sparcl_model_calibration(const sparcl_model *model);
/** The probability of the higher of two classes for a score: calibrated, or 1 / (1 + exp(-score))
 * for logistic loss. NaN for softmax, and for other losses that are not calibrated. */
SPARCL_EXPERIMENTAL_API double sparcl_model_probability(const sparcl_model *model, double score);
/** Notes of a model: their number, and the bytes of a key and of a text with their final 0, at
 * most.
 */
enum { SPARCL_MODEL_NOTES = 100, SPARCL_NOTE_KEY = 64, SPARCL_NOTE_TEXT = 1 << 16 };

/**
 * Keep a text by a key with a model, in its file too, as the metadata "note.KEY"; it replaces one
 * of this key, and NULL removes that. No note changes what is predicted. `sparcl train` notes the
 * data, its options and what came of the validation: "data", "rows", "options", "valid_loss", ...;
 * sparcl_train_auto what it chose (auto.h). As sparcl_model_calibrate, it changes a model: call it
 * before others read it.
 *
 * Errors    E_ARG: model or key is NULL, a key or text that is too long or not UTF-8, an empty key,
 *           more notes than SPARCL_MODEL_NOTES; E_MEMORY. The model is then unchanged.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_model_set_note(sparcl_model *model,
                                                                              const char *key,
                                                                              const char *text,
                                                                              sparcl_error *error);
/** The note of a key; NULL: there is none. */
SPARCL_EXPERIMENTAL_API const char *sparcl_model_note(const sparcl_model *model, const char *key);
/** The key of note i from 0, in the order of their bytes; NULL: there are no more. */
SPARCL_EXPERIMENTAL_API const char *sparcl_model_note_key(const sparcl_model *model, int i);
/** The probability p[c] of each of info->classes for the scores [outputs] of a row, calibrated or
 * not; their sum is 1. 0: the model has none, and p is unchanged: it predicts numbers or items, or
 * has hinge loss and is not calibrated. */
SPARCL_EXPERIMENTAL_API int sparcl_model_probabilities(const sparcl_model *model,
                                                       const float *scores, double *p);
/** The weights [columns, outputs] of a linear model, row-major; NULL for another one. */
SPARCL_API const float *sparcl_model_weights(const sparcl_model *model);
/** The bias [outputs] of a linear model; NULL without one. */
SPARCL_API const float *sparcl_model_bias(const sparcl_model *model);

/** A trained parameter. */
typedef struct sparcl_tensor {
    const char *name;               /**< in the list of its architecture */
    int rank;                       /**< 1 to SPARCL_MAX_RANK */
    int64_t shape[SPARCL_MAX_RANK]; /**< [rank] */
    const float *values;            /**< row-major */
} sparcl_tensor;

/** The architecture of a model, which names its parameters. That of linear models is called
 * "linear", with the parameters "weight" [columns, outputs] and "bias" [outputs]. */
SPARCL_EXPERIMENTAL_API const sparcl_architecture *
sparcl_model_architecture(const sparcl_model *model);
/** A parameter; NULL: the model has none of this name. */
SPARCL_API const sparcl_tensor *sparcl_model_tensor(const sparcl_model *model, const char *name);

/**
 * Write a model as safetensors: its parameters as F32 tensors, in the order of the architecture,
 * and metadata with string values: format "sparcl.1", kind: the architecture's name, architecture:
 * its settings where it has some, its notes, and each field of sparcl_model_info but the ids and
 * the description of the columns, which are the tensors feature_ids, user_ids, item_ids and
 * node_ids (I64), before the parameters, and csv_description (U8), behind them; so are names of
 * classes, label_names (U8). Numbers are in the shortest decimal form that reads back exactly, in
 * any locale. Keys are sorted, so equal models give equal bytes.
 *
 * The file is written under a temporary name in the same folder and renamed: at any time `path` is
 * either the complete old file or the complete new one, and an error leaves no temporary file.
 *
 * Errors    E_IO, E_MEMORY.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_model_save(const sparcl_model *model,
                                                             const char *path, sparcl_error *error);

/**
 * Read a model of the library (architecture.h) that sparcl_model_save wrote. Every field of the
 * file is checked before it is used, and no more memory is allocated than the file fills, so a
 * hostile file is refused. Weights that are not finite are refused too, with their position.
 *
 * Errors    E_IO: it cannot be read, or is not a regular file; E_FORMAT: the message says what was
 *           expected and what was found; E_MEMORY. *model is then NULL.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_model_load(sparcl_model **model, const char *path,
                                                             sparcl_error *error);

/**
 * The same for a model of an architecture of your own: the file must have its name as kind, and
 * exactly its parameters and settings. Their shapes are compared with those of the forward function
 * when the model is first evaluated.
 *
 * Errors    as sparcl_model_load; E_ARG: the architecture is not as its header says.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status
sparcl_model_load_as(sparcl_model **model, const char *path,
                     const sparcl_architecture *architecture, sparcl_error *error);

/**
 * Write the parameters of a graph (graph.h) as a safetensors file: each with its name, as if all
 * its rows had caught up to the last step. States of optimizers are not written.
 *
 * Host      waits for the device.
 * Errors    E_ARG; E_DIVERGED: a value is not finite; E_IO, E_MEMORY, errors of the core. `path` is
 *           then unchanged.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_parameters_save(sparcl_ctx *ctx,
                                                                               sparcl_graph *graph,
                                                                               const char *path,
                                                                               sparcl_error *error);
/**
 * Read what sparcl_parameters_save wrote into a graph whose parameters have the same names and
 * shapes. States of optimizers do not change.
 *
 * Host      waits for the device.
 * Errors    E_ARG; E_FORMAT: the file is damaged, of another kind, or has other names or shapes;
 *           E_IO, E_MEMORY: no parameter has changed. Errors of the core.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_parameters_load(sparcl_ctx *ctx,
                                                                               sparcl_graph *graph,
                                                                               const char *path,
                                                                               sparcl_error *error);

/* --- calibration ------------------------------------------------------------------------------ */

/**
 * Calibrate a model of classes: from its scores for rows that it was not trained on, find what the
 * probability of each class is. The model keeps this, in its file too, in place of what it had:
 * sparcl_model_probability, sparcl_model_probabilities, sparcl_predict, sparcl_model_predict and
 * sparcl_eval use it, but for hinge loss only the first two, as labels stay those of the sign. In
 * the loss of sparcl_eval no probability counts as less than 2^-52. Weights of rows act. It changes
 * the model: call it before others read it.
 *
 * Of two classes it is the probability of the higher one for a score. Of softmax each class has a
 * function of its own, fitted against all other classes, of the logarithm of its odds, log(p / (1 -
 * p)), by the softmax of the scores; the results are divided by their sum, and the label is the
 * class with the largest (one versus rest, as CalibratedClassifierCV of scikit-learn does with the
 * scores). A class without rows gets 1 / (rows + 2) before that.
 *
 * method    "platt": 1 / (1 + exp(-(a score + b))) with the largest likelihood of the targets
 *           (n1 + 1) / (n1 + 2) and 1 / (n0 + 2), where n1 and n0 are the rows of both classes
 *           (J. Platt, 1999, in the form of Lin, Lin, Weng, Machine Learning 68, 2007);
 *           "isotonic": the ascending function with the least squared error, by pooling adjacent
 *           violators, linear between its points (Zadrozny, Elkan, KDD 2002);
 *           "temperature": all scores times one factor, with the largest likelihood of the labels:
 *           labels and the order of classes stay, and no class has a function of its own (Guo,
 *           Pleiss, Sun, Weinberger, ICML 2017)
 *
 * Errors    E_ARG: NULL, another method, a model without classes; E_FORMAT: no labels, one class
 *           only, scores that are not finite; E_MEMORY; errors of the core. The model is
 *           then unchanged.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_model_calibrate(sparcl_ctx *ctx, sparcl_model *model, const sparcl_data *data,
                       const char *method, sparcl_error *error);

#ifdef __cplusplus
}
#endif

#endif
