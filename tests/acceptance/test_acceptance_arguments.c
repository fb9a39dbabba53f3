/* test_acceptance_arguments.c: each argument of each operation made wrong in each way (reliability:
 * 5, 7): refused on the host, with a message, and no byte of any array changes. */
#include "acceptance_cases.h"
#include "every_call.h"

/* --- the ways to be wrong --------------------------------------------------------------------- */

/* Way number `way`, counted down: its text, and true; false after the last one. */
#define WAY(statement)                                                                             \
    if (way-- == 0) {                                                                              \
        *name = #statement;                                                                        \
        statement;                                                                                 \
        return true;                                                                               \
    }

static bool hurt_dense(sparcl_dense *x, int way, sparcl_buf *theirs, const char **name) {
    WAY(x->rank = 0)
    WAY(x->rank = 9)
    WAY(x->shape[0] = -1)
    WAY(x->shape[x->rank - 1] = -1)
    WAY(x->shape[0] = INT64_MAX)
    WAY(x->shape[0] += 1)
    WAY(x->dtype = (sparcl_dtype)99)
    WAY(x->order = (sparcl_order)9)
    WAY(x->ld = -1)
    WAY(x->values = NULL)
    WAY(x->values = theirs)
    WAY(x->values_at = -1)
    WAY(x->values_at = 1000)
    WAY(x->values_at = INT64_MAX)
    WAY(x->reserved[1] = 1)
    return false;
}

/* The ways of a compressed matrix, whose entries `count` counts. */
#define COMPRESSED_WAYS(count)                                                                     \
    WAY(x->rows = -1)                                                                              \
    WAY(x->cols = -1)                                                                              \
    WAY(x->rows = INT64_MAX)                                                                       \
    WAY(x->cols = INT64_MAX)                                                                       \
    WAY(x->count = -1)                                                                             \
    WAY(x->count = INT64_MAX)                                                                      \
    WAY(x->offset_type = (sparcl_itype)9)                                                          \
    WAY(x->index_type = (sparcl_itype)9)                                                           \
    WAY(x->offsets = NULL)                                                                         \
    WAY(x->indices = NULL)                                                                         \
    WAY(x->offsets = theirs)                                                                       \
    WAY(x->indices = theirs)                                                                       \
    WAY(x->offsets_at = -1)                                                                        \
    WAY(x->indices_at = 1000)                                                                      \
    WAY(x->offsets_at = INT64_MAX)                                                                 \
    WAY(x->reserved[0] = 1)

/* Those of values, which come last: not all operations read them. */
#define VALUE_WAYS                                                                                 \
    WAY(x->dtype = (sparcl_dtype)99)                                                               \
    WAY(x->values = NULL)                                                                          \
    WAY(x->values = theirs)                                                                        \
    WAY(x->values_at = -1)                                                                         \
    WAY(x->values_at = INT64_MAX)

static bool hurt_csr(sparcl_csr *x, int way, sparcl_buf *theirs, const char **name) {
    COMPRESSED_WAYS(nnz)
    VALUE_WAYS
    return false;
}

static bool hurt_csc(sparcl_csc *x, int way, sparcl_buf *theirs, const char **name) {
    COMPRESSED_WAYS(nnz)
    VALUE_WAYS
    return false;
}

static bool hurt_bsr(sparcl_bsr *x, int way, sparcl_buf *theirs, const char **name) {
    COMPRESSED_WAYS(nnzb)
    WAY(x->block_rows = 0)
    WAY(x->block_cols = -1)
    WAY(x->block_cols = INT64_MAX)
    VALUE_WAYS
    return false;
}

/* The ways of an array with indices, of which `count` are stored. */
#define LISTED_WAYS(stored, array)                                                                 \
    WAY(x->rank = 0)                                                                               \
    WAY(x->rank = 9)                                                                               \
    WAY(x->shape[0] = -1)                                                                          \
    WAY(x->shape[1] = -1)                                                                          \
    WAY(x->shape[0] = INT64_MAX)                                                                   \
    WAY(x->stored = -1)                                                                            \
    WAY(x->stored = INT64_MAX)                                                                     \
    WAY(x->index_type = (sparcl_itype)9)                                                           \
    WAY(x->array = NULL)                                                                           \
    WAY(x->array = theirs)                                                                         \
    WAY(x->count = theirs)                                                                         \
    WAY(x->reserved[0] = 1)

static bool hurt_coo(sparcl_coo *x, int way, sparcl_buf *theirs, const char **name) {
    LISTED_WAYS(nnz, indices[1])
    WAY(x->indices_at[0] = -1)
    WAY(x->indices_at[1] = INT64_MAX)
    VALUE_WAYS
    return false;
}

