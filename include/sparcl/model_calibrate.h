/* model_calibrate.h: probabilities of a model from rows that it was not trained on
 * (libsparcl-train). */
#ifndef SPARCL_MODEL_CALIBRATE_H
#define SPARCL_MODEL_CALIBRATE_H

#include "sparcl/context.h"
#include "sparcl/data.h"
#include "sparcl/model.h"
#include "sparcl/status.h"

#ifdef __cplusplus
extern "C" {
#endif

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
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_model_calibrate(sparcl_ctx *ctx,
                                                                  sparcl_model *model,
                                                                  const sparcl_data *data,
                                                                  const char *method,
                                                                  sparcl_error *error);

#ifdef __cplusplus
}
#endif

#endif
