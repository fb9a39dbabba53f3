/* test_batches.c: what the header says of batches that are selected together. */
#include "ops/products/pattern.h"
#include "select_rows_test.h"
#include "sparcl/ops/products.h"
#include "sparcl/ops/structure.h"

enum { ALL_ROWS = 60, COLUMNS = 37, MOST = 200, MOST_ENTRIES = 1000 };

/* Batches of a matrix, whose rows are taken in a random order. */
typedef struct fixture {
    sparcl_ctx *ctx;
    spec_matrix matrix;
    sparcl_csr all;
    sparcl_list list, fields;             /* a number for each entry: its square */
    int64_t numbers[MOST], entries[MOST]; /* rows; of each batch */
    int64_t rows, count;
    sparcl_batches *batches;
    sparcl_pattern *pattern;
} fixture;

static int64_t batch_rows(const fixture *f, int64_t i) {
    const int64_t left = f->list.count - i * f->rows;
    return left < f->rows ? left : f->rows;
}

static void count_entries(fixture *f) {
    memset(f->entries, 0, sizeof f->entries);
    for (int64_t i = 0; i < f->list.count; ++i) {
        const int64_t row = f->numbers[i];
        f->entries[i / f->rows] += f->matrix.offsets[row + 1] - f->matrix.offsets[row];
    }
}

enum { SQUARES = 1 << 20 };

static sparcl_list put_fields(const fixture *f) {
    int64_t squares[MOST_ENTRIES];
    for (int64_t k = 0; k < f->all.nnz; ++k)
        squares[k] = k * k;
    return put_list(f->ctx, squares, f->all.nnz, SQUARES, SPARCL_INDEX32);
}

static fixture open_fixture(sparcl_ctx *ctx, spec_kind kind, int64_t nnz, int64_t listed,
                            int64_t rows, sparcl_dtype dtype) {
    fixture f = {.ctx = ctx, .rows = rows, .count = (listed + rows - 1) / rows};
    uint64_t seed = 5;
    assert_true(spec_matrix_make(&f.matrix, kind, ALL_ROWS, COLUMNS, nnz, 6));
    assert_ok(ctx, spec_put_csr(ctx, &f.all, &f.matrix, dtype, SPARCL_INDEX64, SPARCL_INDEX32));
    f.all.proof.flags = SPARCL_TRUSTED;
    for (int64_t i = 0; i < listed; ++i)
        f.numbers[i] = (int64_t)(spec_random(&seed) % ALL_ROWS);
    f.list = put_list(ctx, f.numbers, listed, ALL_ROWS, SPARCL_INDEX32);
    f.fields = put_fields(&f);
    count_entries(&f);
    assert_ok(ctx, sparcl_batches_create(ctx, &f.batches));
    assert_ok(ctx, sparcl_pattern_create(ctx, &f.pattern));
    return f;
}

static void close_fixture(fixture *f) {
    spec_matrix_free(&f->matrix);
    sparcl_csr_free(&f->all);
    sparcl_list_free(&f->list);
    sparcl_list_free(&f->fields);
    sparcl_batches_free(f->batches);
    sparcl_pattern_free(f->pattern);
}

static sparcl_status select_batches(fixture *f) {
    return sparcl_batches_select(f->ctx, f->batches, &f->all, &f->fields, &f->list, f->rows,
                                 f->entries);
}

/* Memory for batch i, in buffers that begin with something else. */
static sparcl_csr make_batch(const fixture *f, int64_t i, sparcl_itype offset_type) {
    return (sparcl_csr){.rows = batch_rows(f, i),
                        .cols = COLUMNS,
                        .nnz = f->entries[i],
                        .dtype = f->all.dtype,
                        .offset_type = offset_type,
                        .index_type = SPARCL_INDEX32,
                        .offsets = make_spare(f->ctx, batch_rows(f, i) + 2),
                        .indices = make_spare(f->ctx, f->entries[i] + 3),
                        .values = make_spare(f->ctx, f->entries[i] + 3),
                        .offsets_at = 1,
                        .indices_at = 3,
                        .values_at = 2};
}

