/* test_cache.c: the binary cache: hits, every kind of damage, hostile folders, several processes at
 * once. */
#include "device_test.h"
#include "folder_test.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/ctx_impl.h"
#include "launch/launch.h"
#include "program/cache.h"
#include "program/facts.h"
#include "program/program.h"

static const char *self; /* the path of this program */

/* A folder of its own for each test, and the counts of the log of the last context. */
typedef struct fixture {
    char folder[64], cache[80];
    int built, taken;
} fixture;

static int setup(void **state) {
    fixture *f = calloc(1, sizeof *f);
    strcpy(f->folder, "/tmp/sparcl_cache_XXXXXX");
    if (!mkdtemp(f->folder)) return -1;
    snprintf(f->cache, sizeof f->cache, "%s/cache", f->folder);
    *state = f;
    return 0;
}

static int teardown(void **state) {
    fixture *f = *state;
    remove_tree(f->folder);
    free(f);
    return 0;
}

static void remember(void *user, sparcl_log_level level, const char *message) {
    fixture *f = user;
    (void)level;
    if (strncmp(message, "built ", 6) == 0) ++f->built;
    if (strncmp(message, "loaded ", 7) == 0) ++f->taken;
}

static sparcl_ctx *open_with(fixture *f, const char *cache) {
    sparcl_ctx_desc desc = test_desc();
    sparcl_ctx *ctx = NULL;
    sparcl_error error;
    f->built = f->taken = 0;
    desc.cache_dir = cache;
    desc.log = remember;
    desc.log_user = f;
    if (sparcl_ctx_open(&ctx, &desc, &error) != SPARCL_OK) fail_msg("%s", error.message);
    ctx->keeps_programs = true; /* also with PoCL */
    return ctx;
}

/* Two small programs, one of them used. */
static sparcl_status build_and_use(sparcl_ctx *ctx, unsigned char *result) {
    sparcl_buf *buf = NULL;
    SPC_TRY(spc_program_build(ctx, "scan", 0));
    SPC_TRY(sparcl_buf_create(ctx, &buf, 100));
    sparcl_status status = SPC_LAUNCH(ctx, "transfer", 0, "fill_bytes", spc_range_each(ctx, 100),
                                      SPC_OUT(buf), SPC_I64(0), SPC_I64(100), SPC_I32(42));
    if (status == SPARCL_OK) status = sparcl_buf_read(ctx, buf, 99, 1, result);
    sparcl_buf_free(buf);
    return status;
}

/* In a new context. */
static void use(fixture *f, const char *cache) {
    unsigned char result = 0;
    sparcl_ctx *ctx = open_with(f, cache);
    assert_ok(ctx, build_and_use(ctx, &result));
    assert_int_equal(result, 42);
    assert_int_equal(sparcl_ctx_error(ctx)->status, SPARCL_OK);
    sparcl_ctx_close(ctx);
}

/* How many records a folder holds, and the path of one; -1 where something else lies there. */
static int count_records(const char *folder, char path[400]) {
    int count = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *e = NULL; dir && (e = readdir(dir));) {
        const char *end = strrchr(e->d_name, '.');
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        if (!end || strcmp(end, ".clbin") != 0) count = -1000;
        if (path) snprintf(path, 400, "%s/%s", folder, e->d_name);
        ++count;
    }
    if (dir) closedir(dir);
    return count;
}

static void the_second_context_loads_what_the_first_built(void **state) {
    fixture *f = *state;
    use(f, f->cache);
    assert_int_equal(f->built, 2);
    assert_int_equal(f->taken, 0);
    assert_int_equal(count_records(f->cache, NULL), 2);
    use(f, f->cache);
    assert_int_equal(f->built, 0);
    assert_int_equal(f->taken, 2);
}

static void without_a_folder_nothing_is_stored(void **state) {
    fixture *f = *state;
    use(f, NULL);
    use(f, NULL);
    assert_int_equal(f->built, 2);
}

