/* bench_step.c: timed operation: an optimizer step in f32, with rows that are unique and sorted,
 * and with rows that are neither. The table has a row for each column of the matrix. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "spec/bench.h"
#include "spec/rowset.h"
#include "spec/rule_answer.h"

#define TABLES (1 + SPARCL_MAX_STATES)

/* Elements of a table that are filled or compared at a time. */
#define SLAB ((int64_t)1 << 20)

typedef struct operands {
    spec_rowset from; /* the gradient */
    sparcl_rows gradient;
    sparcl_dense tables[TABLES]; /* weights and states */
    sparcl_optim optim;
} operands;

static void close_operands(void *state) {
    operands *const x = state;
    spec_rowset_free(&x->from);
    sparcl_rows_free(&x->gradient);
    for (int t = 0; t < TABLES; ++t)
        sparcl_dense_free(&x->tables[t]);
}

static int tables_of(const operands *x) {
    return 1 + sparcl_rule_states(x->optim.rule);
}

/* Rows of the table per slab. */
static int64_t slab_rows(int64_t width) {
    return width < SLAB ? SLAB / width : 1;
}

/* The next numbers of a table's initial contents. They are not negative, because sums of squares
 * are not. */
static void next_numbers(double *x, int64_t count, uint64_t *seed) {
    for (int64_t i = 0; i < count; ++i)
        x[i] = fabs(spec_uniform(seed));
}

static sparcl_status fill_table(sparcl_ctx *ctx, const sparcl_dense *table, uint64_t seed) {
    const int64_t count = table->shape[0] * table->shape[1];
    double *const wide = malloc((size_t)SLAB * sizeof *wide);
    float *const narrow = malloc((size_t)SLAB * sizeof *narrow);
    sparcl_status status = wide && narrow ? SPARCL_OK : SPARCL_E_MEMORY;
    for (int64_t at = 0; at < count && status == SPARCL_OK; at += SLAB) {
        const int64_t here = count - at < SLAB ? count - at : SLAB;
        next_numbers(wide, here, &seed);
        for (int64_t i = 0; i < here; ++i)
            narrow[i] = (float)wide[i];
        status = sparcl_buf_write(ctx, table->values, at * 4, here * 4, narrow);
    }
    free(wide);
    free(narrow);
    return status;
}

/* Fill in the initial contents. */
static sparcl_status fill_tables(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const x = call->state;
    sparcl_status status = SPARCL_OK;
    for (int t = 0; t < tables_of(x) && status == SPARCL_OK; ++t)
        status = fill_table(ctx, &x->tables[t], (uint64_t)t + 1);
    return status;
}

/* Row k of the gradient belongs to the column of entry k; or, if `unique`, one row for each column
 * that has entries, ascending. */
static bool make_gradient(spec_rowset *s, const spec_bench_input *in, bool unique) {
    const spec_matrix *const m = in->matrix;
    uint64_t seed = 99;
    int64_t *const ids = malloc(((size_t)m->nnz + 1) * sizeof *ids);
    int64_t count = m->nnz;
    if (!ids) return false;
    memcpy(ids, m->indices, (size_t)m->nnz * sizeof *ids);
    if (unique) {
        spec_sort_ints(ids, m->nnz);
        count = 0;
        for (int64_t k = 0; k < m->nnz; ++k)
            if (k == 0 || ids[k] != ids[count - 1]) ids[count++] = ids[k];
    }
    *s = (spec_rowset){
        .limit = m->cols, .width = in->n, .stored = count, .capacity = count, .ids = ids};
    s->values = malloc(((size_t)(count * in->n) + 1) * sizeof *s->values);
    for (int64_t i = 0; s->values && i < count * in->n; ++i)
        s->values[i] = spec_uniform(&seed);
    return s->values;
}

