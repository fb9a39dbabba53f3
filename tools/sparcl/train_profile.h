/* train_profile.h: the output of train --profile: the times of a run. */
#ifndef SPARCL_TOOL_TRAIN_PROFILE_H
#define SPARCL_TOOL_TRAIN_PROFILE_H

#include <jansson.h>

#include "exit_codes.h"
#include "profile_parts.h"
#include "sparcl/profile.h"
#include "sparcl/train.h"

/* Launches and steps between two reports of progress. */
typedef struct launch_count {
    int64_t launches, steps;
} launch_count;

typedef struct train_profile {
    sparcl_ctx *ctx; /* NULL: no profile; the other fields are then unused */
    double start, seconds, build_seconds;
    int64_t launches, step, epoch; /* of the previous report */
    launch_count within, all;      /* steps that do not end a pass; all except the first */
    sparcl_profile_line *lines;    /* a copy; NULL until the last pass is complete */
    int count;
    profile_parts parts;
    sparcl_status status;
} train_profile;

/* Begin a run. */
void profile_begin(train_profile *profile, sparcl_ctx *ctx);
/* Call it with each report of progress; after the last pass it reads the profile. */
void profile_progress(train_profile *profile, const sparcl_train_progress *now);
/* EXIT_OK if the profile was read; otherwise prints the error. */
exit_code profile_code(train_profile *profile);

/* Tables on standard output. */
exit_code profile_print(const train_profile *profile);
/* The key "profile" of a JSON object. */
void profile_add(const train_profile *profile, json_t *object);
void profile_end(train_profile *profile);

#endif
