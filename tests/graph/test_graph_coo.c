/* test_graph_coo.c: what graph_operations.h says of COO arrays in graphs: the bits of the
 * operations called by hand, counts on the device, indices of 64 bits, and refusals. */
#include "graph_test.h"
#include "sparcl/graph_operations.h"
#include "sparcl/ops/elements.h"
#include "sparcl/ops/structure.h"
#include "sparcl/optim.h"
#include "sparcl/optim_text.h"
#include "spec/shared/entries.h"

enum { RANK = 3, D0 = 4, D1 = 5, D2 = 6, STORED = 90, ROOM = 500 };

/* A cube [D0, D1, D2] with duplicates, in no order, and more capacity than entries. */
typedef struct input {
    spec_entries host;
    sparcl_coo a;
} input;

static input make_input(sparcl_ctx *ctx, sparcl_itype type, uint64_t seed) {
    const spec_case c = {.dtype = SPARCL_F32, .index_type = type};
    input in;
    int number = 0;
    int64_t shape[SPARCL_MAX_RANK] = {0};
    for (int rank = 0; spec_entries_shape(number, &rank, shape); ++number)
        if (rank == RANK && shape[0] == D0 && shape[1] == D1 && shape[2] == D2) break;
    assert_true(spec_entries_make(&in.host, SPEC_UNIFORM, number, STORED, true, seed));
    assert_ok(ctx, spec_put_entries(ctx, &in.a, &in.host, &c, 3, true));
    assert_ok(ctx, sparcl_coo_validate(ctx, &in.a, SPARCL_VALID));
    return in;
}

static void free_input(input *in) {
    spec_entries_free(&in->host);
    sparcl_coo_free(&in->a);
}

typedef struct graph {
    sparcl_graph *g;
    sparcl_node a;
} graph;

/* Its number of entries is a dimension. */
static graph make_graph(sparcl_ctx *ctx, const input *in) {
    const int64_t shape[] = {D0, D1, D2};
    graph m;
    assert_ok(ctx, sparcl_graph_create(ctx, &m.g));
    m.a = sparcl_graph_coo(m.g, "a", RANK, shape, sparcl_graph_dim(m.g, "entries", ROOM));
    assert_ok(ctx, sparcl_graph_bind_coo(m.g, m.a, &in->a));
    return m;
}

/* An empty result of this shape. */
static sparcl_coo result(sparcl_ctx *ctx, sparcl_itype type, int rank, const int64_t *shape,
                         int64_t capacity) {
    sparcl_coo to = {.rank = rank, .index_type = type, .nnz = capacity};
    memcpy(to.shape, shape, (size_t)rank * sizeof *shape);
    assert_ok(ctx, sparcl_coo_create(ctx, &to));
    return to;
}

/* --- equal bits ------------------------------------------------------------------------------- */

/* The entries of a view, and whether its values past them are 0. */
static int64_t read_entries(sparcl_ctx *ctx, const sparcl_coo *a, int64_t ids[][ROOM],
                            double *values) {
    const int64_t count = a->count ? int_at(ctx, a->count, a->count_at) : a->nnz;
    assert_in_range(count, 1, ROOM);
    assert_true(a->nnz <= ROOM);
    for (int d = 0; d < a->rank; ++d)
        assert_ok(
            ctx, spec_get_ints(ctx, a->indices[d], a->indices_at[d], count, a->index_type, ids[d]));
    assert_ok(ctx, spec_get_reals(ctx, a->values, a->values_at, a->nnz, a->dtype, values));
    return count;
}

static void assert_same(sparcl_ctx *ctx, const sparcl_coo *found, const sparcl_coo *want) {
    static int64_t ids[2][SPARCL_MAX_RANK][ROOM];
    static double values[2][ROOM];
    const int64_t count = read_entries(ctx, found, ids[0], values[0]);
    assert_int_equal(count, read_entries(ctx, want, ids[1], values[1]));
    assert_int_equal(found->rank, want->rank);
    for (int d = 0; d < want->rank; ++d) {
        assert_int_equal(found->shape[d], want->shape[d]);
        assert_memory_equal(ids[0][d], ids[1][d], (size_t)count * sizeof *ids[0][d]);
    }
    assert_memory_equal(values[0], values[1], (size_t)count * sizeof *values[0]);
    for (int64_t k = count; k < found->nnz; ++k)
        assert_true(values[0][k] == 0);
}

