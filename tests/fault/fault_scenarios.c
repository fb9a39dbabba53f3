/* fault_scenarios.c: the scenarios that fault.c lets fail: calls of the library, a cache, a
 * training, an operation. */
#include "fault.h"

#include "folder_test.h"

#include "base/macros.h"
#include "sparcl/opencl.h"

static sparcl_status list_devices(sparcl_ctx *ctx, sparcl_error *error) {
    const sparcl_allocator allocator = fault_desc().allocator;
    sparcl_device_list list;
    (void)ctx;
    const sparcl_status status = sparcl_device_list_get(&list, &allocator, error);
    sparcl_device_list_free(&list);
    return status;
}

static sparcl_status open_context(sparcl_ctx *ctx, sparcl_error *error) {
    const sparcl_ctx_desc desc = fault_desc();
    sparcl_ctx *second = NULL;
    (void)ctx;
    const sparcl_status status = sparcl_ctx_open(&second, &desc, error);
    if (status != SPARCL_OK && second)
        fault_found("open", "a context beside an error", sparcl_status_name(status));
    sparcl_ctx_close(second);
    return status;
}

/* Errors are also handled where the caller passes no record. */
static sparcl_status adopt_context(sparcl_ctx *ctx, sparcl_error *error) {
    const sparcl_ctx_desc desc = fault_desc();
    sparcl_ctx *second = NULL;
    sparcl_buf *ours = NULL, *theirs = NULL;
    sparcl_status status = sparcl_buf_create(ctx, &ours, 1000);
    if (status != SPARCL_OK) return status;
    status = sparcl_ctx_adopt(&second, sparcl_ctx_cl_context(ctx), sparcl_ctx_cl_device(ctx),
                              sparcl_ctx_cl_queue(ctx), &desc, error);
    if (status == SPARCL_OK) {
        status = sparcl_buf_adopt(second, &theirs, sparcl_buf_cl_mem(ours));
        if (status == SPARCL_OK) status = sparcl_buf_fill(second, theirs, 0, 1000, 1);
        if (status != SPARCL_OK) *error = *sparcl_ctx_error(second);
    }
    sparcl_buf_free(theirs);
    sparcl_ctx_close(second);
    sparcl_buf_free(ours);
    return status;
}

static sparcl_status transfer(sparcl_ctx *ctx, int64_t bytes) {
    unsigned char *x = malloc((size_t)bytes), *back = calloc(1, (size_t)bytes);
    sparcl_buf *a = NULL, *b = NULL, *c = NULL;
    sparcl_status status = SPARCL_OK;
    assert_true(x && back);
    for (int64_t i = 0; i < bytes; ++i)
        x[i] = (unsigned char)(i * 31 >> 3);
    SPC_GO(sparcl_buf_upload(ctx, &a, x, bytes));
    SPC_GO(sparcl_buf_create(ctx, &b, bytes));
    SPC_GO(sparcl_buf_fill(ctx, b, 0, bytes, 9));
    SPC_GO(sparcl_buf_copy(ctx, b, 1, a, 1, bytes - 1));
    SPC_GO(sparcl_buf_write(ctx, b, 0, 1, x));
    SPC_GO(sparcl_buf_wrap(ctx, &c, back, bytes));
    SPC_GO(sparcl_buf_copy(ctx, c, 0, b, 0, bytes));
    SPC_GO(sparcl_buf_read(ctx, c, 0, bytes, back));
    if (memcmp(x, back, (size_t)bytes) != 0) status = SPARCL_E_DATA;
done:
    sparcl_buf_free(c);
    sparcl_buf_free(a);
    sparcl_buf_free(b);
    free(x);
    free(back);
    return status;
}

static sparcl_status small_buffers(sparcl_ctx *ctx, sparcl_error *error) {
    (void)error;
    return transfer(ctx, 1000);
}

static sparcl_status large_buffers(sparcl_ctx *ctx, sparcl_error *error) {
    (void)error;
    return transfer(ctx, 3 << 20);
}