static sparcl_status put_gradient(sparcl_ctx *ctx, operands *x, bool unique) {
    const spec_rowset *const s = &x->from;
    const sparcl_itype type = s->limit > INT32_MAX ? SPARCL_I64 : SPARCL_I32;
    x->gradient = (sparcl_rows){
        .rank = 2, .shape = {s->limit, s->width}, .index_type = type, .nnr = s->stored};
    x->gradient.proof.flags = SPARCL_TRUSTED | (unique ? SPARCL_SORTED | SPARCL_UNIQUE : 0u);
    sparcl_status status = spec_put_ints(ctx, &x->gradient.indices, s->ids, s->stored, type);
    if (status == SPARCL_OK)
        status =
            spec_put_reals(ctx, &x->gradient.values, s->values, s->stored * s->width, SPARCL_F32);
    return status;
}

/* The gradient is read, the rows of the tables are read and written. The number of operations of a
 * rule is that of docs/numerics.md. */
static void count_work(spec_bench_call *call, const operands *x) {
    static const double operations[] = {2, 4, 7, 11, 12};
    const double rows = (double)spec_bench_cols_used(call->input->matrix);
    const double stored = (double)x->from.stored, width = (double)x->from.width;
    const double id = (double)sparcl_itype_size(x->gradient.index_type);
    call->bytes = stored * (4 * width + id) + rows * 8 * width * tables_of(x);
    call->flops = (stored - rows) * width + rows * width * operations[call->input->rule];
}

static sparcl_status open_operands(sparcl_ctx *ctx, spec_bench_call *call, bool unique) {
    const spec_bench_input *const in = call->input;
    operands *const x = call->state;
    sparcl_optim_init(&x->optim, in->rule);
    x->optim.lr = 0.01;
    if (!make_gradient(&x->from, in, unique)) return SPARCL_E_MEMORY;
    sparcl_status status = put_gradient(ctx, x, unique);
    for (int t = 0; t < tables_of(x) && status == SPARCL_OK; ++t) {
        x->tables[t] = (sparcl_dense){.rank = 2, .shape = {in->matrix->cols, in->n}};
        status = sparcl_dense_create(ctx, &x->tables[t]);
    }
    if (status == SPARCL_OK) status = fill_tables(ctx, call);
    count_work(call, x);
    return status;
}

static sparcl_status open_unique(sparcl_ctx *ctx, spec_bench_call *call) {
    return open_operands(ctx, call, true);
}

static sparcl_status open_duplicates(sparcl_ctx *ctx, spec_bench_call *call) {
    return open_operands(ctx, call, false);
}

static sparcl_status run(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const x = call->state;
    return sparcl_step(ctx, &x->optim, &x->tables[0], &x->tables[1], &x->gradient);
}

/* --- the check ------------------------------------------------------------------------------- */

/* Some rows of all tables: `order` and `truth` start with the contents before the step, `bound`
 * with 0. */
typedef struct slab {
    double *order[TABLES], *truth[TABLES], *bound[TABLES], *got[TABLES];
    uint64_t seeds[TABLES];
} slab;

static void drop_slab(slab *s) {
    for (int t = 0; t < TABLES; ++t) {
        free(s->order[t]);
        free(s->truth[t]);
        free(s->bound[t]);
        free(s->got[t]);
    }
}

static bool make_slab(slab *s, int64_t count) {
    bool made = true;
    for (int t = 0; t < TABLES; ++t) {
        s->seeds[t] = (uint64_t)t + 1;
        s->order[t] = malloc((size_t)count * sizeof(double));
        s->truth[t] = malloc((size_t)count * sizeof(double));
        s->bound[t] = malloc((size_t)count * sizeof(double));
        s->got[t] = malloc((size_t)count * sizeof(double));
        made = made && s->order[t] && s->truth[t] && s->bound[t] && s->got[t];
    }
    return made;
}

/* The gradient with the rows of each id added: by rule R, in double, and the error bound. */
typedef struct gradient {
    spec_rowset sum;
    double *truth, *bound;
} gradient;

static bool sum_gradient(gradient *g, const spec_rowset *from) {
    const size_t count = (size_t)(from->stored * from->width) + 1;
    g->truth = malloc(count * sizeof *g->truth);
    g->bound = malloc(count * sizeof *g->bound);
    return g->truth && g->bound && spec_rowset_sum(&g->sum, from, SPARCL_F32, g->truth, g->bound);
}

