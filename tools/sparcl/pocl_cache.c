/* pocl_cache.c: where PoCL keeps its programs. */
#include "pocl_cache.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

static const char pocl[] = "Portable Computing Language";

/* Nothing can be made here: PoCL has no device rather than one that runs what others wrote. */
static const char nowhere[] = "/dev/null/pocl";

static const char *absolute(const char *name) {
    const char *const value = getenv(name);
    return value && value[0] == '/' ? value : NULL;
}

/* HOME, or that of the user's account. */
static const char *home_folder(void) {
    const char *const given = absolute("HOME");
    const struct passwd *const account = given ? NULL : getpwuid(geteuid());
    const char *const home = account ? account->pw_dir : given;
    return home && home[0] == '/' && home[1] ? home : NULL;
}

void pocl_cache_choose(void) {
    char folder[PATH_BYTES];
    const char *const xdg = getenv("XDG_CACHE_HOME"), *const given = getenv("POCL_CACHE_DIR");
    const char *const own = absolute("SPARCL_CACHE_DIR"), *const home = home_folder();
    const bool is_usual = xdg && xdg[0] ? xdg[0] == '/' : absolute("HOME") != NULL;
    int length = 0;
    if ((given && given[0]) || is_usual) return;
    if (own)
        length = snprintf(folder, sizeof folder, "%s/pocl", own);
    else if (home)
        length = snprintf(folder, sizeof folder, "%s/.cache/pocl/kcache", home);
    setenv("POCL_CACHE_DIR", length > 0 && (size_t)length < sizeof folder ? folder : nowhere, 1);
}

void pocl_cache_folder(char *folder, size_t bytes) {
    const char *const given = getenv("POCL_CACHE_DIR");
    const char *const xdg = getenv("XDG_CACHE_HOME");
    const char *const home = getenv("HOME");
    int length = 0;
    if (given)
        length = snprintf(folder, bytes, "%s", given);
    else if (xdg && xdg[0])
        length = snprintf(folder, bytes, "%s/pocl/kcache", xdg);
    else if (home)
        length = snprintf(folder, bytes, "%s/.cache/pocl/kcache", home);
    else
        length = snprintf(folder, bytes, "/tmp/pocl/kcache");
    if (length < 0 || (size_t)length >= bytes) folder[0] = '\0';
}

/* Write the text in single quotes for a shell; false if it does not fit. */
static int quote(char *to, size_t bytes, const char *text) {
    size_t used = 0;
    if (bytes < 3) return 0;
    to[used++] = '\'';
    for (; *text && used + 6 < bytes; text++) {
        if (*text == '\'') {
            memcpy(to + used, "'\\'", 3);
            used += 3;
        }
        to[used++] = *text;
    }
    to[used++] = '\'';
    to[used] = '\0';
    return !*text;
}

/* The names of PoCL's folders are two letters, each for four bits of a hash. */
void pocl_cache_command(char *command, size_t bytes) {
    char folder[PATH_BYTES], quoted[PATH_BYTES + 64];
    pocl_cache_folder(folder, sizeof folder);
    command[0] = '\0';
    if (!folder[0] || !quote(quoted, sizeof quoted, folder)) return;
    const int length = snprintf(command, bytes, "rm -rf %s%s", quoted,
                                getenv("POCL_CACHE_DIR") ? "/[A-P][A-P]" : "");
    if (length < 0 || (size_t)length >= bytes) command[0] = '\0';
}

static char remedy[2 * PATH_BYTES]; /* "": none is known */

void pocl_cache_name_platform(const char *platform) {
    char command[PATH_BYTES + 128];
    if (strcmp(platform, pocl) != 0) return;
    pocl_cache_command(command, sizeof command);
    for (char *c = command; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f) *c = '?';
    if (command[0])
        snprintf(remedy, sizeof remedy,
                 "if PoCL's kernel cache is damaged, for example after a full disk: %s", command);
}

const char *pocl_cache_remedy(void) {
    return remedy[0] ? remedy : NULL;
}

/* Cut to the folder that exists; false at its end. */
static bool cut(char *path) {
    char *const slash = strrchr(path, '/');
    if (!slash || !path[1]) return false;
    slash[slash == path] = '\0';
    return true;
}

static bool is_unusable(char *why, size_t bytes) {
    char folder[PATH_BYTES], there[PATH_BYTES];
    struct stat about;
    pocl_cache_folder(folder, sizeof folder);
    snprintf(there, sizeof there, "%s", folder);
    while (stat(there, &about) != 0 && errno == ENOENT && cut(there))
        continue;
    errno = 0;
    if (access(there, W_OK | X_OK) == 0 && stat(there, &about) == 0) {
        if (S_ISDIR(about.st_mode)) return false;
        errno = ENOTDIR;
    }
    if (strcmp(folder, nowhere) == 0)
        snprintf(why, bytes,
                 "there is no folder for the programs of PoCL, as HOME is not set; set it, or "
                 "POCL_CACHE_DIR to a folder that can be written");
    else
        snprintf(why, bytes,
                 "PoCL, which keeps its programs in %s, cannot write there: %s; set HOME, or "
                 "POCL_CACHE_DIR, to a folder that can be written",
                 folder, strerror(errno));
    return true;
}

bool pocl_cache_is_why(const sparcl_device_list *list, char *why, size_t bytes) {
    for (int i = 0; i < list->platform_count; i++)
        if (strcmp(list->platforms[i].name, pocl) == 0)
            return list->platforms[i].devices == 0 && is_unusable(why, bytes);
    return false;
}
