/* lazy_state.h: what an object of exact lazy steps has recorded, to save it and to go on. */
#ifndef SPC_OPTIM_LAZY_STATE_H
#define SPC_OPTIM_LAZY_STATE_H

#include <stdbool.h>

#include "sparcl/optim.h"

/* An array of the object. */
typedef struct spc_lazy_array {
    const char *name;
    sparcl_buf *buf;
    bool is_integer; /* of 32 bits; else of `dtype` */
    sparcl_dtype dtype;
    int64_t count;       /* elements */
    int64_t least, most; /* of integers */
} spc_lazy_array;

/* Array 0, 1, ...; false after the last one. */
bool spc_lazy_array_of(const sparcl_lazy *lazy, int index, spc_lazy_array *array);

/* Its 3 integers and 2 numbers. */
void spc_lazy_count(const sparcl_lazy *lazy, int64_t *integers, double *numbers);
/* Can they be of an object like this one, `step` steps after it was made? */
bool spc_lazy_counts_fit(const sparcl_lazy *lazy, int64_t step, const int64_t *integers,
                         const double *numbers);
/* Take them, and give the arrays their sizes. `last` is the optimizer of the last step. */
sparcl_status spc_lazy_restore(sparcl_lazy *lazy, const sparcl_optim *last, const int64_t *integers,
                               const double *numbers);

#endif
