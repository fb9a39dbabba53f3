/* tuned.c: the list of tunables, their classes of inputs, and the values that a context has. */
#include "tune/tuned.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "device/ctx_impl.h"

#define ADDRESS(id, name) &spc_tunable_##name,
static const sparcl_tunable *const tunables[] = {SPC_TUNABLES(ADDRESS)};

/* --- classes of inputs --------------------------------------------------------------------------
 */

/* Typical cache sizes of a core and of a machine, in bytes. */
#define CORE_CACHE    ((int64_t)2 << 20)
#define MACHINE_CACHE ((int64_t)16 << 20)
/* Elements that a core processes in some microseconds, and in some tens of microseconds. */
#define TINY_WORK     ((int64_t)1 << 15)
#define SMALL_WORK    ((int64_t)1 << 18)

const char *const spc_no_classes[1] = {"any"};
const char *const spc_width_classes[4] = {"n1", "n2", "n8", "n32"};
const char *const spc_size_classes[3] = {"core", "machine", "beyond"};
const char *const spc_work_classes[3] = {"tiny", "small", "large"};
const char *const spc_panel_classes[9] = {"n2.core",  "n2.machine",  "n2.beyond",
                                          "n8.core",  "n8.machine",  "n8.beyond",
                                          "n32.core", "n32.machine", "n32.beyond"};

int spc_width_class(int64_t n) {
    return n < 2 ? 0 : n < 8 ? 1 : n < 32 ? 2 : 3;
}

/* rows * columns * size may exceed an int64_t. */
static bool is_past(int64_t cache, int64_t rows, int64_t columns, size_t size) {
    return columns > 0 && rows > cache / (int64_t)size / columns;
}

int spc_size_class(int64_t rows, int64_t columns, size_t size) {
    return is_past(MACHINE_CACHE, rows, columns, size) + is_past(CORE_CACHE, rows, columns, size);
}

int spc_work_class(int64_t rows, int64_t columns) {
    return is_past(TINY_WORK, rows, columns, 1) + is_past(SMALL_WORK, rows, columns, 1);
}

/* --- values -------------------------------------------------------------------------------------
 */

void spc_tuning_default(spc_tuning *tuning, bool is_gpu) {
    memset(tuning, 0, sizeof *tuning);
    for (int t = 0; t < SPC_TUNE_COUNT; ++t)
        for (int c = 0; c < tunables[t]->class_count; ++c)
            tuning->at[t][c].value = tunables[t]->defaults[is_gpu][c];
}

int32_t spc_tuned(const sparcl_ctx *ctx, spc_tune_id id, int input_class) {
    ctx->tuning->used[id] |= 1u << input_class;
    return ctx->tuning->at[id][input_class].value;
}

int sparcl_tune_count(void) {
    return SPC_TUNE_COUNT;
}

const sparcl_tunable *sparcl_tune_at(int tunable) {
    return tunable >= 0 && tunable < SPC_TUNE_COUNT ? tunables[tunable] : NULL;
}

static sparcl_status check_place(sparcl_ctx *ctx, int tunable, int input_class) {
    const sparcl_tunable *const about = sparcl_tune_at(tunable);
    if (!about)
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "tuning: tunable %d, expected 0 to %d", tunable,
                            SPC_TUNE_COUNT - 1);
    if (input_class < 0 || input_class >= about->class_count)
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "tuning: class %d of %s, expected 0 to %d",
                            input_class, about->name, about->class_count - 1);
    return SPARCL_OK;
}

sparcl_status sparcl_tune_get(sparcl_ctx *ctx, int tunable, int input_class, sparcl_tuned *tuned) {
    if (tuned) *tuned = (sparcl_tuned){0};
    if (!ctx) return SPARCL_E_ARG;
    if (!tuned) return spc_ctx_fail(ctx, SPARCL_E_ARG, "tuning: tuned is NULL");
    SPC_TRY(check_place(ctx, tunable, input_class));
    *tuned = ctx->tuning->at[tunable][input_class];
    return SPARCL_OK;
}

static bool is_measure(double x) {
    return isfinite(x) && x >= 0;
}

sparcl_status sparcl_tune_set(sparcl_ctx *ctx, int tunable, int input_class,
                              const sparcl_tuned *tuned) {
    if (!ctx) return SPARCL_E_ARG;
    if (!tuned) return spc_ctx_fail(ctx, SPARCL_E_ARG, "tuning: tuned is NULL");
    SPC_TRY(check_place(ctx, tunable, input_class));
    const sparcl_tunable *const about = tunables[tunable];
    if (tuned->value < about->minimum || tuned->value > about->maximum)
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "tuning: %s is %d, expected %d to %d", about->name,
                            (int)tuned->value, (int)about->minimum, (int)about->maximum);
    if (!is_measure(tuned->gain) || !is_measure(tuned->spread) || tuned->when < 0)
        return spc_ctx_fail(ctx, SPARCL_E_ARG,
                            "tuning: gain, spread or time of %s is negative or not finite",
                            about->name);
    ctx->tuning->at[tunable][input_class] = *tuned;
    return SPARCL_OK;
}

int sparcl_tune_used(const sparcl_ctx *ctx, int tunable, int input_class) {
    const sparcl_tunable *const about = sparcl_tune_at(tunable);
    if (!ctx || !about || input_class < 0 || input_class >= about->class_count) return 0;
    return ctx->tuning->used[tunable] >> input_class & 1;
}

void sparcl_tune_reset_used(sparcl_ctx *ctx) {
    if (ctx) memset(ctx->tuning->used, 0, sizeof ctx->tuning->used);
}
