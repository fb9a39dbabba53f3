/* train.h: trains models (libsparcl-train). */
#ifndef SPARCL_TRAIN_H
#define SPARCL_TRAIN_H

#include "sparcl/architecture.h"
#include "sparcl/context.h"
#include "sparcl/data.h"
#include "sparcl/model.h"
#include "sparcl/ops/losses.h"
#include "sparcl/optim.h"
#include "sparcl/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- rate schedules --------------------------------------------------------------------------- */

/**
 * The factor of the learning rates after the warm-up, where u is 0 in the first step or pass after
 * it, and T is `period`, or where that is 0 what is left of the run:
 *
 *   CONSTANT      1
 *   STEP          gamma^floor(u / period)                          PyTorch's StepLR
 *   EXPONENTIAL   gamma^u                                          ExponentialLR
 *   COSINE        end + (1 - end) (1 + cos(pi min(u, T) / T)) / 2  CosineAnnealingLR up to T_max =
 * T POLYNOMIAL    (1 - min(u, T) / T)^power                        PolynomialLR INVERSE_ROOT sqrt(w
 * / (w + u)), w the warm-up, at least 1     fairseq's inverse_sqrt
 *
 * In the warm-up, at t = 0 to warmup - 1: warmup_start + (1 - warmup_start) t / warmup, PyTorch's
 * LinearLR; both together are its SequentialLR.
 */
typedef enum sparcl_schedule_kind {
    SPARCL_SCHEDULE_CONSTANT = 0,
    SPARCL_SCHEDULE_STEP = 1,
    SPARCL_SCHEDULE_EXPONENTIAL = 2,
    SPARCL_SCHEDULE_COSINE = 3,
    SPARCL_SCHEDULE_POLYNOMIAL = 4,
    SPARCL_SCHEDULE_INVERSE_ROOT = 5
} sparcl_schedule_kind;

/** A schedule. All zero: a constant rate. sparcl_schedule_init fills in PyTorch's defaults. */
typedef struct sparcl_schedule {
    size_t size;               /**< 0 or sizeof(sparcl_schedule): which fields there are */
    sparcl_schedule_kind kind; /**< the formula */
    int per_pass;              /**< 0: it counts steps; else completed passes */
    int64_t warmup;            /**< steps or passes of the warm-up; 0: none */
    double warmup_start;       /**< factor of its beginning; 1/3 */
    int64_t period; /**< STEP: at least 1; COSINE, POLYNOMIAL: 0 is the rest of the run */
    double gamma;   /**< STEP, EXPONENTIAL; 0.1 and 1 */
    double power;   /**< POLYNOMIAL; 1 */
    double end;     /**< COSINE: the last factor; 0 */
} sparcl_schedule;

enum { SPARCL_SCHEDULE_TEXT = 256 };

/** Fill in the defaults of a kind. */
SPARCL_EXPERIMENTAL_API void sparcl_schedule_init(sparcl_schedule *schedule,
                                                  sparcl_schedule_kind kind);
/** E_ARG: a setting is out of its range. */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_schedule_check(const sparcl_schedule *schedule, sparcl_error *error);
/**
 * Parse KIND[:KEY=VALUE,...], such as "cosine:warmup=100,end=0.01" or "step:period=10,unit=pass".
 * The kinds are constant, step, exponential, cosine, polynomial and inverse-root; the keys are the
 * fields, and unit: step or pass. E_ARG; *schedule is then unchanged.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_schedule_parse(sparcl_schedule *schedule, const char *text, sparcl_error *error);
/** The text of a schedule that was checked: sparcl_schedule_parse reads the same from it. */
SPARCL_EXPERIMENTAL_API void sparcl_schedule_print(const sparcl_schedule *schedule,
                                                   char text[SPARCL_SCHEDULE_TEXT]);
/** The factor after `t` steps (passes, with per_pass) of a run of `total`. The same bits on every
 * machine; within 1e-14 of the formula. */
