/* watched_run.cpp: a run in a thread of its own, while the caller's looks for signals. */
#include "watched_run.h"

#include <chrono>
#include <cstdio>
#include <exception>
#include <thread>

int after_step(void *user, const sparcl_train_progress *progress) {
    Run &run = *static_cast<Run *>(user);
    std::lock_guard<std::mutex> guard(run.lock);
    run.now = *progress;
    run.checkpoint_error = progress->checkpoint_error ? progress->checkpoint_error : "";
    run.is_search = false;
    run.is_new = true;
    return run.stops;
}

int after_setting(void *user, const sparcl_tried *tried) {
    Run &run = *static_cast<Run *>(user);
    std::lock_guard<std::mutex> guard(run.lock);
    if (tried->is_running) {
        run.tried = *tried; /* only these know how many may be tried */
    } else {
        run.tried_count++;
        run.tried_loss = tried->loss;
    }
    run.is_search = run.is_new = true;
    return run.stops;
}

/* What is tried, and what came of the one before; 0 steps in all. */
static void describe_search(const Run &run, nb::typed<nb::dict, nb::str, nb::any> &found) {
    const double none = std::numeric_limits<double>::quiet_NaN();
    found["loss"] = none;
    found["valid_loss"] = run.tried_loss;
    found["step"] = run.tried.step;
    for (const char *key : {"epoch", "epochs", "steps"})
        found[key] = 0;
    found["setting"] = run.tried.solver == SPARCL_SOLVER_LBFGS ? "C" : "lr";
    found["value"] = run.tried.value;
    found["tried"] = run.tried_count;
    found["most"] = run.tried.most;
}

static nb::typed<nb::dict, nb::str, nb::any> describe(Run &run) {
    std::lock_guard<std::mutex> guard(run.lock);
    const sparcl_train_progress &p = run.now;
    nb::typed<nb::dict, nb::str, nb::any> found;
    found["epoch"] = p.epoch;
    found["epochs"] = p.epochs;
    found["step"] = p.step;
    found["steps"] = p.steps;
    found["rows"] = p.rows;
    found["seconds"] = p.seconds;
    found["loss"] = p.loss;
    found["valid_loss"] = p.valid_loss;
    found["lr"] = p.lr;
    found["checkpoint_step"] = p.checkpoint_step;
    found["checkpoint_error"] =
        run.checkpoint_error.empty() ? nb::none() : nb::cast(run.checkpoint_error);
    found["setting"] = nb::none();
    if (run.is_search) describe_search(run, found);
    run.is_new = false;
    return found;
}

/* With the GIL: handlers of signals, and the caller's function. */
static void attend(Run &run, const Callback &callback) {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    bool is_new;
    {
        std::lock_guard<std::mutex> guard(run.lock);
        is_new = run.is_new;
    }
    if (!callback.is_none() && is_new && nb::bool_(callback(describe(run)))) run.stops = true;
}

/* Wait for the end of the run; returns what stopped it. */
static std::exception_ptr watch(Run &run, const Callback &callback) {
    std::exception_ptr caught;
    for (bool is_done = false; !is_done;) {
        {
            nb::gil_scoped_release release;
            std::unique_lock<std::mutex> guard(run.lock);
            is_done = run.changed.wait_for(guard, std::chrono::milliseconds(50),
                                           [&] { return run.is_done; });
        }
        if (caught) continue;
        try {
            attend(run, callback);
        } catch (...) {
            caught = std::current_exception();
            run.stops = true;
        }
    }
    return caught;
}

static bool is_interrupt(const std::exception_ptr &caught) {
    try {
        std::rethrow_exception(caught);
    } catch (const nb::python_error &error) {
        return error.matches(PyExc_KeyboardInterrupt);
    } catch (...) {
        return false;
    }
}

/* Another thread may compute for long; false: the run was stopped before. */
static bool wait_for(std::unique_lock<std::mutex> &guard, Run &run) {
    while (!guard.owns_lock() && !run.stops) {
        std::this_thread::sleep_for(std::chrono::microseconds(200));
        if (guard.try_lock()) return true;
    }
    if (guard.owns_lock()) return true;
    run.status = SPARCL_E_INTERRUPTED;
    snprintf(run.error.message, sizeof run.error.message,
             "training was interrupted before its first step");
    return false;
}

void watched_run(ContextRef context, const Callback &callback, const Work &work, Run &run) {
    context->check();
    std::thread thread([&] {
        {
            std::unique_lock<std::mutex> guard(context->lock, std::try_to_lock);
            if (wait_for(guard, run))
                run.status =
                    context->is_closed ? context->refuse(run.error) : work(context->ctx, run);
        }
        std::lock_guard<std::mutex> guard(run.lock);
        run.is_done = true;
        run.changed.notify_one();
    });
    const std::exception_ptr caught = watch(run, callback);
    thread.join();
    if (caught && !(run.status == SPARCL_E_INTERRUPTED && is_interrupt(caught)))
        std::rethrow_exception(caught);
    if (run.status != SPARCL_OK) raise_status(run.status, run.error.message);
}

nb::typed<nb::dict, nb::str, nb::any> describe(const sparcl_train_result &r) {
    nb::typed<nb::dict, nb::str, nb::any> found;
    found["loss"] = r.loss;
    found["objective"] = r.objective;
    found["best_constant_loss"] = r.best_constant_loss;
    found["seconds_per_pass"] = r.seconds_per_pass;
    found["epochs"] = r.epochs;
    found["steps"] = r.steps;
    found["best_epoch"] = r.best_epoch;
    found["on_host"] = r.on_host != 0;
    found["evaluations"] = r.evaluations;
    found["gradient_norm"] = r.gradient_norm;
    found["relative_gradient"] = r.relative_gradient;
    found["expected_decrease"] = r.expected_decrease;
    found["lost_by_rounding"] = r.lost_by_rounding;
    found["converged"] = r.converged != 0;
    found["ended_early"] = r.ended_early != 0;
    found["resumed_step"] = r.resumed_step;
    return found;
}
