/* writer.c: writes files so that at every moment a name is the old file or the complete new one. */
#include "base/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

enum { MOST_LINKS = 40, LINK_BYTES = 4096, NAME_BYTES = 200, STICKY = 01000 /* S_ISVTX of XSI */ };

/* --- names ------------------------------------------------------------------------------------ */

/* The bytes of the folder's name, with its slash. */
static size_t folder_bytes(const char *path) {
    const char *const slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* The folder itself, in memory that is freed; NULL: no memory. */
static char *folder_of(const char *path) {
    const size_t bytes = folder_bytes(path);
    return bytes > 0 ? strndup(path, bytes) : strdup(".");
}

/* Cut, so that each name that a file system takes has temporary ones. */
char *spc_temporary_name(const char *target, int number) {
    const size_t folder = folder_bytes(target), capacity = folder + NAME_BYTES + 32;
    char *const name = malloc(capacity);
    if (name)
        snprintf(name, capacity, "%.*s%.*s.sparcl-%d.tmp", (int)folder, target, (int)NAME_BYTES,
                 target + folder, number);
    return name;
}

int spc_named_descriptor(const char *path) {
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    static const char standard[] = "/dev/std";
    const bool is_standard = strncmp(path, standard, sizeof standard - 1) == 0;
    const char *const kind = path + (is_standard ? sizeof standard - 1 : 0);
    if (is_standard && strcmp(kind, "out") == 0) return STDOUT_FILENO;
    if (is_standard && strcmp(kind, "err") == 0) return STDERR_FILENO;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; ++i) {
        const char *const digits = path + strlen(folders[i]);
        const bool is_in = strncmp(path, folders[i], strlen(folders[i])) == 0;
        if (is_in && *digits && strspn(digits, "0123456789") == strlen(digits) &&
            strlen(digits) < 8)
            return atoi(digits);
    }
    return -1;
}

/* As Linux does where it follows links (protected_symlinks): in a folder such as /tmp, others
 * decide where theirs lead. */
static bool is_trusted(const char *path, const struct stat *link) {
    struct stat about;
    char *const folder = folder_of(path);
    const bool is_known = folder && stat(folder, &about) == 0;
    const bool is_shared = is_known && (about.st_mode & STICKY) && (about.st_mode & S_IWOTH);
    free(folder);
    return is_known && (!is_shared || link->st_uid == geteuid() || link->st_uid == about.st_uid);
}

/* Of no errno. */
enum { FOREIGN_LINK = -1 };

const char *spc_failure_text(int failure) {
    return failure == FOREIGN_LINK ? "it is a link of another user in a folder where all may write"
                                   : strerror(failure);
}

/* Follow a link, seen from where its path is. *is_end: it is none. 0, an errno or FOREIGN_LINK. */
static int follow(char **path, bool *is_end) {
    char text[LINK_BYTES];
    struct stat about;
    const int code = lstat(*path, &about) == 0 ? 0 : errno;
    *is_end = code == ENOENT || (!code && !S_ISLNK(about.st_mode));
    if (*is_end || code) return *is_end ? 0 : code;
    if (!is_trusted(*path, &about)) return FOREIGN_LINK;
    const ssize_t bytes = readlink(*path, text, sizeof text - 1);
    if (bytes < 0) return errno;
    text[bytes] = '\0';
    const size_t folder = text[0] == '/' ? 0 : folder_bytes(*path),
                 all = folder + (size_t)bytes + 1;
    char *const next = malloc(all);
    if (!next) return ENOMEM;
    snprintf(next, all, "%.*s%s", (int)folder, *path, text);
    free(*path);
    *path = next;
    return 0;
}

int spc_link_target(const char *path, char **target) {
    bool is_end = false;
    *target = strdup(path);
    int code = *target ? 0 : ENOMEM;
    for (int i = 0; !code && !is_end; ++i)
        code = i < MOST_LINKS ? follow(target, &is_end) : ELOOP;
    if (!code) return 0;
    free(*target);
    *target = NULL;
    return code;
}

static sparcl_status fail_errno(const spc_writer *writer, int code, sparcl_error *error) {
    return spc_fail(error, SPARCL_E_IO, "%s: cannot be written: %s", writer->path,
                    spc_failure_text(code));
}

