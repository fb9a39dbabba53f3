/* test_prim.c: scan, sort and segment against plain loops. */
#include "device_test.h"

#include "prim/scan.h"
#include "prim/segment.h"
#include "prim/sort.h"
#include "spec/shared/spec.h"

static const int64_t sizes[] = {0, 1, 2, 31, 128, 1000, 4096, 4097, 9000, 70000, 300000};

static int size_count(void) {
    return (int)(sizeof sizes / sizeof sizes[0]) - (test_is_small() ? 3 : 0);
}

/* More than a tile of the GPU class. */
static int64_t some_items(void) {
    return test_is_small() ? 2100 : 5000;
}

static int setup(void **state) {
    *state = test_open();
    return 0;
}

static int teardown(void **state) {
    sparcl_ctx_close(*state);
    return 0;
}

static int64_t *make_ints(int64_t count) {
    int64_t *x = calloc((size_t)count + 1, sizeof *x);
    assert_non_null(x);
    return x;
}

static sparcl_buf *put(sparcl_ctx *ctx, const int64_t *x, int64_t count, sparcl_itype type) {
    sparcl_buf *buf = NULL;
    assert_ok(ctx, spec_put_ints(ctx, &buf, x, count, type));
    return buf;
}

static void get(sparcl_ctx *ctx, const sparcl_buf *buf, int64_t at, int64_t *x, int64_t count,
                sparcl_itype type) {
    assert_ok(ctx, spec_get_ints(ctx, buf, at, count, type, x));
}

static void check_equal(const char *what, const int64_t *got, const int64_t *expected, int64_t n) {
    for (int64_t i = 0; i < n; ++i)
        if (got[i] != expected[i])
            fail_msg("%s[%lld] of %lld is %lld, expected %lld", what, (long long)i, (long long)n,
                     (long long)got[i], (long long)expected[i]);
}

static void try_scan(sparcl_ctx *ctx, int64_t n, sparcl_itype from, sparcl_itype to,
                     bool in_place) {
    uint64_t seed = (uint64_t)n + 1;
    int64_t *x = make_ints(n + 4), *got = make_ints(n + 4), *expected = make_ints(n + 4);
    for (int64_t i = 0; i < n + 4; ++i)
        expected[i] = x[i] = (int64_t)(spec_random(&seed) % 100);
    int64_t sum = 0;
    for (int64_t i = 0; i <= n; ++i) {
        expected[i + 2] = sum;
        sum += x[i + 2];
    }
    sparcl_buf *a = put(ctx, x, n + 4, from), *b = in_place ? a : put(ctx, x, n + 4, to);
    const spc_scan_job job = {n, from, to, a, 2, b, 2};
    assert_ok(ctx, spc_scan(ctx, &job));
    get(ctx, b, 0, got, n + 4, to);
    check_equal("scan", got, expected, n + 4);
    sparcl_buf_free(a);
    if (!in_place) sparcl_buf_free(b);
    free(x);
    free(got);
    free(expected);
}

static void scan_sums_all_elements_before(void **state) {
    for (int i = 0; i < size_count(); ++i) {
        try_scan(*state, sizes[i], SPARCL_INDEX32, SPARCL_INDEX32, true);
        try_scan(*state, sizes[i], SPARCL_INDEX64, SPARCL_INDEX64, true);
        try_scan(*state, sizes[i], SPARCL_INDEX32, SPARCL_INDEX64, false);
        try_scan(*state, sizes[i], SPARCL_INDEX64, SPARCL_INDEX32, false);
    }
}

/* The parameters of a sort in one test. */
typedef struct sort_case {
    int64_t n, count; /* count < 0: none on the device */
    int bits, spread; /* keys have `spread` random bits */
    sparcl_itype key, payload;
    bool no_keys, no_payload, given, upper_bits_zero;
} sort_case;

typedef struct item {
    uint64_t key;
    int64_t at, payload;
} item;

static int compare_items(const void *a, const void *b) {
    const item *x = a, *y = b;
    return x->key != y->key ? (x->key > y->key) - (x->key < y->key)
                            : (x->at > y->at) - (x->at < y->at);
}

static uint64_t low_bits(int bits) {
    return bits >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1;
}

static int64_t true_count(const sort_case *q) {
    return q->count < 0 ? q->n : q->count > q->n ? q->n : q->count;
}