static void drop_gradient(gradient *g) {
    spec_rowset_free(&g->sum);
    free(g->truth);
    free(g->bound);
}

static void put(const slab *s, int t, int64_t at, spec_num x) {
    s->order[t][at] = x.order;
    s->truth[t][at] = x.truth;
    s->bound[t][at] = x.bound;
}

/* Apply row u of the gradient to elements at .. at + width of the slab. */
static void step_row(const spec_hyper *h, slab *s, int64_t at, const gradient *g, int64_t u) {
    for (int64_t j = 0, k = u * g->sum.width; j < g->sum.width; ++j, ++k, ++at) {
        const spec_num d = {g->sum.values[k], g->truth[k], g->bound[k], SPARCL_F32};
        spec_result new = {.w = num_exact(SPARCL_F32, s->order[0][at])};
        for (int i = 0; i < SPARCL_MAX_STATES; ++i)
            new.s[i] = num_exact(SPARCL_F32, s->order[1 + i][at]);
        spec_step_of(h, &new, d);
        put(s, 0, at, new.w);
        for (int i = 0; i < SPARCL_MAX_STATES; ++i)
            put(s, 1 + i, at, new.s[i]);
    }
}

/* Compare rows first .. first + count; *u is the next row of the summed gradient. */
static sparcl_status compare_slab(sparcl_ctx *ctx, const operands *x, const gradient *g, slab *s,
                                  int64_t first, int64_t count, int64_t *u, spec_report *report) {
    static const char *const names[] = {"table", "first state", "second state", "third state"};
    const spec_hyper h = spec_hyper_of(&x->optim, SPARCL_F32);
    const int64_t width = x->from.width, elements = count * width;
    sparcl_status status = SPARCL_OK;
    for (int t = 0; t < TABLES; ++t) {
        next_numbers(s->order[t], elements, &s->seeds[t]);
        memcpy(s->truth[t], s->order[t], (size_t)elements * sizeof(double));
        memset(s->bound[t], 0, (size_t)elements * sizeof(double));
    }
    for (; *u < g->sum.stored && g->sum.ids[*u] < first + count; ++*u)
        step_row(&h, s, (g->sum.ids[*u] - first) * width, g, *u);
    for (int t = 0; t < tables_of(x) && status == SPARCL_OK; ++t) {
        status = spec_get_reals(ctx, x->tables[t].values, first * width, elements, SPARCL_F32,
                                s->got[t]);
        if (status == SPARCL_OK)
            spec_compare(report, names[t], s->got[t], s->order[t], s->truth[t], s->bound[t],
                         elements);
    }
    return status;
}

static sparcl_status check(sparcl_ctx *ctx, const spec_bench_call *call, spec_report *report) {
    const operands *const x = call->state;
    const int64_t rows = x->from.limit, maximum = slab_rows(x->from.width);
    gradient g = {0};
    slab s = {0};
    int64_t u = 0;
    *report = (spec_report){.equal = true};
    sparcl_status status = make_slab(&s, maximum * x->from.width) && sum_gradient(&g, &x->from)
                               ? SPARCL_OK
                               : SPARCL_E_MEMORY;
    for (int64_t first = 0; first < rows && status == SPARCL_OK; first += maximum)
        status = compare_slab(ctx, x, &g, &s, first,
                              rows - first < maximum ? rows - first : maximum, &u, report);
    drop_gradient(&g);
    drop_slab(&s);
    return status;
}

const spec_bench spec_bench_step = {
    "step",
    "an optimizer step; the gradient has a row for each column with entries",
    SPEC_BENCH_RULES | SPEC_BENCH_WIDTHS | SPEC_BENCH_UPDATE,
    sizeof(operands),
    open_unique,
    run,
    check,
    close_operands,
    fill_tables};
const spec_bench spec_bench_dedupe_step = {
    "dedupe-step",
    "the same with a row for each entry: rows of one column are added first",
    SPEC_BENCH_RULES | SPEC_BENCH_WIDTHS | SPEC_BENCH_UPDATE,
    sizeof(operands),
    open_duplicates,
    run,
    check,
    close_operands,
    fill_tables};
