/* fault.c: each scenario with its 1st, 2nd, 3rd ... OpenCL call failing, then its 1st, 2nd, 3rd ...
 * request for host memory, until each has failed: each time a clean status and a message,
 * the next call works, and nothing is left after closing. SQLite tests running out of memory in
 * this way. */
#include "fault.h"

#include <dlfcn.h>

#include "layer_fault.h"

/* A scenario of more calls than its budget has about as many fail, chosen by a hash; in a context
 * of its own, where kernels are built each time, fewer. SPARCL_TEST_EVERY divides them. */
enum { MAX_CALLS = 5000, MAX_FAILURES = 20, BUDGET = 400, COLD_BUDGET = 60 };

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

sparcl_ctx_desc fault_desc(void) {
    sparcl_ctx_desc desc = test_desc();
    desc.allocator.fn = allocate;
    return desc;
}

void fault_found(const char *scenario, const char *what, const char *detail) {
    printf("FAILED: %s: %s: %s\n", scenario, what, detail);
    ++failures;
}

static void complain(long n, const char *what, const char *detail) {
    printf("FAILED: %s, %s %ld (%s%s): %s: %s\n", scenario_name, what_fails, n,
           layer->fired && layer->name ? layer->name : "",
           layer->persistent || memory.persistent ? ", and all after" : "", what, detail);
    fflush(stdout);
    ++failures;
}

/*
 * Calls whose failure may remain without effect, only in these places:
 *
 *   everywhere  what a driver does not report counts as what it does not have; whether
 *               two buffers are parts of one is no, where it does not report it; what waits before
 *               memory is freed or a context closed cannot report an error
 *   list        a platform or device that reports nothing is listed as such, or not at all
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
                 {NULL, "clFinish"}, /* of a close, and of a free: they cannot report an error */
                 /* Likewise, as a part of spc_finish. */
                 {"open", "clEnqueueMarkerWithWaitList"},
                 {"adopt", "clEnqueueMarkerWithWaitList"},
                 {"small", "clEnqueueMarkerWithWaitList"},
                 {"large", "clEnqueueMarkerWithWaitList"},
                 {"cached", "clEnqueueMarkerWithWaitList"},
                 {"profiled", "clEnqueueMarkerWithWaitList"},
                 {"train", "clEnqueueMarkerWithWaitList"},
                 {"sddmm", "clEnqueueMarkerWithWaitList"},
                 {"own", "clEnqueueMarkerWithWaitList"},
                 {"list", "clGetPlatformIDs"},
                 {"list", "clGetDeviceIDs"},
                 {"adopt", "clGetDeviceIDs"},
                 {"cached", "clCreateProgramWithBinary"},
                 {"cached", "clBuildProgram"},
                 {"cached", "clGetProgramInfo"},
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
    const sparcl_ctx_desc desc = fault_desc();
    sparcl_ctx *ctx = NULL;
    sparcl_error error = {0};
    if (sparcl_ctx_open(&ctx, &desc, &error) == SPARCL_OK) return ctx;
    complain(0, "opening failed without a fault", error.message);
    exit(1);
}

/* The scenario with call n failing, in `warm` or in a context of its own; false when it has no such
 * call. */
static bool try_once(const fault_scenario *scenario, sparcl_ctx *warm, living *before, long n,
                     bool of_memory, int persistent) {
    sparcl_ctx *ctx = warm ? warm : open_hooked();
    sparcl_error error = {0};
    layer->calls = memory.calls = 0;
    layer->fired = memory.fired = 0;
    layer->persistent = memory.persistent = persistent;
    layer->flavor = persistent;
    *(of_memory ? &memory.fail_at : &layer->fail_at) = n;
    const sparcl_status status = scenario->run(ctx, &error);
    disarm();
    const bool fired = layer->fired || memory.fired;
    last_calls = of_memory ? memory.calls : layer->calls;
    judge(n, status, ctx, &error);
    if (fired && status == SPARCL_OK && !may_survive(of_memory))
        complain(n, "all is well although it failed", "");
    if (!fired && status != SPARCL_OK) complain(n, "failed without a fault", error.message);
    memset(&error, 0, sizeof error);
    if (fired && scenario->run(ctx, &error) != SPARCL_OK)
        complain(n, "the next call does not work", sparcl_ctx_error(ctx)->message);
    if (!warm) sparcl_ctx_close(ctx);
    check_nothing_left(n, before);
    return fired;
}