static bool hurt_rows(sparcl_rows *x, int way, sparcl_buf *theirs, const char **name) {
    LISTED_WAYS(nnr, indices)
    WAY(x->indices_at = -1)
    WAY(x->shape[1] = INT64_MAX)
    VALUE_WAYS
    return false;
}

static bool hurt_list(sparcl_list *x, int way, sparcl_buf *theirs, const char **name) {
    WAY(x->count = -1)
    WAY(x->count = 1000)
    WAY(x->limit = -1)
    WAY(x->limit = (int64_t)1 << 40)
    WAY(x->index_type = (sparcl_itype)9)
    WAY(x->indices = NULL)
    WAY(x->indices = theirs)
    WAY(x->indices_at = -1)
    WAY(x->indices_at = INT64_MAX)
    WAY(x->reserved[0] = 1)
    return false;
}

static bool hurt_bags(sparcl_bags *x, int way, sparcl_buf *theirs, const char **name) {
    WAY(x->bags = -1)
    WAY(x->bags = 3)
    WAY(x->bounds = (sparcl_bounds)9)
    WAY(x->mode = (sparcl_bag_mode)9)
    WAY(x->offsets = theirs; x->include_last = 1)
    WAY(x->offsets = x->indices.indices; x->offset_type = (sparcl_itype)9)
    WAY(x->weights = theirs)
    WAY(x->weights = x->indices.indices; x->weights_at = -1)
    WAY(x->reserved[0] = 1)
    return hurt_list(&x->indices, way, theirs, name);
}

static bool hurt_buf(sparcl_buf **x, int way, sparcl_buf *theirs, const char **name) {
    WAY(*x = theirs)
    return false;
}

static bool hurt(any_view *x, slot_kind kind, int way, sparcl_buf *theirs, const char **name) {
    switch (kind) {
    case SLOT_DENSE:
        return hurt_dense(&x->dense, way, theirs, name);
    case SLOT_CSR:
        return hurt_csr(&x->csr, way, theirs, name);
    case SLOT_CSC:
        return hurt_csc(&x->csc, way, theirs, name);
    case SLOT_COO:
        return hurt_coo(&x->coo, way, theirs, name);
    case SLOT_BSR:
        return hurt_bsr(&x->bsr, way, theirs, name);
    case SLOT_ROWS:
        return hurt_rows(&x->rows, way, theirs, name);
    case SLOT_LIST:
        return hurt_list(&x->list, way, theirs, name);
    case SLOT_BAGS:
        return hurt_bags(&x->bags, way, theirs, name);
    case SLOT_BUF:
        return hurt_buf(&x->buf, way, theirs, name);
    case SLOT_NONE:
        break;
    }
    return false;
}

/* --- the calls -------------------------------------------------------------------------------- */

/* A complaint, so that one run names all of them. */
static int complaints;

static void complain(const every_call *call, int letter, const char *name, const char *what) {
    print_message("%s, argument %c, %s: %s\n", call->name, letter, name, what);
    ++complaints;
}

/* Refused on the host, by the right kind of status, with "operation: what is wrong". */
static void check_refused(sparcl_ctx *ctx, const every_call *call, const arguments *v, int letter,
                          const char *name) {
    const sparcl_status status = call->run(ctx, v);
    const bool is_right = status == SPARCL_E_ARG || status == SPARCL_E_SHAPE ||
                          status == SPARCL_E_DTYPE || status == SPARCL_E_ALIAS ||
                          status == SPARCL_E_UNCHECKED || status == SPARCL_E_UNSUPPORTED;
    if (!is_right)
        complain(call, letter, name, sparcl_status_name(status));
    else if (!strstr(sparcl_ctx_error(ctx)->message, ": "))
        complain(call, letter, name, sparcl_ctx_error(ctx)->message);
    ++acceptance_cases;
}

static void remove_proof(any_view *x, slot_kind kind) {
    static const sparcl_proof none = {.flags = 0};
    if (kind == SLOT_CSR) x->csr.proof = none;
    if (kind == SLOT_CSC) x->csc.proof = none;
    if (kind == SLOT_COO) x->coo.proof = none;
    if (kind == SLOT_BSR) x->bsr.proof = none;
    if (kind == SLOT_ROWS) x->rows.proof = none;
    if (kind == SLOT_LIST) x->list.proof = none;
    if (kind == SLOT_BAGS) x->bags.indices.proof = none;
}