static item *make_items(const sort_case *q, int64_t *keys, int64_t *payload) {
    uint64_t seed = (uint64_t)(q->n + q->bits);
    item *items = calloc((size_t)q->n + 1, sizeof *items);
    assert_non_null(items);
    for (int64_t i = 0; i < q->n; ++i) {
        keys[i] = (int64_t)(spec_random(&seed) & low_bits(q->spread));
        if (q->key == SPARCL_INDEX32) keys[i] = (int32_t)keys[i]; /* as they are read back */
        payload[i] =
            (int64_t)(spec_random(&seed) & low_bits(q->payload == SPARCL_INDEX64 ? 64 : 31));
        items[i] = (item){(uint64_t)keys[i] & low_bits(q->bits), i, q->given ? payload[i] : i};
    }
    qsort(items, (size_t)true_count(q), sizeof *items, compare_items);
    return items;
}

static void try_sort(sparcl_ctx *ctx, const sort_case *q) {
    const int64_t n = q->n, m = true_count(q);
    int64_t *keys = make_ints(n), *payload = make_ints(n), *got = make_ints(n + 1);
    int64_t *old = make_ints(n + 1), *expected = make_ints(n + 1), count[2] = {0, q->count};
    item *items = make_items(q, keys, payload);
    for (int64_t i = 0; i <= n; ++i)
        old[i] = -7;
    sparcl_buf *from = put(ctx, keys, n, q->key), *given = put(ctx, payload, n, q->payload);
    const bool narrow = q->upper_bits_zero && spc_ctx_is_gpu(ctx);
    sparcl_buf *counts = put(ctx, count, 2, narrow ? SPARCL_INDEX32 : SPARCL_INDEX64);
    sparcl_buf *to = put(ctx, old, n + 1, q->key), *to_payload = put(ctx, old, n + 1, q->payload);
    const spc_sort_job job = {.n = n,
                              .count = q->count < 0 ? NULL : counts,
                              .count_at = 1,
                              .narrow_count = narrow,
                              .key_type = q->key,
                              .bits = q->bits,
                              .upper_bits_zero = q->upper_bits_zero,
                              .from_keys = from,
                              .keys = q->no_keys ? NULL : to,
                              .keys_at = 1,
                              .payload_type = q->payload,
                              .from_payload = q->given ? given : NULL,
                              .payload = q->no_payload ? NULL : to_payload,
                              .payload_at = 1};
    assert_ok(ctx, spc_sort(ctx, &job));
    for (int64_t i = 0; i <= n; ++i)
        expected[i] = -7;
    for (int64_t i = 0; i < m && !q->no_payload; ++i)
        expected[i + 1] = items[i].payload;
    get(ctx, to_payload, 0, got, m + 1, q->payload);
    check_equal("payload", got, expected, m + 1);
    for (int64_t i = 0; i <= n; ++i)
        expected[i] = -7;
    for (int64_t i = 0; i < m && !q->no_keys; ++i)
        expected[i + 1] = keys[items[i].at];
    get(ctx, to, 0, got, m + 1, q->key);
    check_equal("keys", got, expected, m + 1);
    get(ctx, from, 0, got, n, q->key);
    check_equal("keys that came", got, keys, n);
    sparcl_buf *all[] = {from, given, counts, to, to_payload};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
        sparcl_buf_free(all[i]);
    int64_t *arrays[] = {keys, payload, got, old, expected};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i)
        free(arrays[i]);
    free(items);
}

static void sort_is_stable_at_every_size_and_width(void **state) {
    static const int widths[] = {0, 1, 4, 7, 8, 9, 11, 12, 17, 23, 31, 33, 45, 64};
    for (int i = 0; i < size_count(); ++i)
        for (size_t w = 0; w < sizeof widths / sizeof widths[0]; ++w) {
            const int bits = widths[w];
            if (test_is_small() && (5 * i + (int)w) % 14) continue;
            const bool wide = bits > 31 || w % 2;
            sort_case q = {.n = sizes[i],
                           .count = -1,
                           .bits = bits,
                           .spread = bits < 4 ? 6 : bits,
                           .key = wide ? SPARCL_INDEX64 : SPARCL_INDEX32,
                           .payload = w % 3 ? SPARCL_INDEX32 : SPARCL_INDEX64,
                           .given = ((size_t)i + w) % 2};
            try_sort(*state, &q);
            q.spread = bits;
            q.payload = SPARCL_INDEX32;
            q.upper_bits_zero = true;
            try_sort(*state, &q);
        }
}

/* As many bits as their type, so that keys are negative; and more bits than an item of a bucket
 * keeps, so that buckets are split again, or their items are long. */
static void sort_has_long_keys(void **state) {
    static const int widths[] = {32, 44, 47, 54, 55, 63, 64};
    for (size_t w = 0; w < sizeof widths / sizeof widths[0]; ++w) {
        sort_case q = {.n = test_is_small() ? 2100 : 300000,
                       .count = -1,
                       .bits = widths[w],
                       .spread = w % 2 ? widths[w] : widths[w] - 12 * (w > 0),
                       .key = widths[w] > 32 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                       .payload = SPARCL_INDEX32,
                       .given = w % 2,
                       .upper_bits_zero = true};
        if (test_is_small() && w % 4) continue;
        try_sort(*state, &q);
        q.count = q.n / 2;
        if (w < 3) try_sort(*state, &q);
    }
}

