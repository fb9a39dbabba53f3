/* doctor_icd.c: tests the vendors' libraries that the OpenCL loader finds, each in a child process:
 * the loader skips a missing library silently, and a library that crashes ends the process. */
#define _GNU_SOURCE /* RTLD_NOLOAD, dladdr */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child_clock.h"
#include "doctor.h"
#include "stop.h"

#include <CL/cl_icd.h>

enum { REPLY_BYTES = 8192, MAX_PLATFORMS = 16 };

typedef void *(*address_function)(const char *name);
typedef cl_int (*platforms_function)(cl_uint, cl_platform_id *, cl_uint *);

static const char how_to_install[] =
    "install one: Debian, Ubuntu: apt install pocl-opencl-icd; Fedora: dnf install pocl; Arch: "
    "pacman -S pocl; openSUSE: zypper install pocl; or a GPU vendor's driver";

/* ---- in the child --------------------------------------------------------------------------- */

static void send_line(int to, const char *format, const char *text, unsigned number) {
    char line[600];
    const int n = snprintf(line, sizeof line, format, text, number);
    if (n > 0 && write(to, line, (size_t)n) < 0) _exit(1);
}

static void *find_function(void *library) {
    union {
        void *object;
        address_function function;
    } address = {.object = dlsym(library, "clGetExtensionFunctionAddress")};
    void *const direct = dlsym(library, "clIcdGetPlatformIDsKHR");
    return direct || !address.object ? direct : address.function("clIcdGetPlatformIDsKHR");
}

/* Calls the platform's functions through the table in its object, without the loader. */
static void describe(int to, cl_platform_id platform) {
    char name[256] = "a platform without a name";
    cl_uint devices = 0;
    const cl_icd_dispatch *const table = *(const cl_icd_dispatch *const *)(const void *)platform;
    table->clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name - 1, name, NULL);
    if (table->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &devices) != CL_SUCCESS)
        devices = 0;
    for (char *c = name; *c; c++)
        if (*c == '\t' || *c == '\n') *c = ' ';
    send_line(to, "P%s\t%u\n", name, devices);
}

/* Writes lines: E and the error text of dlopen; F: not an OpenCL library; P, name, tab, number of
 * devices; D: done. */
static void run_child(int to, const char *name) {
    const struct rlimit no_core = {0, 0};
    cl_platform_id platforms[MAX_PLATFORMS];
    cl_uint count = 0;
    const int null_device = open("/dev/null", O_RDWR);
    stop_leave_to_system();
    setrlimit(RLIMIT_CORE, &no_core);
    dup2(null_device, STDOUT_FILENO);
    dup2(null_device, STDERR_FILENO);
    void *const library = dlopen(name, RTLD_NOW);
    if (!library) {
        send_line(to, "E%s\n", dlerror(), 0);
        _exit(0);
    }
    union {
        void *object;
        platforms_function function;
    } list = {.object = find_function(library)};
    if (!list.object) {
        send_line(to, "F%s\n", "", 0);
        _exit(0);
    }
    if (list.function(MAX_PLATFORMS, platforms, &count) != CL_SUCCESS) count = 0;
    for (cl_uint i = 0; i < count && i < MAX_PLATFORMS; i++)
        describe(to, platforms[i]);
    send_line(to, "D%s\n", "", 0);
    _exit(0);
}

/* ---- querying a library --------------------------------------------------------------------- */

typedef struct reply {
    char text[REPLY_BYTES];
    int signal;        /* the signal that ended the child, or 0 */
    bool late, failed; /* failed: the child could not be started */
} reply;

/* Read until the child ends or its time is over. */
static void read_reply(pid_t child, int from, int64_t timeout, reply *a) {
    child_clock clock;
    size_t used = 0;
    child_clock_start(&clock, child);
    while (used < sizeof a->text - 1) {
        struct pollfd waiting = {.fd = from, .events = POLLIN};
        const int ready = poll(&waiting, 1, CHILD_CLOCK_TICK);
        if (ready <= 0) {
            a->late = child_clock_read(&clock) > (double)timeout;
            if (a->late || (ready < 0 && errno != EINTR)) return;
            continue;
        }
        const ssize_t n = read(from, a->text + used, sizeof a->text - 1 - used);
        if (n <= 0) return;
        used += (size_t)n;
    }
}

