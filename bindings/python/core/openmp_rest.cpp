/* openmp_rest.cpp: the threads of PyTorch's OpenMP rest while something else computes. */
#include "openmp_rest.h"

#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>

#include <dlfcn.h>
#include <link.h>

/* Of libgomp: call a function in a team of threads; 0: as many as usual. */
using Parallel = void (*)(void (*function)(void *), void *data, unsigned threads, unsigned flags);

/* Several packages of PyPI bring one; that of PyTorch is in its folder. */
static int find_library(dl_phdr_info *info, size_t, void *path) {
    const char *const name = std::strrchr(info->dlpi_name, '/');
    if (!name || std::strncmp(name, "/libgomp", 8) != 0) return 0;
    *static_cast<const char **>(path) = info->dlpi_name;
    return std::strstr(info->dlpi_name, "/torch/") != nullptr;
}

static Parallel find_parallel() {
    const char *path = nullptr;
    dl_iterate_phdr(find_library, &path);
    void *const library = path ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
    return library ? (Parallel)dlsym(library, "GOMP_parallel") : nullptr;
}

struct Rest {
    const std::function<void()> &call;
    std::thread::id caller = std::this_thread::get_id();
    std::mutex lock;
    std::condition_variable ends;
    bool has_ended = false;

    void run_one() {
        if (std::this_thread::get_id() != caller) {
            std::unique_lock<std::mutex> guard(lock);
            ends.wait(guard, [this] { return has_ended; });
            return;
        }
        call();
        const std::lock_guard<std::mutex> guard(lock);
        has_ended = true;
        ends.notify_all();
    }
};

void while_openmp_rests(const std::function<void()> &call) {
    static const Parallel parallel = find_parallel(); /* PyTorch is loaded before its tensors */
    Rest rest{call};
    if (parallel)
        parallel([](void *data) { static_cast<Rest *>(data)->run_one(); }, &rest, 0, 0);
    else
        call();
}
