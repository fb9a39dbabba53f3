/* builds.h: says that kernels are built, when that takes long. */
#ifndef SPARCL_PYTHON_BUILDS_H
#define SPARCL_PYTHON_BUILDS_H

#include <memory>
#include <mutex>
#include <string>

#include <sparcl/sparcl.h>

/* The builds of a context, which threads that wait share with it. */
struct Builds {
    std::mutex lock;
    std::string device; /* its name */
    double patience;    /* seconds of all builds before the line */
    double seconds = 0;
    int64_t begun = 0, ended = 0;
    bool is_said = false;

    explicit Builds(double patience) : patience(patience) {}
};
using BuildsRef = std::shared_ptr<Builds>;

/* For sparcl_ctx_on_build; `user` is a BuildsRef. The thread that computes, which has the context's
 * lock, never takes the GIL: another one says it, by sparcl._context.say_building. */
void on_build(void *user, const sparcl_kernel_build *build);

#endif
