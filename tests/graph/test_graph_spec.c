/* test_graph_spec.c: a training step of a graph has the bits of plain C: the answers of src/spec,
 * composed in the order of the graph. */
#include <math.h>

#include "graph_test.h"
#include "sparcl/optim_text.h"
#include "spec/optim/rule_answer.h"
#include "spec/shared/elementary.h"

/* The loss of f(X W1 + b1 + E[list]) W2 + b2, for each loss and each activation f. W2 is stored as
 * its transpose where a loss has one score. */
enum { HIDDEN = 5, CLASSES = 3, TABLES = 5 };

typedef struct table {
    const char *name;
    int64_t rows, cols; /* cols 0: a vector */
    bool is_sparse;     /* only rows that are read are updated */
} table;

enum { W1, B1, E, W2, B2 };

static table tables[TABLES] = {{"w1", COLS, HIDDEN, true},
                               {"b1", HIDDEN, 0, false},
                               {"e", COLS, HIDDEN, true},
                               {"w2", HIDDEN, CLASSES, false},
                               {"b2", CLASSES, 0, false}};

static int64_t outputs_of(sparcl_loss loss) {
    return loss == SPARCL_LOSS_SOFTMAX ? CLASSES : 1;
}

static void set_outputs(sparcl_loss loss) {
    const bool is_transposed = loss != SPARCL_LOSS_SOFTMAX;
    tables[W2].rows = is_transposed ? 1 : HIDDEN;
    tables[W2].cols = is_transposed ? HIDDEN : CLASSES;
    tables[B2].rows = outputs_of(loss);
}

static int64_t elements(int t) {
    return tables[t].rows * (tables[t].cols ? tables[t].cols : 1);
}

/* --- plain C ---------------------------------------------------------------------------------- */

typedef struct plain {
    sparcl_dtype dtype;
    sparcl_loss loss_kind;
    sparcl_unary_op activation;
    int64_t outputs;
    spec_hyper hyper;
    spec_element *x[TABLES];
    double *gradient[TABLES];
    bool is_read[TABLES][COLS];
    double loss;
} plain;

static double r(const plain *p, double x) {
    return spec_round(p->dtype, x);
}

static double *numbers(int64_t count) {
    return must_have(calloc((size_t)count + 1, sizeof(double)));
}

static void plain_open(plain *p, sparcl_dtype dtype, sparcl_loss loss, sparcl_unary_op activation) {
    *p = (plain){
        .dtype = dtype, .loss_kind = loss, .activation = activation, .outputs = outputs_of(loss)};
    for (int t = 0; t < TABLES; ++t) {
        p->gradient[t] = numbers(elements(t));
        p->x[t] = must_have(calloc((size_t)elements(t), sizeof *p->x[t]));
        double *const first = must_have(spec_numbers(elements(t), (uint64_t)t + 9));
        for (int64_t k = 0; k < elements(t); ++k)
            p->x[t][k].w = spec_round(dtype, first[k]);
        free(first);
    }
}

static void plain_close(plain *p) {
    for (int t = 0; t < TABLES; ++t) {
        free(p->x[t]);
        free(p->gradient[t]);
    }
}

/* C = A B by rule S: a(i, k) at a[i * a_row + k * a_col], the same for b. */
static void multiply(const plain *p, double *c, int64_t m, int64_t n, int64_t length,
                     const double *a, int64_t a_row, int64_t a_col, const double *b, int64_t b_row,
                     int64_t b_col) {
    double *const terms = numbers(length), *const others = numbers(length);
    for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) {
            for (int64_t k = 0; k < length; ++k) {
                terms[k] = a[i * a_row + k * a_col];
                others[k] = b[k * b_row + j * b_col];
            }
            c[i * n + j] = spec_sum_products(p->dtype, terms, others, 1, length, n == 1);
        }
    free(terms);
    free(others);
}

/* A or its transpose times B, for a sparse A. */
static void multiply_sparse(const plain *p, double *c, const spec_matrix *a, const double *b,
                            int64_t n) {
    double *const terms = numbers(a->nnz);
    for (int64_t i = 0; i < a->rows; ++i) {
        const int64_t begin = a->offsets[i], length = a->offsets[i + 1] - begin;
        for (int64_t j = 0; j < n; ++j) {
            for (int64_t k = 0; k < length; ++k)
                terms[k] = b[a->indices[begin + k] * n + j];
            c[i * n + j] = spec_sum_products(p->dtype, a->values + begin, terms, 1, length, n == 1);
        }
    }
    free(terms);
}

static void sum_rows(const plain *p, double *to, const double *x, int64_t m, int64_t n) {
    double *const ones = numbers(m);
    for (int64_t i = 0; i < m; ++i)
        ones[i] = 1;
    multiply(p, to, 1, n, m, ones, 0, 1, x, n, 1);
    free(ones);
}

