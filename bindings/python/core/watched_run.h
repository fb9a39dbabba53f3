/* watched_run.h: a run in a thread of its own, while the caller's looks for signals. */
#ifndef SPARCL_PYTHON_WATCHED_RUN_H
#define SPARCL_PYTHON_WATCHED_RUN_H

#include <atomic>
#include <condition_variable>
#include <functional>
#include <limits>
#include <string>

#include <sparcl/auto.h>

#include "binding.h"

/* What the threads share. The one that trains never takes the GIL, so that nothing that waits for
 * the context with it can wait for ever. */
struct Run {
    std::mutex lock;
    std::condition_variable changed;
    sparcl_train_progress now{};
    sparcl_tried tried{};                                         /* in a search of settings */
    int tried_count = 0;                                          /* of those that are done */
    double tried_loss = std::numeric_limits<double>::quiet_NaN(); /* of the last of them */
    bool is_search = false;
    std::string checkpoint_error;
    bool is_new = false, is_done = false;
    std::atomic<bool> stops{false};
    sparcl_status status = SPARCL_OK;
    sparcl_error error{};
};

/* For sparcl_train_desc.progress, and for sparcl_train_auto; `user` is the run. */
int after_step(void *user, const sparcl_train_progress *progress);
int after_setting(void *user, const sparcl_tried *tried);

using Callback = nb::object; /* a function, or None */
using Work = std::function<sparcl_status(sparcl_ctx *, Run &)>;

/* Do the work with a context; a signal, an exception of the callback, and its True set run.stops.
 * Throws what stopped it, or what the work reports. */
void watched_run(ContextRef context, const Callback &callback, const Work &work, Run &run);

nb::typed<nb::dict, nb::str, nb::any> describe(const sparcl_train_result &result);

#endif