static void query(const char *library, int64_t timeout, reply *a) {
    int ends[2], status = 0;
    memset(a, 0, sizeof *a);
    fflush(NULL);
    if (pipe(ends) != 0) {
        a->failed = true;
        return;
    }
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        run_child(ends[1], library);
    }
    close(ends[1]);
    if (child > 0) {
        read_reply(child, ends[0], timeout, a);
        if (a->late) kill(child, SIGKILL);
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
        }
        if (WIFSIGNALED(status) && !a->late) a->signal = WTERMSIG(status);
    }
    a->failed = child < 0;
    close(ends[0]);
}

/* ---- reporting an entry --------------------------------------------------------------------- */

/* Report the platforms of a reply; *devices is the number of their devices. */
static json_t *report_platforms(doctor *d, const char *file, char *text, int *devices) {
    json_t *const list = json_array();
    char *rest = NULL;
    *devices = 0;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *const tab = strchr(line, '\t');
        if (line[0] != 'P' || !tab) continue;
        *tab = '\0';
        const int count = atoi(tab + 1);
        *devices += count;
        json_array_append_new(list, json_pack("{s:s, s:i}", "name", line + 1, "devices", count));
        if (count > 0)
            add_finding(d, FINDING_OK, "vendors", "%s: %s: %d device%s", file, line + 1, count,
                        count > 1 ? "s" : "");
        else
            add_finding(d, FINDING_NOTE, "vendors", "%s: %s: the platform has no device%s", file,
                        line + 1,
                        strcmp(line + 1, "rusticl") == 0
                            ? "; set RUSTICL_ENABLE=llvmpipe (or the name of a GPU driver)"
                            : "");
    }
    return list;
}

/* Report a reply; returns the state of the library. */
static const char *report_library(doctor *d, const char *file, const char *library, reply *a,
                                  json_t **platforms) {
    int devices = 0;
    if (a->failed || a->text[0] == 'E' || a->text[0] == 'F') {
        if (a->failed)
            add_finding(d, FINDING_NOTE, "vendors", "%s: could not be tested: no process or pipe",
                        file);
        else if (a->text[0] == 'F')
            add_finding(d, FINDING_NOTE, "vendors",
                        "%s: %s is not an OpenCL library for the loader", file, library);
        else
            add_finding(
                d, FINDING_NOTE, "vendors",
                "%s: names %s, which cannot be loaded (%.300s); the loader skips it silently: "
                "install the library again or remove the file",
                file, library, a->text + 1);
        return "broken";
    }
    if (a->late || a->signal) {
        d->loader_is_safe = false;
        if (a->late)
            add_failure(d, EXIT_DEVICE, "vendors",
                        "%s: %s hangs: no reply within %d s; every OpenCL program will hang "
                        "until it is removed",
                        file, library, (int)d->timeout);
        else
            add_failure(d, EXIT_DEVICE, "vendors",
                        "%s: %s crashes (%s); every OpenCL program will crash until it is removed",
                        file, library, strsignal(a->signal));
        return a->late ? "hangs" : "crashes";
    }
    *platforms = report_platforms(d, file, a->text, &devices);
    if (json_array_size(*platforms) == 0)
        add_finding(d, FINDING_NOTE, "vendors", "%s: %s offers no platform here", file, library);
    return devices > 0 ? "ok" : "no_device";
}

static void check_library(doctor *d, json_t *vendors, const char *file, const char *library) {
    static reply a;
    json_t *platforms = NULL;
    query(library, d->timeout, &a);
    const char *const state = report_library(d, file, library, &a, &platforms);
    if (!platforms) platforms = json_array();
    json_array_append_new(vendors, json_pack("{s:s, s:s, s:s, s:o}", "file", file, "library",
                                             library, "state", state, "platforms", platforms));
}

