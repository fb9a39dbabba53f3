/* builtin.h: the models that the library has: the settings of each, and its forward function. */
#ifndef SPC_MODEL_BUILTIN_H
#define SPC_MODEL_BUILTIN_H

#include <stdbool.h>

#include "sparcl/architecture.h"
#include "sparcl/ops/elements.h"
#include "sparcl/ops/losses.h"

enum { SPC_MAX_HIDDEN = 8, SPC_MAX_PROPAGATIONS = 7 };

/* The settings of all models: models.c has their names. */
typedef struct spc_model_settings {
    int64_t factors;
    int64_t hidden[SPC_MAX_HIDDEN]; /* the width of each hidden layer */
    int layers;                     /* hidden ones */
    sparcl_unary_op activation;
    double dropout;
    double init;    /* the standard deviation of the first factors */
    double penalty; /* of the squares of factors, of rankings */
    int64_t propagations;
    int64_t units, k; /* hidden units of an autoencoder, and those that a code has */
} spc_model_settings;

/* A model: its row in the table of models.c. Functions get an spc_model_settings as user. */
typedef struct spc_builtin {
    sparcl_model_kind kind;
    sparcl_status (*build)(void *user, sparcl_build *build);
    void (*init)(void *user, uint64_t seed, int parameter, int rank, const int64_t *shape,
                 float *values);
    /* The names of its parameters, before those of its layers. */
    const char *parameters[4];
    sparcl_adjacency adjacency;
    bool has_layers; /* "w1", "b1", "w2" and so on, with the layer of the scores */
} spc_builtin;

extern const spc_builtin spc_builtin_fm, spc_builtin_ffm; /* fm.c, ffm.c; linear.h: linear.c */
extern const spc_builtin spc_builtin_mlp, spc_builtin_wide_deep; /* perceptron.c */
extern const spc_builtin spc_builtin_autoencoder;                /* autoencoder.c */
extern const spc_builtin spc_builtin_bpr, spc_builtin_lightgcn;  /* ranking.c */
extern const spc_builtin spc_builtin_gcn;                        /* gcn.c */

/* Whether an architecture is one of the library's. */
bool spc_is_builtin(const sparcl_architecture *architecture);
/* Whether the name is that of a model of the library, the linear one too. */
bool spc_is_builtin_name(const char *name);
/* Whether a model can be trained with a loss: softmax needs several scores. */
bool spc_builtin_takes(const sparcl_architecture *architecture, sparcl_loss loss);
/* The architecture of a model from its name and its settings as text; messages begin with `what`,
 * errors are `status`. */
sparcl_status spc_builtin_make(const sparcl_architecture **architecture, const char *name,
                               const char *settings, sparcl_status status, const char *what,
                               sparcl_error *error);
/* A copy of a model of the library in *to, which the caller frees. E_MEMORY. */
sparcl_status spc_builtin_copy(const sparcl_architecture **to, const sparcl_architecture *from,
                               sparcl_error *error);

/* Uniform from -bound to bound: a function of the seed, the parameter and the position; the same on
 * every machine. */
void spc_init_uniform(uint64_t seed, int parameter, int64_t count, double bound, float *values);
/* The first values of factors, of rank 2: with the standard deviation of the settings, as factors
 * of 0 would stay 0. Other parameters stay 0. */
void spc_init_factors(void *user, uint64_t seed, int parameter, int rank, const int64_t *shape,
                      float *values);
/* The first values of the weights of layers, [inputs, outputs], uniform as in Glorot and Bengio,
 * AISTATS 2010; biases, of rank 1, stay 0. */
void spc_init_layers(void *user, uint64_t seed, int parameter, int rank, const int64_t *shape,
                     float *values);

#endif
