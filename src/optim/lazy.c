/* lazy.c: exact lazy optimizers: the tables of the steps so far. */
#include "optim/lazy_object.h"

#include <math.h>

#include "base/memory.h"
#include "base/size.h"
#include "optim/power.h"

#define LEVEL       2048 /* cl/missed.cl */
#define COLUMNS     6    /* of an entry of `series` */
#define FIRST_STEPS 1024 /* that there is memory for at first */
#define MAX_WINDOW  (1 << 16)
#define MAX_STEPS   (INT32_MAX - 1)

static size_t real_size(const sparcl_lazy *z) {
    return sparcl_dtype_size(z->dtype);
}

/* --- creation -------------------------------------------------------------------------------- */

void sparcl_lazy_free(sparcl_lazy *z) {
    if (!z) return;
    sparcl_buf *const all[] = {z->last,      z->sums,  z->low,   z->steps,
                               z->exponents, z->table, z->powers};
    for (size_t i = 0; i < SPC_COUNT(all); ++i)
        sparcl_buf_free(all[i]);
    spc_free(spc_ctx_allocator(z->ctx), z, sizeof *z);
}

int64_t sparcl_lazy_bytes(const sparcl_lazy *z) {
    if (!z) return 0;
    const sparcl_buf *const all[] = {z->last,      z->sums,  z->low,   z->steps,
                                     z->exponents, z->table, z->powers};
    int64_t bytes = 0;
    for (size_t i = 0; i < SPC_COUNT(all); ++i)
        bytes += sparcl_buf_bytes(all[i]);
    return bytes;
}

/* Numbers rounded once to the type of the table, on the device. */
static sparcl_status put(sparcl_lazy *z, sparcl_buf **to, const double *x, int64_t count) {
    const sparcl_allocator *const allocator = spc_ctx_allocator(z->ctx);
    if (z->dtype == SPARCL_F64) return sparcl_buf_upload(z->ctx, to, x, count * 8);
    const size_t bytes = (size_t)count * sizeof(float);
    float *const narrow = spc_alloc(allocator, bytes);
    if (!narrow) return spc_ctx_fail(z->ctx, SPARCL_E_MEMORY, "lazy_create: no host memory");
    for (int64_t i = 0; i < count; ++i)
        narrow[i] = (float)x[i];
    const sparcl_status status = sparcl_buf_upload(z->ctx, to, narrow, (int64_t)bytes);
    spc_free(allocator, narrow, bytes);
    return status;
}

/* Entry d: the terms of the series after d steps, and what replay needs. */
static void fill_series(const spc_lazy_series *s, double *x) {
    for (int64_t d = 0; d <= s->window; ++d, x += COLUMNS) {
        for (int q = 0; q < SPC_LAZY_TERMS; ++q)
            x[q] = spc_power(s->ratio[q], d);
        x[4] = spc_power(s->first, d);
        x[5] = spc_power(s->root, d);
    }
}

static void fill_powers(double base, double *x) {
    for (int level = 0; level < 3; ++level)
        for (int64_t k = 0; k < LEVEL; ++k)
            *x++ = spc_power(base, k << (11 * level));
}

static sparcl_status make_tables(sparcl_lazy *z) {
    const int64_t series = (z->series.window + 1) * COLUMNS, powers = 6 * LEVEL;
    const size_t count = (size_t)spc_max_i64(series, powers);
    double *const x = spc_alloc_zero(spc_ctx_allocator(z->ctx), count, sizeof *x);
    if (!x) return spc_ctx_fail(z->ctx, SPARCL_E_MEMORY, "lazy_create: no host memory");
    fill_series(&z->series, x);
    sparcl_status status = put(z, &z->table, x, series);
    fill_powers(z->series.first, x);
    fill_powers(z->series.second, x + powers / 2);
    if (status == SPARCL_OK) status = put(z, &z->powers, x, powers);
    spc_free(spc_ctx_allocator(z->ctx), x, count * sizeof *x);
    return status;
}

static sparcl_status grow(sparcl_lazy *z, sparcl_buf **buf, int64_t capacity, int64_t bytes) {
    sparcl_buf *more = NULL;
    SPC_TRY(sparcl_buf_create(z->ctx, &more, capacity * bytes));
    if (*buf) {
        const sparcl_status status = sparcl_buf_copy(z->ctx, more, 0, *buf, 0, z->capacity * bytes);
        if (status != SPARCL_OK) {
            sparcl_buf_free(more);
            return status;
        }
        sparcl_buf_free(*buf);
    }
    *buf = more;
    return SPARCL_OK;
}

/* A buffer that grew before another call fails is larger than needed. */
sparcl_status spc_lazy_reserve(sparcl_lazy *z, int64_t step) {
    const int64_t real = (int64_t)real_size(z);
    int64_t capacity = z->capacity ? z->capacity : FIRST_STEPS;
    if (step < z->capacity) return SPARCL_OK;
    while (capacity <= step)
        capacity *= 2;
    SPC_TRY(grow(z, &z->sums, capacity, 4 * real));
    SPC_TRY(grow(z, &z->steps, capacity, SPC_LAZY_STEP * real));
    SPC_TRY(grow(z, &z->exponents, capacity, 4));
    z->capacity = capacity;
    return SPARCL_OK;
}