static void assert_value(sparcl_ctx *ctx, const graph *m, sparcl_node node, sparcl_coo *want) {
    sparcl_coo found;
    assert_ok(ctx, sparcl_graph_coo_value(m->g, node, &found));
    assert_same(ctx, &found, want);
    sparcl_coo_free(want);
}

static sparcl_node output(const graph *m, sparcl_node node) {
    sparcl_graph_output(m->g, node);
    return node;
}

static void check_order(sparcl_ctx *ctx, const input *in, sparcl_itype type) {
    static const int axes[] = {2, 0, 1};
    const int64_t n = in->a.nnz, permuted[] = {D2, D0, D1};
    graph m = make_graph(ctx, in);
    sparcl_node combined[6];
    const sparcl_node sorted = output(&m, sparcl_graph_sort(m.g, m.a));
    const sparcl_node turned = output(&m, sparcl_graph_coo_permute(m.g, m.a, RANK, axes));
    for (int how = 0; how < 6; ++how)
        combined[how] = output(&m, sparcl_graph_coalesce(m.g, m.a, (sparcl_duplicates)how));
    const sparcl_node filled =
        output(&m, sparcl_graph_fill_empty_rows(m.g, m.a, 0.5, SPARCL_NO_NODE));
    assert_ok(ctx, sparcl_graph_forward(m.g));
    sparcl_coo to = result(ctx, type, RANK, in->a.shape, n);
    assert_ok(ctx, sparcl_coo_sort(ctx, &to, &in->a, NULL, 0));
    assert_value(ctx, &m, sorted, &to);
    to = result(ctx, type, RANK, permuted, n);
    assert_ok(ctx, sparcl_coo_permute(ctx, &to, &in->a, axes, NULL));
    assert_value(ctx, &m, turned, &to);
    for (int how = 0; how < 6; ++how) {
        to = result(ctx, type, RANK, in->a.shape, n);
        assert_ok(ctx, sparcl_coo_coalesce(ctx, &to, &in->a, (sparcl_duplicates)how, NULL));
        assert_value(ctx, &m, combined[how], &to);
    }
    to = result(ctx, type, RANK, in->a.shape, n + D0);
    assert_ok(ctx, sparcl_coo_fill_empty_rows(ctx, &to, &in->a, 0.5, NULL));
    assert_value(ctx, &m, filled, &to);
    sparcl_graph_free(m.g);
}

static void check_shape(sparcl_ctx *ctx, const input *in, sparcl_itype type) {
    const int64_t n = in->a.nnz, flat[] = {D0 * D2, D1}, start[] = {1, 0, 2}, part[] = {2, D1, 3};
    const int64_t longer[] = {D0, 2 * D1, D2}, wider[] = {D0, 1, D1, D2};
    const sparcl_coo twice[] = {in->a, in->a};
    graph m = make_graph(ctx, in);
    const sparcl_node both[] = {m.a, m.a};
    const sparcl_node shaped = output(&m, sparcl_graph_reshape(m.g, m.a, 2, flat));
    const sparcl_node sliced = output(&m, sparcl_graph_coo_slice(m.g, m.a, RANK, start, part));
    const sparcl_node joined = output(&m, sparcl_graph_concat(m.g, both, 2, 1));
    const sparcl_node wide = output(&m, sparcl_graph_coo_expand_dims(m.g, m.a, 1));
    const sparcl_node narrow = output(&m, sparcl_graph_coo_squeeze(m.g, wide, -1));
    assert_ok(ctx, sparcl_graph_forward(m.g));
    sparcl_coo to = result(ctx, type, 2, flat, n);
    assert_ok(ctx, sparcl_coo_reshape(ctx, &to, &in->a));
    assert_value(ctx, &m, shaped, &to);
    to = result(ctx, type, RANK, part, n);
    assert_ok(ctx, sparcl_coo_slice(ctx, &to, &in->a, start, NULL));
    assert_value(ctx, &m, sliced, &to);
    to = result(ctx, type, RANK, longer, 2 * n);
    assert_ok(ctx, sparcl_coo_concat(ctx, &to, twice, 2, 1, NULL));
    assert_value(ctx, &m, joined, &to);
    sparcl_coo found;
    assert_ok(ctx, sparcl_graph_coo_value(m.g, narrow, &found));
    assert_same(ctx, &found, &in->a);
    assert_ok(ctx, sparcl_graph_coo_value(m.g, wide, &found));
    to = result(ctx, type, 4, wider, n);
    assert_ok(ctx, sparcl_coo_reshape(ctx, &to, &in->a));
    assert_same(ctx, &found, &to);
    sparcl_coo_free(&to);
    sparcl_graph_free(m.g);
}