SPARCL_EXPERIMENTAL_API double sparcl_schedule_factor(const sparcl_schedule *schedule, int64_t t,
                                                      int64_t total);

/** The progress of a run; passed to the progress callback after each step. */
typedef struct sparcl_train_progress {
    int64_t epoch, epochs; /**< completed passes, all passes */
    int64_t step, steps;   /**< completed steps, all steps */
    int64_t rows;          /**< examples processed, over all passes */
    double seconds;        /**< since the first step began */
    double loss;           /**< mean loss of the last pass; NaN during the first pass, see
                                sparcl_train_pass_loss */
    double valid_loss;     /**< the same on the validation data; NaN without them */
    double lr;             /**< the rate of the last step, of `optim` of the description */
    int is_earlier;        /**< 1: a pass of before the checkpoint that the run goes on with: these
                                calls come first, one for each, and cannot stop the run */
    int64_t checkpoint_step;      /**< of the last checkpoint that this run has written; 0 */
    const char *checkpoint_error; /**< why the last one was not written, as on a full disk; the one
                                       before it is intact, and the next is tried when it is due.
                                       NULL: it was written */
    const void *run; /**< for sparcl_train_pass_loss; valid only during the call. NULL with
                          L-BFGS */
} sparcl_train_progress;

/**
 * In a progress callback: the mean loss of the rows of this pass so far, each computed before the
 * step with it. In the first pass, these are losses of rows that were not trained on: progressive
 * validation. NaN after a pass, and with L-BFGS, whose loss is that of its last iteration. It waits
 * for the device, and reads a number for each step of the pass; no bit of the run changes.
 *
 * Errors    E_ARG: NULL; E_OPENCL, E_MEMORY.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_train_pass_loss(const sparcl_train_progress *progress, double *loss, sparcl_error *error);

/** Return nonzero to stop: the current step is finished, the checkpoint, if there is one, is
 * written, and the run ends with E_INTERRUPTED. After the very last step there is nothing to stop,
 * and the run ends normally. */
typedef int (*sparcl_progress_fn)(void *user, const sparcl_train_progress *progress);

/** How a training minimizes the objective. */
typedef enum sparcl_solver {
    SPARCL_SOLVER_STEPS = 0, /**< a step of the optimizer for each batch */
    SPARCL_SOLVER_LBFGS = 1  /**< L-BFGS with a line search, on all rows (Liu and Nocedal, 1989);
                                with  l1 OWL-QN (Andrew and Gao, ICML 2007). Linear models only */
} sparcl_solver;

/** The device memory of a run, in bytes. */
typedef struct sparcl_train_memory {
    sparcl_graph *graph;   /**< of a training step, for sparcl_graph_node_info; only to be read */
    int64_t parameters;    /**< of the graph, with the states of their optimizers */
    int64_t values;        /**< of the other nodes of a step, which share memory */
    int64_t evaluation;    /**< values of the graph that computes the loss of data sets */
    int64_t data, valid;   /**< training and validation data; 0: they stay on the host */
    int64_t batches;       /**< batches that were copied, of both */
    int64_t rows, entries; /**< largest batch: its rows, and the capacity for its entries */
} sparcl_train_memory;

/** The memory of a run; the graph is valid only during the call. */
typedef void (*sparcl_train_memory_fn)(void *user, const sparcl_train_memory *memory);

/** A graph between the rows of a data set, and the rows to train with (SPARCL_TASK_NODES). The
 * other rows have no part in a loss, but models read them. */
typedef struct sparcl_train_nodes {
    const sparcl_data *edges; /**< [rows, rows]: an entry (i, j) is an edge between i and j, which
                                 may be stored in one direction or in both; then its weight is the
                                   larger value. At least 0; the diagonal is not read */
    const int64_t *train;     /**< [train_count]: rows, each once; every step has all of them */
    int64_t train_count;      /**< at least 1 */
    const int64_t *valid;     /**< [valid_count]: rows for the validation loss */
    int64_t valid_count;      /**< 0: no validation */
} sparcl_train_nodes;

