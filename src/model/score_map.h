/* score_map.h: how the scores of a model of classes become probabilities, where that was found on
 * rows that it was not trained on. */
#ifndef SPC_MODEL_SCORE_MAP_H
#define SPC_MODEL_SCORE_MAP_H

#include <stdbool.h>

#include "base/file.h"
#include "model/safetensors.h"
#include "sparcl/model.h"

/*
 * A map for the score of two classes; or, for softmax, one for each class, whose scores are the
 * logarithms of its odds, and whose results are divided by their sum.
 *
 * Temperature: a factor of all scores, before the sigmoid or softmax: its reciprocal. Platt: a
 * slope and an intercept for each map. Isotonic: pairs of a score and a probability, both
 * ascending; of several maps, each is behind the number of its class, which ascend.
 */
typedef struct spc_score_map {
    const char *method; /* one of those below; NULL: none */
    double *points;     /* [count, width] */
    int64_t count;
    int width;       /* 2; 3 with classes; of a temperature 1 */
    int64_t maps;    /* 1, or the classes */
    int64_t *begins; /* [maps + 1] of points; NULL with Platt, and for one map */
} spc_score_map;

#define SPC_PLATT       "platt"
#define SPC_ISOTONIC    "isotonic"
#define SPC_TEMPERATURE "temperature"

/* "platt", "isotonic" or "temperature"; -1: it is none of them. */
int spc_score_map_method(const char *name);

/* Whether what is predicted is that of the calibration: labels of hinge loss are not. */
bool spc_maps_labels(const sparcl_model *model);

/* Of two classes: the probability of the higher one. */
double spc_mapped(const spc_score_map *calibration, double score);

/* The scores of a row of softmax. */
typedef struct spc_odds {
    const float *scores;
    int64_t count, best; /* the highest */
    double most, sum;    /* exp(score - most) of all */
    double of_best;      /* the odds of the best class */
} spc_odds;

spc_odds spc_odds_of(const float *scores, int64_t count);
/* The logarithm of the odds of a class: score - log(sum of exp of the others). */
double spc_log_odds(const spc_odds *odds, int64_t class);

/* Of rows: the class and its probability, from scores [rows, outputs]. */
void spc_map_scores(const sparcl_model *model, const float *scores, int64_t rows, float *label,
                    float *p);
/* Of one row: the loss of a class. */
double spc_mapped_loss(const sparcl_model *model, const float *scores, int64_t class);

/* Room for points, and for begins where there are several isotonic maps; E_MEMORY. */
SPARCL_MUST_CHECK sparcl_status spc_score_map_make(spc_score_map *calibration, const char *method,
                                                   int64_t count, int64_t maps,
                                                   sparcl_error *error);

/* What a file has of it; false: nothing. */
bool spc_score_map_tensor(const spc_score_map *calibration, spc_tensor *tensor, spc_bytes *part);
/* Of a model with as many outputs. To be freed also after an error. */
SPARCL_MUST_CHECK sparcl_status spc_score_map_read(const spc_tensors *in, int64_t outputs,
                                                   spc_score_map *calibration, sparcl_error *error);
void spc_score_map_free(spc_score_map *calibration);

#endif
