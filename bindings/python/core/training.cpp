/* training.cpp: trains models with the settings of sparcl_train_desc. */
#include <limits>
#include <utility>
#include <vector>

#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "graph_nodes.h"
#include "training.h"
#include "watched_run.h"
#include <sparcl/architecture.h>
#include <sparcl/auto.h>

/* ---- settings ------------------------------------------------------------------------------- */

static sparcl_train_desc defaults() {
    sparcl_train_desc desc;
    sparcl_train_init(&desc, SPARCL_RULE_SGD);
    return desc;
}

/* Those of sparcl_train_desc, with texts in place of structs. */
struct Settings {
    std::string loss = "logistic", model = "linear", optimizer = "sgd", parameter_optimizers,
                schedule, solver = "steps", checkpoint;
    std::vector<std::pair<double, double>> class_weights;
    sparcl_train_desc plain = defaults(); /* numbers and flags */
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
    sparcl_parameter_optim found[SPARCL_PARAMETER_OPTIMS];
    int count = 0;
    (void)parse_optimizer(text); /* a message that is of this text alone */
    check(sparcl_parameter_optims_parse(found, &count, c_text("all=" + text, "optimizer"), &error),
          error);
    return found[0].optim;
}

static sparcl_solver solver_of(const std::string &name) {
    if (name == "steps") return SPARCL_SOLVER_STEPS;
    if (name == "lbfgs") return SPARCL_SOLVER_LBFGS;
    throw nb::value_error(("solver: expected \"steps\" or \"lbfgs\", found " + name).c_str());
}

Description::Description(const Settings &from) {
    sparcl_error error{};
    desc = from.plain;
    check(sparcl_loss_parse(&desc.loss, c_text(from.loss, "loss"), &error), error);
    desc.optim = optim_of(from.optimizer);
    check(sparcl_parameter_optims_parse(own.data(), &desc.parameter_optim_count,
                                        c_text(from.parameter_optimizers, "parameter_optimizers"),
                                        &error),
          error);
    desc.parameter_optims = own.data();
    if (!from.schedule.empty())
        check(sparcl_schedule_parse(&desc.schedule, c_text(from.schedule, "schedule"), &error),
              error);
    for (const auto &[label, weight] : from.class_weights)
        class_weights.push_back({label, weight});
    desc.class_weights = class_weights.data();
    desc.class_weight_count = (int)class_weights.size();
    desc.solver = solver_of(from.solver);
    desc.checkpoint = from.checkpoint.empty() ? nullptr : c_text(from.checkpoint, "checkpoint");
    check(sparcl_architecture_parse(&architecture, c_text(from.model, "model"), &error), error);
    desc.architecture = architecture;
}

/* ---- runs ----------------------------------------------------------------------------------- */

using Trained = std::pair<Model *, nb::typed<nb::dict, nb::str, nb::any>>;

static Trained train(ContextRef context, const Data &data, const Data *valid,
                     const Settings &settings, const Model *start, const Nodes *nodes,
                     const Callback &callback) {
    Description description(settings);
    auto model = std::make_unique<Model>();
    sparcl_train_result result{};
    sparcl_train_nodes of_nodes{};
    Run run;
    description.desc.start = start ? start->at : nullptr;
    description.desc.progress = after_step;
    description.desc.progress_user = &run;
    if (nodes) {
        of_nodes = nodes->training();
        description.desc.nodes = &of_nodes;
    }
    const auto work = [&](sparcl_ctx *ctx, Run &shared) {
        return sparcl_train(ctx, &model->at, data.at, valid ? valid->at : nullptr,
                            &description.desc, &result, &shared.error);
    };
    watched_run(std::move(context), callback, work, run);
    return {model.release(), describe(result)};
}

/* Settings that were tried: solver, value, loss, accuracy, what they are selected by. */
static nb::typed<nb::list, nb::typed<nb::dict, nb::str, nb::any>>
describe(const sparcl_auto_result &result) {
    nb::typed<nb::list, nb::typed<nb::dict, nb::str, nb::any>> found;
    for (int i = 0; i < result.count; i++) {
        const sparcl_tried &tried = result.tried[i];
        nb::typed<nb::dict, nb::str, nb::any> one;
        one["setting"] = tried.solver == SPARCL_SOLVER_LBFGS ? "C" : "lr";
        one["value"] = tried.value;
        one["loss"] = tried.loss;
        one["accuracy"] = tried.accuracy;
        one["selected"] = tried.selected;
        one["is_chosen"] = i == result.best;
        found.append(one);
    }
    return found;
}

