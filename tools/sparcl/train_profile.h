/* train_profile.h: what train --profile tells: where the time of a run went. */
#ifndef SPARCL_TOOL_TRAIN_PROFILE_H
#define SPARCL_TOOL_TRAIN_PROFILE_H

#include <jansson.h>

#include "exit_codes.h"
#include "sparcl/profile.h"
#include "sparcl/train.h"

/* Launches that were counted between one report of progress and the next. */
typedef struct launch_count {
    int64_t launches, steps;
} launch_count;

typedef struct train_profile {
    sparcl_ctx *ctx; /* NULL: nobody asked; what follows is then not looked at */
    double start, seconds, build_seconds;
    int64_t launches, step, epoch; /* of the report before */
    launch_count within, all;      /* steps in the middle of a pass; all but the first */
    sparcl_profile_line *lines;    /* a copy; NULL until the last pass has ended */
    int count;
    sparcl_status status;
} train_profile;

/* The run begins. */
void profile_begin(train_profile *profile, sparcl_ctx *ctx);
/* To be called with each report of progress; after the last pass the profile is taken. */
void profile_progress(train_profile *profile, const sparcl_train_progress *now);
/* Could it be taken? Says why not. */
exit_code profile_code(const train_profile *profile);

/* A table on standard output. */
exit_code profile_print(const train_profile *profile);
/* The key "profile" of a JSON object. */
void profile_add(const train_profile *profile, json_t *object);
void profile_end(train_profile *profile);

#endif
