/* pocl_cache.c: where PoCL keeps its programs. */
#include "pocl_cache.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "crash.h"

enum { PATH_BYTES = 4096 };

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
        if (strcmp(list->platforms[i].name, "Portable Computing Language") == 0)
            return list->platforms[i].devices == 0 && is_unusable(why, bytes);
    return false;
}