static sparcl_status events(sparcl_ctx *ctx, sparcl_error *error) {
    cl_event event = NULL;
    sparcl_status status = sparcl_ctx_event(ctx, &event);
    (void)error;
    if (status != SPARCL_OK) return event ? SPARCL_E_DATA : status;
    status = sparcl_ctx_enqueue_wait(ctx, 1, &event);
    if (status == SPARCL_OK) status = sparcl_ctx_flush(ctx);
    if (status == SPARCL_OK) status = sparcl_ctx_finish(ctx);
    clReleaseEvent(event);
    return status;
}

static sparcl_status probe(sparcl_ctx *ctx, sparcl_error *error) {
    sparcl_probe found;
    (void)error;
    const sparcl_status status = sparcl_ctx_probe(ctx, &found);
    if (status == SPARCL_OK && !(found.divide_correct && found.conversions_correct))
        return SPARCL_E_DATA;
    return status;
}

/* The cache of kernels, and the data of `train`. */
static char folder[] = "/tmp/sparcl_fault_XXXXXX";

static void remove_folder(void) {
    remove_tree(folder);
}

const char *fault_folder(void) {
    return folder;
}

bool fault_make_folder(void) {
    return mkdtemp(folder) && atexit(remove_folder) == 0;
}

/* Kernels from the cache and into it: a fault there may cost time, but is never an error. */
static sparcl_status cached(sparcl_ctx *ctx, sparcl_error *error) {
    sparcl_ctx_desc desc = fault_desc();
    sparcl_ctx *second = NULL;
    (void)ctx;
    desc.cache_dir = folder;
    desc.tuning = NULL; /* what is stored there */
    sparcl_status status = sparcl_ctx_open(&second, &desc, error);
    if (status != SPARCL_OK) return status;
    status = probe(second, error);
    if (status == SPARCL_OK) status = sparcl_tune_store(second);
    if (status != SPARCL_OK) *error = *sparcl_ctx_error(second);
    sparcl_ctx_close(second);
    return status;
}

/* Times that cannot be read, or stored, are an error of the profile, not of the work. */
static sparcl_status profiled(sparcl_ctx *ctx, sparcl_error *error) {
    sparcl_ctx_desc desc = fault_desc();
    sparcl_ctx *second = NULL;
    sparcl_profile profile;
    (void)ctx;
    desc.profile = 1;
    sparcl_status status = sparcl_ctx_open(&second, &desc, error);
    if (status != SPARCL_OK) return status;
    status = transfer(second, 1000);
    if (status == SPARCL_OK) status = sparcl_profile_read(second, &profile);
    if (status != SPARCL_OK) *error = *sparcl_ctx_error(second);
    sparcl_ctx_close(second);
    return status;
}

static sparcl_status fast_product(sparcl_ctx *ctx, sparcl_error *error) {
    enum { SIDE = 64 };
    float ones[SIDE * SIDE], back[SIDE * SIDE];
    sparcl_buf *a = NULL, *c = NULL;
    sparcl_status status = SPARCL_OK;
    (void)error;
    for (int i = 0; i < SIDE * SIDE; ++i)
        ones[i] = 1;
    SPC_GO(sparcl_buf_upload(ctx, &a, ones, sizeof ones));
    SPC_GO(sparcl_buf_create(ctx, &c, sizeof ones));
    const sparcl_dense view_a = {.rank = 2, .shape = {SIDE, SIDE}, .values = a};
    const sparcl_dense view_c = {.rank = 2, .shape = {SIDE, SIDE}, .values = c};
    SPC_GO(sparcl_gemm(ctx, &view_c, 1, SPARCL_OP_N, &view_a, SPARCL_OP_N, &view_a, 0,
                       SPARCL_MATH_FAST));
    SPC_GO(sparcl_buf_read(ctx, c, 0, sizeof back, back));
    if (back[0] != SIDE || back[SIDE * SIDE - 1] != SIDE) status = SPARCL_E_DATA;
done:
    sparcl_buf_free(a);
    sparcl_buf_free(c);
    return status;
}

enum { ROWS_AT = 3, COLUMNS_AT = 7, ENTRIES = 4, WIDE = 3 };

/* A view whose making failed has no buffer; what could not be read says that it has no entry. */
static void check_not_made(sparcl_status status, const char *name, const void *buf, int64_t count) {
    if (status != SPARCL_OK && (buf || count != 0))
        fault_found("views", "a failed call has left something", name);
}

