/* member_path.c: paths that name a member of an archive: FILE.npz:NAME. */
#include "data/io/member_path.h"

#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"

/* The colon before the name of a member; NULL without one. */
static const char *find_colon(const char *path) {
    static const char mark[] = ".npz:";
    const char *last = NULL;
    for (const char *at = strstr(path, mark); at; at = strstr(at + 1, mark))
        last = at + sizeof mark - 2;
    return last && last[1] != '\0' && access(path, F_OK) != 0 ? last : NULL;
}

sparcl_status spc_split_member(const char *path, const sparcl_allocator *allocator, char **file,
                               const char **member, sparcl_error *error) {
    const char *const colon = find_colon(path);
    *member = colon ? colon + 1 : NULL;
    const size_t length = colon ? (size_t)(colon - path) : strlen(path);
    *file = spc_alloc(allocator, length + 1);
    if (!*file) return spc_fail_memory(error, "the name of a file", length + 1);
    memcpy(*file, path, length);
    (*file)[length] = '\0';
    return SPARCL_OK;
}