static void check_pairs(sparcl_ctx *ctx, const input *in, const input *other, sparcl_itype type) {
    const int64_t n = in->a.nnz, shape[] = {D0, D1, D2};
    graph m = make_graph(ctx, in);
    const sparcl_node second = sparcl_graph_coo(m.g, "b", RANK, shape, other->a.nnz);
    const sparcl_node a = sparcl_graph_coalesce(m.g, m.a, SPARCL_SUM);
    const sparcl_node b = sparcl_graph_coalesce(m.g, second, SPARCL_MAX);
    const sparcl_node sum = output(&m, sparcl_graph_add(m.g, 0.5, a, -3, b));
    const sparcl_node both = output(&m, sparcl_graph_multiply(m.g, a, b));
    assert_ok(ctx, sparcl_graph_bind_coo(m.g, second, &other->a));
    assert_ok(ctx, sparcl_graph_forward(m.g));
    sparcl_coo x = result(ctx, type, RANK, shape, n), y = result(ctx, type, RANK, shape, n);
    assert_ok(ctx, sparcl_coo_coalesce(ctx, &x, &in->a, SPARCL_SUM, NULL));
    assert_ok(ctx, sparcl_coo_coalesce(ctx, &y, &other->a, SPARCL_MAX, NULL));
    sparcl_coo to = result(ctx, type, RANK, shape, 2 * n);
    assert_ok(ctx, sparcl_coo_add(ctx, &to, 0.5, &x, -3, &y, NULL));
    assert_value(ctx, &m, sum, &to);
    to = result(ctx, type, RANK, shape, n);
    assert_ok(ctx, sparcl_coo_multiply(ctx, &to, &x, &y, NULL));
    assert_value(ctx, &m, both, &to);
    sparcl_coo_free(&x);
    sparcl_coo_free(&y);
    sparcl_graph_free(m.g);
}

static void a_graph_has_the_bits_of_the_operations(void **state) {
    sparcl_ctx *ctx = *state;
    for (int type = SPARCL_INDEX32; type <= SPARCL_INDEX64; ++type) {
        input in = make_input(ctx, (sparcl_itype)type, 5), other = make_input(ctx, type, 8);
        check_order(ctx, &in, (sparcl_itype)type);
        check_shape(ctx, &in, (sparcl_itype)type);
        check_pairs(ctx, &in, &other, (sparcl_itype)type);
        free_input(&in);
        free_input(&other);
    }
}