/* The weights of a table, as numbers. */
static double *weights(const plain *p, int t) {
    double *const w = numbers(elements(t));
    for (int64_t k = 0; k < elements(t); ++k)
        w[k] = p->x[t][k].w;
    return w;
}

static double softmax_row(const plain *p, double *s, int64_t label, double scale) {
    int64_t best = 0;
    double sum = 0, e[CLASSES];
    for (int64_t j = 1; j < CLASSES; ++j)
        if (s[j] > s[best]) best = j;
    for (int64_t j = 0; j < CLASSES; ++j) {
        e[j] = spec_exp(p->dtype, r(p, s[j] - s[best]));
        sum = r(p, sum + e[j]);
    }
    const double loss = r(p, spec_log(p->dtype, sum) + r(p, s[best] - s[label]));
    for (int64_t j = 0; j < CLASSES; ++j)
        s[j] = r(p, r(p, r(p, e[j] / sum) - (j == label)) * scale);
    return loss;
}

/* The loss of one score, whose place its gradient takes. */
static double single_row(const plain *p, double *s, double y, double scale) {
    const double x = *s, d = r(p, x - y);
    double value = r(p, r(p, 0.5 * d) * d), slope = d;
    if (p->loss_kind == SPARCL_LOSS_LOGISTIC) {
        const double e = spec_exp(p->dtype, -fabs(x));
        value = r(p, r(p, fmax(x, 0) - r(p, y * x)) + spec_log1p(p->dtype, e));
        slope = r(p, spec_sigmoid(p->dtype, x) - y);
    }
    *s = r(p, slope * scale);
    return value;
}

static double activate(const plain *p, double x) {
    if (p->activation == SPARCL_UNARY_RELU) return x > 0 ? x : 0;
    return (p->activation == SPARCL_UNARY_SIGMOID ? spec_sigmoid : spec_tanh)(p->dtype, x);
}

/* From the result y and the gradient g by it. */
static double activate_gradient(const plain *p, double y, double g) {
    if (p->activation == SPARCL_UNARY_RELU) return y > 0 ? g : 0;
    const bool is_sigmoid = p->activation == SPARCL_UNARY_SIGMOID;
    return r(p, r(p, is_sigmoid ? y * r(p, 1 - y) : r(p, 1 - y) * r(p, 1 + y)) * g);
}

/* h = f(X W1 + b1 + E[list]). */
static void hidden_layer(const plain *p, double *h, const spec_matrix *x, const int64_t *list) {
    double *const w1 = weights(p, W1);
    multiply_sparse(p, h, x, w1, HIDDEN);
    for (int64_t i = 0; i < x->rows; ++i)
        for (int64_t j = 0; j < HIDDEN; ++j) {
            const double biased = r(p, h[i * HIDDEN + j] + p->x[B1][j].w);
            const double sum = r(p, biased + p->x[E][list[i] * HIDDEN + j].w);
            h[i * HIDDEN + j] = activate(p, sum);
        }
    free(w1);
}

/* Elements from one row of W2 to the next, as it is used, and from one column to the next. */
static int64_t w2_row(const plain *p) {
    return p->outputs == 1 ? 1 : CLASSES;
}
static int64_t w2_col(const plain *p) {
    return p->outputs == 1 ? HIDDEN : 1;
}

/* s = h W2 + b2, and then the gradient of the mean loss by it. */
static void output_layer(plain *p, double *s, const double *h, const spec_matrix *x,
                         const double *labels) {
    double *const w2 = weights(p, W2), *const losses = numbers(x->rows);
    const double inverse = r(p, 1.0 / (double)x->rows);
    const int64_t n = p->outputs;
    multiply(p, s, x->rows, n, HIDDEN, h, HIDDEN, 1, w2, w2_row(p), w2_col(p));
    for (int64_t i = 0; i < x->rows; ++i) {
        for (int64_t j = 0; j < n; ++j)
            s[i * n + j] = r(p, s[i * n + j] + p->x[B2][j].w);
        losses[i] = n == 1 ? single_row(p, s + i, labels[i], inverse)
                           : softmax_row(p, s + i * n, (int64_t)labels[i], inverse);
    }
    sum_rows(p, &p->loss, losses, x->rows, 1);
    p->loss = r(p, inverse * p->loss);
    free(w2);
    free(losses);
}

/* Rows of E with one index are added by rule R. */
static void gradient_of_e(plain *p, const double *g, const int64_t *list, int64_t rows) {
    double *const terms = numbers(rows);
    for (int64_t id = 0; id < COLS; ++id)
        for (int64_t j = 0; j < HIDDEN; ++j) {
            int64_t count = 0;
            for (int64_t i = 0; i < rows; ++i)
                if (list[i] == id) terms[count++] = g[i * HIDDEN + j];
            p->is_read[E][id] = count > 0;
            p->gradient[E][id * HIDDEN + j] = spec_sum_duplicates(p->dtype, terms, count);
        }
    free(terms);
}

