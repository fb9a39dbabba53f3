/* rate_schedule.h: how the learning rate of a training changes (libsparcl-train). */
#ifndef SPARCL_RATE_SCHEDULE_H
#define SPARCL_RATE_SCHEDULE_H

#include "sparcl/status.h"

#ifdef __cplusplus
extern "C" {
#endif

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
    sparcl_schedule_kind kind; /**< the formula */
    int per_pass;              /**< 0: it counts steps; else completed passes */
    int64_t warmup;            /**< steps or passes of the warm-up; 0: none */
    double warmup_start;       /**< factor of its beginning; 1/3 */
    int64_t period; /**< STEP: at least 1; COSINE, POLYNOMIAL: 0 is the rest of the run */
    double gamma;   /**< STEP, EXPONENTIAL; 0.1 and 1 */
    double power;   /**< POLYNOMIAL; 1 */
    double end;     /**< COSINE: the last factor; 0 */
    uint64_t reserved[2];
} sparcl_schedule;

enum { SPARCL_SCHEDULE_TEXT = 256 };

/** Fill in the defaults of a kind. */
SPARCL_API void sparcl_schedule_init(sparcl_schedule *schedule, sparcl_schedule_kind kind);
/** E_ARG: a setting is out of its range. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_schedule_check(const sparcl_schedule *schedule,
                                                                 sparcl_error *error);
/**
 * Parse KIND[:KEY=VALUE,...], such as "cosine:warmup=100,end=0.01" or "step:period=10,unit=pass".
 * The kinds are constant, step, exponential, cosine, polynomial and inverse-root; the keys are the
 * fields, and unit: step or pass. E_ARG; *schedule is then unchanged.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_schedule_parse(sparcl_schedule *schedule,
                                                                 const char *text,
                                                                 sparcl_error *error);
/** The text of a schedule that was checked: sparcl_schedule_parse reads the same from it. */
SPARCL_API void sparcl_schedule_print(const sparcl_schedule *schedule,
                                      char text[SPARCL_SCHEDULE_TEXT]);
/** The factor after `t` steps (passes, with per_pass) of a run of `total`. The same bits on every
 * machine; within 1e-14 of the formula. */
SPARCL_API double sparcl_schedule_factor(const sparcl_schedule *schedule, int64_t t, int64_t total);

#ifdef __cplusplus
}
#endif

#endif
