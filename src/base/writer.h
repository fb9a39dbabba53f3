/* writer.h: writes files so that at every moment a name is the old file or the complete new one. */
#ifndef SPC_BASE_WRITER_H
#define SPC_BASE_WRITER_H

#include <stdbool.h>

#include "base/macros.h"

enum { SPC_TEMPORARIES = 10 };

/*
 * A file that is written. The bytes go to a temporary file beside it, which is locked, synced and
 * then renamed; the mode and, where that is allowed, the owner of a file that it replaces stay. Of
 * a symbolic link, what it leads to is replaced. A path that is no regular file, such as a device
 * or a pipe, is written directly, and so is a descriptor that is named as /dev/fd/1 or /dev/stdout.
 */
typedef struct spc_writer {
    const char *path;  /* as the caller names it */
    char *target;      /* where links lead; NULL: written directly */
    char *temporary;   /* what becomes the target */
    int file;          /* open until the name is there; -1 */
    unsigned mode;     /* of the file that is replaced; 0: there is none */
    unsigned uid, gid; /* its owner */
} spc_writer;

/* Begin. `alone`: refused while another process writes the file. E_IO, E_MEMORY. */
SPARCL_MUST_CHECK sparcl_status spc_writer_open(spc_writer *writer, const char *path, bool alone,
                                                sparcl_error *error);
/* The same for a file that others read while it grows: without a temporary one. */
SPARCL_MUST_CHECK sparcl_status spc_writer_open_growing(spc_writer *writer, const char *path,
                                                        sparcl_error *error);
SPARCL_MUST_CHECK sparcl_status spc_writer_put(spc_writer *writer, const void *bytes, size_t size,
                                               sparcl_error *error);
/* End. With a suffix, the file that is replaced gets the name target + suffix. After an error there
 * is no temporary file. */
SPARCL_MUST_CHECK sparcl_status spc_writer_commit(spc_writer *writer, const char *suffix,
                                                  sparcl_error *error);
/* End without a file; also of a writer that was not opened or has ended. */
void spc_writer_discard(spc_writer *writer);

/* Write all bytes to a descriptor. 0 or an errno. */
int spc_put_bytes(int file, const void *bytes, size_t size);

/* Where symbolic links at the end of `path` lead, which need not exist; it is freed with free(). 0,
 * an errno, or a number for a link that another user has put into a folder where all may write. */
int spc_link_target(const char *path, char **target);
/* What such a number means. */
const char *spc_failure_text(int failure);
/* The temporary file `number` of a target, allocated with malloc; NULL: no memory. */
char *spc_temporary_name(const char *target, int number);
/* The number of the descriptor that a path names; -1: none. */
int spc_named_descriptor(const char *path);

#endif