/** The weight of a class in the objective. */
typedef struct sparcl_class_weight {
    double label;  /**< as in the data */
    double weight; /**< finite, at least 0 */
} sparcl_class_weight;

/**
 * The settings of a training. sparcl_train_init fills in the defaults of an optimizer; so does
 * sparcl_optim_init, _profile or _parse in `optim`. No value stands for a default: with lr 0 no
 * weight changes, and without epochs the model has zeros. l2 and lr must be finite and not
 * negative; the other settings of the optimizer are checked as in every step, even where the rule
 * does not use them.
 */
typedef struct sparcl_train_desc {
    size_t size;        /**< 0 or sizeof(sparcl_train_desc): which fields there are */
    sparcl_loss loss;   /**< the loss to minimize */
    sparcl_optim optim; /**< the update rule; its step, last_steps and lazy are not used. Training
                             keeps the number of the step. SPARCL_MOVES_EXACT: rows that are not in
                             a batch catch up with the steps of all rows when they are next read */
    double l2;       /**< coefficient of the objective, mean loss + l2/2 |w|^2, without the bias; in
                          an architecture, of the parameters whose optimizer has it. The gradient
                          has l2 w for it; so the optimizer's weight_decay must be 0 with it */
    int64_t epochs;  /**< passes over the data */
    int64_t batch;   /**< rows per step; 0: all */
    uint64_t seed;   /**< determines the row order */
    int no_bias;     /**< nonzero: no bias; linear models only */
    int64_t columns; /**< number of features; 0: that of the training data */
    int64_t device_memory; /**< bytes that the training data, and then the validation data, may use
                                on the device; 0: half of its memory, minus what the context uses,
                                including the tables of this run. Data that do not fit stay on the
                                host, with the same result; then only one batch at a time is on the
                                device, or for a loss at most 2^18 entries (at least one row). */
    sparcl_progress_fn progress;             /**< called after each step; NULL: no calls */
    void *progress_user;                     /**< passed to `progress` */
    const sparcl_architecture *architecture; /**< NULL: a linear model */
    sparcl_train_memory_fn memory; /**< called once, after the last step; NULL: no call. In a
                                        forecast context (context.h) nothing is trained, and this is
                                        the plan of the run */
    void *memory_user;             /**< passed to `memory` */
    const sparcl_parameter_optim *parameter_optims; /**< optimizers of single parameters of the
                                                         architecture, whatever it says; l2 must
                                                         then be 0. Needed during the call only */
    int parameter_optim_count;                      /**< 0 to SPARCL_PARAMETER_OPTIMS */
    int64_t patience; /**< 0: all passes, and the model of the last. Else validation data are
                           needed: the run ends after this many passes in a row without a lower loss
                           on them, or with the last pass, and the model is that of the pass with
                           the lowest, bit for bit that of a training with that number of passes */
    const sparcl_train_nodes *nodes; /**< of SPARCL_TASK_NODES: the graph, and which rows train;
                                        else NULL. Needed during the call only */
    sparcl_solver solver; /**< LBFGS does not use optim, batch and seed, which says so in the model;
                               epochs is the maximum of its iterations, patience must be 0 */
    double l1;        /**< LBFGS: adds l1 |w|_1 to the objective, without the bias; at least 0 */
    double tolerance; /**< LBFGS: it ends where relative_gradient is at most this, and
                         expected_decrease as small as it follows from that; at least 0 */
    double gradient_tolerance; /**< LBFGS: or where no derivative of the objective by a parameter of
                                    the model is larger, without a sign, whatever `tolerance` is;
                                    0: no such end; at least 0 */
    const char *checkpoint;    /**< a file for the state of the run, or NULL; see below */
    int64_t checkpoint_steps;  /**< written each time that many steps are done; 0: not by steps */
    double checkpoint_seconds; /**< and after the step that ends that long after the last one;
                                    0: not by time */
    int resume;                /**< not 0: go on with the checkpoint, if there is one; else begin */
    sparcl_schedule schedule; /**< how the rates of all optimizers change. With SGD and l2, and with
                                   MOMENTUM, rows then catch up as with SPARCL_MOVES_EXACT; with
                                   MOMENTUM and l2 every step moves all rows */
    double max_seconds;       /**< the run ends after the step that ends that long after the first
                                   one of this call began, with a checkpoint, if there is one, and the
                                 model of that moment; 0: no limit */
    const sparcl_class_weight *class_weights; /**< factors of the losses of rows with a label, each
                                                   label once; the others have 1. Needed during the
                                                   call only */
    int class_weight_count;                   /**< 0: none; for logistic, softmax and hinge loss */
    int balance_classes;     /**< not 0: class_weights must be none, and the weight of a class is
                                  n / (k n_c): n rows, k classes, and n_c rows of this one, as
                                  "balanced" in scikit-learn; rows count with their own weight */
    double clip_global_norm; /**< as in sparcl_graph_clip_global_norm, of the gradients of the mean
                                  loss, without l2 and decays; 0: no limit. Not with LBFGS */
    const sparcl_model *start; /**< begin with the parameters of this model, of the same kind,
                                    settings, loss, columns and index base; classes are those of the
                                    model, and data may lack some. Optimizers go on if it has kept
                                    their states, else they begin anew. The fingerprint of the
                                  result is of the data and this model. Needed during the call only.
                                  Not with batches of a callback. NULL: see sparcl_train */
    int keep_state; /**< not 0: the model keeps the states of the optimizers and their number of
                         steps in memory, not in its file: a training that begins with it, with the
                         same optimizers and l2, goes on with them. Not with patience; LBFGS has
                         none */
    int overwrite;  /**< not 0: the run begins, and replaces a checkpoint that is there; without it,
                         and without resume, that is E_ARG: it may be hours of work. Not both */
    int standardize_labels; /**< not 0: steps have the labels minus their mean, where there is a
                                 bias, in units of a power of four near their standard deviation, so
                                 that rates and penalties do not depend on what labels are measured
                                 in. Losses and the model are those of labels as they are. For
                                 squared loss and models of architecture.h that predict labels, not
                               with keep_state or batches of a callback: E_ARG. LBFGS does not read
                               it, and sparcl_train_auto does it itself */
} sparcl_train_desc;