static void programs_are_not_stored_where_the_driver_does(void **state) {
    fixture *f = *state;
    for (int i = 0; i < 2; ++i) {
        unsigned char result = 0;
        sparcl_ctx *ctx = open_with(f, f->cache);
        ctx->keeps_programs = false;
        assert_ok(ctx, build_and_use(ctx, &result));
        sparcl_ctx_close(ctx);
        assert_int_equal(f->built, 2);
        assert_int_equal(count_records(f->cache, NULL), 0);
    }
    sparcl_ctx *ctx = test_open();
    assert_int_equal(ctx->keeps_programs,
                     strcmp(sparcl_ctx_platform(ctx), "Portable Computing Language") != 0);
    sparcl_ctx_close(ctx);
}

static bool loads(sparcl_ctx *ctx, const char *key, size_t key_bytes) {
    unsigned char *binary = NULL;
    size_t bytes = 0;
    spc_cache_load(ctx, key, key_bytes, &binary, &bytes);
    const bool good = binary != NULL;
    if (good) {
        assert_int_equal(bytes, 7);
        assert_memory_equal(binary, "BINARY!", 7);
        free(binary);
    }
    return good;
}

static void every_byte_of_a_record_counts(void **state) {
    fixture *f = *state;
    char path[400];
    size_t bytes = 0;
    sparcl_ctx *ctx = open_with(f, f->cache);
    assert_false(loads(ctx, "the key", 7));
    spc_cache_store(ctx, "the key", 7, (const unsigned char *)"BINARY!", 7);
    assert_true(loads(ctx, "the key", 7));
    assert_int_equal(count_records(f->cache, path), 1);
    unsigned char *record = read_bytes(path, &bytes);
    for (size_t i = 0; i < bytes; ++i)
        for (int bit = 0; bit < 8; ++bit) {
            record[i] ^= (unsigned char)(1 << bit);
            write_bytes(path, record, bytes);
            if (loads(ctx, "the key", 7)) fail_msg("bit %d of byte %zu does not count", bit, i);
            record[i] ^= (unsigned char)(1 << bit);
        }
    for (size_t n = 0; n < bytes; ++n) {
        write_bytes(path, record, n);
        assert_false(loads(ctx, "the key", 7));
    }
    unsigned char *longer = calloc(1, bytes + 1);
    memcpy(longer, record, bytes);
    write_bytes(path, longer, bytes + 1);
    assert_false(loads(ctx, "the key", 7));
    write_bytes(path, record, bytes);
    assert_true(loads(ctx, "the key", 7));
    free(longer);
    free(record);
    sparcl_ctx_close(ctx);
}

static void facts_are_recalled_by_name_and_size_in_another_context(void **state) {
    fixture *f = *state;
    const double fact[2] = {1.5, -2};
    double got[2] = {0};
    sparcl_ctx *ctx = open_with(f, f->cache);
    assert_false(spc_fact_load(ctx, "a fact", got, sizeof got));
    spc_fact_store(ctx, "a fact", fact, sizeof fact);
    sparcl_ctx_close(ctx);
    ctx = open_with(f, f->cache);
    assert_true(spc_fact_load(ctx, "a fact", got, sizeof got));
    assert_memory_equal(got, fact, sizeof fact);
    assert_false(spc_fact_load(ctx, "a fact", got, sizeof got[0]));
    assert_false(spc_fact_load(ctx, "another", got, sizeof got));
    sparcl_ctx_close(ctx);
    ctx = open_with(f, NULL); /* without a cache there are none */
    spc_fact_store(ctx, "a fact", fact, sizeof fact);
    assert_false(spc_fact_load(ctx, "a fact", got, sizeof got));
    sparcl_ctx_close(ctx);
}

static void a_record_of_another_key_under_the_same_name_is_not_loaded(void **state) {
    fixture *f = *state;
    char ours[400], moved[400];
    sparcl_ctx *ctx = open_with(f, f->cache);
    spc_cache_store(ctx, "the key", 7, (const unsigned char *)"BINARY!", 7);
    assert_int_equal(count_records(f->cache, ours), 1);
    snprintf(moved, sizeof moved, "%s/aside", f->folder);
    assert_int_equal(rename(ours, moved), 0);
    spc_cache_store(ctx, "a quay!", 7, (const unsigned char *)"BINARY!", 7);
    char theirs[400];
    assert_int_equal(count_records(f->cache, theirs), 1);
    assert_int_equal(rename(theirs, ours), 0);
    assert_false(loads(ctx, "the key", 7));
    assert_int_equal(rename(moved, ours), 0);
    assert_true(loads(ctx, "the key", 7));
    sparcl_ctx_close(ctx);
}