/* --- the temporary file ----------------------------------------------------------------------- */

/* A name that another process has meanwhile removed or renamed is not that of the file any more. */
static bool is_still(int file, const char *path) {
    struct stat mine, there;
    return fstat(file, &mine) == 0 && lstat(path, &there) == 0 && mine.st_ino == there.st_ino &&
           mine.st_dev == there.st_dev;
}

/* What stands there may have been left by a process that was killed: then nobody has locked it.
 * *is_used: somebody has. */
static bool remove_left(const char *name, bool *is_used) {
    struct stat about;
    const int file = open(name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    *is_used = false;
    if (file < 0) return false;
    bool is_left = fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_uid == geteuid();
    if (is_left && flock(file, LOCK_EX | LOCK_NB) != 0) {
        *is_used = errno == EWOULDBLOCK;
        is_left = false;
    }
    is_left = is_left && is_still(file, name) && unlink(name) == 0;
    (void)close(file);
    return is_left;
}

/* A new file that is locked, where the file system has locks; -1: errno, EEXIST where the name is
 * taken. What is replaced may be for few eyes. */
static int create(const char *name, bool is_new) {
    const int file =
        open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, is_new ? 0666 : 0600);
    if (file < 0) return -1;
    if ((flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) && is_still(file, name))
        return file;
    (void)close(file);
    errno = EEXIST;
    return -1;
}

static sparcl_status fail_taken(const spc_writer *writer, bool is_used, sparcl_error *error) {
    if (is_used)
        return spc_fail(error, SPARCL_E_IO, "%s: cannot be written: another process is writing it",
                        writer->path);
    return spc_fail(error, SPARCL_E_IO,
                    "%s: cannot be written: the temporary names beside it, from "
                    "%s.sparcl-0.tmp to -%d.tmp, are taken; remove those files",
                    writer->path, writer->target, SPC_TEMPORARIES - 1);
}

static sparcl_status open_temporary(spc_writer *writer, bool alone, sparcl_error *error) {
    bool is_used = false;
    for (int i = 0; i < SPC_TEMPORARIES && !(alone && is_used); ++i) {
        free(writer->temporary);
        writer->temporary = spc_temporary_name(writer->target, i);
        if (!writer->temporary) return spc_fail_memory(error, writer->path, NAME_BYTES);
        for (int again = 0; again < 2; ++again) {
            writer->file = create(writer->temporary, writer->mode == 0);
            if (writer->file >= 0) return SPARCL_OK;
            if (errno != EEXIST) return fail_errno(writer, errno, error);
            if (!remove_left(writer->temporary, &is_used)) break;
        }
    }
    return fail_taken(writer, alone && is_used, error);
}

/* --- opening ---------------------------------------------------------------------------------- */

static sparcl_status open_directly(spc_writer *writer, const char *path, int flags,
                                   sparcl_error *error) {
    const int descriptor = spc_named_descriptor(path);
    writer->file = descriptor >= 0 ? fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
                                   : open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | flags, 0666);
    return writer->file >= 0 ? SPARCL_OK : fail_errno(writer, errno, error);
}

/* True for what is not replaced. */
static bool is_direct(const char *path, struct stat *old, bool *exists) {
    *exists = stat(path, old) == 0;
    return spc_named_descriptor(path) >= 0 || (*exists && !S_ISREG(old->st_mode));
}

sparcl_status spc_writer_open_growing(spc_writer *writer, const char *path, sparcl_error *error) {
    struct stat old;
    bool exists;
    char *target = NULL;
    *writer = (spc_writer){.path = path, .file = -1};
    if (is_direct(path, &old, &exists)) return open_directly(writer, path, 0, error);
    const int failure = spc_link_target(path, &target);
    if (failure) return fail_errno(writer, failure, error);
    const sparcl_status status =
        open_directly(writer, target, O_CREAT | O_TRUNC | O_NOFOLLOW, error);
    free(target);
    return status;
}

/* Who may not write a file may not replace it either. */
static sparcl_status open_beside(spc_writer *writer, const struct stat *old, bool alone,
                                 sparcl_error *error) {
    if (old && faccessat(AT_FDCWD, writer->path, W_OK, AT_EACCESS) != 0)
        return fail_errno(writer, errno, error);
    if (old) {
        writer->mode = old->st_mode & 0777;
        writer->mode |= S_IFREG;
        writer->uid = old->st_uid;
        writer->gid = old->st_gid;
    }
    const int failure = spc_link_target(writer->path, &writer->target);
    return failure ? fail_errno(writer, failure, error) : open_temporary(writer, alone, error);
}