static void sort_reads_no_more_than_the_count_on_the_device(void **state) {
    static const int64_t counts[] = {0, 1, 500, 2048, 5000, 6000};
    for (size_t i = test_is_small() ? 3 : 0; i < sizeof counts / sizeof counts[0]; ++i) {
        sort_case q = {
            .n = some_items(), .count = counts[i], .bits = 20, .spread = 20, .given = i % 2};
        try_sort(*state, &q);
        q.upper_bits_zero = true;
        try_sort(*state, &q);
    }
}

static void sort_omits_what_is_not_requested(void **state) {
    for (int bits = test_is_small() ? 40 : 5; bits < 64; bits += test_is_small() ? 35 : 7) {
        sort_case q = {some_items(),   -1, bits, bits, SPARCL_INDEX64, SPARCL_INDEX32,
                       .no_keys = true};
        try_sort(*state, &q);
        q.upper_bits_zero = true;
        try_sort(*state, &q);
        q.upper_bits_zero = q.no_keys = false;
        q.no_payload = true;
        try_sort(*state, &q);
    }
}

static void sort_compares_only_the_low_bits(void **state) {
    for (int bits = test_is_small() ? 14 : 0; bits < 30; bits += test_is_small() ? 30 : 5) {
        const sort_case q = {.n = some_items(), .count = -1, .bits = bits, .spread = 31};
        try_sort(*state, &q);
    }
    const sort_case q = {.n = some_items(),
                         .count = -1,
                         .bits = 41,
                         .spread = 63,
                         .key = SPARCL_INDEX64,
                         .payload = SPARCL_INDEX64,
                         .given = true};
    try_sort(*state, &q);
}

/* Keys packed from two arrays, or from one, and unpacked again. */
static void try_parts(sparcl_ctx *ctx, int a_bits, int b_bits, sparcl_itype part, bool keys) {
    const int64_t n = some_items();
    int64_t *a = make_ints(n), *b = make_ints(n), *got = make_ints(n + 1), *expected = make_ints(n);
    item *items = calloc((size_t)n + 1, sizeof *items);
    assert_non_null(items);
    uint64_t seed = (uint64_t)(a_bits + b_bits);
    for (int64_t i = 0; i < n; ++i) {
        a[i] = (int64_t)(spec_random(&seed) & low_bits(a_bits));
        b[i] = (int64_t)(spec_random(&seed) & low_bits(b_bits));
        items[i] = (item){(uint64_t)a[i] << b_bits | (uint64_t)b[i], i, i};
    }
    qsort(items, (size_t)n, sizeof *items, compare_items);
    const sparcl_itype key = a_bits + b_bits > 32 ? SPARCL_INDEX64 : SPARCL_INDEX32;
    sparcl_buf *from_a = put(ctx, a, n, part), *from_b = put(ctx, b, n, part);
    sparcl_buf *to_a = put(ctx, expected, n, part), *to_b = put(ctx, expected, n, part);
    sparcl_buf *to_keys = put(ctx, expected, n, key),
               *places = put(ctx, expected, n, SPARCL_INDEX32);
    const spc_sort_job job = {.n = n,
                              .key_type = key,
                              .bits = a_bits + b_bits,
                              .component_type = part,
                              .b_bits = b_bits,
                              .from_a = from_a,
                              .from_b = b_bits ? from_b : NULL,
                              .keys = keys ? to_keys : NULL,
                              .a = keys ? NULL : to_a,
                              .b = keys || !b_bits ? NULL : to_b,
                              .payload = places};
    assert_ok(ctx, spc_sort(ctx, &job));
    get(ctx, places, 0, got, n, SPARCL_INDEX32);
    for (int64_t i = 0; i < n; ++i)
        expected[i] = items[i].at;
    check_equal("places", got, expected, n);
    get(ctx, keys ? to_keys : to_a, 0, got, n, keys ? key : part);
    for (int64_t i = 0; i < n; ++i)
        expected[i] = keys ? (int64_t)items[i].key : a[items[i].at];
    check_equal("keys or a", got, expected, n);
    get(ctx, to_b, 0, got, n, part);
    for (int64_t i = 0; i < n; ++i)
        expected[i] = keys || !b_bits ? 0 : b[items[i].at];
    check_equal("b", got, expected, n);
    sparcl_buf *all[] = {from_a, from_b, to_a, to_b, to_keys, places};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
        sparcl_buf_free(all[i]);
    int64_t *arrays[] = {a, b, got, expected};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i)
        free(arrays[i]);
    free(items);
}