static void a_damaged_record_is_rebuilt_and_replaced(void **state) {
    fixture *f = *state;
    char path[400];
    size_t bytes = 0;
    use(f, f->cache);
    count_records(f->cache, path);
    unsigned char *record = read_bytes(path, &bytes);
    record[bytes - 1] ^= 1;
    write_bytes(path, record, bytes);
    use(f, f->cache);
    assert_int_equal(f->built, 1);
    assert_int_equal(f->taken, 1);
    use(f, f->cache);
    assert_int_equal(f->taken, 2);
    assert_int_equal(truncate(path, (off_t)bytes / 2), 0);
    use(f, f->cache);
    assert_int_equal(f->built, 1);
    free(record);
}

/* Whole and with the right checksum, but not a program for the driver. */
static void a_binary_that_the_driver_refuses_is_rebuilt(void **state) {
    fixture *f = *state;
    char path[400];
    size_t bytes = 0;
    sparcl_ctx *ctx = open_with(f, f->cache);
    const char *platform = sparcl_ctx_platform(ctx);
    /* Oclgrind accepts anything as bitcode; rusticl of Mesa 22.3 aborts. */
    const bool refuses = strcmp(platform, "Oclgrind") != 0 && strcmp(platform, "rusticl") != 0;
    sparcl_ctx_close(ctx);
    if (!refuses) skip();
    use(f, f->cache);
    count_records(f->cache, path);
    unsigned char *record = read_bytes(path, &bytes);
    uint64_t key_bytes = 0;
    memcpy(&key_bytes, record + 8, sizeof key_bytes);
    char *key = malloc((size_t)key_bytes);
    memcpy(key, record + 40, (size_t)key_bytes);
    ctx = open_with(f, f->cache);
    spc_cache_store(ctx, key, (size_t)key_bytes, (const unsigned char *)"no program", 10);
    sparcl_ctx_close(ctx);
    use(f, f->cache);
    assert_int_equal(f->built, 1);
    use(f, f->cache);
    assert_int_equal(f->taken, 2);
    free(key);
    free(record);
}

static void a_folder_that_others_may_write_is_not_used(void **state) {
    static const mode_t modes[] = {0770, 0702, 0777};
    fixture *f = *state;
    for (size_t i = 0; i < 3; ++i) {
        assert_true(mkdir(f->cache, 0700) == 0 || i > 0);
        assert_int_equal(chmod(f->cache, modes[i]), 0);
        use(f, f->cache);
        assert_int_equal(count_records(f->cache, NULL), 0);
    }
    assert_int_equal(chmod(f->cache, 0755), 0);
    use(f, f->cache);
    assert_int_equal(count_records(f->cache, NULL), 2);
    assert_int_equal(chmod(f->cache, 0777), 0);
    use(f, f->cache); /* nor are records read there */
    assert_int_equal(f->built, 2);
}

static void a_folder_of_another_user_is_not_used(void **state) {
    fixture *f = *state;
    use(f, f->cache);
    if (chown(f->cache, 12345, (gid_t)-1) != 0) skip(); /* only root may give a folder away */
    use(f, f->cache);
    assert_int_equal(f->built, 2);
    assert_int_equal(chown(f->cache, geteuid(), (gid_t)-1), 0);
}

static void a_symbolic_link_is_not_followed(void **state) {
    fixture *f = *state;
    char link[100], path[400], target[400];
    use(f, f->cache);
    snprintf(link, sizeof link, "%s/link", f->folder);
    assert_int_equal(symlink(f->cache, link), 0);
    use(f, link);
    assert_int_equal(f->built, 2);
    strcat(link, "//"); /* which the system would follow */
    use(f, link);
    assert_int_equal(f->built, 2);
    count_records(f->cache, path); /* nor is a record that is one */
    snprintf(target, sizeof target, "%s/target", f->folder);
    assert_int_equal(rename(path, target), 0);
    assert_int_equal(symlink(target, path), 0);
    use(f, f->cache);
    assert_int_equal(f->built, 1);
}