static void check_unproven(sparcl_ctx *ctx, const every_call *call, arguments *v, int letter) {
    any_view *const right = v->at[letter], wrong = *right;
    const slot_kind kind = v->kinds[letter];
    if (v->is_result[letter] || kind == SLOT_DENSE) return;
    v->at[letter] = &wrong;
    remove_proof(&wrong, kind);
    const sparcl_status status = call->run(ctx, v);
    if (status != SPARCL_E_UNCHECKED)
        complain(call, letter, "unproven", sparcl_status_name(status));
    v->at[letter] = right;
    ++acceptance_cases;
}

/* What may be wrong with an argument: the marks before its letter. */
typedef struct marks {
    bool may_be_null, without_values, only_indices, of_any_rows, unproven;
} marks;

static bool is_allowed(const char *name, const marks *m) {
    if (m->without_values && (strstr(name, "dtype") || strstr(name, "values"))) return true;
    if (m->only_indices && (strstr(name, "rank") || strstr(name, "shape[1]"))) return true;
    return m->of_any_rows && strstr(name, "shape[0] += 1");
}

static void check_argument(sparcl_ctx *ctx, const every_call *call, arguments *v, int letter,
                           sparcl_buf *theirs, const marks *m) {
    const char *name = "NULL";
    any_view *const right = v->at[letter], wrong = *right;
    v->at[letter] = NULL;
    if (!m->may_be_null) check_refused(ctx, call, v, letter, name);
    v->at[letter] = &wrong;
    for (int way = 0; hurt(&wrong, v->kinds[letter], way, theirs, &name); ++way) {
        if (!is_allowed(name, m)) check_refused(ctx, call, v, letter, name);
        wrong = *right;
    }
    v->at[letter] = right;
    if (!m->unproven) check_unproven(ctx, call, v, letter);
}

static void check_call(sparcl_ctx *ctx, const every_call *call, arguments *v, sparcl_buf *theirs) {
    marks m = {.may_be_null = false};
    for (const char *letter = call->used; *letter; ++letter) {
        if (*letter == '?')
            m.may_be_null = true;
        else if (*letter == '~')
            m.without_values = true;
        else if (*letter == '^')
            m.only_indices = true;
        else if (*letter == '+')
            m.of_any_rows = true;
        else if (*letter == '!')
            m.unproven = true;
        else
            check_argument(ctx, call, v, *letter, theirs, &m);
    }
}

/* What a call does not take is not there. */
static void leave_used(arguments *v, const char *used) {
    for (int letter = 1; letter < 128; ++letter)
        v->at[letter] = v->kinds[letter] && strchr(used, letter) ? &v->views[letter] : NULL;
}

static void every_wrong_argument_is_refused(void **state) {
    sparcl_ctx *ctx = *state, *other = test_open();
    static const char zeros[4096];
    sparcl_buf *theirs = put(other, zeros, sizeof zeros);
    for (const every_call *call = every_calls; call->name; ++call) {
        arguments *const v = must_have(malloc(sizeof *v));
        make_arguments(ctx, v);
        leave_used(v, call->used);
        check_call(ctx, call, v, theirs);
        assert_arguments_untouched(ctx, v);
        if (call->run(ctx, v) != SPARCL_OK)
            complain(call, ' ', "right", sparcl_ctx_error(ctx)->message);
        free_arguments(v);
        free(v);
    }
    assert_holds(other, theirs, zeros);
    sparcl_buf_free(theirs);
    sparcl_ctx_close(other);
    assert_int_equal(complaints, 0);
}

/* --- numbers that are no kinds ---------------------------------------------------------------- */

#define KIND_REFUSED(call)                                                                         \
    do {                                                                                           \
        assert_refused(ctx, call, SPARCL_E_ARG, ": ");                                             \
        ++acceptance_cases;                                                                        \
    } while (0)
#define X(letter) (&v.views[letter].dense)
#define A(letter) (&v.views[letter].csr)

