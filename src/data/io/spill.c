/* spill.c: memory for large arrays in files: each is mapped, so that the system writes what it has
 * no room for to its file, and reads it again where it is needed. */
#include "data/io/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"

struct spc_spill {
    int references;
    int failure;     /* errno of the last block that could not be had; 0 */
    size_t required; /* its bytes */
    char folder[];
};

/* In front of each mapped block, which begins with the page after it. */
typedef struct header {
    int file;
    size_t bytes; /* of the mapping, with this page */
} header;

static size_t page_bytes(void) {
    return (size_t)sysconf(_SC_PAGESIZE);
}

static header *header_of(void *block) {
    return (header *)(void *)((char *)block - page_bytes());
}

/* --- files ------------------------------------------------------------------------------------ */

/* Without a name: it ends with its last use. Negative: errno. */
static int make_file(const char *folder) {
    const size_t room = strlen(folder) + 32;
    char *const path = malloc(room);
    if (!path) return -ENOMEM;
    snprintf(path, room, "%s/sparcl-spill-XXXXXX", folder);
    const int file = mkstemp(path), failure = errno;
    if (file >= 0) (void)unlink(path);
    free(path);
    return file >= 0 ? file : -failure;
}

/* Space on the disk for all of it, so that a full disk is an error here, not a signal later. */
static void *map_file(int file, size_t bytes, int *failure) {
    *failure = posix_fallocate(file, 0, (off_t)bytes);
    if (*failure) return NULL;
    void *const at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (at != MAP_FAILED) return at;
    *failure = errno;
    return NULL;
}

static void *note_failure(spc_spill *spill, int failure, size_t bytes) {
    spill->failure = failure;
    spill->required = bytes;
    return NULL;
}

/* --- blocks ----------------------------------------------------------------------------------- */

static void *make_block(spc_spill *spill, size_t size) {
    const size_t bytes = size + page_bytes();
    int failure = 0;
    const int file = make_file(spill->folder);
    if (file < 0) return note_failure(spill, -file, bytes);
    header *const at = map_file(file, bytes, &failure);
    if (!at) {
        close(file);
        return note_failure(spill, failure, bytes);
    }
    *at = (header){file, bytes};
    return (char *)at + page_bytes();
}

static void free_block(void *block) {
    header *const at = header_of(block);
    const int file = at->file;
    (void)munmap(at, at->bytes);
    close(file);
}

/* The file is mapped a second time, longer, and has the same content there. */
static void *grow_block(spc_spill *spill, void *block, size_t size) {
    header *const old = header_of(block);
    const size_t bytes = size + page_bytes(), old_bytes = old->bytes;
    int failure = 0;
    if (bytes <= old_bytes) return block; /* a smaller one keeps its space */
    header *const at = map_file(old->file, bytes, &failure);
    if (!at) return note_failure(spill, failure, bytes);
    (void)munmap(old, old_bytes);
    at->bytes = bytes;
    return (char *)at + page_bytes();
}

/* A block changes between memory and a file where its size passes the limit. */
static void *move_block(spc_spill *spill, void *memory, size_t old_size, size_t size) {
    const bool to_file = size >= SPC_SPILL_BYTES;
    void *const moved = to_file ? make_block(spill, size) : malloc(size);
    if (!moved) return NULL;
    memcpy(moved, memory, old_size < size ? old_size : size);
    if (to_file)
        free(memory);
    else
        free_block(memory);
    return moved;
}

static void *allocate(void *user, void *memory, size_t old_size, size_t size) {
    spc_spill *const spill = user;
    const bool was_file = memory && old_size >= SPC_SPILL_BYTES;
    if (size == 0) {
        if (was_file)
            free_block(memory);
        else
            free(memory);
        return NULL;
    }
    if (!memory) return size >= SPC_SPILL_BYTES ? make_block(spill, size) : malloc(size);
    if (was_file != (size >= SPC_SPILL_BYTES)) return move_block(spill, memory, old_size, size);
    return was_file ? grow_block(spill, memory, size) : realloc(memory, size);
}

/* --- opening ---------------------------------------------------------------------------------- */

sparcl_status spc_spill_open(spc_spill **spill, const char *folder, sparcl_error *error) {
    const size_t length = strlen(folder);
    const int file = make_file(folder);
    *spill = NULL;
    if (file < 0)
        return spc_fail(error, SPARCL_E_IO, "spill folder %.200s: no file can be made in it: %s",
                        folder, strerror(-file));
    close(file);
    spc_spill *const made = calloc(1, sizeof *made + length + 1);
    if (!made) return spc_fail_memory(error, "spill", sizeof *made + length + 1);
    made->references = 1;
    memcpy(made->folder, folder, length);
    *spill = made;
    return SPARCL_OK;
}

spc_spill *spc_spill_hold(spc_spill *spill) {
    if (spill) ++spill->references;
    return spill;
}

void spc_spill_release(spc_spill *spill) {
    if (spill && --spill->references == 0) free(spill);
}

sparcl_allocator spc_spill_allocator(spc_spill *spill) {
    return (sparcl_allocator){allocate, spill};
}

sparcl_status spc_spill_explain(const spc_spill *spill, sparcl_status status, sparcl_error *error) {
    if (!spill || !spill->failure || status != SPARCL_E_MEMORY) return status;
    return spc_fail(error, SPARCL_E_IO, "spill folder %.200s: a file of %zu bytes: %s",
                    spill->folder, spill->required, strerror(spill->failure));
}
