/* models.cpp: trained models: their files, descriptions and tensors. */
#include <vector>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <sparcl/architecture.h>

#include "results.h"
#include "sparcl/optim_text.h"

static Model *load(const std::string &path) {
    auto made = std::make_unique<Model>();
    run_on_host([&](sparcl_error *error) {
        return sparcl_model_load(&made->at, c_text(path, "path"), error);
    });
    return made.release();
}

static void save(const Model &model, const std::string &path) {
    run_on_host([&](sparcl_error *error) {
        return sparcl_model_save(model.at, c_text(path, "path"), error);
    });
}

static nb::object text_or_none(const char *text) {
    return text ? nb::cast(text) : nb::none();
}

static nb::typed<nb::dict, nb::str, nb::any> info(const Model &model) {
    const sparcl_model_info &d = *sparcl_model_get_info(model.at);
    const sparcl_architecture &a = *sparcl_model_architecture(model.at);
    nb::typed<nb::dict, nb::str, nb::any> found;
    found["kind"] = a.name;
    found["architecture"] = text_or_none(a.settings);
    found["loss"] = sparcl_loss_name(d.loss);
    found["calibration"] = text_or_none(sparcl_model_calibration(model.at));
    found["optimizer"] = sparcl_rule_name(d.optimizer);
    found["columns"] = d.columns;
    found["outputs"] = d.outputs;
    found["labels"] = std::vector<double>(d.labels, d.labels + d.classes);
    found["index_base"] = d.index_base;
    found["has_bias"] = d.has_bias != 0;
    found["lr"] = d.lr;
    found["l2"] = d.l2;
    found["momentum"] = d.momentum;
    found["beta1"] = d.beta1;
    found["beta2"] = d.beta2;
    found["epsilon"] = d.epsilon;
    found["epochs"] = d.epochs;
    found["batch"] = d.batch;
    found["seed"] = d.seed;
    found["parameter_settings"] = text_or_none(d.parameter_settings);
    found["settings"] = text_or_none(d.settings);
    found["solver"] = text_or_none(d.solver);
    found["schedule"] = text_or_none(d.schedule);
    found["fields"] = d.fields;
    found["clip_global_norm"] = d.clip_global_norm;
    found["fingerprint"] = d.fingerprint;
    found["hash_bits"] = d.hash_bits;
    return found;
}

/* None where the columns are no ids. */
static nb::object feature_ids(nb::handle self) {
    const sparcl_model_info &d = *sparcl_model_get_info(nb::cast<Model *>(self)->at);
    if (!d.feature_ids) return nb::none();
    return nb::cast(array_of(d.feature_ids, {(size_t)d.id_count}, self));
}

/* Ids of users, items and nodes, each an array or None. */
static IdLists known_ids(nb::handle self) {
    return ids_of(sparcl_model_get_info(nb::cast<Model *>(self)->at)->known_ids, self);
}

static std::optional<nb::bytes> csv_description(const Model &model) {
    return bytes_or_none(sparcl_model_get_info(model.at)->csv_description);
}

/* Names of the labels, in their order, as bytes, which may be no UTF-8; None: they are numbers. */
static std::optional<std::vector<nb::bytes>> label_names(const Model &model) {
    const sparcl_model_info &d = *sparcl_model_get_info(model.at);
    std::vector<nb::bytes> found;
    for (int64_t i = 0; i < d.classes; i++) {
        const auto name = bytes_or_none(sparcl_model_label_name(model.at, d.labels[i]));
        if (!name) return std::nullopt;
        found.push_back(*name);
    }
    if (found.empty()) return std::nullopt;
    return found;
}

static void set_label_names(Model &model, const std::vector<std::string> &names) {
    std::vector<const char *> texts;
    for (const std::string &name : names)
        texts.push_back(c_text(name, "labels"));
    run_on_host([&](sparcl_error *error) {
        return sparcl_model_set_label_names(model.at, texts.data(), error);
    });
}

/* Of rows: float32 scores [rows, outputs], to float64 [rows, classes]; false: the model has none.
 */