static void assert_same_array(sparcl_ctx *ctx, const sparcl_buf *a, const sparcl_buf *b,
                              int64_t bytes) {
    char *const of_a = bytes_of(ctx, a), *const of_b = bytes_of(ctx, b);
    assert_memory_equal(of_a, of_b, (size_t)bytes);
    free(of_a);
    free(of_b);
}

static sparcl_list make_fields(const fixture *f, int64_t i) {
    return (sparcl_list){.limit = SQUARES,
                         .count = f->entries[i],
                         .index_type = SPARCL_INDEX32,
                         .indices = make_spare(f->ctx, f->entries[i] + 5),
                         .indices_at = 4};
}

/* Those of the rows of a batch, and nothing before and after them. */
static void check_fields(const fixture *f, int64_t i, const sparcl_list *fields) {
    const int64_t *const offsets = f->matrix.offsets;
    sparcl_buf *const spare = make_spare(f->ctx, fields->count + 5);
    int32_t *const expected = (int32_t *)bytes_of(f->ctx, spare);
    char *const found = bytes_of(f->ctx, fields->indices);
    int64_t at = fields->indices_at;
    for (int64_t r = i * f->rows; r < i * f->rows + batch_rows(f, i); ++r)
        for (int64_t k = offsets[f->numbers[r]]; k < offsets[f->numbers[r] + 1]; ++k)
            expected[at++] = (int32_t)(k * k);
    assert_memory_equal(found, expected, (size_t)(fields->count + 5) * 4);
    free(found);
    free(expected);
    sparcl_buf_free(spare);
    sparcl_buf_free(fields->indices);
}

/* All of the pattern's arrays, with its values. */
static void assert_same_pattern(sparcl_ctx *ctx, sparcl_pattern *a, sparcl_pattern *b,
                                const sparcl_csr *x) {
    const int64_t found = int_at(ctx, a->found, 0);
    assert_int_equal(int_at(ctx, b->found, 0), found);
    assert_int_equal(a->stamp, b->stamp);
    assert_ok(ctx, spc_pattern_values(ctx, a, x));
    assert_ok(ctx, spc_pattern_values(ctx, b, x));
    assert_same_array(ctx, a->starts, b->starts, (found + 1) * 4);
    assert_same_array(ctx, a->columns, b->columns, found * 4);
    assert_same_array(ctx, a->row_of, b->row_of, x->nnz * 4);
    assert_same_array(ctx, a->perm, b->perm, x->nnz * 4);
    assert_same_array(ctx, a->values, b->values, x->nnz * (int64_t)sparcl_dtype_size(x->dtype));
}

static void check_batch(fixture *f, int64_t i) {
    sparcl_ctx *const ctx = f->ctx;
    const sparcl_itype type = i % 2 ? SPARCL_INDEX64 : SPARCL_INDEX32;
    sparcl_csr taken = make_batch(f, i, type), selected = make_batch(f, i, type);
    sparcl_list rows = f->list;
    sparcl_pattern *pattern = NULL;
    rows.indices_at = i * f->rows;
    rows.count = taken.rows;
    assert_ok(ctx, sparcl_csr_take_rows(ctx, &selected, &f->all, &rows, NULL));
    const sparcl_list fields = make_fields(f, i);
    assert_ok(ctx, sparcl_batches_take(ctx, f->batches, i, &taken, &fields, f->pattern));
    check_fields(f, i, &fields);
    assert_same_array(ctx, taken.offsets, selected.offsets, sparcl_buf_bytes(taken.offsets));
    assert_same_array(ctx, taken.indices, selected.indices, sparcl_buf_bytes(taken.indices));
    assert_same_array(ctx, taken.values, selected.values, sparcl_buf_bytes(taken.values));
    assert_int_equal(sparcl_csr_flags(&taken), sparcl_csr_flags(&selected));
    assert_ok(ctx, sparcl_pattern_create(ctx, &pattern));
    assert_ok(ctx, sparcl_pattern_build(ctx, pattern, &taken));
    assert_same_pattern(ctx, f->pattern, pattern, &taken);
    sparcl_pattern_free(pattern);
    sparcl_csr_free(&taken);
    sparcl_csr_free(&selected);
}