/*
 * Checkpoints: the file has all that the rest of the run depends on, so that the model is, bit for
 * bit, that of a run without interruption. It is safetensors with a checksum. It is written to a
 * temporary file, synced and renamed; the one before it becomes FILE.previous, which is taken where
 * FILE is missing or damaged. A file that cannot be written does not end the run, except at its
 * interruption (E_IO). It stays when the run ends.
 *
 * A run goes on only with the same settings and data: E_ARG says what was expected and found.
 * Device, device_memory and when checkpoints are written may differ, and epochs too, if it is not
 * less than what was completed. A callback is asked for the batches from there on. With LBFGS an
 * iteration is a step and a pass.
 */

/** What a checkpoint is of. */
typedef struct sparcl_checkpoint_info {
    int exists;           /**< 0: there is neither the file nor FILE.previous */
    int64_t epoch, step;  /**< completed passes and steps; LBFGS: iterations, both */
    sparcl_solver solver; /**< of the run */
    int is_previous;      /**< 1: it is FILE.previous */
    sparcl_error damage;  /**< with is_previous: what is wrong with FILE */
} sparcl_checkpoint_info;

/** Find the checkpoint that a run would go on with. E_ARG; E_FORMAT, E_IO: neither file can be
 * used. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_checkpoint_find(const char *path,
                                                                  sparcl_checkpoint_info *info,
                                                                  sparcl_error *error);

/**
 * Fill in the defaults of an optimizer:
 *
 *   SGD       lr 0.1
 *   MOMENTUM  lr 0.1, momentum 0.9
 *   ADAGRAD   lr 0.01, epsilon 1e-10
 *   ADAM      lr 0.001, beta1 0.9, beta2 0.999, epsilon 1e-8
 *
 * and epochs 10, batch 1024; every other field becomes 0: logistic loss, no l2, a linear model with
 * a bias. `sparcl train` has the same defaults, but for the batch (sparcl_usual_batch) and the
 * optimizer of other models (sparcl_model_kind.optimizer). They are
 * those of sparcl_optim_init, except the learning rate of SGD and MOMENTUM: PyTorch's is low for
 * linear models. An unknown optimizer is stored unchanged, and training refuses it.
 */
