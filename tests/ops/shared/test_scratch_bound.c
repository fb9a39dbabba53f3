/* test_scratch_bound.c: no operation needs more scratch memory than twice what it reads, or than
 * its comment says, whatever the class of kernels, shapes and types. Counted by forecasts, so large
 * sizes cost nothing. */
#include "scratch_calls.h"

#include "launch/launch.h"

/* In addition: counters of a digit for each worker, and the like (sparcl/ops.h). */
static const int64_t constant = 1 << 20;

static sparcl_ctx *open_forecast(sparcl_class device_class) {
    sparcl_ctx_desc desc = test_desc();
    sparcl_ctx *ctx = NULL;
    sparcl_error error;
    desc.forecast = 1;
    desc.cache_dir = NULL;
    desc.device_class = device_class;
    const sparcl_status status = sparcl_ctx_open(&ctx, &desc, &error);
    if (status != SPARCL_OK && status != SPARCL_E_UNSUPPORTED) fail_msg("%s", error.message);
    return ctx;
}

typedef struct size {
    int64_t n, rows, cols, width;
} size;

/* The maximum that was found, relative to what is allowed, and where. */
typedef struct worst {
    double part;
    char where[256];
} worst;

static void note(worst *w, const call *c, const size *s, int types, bool gpu, int64_t taken) {
    const int64_t allowed = c->stated < 0 ? 2 * c->read : c->stated;
    const double part = (double)taken / (double)(allowed + constant);
    if (part <= w->part) return;
    w->part = part;
    snprintf(w->where, sizeof w->where,
             "%s class, n %lld, %lld x %lld, width %lld, types %d: %.2f bytes of %.2f per entry",
             gpu ? "gpu" : "cpu", (long long)s->n, (long long)s->rows, (long long)s->cols,
             (long long)s->width, types, (double)taken / (double)s->n,
             (double)allowed / (double)s->n);
}

/* A call in a context of its own. */
static void try_call(const scratch_call *tried, bool gpu, const size *s, int types, worst *w) {
    call c = {.ctx = open_forecast(gpu ? SPARCL_CLASS_GPU : SPARCL_CLASS_CPU),
              .stated = -1,
              .n = s->n,
              .rows = s->rows,
              .cols = s->cols,
              .width = s->width,
              .dtype = types & 1 ? SPARCL_F64 : SPARCL_F32,
              .itype = types & 2 ? SPARCL_INDEX64 : SPARCL_INDEX32,
              .otype = types & 4 ? SPARCL_INDEX64 : SPARCL_INDEX32};
    if (!c.ctx) return;
    const bool fits = (c.dtype == SPARCL_F32 || sparcl_ctx_device(c.ctx)->has_f64) &&
                      (c.itype == SPARCL_INDEX64 || (s->rows | s->cols) <= INT32_MAX);
    if (fits) {
        const sparcl_status status = tried->run(&c);
        c.too_large |= status == SPARCL_E_MEMORY; /* the scratch memory, too */
        if (!c.too_large && status != SPARCL_OK && status != SPARCL_E_UNSUPPORTED)
            fail_msg("%s: %s", tried->name, sparcl_ctx_error(c.ctx)->message);
    }
    for (int k = 0; k < c.count; ++k)
        sparcl_buf_free(c.bufs[k]);
    if (fits && !c.too_large) note(w, &c, s, types, gpu, sparcl_ctx_memory(c.ctx));
    sparcl_ctx_close(c.ctx);
}

static bool has_short_loops(void) {
    sparcl_ctx *const ctx = test_open();
    const bool result = spc_has_short_loops(ctx);
    sparcl_ctx_close(ctx);
    return result;
}

/* All sizes, types and classes; how many of the calls need more than is allowed. */
static int try_calls(const scratch_call *calls) {
    static const size sizes[] = {{10, 3, 5, 1},
                                 {5000, 700, 900, 8},
                                 {100000, 200000, 200000, 1},
                                 {130000, 1 << 20, 1 << 20, 1},
                                 {300000, 1 << 22, 1 << 22, 16},
                                 {2000000, 1000, 1000, 1},
                                 {2000000, 1000, 1 << 30, 64},
                                 {5000000, 1 << 30, 1000, 1},
                                 {5000000, 1 << 24, 1 << 24, 1},
                                 {5000000, (int64_t)1 << 40, 1 << 30, 1},
                                 {5000000, (int64_t)1 << 50, 1 << 30, 1}};
    int failed = 0;
    for (const scratch_call *tried = calls; tried->name; ++tried) {
        worst w = {.part = 0};
        for (size_t s = 0; s < COUNT(sizes); ++s)
            for (int k = 0; k < 16; ++k)
                try_call(tried, k >= 8, &sizes[s], k % 8, &w);
        print_message("           %-30s %.2f of what is allowed; %s\n", tried->name, w.part,
                      w.where);
        failed += w.part > 1;
    }
    return failed;
}

static void scratch_memory_is_at_most_twice_what_is_read(void **state) {
    (void)state;
    if (has_short_loops()) skip(); /* work is cut into many parts, each with counters */
    assert_int_equal(try_calls(scratch_calls), 0);
}

static void scratch_memory_is_at_most_what_the_comment_says(void **state) {
    (void)state;
    if (has_short_loops()) skip();
    const int failed = try_calls(scratch_structure) + try_calls(scratch_products) +
                       try_calls(scratch_reductions) + try_calls(scratch_convert);
    assert_int_equal(failed, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scratch_memory_is_at_most_twice_what_is_read),
        cmocka_unit_test(scratch_memory_is_at_most_what_the_comment_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
