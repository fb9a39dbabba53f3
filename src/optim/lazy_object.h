/* lazy_object.h: the steps so far of a table, and what its kernels are given. */
#ifndef SPC_OPTIM_LAZY_OBJECT_H
#define SPC_OPTIM_LAZY_OBJECT_H

#include "optim/lazy_rule.h"

enum { SPC_LAZY_STEP = 5 }; /* numbers of an entry of `steps` */

/* Steps count from that of the creation. Entry t of the tables is for rows that had step t last. */
struct sparcl_lazy {
    sparcl_ctx *ctx;
    sparcl_optim settings, before; /* of the creation, of the last step */
    sparcl_dtype dtype;
    int64_t rows, first, done, capacity;
    int replay;
    spc_lazy_series series;
    double unit, largest_epsilon; /* of epsilon */
    double mantissa;              /* of the product of 1 - share */
    int exponent, decays;         /* decays: 0: that product is 1 */
    sparcl_buf *last, *sums, *low, *steps, *exponents, *table, *powers;
};

/* Arguments of the kernels that include cl/missed.cl. */
#define SPC_LAZY_ARGS(z)                                                                           \
    SPC_IN((z)->sums), SPC_IN((z)->steps), SPC_IN((z)->exponents), SPC_IN((z)->table),             \
        SPC_IN((z)->powers), SPC_I32((z)->done), SPC_I32((z)->series.window),                      \
        SPC_REAL((z)->dtype, (z)->unit), SPC_REAL((z)->dtype, (z)->largest_epsilon),               \
        SPC_REAL((z)->dtype, (z)->series.limit), SPC_I32((z)->decays)

/* The rows that catch up; NULL: all of `all`. */
#define SPC_LAZY_ROWS(rows, all)                                                                   \
    SPC_IN((rows) ? (rows)->indices : NULL), SPC_I64((rows) ? (rows)->indices_at : 0),             \
        SPC_IN((rows) ? (rows)->count : NULL), SPC_I64((rows) ? (rows)->count_at : 0),             \
        SPC_I64((rows) ? (rows)->nnr : (all))

/* Rows `ids` had their last step at `from`, or less than 0 where they have missed none; they will
 * have had step `mark`, or 0: as before. NULL: all rows. `from` is scratch memory. */
sparcl_status spc_lazy_mark(sparcl_ctx *ctx, const sparcl_lazy *lazy, const sparcl_rows *rows,
                            int64_t mark, sparcl_buf **from);

/* Memory for the entry of step `step`. */
sparcl_status spc_lazy_reserve(sparcl_lazy *lazy, int64_t step);

/* The object of a rule whose weights are made anew in each step. */
static inline bool spc_lazy_is_remade(const sparcl_lazy *z) {
    return spc_lazy_form_of(&z->settings) & SPC_LAZY_REMADE;
}

/* Rows with a `from` take the last step with a gradient of 0: cl/remade.cl. */
sparcl_status spc_lazy_remake(sparcl_ctx *ctx, const sparcl_lazy *lazy, const sparcl_dense *table,
                              const sparcl_dense *states, const sparcl_rows *rows,
                              const sparcl_buf *from, bool moves_states);

#endif