/* The first call, and of the others a part. */
static bool is_chosen(long n, long one_in) {
    return one_in <= 1 || n == 1 || ((uint32_t)n * 2654435761u >> 16) % (uint32_t)one_in == 0;
}

/* Every chosen call from the first to the last fails; how many that were. */
static long fail_all(const fault_scenario *scenario, sparcl_ctx *warm, living *before,
                     bool of_memory, int persistent) {
    long faults = 0;
    try_once(scenario, warm, before, 0, of_memory, persistent); /* counts the calls */
    const long budget = (warm ? BUDGET : COLD_BUDGET) / test_every(),
               one_in = (last_calls + budget - 1) / budget;
    for (long n = 1; n < MAX_CALLS && failures < MAX_FAILURES; ++n) {
        if (!is_chosen(n, one_in)) continue;
        if (!try_once(scenario, warm, before, n, of_memory, persistent)) break;
        ++faults;
    }
    return faults;
}

/* Cold: each time in a new context, which has no kernels yet. Warm: in one that has them. */
static void loop(const fault_scenario *scenario) {
    living none = count_living(), before = none;
    sparcl_ctx *warm = scenario->is_warm ? open_hooked() : NULL;
    sparcl_error error = {0};
    scenario_name = scenario->name;
    if (warm && scenario->run(warm, &error) != SPARCL_OK)
        complain(0, "failed without a fault", sparcl_ctx_error(warm)->message);
    if (warm) before = count_living();
    for (int mode = 0; mode < 4 && failures < MAX_FAILURES; ++mode) {
        const bool of_memory = mode >= 2;
        what_fails = of_memory ? "host memory" : "OpenCL call";
        const long faults = fail_all(scenario, warm, &before, of_memory, mode % 2);
        if (!of_memory && faults == 0) complain(0, "no call failed", "");
        printf("%-24s %-12s %-14s %ld faults\n", scenario->name, what_fails,
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

/* The last layer is the first to be called: what it lets through meets the strict layer. */
static bool add_layer(const char *path) {
    const char *const others = getenv("OPENCL_LAYERS");
    char all[8192];
    snprintf(all, sizeof all, "%s%s%s", others ? others : "", others ? ":" : "", path);
    return setenv("OPENCL_LAYERS", all, 1) == 0;
}

/* fault LAYER [SCENARIO...] */
int main(int argc, char **argv) {
    if (argc < 2 || !add_layer(argv[1]) || !find_layer(argv[1])) return 1;
    if (!fault_make_folder()) return 1;
    sparcl_ctx_close(test_open());
    if (layer->calls == 0) {
        printf("skipped: this OpenCL loader loads no layers\n");
        return EXIT_SKIPPED;
    }
    for (const fault_scenario *each = fault_scenarios; each->name; ++each)
        if (is_named(each->name, argc, argv)) loop(each);
    /* Cold, the operations take an hour; faults of what is built occur in the scenarios above. */
    const bool is_warm = getenv("SPARCL_TEST_COLD") == NULL;
    for (const spec_op *const *each = spec_ops; *each; ++each) {
        if (!is_named((*each)->name, argc, argv)) continue;
        const fault_scenario operation = fault_scenario_of(*each, is_warm);
        loop(&operation);
    }
    printf("%ld faults, %d failures\n", total, failures);
    return failures > 0 || total == 0;
}