static void sort_packs_keys_from_arrays_and_unpacks_them(void **state) {
    static const int bits[][2] = {{3, 0}, {0, 5}, {4, 4}, {9, 11}, {15, 16}, {17, 17}, {31, 31}};
    for (size_t i = 0; i < sizeof bits / sizeof bits[0]; ++i)
        for (int k = 0; k < 4; ++k) {
            if (test_is_small() && (4 * (int)i + k) % 9) continue;
            try_parts(*state, bits[i][0], bits[i][1], k % 2 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                      k / 2);
        }
}

/* Keys in runs of 1 to `longest`; returns the number of runs. */
static int64_t make_runs(int64_t *keys, int64_t n, int64_t longest, int64_t *starts,
                         int64_t *unique) {
    uint64_t seed = (uint64_t)n;
    int64_t runs = 0;
    for (int64_t i = 0, left = 0, key = 0; i < n; ++i, --left) {
        if (left == 0) {
            left = 1 + (int64_t)(spec_random(&seed) % (uint64_t)longest);
            key += 1 + (int64_t)(spec_random(&seed) % 3);
            starts[runs] = i;
            unique[runs++] = key;
        }
        keys[i] = key;
    }
    starts[runs] = n;
    return runs;
}

static void try_segments(sparcl_ctx *ctx, int64_t n, int64_t longest, sparcl_itype key,
                         sparcl_itype start, bool counted) {
    const int64_t capacity = counted ? n + 5000 : n;
    int64_t *keys = make_ints(capacity), *starts = make_ints(capacity),
            *unique = make_ints(capacity);
    int64_t *got = make_ints(capacity + 1), found = -1;
    const int64_t runs = make_runs(keys, n, longest, starts, unique);
    sparcl_buf *from = put(ctx, keys, capacity, key), *count = put(ctx, &n, 1, start);
    sparcl_buf *to = put(ctx, got, capacity + 1, start), *to_unique = put(ctx, got, capacity, key);
    sparcl_buf *to_found = put(ctx, &found, 1, SPARCL_INDEX64);
    const spc_segment_job job = {.n = capacity,
                                 .count = counted ? count : NULL,
                                 .narrow_count = start == SPARCL_INDEX32,
                                 .key_type = key,
                                 .keys = from,
                                 .start_type = start,
                                 .starts = to,
                                 .unique = longest == 3 ? NULL : to_unique,
                                 .found = to_found};
    assert_ok(ctx, spc_segments(ctx, &job));
    get(ctx, to_found, 0, &found, 1, SPARCL_INDEX64);
    assert_int_equal(found, runs);
    get(ctx, to, 0, got, runs + 1, start);
    check_equal("starts", got, starts, runs + 1);
    get(ctx, to_unique, 0, got, runs, key);
    if (job.unique) check_equal("unique", got, unique, runs);
    sparcl_buf *all[] = {from, count, to, to_unique, to_found};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
        sparcl_buf_free(all[i]);
    free(keys);
    free(starts);
    free(unique);
    free(got);
}

static void segments_are_the_runs_of_equal_keys(void **state) {
    static const int64_t longest[] = {1, 3, 100, 1000000};
    for (int i = 0; i < size_count(); ++i)
        for (int k = 0; k < 4; ++k) {
            const sparcl_itype a = k % 2 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                               b = k < 2 ? SPARCL_INDEX32 : SPARCL_INDEX64;
            try_segments(*state, sizes[i], longest[k], a, b, (i + k) % 2);
        }
}

static void a_key_has_the_bits_of_the_largest(void **state) {
    (void)state;
    assert_int_equal(spc_key_bits(0), 0);
    assert_int_equal(spc_key_bits(1), 0);
    assert_int_equal(spc_key_bits(2), 1);
    assert_int_equal(spc_key_bits(4096), 12);
    assert_int_equal(spc_key_bits(4097), 13);
    assert_int_equal(spc_key_bits(INT64_MAX), 63);
    assert_int_equal(spc_position_type(INT32_MAX), SPARCL_INDEX32);
    assert_int_equal(spc_position_type((int64_t)INT32_MAX + 1), SPARCL_INDEX64);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scan_sums_all_elements_before),
        cmocka_unit_test(sort_is_stable_at_every_size_and_width),
        cmocka_unit_test(sort_has_long_keys),
        cmocka_unit_test(sort_reads_no_more_than_the_count_on_the_device),
        cmocka_unit_test(sort_omits_what_is_not_requested),
        cmocka_unit_test(sort_compares_only_the_low_bits),
        cmocka_unit_test(sort_packs_keys_from_arrays_and_unpacks_them),
        cmocka_unit_test(segments_are_the_runs_of_equal_keys),
        cmocka_unit_test(a_key_has_the_bits_of_the_largest),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
