/* train_options.h: the options of sparcl train. */
#ifndef SPARCL_TOOL_TRAIN_OPTIONS_H
#define SPARCL_TOOL_TRAIN_OPTIONS_H

#include <stdbool.h>

#include "input_file.h"
#include "options.h"
#include "sparcl/train.h"

typedef struct checkpoint_options {
    const char *path, *every;
    int resume, overwrite;
    int64_t steps; /* from `every`; 0 */
    double seconds;
    bool failure_is_said;
} checkpoint_options;

typedef struct train_options {
    input_options input;
    checkpoint_options checkpoint;
    const char *config, *manifest, *log; /* files, or NULL */
    const char *tensorboard;             /* a folder, or NULL */
    int64_t log_every;                   /* steps; 0: passes only */
    int calibrate;                       /* -1: not; else which of its words */
    const char *valid, *valid_labels, *valid_weights, *class_weights, *model, *start, *kind, *own,
        *json, *svg, *device;
    const char *optimizer; /* NULL: not given */
    int loss;              /* -1: not given */
    int solver;            /* -1: not given */
    int select;            /* a sparcl_select */
    double l1, tolerance, gradient_tolerance;
    int no_bias, raw_labels, progress, profile, dry_run, exact;
    double lr, momentum, beta1, beta2, epsilon; /* NaN: not given */
    double l2, hold_out;
    int64_t hold_out_last; /* rows; 0: none */
    int probe;
    double probe_l2;                                /* of its classifier */
    double clip_value, clip_norm, clip_global_norm; /* NaN: not given */
    double max_hours;                               /* 0: no limit */
    const char *schedule_text;                      /* NULL: constant */
    sparcl_schedule schedule;                       /* from it */
    int64_t epochs, batch;                          /* -1: not given */
    int64_t patience;
    int graph_format, valid_format;
    const char *graph;                          /* NULL: none */
    int64_t per_class, valid_nodes, test_nodes; /* rows that are drawn, with a graph */
    int64_t device_memory;
    uint64_t seed;
    sparcl_parameter_optim parameter_optims[SPARCL_PARAMETER_OPTIMS]; /* from own */
    int parameter_optim_count;
    sparcl_optim optim; /* from --optimizer and the options of single settings */
} train_options;

/* What the command line has; then also what train_take_options makes of it. */
extern train_options train_given;

extern const tool_option train_rows[];

/* Check the options against each other; fill in optim and parameter_optims. */
exit_code train_take_options(void);

#endif