static Trained train_auto(ContextRef context, const Data &data, const Settings &settings,
                          int select, bool searches_rate, const Callback &callback) {
    Description description(settings);
    auto model = std::make_unique<Model>();
    sparcl_auto_result result{};
    Run run;
    if (settings.model == "linear") description.desc.architecture = nullptr;
    if (searches_rate) description.desc.optim.lr = std::numeric_limits<double>::quiet_NaN();
    description.desc.progress = after_step;
    description.desc.progress_user = &run;
    const auto work = [&](sparcl_ctx *ctx, Run &shared) {
        return sparcl_train_auto(ctx, &model->at, data.at, &description.desc,
                                 static_cast<sparcl_select>(select), after_setting, &shared,
                                 &result, &shared.error);
    };
    watched_run(std::move(context), callback, work, run);
    auto described = describe(result.train);
    described["folds"] = result.folds;
    described["tried"] = describe(result);
    return {model.release(), std::move(described)};
}

static std::string usual_loss(const Data &data) {
    sparcl_loss loss{};
    run_on_host([&](sparcl_error *error) { return sparcl_usual_loss(&loss, data.at, error); });
    return sparcl_loss_name(loss);
}

/* A number of the description; an int is a flag. */
template <auto Field, class Stored>
static void bind_plain(nb::class_<Settings> &settings, const char *name,
                       Stored sparcl_train_desc::*) {
    using Plain = std::conditional_t<std::is_same_v<Stored, int>, bool, Stored>;
    settings.def_prop_rw(
        name, [](const Settings &s) { return (Plain)(s.plain.*Field); },
        [](Settings &s, Plain value) { s.plain.*Field = value; });
}

static void bind_settings(nb::module_ &m) {
    nb::class_<Settings> settings(m, "Settings", "The settings of a training.");
    settings.def(nb::init<>())
        .def_rw("loss", &Settings::loss)
        .def_rw("model", &Settings::model)
        .def_rw("optimizer", &Settings::optimizer)
        .def_rw("parameter_optimizers", &Settings::parameter_optimizers)
        .def_rw("schedule", &Settings::schedule)
        .def_rw("solver", &Settings::solver)
        .def_rw("class_weights", &Settings::class_weights)
        .def_rw("checkpoint", &Settings::checkpoint);
#define PLAIN(name) bind_plain<&sparcl_train_desc::name>(settings, #name, &sparcl_train_desc::name)
    PLAIN(l2);
    PLAIN(l1);
    PLAIN(tolerance);
    PLAIN(gradient_tolerance);
    PLAIN(epochs);
    PLAIN(batch);
    PLAIN(seed);
    PLAIN(no_bias);
    PLAIN(columns);
    PLAIN(patience);
    PLAIN(balance_classes);
    PLAIN(clip_global_norm);
    PLAIN(max_seconds);
    PLAIN(checkpoint_steps);
    PLAIN(checkpoint_seconds);
    PLAIN(resume);
    PLAIN(overwrite);
    PLAIN(keep_state);
    PLAIN(standardize_labels);
    PLAIN(device_memory);
#undef PLAIN
}

void bind_training(nb::module_ &m) {
    m.def("usual_loss", usual_loss, nb::arg("data"), "The loss that labels are usually for.");
    m.def("usual_batch", sparcl_usual_batch, nb::arg("rows"), nb::arg("searches"),
          "Rows per step of a training with this number of rows.");
    bind_settings(m);
    m.def("train", train, nb::arg("context"), nb::arg("data"), nb::arg("valid").none(),
          nb::arg("settings"), nb::arg("start").none(), nb::arg("nodes").none(),
          nb::arg("callback").none(), "Train a model; the callback may return True to stop.");
    m.def("train_auto", train_auto, nb::arg("context"), nb::arg("data"), nb::arg("settings"),
          nb::arg("select"), nb::arg("searches_rate"), nb::arg("callback").none(),
          "Train a linear model, and choose its regularization.");
}
