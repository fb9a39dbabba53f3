/* doctor.h: what the parts of 'sparcl doctor' share: the findings and the facts behind them. */
#ifndef SPARCL_TOOL_DOCTOR_H
#define SPARCL_TOOL_DOCTOR_H

#include "limits.h"
#include "output.h"
#include "progress.h"
#include "sparcl/context.h"

typedef enum finding_level { FINDING_OK, FINDING_NOTE, FINDING_FAILED } finding_level;

typedef struct doctor {
    const char *device; /* the selector, or NULL */
    int64_t timeout;    /* seconds that a vendor's library may take */
    bool full;          /* what takes longer, too */
    double begin;       /* seconds_now() at the start of the command */
    int optional_cases; /* of choose_cases, beyond the first of each operation, that were tried */
    progress_state progress;
    json_t *findings; /* list of level, part, text */
    json_t *facts;    /* the other keys of the JSON object */
    int notes;
    exit_code code;      /* of the first failure */
    char failure[1100];  /* its text */
    char healthy[512];   /* what the verdict says of the device when all is well */
    bool loader_is_safe; /* no vendor's library crashed or hung: this process may load them */
} doctor;

/* Keep a finding; a failure also decides the exit code, which is that of the first. */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
void find(doctor *d, finding_level level, const char *part, const char *format, ...);
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
void find_failure(doctor *d, exit_code code, const char *part, const char *format, ...);

/* doctor_icd.c: the vendors' libraries, each in a process of its own, and the loader. */
void check_vendors(doctor *d);

/* doctor_try.c: the work of the next checks, in processes of its own; false, with a finding, when
 * the driver crashes or hangs. */
bool try_device(doctor *d);
/* doctor_device.c: opens the device; kernels, arithmetic, operations. */
void check_device(doctor *d);

/* doctor_speed.c: bandwidth, the fast class of dense products. */
typedef struct doctor_speed {
    double exact, fast; /* flops a second of dense products, in units of 1e9; NAN: failed */
    limits_speed copy, read, write;
    int64_t bytes; /* that were copied, read and written */
} doctor_speed;
void measure_products(sparcl_ctx *ctx, doctor_speed *speed);
sparcl_status measure_bandwidth(sparcl_ctx *ctx, doctor_speed *speed);
/* `warned`: what the library warned of last, or an empty text. */
void check_fast(doctor *d, sparcl_ctx *ctx, const char *warned);
void check_bandwidth(doctor *d, sparcl_ctx *ctx);
/* doctor_cache.c: the folder of the compiled kernels. */
void check_cache(doctor *d);

#endif