SPARCL_API void sparcl_train_init(sparcl_train_desc *desc, sparcl_rule rule);

/**
 * Rows per step where none are given, in `sparcl train` and in Python: a fiftieth of the rows, at
 * least 32 and at most 1024, so that few rows have enough steps. Where the rate is searched for
 * (`searches`, sparcl_train_auto) and there are more than 2000 rows, which are then held out once,
 * 1024: the losses of smaller steps jump, and a lucky one would be chosen. Of rankings, whose steps
 * are of pairs, `rows` is the entries; nodes of a graph have 1024, as sparcl_train_init, which
 * knows no rows.
 */
SPARCL_API int64_t sparcl_usual_batch(int64_t rows, int searches);

/** The result of a run. */
typedef struct sparcl_train_result {
    double loss;             /**< mean loss of the model on the training data; of streamed data that
                                  of the last pass, because they are not read once more */
    double objective;        /**< loss + l2/2 |w|^2 */
    double seconds_per_pass; /**< median over the passes, with the data in memory. NaN without a
                                  pass */
    int64_t epochs, steps;   /**< completed passes and steps */
    int64_t best_epoch;      /**< the pass of the model, from 1; `epochs` without patience */
    int on_host;             /**< 1: the training data stayed on the host */
    int64_t evaluations;     /**< LBFGS: of the objective; else 0 */
    double gradient_norm;    /**< LBFGS: of the objective at the end, by the weights of columns that
                                  are centred and scaled; else 0 */
    int converged;           /**< LBFGS: 1: one of the tolerances was met, or `tolerance` is at
                                  least 1e-6 and rounding allowed no further descent, where a step
                                  promised less than 1e-7 of the objective; 0: neither, or
                                  lost_by_rounding is not 0 */
    int ended_early;         /**< 1: max_seconds were over before the last step */
    int64_t resumed_step;    /**< the step of the checkpoint that the run went on with; 0: none */
    double relative_gradient; /**< LBFGS: gradient_norm divided by that of the best model whose
                                   weights are 0; else 0 */
    double
        expected_decrease;   /**< LBFGS: of the objective, by the step after the last one; else 0 */
    double lost_by_rounding; /**< LBFGS: how much larger the objective is because parameters are
                                  floats; 0: less than 1e-6 of it */
    double best_constant_loss; /**< as in sparcl_metrics, of the training rows with their weights
                                  and those of classes: a model with a larger loss is worse than
                                  none. Of rankings ln 2, that of equal scores; NaN for batches
                                  of a callback, and of graphs and autoencoders */
} sparcl_train_result;