static void numbers_that_are_no_kinds_are_refused(void **state) {
    sparcl_ctx *ctx = *state;
    arguments v;
    make_arguments(ctx, &v);
    const sparcl_segments segments = {.ids = &v.views['l'].list};
    sparcl_coo *const to = &v.views['j'].coo;
    const sparcl_coo *const from = &v.views['i'].coo;
    sparcl_matrix no_matrix = {.format = (sparcl_format)9};
    sparcl_matrix x = sparcl_matrix_dense(*X('x')), z = sparcl_matrix_dense(*X('z'));
    for (int kind = -1; kind < 100; kind += 100) {
        KIND_REFUSED(sparcl_gemm(ctx, X('z'), 1, (sparcl_op)kind, X('x'), SPARCL_OP_N, X('y'), 0,
                                 SPARCL_MATH_EXACT));
        KIND_REFUSED(sparcl_gemm(ctx, X('z'), 1, SPARCL_OP_N, X('x'), SPARCL_OP_N, X('y'), 0,
                                 (sparcl_math)kind));
        KIND_REFUSED(sparcl_matmul(ctx, &z, 1, (sparcl_op)kind, &x, SPARCL_OP_N, &x, 0, NULL));
        KIND_REFUSED(
            sparcl_loss_gradient(ctx, (sparcl_loss)kind, X('1'), NULL, X('u'), 1, NULL, X('s')));
        KIND_REFUSED(sparcl_unary(ctx, (sparcl_unary_op)kind, X('z'), X('x')));
        KIND_REFUSED(sparcl_unary_gradient(ctx, (sparcl_unary_op)kind, X('z'), X('x'), X('y')));
        KIND_REFUSED(sparcl_csr_unary(ctx, (sparcl_unary_op)kind, X('s'), A('a')));
        KIND_REFUSED(sparcl_binary(ctx, (sparcl_binary_op)kind, X('z'), X('x'), X('y')));
        KIND_REFUSED(sparcl_binary_scalar(ctx, (sparcl_binary_op)kind, X('z'), X('x'), 1));
        KIND_REFUSED(sparcl_binary_gradient(ctx, (sparcl_binary_op)kind, X('z'), NULL, X('x'),
                                            X('y'), X('w')));
        KIND_REFUSED(sparcl_csr_broadcast(ctx, (sparcl_binary_op)kind, X('s'), A('a'), X('u'), 1));
        KIND_REFUSED(
            sparcl_csr_broadcast(ctx, SPARCL_BINARY_MULTIPLY, X('s'), A('a'), X('u'), kind));
        KIND_REFUSED(sparcl_csr_reduce(ctx, (sparcl_reduction)kind, SPARCL_OVER_ALL, X('s'), A('a'),
                                       1, NULL, 0, NULL));
        KIND_REFUSED(sparcl_csr_reduce(ctx, SPARCL_REDUCE_SUM, (sparcl_reduce_over)kind, X('s'),
                                       A('a'), 1, NULL, 0, NULL));
        KIND_REFUSED(sparcl_csr_reduce(ctx, SPARCL_REDUCE_SUM, SPARCL_OVER_ALL, X('s'), A('a'),
                                       kind - 1, NULL, 0, NULL));
        KIND_REFUSED(sparcl_dense_reduce(ctx, (sparcl_reduction)kind, X('s'), X('x'), 1));
        KIND_REFUSED(
            sparcl_segment_reduce(ctx, (sparcl_reduction)kind, X('z'), X('x'), &segments, NULL, 0));
        KIND_REFUSED(sparcl_csr_softmax(ctx, (sparcl_softmax)kind, X('s'), A('a')));
        KIND_REFUSED(sparcl_spmm_reduce(ctx, (sparcl_reduction)kind, X('z'), A('a'), X('x'), NULL));
        KIND_REFUSED(sparcl_topk_rows(ctx, A('c'), X('x'), 2, (sparcl_topk)kind));
        KIND_REFUSED(sparcl_csr_triangle(ctx, A('c'), A('a'), (sparcl_part)kind, 0, NULL));
        KIND_REFUSED(sparcl_coo_coalesce(ctx, to, from, (sparcl_duplicates)kind, NULL));
        KIND_REFUSED(sparcl_coo_concat(ctx, to, from, 1, kind, NULL));
        KIND_REFUSED(
            sparcl_dense_concat(ctx, X('z'), (const sparcl_dense *const[]){X('x')}, 1, kind));
        KIND_REFUSED(sparcl_ctx_set_densify(ctx, (sparcl_densify)kind, 0));
    }
    KIND_REFUSED(sparcl_matmul(ctx, &z, 1, SPARCL_OP_N, &no_matrix, SPARCL_OP_N, &x, 0, NULL));
    assert_arguments_untouched(ctx, &v);
    free_arguments(&v);
}