/* The tables move to step `number`, which becomes the last one. */
static sparcl_status record(sparcl_lazy *z, int64_t number, const spc_lazy_step *step) {
    const double epsilon = step->epsilon / z->unit;
    const int64_t window = z->series.window;
    const double mantissa = z->dtype == SPARCL_F32 ? (double)(float)z->mantissa : z->mantissa;
    double f[SPC_LAZY_TERMS] = {step->rate};
    for (int q = 1; q < SPC_LAZY_TERMS; ++q)
        f[q] = f[q - 1] * epsilon;
    return SPC_LAUNCH(z->ctx, "hyper+panel+missed+lazy",
                      spc_options(z->dtype, SPARCL_INDEX32, SPARCL_INDEX32) |
                          spc_form_options(spc_lazy_form_of(&z->settings)),
                      "record_step", spc_range_each(z->ctx, window), SPC_OUT(z->sums),
                      SPC_OUT(z->low), SPC_OUT(z->steps), SPC_OUT(z->exponents), SPC_IN(z->table),
                      SPC_I32(number), SPC_I32(window), SPC_REAL(z->dtype, f[0]),
                      SPC_REAL(z->dtype, f[1]), SPC_REAL(z->dtype, f[2]), SPC_REAL(z->dtype, f[3]),
                      SPC_REAL(z->dtype, step->rate), SPC_REAL(z->dtype, step->epsilon),
                      SPC_REAL(z->dtype, step->share), SPC_REAL(z->dtype, mantissa),
                      SPC_REAL(z->dtype, z->mantissa - mantissa), SPC_I32(z->exponent));
}

static sparcl_status check_creation(sparcl_ctx *ctx, const sparcl_optim *o,
                                    const sparcl_dense *table, int replay) {
    SPC_TRY(spc_optim_check(ctx, "lazy_create", o));
    SPC_TRY(spc_check_dense(ctx, "lazy_create", "table", table));
    if (table->shape[0] > INT32_MAX)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "lazy_create: the table has %lld rows, expected at most 2^31 - 1",
                            (long long)table->shape[0]);
    if (replay) return SPARCL_OK;
    const char *const refusal = spc_lazy_refusal(o);
    if (refusal)
        return spc_ctx_fail(ctx, SPARCL_E_ARG,
                            "lazy_create: rule %d has no closed form with %s, or replay",
                            (int)o->rule, refusal);
    const spc_lazy_series s = spc_lazy_series_of(o, table->dtype);
    if (s.window > MAX_WINDOW)
        return spc_ctx_fail(ctx, SPARCL_E_ARG,
                            "lazy_create: with these betas or momentum a row moves for %lld steps "
                            "after its last one (a term of the series shrinks by %g with each), "
                            "expected at most %d, or replay",
                            (long long)s.window, s.ratio[s.ratio[3] > 0 ? 3 : 0], MAX_WINDOW);
    return SPARCL_OK;
}

static sparcl_status fill(sparcl_lazy *z) {
    const int64_t ring = spc_max_i64(z->series.window, 1);
    SPC_TRY(sparcl_buf_create(z->ctx, &z->last, z->rows * 4));
    SPC_TRY(sparcl_buf_fill(z->ctx, z->last, 0, z->rows * 4, 0));
    if (spc_lazy_is_remade(z)) return SPARCL_OK; /* it needs no more than the last step */
    SPC_TRY(sparcl_buf_create(z->ctx, &z->low, ring * 4 * (int64_t)real_size(z)));
    SPC_TRY(make_tables(z));
    SPC_TRY(spc_lazy_reserve(z, 0));
    return record(z, 0, &(spc_lazy_step){.share = 0});
}

sparcl_status sparcl_lazy_create(sparcl_ctx *ctx, sparcl_lazy **lazy, const sparcl_optim *optim,
                                 const sparcl_dense *table, int replay) {
    if (!ctx) return SPARCL_E_ARG;
    if (!lazy) return spc_ctx_fail(ctx, SPARCL_E_ARG, "lazy_create: lazy is NULL");
    *lazy = NULL;
    if (!optim) return spc_ctx_fail(ctx, SPARCL_E_ARG, "lazy_create: optim is NULL");
    sparcl_optim settings = *optim;
    settings.lazy.object = NULL; /* what it was, is overwritten where it is that of `lazy` */
    SPC_TRY(check_creation(ctx, &settings, table, replay));
    sparcl_lazy *const z = spc_alloc_zero(spc_ctx_allocator(ctx), 1, sizeof *z);
    if (!z) return spc_ctx_fail(ctx, SPARCL_E_MEMORY, "lazy_create: no host memory");
    *z = (sparcl_lazy){.ctx = ctx,
                       .settings = settings,
                       .before = settings,
                       .dtype = table->dtype,
                       .rows = table->shape[0],
                       .first = settings.step - 1,
                       .replay = replay,
                       .unit = settings.epsilon > 0 ? settings.epsilon : 1,
                       .mantissa = 1};
    if (!replay) z->series = spc_lazy_series_of(&settings, table->dtype);
    const sparcl_status status = replay ? SPARCL_OK : fill(z);
    if (status != SPARCL_OK) {
        sparcl_lazy_free(z);
        return status;
    }
    *lazy = z;
    return SPARCL_OK;
}