static void check_all(fixture *f) {
    assert_ok(f->ctx, select_batches(f));
    for (int64_t i = 0; i < f->count; ++i)
        check_batch(f, i);
}

static void batches_are_those_that_are_made_one_by_one(void **state) {
    static const spec_kind kinds[] = {SPEC_UNIFORM, SPEC_RAGGED, SPEC_DUPLICATE};
    class_contexts all = open_classes(*state);
    /* Mesa's compiler takes a minute for the others. */
    const bool small = test_is_small() || strcmp(sparcl_ctx_platform(*state), "rusticl") == 0;
    for (size_t c = 0; c < (small ? 1 : COUNT(all.contexts)); ++c)
        for (size_t k = 0; all.contexts[c] && k < (small ? 1 : COUNT(kinds)); ++k)
            for (int64_t rows = small ? 64 : 1; rows <= 64; rows *= 4) {
                fixture f = open_fixture(all.contexts[c], kinds[k], 400, 150, rows, SPARCL_F32);
                check_all(&f);
                f.list.count = 61; /* fewer now, in the same memory */
                f.count = (61 + rows - 1) / rows;
                count_entries(&f);
                check_all(&f);
                close_fixture(&f);
            }
    close_classes(&all);
}

static void values_of_every_type_are_moved(void **state) {
    static const sparcl_dtype types[] = {SPARCL_F16, SPARCL_BF16, SPARCL_F64};
    const int has_f64 = sparcl_ctx_device(*state)->has_f64;
    for (size_t i = 0; i < COUNT(types) - (size_t)!has_f64; ++i) {
        fixture f = open_fixture(*state, SPEC_UNIFORM, 300, 50, 16, types[i]);
        check_all(&f);
        close_fixture(&f);
    }
}

static void rows_and_batches_may_be_empty(void **state) {
    fixture f = open_fixture(*state, SPEC_UNIFORM, 0, 50, 16, SPARCL_F32);
    check_all(&f);
    f.list.count = 0;
    assert_ok(f.ctx, select_batches(&f));
    close_fixture(&f);
}

static void a_batch_with_other_entries_than_were_said_is_empty(void **state) {
    sparcl_ctx *const ctx = *state;
    fixture f = open_fixture(ctx, SPEC_UNIFORM, 400, 60, 20, SPARCL_F32);
    int64_t found = 7;
    --f.entries[1];
    assert_ok(ctx, select_batches(&f));
    sparcl_csr x = make_batch(&f, 1, SPARCL_INDEX64);
    assert_ok(ctx, sparcl_batches_take(ctx, f.batches, 1, &x, NULL, f.pattern));
    for (int i = 0; i <= 20; ++i)
        assert_int_equal(int_at(ctx, x.offsets, 1 + i), 0);
    assert_ok(ctx, sparcl_buf_read(ctx, sparcl_pattern_columns(f.pattern).count, 0, 8, &found));
    assert_int_equal(found, 0);
    sparcl_csr_free(&x);
    check_batch(&f, 0); /* the others are whole */
    f.entries[1] += 2;  /* one too many now */
    assert_ok(ctx, select_batches(&f));
    check_batch(&f, 2);
    close_fixture(&f);
}

