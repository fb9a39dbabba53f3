/* architecture.h: a model of your own for sparcl_train: its forward function (libsparcl-train). */
#ifndef SPARCL_ARCHITECTURE_H
#define SPARCL_ARCHITECTURE_H

#include "sparcl/graph_operations.h"
#include "sparcl/ops/losses.h"
#include "sparcl/optim.h"
#include "sparcl/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A model is its forward function on a graph (graph.h), and the names of its parameters:
 *
 *     static sparcl_status build(void *user, sparcl_build *b) {
 *         const int64_t w[] = {b->columns, 16}, v[] = {16, b->outputs};
 *         sparcl_node h = sparcl_graph_spmm(b->graph, b->x,
 *                                           sparcl_build_parameter(b, "w", 2, w, NULL));
 *         h = sparcl_graph_unary(b->graph, SPARCL_UNARY_RELU, h);
 *         b->scores = sparcl_graph_gemm(b->graph, SPARCL_OP_N, h, SPARCL_OP_N,
 *                                       sparcl_build_parameter(b, "v", 2, v, NULL));
 *         return SPARCL_OK;
 *     }
 *     static const char *const names[] = {"w", "v", NULL};
 *     const sparcl_architecture two_layers = {
 *         .name = "two-layers", .build = build, .parameters = names, .init = init};
 *
 * sparcl_train_desc.architecture takes it; sparcl_model_load_as reads its files. Training and
 * evaluation call build for graphs of their own, so the same arguments must give the same nodes.
 */

/** What a model is trained for. */
typedef enum sparcl_task {
    SPARCL_TASK_LABELS = 0,      /**< to predict the label of a row */
    SPARCL_TASK_RECONSTRUCT = 1, /**< to compute the row itself: data need no labels, outputs is the
                                      number of columns, and the loss is squared */
    SPARCL_TASK_NODES = 2, /**< to predict the labels of some rows from all rows and a graph between
                                them: nodes.h */
    SPARCL_TASK_RANK = 3   /**< to rank columns (items) for each row (user): apply.h; the loss is
                                logistic, of the score of an item that the row has minus that of one
                                that it does not have (Rendle et al., BPR, UAI 2009) */
} sparcl_task;

/** The matrix between nodes that a model reads, D^-1/2 B D^-1/2 where D has the sums of the rows of
 * B on its diagonal; a row without entries stays empty. */
typedef enum sparcl_adjacency {
    SPARCL_ADJACENCY_NONE = 0,
    SPARCL_ADJACENCY_SYMMETRIC = 1, /**< B: the graph with each edge in both directions. For
                                         SPARCL_TASK_RANK: between users and items */
    SPARCL_ADJACENCY_SELF_LOOPS = 2 /**< the same, and each node with itself, with weight 1 (Kipf
                                       and Welling, ICLR 2017) */
} sparcl_adjacency;

/** What the forward function is given, and the nodes that it sets. */
typedef struct sparcl_build {
    sparcl_graph *graph;   /**< to which nodes are added */
    sparcl_node x;         /**< input: a CSR matrix [rows, columns], or of all nodes [node_count,
                                columns] for SPARCL_TASK_NODES; none for SPARCL_TASK_RANK */
    sparcl_node fields;    /**< input, where the architecture reads fields: a list of the field of
                              each entry of x, below field_count */
    int64_t field_count;   /**< of the training data */
    sparcl_node labels;    /**< input [rows]: the class, from 0, or a number for squared and Poisson
                              loss */
    sparcl_node adjacency; /**< input: a CSR matrix [node_count, node_count], where the architecture
                                has an adjacency */
    sparcl_node nodes;     /**< SPARCL_TASK_NODES: input, a list [rows]: which nodes have scores */
    int64_t node_count;    /**< of the graph; for SPARCL_TASK_RANK users, then items */
    int64_t rows;          /**< a dimension of the graph */
    int64_t columns;       /**< number of features */
    int64_t outputs;       /**< scores of a row: the number of classes for softmax, of columns for
                                SPARCL_TASK_RECONSTRUCT, else 1 */
    sparcl_loss loss;      /**< of the training */
    sparcl_optim optim;    /**< the optimizer of the training */
    sparcl_optim optim_without_l2; /**< the same with l2 0, as for a bias */
    int trains;         /**< 1: the graph of a training; 0: of an evaluation, without dropout */
    uint64_t seed;      /**< of the training; 0 in an evaluation */
    sparcl_node scores; /**< to set: [rows, outputs], or [rows] where outputs is 1 */
    sparcl_node losses; /**< may be set: the loss of each row, [rows]. SPARCL_NO_NODE, as it is
                             before the call: sparcl_graph_loss of the scores and labels; for
                             SPARCL_TASK_RECONSTRUCT half the sum of the squares of scores - x */
    sparcl_node table;  /**< SPARCL_TASK_RANK, to set in place of the scores: a vector for each user
                             and item, [node_count, any width]; the score of an item for a user is
                             the product of their vectors */
    sparcl_node own_table; /**< SPARCL_TASK_RANK, may be set: the table whose rows of the batch
                                `penalty` is for; SPARCL_NO_NODE: table */
    double penalty;    /**< SPARCL_TASK_RANK: adds penalty/2 times the squares of the rows of the
                            user and both items to the loss of each row */
    sparcl_node codes; /**< may be set: what the model makes of each row on the way, a CSR matrix
                            [rows, any number of columns], for sparcl_encode */
} sparcl_build;