static bool probabilities(const Model &model, nb::handle scores, nb::handle found) {
    const sparcl_model_info &d = *sparcl_model_get_info(model.at);
    const HostMemory from(scores, false);
    const Result to(found);
    const auto row_bytes = (int64_t)sizeof(float) * d.outputs;
    const int64_t rows = row_bytes > 0 ? from.buffer.len / row_bytes : 0;
    double *const at = to.at<double>(rows * d.classes);
    bool has_some = d.classes > 0;
    for (int64_t i = 0; i < rows && has_some; i++)
        has_some = sparcl_model_probabilities(
            model.at, static_cast<const float *>(from.buffer.buf) + i * d.outputs,
            at + i * d.classes);
    return has_some;
}

static nb::typed<nb::dict, nb::str, nb::str> notes(const Model &model) {
    nb::typed<nb::dict, nb::str, nb::str> found;
    const char *key;
    for (int i = 0; (key = sparcl_model_note_key(model.at, i)); i++)
        found[key] = sparcl_model_note(model.at, key);
    return found;
}

static void set_note(Model &model, const std::string &key, const std::optional<std::string> &text) {
    const char *const value = text ? c_text(*text, "text") : nullptr;
    run_on_host([&](sparcl_error *error) {
        return sparcl_model_set_note(model.at, c_text(key, "key"), value, error);
    });
}

static std::optional<std::string> crosses(const Model &model) {
    const char *const text = sparcl_model_get_info(model.at)->crosses;
    return text ? std::optional<std::string>(text) : std::nullopt;
}

static std::vector<std::string> tensor_names(const Model &model) {
    std::vector<std::string> found;
    for (const char *const *name = sparcl_model_architecture(model.at)->parameters; *name; name++)
        found.emplace_back(*name);
    return found;
}

static nb::ndarray<nb::numpy, const float> tensor(nb::handle self, const std::string &name) {
    const sparcl_tensor *const found =
        sparcl_model_tensor(nb::cast<Model *>(self)->at, c_text(name, "name"));
    if (!found) throw nb::key_error(name.c_str());
    size_t shape[SPARCL_MAX_RANK];
    for (int d = 0; d < found->rank; d++)
        shape[d] = (size_t)found->shape[d];
    return {found->values, (size_t)found->rank, shape, self};
}

static const char *const tasks[] = {"labels", "reconstruction", "nodes", "ranking"};
static_assert(SPARCL_TASK_LABELS == 0 && SPARCL_TASK_RECONSTRUCT == 1 && SPARCL_TASK_NODES == 2 &&
              SPARCL_TASK_RANK == 3);

/* What the models of the library are, and their settings. */
static nb::typed<nb::list, nb::typed<nb::dict, nb::str, nb::any>> kinds() {
    nb::typed<nb::list, nb::typed<nb::dict, nb::str, nb::any>> found;
    const sparcl_model_kind *kind;
    for (int i = 0; (kind = sparcl_model_kind_at(i)); i++) {
        nb::typed<nb::dict, nb::str, nb::any> one;
        one["name"] = kind->name;
        one["formula"] = kind->formula;
        one["source"] = kind->source;
        one["settings"] = kind->settings;
        one["optimizer"] = kind->optimizer;
        one["epochs"] = kind->epochs;
        one["task"] = tasks[kind->task];
        one["has_one_score"] = (bool)kind->has_one_score;
        found.append(one);
    }
    return found;
}

void bind_models(nb::module_ &m) {
    m.def("model_kinds", kinds, "The models of the library.");
    nb::class_<Model>(m, "Model", "A trained model in host memory.")
        .def_static("load", load, nb::arg("path"))
        .def("save", save, nb::arg("path"))
        .def_prop_ro("info", info)
        .def("probabilities", probabilities, nb::arg("scores"), nb::arg("found"))
        .def_prop_ro("feature_ids", feature_ids)
        .def_prop_ro("known_ids", known_ids)
        .def_prop_ro("csv_description", csv_description)
        .def_prop_ro("label_names", label_names)
        .def("set_label_names", set_label_names, nb::arg("names"))
        .def_prop_ro("notes", notes)
        .def("set_note", set_note, nb::arg("key"), nb::arg("text").none())
        .def_prop_ro("crosses", crosses)
        .def_prop_ro("tensor_names", tensor_names)
        .def("tensor", tensor, nb::arg("name"));
}
