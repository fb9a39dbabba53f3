/* width.c: why weights of very many columns cannot be held, and what would make them fewer. */
#include "train/width.h"

#include <stdbool.h>

#include "base/error.h"
#include "base/size.h"
#include "base/text.h"
#include "data/formats/formats.h"

/* Below MANY columns weights are small; a hash has SPREAD columns for each id, so that few share
 * one, and USUAL bits where ids are not counted. */
enum { LEAST_BITS = 18, MOST_BITS = 28, USUAL_BITS = 22, SPREAD = 4, MANY = 1 << 22 };

static int sensible_bits(int64_t used) {
    int bits = LEAST_BITS;
    if (used < 0) return USUAL_BITS;
    while (bits < MOST_BITS && (int64_t)1 << bits < SPREAD * used)
        bits++;
    return bits;
}

/* A model has a weight for each column and output, and mostly as many states of the optimizer. */
static bool is_too_wide(const sparcl_ctx *ctx, int64_t columns, int64_t outputs, int64_t used) {
    const double largest = (double)sparcl_ctx_device(ctx)->max_allocation;
    const double weights = (double)sizeof(float) * (double)columns * (double)outputs;
    return 4 * weights > largest || (columns >= MANY && used >= 0 && used < columns / SPREAD);
}

static bool may_have_ids(const sparcl_data_info *info) {
    return info->hash_bits == 0 && (spc_format_flags(info->format) & SPC_HAS_IDS);
}

static void say_options(spc_text *why, int64_t outputs, int64_t used) {
    const int bits = sensible_bits(used);
    const double weight = (double)sizeof(float) * (double)outputs;
    spc_text_add(why,
                 "; if indices are ids, read them with hash_bits (--hash-bits %d: %.0f bytes), or "
                 "compact_ids (--compact-ids: ",
                 bits, weight * (double)((int64_t)1 << bits));
    if (used < 0)
        spc_text_add(why, "%.0f bytes for each different id)", weight);
    else
        spc_text_add(why, "%.0f bytes, for %lld different ids)", weight * (double)used,
                     (long long)used);
}

sparcl_status spc_explain_width(const sparcl_ctx *ctx, const sparcl_data *data, int64_t outputs,
                                sparcl_status status, sparcl_error *error) {
    const sparcl_data_info *const info = sparcl_data_get_info(data);
    const int64_t columns = info->columns;
    if (status != SPARCL_E_MEMORY) return status;
    const int64_t used = sparcl_data_used_columns(data);
    char text[512];
    spc_text why = spc_text_in(text, sizeof text);
    if (!is_too_wide(ctx, columns, outputs, used)) return status;
    spc_text_add(&why, "the weights of %lld columns take at least %.6g bytes", (long long)columns,
                 (double)sizeof(float) * (double)columns * (double)outputs);
    if (may_have_ids(info))
        say_options(&why, outputs, used);
    else
        spc_text_add(&why, "; use data with fewer columns, or more memory");
    return spc_fail(error, status, "train: %s", text);
}
