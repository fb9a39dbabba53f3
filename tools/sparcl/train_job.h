/* train_job.h: the objects of a run of sparcl train. */
#ifndef SPARCL_TOOL_TRAIN_JOB_H
#define SPARCL_TOOL_TRAIN_JOB_H

#include <time.h>

#include "progress.h"
#include "rank_result.h"
#include "train_auto.h"
#include "train_curve.h"
#include "train_graph.h"
#include "train_history.h"
#include "train_log.h"
#include "train_plan.h"
#include "train_probe.h"
#include "train_profile.h"

typedef struct train_job {
    sparcl_ctx *ctx;
    sparcl_data *train, *valid;
    const sparcl_architecture *architecture;
    sparcl_model *start_model; /* of --start, or NULL */
    sparcl_model *model;
    sparcl_train_desc desc;
    sparcl_train_result result;
    sparcl_metrics metrics;      /* on the validation data */
    sparcl_class_report *report; /* of them; NULL: there are no classes */
    train_profile profile;
    train_plan plan;
    progress_state progress;
    train_curve curve;
    train_graph graph;
    bool is_auto;
    sparcl_auto_result chosen; /* where it is */
    sparcl_rank_metrics ranks; /* of a ranking, on the validation data */
    train_probe probe;         /* with --probe */
    train_history history;
    train_log log;
    time_t began;
    double start; /* of the command: a clock */
} train_job;

static inline bool uses_lbfgs(const train_job *job) {
    return job->is_auto ? job->chosen.solver == SPARCL_SOLVER_LBFGS
                        : job->desc.solver == SPARCL_SOLVER_LBFGS;
}

/* A run of the command, and its result: train_run.c. */
exit_code train_run(int operand_count, const char *const *operands);

/* Print the result and write it to the files that are requested; `path` is that of the data. */
exit_code show_train_result(train_job *job, const char *path);

#endif