/* The first line of an .icd file names the library. */
static void check_entry(doctor *d, json_t *vendors, const char *path) {
    char library[1024] = "";
    FILE *const file = fopen(path, "r");
    if (file && !fgets(library, sizeof library, file)) library[0] = '\0';
    if (file) fclose(file);
    library[strcspn(library, "\r\n")] = '\0';
    if (library[0]) {
        check_library(d, vendors, path, library);
        return;
    }
    add_finding(d, FINDING_NOTE, "vendors", "%s: %s", path,
                file ? "names no library" : "cannot be read");
    json_array_append_new(vendors, json_pack("{s:s, s:s, s:s, s:[]}", "file", path, "library", "",
                                             "state", "broken", "platforms"));
}

/* ---- the entries of the loader -------------------------------------------------------------- */

static int is_icd(const struct dirent *entry) {
    const char *const end = strrchr(entry->d_name, '.');
    return end && strcmp(end, ".icd") == 0;
}

static void check_folder(doctor *d, json_t *vendors, const char *folder) {
    struct dirent **entries = NULL;
    const int count = scandir(folder, &entries, is_icd, alphasort);
    if (count < 0) add_finding(d, FINDING_NOTE, "vendors", "%s: %s", folder, strerror(errno));
    for (int i = 0; i < count; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        check_entry(d, vendors, path);
        free(entries[i]);
    }
    free(entries);
}

static bool is_folder(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* OCL_ICD_VENDORS is a folder, an .icd file or a library (ocl-icd); OCL_ICD_FILENAMES is a list of
 * libraries (Khronos). */
static void check_all(doctor *d, json_t *vendors) {
    const char *const set = getenv("OCL_ICD_VENDORS"), *const files = getenv("OCL_ICD_FILENAMES");
    const char *const path = set && set[0] ? set : "/etc/OpenCL/vendors";
    const char *const end = strrchr(path, '.');
    if (end && strcmp(end, ".icd") == 0 && !is_folder(path))
        check_entry(d, vendors, path);
    else if (end && strncmp(end, ".so", 3) == 0 && !is_folder(path))
        check_library(d, vendors, "OCL_ICD_VENDORS", path);
    else
        check_folder(d, vendors, path);
    char *const list = strdup(files ? files : "");
    char *rest = NULL;
    for (char *name = list ? strtok_r(list, ":", &rest) : NULL; name;
         name = strtok_r(NULL, ":", &rest))
        check_library(d, vendors, "OCL_ICD_FILENAMES", name);
    free(list);
    if (json_array_size(vendors) == 0)
        add_failure(d, EXIT_DEVICE, "vendors", "no OpenCL implementation in %s; %s", path,
                    how_to_install);
}

/* This process has loaded the loader already: the core library is linked with it. */
static void check_loader(doctor *d) {
    Dl_info info = {0};
    void *const loader = dlopen(NULL, RTLD_NOW); /* this program and its libraries */
    void *const function = loader ? dlsym(loader, "clGetPlatformIDs") : NULL;
    json_t *fact = json_null();
    if (function && dladdr(function, &info) != 0) {
        char file[4096];
        if (!realpath(info.dli_fname, file)) snprintf(file, sizeof file, "%s", info.dli_fname);
        const char *const name =
            dlsym(loader, "clGetICDLoaderInfoOCLICD") || strstr(file, "libOpenCL.so.1.0.0")
                ? "ocl-icd or compatible"
                : "OpenCL loader";
        fact = json_pack("{s:s, s:s}", "name", name, "file", file);
        add_finding(d, FINDING_OK, "loader", "%s", file);
    }
    json_object_set_new(d->facts, "loader", fact);
    if (loader) dlclose(loader);
}

void check_vendors(doctor *d) {
    json_t *const vendors = json_array();
    check_loader(d);
    check_all(d, vendors);
    json_object_set_new(d->facts, "vendors", vendors);
    if (!d->loader_is_safe)
        add_finding(d, FINDING_NOTE, "device", "not tested: this process would also crash or hang");
}