static void gradients(plain *p, double *h, double *s, const spec_matrix *x, const int64_t *list) {
    const int64_t m = x->rows;
    double *const w2 = weights(p, W2), *const g = numbers(m * HIDDEN);
    spec_matrix t;
    const int64_t n = p->outputs;
    sum_rows(p, p->gradient[B2], s, m, n);
    if (n == 1) /* of the transpose: transpose(s) h */
        multiply(p, p->gradient[W2], n, HIDDEN, m, s, 1, n, h, HIDDEN, 1);
    else
        multiply(p, p->gradient[W2], HIDDEN, n, m, h, 1, HIDDEN, s, n, 1);
    multiply(p, g, m, HIDDEN, n, s, n, 1, w2, w2_col(p), w2_row(p));
    for (int64_t k = 0; k < m * HIDDEN; ++k)
        g[k] = activate_gradient(p, h[k], g[k]);
    sum_rows(p, p->gradient[B1], g, m, HIDDEN);
    assert_true(spec_matrix_transpose(&t, x));
    multiply_sparse(p, p->gradient[W1], &t, g, HIDDEN);
    for (int64_t id = 0; id < COLS; ++id)
        p->is_read[W1][id] = t.offsets[id + 1] > t.offsets[id];
    gradient_of_e(p, g, list, m);
    spec_matrix_free(&t);
    free(w2);
    free(g);
}

static void plain_step(plain *p, sparcl_optim *optim, const spec_matrix *x, const double *labels,
                       const int64_t *list) {
    double *const h = numbers(x->rows * HIDDEN), *const s = numbers(x->rows * p->outputs);
    ++optim->step;
    const spec_hyper hyper = spec_hyper_of(optim, p->dtype);
    hidden_layer(p, h, x, list);
    output_layer(p, s, h, x, labels);
    gradients(p, h, s, x, list);
    for (int t = 0; t < TABLES; ++t)
        for (int64_t k = 0; k < elements(t); ++k)
            if (!tables[t].is_sparse || p->is_read[t][k / tables[t].cols])
                p->x[t][k] = spec_step_order(&hyper, p->x[t][k], p->gradient[t][k]);
    free(h);
    free(s);
}

/* --- the graph -------------------------------------------------------------------------------- */

typedef struct model {
    sparcl_graph *graph;
    sparcl_node x, y, list, tables[TABLES], loss;
} model;

static model make_model(sparcl_ctx *ctx, const plain *p, const sparcl_optim *optim) {
    model m;
    assert_ok(ctx, sparcl_graph_create(ctx, &m.graph));
    sparcl_graph *const g = m.graph;
    sparcl_graph_set_dtype(g, p->dtype);
    const int64_t rows = sparcl_graph_dim(g, "rows", ROWS);
    m.x = sparcl_graph_csr(g, "x", rows, COLS, sparcl_graph_dim(g, "entries", ENTRIES));
    m.y = sparcl_graph_dense(g, "y", 1, &rows);
    m.list = sparcl_graph_list(g, "list", rows, COLS);
    for (int t = 0; t < TABLES; ++t) {
        const int64_t shape[] = {tables[t].rows, tables[t].cols};
        m.tables[t] =
            sparcl_graph_parameter(g, tables[t].name, tables[t].cols ? 2 : 1, shape, optim);
    }
    const sparcl_node product = sparcl_graph_binary(
        g, SPARCL_BINARY_ADD, sparcl_graph_spmm(g, m.x, m.tables[W1]), m.tables[B1]);
    const sparcl_node sum = sparcl_graph_binary(g, SPARCL_BINARY_ADD, product,
                                                sparcl_graph_gather(g, m.tables[E], m.list));
    const sparcl_node h = sparcl_graph_unary(g, p->activation, sum);
    const sparcl_op op = p->outputs == 1 ? SPARCL_OP_T : SPARCL_OP_N;
    const sparcl_node scores = sparcl_graph_binary(
        g, SPARCL_BINARY_ADD, sparcl_graph_gemm(g, SPARCL_OP_N, h, op, m.tables[W2]), m.tables[B2]);
    m.loss = sparcl_graph_mean(g, sparcl_graph_loss(g, p->loss_kind, scores, m.y));
    sparcl_graph_output(g, m.loss);
    assert_ok(ctx, sparcl_graph_backward(g, m.loss));
    return m;
}

