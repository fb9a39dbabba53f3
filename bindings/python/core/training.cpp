/* training.cpp: trains in a thread of its own, while the caller's looks for signals. */
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <thread>
#include <utility>
#include <vector>

#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <sparcl/auto.h>
#include <sparcl/models.h>
#include <sparcl/train.h>

#include "training.h"

/* ---- settings ------------------------------------------------------------------------------- */

/* Those of sparcl_train_desc, with texts in place of structs. */
struct Settings {
    std::string loss = "logistic", model = "linear", optimizer = "sgd", parameter_optimizers,
                schedule, solver = "steps", checkpoint;
    double l2 = 0, l1 = 0, tolerance = 0, checkpoint_seconds = 0, max_seconds = 0,
           clip_global_norm = 0;
    int64_t epochs = 10, batch = 1024, columns = 0, device_memory = 0, patience = 0,
            checkpoint_steps = 0;
    uint64_t seed = 0;
    bool bias = true, resume = false, balance_classes = false;
    std::vector<std::pair<double, double>> class_weights;
};

/* A description, and what it points to. */
struct Description {
    sparcl_train_desc desc{};
    const sparcl_architecture *architecture = nullptr;
    std::vector<sparcl_parameter_optim> own =
        std::vector<sparcl_parameter_optim>(SPARCL_PARAMETER_OPTIMS);
    std::vector<sparcl_class_weight> class_weights;

    explicit Description(const Settings &from);
    ~Description() {
        sparcl_architecture_free(architecture);
    }
    Description(const Description &) = delete;
};

static void check(sparcl_status status, const sparcl_error &error) {
    if (status != SPARCL_OK) raise_status(status, error.message);
}

/* With the rate of sparcl_train_init where the text has none, as optimizers of parameters have. */
static sparcl_optim optim_of(const std::string &text) {
    sparcl_error error{};
    sparcl_optim plain{};
    sparcl_parameter_optim found[SPARCL_PARAMETER_OPTIMS];
    int count = 0;
    check(sparcl_optim_parse(&plain, text.c_str(), &error), error);
    check(sparcl_parameter_optims_parse(found, &count, ("all=" + text).c_str(), &error), error);
    return found[0].optim;
}

static sparcl_solver solver_of(const std::string &name) {
    if (name == "steps") return SPARCL_SOLVER_STEPS;
    if (name == "lbfgs") return SPARCL_SOLVER_LBFGS;
    throw nb::value_error(("solver: expected \"steps\" or \"lbfgs\", found " + name).c_str());
}

Description::Description(const Settings &from) {
    sparcl_error error{};
    sparcl_train_init(&desc, SPARCL_RULE_SGD);
    check(sparcl_loss_parse(&desc.loss, from.loss.c_str(), &error), error);
    desc.optim = optim_of(from.optimizer);
    check(sparcl_parameter_optims_parse(own.data(), &desc.parameter_optim_count,
                                        from.parameter_optimizers.c_str(), &error),
          error);
    desc.parameter_optims = own.data();
    if (!from.schedule.empty())
        check(sparcl_schedule_parse(&desc.schedule, from.schedule.c_str(), &error), error);
    for (const auto &[label, weight] : from.class_weights)
        class_weights.push_back({label, weight});
    desc.class_weights = class_weights.data();
    desc.class_weight_count = (int)class_weights.size();
    desc.balance_classes = from.balance_classes;
    desc.solver = solver_of(from.solver);
    desc.checkpoint = from.checkpoint.empty() ? nullptr : from.checkpoint.c_str();
    desc.checkpoint_steps = from.checkpoint_steps;
    desc.checkpoint_seconds = from.checkpoint_seconds;
    desc.resume = from.resume;
    desc.l2 = from.l2;
    desc.l1 = from.l1;
    desc.tolerance = from.tolerance;
    desc.max_seconds = from.max_seconds;
    desc.clip_global_norm = from.clip_global_norm;
    desc.epochs = from.epochs;
    desc.batch = from.batch;
    desc.columns = from.columns;
    desc.device_memory = from.device_memory;
    desc.patience = from.patience;
    desc.seed = from.seed;
    desc.no_bias = !from.bias;
    check(sparcl_architecture_parse(&architecture, from.model.c_str(), &error), error);
    desc.architecture = architecture;
}

/* ---- the run -------------------------------------------------------------------------------- */

/* What the threads share. The one that trains never takes the GIL, so that nothing that waits for
 * the context with it can wait for ever. */
