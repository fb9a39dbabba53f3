/* score_map.h: how the scores of a model of two classes become probabilities, where that was
 * found on rows that it was not trained on. */
#ifndef SPC_MODEL_SCORE_MAP_H
#define SPC_MODEL_SCORE_MAP_H

#include <stdbool.h>

#include "base/file.h"
#include "model/safetensors.h"
#include "sparcl/model.h"

/* Platt: points has a slope and an intercept. Isotonic: count pairs of a score and a probability,
 * both ascending. */
typedef struct spc_score_map {
    const char *method; /* SPC_PLATT or SPC_ISOTONIC; NULL: none */
    double *points;     /* [count, 2] */
    int64_t count;
} spc_score_map;

#define SPC_PLATT    "platt"
#define SPC_ISOTONIC "isotonic"

/* Whether what is predicted is that of the calibration: labels of hinge loss are not. */
bool spc_maps_labels(const sparcl_model *model);

double spc_mapped(const spc_score_map *calibration, double score);

/* Of rows: the class, 0 or 1, and its probability, from scores. */
void spc_map_scores(const spc_score_map *calibration, const float *scores, int64_t rows,
                    float *label, float *p);

/* What a file has of it; false: nothing. */
bool spc_score_map_tensor(const spc_score_map *calibration, spc_tensor *tensor, spc_bytes *part);
/* To be freed also after an error. */
SPARCL_MUST_CHECK sparcl_status spc_score_map_read(const spc_tensors *in,
                                                   spc_score_map *calibration, sparcl_error *error);
void spc_score_map_free(spc_score_map *calibration);

#endif