static void put_weights(sparcl_ctx *ctx, const model *m, const plain *p) {
    for (int t = 0; t < TABLES; ++t) {
        sparcl_dense to;
        sparcl_buf *from = NULL;
        double *const w = weights(p, t);
        assert_ok(ctx, sparcl_graph_value(m->graph, m->tables[t], &to));
        assert_ok(ctx, spec_put_reals(ctx, &from, w, elements(t), p->dtype));
        assert_ok(ctx, sparcl_buf_copy(ctx, to.values, 0, from, 0, sparcl_buf_bytes(from)));
        sparcl_buf_free(from);
        free(w);
    }
}

static void compare(sparcl_ctx *ctx, const model *m, const plain *p, sparcl_node node,
                    const char *name, const double *expected, int64_t count) {
    spec_report report = {.equal = true, .zeros_expected = true};
    sparcl_dense value;
    double *const got = numbers(count);
    assert_ok(ctx, sparcl_graph_value(m->graph, node, &value));
    assert_ok(ctx, spec_get_reals(ctx, value.values, value.values_at, count, p->dtype, got));
    spec_compare(&report, name, got, expected, NULL, NULL, count);
    if (!report.equal) fail_msg("%s", report.why);
    free(got);
}

static void check(sparcl_ctx *ctx, sparcl_dtype dtype, sparcl_loss loss, sparcl_unary_op activation,
                  const sparcl_optim *given) {
    sparcl_optim optim = *given;
    plain p;
    set_outputs(loss);
    plain_open(&p, dtype, loss, activation);
    model m = make_model(ctx, &p, given);
    optim.step = 0;
    put_weights(ctx, &m, &p);
    for (int step = 0; step < STEPS; ++step) {
        const int64_t rows = ROWS - 3 * step;
        double labels[ROWS];
        int64_t ids[ROWS];
        spec_matrix x;
        sparcl_csr csr;
        sparcl_dense y = {.rank = 1, .dtype = dtype, .shape = {rows}};
        sparcl_list list = {.limit = COLS, .count = rows, .proof = {.flags = SPARCL_TRUSTED}};
        for (int64_t i = 0; i < rows; ++i) {
            labels[i] = (double)((i * 7 + step) % (loss == SPARCL_LOSS_SOFTMAX ? CLASSES : 2));
            ids[i] = (i * 11 + 3 * step) % (3 * step + 4);
        }
        assert_true(spec_matrix_make(&x, SPEC_UNIFORM, rows, COLS, ENTRIES / (step + 1),
                                     (uint64_t)step + 5));
        assert_ok(ctx, spec_put_csr(ctx, &csr, &x, dtype, SPARCL_INDEX32, SPARCL_INDEX32));
        assert_ok(ctx, spec_put_reals(ctx, &y.values, labels, rows, dtype));
        list.indices = put_ints(ctx, ids, rows, SPARCL_INDEX32);
        assert_ok(ctx, sparcl_graph_bind_csr(m.graph, m.x, &csr));
        assert_ok(ctx, sparcl_graph_bind_dense(m.graph, m.y, &y));
        assert_ok(ctx, sparcl_graph_bind_list(m.graph, m.list, &list));
        assert_ok(ctx, sparcl_graph_step(m.graph));
        plain_step(&p, &optim, &x, labels, ids);
        compare(ctx, &m, &p, m.loss, "loss", &p.loss, 1);
        for (int t = 0; t < TABLES; ++t) {
            double *const w = weights(&p, t);
            compare(ctx, &m, &p, m.tables[t], tables[t].name, w, elements(t));
            free(w);
        }
        spec_matrix_free(&x);
        sparcl_csr_free(&csr);
        sparcl_dense_free(&y);
        sparcl_list_free(&list);
    }
    assert_true(p.loss > 0);
    plain_close(&p);
    sparcl_graph_free(m.graph);
}

/* Momentum is left out: its rows catch up in closed form, of which spec_catch_up.c has the answer.
 */
static void a_step_has_the_bits_of_plain_c(void **state) {
    static const sparcl_rule rules[] = {SPARCL_RULE_SGD, SPARCL_RULE_ADAGRAD, SPARCL_RULE_ADAM};
    static const sparcl_unary_op activations[] = {SPARCL_UNARY_RELU, SPARCL_UNARY_SIGMOID,
                                                  SPARCL_UNARY_TANH};
    for (int i = 0; i < 54; ++i) { /* 2 types, 3 rules, 3 losses, 3 activations */
        const sparcl_dtype dtype = i % 2 ? SPARCL_F64 : SPARCL_F32;
        sparcl_optim optim;
        sparcl_optim_init(&optim, rules[i / 2 % 3]);
        optim.lr = 0.1;
        if (dtype == SPARCL_F32 || sparcl_ctx_device(*state)->has_f64)
            check(*state, dtype, (sparcl_loss)(i / 6 % 3), activations[i / 18], &optim);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_step_has_the_bits_of_plain_c)};
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
