/* test_program.c: kernels that do not build, kernels from a folder, and building all at once. */
#include "device_test.h"
#include "folder_test.h"

#include "launch/launch.h"
#include "program/kernels.h"
#include "program/program.h"
#include "spec/shared/spec.h"

/* A folder with all kernel files, to be changed, and a context that reads from it. */
typedef struct fixture {
    char folder[64];
    sparcl_ctx *ctx;
    char built[65536]; /* the stems, each between blanks */
} fixture;

static char cache[] = "/tmp/sparcl_program_cache_XXXXXX";

static void write_file(const char *folder, const char *stem, const char *text, size_t bytes) {
    char path[200];
    snprintf(path, sizeof path, "%s/%s.cl", folder, stem);
    write_bytes(path, text, bytes);
}

static void restore(const char *folder, const char *stem) {
    for (const spc_kernel_file *file = spc_kernel_files; file->stem; ++file)
        if (!stem || strcmp(stem, file->stem) == 0)
            write_file(folder, file->stem, (const char *)file->text, *file->bytes);
}

static void remember(void *user, sparcl_log_level level, const char *message) {
    fixture *f = user;
    char stem[100] = "";
    (void)level;
    if (sscanf(message, "built %98s", stem) != 1 && sscanf(message, "loaded %98s", stem) != 1)
        return;
    const size_t used = strlen(f->built);
    snprintf(f->built + used, sizeof f->built - used, " %s ", stem);
}

static sparcl_ctx *open_with(fixture *f, const char *kernel_dir) {
    sparcl_ctx_desc desc = test_desc();
    sparcl_ctx *ctx = NULL;
    sparcl_error error;
    f->built[0] = 0;
    desc.kernel_dir = kernel_dir;
    desc.cache_dir = cache; /* what one test has built, the next loads */
    desc.log = remember;
    desc.log_user = f;
    if (sparcl_ctx_open(&ctx, &desc, &error) != SPARCL_OK) fail_msg("%s", error.message);
    return ctx;
}

static int setup(void **state) {
    fixture *f = calloc(1, sizeof *f);
    strcpy(f->folder, "/tmp/sparcl_program_XXXXXX");
    if (!mkdtemp(f->folder)) return -1;
    restore(f->folder, NULL);
    f->ctx = open_with(f, f->folder);
    *state = f;
    return 0;
}

static int teardown(void **state) {
    fixture *f = *state;
    remove_tree(f->folder);
    sparcl_ctx_close(f->ctx);
    free(f);
    return 0;
}

/* A kernel file with more errors than fit in a message. */
static void break_file(const char *folder, const char *stem) {
    static char text[40000];
    size_t used = 0;
    text[0] = 0;
    for (int i = 0; i < 15; ++i)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "KERNEL broken_%d(__global int *x) { x[0] = nobody_knows_%d; }\n",
                                 i, i);
    write_file(folder, stem, text, used);
}

static sparcl_status fill(sparcl_ctx *ctx, int value) {
    sparcl_buf *buf = NULL;
    unsigned char byte = 0;
    SPC_TRY(sparcl_buf_create(ctx, &buf, 100));
    sparcl_status status = SPC_LAUNCH(ctx, "transfer", 0, "fill_bytes", spc_range_each(ctx, 100),
                                      SPC_OUT(buf), SPC_I64(0), SPC_I64(100), SPC_I32(value));
    if (status == SPARCL_OK) status = sparcl_buf_read(ctx, buf, 50, 1, &byte);
    if (status == SPARCL_OK) assert_int_equal(byte, value);
    sparcl_buf_free(buf);
    return status;
}

static void a_kernel_that_does_not_build_is_e_build_with_the_whole_log(void **state) {
    fixture *f = *state;
    assert_string_equal(sparcl_ctx_build_log(f->ctx), "");
    break_file(f->folder, "transfer");
    assert_refused(f->ctx, fill(f->ctx, 1), SPARCL_E_BUILD, "kernel transfer did not build");
    const sparcl_error *error = sparcl_ctx_error(f->ctx);
    const char *log = sparcl_ctx_build_log(f->ctx);
    assert_int_not_equal(error->opencl_code, 0);
    assert_true(strlen(error->message) < sizeof error->message);
    if (strcmp(sparcl_ctx_platform(f->ctx), "Oclgrind") == 0) return; /* stops at its own limit */
    assert_non_null(strstr(log, "nobody_knows_0"));
    assert_non_null(strstr(log, "nobody_knows_14"));
    assert_true(strlen(log) > 700);
}

static void the_context_works_on_after_a_failed_build(void **state) {
    fixture *f = *state;
    break_file(f->folder, "transfer");
    assert_int_equal(fill(f->ctx, 1), SPARCL_E_BUILD);
    assert_int_equal(fill(f->ctx, 1), SPARCL_E_BUILD);
    assert_ok(f->ctx, spc_program_build(f->ctx, "scan", 0));
    restore(f->folder, "transfer");
    assert_ok(f->ctx, fill(f->ctx, 7));
    break_file(f->folder, "transfer"); /* what was built stays */
    assert_ok(f->ctx, fill(f->ctx, 8));
}

