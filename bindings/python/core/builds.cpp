/* builds.cpp: says that kernels are built, when that takes long. */
#include <chrono>
#include <system_error>
#include <thread>

#include "binding.h"

static bool is_due(Builds &builds, int64_t number) {
    std::lock_guard<std::mutex> guard(builds.lock);
    if (builds.is_said || builds.ended >= number) return false;
    builds.is_said = true;
    return true;
}

static void say(const std::string &device) {
    nb::gil_scoped_acquire gil;
    try {
        nb::module_::import_("sparcl._context").attr("say_building")(nb::str(device.c_str()));
    } catch (nb::python_error &error) {
        error.discard_as_unraisable("sparcl: a line about kernels");
    }
}

static void wait_for(BuildsRef builds, int64_t number, double seconds) {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    if (is_due(*builds, number)) say(builds->device);
}

void on_build(void *user, const sparcl_kernel_build *build) {
    const BuildsRef &builds = *static_cast<BuildsRef *>(user);
    std::lock_guard<std::mutex> guard(builds->lock);
    if (builds->is_said) return;
    if (build->is_done) {
        builds->ended++;
        builds->seconds += build->seconds;
        return;
    }
    const double left = builds->patience - builds->seconds;
    try {
        std::thread(wait_for, builds, ++builds->begun, left > 0 ? left : 0).detach();
    } catch (const std::system_error &) { /* no thread, no line */
    }
}