/* --- checks ---------------------------------------------------------------------------------- */

/* The setting that is not as it was, or NULL. */
static const char *changed(const sparcl_optim *a, const sparcl_optim *b) {
    return a->rule != b->rule                               ? "rule"
           : a->preset != b->preset                         ? "preset"
           : a->momentum.factor != b->momentum.factor       ? "momentum"
           : !a->momentum.nesterov != !b->momentum.nesterov ? "nesterov"
           : a->adam.beta1 != b->adam.beta1                 ? "beta1"
           : a->adam.beta2 != b->adam.beta2                 ? "beta2"
           : a->rmsprop.rho != b->rmsprop.rho               ? "rho"
           : a->epsilon_place != b->epsilon_place           ? "epsilon_place"
           : a->ftrl.lr_power != b->ftrl.lr_power           ? "lr_power"
           : !a->ftrl.multiply_linear_by_lr != !b->ftrl.multiply_linear_by_lr
               ? "multiply_linear_by_lr"
           : !a->adam.no_bias_correction != !b->adam.no_bias_correction ? "no_bias_correction"
           : (a->decay.kind == SPARCL_DECAY_COUPLED) != (b->decay.kind == SPARCL_DECAY_COUPLED)
               ? "decay"
               : NULL;
}

static sparcl_status check_object(sparcl_ctx *ctx, const char *op, const sparcl_lazy *z,
                                  const sparcl_dense *table) {
    if (z->ctx != ctx)
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: lazy of optim is of another context", op);
    if (table->dtype != z->dtype || table->shape[0] != z->rows)
        return spc_ctx_fail(ctx, SPARCL_E_ARG,
                            "%s: the table has %lld rows of %s, lazy of optim is of one with %lld "
                            "of %s",
                            op, (long long)table->shape[0], spc_dtype_name(table->dtype),
                            (long long)z->rows, spc_dtype_name(z->dtype));
    return SPARCL_OK;
}

sparcl_status spc_lazy_check(sparcl_ctx *ctx, const char *op, const sparcl_optim *o,
                             const sparcl_dense *table) {
    const sparcl_lazy *const z = o->lazy.object;
    SPC_TRY(check_object(ctx, op, z, table));
    const char *const name = changed(&z->settings, o);
    if (name)
        return spc_ctx_fail(ctx, SPARCL_E_ARG,
                            "%s: %s of optim is not what it was when its lazy was created", op,
                            name);
    const int64_t expected = z->first + z->done + 1;
    if (o->step != expected)
        return spc_ctx_fail(ctx, SPARCL_E_ARG,
                            "%s: step is %lld, expected %lld, the one after the last step that was "
                            "taken with lazy of optim",
                            op, (long long)o->step, (long long)expected);
    if (z->replay) return SPARCL_OK;
    if (z->done >= MAX_STEPS)
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: lazy of optim has had 2^31 - 2 steps", op);
    if (spc_lazy_refusal(o))
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: there is no closed form with %s", op,
                            spc_lazy_refusal(o));
    const spc_lazy_step step = spc_lazy_step_of(o);
    if (!(step.share < 1))
        return spc_ctx_fail(ctx, SPARCL_E_ARG,
                            "%s: a step takes away %g of a weight (lr weight_decay), expected less "
                            "than 1",
                            op, step.share);
    return SPARCL_OK;
}

/* --- steps ----------------------------------------------------------------------------------- */

sparcl_status spc_lazy_record(sparcl_ctx *ctx, const sparcl_optim *o) {
    sparcl_lazy *const z = o->lazy.object;
    const spc_lazy_step step = spc_lazy_step_of(o);
    int exponent = 0;
    (void)ctx;
    z->before = *o;
    if (!z->replay && !spc_lazy_is_remade(z)) {
        SPC_TRY(spc_lazy_reserve(z, z->done + 1));
        z->mantissa = frexp(z->mantissa * (1 - step.share), &exponent);
        z->exponent += exponent;
        z->decays = z->decays || step.share != 0;
        z->largest_epsilon = fmax(z->largest_epsilon, step.epsilon);
        SPC_TRY(record(z, z->done + 1, &step));
    }
    ++z->done;
    return SPARCL_OK;
}

sparcl_optim spc_lazy_present(const sparcl_optim *optim) {
    sparcl_optim o = *optim;
    const bool replay = optim->lazy.object->replay != 0;
    o.lazy.object = NULL;
    o.moves = replay ? SPARCL_MOVES_ALL : SPARCL_MOVES_PRESENT;
    if (o.decay.kind == SPARCL_DECAY_DECOUPLED || o.decay.kind == SPARCL_DECAY_GLOBAL)
        o.decay.kind = replay ? SPARCL_DECAY_GLOBAL : SPARCL_DECAY_DECOUPLED;
    return o;
}
