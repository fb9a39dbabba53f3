/* cache.c: kernel binaries on disk. A record has the full key, which is compared, and a checksum of
 * the binary. Any doubt means "no record"; nothing here is ever an error. */
#include "program/cache.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/file.h"
#include "base/memory.h"
#include "device/ctx_impl.h"
#include "program/kernels.h"

#define MAGIC      "sparclK1"
#define MAX_RECORD ((int64_t)256 << 20)

typedef struct record_head {
    char magic[8];
    uint64_t key_bytes, binary_bytes;
    uint64_t checksum[2]; /* XXH3-128 of the binary */
} record_head;

/* Open the folder, created if missing; -1 unless only its owner can write there. */
static int open_folder(const char *path) {
    struct stat info;
    char bare[4096];
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') /* else a link would be followed */
        --length;
    if (length == 0 || length >= sizeof bare) return -1;
    memcpy(bare, path, length);
    bare[length] = 0;
    (void)mkdir(bare, 0700); /* it may exist already: the next lines check */
    const int folder = open(bare, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0) return -1;
    if (fstat(folder, &info) == 0 && info.st_uid == geteuid() && !(info.st_mode & 022))
        return folder;
    close(folder);
    return -1;
}

static void name_record(const char *key, size_t key_bytes, char name[48]) {
    const XXH128_hash_t hash = XXH3_128bits(key, key_bytes);
    snprintf(name, 48, "%016llx%016llx.clbin", (unsigned long long)hash.high64,
             (unsigned long long)hash.low64);
}

static bool read_all(int file, void *to, size_t bytes) {
    size_t got = 0;
    return spc_file_fill(file, to, bytes, &got) == 0 && got == bytes;
}

/* Read the head of a record; false unless it fits the key and the file's size. */
static bool head_fits(int file, size_t key_bytes, record_head *head) {
    struct stat info;
    if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size > MAX_RECORD)
        return false;
    if (!read_all(file, head, sizeof *head)) return false;
    if (memcmp(head->magic, MAGIC, sizeof head->magic) != 0) return false;
    if (head->key_bytes != key_bytes || head->binary_bytes == 0) return false;
    return head->binary_bytes <= (uint64_t)MAX_RECORD &&
           (uint64_t)info.st_size == sizeof *head + head->key_bytes + head->binary_bytes;
}

/* What is behind the head. */
static bool read_rest(int file, const record_head *head, const char *key, char *stored_key,
                      unsigned char *binary) {
    const size_t bytes = (size_t)head->binary_bytes;
    if (!read_all(file, stored_key, head->key_bytes)) return false;
    if (memcmp(stored_key, key, head->key_bytes) != 0 || !read_all(file, binary, bytes))
        return false;
    const XXH128_hash_t sum = XXH3_128bits(binary, bytes);
    return sum.high64 == head->checksum[0] && sum.low64 == head->checksum[1];
}

bool spc_record_read(int file, const sparcl_allocator *allocator, const char *key, size_t key_bytes,
                     unsigned char **binary, size_t *bytes) {
    record_head head;
    *binary = NULL;
    if (!head_fits(file, key_bytes, &head)) return false;
    *bytes = (size_t)head.binary_bytes;
    char *const stored_key = spc_alloc(allocator, key_bytes);
    *binary = spc_alloc(allocator, *bytes);
    const bool good = stored_key && *binary && read_rest(file, &head, key, stored_key, *binary);
    spc_free(allocator, stored_key, key_bytes);
    if (good) return true;
    spc_free(allocator, *binary, *bytes);
    *binary = NULL;
    return false;
}

void spc_cache_load(sparcl_ctx *ctx, const char *key, size_t key_bytes, unsigned char **binary,
                    size_t *bytes) {
    char name[48];
    *binary = NULL;
    const int folder = open_folder(ctx->cache_dir);
    if (folder < 0) return;
    name_record(key, key_bytes, name);
    /* Non-blocking in case the name is a pipe; head_fits then accepts only regular files. */
    const int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    close(folder);
    if (file < 0) return;
    (void)spc_record_read(file, &ctx->allocator, key, key_bytes, binary, bytes);
    close(file);
}

void spc_cache_store(sparcl_ctx *ctx, const char *key, size_t key_bytes,
                     const unsigned char *binary, size_t bytes) {
    char name[48], temporary[96];
    const XXH128_hash_t sum = XXH3_128bits(binary, bytes);
    record_head head = {
        .key_bytes = key_bytes, .binary_bytes = bytes, .checksum = {sum.high64, sum.low64}};
    memcpy(head.magic, MAGIC, sizeof head.magic);
    const int folder = open_folder(ctx->cache_dir);
    if (folder < 0) return;
    name_record(key, key_bytes, name);
    snprintf(temporary, sizeof temporary, "%s.%ld.%p.tmp", name, (long)getpid(), (void *)ctx);
    const int file =
        openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file >= 0) {
        const spc_bytes parts[] = {{&head, sizeof head}, {key, key_bytes}, {binary, bytes}};
        const int failure = spc_file_put(file, parts, SPC_COUNT(parts));
        if (failure || renameat(folder, temporary, folder, name) != 0)
            unlinkat(folder, temporary, 0);
    }
    close(folder);
}

uint64_t spc_cache_hash_kernels(void) {
    uint64_t sum = 0;
    for (const spc_kernel_file *file = spc_kernel_files; file->stem; ++file)
        sum = XXH3_64bits_withSeed(file->text, *file->bytes, sum);
    return sum;
}
