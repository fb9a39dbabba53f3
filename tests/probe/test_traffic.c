/* test_traffic.c: what the header says of sparcl_ctx_traffic. */
#include "device_test.h"

#include <math.h>

/* A row has five vectors of a CPU: four at once, and a rest. */
enum { ROWS = 5, WIDTH = 80, COUNT = ROWS * WIDTH, IDS = 3 };
static const int32_t ids_host[IDS] = {3, 0, 99}; /* 99 is no row: the last */

/* Arrays of x, y and z, and what z was. */
typedef struct arrays {
    sparcl_traffic t;
    float x[COUNT], y[COUNT], z[COUNT];
} arrays;

static void make(sparcl_ctx *ctx, arrays *a, sparcl_traffic_kind kind) {
    for (int i = 0; i < COUNT; ++i) {
        a->x[i] = (float)(i % 13) + 1;
        a->y[i] = (float)(i % 7) + 2;
        a->z[i] = (float)(i % 5) + 3;
    }
    a->t = (sparcl_traffic){.kind = kind, .rows = ROWS, .width = WIDTH, .ids_count = IDS};
    assert_ok(ctx, sparcl_buf_upload(ctx, &a->t.x, a->x, sizeof a->x));
    assert_ok(ctx, sparcl_buf_upload(ctx, &a->t.y, a->y, sizeof a->y));
    assert_ok(ctx, sparcl_buf_upload(ctx, &a->t.z, a->z, sizeof a->z));
    assert_ok(ctx, sparcl_buf_upload(ctx, &a->t.ids, ids_host, sizeof ids_host));
}

static void drop(arrays *a) {
    sparcl_buf_free(a->t.x);
    sparcl_buf_free(a->t.y);
    sparcl_buf_free(a->t.z);
    sparcl_buf_free(a->t.ids);
}

static bool is_named(int row) {
    return row == 3 || row == 0 || row == ROWS - 1;
}

static float expected(const arrays *a, int i) {
    switch (a->t.kind) {
    case SPARCL_TRAFFIC_WRITE:
        return 1;
    case SPARCL_TRAFFIC_COPY:
        return a->x[i];
    case SPARCL_TRAFFIC_TRIAD:
        return a->x[i] + a->y[i] / 2;
    case SPARCL_TRAFFIC_UPDATE:
        return is_named(i / WIDTH) ? a->z[i] / 2 + a->x[i] : a->z[i];
    default:
        return a->z[i];
    }
}

static void each_kind_does_what_it_says(void **state) {
    sparcl_ctx *ctx = test_open();
    float got[COUNT];
    (void)state;
    for (int i = 0; i <= 2 * SPARCL_TRAFFIC_UPDATE + 1; ++i) {
        const int kind = i / 2;
        arrays a;
        make(ctx, &a, (sparcl_traffic_kind)kind);
        a.t.non_temporal = i % 2;
        assert_ok(ctx, sparcl_ctx_traffic(ctx, &a.t));
        assert_ok(ctx, sparcl_buf_read(ctx, a.t.z, 0, sizeof got, got));
        for (int k = 0; k < COUNT; ++k)
            if (got[k] != expected(&a, k))
                fail_msg("kind %d, z[%d] is %g, expected %g", kind, k, (double)got[k],
                         (double)expected(&a, k));
        drop(&a);
    }
    sparcl_ctx_close(ctx);
}

/* An infinite element in one place after the other, some in each vector. */
static void every_element_is_read(void **state) {
    sparcl_ctx *ctx = test_open();
    (void)state;
    for (int gathers = 0; gathers < 2; ++gathers)
        for (int i = 0; i < COUNT; i += 5) {
            arrays a;
            float got = 0;
            make(ctx, &a, gathers ? SPARCL_TRAFFIC_GATHER : SPARCL_TRAFFIC_READ);
            a.x[i] = INFINITY;
            /* All of it: Oclgrind 21.10 counts a vector as uninitialised if a part of it was
             * written again. */
            assert_ok(ctx, sparcl_buf_write(ctx, a.t.x, 0, sizeof a.x, a.x));
            assert_ok(ctx, sparcl_ctx_traffic(ctx, &a.t));
            assert_ok(ctx, sparcl_buf_read(ctx, a.t.z, 0, 4, &got));
            assert_true((got == INFINITY) == (!gathers || is_named(i / WIDTH)));
            drop(&a);
        }
    sparcl_ctx_close(ctx);
}

static void an_impossible_description_is_refused(void **state) {
    sparcl_ctx *ctx = test_open();
    arrays a;
    (void)state;
    make(ctx, &a, SPARCL_TRAFFIC_UPDATE);
    sparcl_traffic t = a.t;
    assert_int_equal(sparcl_ctx_traffic(NULL, &t), SPARCL_E_ARG);
    assert_refused(ctx, sparcl_ctx_traffic(ctx, NULL), SPARCL_E_ARG, "the description is NULL");
    t.kind = (sparcl_traffic_kind)7;
    assert_refused(ctx, sparcl_ctx_traffic(ctx, &t), SPARCL_E_ARG, "kind is 7, expected 0 to 6");
    t = a.t, t.width = 8;
    assert_refused(ctx, sparcl_ctx_traffic(ctx, &t), SPARCL_E_SHAPE,
                   "a width that is a multiple of 16");
    t = a.t, t.rows = -1;
    assert_refused(ctx, sparcl_ctx_traffic(ctx, &t), SPARCL_E_SHAPE, "-1 rows");
    t = a.t, t.rows = ROWS + 1;
    assert_refused(ctx, sparcl_ctx_traffic(ctx, &t), SPARCL_E_SHAPE,
                   "x is too small for 480 elements");
    t = a.t, t.ids_count = IDS + 1;
    assert_refused(ctx, sparcl_ctx_traffic(ctx, &t), SPARCL_E_SHAPE, "ids is too small");
    t = a.t, t.z = NULL;
    assert_refused(ctx, sparcl_ctx_traffic(ctx, &t), SPARCL_E_ARG, "z is NULL");
    t = a.t, t.reserved[1] = 1;
    assert_refused(ctx, sparcl_ctx_traffic(ctx, &t), SPARCL_E_ARG, "reserved");
    sparcl_ctx *other = test_open();
    assert_refused(other, sparcl_ctx_traffic(other, &a.t), SPARCL_E_ARG, "another context");
    sparcl_ctx_close(other);
    t = a.t, t.rows = 0;
    assert_ok(ctx, sparcl_ctx_traffic(ctx, &t));
    drop(&a);
    sparcl_ctx_close(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_does_what_it_says),
        cmocka_unit_test(every_element_is_read),
        cmocka_unit_test(an_impossible_description_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
