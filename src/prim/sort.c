/* sort.c: a stable radix sort, lowest digit first: digits are counted by chunks, then items are
 * moved. */
#include "prim/sort.h"

#include "base/size.h"
#include "prim/bucket.h"
#include "prim/scan.h"
#include "tune/tuned.h"

/* As in cl/sort.cl. */
#define CPU_DIGIT_BITS 11
#define GPU_DIGIT_BITS 8
#define GPU_TILE       1024
/* Maximum of chunks per compute unit of a GPU, each with a counter for each digit: as many as a
 * unit has local memory for. */
#define UNIT_CHUNKS    8
/* Each group adds the counts of as many itself, which saves the launches of a scan. */
#define FEW_CHUNKS     16

/* Arrays that are read or written; a and b are the two components of keys. */
typedef struct items {
    const sparcl_buf *keys, *payload, *a, *b;
    int64_t keys_at, payload_at, a_at, b_at;
} items;

typedef struct places {
    sparcl_buf *keys, *payload, *a, *b;
    int64_t keys_at, payload_at, a_at, b_at;
} places;

/* The sort by one digit. */
typedef struct pass {
    uint32_t options;
    int64_t chunks;
    spc_range range;
    sparcl_itype place_type;
    sparcl_buf *table;
    int shift, bits;
    bool is_counted; /* groups add the counts of few chunks themselves */
} pass;

/* The arguments that both kernels begin with. */
#define KEYS(job, p, from, digits)                                                                 \
    SPC_IN((from)->keys), SPC_I64((from)->keys_at), SPC_IN((from)->a), SPC_I64((from)->a_at),      \
        SPC_IN((from)->b), SPC_I64((from)->b_at),                                                  \
        SPC_I32((job)->component_type == SPARCL_INDEX64), SPC_I32((job)->b_bits),                  \
        SPC_I64((job)->n), SPC_IN((job)->count), SPC_I64((job)->count_at),                         \
        SPC_I32(!(job)->narrow_count), SPC_I32((p)->shift), SPC_I32((digits)-1)

/* Count the items of each digit and chunk; the prefix sums are their new positions. */
static sparcl_status fill_table(sparcl_ctx *ctx, const spc_sort_job *job, const pass *p,
                                const items *from, int digits) {
    const spc_scan_job scan = {.n = p->chunks * digits,
                               .from_type = p->place_type,
                               .to_type = p->place_type,
                               .from = p->table,
                               .to = p->table};
    if (p->chunks == 1 && !spc_ctx_is_gpu(ctx)) return SPARCL_OK;
    SPC_TRY(SPC_LAUNCH(ctx, "scan+sort", p->options, "sort_count", p->range,
                       KEYS(job, p, from, digits), SPC_OUT(p->table)));
    return p->is_counted ? SPARCL_OK : spc_scan(ctx, &scan);
}

static sparcl_status sort_digit(sparcl_ctx *ctx, const spc_sort_job *job, const pass *p,
                                const items *from, const places *to) {
    const int width = job->bits - p->shift < p->bits ? job->bits - p->shift : p->bits;
    const int digits = 1 << (width > 0 ? width : 0);
    SPC_TRY(fill_table(ctx, job, p, from, digits));
    return SPC_LAUNCH(ctx, "scan+sort", p->options, "sort_move", p->range,
                      KEYS(job, p, from, digits), SPC_IN(from->payload), SPC_I64(from->payload_at),
                      SPC_OUT(to->keys), SPC_I64(to->keys_at), SPC_OUT(to->payload),
                      SPC_I64(to->payload_at), SPC_OUT(to->a), SPC_I64(to->a_at), SPC_OUT(to->b),
                      SPC_I64(to->b_at), SPC_IN(p->table), SPC_I32(p->is_counted));
}

/* Memory for the items between two digits. */
static sparcl_status push_places(sparcl_ctx *ctx, const spc_sort_job *job, places *spare) {
    *spare = (places){0};
    SPC_TRY(spc_scratch_push(ctx, &spare->keys, job->n, sparcl_itype_size(job->key_type)));
    if (!job->payload) return SPARCL_OK;
    return spc_scratch_push(ctx, &spare->payload, job->n, sparcl_itype_size(job->payload_type));
}

/* The digits alternate between the result and scratch memory, so that the last one ends in the
 * result. */
