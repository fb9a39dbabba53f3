/* label_units.h: labels that are numbers, from their mean and in units near their standard
 * deviation, as steps of one length need them; and the model of labels as they are. */
#ifndef SPC_TRAIN_LABEL_UNITS_H
#define SPC_TRAIN_LABEL_UNITS_H

#include <stdbool.h>

#include "sparcl/architecture.h"
#include "sparcl/data.h"
#include "sparcl/model.h"
#include "sparcl/ops/losses.h"

/* A label is (label - shift) / scale in the training. */
typedef struct spc_label_units {
    double shift;
    double scale; /* a power of four, whose root is exact, too; 0: labels as they are */
} spc_label_units;

/* Whether the scores of a model have parameters that take both: it is one of the library, and
 * labels are numbers. */
bool spc_label_units_fit(const sparcl_architecture *architecture, sparcl_loss loss);

/* Of weighted rows, whose best constant then is 0; without a shift, which needs a bias. */
spc_label_units spc_label_units_of(const sparcl_data *data, bool has_bias);

/* Those of labels as they are in these: they take a model back, where a training begins with one.
 */
spc_label_units spc_label_units_inverse(const spc_label_units *units);

/* What a loss in these units is in those of the labels: a factor; 1 for labels as they are. */
double spc_label_units_loss(const spc_label_units *units);

/* Values of a parameter in these units, whose scale is not 0, [count], become those of labels as
 * they are. */
void spc_label_units_to_model(const spc_label_units *units, const sparcl_architecture *architecture,
                              int parameter, int64_t count, float *values);

#endif
