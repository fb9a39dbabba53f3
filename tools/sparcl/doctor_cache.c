/* doctor_cache.c: checks that the cache folder can be used, and counts its files. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "doctor.h"
#include "open_device.h"

/* Why the library does not use a folder, or NULL; the same rules as in src/program/cache.c. */
static const char *find_obstacle(const char *folder) {
    struct stat about;
    if (lstat(folder, &about) != 0) return errno == ENOENT ? NULL : strerror(errno);
    if (S_ISLNK(about.st_mode)) return "it is a link";
    if (!S_ISDIR(about.st_mode)) return "it is not a folder";
    if (about.st_uid != geteuid()) return "it belongs to another user";
    if (about.st_mode & 022) return "others may write to it; chmod go-w fixes that";
    return access(folder, W_OK) == 0 ? NULL : "it cannot be written";
}

static void count_records(const char *folder, int64_t *records, int64_t *bytes) {
    DIR *const dir = opendir(folder);
    for (struct dirent *entry = NULL; dir && (entry = readdir(dir));) {
        struct stat about;
        const char *const end = strrchr(entry->d_name, '.');
        if (!end || strcmp(end, ".clbin") != 0) continue;
        if (fstatat(dirfd(dir), entry->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0) continue;
        ++*records;
        *bytes += about.st_size;
    }
    if (dir) closedir(dir);
}

void check_cache(doctor *d) {
    char path[4096], size[NUMBER_BYTES];
    int64_t records = 0, bytes = 0;
    const char *const folder = cache_folder(path, sizeof path);
    if (!folder) {
        add_finding(
            d, FINDING_NOTE, "cache",
            "no cache folder is set: kernels are compiled again in each run, except by PoCL");
        json_object_set_new(d->facts, "cache", json_null());
        return;
    }
    const char *const obstacle = find_obstacle(folder);
    if (!obstacle) count_records(folder, &records, &bytes);
    if (obstacle)
        add_finding(d, FINDING_NOTE, "cache",
                    "%s is not used, kernels are compiled again in each run, except by PoCL: %s",
                    folder, obstacle);
    else
        add_finding(d, FINDING_OK, "cache",
                    "%s: %d records of compiled programs and measurements, %s", folder,
                    (int)records, format_bytes(size, bytes));
    json_object_set_new(d->facts, "cache",
                        json_pack("{s:s, s:b, s:I, s:I}", "folder", folder, "usable", !obstacle,
                                  "records", (json_int_t)records, "bytes", (json_int_t)bytes));
}