static void a_record_that_is_a_folder_or_a_pipe_is_skipped(void **state) {
    fixture *f = *state;
    char path[400];
    use(f, f->cache);
    count_records(f->cache, path);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    use(f, f->cache);
    assert_int_equal(f->built, 1);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    use(f, f->cache); /* and does not wait for a writer */
    assert_int_equal(f->built, 1);
}

static void a_folder_that_cannot_be_made_or_written_is_no_error(void **state) {
    fixture *f = *state;
    char path[100];
    snprintf(path, sizeof path, "%s/file", f->folder);
    write_bytes(path, "x", 1);
    use(f, path);
    snprintf(path, sizeof path, "%s/file/cache", f->folder);
    use(f, path);
    snprintf(path, sizeof path, "%s/no/such/parent", f->folder);
    use(f, path);
    use(f, "");
    assert_int_equal(mkdir(f->cache, 0500), 0);
    use(f, f->cache);
    assert_int_equal(f->built, 2);
}

static void a_temporary_file_left_behind_does_no_harm(void **state) {
    fixture *f = *state;
    char path[400];
    use(f, f->cache);
    snprintf(path, sizeof path, "%s/0123.clbin.1.0x5.tmp", f->cache);
    write_bytes(path, "half a record", 13);
    use(f, f->cache);
    assert_int_equal(f->taken, 2);
}

/* Each process runs this program again: not all drivers survive a fork. */
static void processes_may_share_a_folder(void **state) {
    fixture *f = *state;
    enum { MANY = 6 };
    pid_t children[MANY];
    for (int i = 0; i < MANY; ++i) {
        children[i] = fork();
        if (children[i] == 0) {
            execl(self, self, "--child", f->cache, (char *)NULL);
            _exit(9);
        }
    }
    for (int i = 0; i < MANY; ++i) {
        int code = -1;
        assert_int_equal(waitpid(children[i], &code, 0), children[i]);
        assert_int_equal(code, 0);
    }
    assert_int_equal(count_records(f->cache, NULL), 2);
    use(f, f->cache);
    assert_int_equal(f->taken, 2);
}

static int be_a_child(const char *cache) {
    sparcl_ctx_desc desc = test_desc();
    for (int round = 0; round < 3; ++round) {
        sparcl_ctx *ctx = NULL;
        unsigned char result = 0;
        desc.cache_dir = cache;
        if (sparcl_ctx_open(&ctx, &desc, NULL) != SPARCL_OK) return 1;
        ctx->keeps_programs = true;
        if (build_and_use(ctx, &result) != SPARCL_OK || result != 42) return 2;
        sparcl_ctx_close(ctx);
    }
    return 0;
}

#define CACHE_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        CACHE_TEST(the_second_context_loads_what_the_first_built),
        CACHE_TEST(without_a_folder_nothing_is_stored),
        CACHE_TEST(programs_are_not_stored_where_the_driver_does),
        CACHE_TEST(every_byte_of_a_record_counts),
        CACHE_TEST(facts_are_recalled_by_name_and_size_in_another_context),
        CACHE_TEST(a_record_of_another_key_under_the_same_name_is_not_loaded),
        CACHE_TEST(a_damaged_record_is_rebuilt_and_replaced),
        CACHE_TEST(a_binary_that_the_driver_refuses_is_rebuilt),
        CACHE_TEST(a_folder_that_others_may_write_is_not_used),
        CACHE_TEST(a_folder_of_another_user_is_not_used),
        CACHE_TEST(a_symbolic_link_is_not_followed),
        CACHE_TEST(a_record_that_is_a_folder_or_a_pipe_is_skipped),
        CACHE_TEST(a_folder_that_cannot_be_made_or_written_is_no_error),
        CACHE_TEST(a_temporary_file_left_behind_does_no_harm),
        CACHE_TEST(processes_may_share_a_folder),
    };
    if (argc == 3 && strcmp(argv[1], "--child") == 0) return be_a_child(argv[2]);
    self = argv[0];
    umask(022);
    sparcl_ctx_close(test_open()); /* skipped without a device */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