/**
 * Add a parameter, of F32; only in a forward function. `name` is one of the architecture's list;
 * `optim` is copied, NULL: build->optim. Evaluation has no optimizer: there the node is an input
 * with the trained values. Where the number of rows is build->columns, columns that data have
 * beyond those of the training have rows of zeros.
 *
 * Errors    SPARCL_NO_NODE; what called the forward function then returns the first error.
 */
SPARCL_API sparcl_node sparcl_build_parameter(sparcl_build *build, const char *name, int rank,
                                              const int64_t *shape, const sparcl_optim *optim);

/** A metric, computed on the host: from scores [rows, outputs] with row-major order, and targets
 * [rows], which are classes from 0, or numbers for squared and Poisson loss. */
typedef struct sparcl_metric {
    const char *name; /**< as that of an architecture */
    /** `user` is that of the architecture. */
    double (*compute)(void *user, int64_t rows, int64_t outputs, const float *scores,
                      const float *targets);
} sparcl_metric;

/** Metrics that an architecture may have. */
enum { SPARCL_METRICS_MAX = 8 };

/** A model of your own. All that it points to must stay until the last model that was trained or
 * loaded with it is freed. */
typedef struct sparcl_architecture {
    size_t size;      /**< 0 or sizeof(sparcl_architecture): which fields there are */
    const char *name; /**< the kind in model files: 1 to 47 of a-z A-Z 0-9 _ . -; not that of a
                         model of the library (architecture.h), nor "parameters" */
    /** The forward function. A status other than OK ends the call that needs it. */
    sparcl_status (*build)(void *user, sparcl_build *build);
    const char *const *parameters; /**< the names, as that of the architecture, in the order in
                                      which files have them; NULL ends the list */
    /** Set the initial values of a parameter, which are zeros before; `parameter` is its index in
     * the list. NULL: all parameters begin with zeros. */
    void (*init)(void *user, uint64_t seed, int parameter, int rank, const int64_t *shape,
                 float *values);
    /** The prediction of each row: label is the class, from 0, and p its probability; for squared
     * and Poisson loss both are numbers. NULL: as sparcl_loss_predict. */
    void (*predict)(void *user, int64_t rows, int64_t outputs, const float *scores, float *label,
                    float *p);
    const sparcl_metric *metrics; /**< for sparcl_eval; NULL: none */
    int metric_count;             /**< 0 to SPARCL_METRICS_MAX */
    void *user;                   /**< passed to all functions */
    const char *settings; /**< what else determines the model, as text, for its files: printable
                             ASCII of up to 255 characters, which a file must have to be read with
                             this architecture; NULL: nothing */
    sparcl_task task;     /**< what it is trained for */
    sparcl_adjacency adjacency; /**< what it reads beside rows: for SPARCL_TASK_NODES and _RANK */
    int reads_fields;           /**< 1: data need fields (libFFM text): for SPARCL_TASK_LABELS and
                                     _RECONSTRUCT, but not with batches of a callback; else 0 */
} sparcl_architecture;

/* --- the models of the library ---------------------------------------------------------------- */

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
SPARCL_EXPERIMENTAL_API const sparcl_model_kind *sparcl_model_kind_at(int i);

/** A setting of models. */
typedef struct sparcl_model_setting {
    const char *name;     /**< its key */
    const char *expected; /**< its values in words */
    const char *usual;    /**< the default, as text */
} sparcl_model_setting;

/** Setting number i, from 0; NULL after the last. */
SPARCL_EXPERIMENTAL_API const sparcl_model_setting *sparcl_model_setting_at(int i);

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
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_architecture_parse(
    const sparcl_architecture **architecture, const char *text, sparcl_error *error);
/** Free what sparcl_architecture_parse made. NULL is allowed. */
SPARCL_EXPERIMENTAL_API void sparcl_architecture_free(const sparcl_architecture *architecture);

#ifdef __cplusplus
}
#endif

#endif