static void a_failed_build_leaves_no_memory(void **state) {
    fixture *f = *state;
    break_file(f->folder, "transfer");
    for (int i = 0; i < 3; ++i)
        assert_int_equal(fill(f->ctx, 1), SPARCL_E_BUILD);
    assert_int_equal(sparcl_ctx_memory(f->ctx), 0);
}

static void a_missing_kernel_folder_or_file_is_named(void **state) {
    fixture *f = *state;
    char path[200], longest[5000];
    sparcl_ctx *ctx = open_with(f, "/nonexistent/kernels");
    assert_refused(ctx, spc_program_build(ctx, "scan", 0), SPARCL_E_IO,
                   "/nonexistent/kernels/prelude.cl");
    sparcl_ctx_close(ctx);
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = 0;
    ctx = open_with(f, longest);
    assert_refused(ctx, spc_program_build(ctx, "scan", 0), SPARCL_E_IO, "more than 4095 bytes");
    sparcl_ctx_close(ctx);
    snprintf(path, sizeof path, "%s/scan.cl", f->folder);
    assert_int_equal(unlink(path), 0);
    assert_refused(f->ctx, spc_program_build(f->ctx, "scan", 0), SPARCL_E_IO,
                   "scan.cl: cannot be opened: No such file");
    write_file(f->folder, "scan", "", 0);
    assert_refused(f->ctx, spc_program_build(f->ctx, "scan", 0), SPARCL_E_IO,
                   "scan.cl: the kernel file is empty");
}

static void a_stem_or_kernel_that_does_not_exist_is_refused(void **state) {
    fixture *f = *state;
    sparcl_ctx *ctx = open_with(f, NULL);
    spc_kernel *kernel = NULL;
    assert_refused(ctx, spc_program_build(ctx, "nothing", 0), SPARCL_E_ARG,
                   "no kernel file nothing");
    assert_refused(ctx,
                   spc_program_build(ctx,
                                     "scan+scan+scan+scan+scan+scan+scan+"
                                     "scan+scan+scan+scan+scan+scan+scan",
                                     0),
                   SPARCL_E_ARG, "too many files");
    assert_int_equal(spc_kernel_make(ctx, "scan", 0, "no_such_kernel", &kernel), SPARCL_E_BUILD);
    assert_null(spc_kernel_find(ctx, "scan", 0, "no_such_kernel"));
    assert_int_equal(sparcl_ctx_error(ctx)->opencl_code, CL_INVALID_KERNEL_NAME);
    assert_non_null(strstr(sparcl_ctx_error(ctx)->message, "no_such_kernel"));
    sparcl_ctx_close(ctx);
}

static void f64_on_a_device_without_it_is_refused(void **state) {
    fixture *f = *state;
    const sparcl_device *device = sparcl_ctx_device(f->ctx);
    if (device->has_f64)
        assert_ok(f->ctx, spc_program_build(f->ctx, "panel+stage+sum", SPC_F64));
    else
        assert_refused(f->ctx, spc_program_build(f->ctx, "panel+stage+sum", SPC_F64),
                       SPARCL_E_UNSUPPORTED, "has no float64");
}

/* All programs build, and what the operations build is in the list of all: run cases of each. */
static void all_programs_build_and_none_is_missing(void **state) {
    fixture *f = *state;
    char all[sizeof f->built];
    int built = -1, failed = -1;
    if (test_every() > 1) skip(); /* where it takes minutes; the sweeps build what they use */
    sparcl_ctx *ctx = open_with(f, NULL);
    const sparcl_status status = sparcl_ctx_build_all(ctx, &built, &failed);
    if (status != SPARCL_OK)
        fail_msg("%s\n%s", sparcl_ctx_error(ctx)->message, sparcl_ctx_build_log(ctx));
    assert_true(built >= 9);
    assert_int_equal(failed, 0);
    strcpy(all, f->built);
    assert_ok(ctx, sparcl_ctx_build_all(ctx, NULL, NULL));
    assert_string_equal(f->built, all);
    sparcl_ctx_close(ctx);
    if (test_is_small()) return;
    ctx = open_with(f, NULL);
    for (const spec_op *const *op = spec_ops; *op; ++op) {
        spec_case c;
        for (int i = 0; (*op)->get_case(i, true, &c); ++i) {
            spec_report report = {0};
            /* Other types build other variants of the same programs. */
            if (c.dtype == SPARCL_F64 || !(i < 6 || test_is_chosen(i, 48, 0))) continue;
            if (i > 0 && (c.offset_type == SPARCL_INDEX64 || c.index_type == SPARCL_INDEX64))
                continue;
            assert_ok(ctx, spec_check(ctx, *op, &c, &report));
        }
    }
    sparcl_ctx_close(ctx);
    for (char *stem = strtok(f->built, " "); stem; stem = strtok(NULL, " ")) {
        char part[100];
        snprintf(part, sizeof part, " %s ", stem);
        if (!strstr(all, part)) fail_msg("tools/cmake/programs.cmake did not find %s", stem);
    }
}