struct Run {
    std::mutex lock;
    std::condition_variable changed;
    sparcl_train_progress now{};
    std::string checkpoint_error;
    bool is_new = false, is_done = false;
    std::atomic<bool> stops{false};
    sparcl_status status = SPARCL_OK;
    sparcl_error error{};
};

static int after_step(void *user, const sparcl_train_progress *progress) {
    Run &run = *static_cast<Run *>(user);
    std::lock_guard<std::mutex> guard(run.lock);
    run.now = *progress;
    run.checkpoint_error = progress->checkpoint_error ? progress->checkpoint_error : "";
    run.is_new = true;
    return run.stops;
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
    run.is_new = false;
    return found;
}

using Callback = nb::object; /* a function, or None */

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

static nb::typed<nb::dict, nb::str, nb::any> describe(const sparcl_train_result &r) {
    nb::typed<nb::dict, nb::str, nb::any> found;
    found["loss"] = r.loss;
    found["objective"] = r.objective;
    found["seconds_per_pass"] = r.seconds_per_pass;
    found["epochs"] = r.epochs;
    found["steps"] = r.steps;
    found["best_epoch"] = r.best_epoch;
    found["on_host"] = r.on_host != 0;
    found["evaluations"] = r.evaluations;
    found["gradient_norm"] = r.gradient_norm;
    found["converged"] = r.converged != 0;
    found["ended_early"] = r.ended_early != 0;
    found["resumed_step"] = r.resumed_step;
    return found;
}

using Trained = std::pair<Model *, nb::typed<nb::dict, nb::str, nb::any>>;

static Trained train(ContextRef context, const Data &data, const Data *valid,
                     const Settings &settings, const Model *start, const Callback &callback) {
    Description description(settings);
    auto model = std::make_unique<Model>();
    sparcl_train_result result{};
    Run run;
    description.desc.start = start ? start->at : nullptr;
    description.desc.progress = after_step;
    description.desc.progress_user = &run;
    context->check();
    std::thread trains([&] {
        {
            std::lock_guard<std::mutex> guard(context->lock);
            run.status =
                sparcl_train(context->ctx, &model->at, data.at, valid ? valid->at : nullptr,
                             &description.desc, &result, &run.error);
        }
        std::lock_guard<std::mutex> guard(run.lock);
        run.is_done = true;
        run.changed.notify_one();
    });
    const std::exception_ptr caught = watch(run, callback);
    trains.join();
    if (caught && !(run.status == SPARCL_E_INTERRUPTED && is_interrupt(caught)))
        std::rethrow_exception(caught);
    check(run.status, run.error);
    return {model.release(), describe(result)};
}

static std::string usual_loss(const Data &data) {
    sparcl_loss loss{};
    run_on_host([&](sparcl_error *error) { return sparcl_usual_loss(&loss, data.at, error); });
    return sparcl_loss_name(loss);
}

void bind_training(nb::module_ &m) {
    m.def("usual_loss", usual_loss, nb::arg("data"), "The loss that labels are usually for.");
    nb::class_<Settings>(m, "Settings", "The settings of a training.")
        .def(nb::init<>())
        .def_rw("loss", &Settings::loss)
        .def_rw("model", &Settings::model)
        .def_rw("optimizer", &Settings::optimizer)
        .def_rw("parameter_optimizers", &Settings::parameter_optimizers)
        .def_rw("schedule", &Settings::schedule)
        .def_rw("solver", &Settings::solver)
        .def_rw("l2", &Settings::l2)
        .def_rw("l1", &Settings::l1)
        .def_rw("tolerance", &Settings::tolerance)
        .def_rw("epochs", &Settings::epochs)
        .def_rw("batch", &Settings::batch)
        .def_rw("seed", &Settings::seed)
        .def_rw("bias", &Settings::bias)
        .def_rw("columns", &Settings::columns)
        .def_rw("patience", &Settings::patience)
        .def_rw("class_weights", &Settings::class_weights)
        .def_rw("balance_classes", &Settings::balance_classes)
        .def_rw("clip_global_norm", &Settings::clip_global_norm)
        .def_rw("max_seconds", &Settings::max_seconds)
        .def_rw("checkpoint", &Settings::checkpoint)
        .def_rw("checkpoint_steps", &Settings::checkpoint_steps)
        .def_rw("checkpoint_seconds", &Settings::checkpoint_seconds)
        .def_rw("resume", &Settings::resume)
        .def_rw("device_memory", &Settings::device_memory);
    m.def("train", train, nb::arg("context"), nb::arg("data"), nb::arg("valid").none(),
          nb::arg("settings"), nb::arg("start").none(), nb::arg("callback").none(),
          "Train a model; the callback may return True to stop.");
}