/* The same for operations on rows, segments, heads and bags, and for gradients. */
static void gradients_refuse_numbers_that_are_no_kinds(void **state) {
    sparcl_ctx *ctx = *state;
    arguments v;
    make_arguments(ctx, &v);
    const sparcl_segments segments = {.ids = &v.views['l'].list};
    sparcl_rows *const r = &v.views['r'].rows;
    const sparcl_rows *const p = &v.views['p'].rows;
    for (int kind = -1; kind < 100; kind += 100) {
        const sparcl_reduction reduction = (sparcl_reduction)kind;
        const sparcl_binary_op op = (sparcl_binary_op)kind;
        sparcl_bags mode = v.views['k'].bags, bounds = mode;
        mode.mode = (sparcl_bag_mode)kind;
        bounds.bounds = (sparcl_bounds)kind;
        const sparcl_bags *const bags[] = {&mode, &bounds};
        for (int i = 0; i < 2; ++i) {
            KIND_REFUSED(sparcl_embedding(ctx, X('z'), X('x'), bags[i], NULL, 0));
            KIND_REFUSED(sparcl_embedding_bag(ctx, X('z'), X('x'), bags[i], NULL, NULL, 0));
            KIND_REFUSED(sparcl_embedding_bag_matrix(ctx, A('c'), bags[i], NULL, 0));
            KIND_REFUSED(sparcl_embedding_bag_gradient(ctx, r, X('x'), bags[i], NULL));
            KIND_REFUSED(
                sparcl_embedding_bag_weights_gradient(ctx, X('s'), X('x'), X('y'), NULL, bags[i]));
            KIND_REFUSED(sparcl_embedding_renorm(ctx, X('z'), bags[i], 1, 2));
        }
        KIND_REFUSED(sparcl_embedding_renorm(ctx, X('z'), &v.views['k'].bags, 1, kind));
        KIND_REFUSED(sparcl_rows_unary(ctx, (sparcl_unary_op)kind, X('z'), p));
        KIND_REFUSED(sparcl_rows_reduce(ctx, reduction, X('s'), p, 1));
        KIND_REFUSED(sparcl_rows_reduce(ctx, SPARCL_REDUCE_SUM, X('s'), p, kind - 1));
        KIND_REFUSED(sparcl_rows_coalesce(ctx, r, p, (sparcl_duplicates)kind, NULL));
        KIND_REFUSED(sparcl_csr_binary_scalar(ctx, op, X('s'), A('a'), 0));
        KIND_REFUSED(
            sparcl_csr_broadcast_gradient(ctx, op, X('s'), A('a'), X('u'), X('v'), 1, NULL));
        KIND_REFUSED(sparcl_csr_broadcast_gradient(ctx, SPARCL_BINARY_MULTIPLY, X('s'), A('a'),
                                                   X('u'), X('v'), kind, NULL));
        KIND_REFUSED(sparcl_csr_softmax_heads(ctx, (sparcl_softmax)kind, X('z'), X('x'), A('a')));
        KIND_REFUSED(
            sparcl_csr_softmax_gradient(ctx, (sparcl_softmax)kind, X('s'), X('u'), X('v'), A('a')));
        KIND_REFUSED(sparcl_csr_reduce_gradient(ctx, reduction, SPARCL_OVER_ALL, X('s'), X('u'),
                                                A('a'), 1, NULL, NULL, 0, NULL));
        KIND_REFUSED(sparcl_csr_reduce_gradient(ctx, SPARCL_REDUCE_SUM, (sparcl_reduce_over)kind,
                                                X('s'), X('u'), A('a'), 1, NULL, NULL, 0, NULL));
        KIND_REFUSED(sparcl_csr_reduce_gradient(ctx, SPARCL_REDUCE_SUM, SPARCL_OVER_ALL, X('s'),
                                                X('u'), A('a'), kind - 1, NULL, NULL, 0, NULL));
        KIND_REFUSED(
            sparcl_dense_reduce_gradient(ctx, reduction, X('z'), X('u'), X('x'), 1, X('v')));
        KIND_REFUSED(sparcl_dense_reduce_gradient(ctx, SPARCL_REDUCE_SUM, X('z'), X('u'), X('x'),
                                                  kind - 1, X('v')));
        KIND_REFUSED(sparcl_segment_reduce_gradient(ctx, reduction, X('z'), X('x'), NULL, &segments,
                                                    NULL, NULL, 0));
        KIND_REFUSED(sparcl_spmm_reduce_gradient(ctx, reduction, X('z'), X('s'), X('x'), A('a'),
                                                 X('y'), NULL, NULL));
        KIND_REFUSED(sparcl_loss_predict(ctx, (sparcl_loss)kind, X('1'), NULL, X('s'), X('t')));
    }
    assert_arguments_untouched(ctx, &v);
    free_arguments(&v);
}

AT_LEAST(arguments)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_wrong_argument_is_refused),
        cmocka_unit_test(numbers_that_are_no_kinds_are_refused),
        cmocka_unit_test(gradients_refuse_numbers_that_are_no_kinds),
        cmocka_unit_test(at_least_arguments),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