static void building_all_continues_and_reports_the_first_failure(void **state) {
    fixture *f = *state;
    int built = 0, failed = 0;
    if (test_is_small() || test_every() > 1) skip();
    break_file(f->folder, "sum");
    break_file(f->folder, "scan");
    assert_refused(f->ctx, sparcl_ctx_build_all(f->ctx, &built, &failed), SPARCL_E_BUILD,
                   "kernel scan");
    assert_true(failed >= 4); /* scan is part of several */
    assert_true(built > failed);
    assert_true(sparcl_ctx_build_log(f->ctx)[0] != 0);
    restore(f->folder, NULL);
    assert_ok(f->ctx, spc_program_build(f->ctx, "scan", 0));
    assert_ok(f->ctx, spc_program_build(f->ctx, "panel+stage+sum", 0));
}

typedef struct builds {
    int begun, ended, loaded;
    bool is_open;
    int64_t total;
    double seconds;
} builds;

static void count_build(void *user, const sparcl_kernel_build *build) {
    builds *const b = user;
    assert_true(build->name && build->name[0]);
    assert_true(b->is_open == (build->is_done != 0)); /* one after the other */
    b->is_open = !build->is_done;
    b->begun += !build->is_done;
    b->ended += build->is_done;
    b->loaded += build->is_loaded;
    b->total = build->total;
    b->seconds += build->seconds;
    assert_int_equal(build->done, b->ended);
}

static void a_hook_is_called_before_and_after_each_kernel_is_built(void **state) {
    fixture *f = *state;
    builds first = {0}, again = {0};
    sparcl_ctx_on_build(NULL, count_build, &first);
    sparcl_ctx_on_build(f->ctx, count_build, &first);
    for (int i = 0; i < 2; ++i)
        assert_ok(f->ctx, fill(f->ctx, 8)); /* the second time it is there */
    assert_true(first.begun > 0);
    assert_int_equal(first.begun, first.ended);
    assert_int_equal(first.total, 0);
    assert_true(first.seconds > 0);
    sparcl_ctx *ctx = open_with(f, f->folder);
    sparcl_ctx_on_build(ctx, count_build, &again);
    assert_ok(ctx, fill(ctx, 8));
    assert_int_equal(again.ended, first.ended);

    assert_true(again.loaded == 0 || again.loaded == again.ended);
    sparcl_ctx_on_build(ctx, NULL, NULL);
    sparcl_ctx_close(ctx);
}

static void a_hook_is_called_for_kernels_that_do_not_build(void **state) {
    fixture *f = *state;
    builds b = {0};
    sparcl_ctx_on_build(f->ctx, count_build, &b);
    break_file(f->folder, "transfer");
    assert_int_equal(fill(f->ctx, 1), SPARCL_E_BUILD);
    assert_int_equal(b.ended, 1);
    assert_false(b.is_open);
}

static void a_hook_knows_how_many_programs_there_are(void **state) {
    fixture *f = *state;
    builds b = {0};
    if (test_is_small() || test_every() > 1) skip();
    break_file(f->folder, "prelude"); /* none builds, so that this takes no time */
    sparcl_ctx_on_build(f->ctx, count_build, &b);
    assert_int_equal(sparcl_ctx_build_all(f->ctx, NULL, NULL), SPARCL_E_BUILD);
    assert_true(b.ended > 100);
    assert_int_equal(b.total, b.ended);
}

#define PROGRAM_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        PROGRAM_TEST(a_kernel_that_does_not_build_is_e_build_with_the_whole_log),
        PROGRAM_TEST(the_context_works_on_after_a_failed_build),
        PROGRAM_TEST(a_failed_build_leaves_no_memory),
        PROGRAM_TEST(a_missing_kernel_folder_or_file_is_named),
        PROGRAM_TEST(a_stem_or_kernel_that_does_not_exist_is_refused),
        PROGRAM_TEST(f64_on_a_device_without_it_is_refused),
        PROGRAM_TEST(all_programs_build_and_none_is_missing),
        PROGRAM_TEST(building_all_continues_and_reports_the_first_failure),
        PROGRAM_TEST(a_hook_is_called_before_and_after_each_kernel_is_built),
        PROGRAM_TEST(a_hook_is_called_for_kernels_that_do_not_build),
        PROGRAM_TEST(a_hook_knows_how_many_programs_there_are),
    };
    sparcl_ctx_close(test_open()); /* skipped without a device */
    if (!mkdtemp(cache)) return 1;
    const int failures = cmocka_run_group_tests(tests, NULL, NULL);
    remove_tree(cache);
    return failures;
}
