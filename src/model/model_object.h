/* model_object.h: the struct of a model, for the files of the training library. */
#ifndef SPC_MODEL_OBJECT_H
#define SPC_MODEL_OBJECT_H

#include <stdio.h>

#include "base/macros.h"
#include "model/label_names.h"
#include "model/model_notes.h"
#include "model/score_map.h"
#include "model/solver_text.h"
#include "sparcl/model.h"
#include "sparcl/optim_text.h"
#include "sparcl/train.h"

/* The values of a parameter; tensor.values is `values`. */
typedef struct spc_model_tensor {
    sparcl_tensor tensor;
    float *values;
    size_t bytes;    /* of the values */
    size_t capacity; /* of the memory: values are never NULL */
} spc_model_tensor;

/* Lists of ids: of features, users, items and nodes. */
enum { SPC_ID_LISTS = 4 };

/* How data became columns; NULL: there is none. */
typedef struct spc_data_columns {
    int64_t *ids[SPC_ID_LISTS];
    char *description; /* of the columns of CSV */
    char *crosses;     /* of namespaces; NULL: none */
    char **labels;     /* [label_count]: words that are labels, in `words` */
    char *words;       /* [word_bytes] */
    int64_t label_count;
    size_t id_bytes[SPC_ID_LISTS], description_bytes, word_bytes;
} spc_data_columns;

struct sparcl_model {
    sparcl_model_info info; /* info.labels is `labels` */
    double *labels;         /* [classes] */
    size_t label_bytes;
    char settings[SPARCL_OPTIM_TEXT];    /* info.settings, if that is not NULL */
    char schedule[SPARCL_SCHEDULE_TEXT]; /* info.schedule, if that is not NULL */
    char solver[SPC_SOLVER_TEXT];        /* the same of info.solver */
    char *parameter_settings;            /* the same of parameters; NULL */
    size_t parameter_settings_bytes;
    spc_score_map calibration;
    spc_model_notes notes;
    spc_label_names label_names;
    spc_data_columns of_data; /* memory of the ids, info.csv_description and .crosses */
    sparcl_architecture architecture;
    const sparcl_architecture *own; /* of a model of the library: its copy */
    spc_model_tensor *tensors;      /* [count]: as architecture.parameters */
    int count;
    void *state; /* of optimizers, which a training has kept; NULL: none */
    void (*free_state)(void *state);
};

/* Check everything except the values; an error is `status`, and its message begins with `what`. */
sparcl_status spc_model_check(const sparcl_model_info *info, sparcl_task task, sparcl_status status,
                              const char *what, sparcl_error *error);

/* A model with a copy of info->labels and settings; the values of parameters are allocated but
 * unspecified, so that large tables are read directly into them. `shapes` has the rank and the
 * shape of each parameter. `info` was checked. E_MEMORY. */
sparcl_status spc_model_new(sparcl_model **model, const sparcl_model_info *info,
                            const sparcl_architecture *architecture, const sparcl_tensor *shapes,
                            sparcl_error *error);

/* The first label that is not finite or not above its predecessor; -1: they ascend. */
int64_t spc_labels_wrong(const double *labels, int64_t count);

/* Check that all values are finite; an error is `status`, and its message begins with
 * `what`. */
sparcl_status spc_model_check_finite(const sparcl_model *model, sparcl_status status,
                                     const char *what, sparcl_error *error);

/* Elements of a tensor; its shape was checked. */
static inline int64_t spc_tensor_elements(const sparcl_tensor *tensor) {
    int64_t elements = 1;
    for (int d = 0; d < tensor->rank; ++d)
        elements *= tensor->shape[d];
    return elements;
}

/* sparcl_model_load_as from an open file; `path` is for messages. NULL: a linear model. */
sparcl_status spc_model_read(sparcl_model **model, FILE *file, const char *path,
                             const sparcl_architecture *architecture, sparcl_error *error);

#endif
