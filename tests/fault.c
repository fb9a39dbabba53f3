/* fault.c: each scenario with its 1st, 2nd, 3rd ... OpenCL call failing, then its 1st, 2nd, 3rd ...
 * request for host memory, until all have been through: every time a clean status and a message,
 * the next call works, and nothing is left after closing. As SQLite tests running out of memory. */
#include "device_test.h"

#include <dirent.h>
#include <dlfcn.h>
#include <unistd.h>

#include "base/macros.h"
#include "layer_fault.h"
#include "sparcl/opencl.h"
#include "spec/spec.h"
#ifdef FAULT_TRAIN
#include "sparcl/train.h"
#endif

/* A scenario of more calls than its budget has about so many of them fail, chosen by a hash; in a
 * context of its own, where kernels are built each time, fewer. */
enum { MOST_CALLS = 5000, MOST_FAILURES = 20, BUDGET = 400, COLD_BUDGET = 60 };

/* The allocator hook with the same controls as the layer. */
typedef struct memory_control {
    long calls, fail_at;
    int persistent, fired;
    int64_t live;
} memory_control;

static layer_control *layer;
static memory_control memory;
static const char *scenario_name, *what_fails;
static int failures;
static long total, last_calls;

static void *allocate(void *user, void *block, size_t old_size, size_t size) {
    (void)user;
    if (size == 0) {
        memory.live -= (int64_t)old_size;
        free(block);
        return NULL;
    }
    const long call = ++memory.calls;
    if (memory.fail_at &&
        (call == memory.fail_at || (call > memory.fail_at && memory.persistent))) {
        ++memory.fired;
        return NULL;
    }
    void *grown = realloc(block, size);
    if (grown) memory.live += (int64_t)size - (int64_t)(block ? old_size : 0);
    return grown;
}

/* --- scenarios: each ends with what it made freed again ------------------------------------------
 */

static sparcl_ctx_desc hooked_desc(void) {
    sparcl_ctx_desc desc = test_desc();
    desc.allocator.fn = allocate;
    return desc;
}

static sparcl_status list_devices(sparcl_ctx *ctx, sparcl_error *error) {
    const sparcl_allocator allocator = {allocate, NULL};
    sparcl_device_list list;
    (void)ctx;
    const sparcl_status status = sparcl_device_list_get(&list, &allocator, error);
    sparcl_device_list_free(&list);
    return status;
}

static sparcl_status open_context(sparcl_ctx *ctx, sparcl_error *error) {
    const sparcl_ctx_desc desc = hooked_desc();
    sparcl_ctx *second = NULL;
    (void)ctx;
    const sparcl_status status = sparcl_ctx_open(&second, &desc, error);
    if (status != SPARCL_OK && second)
        printf("FAILED: open: a context beside an error\n"), ++failures;
    sparcl_ctx_close(second);
    return status;
}

/* Also what goes wrong is told where the caller passes no record. */
static sparcl_status adopt_context(sparcl_ctx *ctx, sparcl_error *error) {
    const sparcl_ctx_desc desc = hooked_desc();
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
    status = sparcl_ctx_after(ctx, 1, &event);
    if (status == SPARCL_OK) status = sparcl_ctx_flush(ctx);
    if (status == SPARCL_OK) status = sparcl_ctx_finish(ctx);
    clReleaseEvent(event);
    return status;
}

static sparcl_status probe(sparcl_ctx *ctx, sparcl_error *error) {
    sparcl_probe found;
    (void)error;
    const sparcl_status status = sparcl_ctx_probe(ctx, &found);
    if (status == SPARCL_OK && !(found.divide_right && found.conversions_right))
        return SPARCL_E_DATA;
    return status;
}

/* The cache of kernels, and the data of `train`. */
static char folder[] = "/tmp/sparcl_fault_XXXXXX";

/* Kernels from the cache and into it: a fault there may cost time, but is never an error. */