static void what_does_not_fit_is_refused(void **state) {
    sparcl_ctx *const ctx = *state;
    fixture f = open_fixture(ctx, SPEC_UNIFORM, 400, 60, 20, SPARCL_F32);
    sparcl_csr x = make_batch(&f, 1, SPARCL_INDEX32), other;
#define SELECT(b, fields, rows, entries)                                                           \
    sparcl_batches_select(ctx, b, &f.all, fields, &f.list, rows, entries)
#define TAKE(i, x) sparcl_batches_take(ctx, f.batches, i, x, NULL, f.pattern)
    assert_refused(ctx, sparcl_batches_create(ctx, NULL), SPARCL_E_ARG, "batches is NULL");
    assert_refused(ctx, TAKE(0, &x), SPARCL_E_ARG, "there is no batch 0");
    assert_refused(ctx, SELECT(NULL, NULL, f.rows, f.entries), SPARCL_E_ARG, "batches NULL");
    assert_refused(ctx, SELECT(f.batches, NULL, 0, f.entries), SPARCL_E_ARG, "no row in a batch");
    assert_refused(ctx, SELECT(f.batches, NULL, 20, NULL), SPARCL_E_ARG, "entries NULL");
    other = f.all;
    other.proof = (sparcl_proof){0};
    assert_refused(ctx, sparcl_batches_select(ctx, f.batches, &other, NULL, &f.list, 20, f.entries),
                   SPARCL_E_UNCHECKED, "the matrix is not checked");
    f.entries[2] += (int64_t)1 << 31;
    assert_refused(ctx, select_batches(&f), SPARCL_E_UNSUPPORTED, "select fewer batches");
    f.entries[2] -= (int64_t)1 << 31;
    assert_ok(ctx, select_batches(&f));
    assert_refused(ctx, TAKE(3, &x), SPARCL_E_ARG, "there is no batch 3, expected 0 to 2");
    assert_refused(ctx, sparcl_batches_take(ctx, f.batches, 1, &x, NULL, NULL), SPARCL_E_ARG,
                   "found NULL");
    other = x;
    other.nnz -= 1;
    assert_refused_untouched(ctx, x.indices, TAKE(1, &other), SPARCL_E_SHAPE, "batch 1 is");
    assert_ok(ctx, TAKE(1, &x)); /* what was refused changed nothing */
    sparcl_csr_free(&x);
    check_batch(&f, 2);
    close_fixture(&f);
    sparcl_batches_free(NULL);
}

static void fields_that_do_not_fit_are_refused(void **state) {
    sparcl_ctx *const ctx = *state;
    fixture f = open_fixture(ctx, SPEC_UNIFORM, 400, 60, 20, SPARCL_F32);
    sparcl_csr x = make_batch(&f, 1, SPARCL_INDEX32);
    sparcl_list fields = f.fields, taken = make_fields(&f, 1);
#define TAKE_FIELDS(fields) sparcl_batches_take(ctx, f.batches, 1, &x, fields, f.pattern)
    --fields.count;
    assert_refused(ctx, SELECT(f.batches, &fields, 20, f.entries), SPARCL_E_SHAPE,
                   "399 fields, expected one for each of 400 entries");
    fields.count = 1;
    fields.index_type = SPARCL_INDEX64;
    assert_refused(ctx, SELECT(f.batches, &fields, 20, f.entries), SPARCL_E_DTYPE,
                   "fields of 64 bits");
    assert_ok(ctx, select_batches(&f));
    --taken.count;
    assert_refused_untouched(ctx, taken.indices, TAKE_FIELDS(&taken), SPARCL_E_SHAPE, "expected");
    ++taken.count;
    --taken.limit;
    assert_refused_untouched(ctx, taken.indices, TAKE_FIELDS(&taken), SPARCL_E_SHAPE,
                             "expected 1048576");
    ++taken.limit;
    assert_ok(ctx, SELECT(f.batches, NULL, 20, f.entries));
    assert_refused_untouched(ctx, taken.indices, TAKE_FIELDS(&taken), SPARCL_E_ARG,
                             "were not selected");
    assert_ok(ctx, TAKE_FIELDS(NULL));
    sparcl_buf_free(taken.indices);
    sparcl_csr_free(&x);
    close_fixture(&f);
}