sparcl_status spc_writer_open(spc_writer *writer, const char *path, bool alone,
                              sparcl_error *error) {
    struct stat old;
    bool exists;
    *writer = (spc_writer){.path = path, .file = -1};
    if (is_direct(path, &old, &exists)) return open_directly(writer, path, 0, error);
    const sparcl_status status = open_beside(writer, exists ? &old : NULL, alone, error);
    if (status != SPARCL_OK) spc_writer_discard(writer);
    return status;
}

/* --- writing ---------------------------------------------------------------------------------- */

int spc_put_bytes(int file, const void *bytes, size_t size) {
    const char *at = bytes;
    while (size > 0) {
        const ssize_t done = write(file, at, size);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return done < 0 ? errno : EIO;
        at += done;
        size -= (size_t)done;
    }
    return 0;
}

sparcl_status spc_writer_put(spc_writer *writer, const void *bytes, size_t size,
                             sparcl_error *error) {
    const int failure = spc_put_bytes(writer->file, bytes, size);
    return failure ? fail_errno(writer, failure, error) : SPARCL_OK;
}

/* The rename must reach the disk, too; a folder that cannot be synced is no error. */
static void sync_folder(const char *path) {
    char *const name = folder_of(path);
    const int folder = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    free(name);
    if (folder < 0) return;
    (void)fsync(folder);
    (void)close(folder);
}

/* A group that the file cannot have gets no rights. */
static int keep_owner(const spc_writer *writer) {
    struct stat now;
    if (writer->mode == 0) return 0;
    if (fstat(writer->file, &now) != 0) return errno;
    mode_t mode = writer->mode & 0777;
    if (now.st_gid != writer->gid && fchown(writer->file, (uid_t)-1, writer->gid) != 0)
        mode &= ~(mode_t)070;
    if (now.st_uid != writer->uid && fchown(writer->file, writer->uid, (gid_t)-1) != 0)
        errno = 0; /* not allowed to most */
    return fchmod(writer->file, mode) == 0 ? 0 : errno;
}

/* In this order: a power cut between the two leaves the previous one. */
static int rename_both(const spc_writer *writer, const char *suffix) {
    const size_t bytes = strlen(writer->target) + (suffix ? strlen(suffix) : 0) + 1;
    char *const previous = suffix ? malloc(bytes) : NULL;
    int failure = suffix && !previous ? ENOMEM : 0;
    if (previous) {
        snprintf(previous, bytes, "%s%s", writer->target, suffix);
        if (rename(writer->target, previous) != 0 && errno != ENOENT) failure = errno;
    }
    if (!failure && rename(writer->temporary, writer->target) != 0) failure = errno;
    free(previous);
    return failure;
}

static int complete(spc_writer *writer, const char *suffix) {
    int failure = keep_owner(writer);
    if (!failure && fsync(writer->file) != 0) failure = errno;
    if (!failure) failure = rename_both(writer, suffix);
    if (failure) return failure;
    free(writer->temporary);
    writer->temporary = NULL; /* it has its name */
    sync_folder(writer->target);
    return 0;
}

/* A late error of a file that is not synced appears only when it is closed. */
sparcl_status spc_writer_commit(spc_writer *writer, const char *suffix, sparcl_error *error) {
    int failure = 0;
    if (writer->target) {
        failure = complete(writer, suffix);
    } else {
        failure = close(writer->file) == 0 ? 0 : errno;
        writer->file = -1;
    }
    const char *const path = writer->path;
    spc_writer_discard(writer);
    return failure ? fail_errno(&(const spc_writer){.path = path}, failure, error) : SPARCL_OK;
}

void spc_writer_discard(spc_writer *writer) {
    if (writer->temporary && writer->file >= 0) (void)unlink(writer->temporary);
    if (writer->path && writer->file >= 0) (void)close(writer->file); /* with the lock */
    free(writer->temporary);
    free(writer->target);
    *writer = (spc_writer){.file = -1};
}
