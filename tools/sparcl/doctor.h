/* doctor.h: the parts of 'sparcl doctor', their findings, and the facts for the JSON object. */
#ifndef SPARCL_TOOL_DOCTOR_H
#define SPARCL_TOOL_DOCTOR_H

#include "doctor_cases.h"
#include "limits.h"
#include "output.h"
#include "progress.h"
#include "sparcl/context.h"

typedef enum finding_level { FINDING_OK, FINDING_NOTE, FINDING_FAILED } finding_level;

typedef struct doctor {
    const char *device; /* the selector, or NULL */
    int64_t timeout;    /* seconds that a vendor's library may take */
    bool full;          /* also run the checks that take longer */
    doctor_names names; /* with some: only what concerns these operations is checked */
    double begin;       /* spc_clock() at the start of the command */
    int optional_cases; /* tested cases of choose_cases, beyond the first of each operation */
    progress_state progress;
    json_t *findings; /* list of level, part, text */
    json_t *facts;    /* the other keys of the JSON object */
    int notes;
    exit_code code;      /* of the first failure */
    char failure[1100];  /* its text */
    char healthy[512];   /* the verdict on the device if there is no failure */
    bool loader_is_safe; /* no vendor's library crashed or hung: this process may load them */
} doctor;

/* Add a finding. The first failure also sets the exit code. */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
void add_finding(doctor *d, finding_level level, const char *part, const char *format, ...);
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
void add_failure(doctor *d, exit_code code, const char *part, const char *format, ...);

/* doctor_icd.c: checks the vendors' libraries, each in a child process, and the loader. */
void check_vendors(doctor *d);

/* doctor_try.c: does the work of the next checks in child processes; false, with a finding, if the
 * driver crashes or hangs. */
bool try_device(doctor *d);
/* doctor_device.c: opens the device; checks kernels, arithmetic and operations. */
void check_device(doctor *d);

/* doctor_speed.c: measures bandwidth, and checks the fast class of dense products. */
typedef struct doctor_speed {
    double exact, fast; /* GFlop/s of dense products; NAN: failed */
} doctor_speed;
void measure_products(sparcl_ctx *ctx, doctor_speed *speed);
/* `warned`: the last warning of the library, or an empty text. */
void check_fast(doctor *d, sparcl_ctx *ctx, const char *warned);
void check_bandwidth(doctor *d, sparcl_ctx *ctx);
/* doctor_cache.c: checks the cache folder. */
void check_cache(doctor *d);

#endif