/* Reductions and conversions, in plain C. */
static void reductions_are_those_of_the_stored_entries(void **state) {
    static const int axes[] = {0, 2};
    sparcl_ctx *ctx = *state;
    input in = make_input(ctx, SPARCL_INDEX32, 5);
    graph m = make_graph(ctx, &in);
    float found[4][D1], largest[D1], smallest[D1], dense[D0 * D1 * D2], again[D0 * D1 * D2];
    double sums[D1] = {0};
    int counts[D1] = {0};
    sparcl_node nodes[4];
    for (int how = SPARCL_SUM; how <= SPARCL_MIN; ++how)
        nodes[how] = output(&m, sparcl_graph_coo_reduce(m.g, (sparcl_duplicates)how, m.a, 2, axes));
    const sparcl_node all = output(&m, sparcl_graph_coo_reduce(m.g, SPARCL_MAX, m.a, 0, NULL));
    const sparcl_node x = output(&m, sparcl_graph_to_dense(m.g, m.a));
    const sparcl_node back = sparcl_graph_to_coo(m.g, x, 0, ROOM);
    const sparcl_node y = output(&m, sparcl_graph_to_dense(m.g, back));
    assert_ok(ctx, sparcl_graph_forward(m.g));
    for (int64_t k = 0; k < STORED; ++k) {
        const int64_t i = in.host.indices[1][k];
        const float v = (float)in.host.values[k];
        sums[i] += v;
        largest[i] = counts[i] ? fmaxf(largest[i], v) : v;
        smallest[i] = counts[i]++ ? fminf(smallest[i], v) : v;
    }
    for (int how = SPARCL_SUM; how <= SPARCL_MIN; ++how)
        read_value(ctx, m.g, nodes[how], found[how]);
    float most = -2, largest_of_all = 0;
    for (int i = 0; i < D1; ++i) {
        assert_true(counts[i] > 0);
        assert_true(fabs(found[SPARCL_SUM][i] - sums[i]) < 1e-5);
        assert_true(fabs(found[SPARCL_MEAN][i] - sums[i] / counts[i]) < 1e-6);
        assert_true(found[SPARCL_MAX][i] == largest[i] && found[SPARCL_MIN][i] == smallest[i]);
        most = fmaxf(most, largest[i]);
    }
    read_value(ctx, m.g, all, &largest_of_all);
    assert_true(largest_of_all == most);
    read_value(ctx, m.g, x, dense);
    read_value(ctx, m.g, y, again);
    assert_memory_equal(dense, again, sizeof dense);
    sparcl_graph_free(m.g);
    free_input(&in);
}

/* Indices of 64 bits, and far more elements than fit in memory. */
static void sizes_may_exceed_32_bits(void **state) {
    const int64_t shape[] = {(int64_t)1 << 40, 3, (int64_t)1 << 20};
    static const int64_t ids[3][4] = {{1LL << 39, 7, 1LL << 39, 7}, {2, 0, 2, 1}, {9, 5, 9, 0}};
    static const double values[] = {1, 2, 4, 8}, sums[] = {2, 8, 5, 0};
    static const int axes[] = {1, 0};
    sparcl_ctx *ctx = *state;
    sparcl_coo a = {.rank = 3, .index_type = SPARCL_INDEX64, .nnz = 4}, found;
    int64_t got[4];
    double numbers[4];
    memcpy(a.shape, shape, sizeof shape);
    for (int d = 0; d < 3; ++d)
        a.indices[d] = put_ints(ctx, ids[d], 4, SPARCL_INDEX64);
    assert_ok(ctx, spec_put_reals(ctx, &a.values, values, 4, SPARCL_F32));
    assert_ok(ctx, sparcl_coo_validate(ctx, &a, SPARCL_VALID));
    sparcl_graph *g = NULL;
    assert_ok(ctx, sparcl_graph_create(ctx, &g));
    const sparcl_node x = sparcl_graph_coo(g, "x", 3, shape, 4);
    const sparcl_node sum = sparcl_graph_coalesce(g, x, SPARCL_SUM);
    const sparcl_node turned = sparcl_graph_coo_project(g, sum, 2, axes);
    const sparcl_node values_of = sparcl_graph_values(g, sum);
    sparcl_graph_output(g, sum);
    sparcl_graph_output(g, turned);
    sparcl_graph_output(g, values_of);
    assert_ok(ctx, sparcl_graph_bind_coo(g, x, &a));
    assert_ok(ctx, sparcl_graph_forward(g));
    assert_ok(ctx, sparcl_graph_coo_value(g, turned, &found));
    assert_int_equal(int_at(ctx, found.count, found.count_at), 3);
    assert_int_equal(found.index_type, SPARCL_INDEX64);
    assert_ok(ctx,
              spec_get_ints(ctx, found.indices[1], found.indices_at[1], 3, SPARCL_INDEX64, got));
    assert_true(got[0] == 7 && got[1] == 7 && got[2] == 1LL << 39);
    assert_ok(ctx, spec_get_reals(ctx, found.values, found.values_at, 4, SPARCL_F32, numbers));
    assert_memory_equal(numbers, sums, sizeof sums);
    sparcl_graph_free(g);
    sparcl_coo_free(&a);
}

