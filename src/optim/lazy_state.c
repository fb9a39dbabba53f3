/* lazy_state.c: what an object of exact lazy steps has recorded, to save it and to go on. */
#include "optim/lazy_state.h"

#include <math.h>

#include "base/size.h"
#include "optim/lazy_object.h"

enum { DONE, EXPONENT, DECAYS };

/* The sum of a step, and its low part, are written by the step after it. */
bool spc_lazy_array_of(const sparcl_lazy *z, int index, spc_lazy_array *array) {
    const int64_t done = z->done, entries = done + 1;
    const spc_lazy_array all[] = {
        {"exact_last", z->last, true, z->dtype, z->rows, -done, 0},
        {"exact_sums", z->sums, false, z->dtype, 4 * done, 0, 0},
        {"exact_low", z->low, false, z->dtype, 4 * spc_min_i64(done, z->series.window), 0, 0},
        {"exact_steps", z->steps, false, z->dtype, SPC_LAZY_STEP * entries, 0, 0},
        {"exact_exponents", z->exponents, true, z->dtype, entries, INT32_MIN, 1}};
    const int count = z->replay ? 0 : spc_lazy_is_remade(z) ? 1 : (int)SPC_COUNT(all);
    if (index >= count) return false;
    *array = all[index];
    return true;
}

void spc_lazy_count(const sparcl_lazy *z, int64_t *integers, double *numbers) {
    integers[DONE] = z->done;
    integers[EXPONENT] = z->exponent;
    integers[DECAYS] = z->decays;
    numbers[0] = z->mantissa;
    numbers[1] = z->largest_epsilon;
}

/* The product of 1 - share is a mantissa with an exponent: 0.5 to 1. */
bool spc_lazy_counts_fit(const sparcl_lazy *z, int64_t step, const int64_t *integers,
                         const double *numbers) {
    return integers[DONE] >= 0 && integers[DONE] < INT32_MAX && z->first + integers[DONE] == step &&
           integers[EXPONENT] >= INT32_MIN && integers[EXPONENT] <= 1 &&
           (integers[DECAYS] == 0 || integers[DECAYS] == 1) && numbers[0] >= 0.5 &&
           numbers[0] <= 1 && numbers[1] >= 0 && isfinite(numbers[1]);
}

sparcl_status spc_lazy_restore(sparcl_lazy *z, const sparcl_optim *last, const int64_t *integers,
                               const double *numbers) {
    if (!z->replay && !spc_lazy_is_remade(z)) SPC_TRY(spc_lazy_reserve(z, integers[DONE] + 1));
    z->before = *last;
    z->done = integers[DONE];
    z->exponent = (int)integers[EXPONENT];
    z->decays = (int)integers[DECAYS];
    z->mantissa = numbers[0];
    z->largest_epsilon = numbers[1];
    return SPARCL_OK;
}