static sparcl_status sort_digits(sparcl_ctx *ctx, const spc_sort_job *job, pass *p, int passes) {
    const places result = {job->keys,    job->payload,    job->a,    job->b,
                           job->keys_at, job->payload_at, job->a_at, job->b_at};
    items from = {job->from_keys,    job->from_payload,    job->from_a,    job->from_b,
                  job->from_keys_at, job->from_payload_at, job->from_a_at, job->from_b_at};
    places spare = {0}, to = result;
    to.a = to.b = NULL; /* only the last digit writes the components */
    if (passes > 1) SPC_TRY(push_places(ctx, job, &spare));
    if (passes > 2 && !job->keys && job->reusable_keys) {
        /* The first digit reads these keys, so it must write to `spare`. */
        to.keys_at = 0;
        to.keys = job->reusable_keys;
        if (passes % 2) {
            to.keys = spare.keys;
            spare.keys = job->reusable_keys;
        }
    } else if (passes > 2 && !job->keys) {
        to.keys_at = 0;
        SPC_TRY(spc_scratch_push(ctx, &to.keys, job->n, sparcl_itype_size(job->key_type)));
    }
    SPC_TRY(spc_scratch_push(ctx, &p->table, (p->chunks << p->bits) + 1,
                             sparcl_itype_size(p->place_type)));
    for (int left = passes; left > 0; --left) {
        const places *target = left == 1 ? &result : left % 2 ? &to : &spare;
        SPC_TRY(sort_digit(ctx, job, p, &from, target));
        from = (items){.keys = target->keys,
                       .payload = target->payload,
                       .keys_at = target->keys_at,
                       .payload_at = target->payload_at};
        p->shift += p->bits;
    }
    return SPARCL_OK;
}

static spc_bucket_source bucket_source(const spc_sort_job *job) {
    return (spc_bucket_source){.n = job->n,
                               .count = job->count,
                               .count_at = job->count_at,
                               .type = job->key_type,
                               .a_bits = job->bits,
                               .a = job->from_keys,
                               .a_at = job->from_keys_at,
                               .payload = job->from_payload,
                               .payload_at = job->from_payload_at,
                               .low_memory = true,
                               .scratch_bytes = job->scratch_bytes};
}

bool spc_sort_is_in_place(const sparcl_ctx *ctx, const spc_sort_job *job) {
    const spc_bucket_source source = bucket_source(job);
    return job->from_keys && job->upper_bits_zero && job->payload &&
           job->payload_type == SPARCL_INDEX32 && spc_bucket_applies(ctx, &source);
}

/* All keys are in buckets before the first one is written, so keys may be sorted in place. */
static sparcl_status sort_buckets(sparcl_ctx *ctx, const spc_sort_job *job) {
    const spc_bucket_source source = bucket_source(job);
    const spc_bucket_result result = {.a = job->keys,
                                      .a_at = job->keys_at,
                                      .payload = job->payload,
                                      .payload_at = job->payload_at};
    return spc_bucket_order(ctx, &source, &result);
}

/* All digits in one launch of one group of lanes. */
static sparcl_status sort_small(sparcl_ctx *ctx, const spc_sort_job *job, uint32_t options) {
    const pass p = {.shift = job->bits};
    const items from = {job->from_keys,    job->from_payload,    job->from_a,    job->from_b,
                        job->from_keys_at, job->from_payload_at, job->from_a_at, job->from_b_at};
    return SPC_LAUNCH(ctx, "scan+sort", options, "sort_small", spc_range_groups(ctx, 1),
                      KEYS(job, &p, &from, 1), SPC_IN(job->from_payload),
                      SPC_I64(job->from_payload_at), SPC_OUT(job->keys), SPC_I64(job->keys_at),
                      SPC_OUT(job->payload), SPC_I64(job->payload_at), SPC_OUT(job->a),
                      SPC_I64(job->a_at), SPC_OUT(job->b), SPC_I64(job->b_at));
}

static int64_t count_chunks(const sparcl_ctx *ctx, int64_t n) {
    if (!spc_ctx_is_gpu(ctx)) return spc_workers(ctx, n, spc_tuned(ctx, SPC_TUNE_SCAN_GRAIN, 0));
    const int64_t tiles = spc_ceil_div(n, GPU_TILE), most = UNIT_CHUNKS * spc_ctx_units(ctx);
    if (spc_has_short_loops(ctx)) return tiles;
    return spc_ceil_div(tiles, spc_ceil_div(tiles, most)); /* chunks of as many tiles */
}

sparcl_status spc_sort(sparcl_ctx *ctx, const spc_sort_job *job) {
    if (job->n == 0) return SPARCL_OK;
    if (spc_sort_is_in_place(ctx, job)) return sort_buckets(ctx, job);
    const bool gpu = spc_ctx_is_gpu(ctx);
    const int max_bits = gpu ? GPU_DIGIT_BITS : CPU_DIGIT_BITS;
    const int passes = job->bits > max_bits ? (int)spc_ceil_div(job->bits, max_bits) : 1;
    const sparcl_itype place_type = spc_position_type(job->n);
    const int64_t chunks = count_chunks(ctx, job->n);
    pass p = {.options = spc_options(SPARCL_F32, place_type, job->key_type) |
                         (job->payload_type == SPARCL_INDEX64 ? SPC_VALUE64 : 0u) |
                         (job->payload ? 0u : SPC_VARIANT),
              .chunks = chunks,
              .place_type = place_type,
              .is_counted = gpu && chunks <= FEW_CHUNKS,
              .bits = (int)spc_ceil_div(job->bits, passes)};
    if (gpu && job->n <= GPU_TILE) return sort_small(ctx, job, p.options);
    p.range = spc_range_groups(ctx, p.chunks);
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = sort_digits(ctx, job, &p, passes);
    spc_scratch_release(ctx, mark);
    return status;
}