static void a_clip_is_that_of_the_values(void **state) {
    sparcl_ctx *ctx = *state;
    input in = make_input(ctx, SPARCL_INDEX32, 5);
    graph m = make_graph(ctx, &in);
    float found[ROOM];
    const sparcl_node clipped = sparcl_graph_clip(m.g, m.a, -0.25, 0.5);
    const sparcl_node v = output(&m, sparcl_graph_values(m.g, clipped));
    assert_ok(ctx, sparcl_graph_forward(m.g));
    read_value(ctx, m.g, v, found);
    for (int64_t k = 0; k < STORED; ++k)
        assert_true(found[k] == fminf(fmaxf((float)in.host.values[k], -0.25F), 0.5F));
    sparcl_graph_free(m.g);
    free_input(&in);
}

static void dense_results_obey_the_policy(void **state) {
    static const int last[] = {2};
    sparcl_ctx *ctx = *state;
    input in = make_input(ctx, SPARCL_INDEX32, 5);
    graph m = make_graph(ctx, &in);
    output(&m, sparcl_graph_coo_reduce(m.g, SPARCL_SUM, m.a, 1, last));
    assert_ok(ctx, sparcl_ctx_set_densify(ctx, SPARCL_DENSIFY_ERROR, 4 * D0 * D1 - 1));
    assert_refused(ctx, sparcl_graph_forward(m.g), SPARCL_E_UNSUPPORTED, "80 bytes");
    assert_ok(ctx, sparcl_ctx_set_densify(ctx, SPARCL_DENSIFY_ERROR, 4 * D0 * D1));
    assert_ok(ctx, sparcl_graph_forward(m.g));
    assert_ok(ctx, sparcl_ctx_set_densify(ctx, SPARCL_DENSIFY_ALLOW, 0));
    sparcl_graph_free(m.g);
    free_input(&in);
}

/* Of the squares of what is left of values that are a parameter: the count of the input says how
 * many there are. */
static void gradients_are_0_past_the_count(void **state) {
    sparcl_ctx *ctx = *state;
    input in = make_input(ctx, SPARCL_INDEX32, 5);
    sparcl_optim optim;
    sparcl_optim_init(&optim, SPARCL_RULE_SGD);
    graph m;
    const int64_t shape[] = {D0, D1, D2}, n = in.a.nnz, start[] = {1, 0, 0};
    const int64_t part[] = {D0 - 1, D1, D2};
    assert_ok(ctx, sparcl_graph_create(ctx, &m.g));
    m.a = sparcl_graph_coo(m.g, "a", RANK, shape, n);
    const sparcl_node w = sparcl_graph_parameter(m.g, "w", 1, &n, &optim);
    const sparcl_node a = sparcl_graph_with_values(m.g, m.a, w);
    const sparcl_node cut = sparcl_graph_coo_slice(m.g, a, RANK, start, part);
    const sparcl_node sum = sparcl_graph_coalesce(m.g, cut, SPARCL_LAST);
    const sparcl_node v =
        sparcl_graph_values(m.g, sparcl_graph_fill_empty_rows(m.g, sum, 9, SPARCL_NO_NODE));
    assert_ok(ctx,
              sparcl_graph_backward(m.g, sparcl_graph_sum(m.g, sparcl_graph_dot_rows(m.g, v, v))));
    const sparcl_node of_w = output(&m, sparcl_graph_gradient(m.g, w));
    assert_ok(ctx, sparcl_graph_bind_coo(m.g, m.a, &in.a));
    sparcl_dense weights;
    float ones[ROOM], found[ROOM];
    for (int k = 0; k < ROOM; ++k)
        ones[k] = 1;
    assert_ok(ctx, sparcl_graph_value(m.g, w, &weights));
    assert_ok(ctx, sparcl_buf_write(ctx, weights.values, weights.values_at * 4, n * 4, ones));
    assert_ok(ctx, sparcl_graph_step(m.g));
    read_value(ctx, m.g, of_w, found);
    for (int64_t k = 0; k < n; ++k) {
        bool is_last = k < STORED && in.host.indices[0][k] > 0;
        for (int64_t l = k + 1; l < STORED && is_last; ++l)
            is_last = spec_entries_compare(&in.host, k, l) != 0;
        assert_true(found[k] == (is_last ? 2 : 0));
    }
    sparcl_graph_free(m.g);
    free_input(&in);
}