#define MAKE(name, call, buf)                                                                      \
    do {                                                                                           \
        status = (call);                                                                           \
        check_not_made(status, name, buf, 0);                                                      \
        if (status != SPARCL_OK) goto done;                                                        \
    } while (0)

static sparcl_status views(sparcl_ctx *ctx, sparcl_error *error) {
    static const int32_t ints[] = {0, 2, 4, 0, 0, 1, 1, 0, 2, 0, 1};
    static const float reals[ENTRIES * WIDE] = {1, 2, 3, 4, 5, 6};
    const void *const indices[] = {ints + ROWS_AT, ints + COLUMNS_AT};
    sparcl_csr csr = {.rows = 2, .cols = WIDE, .nnz = ENTRIES};
    sparcl_coo coo = {.rank = 2, .shape = {2, WIDE}, .nnz = ENTRIES};
    sparcl_rows rows = {.rank = 2, .shape = {WIDE, WIDE}, .nnr = ENTRIES};
    sparcl_dense dense = {.rank = 2, .shape = {2, WIDE}, .ld = WIDE + 1}, zeros = dense;
    float back[2 * WIDE] = {0};
    int64_t count = 9;
    sparcl_status status = SPARCL_OK;
    (void)error;
    MAKE("csr", sparcl_csr_upload(ctx, &csr, ints, ints + COLUMNS_AT, reals, 0), csr.offsets);
    MAKE("coo", sparcl_coo_upload(ctx, &coo, indices, reals, 0), coo.indices[0]);
    MAKE("rows", sparcl_rows_create(ctx, &rows), rows.indices);
    MAKE("dense", sparcl_dense_upload(ctx, &dense, reals), dense.values);
    MAKE("zeros", sparcl_dense_zeros(ctx, &zeros), zeros.values);
    SPC_GO(sparcl_spmm_t_rows(ctx, &rows, 1, &csr, &dense, NULL));
    status = sparcl_rows_read(ctx, &rows, NULL, NULL, &count);
    check_not_made(status, "rows_read", NULL, count);
    if (status != SPARCL_OK) goto done;
    SPC_GO(sparcl_dense_read(ctx, &dense, back));
    if (count != WIDE || memcmp(back, reals, sizeof back) != 0) status = SPARCL_E_DATA;
done:
    sparcl_csr_free(&csr);
    sparcl_coo_free(&coo);
    sparcl_rows_free(&rows);
    sparcl_dense_free(&dense);
    sparcl_dense_free(&zeros);
    return status;
}

const fault_scenario fault_scenarios[] = {
    {"list", list_devices, false},
    {"open", open_context, false},
    {"adopt", adopt_context, false},
    {"small", small_buffers, false},
    {"large", large_buffers, false},
    {"events", events, false},
    {"probe", probe, false},
    {"cached", cached, true},
    {"fast", fast_product, true},
    {"proofs", fault_proofs, true},
    {"views", views, true},
    {"structure", fault_structure, true},
    {"arrays", fault_arrays, true},
    {"products", fault_products, true},
    {"conversions", fault_conversions, true},
    {"bags", fault_bags, true},
    {"profiled", profiled, true},
    {"graph", fault_graph, true},
#ifdef FAULT_TRAIN
    {"train", fault_train, true},
    {"own", fault_own, true},
#endif
    {NULL, NULL, false},
};

/* The operation of fault_scenario_of, and its case. */
static const spec_op *op;
static spec_case op_case;

static sparcl_status operation(sparcl_ctx *ctx, sparcl_error *error) {
    spec_report report = {0};
    const sparcl_status status = spec_check(ctx, op, &op_case, &report);
    (void)error;
    return status == SPARCL_OK && !report.equal ? SPARCL_E_DATA : status;
}

fault_scenario fault_scenario_of(const spec_op *chosen, bool is_warm) {
    spec_case c;
    int64_t maximum = -1;
    op = chosen;
    for (int i = 0; op->get_case(i, true, &c); ++i) {
        if (c.dtype != SPARCL_F32 || c.rows > 2000 || c.cols > 2000 || c.nnz > 2000 || c.n > 2000)
            continue;
        const int64_t size = c.rows + c.cols + c.nnz + c.n;
        if (size <= maximum) continue;
        op_case = c;
        maximum = size;
    }
    return (fault_scenario){op->name, operation, is_warm};
}