static sparcl_status cached(sparcl_ctx *ctx, sparcl_error *error) {
    sparcl_ctx_desc desc = hooked_desc();
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

/* Times that cannot be had, or noted, are an error of the profile, not of the work. */
static sparcl_status profiled(sparcl_ctx *ctx, sparcl_error *error) {
    sparcl_ctx_desc desc = hooked_desc();
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

static void remove_folder(void) {
    char path[400];
    DIR *dir = opendir(folder);
    for (struct dirent *e = NULL; dir && (e = readdir(dir));) {
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        unlink(path);
    }
    if (dir) closedir(dir);
    rmdir(folder);
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

/* One matrix of 2 x 3 in all forms, and buffers for what is made of it. */
typedef struct results {
    sparcl_buf *ints, *reals, *made[12];
    sparcl_csr csr, to_csr;
    sparcl_csc to_csc;
    sparcl_coo coo, to_coo, sorted;
    sparcl_rows rows, summed, product;
    sparcl_pattern *pattern;
} results;

enum { OFFSETS_AT = 0, ROWS_AT = 3, COLUMNS_AT = 7, ENTRIES = 4, WIDE = 3 };

static sparcl_status make_results(sparcl_ctx *ctx, results *r) {
    static const int32_t ints[] = {0, 2, 4, 0, 0, 1, 1, 0, 2, 0, 1};
    static const float reals[ENTRIES * WIDE] = {1, 2, 3, 4, 5, 6};
    const sparcl_proof trust = {.flags = SPARCL_TRUSTED};
    SPC_TRY(sparcl_buf_upload(ctx, &r->ints, ints, sizeof ints));
    SPC_TRY(sparcl_buf_upload(ctx, &r->reals, reals, sizeof reals));
    for (size_t i = 0; i < sizeof r->made / sizeof *r->made; ++i)
        SPC_TRY(sparcl_buf_create(ctx, &r->made[i], 64));
    r->csr = (sparcl_csr){.rows = 2, .cols = WIDE, .nnz = ENTRIES, .offsets = r->ints};
    r->csr.indices = r->ints;
    r->csr.indices_at = COLUMNS_AT;
    r->csr.values = r->reals;
    r->csr.proof = trust;
    r->coo = (sparcl_coo){.rank = 2, .shape = {2, WIDE}, .nnz = ENTRIES, .values = r->reals};
    r->coo.indices[0] = r->coo.indices[1] = r->ints;
    r->coo.indices_at[0] = ROWS_AT;
    r->coo.indices_at[1] = COLUMNS_AT;
    r->coo.proof = trust;
    r->rows = (sparcl_rows){.rank = 2, .shape = {WIDE, WIDE}, .nnr = ENTRIES, .values = r->reals};
    r->rows.indices = r->ints;
    r->rows.indices_at = COLUMNS_AT;
    r->rows.proof = trust;
    return sparcl_pattern_create(ctx, &r->pattern);
}

/* The same views on other buffers, unproven. */
static void place_results(results *r) {
    sparcl_buf *const *made = r->made;
    r->to_csr = (sparcl_csr){.rows = 2, .cols = WIDE, .nnz = ENTRIES, .offsets = made[0]};
    r->to_csr.indices = made[1];
    r->to_csr.values = made[2];
    r->to_csc = (sparcl_csc){.rows = 2, .cols = WIDE, .nnz = ENTRIES, .offsets = made[3]};
    r->to_csc.indices = made[4];
    r->to_csc.values = made[5];
    r->to_coo = (sparcl_coo){.rank = 2, .shape = {2, WIDE}, .nnz = ENTRIES, .values = made[8]};
    r->to_coo.indices[0] = made[6];
    r->to_coo.indices[1] = made[7];
    r->to_coo.count = made[9];
    r->sorted = r->to_coo;
    r->summed = (sparcl_rows){.rank = 2, .shape = {WIDE, WIDE}, .nnr = ENTRIES};
    r->summed.indices = made[6];
    r->summed.values = made[8];
    r->summed.count = made[10];
    r->product = r->summed;
}

/* What a failed call has left is not marked as proven. */
static void check_unproven(sparcl_status status, const char *name, uint32_t flags) {
    if (status != SPARCL_OK && flags != 0)
        printf("FAILED: proofs: a failed %s has marked its result\n", name), ++failures;
}

#define PROVE(name, call, flags)                                                                   \
    do {                                                                                           \
        status = (call);                                                                           \
        check_unproven(status, name, flags);                                                       \
        if (status != SPARCL_OK) goto done;                                                        \
    } while (0)

static sparcl_status proofs(sparcl_ctx *ctx, sparcl_error *error) {
    results r = {0};
    sparcl_rows columns;
    sparcl_status status = SPARCL_OK;
    (void)error;
    SPC_GO(make_results(ctx, &r));
    const sparcl_dense b = {.rank = 2, .shape = {2, WIDE}, .values = r.reals};
    place_results(&r);
    PROVE("rows_coalesce", sparcl_rows_coalesce(ctx, &r.summed, &r.rows),
          sparcl_rows_flags(&r.summed));
    PROVE("coo_to_csr", sparcl_coo_to_csr(ctx, &r.to_csr, &r.coo), sparcl_csr_flags(&r.to_csr));
    PROVE("csr_to_csc", sparcl_csr_to_csc(ctx, &r.to_csc, &r.csr), sparcl_csc_flags(&r.to_csc));
    PROVE("csr_to_coo", sparcl_csr_to_coo(ctx, &r.to_coo, &r.csr), sparcl_coo_flags(&r.to_coo));
    PROVE("coo_sort", sparcl_coo_sort(ctx, &r.sorted, &r.coo, NULL, 0),
          sparcl_coo_flags(&r.sorted));
    r.sorted.proof = (sparcl_proof){0};
    PROVE("coo_coalesce", sparcl_coo_coalesce(ctx, &r.sorted, &r.coo), sparcl_coo_flags(&r.sorted));
    PROVE("spmm_t_rows", sparcl_spmm_t_rows(ctx, &r.product, 1, &r.csr, &b, NULL),
          sparcl_rows_flags(&r.product));
    PROVE("pattern", sparcl_pattern_build(ctx, r.pattern, &r.csr),
          (columns = sparcl_pattern_columns(r.pattern), sparcl_rows_flags(&columns)));
done:
    sparcl_pattern_free(r.pattern);
    sparcl_buf_free(r.ints);
    sparcl_buf_free(r.reals);
    for (size_t i = 0; i < sizeof r.made / sizeof *r.made; ++i)
        sparcl_buf_free(r.made[i]);
    return status;
}

#ifdef FAULT_TRAIN
enum { TRAIN_ROWS = 60, TRAIN_COLUMNS = 13 };

/* Rows whose label is the sign of what is in the even columns less what is in the odd ones. */
static sparcl_data *read_train_data(sparcl_error *error) {
    char path[64];
    uint64_t state = 1;
    sparcl_data *data = NULL;
    snprintf(path, sizeof path, "%s/train.svm", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int row = 0; row < TRAIN_ROWS; ++row) {
        double x[TRAIN_COLUMNS], sum = 0;
        for (int c = 0; c < TRAIN_COLUMNS; ++c) {
            x[c] = spec_uniform(&state);
            sum += c % 2 ? -x[c] : x[c];
        }
        fprintf(file, "%d", sum > 0 ? 1 : -1);
        for (int c = row % 3; c < TRAIN_COLUMNS; c += 1 + row % 2)
            fprintf(file, " %d:%.6f", c + 1, x[c]);
        fprintf(file, "\n");
    }
    fclose(file);
    if (sparcl_data_read(&data, path, NULL, error) != SPARCL_OK) return NULL;
    return data;
}

/* A run that comes through has the weights of the first one, in which nothing failed. */
static sparcl_status train(sparcl_ctx *ctx, sparcl_error *error) {
    static sparcl_data *data; /* read once, freed by the system */
    static float wanted[TRAIN_COLUMNS];
    sparcl_train_desc desc = {.epochs = 1, .batch = 25, .l2 = 0.01};
    sparcl_train_result result;
    sparcl_model *model = (sparcl_model *)ctx;
    const bool first = !data;
    if (!data) data = read_train_data(error);
    if (!data) return SPARCL_E_IO;
    const sparcl_status status = sparcl_train(ctx, &model, data, data, &desc, &result, error);
    if (status != SPARCL_OK) return model ? SPARCL_E_DATA : status;
    if (first) memcpy(wanted, sparcl_model_weights(model), sizeof wanted);
    const bool equal = memcmp(wanted, sparcl_model_weights(model), sizeof wanted) == 0;
    const bool learnt = result.loss > 0.2 && result.loss < 0.69 && wanted[0] != 0;
    sparcl_model_free(model);
    return equal && learnt ? SPARCL_OK : SPARCL_E_DATA;
}
#endif

/* The op under test: its largest small case. */
static const spec_op *op;
static spec_case op_case;

static sparcl_status operation(sparcl_ctx *ctx, sparcl_error *error) {
    spec_report report = {0};
    const sparcl_status status = op->check(ctx, &op_case, &report);
    (void)error;
    return status == SPARCL_OK && !report.equal ? SPARCL_E_DATA : status;
}

static void choose_case(const spec_op *chosen) {
    spec_case c;
    int64_t most = -1;
    op = chosen;
    for (int i = 0; op->get_case(i, true, &c); ++i) {
        if (c.dtype != SPARCL_F32 || c.rows > 2000 || c.cols > 2000 || c.nnz > 2000 || c.n > 2000)
            continue;
        const int64_t size = c.rows + c.cols + c.nnz + c.n;
        if (size <= most) continue;
        op_case = c;
        most = size;
    }
}

/* --- the loop ----------------------------------------------------------------------------------
 */

typedef sparcl_status (*scenario)(sparcl_ctx *ctx, sparcl_error *error);

static void complain(long n, const char *what, const char *detail) {
    printf("FAILED: %s, %s %ld (%s%s): %s: %s\n", scenario_name, what_fails, n,
           layer->fired && layer->name ? layer->name : "",
           layer->persistent || memory.persistent ? ", and all after" : "", what, detail);
    fflush(stdout);
    ++failures;
}

/*
 * A call that failed and yet all is well, which is right in these places alone:
 *
 *   everywhere  what a driver does not tell about itself counts as what it does not have; whether
 *               two buffers are parts of one is no, where it does not tell; what waits before
 *               memory is freed or a context closed has nobody to tell
 *   list        a platform or device that answers nothing is listed as such, or not at all
 *   adopt       the place of the device in the list is not known then
 *   cached      the cache is never an error: the program is built from source
 *   fast        the product is then of the exact class
 */
static bool may_survive(bool of_memory) {
    static const struct {
        const char *scenario, *call;
    } right[] = {{NULL, "clGetDeviceInfo"},
                 {NULL, "clGetPlatformInfo"},
                 {NULL, "clGetMemObjectInfo"},
                 {NULL, "clFinish"}, /* of a close, and of a free: nobody is told */
                 /* Likewise, as a part of spc_finish. */
                 {"open", "clEnqueueMarkerWithWaitList"},
                 {"adopt", "clEnqueueMarkerWithWaitList"},
                 {"small", "clEnqueueMarkerWithWaitList"},
                 {"large", "clEnqueueMarkerWithWaitList"},
                 {"cached", "clEnqueueMarkerWithWaitList"},
                 {"profiled", "clEnqueueMarkerWithWaitList"},
                 {"train", "clEnqueueMarkerWithWaitList"},
                 {"list", "clGetPlatformIDs"},
                 {"list", "clGetDeviceIDs"},
                 {"adopt", "clGetDeviceIDs"},
                 {"cached", "clCreateProgramWithBinary"},
                 {"cached", "clBuildProgram"},
                 {"cached", NULL},
                 {"fast", "clGetCommandQueueInfo"},
                 {"fast", "clCreateKernel"},
                 {"fast", "clSetKernelArg"},
                 {"fast", "clEnqueueNDRangeKernel"},
                 {"fast", "clGetContextInfo"},
                 {"fast", "clBuildProgram"},
                 {"fast", "clCreateProgramWithSource"}};
    for (size_t i = 0; i < sizeof right / sizeof *right; ++i) {
        const bool here = !right[i].scenario || strcmp(right[i].scenario, scenario_name) == 0;
        if (here &&
            (of_memory ? !right[i].call : right[i].call && strcmp(right[i].call, layer->name) == 0))
            return true;
    }
    return false;
}

static void disarm(void) {
    layer->fail_at = memory.fail_at = 0;
}

/* A context that lives, and a record of what went wrong. */
static void judge(long n, sparcl_status status, const sparcl_ctx *ctx, const sparcl_error *own) {
    const sparcl_error *error = own->status != SPARCL_OK ? own : sparcl_ctx_error(ctx);
    if (status == SPARCL_OK) return;
    if (status == SPARCL_E_DATA) complain(n, "a wrong result", error->message);
    if (error->status != status)
        complain(n, "the record has another status", sparcl_status_name(status));
    if (!error->message[0]) complain(n, "no message", sparcl_status_name(status));
    if (status == SPARCL_E_OPENCL && error->opencl_code == 0)
        complain(n, "no OpenCL code", error->message);
}

/* What lived before a scenario. */
typedef struct living {
    long objects[LAYER_TYPES];
    int64_t memory;
} living;

static living count_living(void) {
    living now = {.memory = memory.live};
    memcpy(now.objects, layer->live, sizeof now.objects);
    return now;
}

static void check_nothing_left(long n, living *before) {
    const living now = count_living();
    char text[64];
    for (int type = 0; type < LAYER_TYPES; ++type)
        if (now.objects[type] != before->objects[type]) {
            snprintf(text, sizeof text, "%ld of type %d", now.objects[type] - before->objects[type],
                     type);
            complain(n, "OpenCL objects are left", text);
        }
    if (now.memory != before->memory) {
        snprintf(text, sizeof text, "%lld bytes", (long long)(now.memory - before->memory));
        complain(n, "host memory is left", text);
    }
    *before = now;
}

static sparcl_ctx *open_hooked(void) {
    const sparcl_ctx_desc desc = hooked_desc();
    sparcl_ctx *ctx = NULL;
    sparcl_error error = {0};
    if (sparcl_ctx_open(&ctx, &desc, &error) == SPARCL_OK) return ctx;
    complain(0, "opening failed without a fault", error.message);
    exit(1);
}

/* The scenario with call n failing, in `warm` or in a context of its own; false when it has no such
 * call. */
static bool try_once(scenario run, sparcl_ctx *warm, living *before, long n, bool of_memory,
                     int persistent) {
    sparcl_ctx *ctx = warm ? warm : open_hooked();
    sparcl_error error = {0};
    layer->calls = memory.calls = 0;
    layer->fired = memory.fired = 0;
    layer->persistent = memory.persistent = persistent;
    layer->flavor = persistent;
    *(of_memory ? &memory.fail_at : &layer->fail_at) = n;
    const sparcl_status status = run(ctx, &error);
    disarm();
    const bool fired = layer->fired || memory.fired;
    last_calls = of_memory ? memory.calls : layer->calls;
    judge(n, status, ctx, &error);
    if (fired && status == SPARCL_OK && !may_survive(of_memory))
        complain(n, "all is well although it failed", "");
    if (!fired && status != SPARCL_OK) complain(n, "failed without a fault", error.message);
    memset(&error, 0, sizeof error);
    if (fired && run(ctx, &error) != SPARCL_OK)
        complain(n, "the next call does not work", sparcl_ctx_error(ctx)->message);
    if (!warm) sparcl_ctx_close(ctx);
    check_nothing_left(n, before);
    return fired;
}

static bool is_chosen(long n, long one_in) {
    return one_in <= 1 || ((uint32_t)n * 2654435761u >> 16) % (uint32_t)one_in == 0;
}

/* Every chosen call from the first to the last fails; how many that were. */
static long fail_all(scenario run, sparcl_ctx *warm, living *before, bool of_memory,
                     int persistent) {
    long faults = 0;
    try_once(run, warm, before, 0, of_memory, persistent); /* counts the calls */
    const long budget = warm ? BUDGET : COLD_BUDGET, one_in = (last_calls + budget - 1) / budget;
    for (long n = 1; n < MOST_CALLS && failures < MOST_FAILURES; ++n) {
        if (!is_chosen(n, one_in)) continue;
        if (!try_once(run, warm, before, n, of_memory, persistent)) break;
        ++faults;
    }
    return faults;
}

/* Cold: each time in a new context, which has no kernels yet. Warm: in one that has them. */
static void loop(const char *name, scenario run, bool is_warm) {
    living none = count_living(), before = none;
    sparcl_ctx *warm = is_warm ? open_hooked() : NULL;
    sparcl_error error = {0};
    scenario_name = name;
    if (warm && run(warm, &error) != SPARCL_OK)
        complain(0, "failed without a fault", sparcl_ctx_error(warm)->message);
    if (warm) before = count_living();
    for (int mode = 0; mode < 4 && failures < MOST_FAILURES; ++mode) {
        const bool of_memory = mode >= 2;
        what_fails = of_memory ? "host memory" : "OpenCL call";
        const long faults = fail_all(run, warm, &before, of_memory, mode % 2);
        if (!of_memory && faults == 0) complain(0, "no call failed", "");
        printf("%-24s %-12s %-14s %ld faults\n", name, what_fails,
               mode % 2 ? "fails for ever" : "fails once", faults);
        total += faults;
        fflush(stdout);
    }
    sparcl_ctx_close(warm);
    if (warm) check_nothing_left(0, &none);
}

/* The layer is the loader's; the same library opened again is the same. */
static bool find_layer(const char *path) {
    void *library = dlopen(path, RTLD_NOW);
    union {
        void *object;
        layer_get_control_fn function;
    } get = {.object = library ? dlsym(library, "layer_get_control") : NULL};
    if (!get.object) {
        fprintf(stderr, "%s\n", dlerror());
        return false;
    }
    layer = get.function();
    return true;
}

static bool is_named(const char *name, int argc, char **argv) {
    for (int i = 2; i < argc; ++i)
        if (strcmp(argv[i], name) == 0) return true;
    return argc < 3;
}

/* fault LAYER [SCENARIO...] */
int main(int argc, char **argv) {
    static const struct {
        const char *name;
        scenario run;
        bool is_warm;
    } all[] = {
        {"list", list_devices, false},   {"open", open_context, false},
        {"adopt", adopt_context, false}, {"small", small_buffers, false},
        {"large", large_buffers, false}, {"events", events, false},
        {"probe", probe, false},         {"cached", cached, true},
        {"fast", fast_product, true},    {"proofs", proofs, true},
        {"profiled", profiled, true},
#ifdef FAULT_TRAIN
        {"train", train, true},
#endif
    };
    if (argc < 2 || setenv("OPENCL_LAYERS", argv[1], 1) != 0 || !find_layer(argv[1])) return 1;
    if (!mkdtemp(folder)) return 1;
    atexit(remove_folder);
    sparcl_ctx_close(test_open());
    if (layer->calls == 0) {
        printf("skipped: this OpenCL loader loads no layers\n");
        return EXIT_SKIPPED;
    }
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        if (is_named(all[i].name, argc, argv)) loop(all[i].name, all[i].run, all[i].is_warm);
    /* Cold, the operations take an hour; what is built meets its faults in the scenarios above. */
    const bool is_warm = getenv("SPARCL_TEST_COLD") == NULL;
    for (const spec_op *const *each = spec_ops; *each; ++each) {
        if (!is_named((*each)->name, argc, argv)) continue;
        choose_case(*each);
        loop((*each)->name, operation, is_warm);
    }
    printf("%ld faults, %d failures\n", total, failures);
    return failures > 0 || total == 0;
}