static void a_node_is_described(void **state) {
    sparcl_ctx *ctx = *state;
    input in = make_input(ctx, SPARCL_INDEX32, 5);
    graph m = make_graph(ctx, &in);
    sparcl_node_info info;
    const sparcl_node sorted = output(&m, sparcl_graph_sort(m.g, m.a));
    assert_ok(ctx, sparcl_graph_node_info(m.g, sorted, &info));
    assert_string_equal(info.kind, "coo");
    assert_int_equal(info.rank, RANK);
    assert_int_equal(info.shape[2], D2);
    assert_int_equal(info.stored, ROOM);
    assert_true(info.bytes >= ROOM * (4 + 8 * RANK));
    sparcl_graph_free(m.g);
    free_input(&in);
}

/* --- refusals --------------------------------------------------------------------------------- */

static void views_that_do_not_fit_are_refused(void **state) {
    sparcl_ctx *ctx = *state;
    input in = make_input(ctx, SPARCL_INDEX32, 5);
    graph m = make_graph(ctx, &in);
    const int64_t shape[] = {D0, D1, D2};
    const sparcl_node x = sparcl_graph_dense(m.g, "x", RANK, shape);
    sparcl_coo view = in.a, found;
#define UNBOUND(change, status, part)                                                              \
    do {                                                                                           \
        view = in.a;                                                                               \
        change;                                                                                    \
        assert_refused(ctx, sparcl_graph_bind_coo(m.g, m.a, &view), status, part);                 \
    } while (0)
    UNBOUND(view.rank = 2, SPARCL_E_SHAPE, "the rank is 2, expected 3");
    UNBOUND(view.shape[1] = 9, SPARCL_E_SHAPE, "dimension 1 is 9, expected 5");
    UNBOUND(view.nnz = ROOM + 1, SPARCL_E_SHAPE, "entries is 501, expected 0 to 500");
    UNBOUND(view.dtype = SPARCL_F16, SPARCL_E_DTYPE, "its values are");
    assert_refused(ctx, sparcl_graph_bind_coo(m.g, m.a, NULL), SPARCL_E_ARG, "the view is NULL");
    assert_refused(ctx, sparcl_graph_bind_coo(m.g, x, &in.a), SPARCL_E_ARG, "is not a COO input");
    assert_refused(ctx, sparcl_graph_coo_value(m.g, x, &found), SPARCL_E_ARG, "is not coo");
    free_input(&in);
    sparcl_graph_free(m.g);
}

/* What only a run knows: the number of elements, indices, and the order of entries. */
static void runs_that_are_not_possible_are_refused(void **state) {
    static const char *const part[] = {"reshape", "coo_slice", "coo_add"};
    static const sparcl_status status[] = {SPARCL_E_SHAPE, SPARCL_E_SHAPE, SPARCL_E_UNCHECKED};
    sparcl_ctx *ctx = *state;
    input in = make_input(ctx, SPARCL_INDEX32, 5);
    for (int i = 0; i < 3; ++i) {
        graph m = make_graph(ctx, &in);
        const int64_t flat[] = {D0, D1}, start[] = {0, 0, 1}, shape[] = {D0, D1, D2};
        output(&m, i == 0   ? sparcl_graph_reshape(m.g, m.a, 2, flat)
                   : i == 1 ? sparcl_graph_coo_slice(m.g, m.a, RANK, start, shape)
                            : sparcl_graph_add(m.g, 1, m.a, 1, m.a));
        assert_refused(ctx, sparcl_graph_forward(m.g), status[i], part[i]);
        sparcl_graph_free(m.g);
    }
    free_input(&in);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_graph_has_the_bits_of_the_operations),
        cmocka_unit_test(reductions_are_those_of_the_stored_entries),
        cmocka_unit_test(sizes_may_exceed_32_bits),
        cmocka_unit_test(a_clip_is_that_of_the_values),
        cmocka_unit_test(dense_results_obey_the_policy),
        cmocka_unit_test(gradients_are_0_past_the_count),
        cmocka_unit_test(a_node_is_described),
        cmocka_unit_test(views_that_do_not_fit_are_refused),
        cmocka_unit_test(runs_that_are_not_possible_are_refused),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
