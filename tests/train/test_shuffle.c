/* test_shuffle.c: the order of the rows in a pass, and the random numbers behind it. */
#include "train_test.h"

#include "base/random.h"

#ifdef HAVE_RANDOM123
#include <Random123/philox.h>
#endif

static void every_pass_has_a_permutation_of_its_own(void **state) {
    (void)state;
    static const int64_t sizes[] = {0, 1, 2, 3, 1000, 70001};
    for (size_t i = 0; i < COUNT(sizes); ++i) {
        const int64_t rows = sizes[i];
        int64_t *order = must_have(calloc((size_t)rows + 1, 8)),
                *other = must_have(calloc((size_t)rows + 1, 8));
        char *seen = must_have(calloc((size_t)rows + 1, 1));
        order[rows] = other[rows] = -7;
        sparcl_train_order(5, 3, rows, order);
        for (int64_t k = 0; k < rows; ++k) {
            assert_in_range(order[k], 0, rows - 1);
            assert_int_equal(seen[order[k]]++, 0);
        }
        assert_int_equal(order[rows], -7);
        sparcl_train_order(5, 3, rows, other);
        assert_memory_equal(order, other, (size_t)rows * 8);
        if (rows >= 1000) {
            sparcl_train_order(5, 4, rows, other);
            assert_memory_not_equal(order, other, (size_t)rows * 8);
            sparcl_train_order(6, 3, rows, other);
            assert_memory_not_equal(order, other, (size_t)rows * 8);
            sparcl_train_order(5 + ((uint64_t)1 << 32), 3, rows, other);
            assert_memory_not_equal(order, other, (size_t)rows * 8);
        }
        free(order);
        free(other);
        free(seen);
    }
}

/* Each of the 6 orders of 3 rows comes as often as any other. */
static void all_orders_are_equally_likely(void **state) {
    (void)state;
    int counts[27] = {0};
    for (int64_t epoch = 0; epoch < 60000; ++epoch) {
        int64_t order[3];
        sparcl_train_order(99, epoch, 3, order);
        ++counts[order[0] * 9 + order[1] * 3 + order[2]];
    }
    int orders = 0;
    for (int i = 0; i < 27; ++i) {
        if (counts[i] == 0) continue;
        ++orders;
        assert_in_range(counts[i], 9500, 10500); /* 10000, and 5 times its deviation */
    }
    assert_int_equal(orders, 6);
}

/* The vectors that Random123 is published with (kat_vectors, philox4x32-10). */
static void philox_has_its_published_vectors(void **state) {
    (void)state;
    static const uint32_t vectors[3][10] = {
        {0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
        {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0x408f276d,
         0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
        {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0xd16cfe09,
         0x94fdcceb, 0x5001e420, 0x24126ea1}};
    for (size_t i = 0; i < COUNT(vectors); ++i) {
        uint32_t out[4];
        spc_philox(vectors[i], vectors[i] + 4, out);
        assert_memory_equal(out, vectors[i] + 6, sizeof out);
    }
}

static void philox_and_the_order_are_those_of_random123(void **state) {
    (void)state;
#ifdef HAVE_RANDOM123
    uint64_t seed = 1;
    for (int i = 0; i < 100000; ++i) {
        philox4x32_ctr_t counter;
        philox4x32_key_t key;
        uint32_t out[4];
        for (int k = 0; k < 4; ++k)
            counter.v[k] = (uint32_t)spec_random(&seed);
        for (int k = 0; k < 2; ++k)
            key.v[k] = (uint32_t)spec_random(&seed);
        const philox4x32_ctr_t expected = philox4x32(counter, key);
        spc_philox(counter.v, key.v, out);
        assert_memory_equal(out, expected.v, sizeof out);
    }
    int64_t order[5000], expected[5000];
    const uint64_t run = 0x123456789abcdefu;
    const int64_t pass = ((int64_t)1 << 33) + 5;
    sparcl_train_order(run, pass, 5000, order);
    for (int64_t i = 0; i < 5000; ++i)
        expected[i] = i;
    for (int64_t i = 4999; i > 0; --i) {
        const philox4x32_ctr_t counter = {{(uint32_t)i, 0, 5, 2}};
        const philox4x32_key_t key = {{(uint32_t)run, (uint32_t)(run >> 32)}};
        const philox4x32_ctr_t r = philox4x32(counter, key);
        const unsigned __int128 draw = (uint64_t)r.v[0] << 32 | r.v[1];
        const int64_t j = (int64_t)(draw * (uint64_t)(i + 1) >> 64), swap = expected[i];
        expected[i] = expected[j];
        expected[j] = swap;
    }
    assert_memory_equal(order, expected, sizeof order);
#else
    print_message("           skipped: Random123 is not installed\n");
    skip();
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pass_has_a_permutation_of_its_own),
        cmocka_unit_test(all_orders_are_equally_likely),
        cmocka_unit_test(philox_has_its_published_vectors),
        cmocka_unit_test(philox_and_the_order_are_those_of_random123),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