static void a_device_with_many_lanes_takes_as_many_as_fit(void **state) {
    class_contexts all = open_classes(*state);
    const int64_t million = 1 << 20;
    const int64_t entries[] = {1000, 1000, 1000, million, million, million, million, million};
    sparcl_csr x = {.rows = 9, .cols = 9, .index_type = SPARCL_INDEX32};
    for (size_t c = 1; c < COUNT(all.contexts); ++c) {
        sparcl_ctx *const ctx = all.contexts[c];
        if (!ctx) continue;
        const int64_t fit = sparcl_batches_fit(ctx, &x, entries, 8);
        if (c == 1) {
            assert_int_equal(fit, 0); /* wide cores: one by one */
            continue;
        }
        assert_in_range(fit, 3, 6); /* at most 2^22 entries, fewer on a device with less memory */
        assert_int_equal(sparcl_batches_fit(ctx, &x, entries, 2), 2);
        assert_int_equal(sparcl_batches_fit(ctx, &x, entries + 3, 0), 0);
        x.index_type = SPARCL_INDEX64;
        assert_int_equal(sparcl_batches_fit(ctx, &x, entries, 8), 0);
    }
    close_classes(&all);
}

/* The launches of all batches, one more, and of each that is taken; the memory that the header
 * allows. */
static void all_batches_take_little_more_than_one(void **state) {
    sparcl_ctx *const ctx = open_class(SPARCL_CLASS_GPU);
    (void)state;
    if (!ctx) return;
    fixture f = open_fixture(ctx, SPEC_UNIFORM, 400, 150, 16, SPARCL_F32);
    fixture one = open_fixture(ctx, SPEC_UNIFORM, 400, 150, 150, SPARCL_F32);
    sparcl_csr x = make_batch(&one, 0, SPARCL_INDEX32), taken = make_batch(&f, 1, SPARCL_INDEX32);
    int64_t nnz = 0;
    for (int64_t i = 0; i < f.count; ++i)
        nnz += f.entries[i];
    assert_ok(ctx, sparcl_csr_take_rows(ctx, &x, &one.all, &one.list, NULL)); /* scratch */
    assert_ok(ctx, sparcl_pattern_build(ctx, one.pattern, &x));
    int64_t before = sparcl_ctx_launches(ctx);
    assert_ok(ctx, sparcl_csr_take_rows(ctx, &x, &one.all, &one.list, NULL));
    assert_ok(ctx, sparcl_pattern_build(ctx, one.pattern, &x));
    const int64_t of_one = sparcl_ctx_launches(ctx) - before, memory = sparcl_ctx_memory(ctx);
    before += of_one;
    assert_ok(ctx, select_batches(&f));
    assert_int_equal(sparcl_ctx_launches(ctx) - before, of_one + 1);
    /* with fields; an eighth more, and what does not depend on entries */
    assert_true(sparcl_ctx_memory(ctx) - memory <= 44 * nnz * 9 / 8 + (1 << 20));
    before += of_one + 1;
    assert_ok(ctx, sparcl_batches_take(ctx, f.batches, 1, &taken, NULL, f.pattern));
    assert_int_equal(sparcl_ctx_launches(ctx) - before, 1);
    sparcl_csr_free(&x);
    sparcl_csr_free(&taken);
    close_fixture(&f);
    close_fixture(&one);
    sparcl_ctx_close(ctx);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_are_those_that_are_made_one_by_one),
        cmocka_unit_test(values_of_every_type_are_moved),
        cmocka_unit_test(rows_and_batches_may_be_empty),
        cmocka_unit_test(a_batch_with_other_entries_than_were_said_is_empty),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(fields_that_do_not_fit_are_refused),
        cmocka_unit_test(all_batches_take_little_more_than_one),
        cmocka_unit_test(a_device_with_many_lanes_takes_as_many_as_fit),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