/**
 * Train a model from a data set; `valid` may be NULL.
 *
 * Parameters begin with 0, or with what the architecture's init sets, or with those of `start`.
 * Each pass processes the rows in an order that depends only on the seed and the pass, or as stored
 * where one batch has all rows or the data are streamed. It splits this order into batches (a short
 * last batch is kept), and makes one step per batch with the mean gradient. With sgd and momentum,
 * rows of the table that are not in a batch catch up in closed form when they are next read and at
 * the end. With adagrad and adam and a nonzero l2, every step updates all rows, so that its cost is
 * that of the complete table. With SPARCL_MOVES_EXACT rows catch up with all rules that have a
 * closed form; E_ARG for others.
 *
 * Weights   The loss of a row is multiplied by its weight in the data and that of its class, and
 *           divided by the mean of these weights over all rows, so that only their ratios matter.
 *           In a validation loss rows have their own weights, but not those of classes; rows whose
 *           label is no class of the training are left out of it.
 * Result    the same model, bit for bit, on every run and every device; `valid` changes no bit.
 * Errors    An E_FORMAT of data begins with the position in their file, as in sparcl_data_read.
 *           E_ARG, also where the forward function of an architecture is not as its header says;
 *           E_MEMORY, before the first step: one batch has all rows, and they do not fit in
 *           device_memory; E_FORMAT: labels do not fit the loss, values are NaN or infinite, or
 *           `valid` is wider than the model, has another index base or no known label;
 *           E_DIVERGED: the loss or a weight is not finite; E_INTERRUPTED; errors of the core. Then
 *           *model is NULL.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_train(
    sparcl_ctx *ctx, sparcl_model **model, const sparcl_data *train, const sparcl_data *valid,
    const sparcl_train_desc *desc, sparcl_train_result *result, sparcl_error *error);

/**
 * Nodes to train, validate and test with, drawn without replacement by the seed: `per_class` of
 * each label, then `valid`, then `test` of the rest; each part in ascending order, one after the
 * other in *rows, which is to be freed with free(), with the length of each in counts[3].
 *
 * Errors    E_ARG: NULL or a negative number; E_FORMAT: no labels, or too few rows (of a label);
 *           E_MEMORY. *rows is then NULL.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_draw_nodes(const sparcl_data *data, int64_t per_class, int64_t valid, int64_t test,
                  uint64_t seed, int64_t **rows, int64_t counts[3], sparcl_error *error);

/** A batch in host memory, from a callback; it must stay valid until the next call of the
 * callback. */
typedef struct sparcl_batch {
    int64_t rows;            /**< at least 1 */
    sparcl_itype index_type; /**< of `indices` */
    const int64_t *offsets;  /**< [rows + 1], from 0 */
    const void *indices;     /**< [offsets[rows]], from 0, ascending and unique in a row */
    const float *values;     /**< [offsets[rows]] */
    const double *labels;    /**< [rows] */
    const float *weights;    /**< [rows], at least 0: factors of the losses, as they are; not read
                                  where the source has none */
} sparcl_batch;

/** Fill in batch `step` of pass `epoch`, both counted from 0. A status other than OK ends the
 * run. */
typedef sparcl_status (*sparcl_batch_fn)(void *user, int64_t epoch, int64_t step,
                                         sparcl_batch *batch);

/** A source of batches. */
typedef struct sparcl_batch_source {
    size_t size;          /**< 0 or sizeof(sparcl_batch_source): which fields there are */
    sparcl_batch_fn next; /**< called for each step */
    void *user;           /**< passed to `next` */
    int64_t columns;      /**< number of features */
    int64_t steps;        /**< batches per pass */
    int index_base;       /**< written into the model: the index base of files that it will be
                               applied to */
    const double *labels; /**< the label of each class, ascending; NULL for squared and Poisson */
    int64_t classes;      /**< length of labels; 0 for squared and Poisson */
    int has_weights;      /**< not 0: every batch has weights */
} sparcl_batch_source;

/**
 * Train from a callback: the same batches give the same bits as from a file. desc->batch and
 * desc->seed are only written into the model, and desc->columns is ignored. result->loss is that of
 * the last pass, because the batches are not requested again; NaN without a pass.
 *
 * Errors    as sparcl_train; E_ARG: the source contradicts itself; E_FORMAT: a batch is not as
 *           sparcl_batch says or has an unknown label; a status from the callback is returned.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_train_source(
    sparcl_ctx *ctx, sparcl_model **model, const sparcl_batch_source *source,
    const sparcl_train_desc *desc, sparcl_train_result *result, sparcl_error *error);

/** The row order of pass `epoch` that sparcl_train uses where a pass has several batches: a
 * permutation of 0 .. rows - 1. */
SPARCL_EXPERIMENTAL_API void sparcl_train_order(uint64_t seed, int64_t epoch, int64_t rows,
                                                int64_t *order);

#ifdef __cplusplus
}
#endif

#endif
