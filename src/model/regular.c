/* regular.c: opens a file for reading, unless it is a pipe, a device or a folder. */
#include "model/regular.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

/* A pipe must be refused without waiting for it: open without blocking, then check the type. */
sparcl_status spc_open_regular(FILE **file, const char *path, sparcl_error *error) {
    struct stat about;
    *file = NULL;
    const int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0)
        return spc_fail(error, SPARCL_E_IO, "%s: cannot be opened: %s", path, strerror(errno));
    const bool regular = fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode);
    *file = regular ? fdopen(descriptor, "rb") : NULL;
    if (*file) return SPARCL_OK;
    close(descriptor);
    if (regular) return spc_fail_memory(error, path, sizeof **file);
    return spc_fail(error, SPARCL_E_IO, "%s: is not a regular file, expected a model file", path);
}
