/* profile_parts.h: the nodes of the graph in the output of train --profile. */
#ifndef SPARCL_TOOL_PROFILE_PARTS_H
#define SPARCL_TOOL_PROFILE_PARTS_H

#include <stdbool.h>

#include <jansson.h>

#include "exit_codes.h"
#include "sparcl/profile.h"

typedef struct profile_parts {
    sparcl_profile_part *parts; /* a copy */
    int count;
    double
        copy_rate; /* bytes per second, read and written, of a copy of large arrays; NAN: unknown */
} profile_parts;

/* Copy them; false: no memory. */
bool parts_take(profile_parts *p, const sparcl_profile *recorded);
/* Measure the limit; where that fails, it is unknown. */
void parts_measure(profile_parts *p, sparcl_ctx *ctx);
void parts_free(profile_parts *p);

/* A table on standard output. `seconds`: of the run; `device_seconds`: of all commands. */
exit_code parts_print(const profile_parts *p, double seconds, double device_seconds);
/* The keys "nodes" and "copy_gb_s" of a JSON object. */
void parts_add(const profile_parts *p, json_t *object);

#endif
