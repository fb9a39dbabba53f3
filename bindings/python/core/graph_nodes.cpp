/* graph_nodes.cpp: rows of a data set that are nodes of a graph: drawn, evaluated and predicted. */
#include "graph_nodes.h"

#include <cstdlib>
#include <tuple>
#include <vector>

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "results.h"
#include "sparcl/apply.h"

Nodes::Nodes(nb::object edges, nb::handle of_rows, nb::handle of_valid)
    : edges_object(std::move(edges)), rows(of_rows, false), valid(of_valid, false) {
    if (!nb::isinstance<Data>(edges_object)) throw nb::type_error("edges: expected a Data");
}

static int64_t count_of(const HostMemory &memory) {
    return memory.buffer.len / (int64_t)sizeof(int64_t);
}

sparcl_train_nodes Nodes::training() const {
    return {edges(), static_cast<const int64_t *>(rows.buffer.buf), count_of(rows),
            static_cast<const int64_t *>(valid.buffer.buf), count_of(valid)};
}

sparcl_node_rows Nodes::listed() const {
    return {edges(), static_cast<const int64_t *>(rows.buffer.buf), count_of(rows)};
}

using Lists = std::tuple<std::vector<int64_t>, std::vector<int64_t>, std::vector<int64_t>>;

static Lists draw(const Data &data, int64_t per_class, int64_t valid, int64_t test, uint64_t seed) {
    int64_t *rows = nullptr, counts[3] = {0};
    run_on_host([&](sparcl_error *error) {
        return sparcl_draw_nodes(data.at, per_class, valid, test, seed, &rows, counts, error);
    });
    const int64_t *const first = rows, *const second = first + counts[0];
    const int64_t *const third = second + counts[1];
    Lists found(std::vector<int64_t>(first, second), std::vector<int64_t>(second, third),
                std::vector<int64_t>(third, third + counts[2]));
    std::free(rows);
    return found;
}

static Numbers evaluate(Context &context, const Model &model, const Data &data,
                        const Nodes &nodes) {
    const sparcl_node_rows rows = nodes.listed();
    sparcl_metrics m{};
    run_with(context, [&](sparcl_ctx *ctx, sparcl_error *error) {
        return sparcl_eval_nodes(ctx, model.at, data.at, &rows, &m, error);
    });
    return describe(m);
}

static void predict(Context &context, const Model &model, const Data &data, const Nodes &nodes,
                    nb::handle label, nb::handle probability) {
    const sparcl_node_rows rows = nodes.listed();
    const Result to_label(label), to_probability(probability);
    double *const at_label = to_label.at<double>(rows.count);
    float *const at_probability = to_probability.at<float>(rows.count);
    run_with(context, [&](sparcl_ctx *ctx, sparcl_error *error) {
        return sparcl_predict_nodes(ctx, model.at, data.at, &rows, at_label, at_probability, error);
    });
}

void bind_nodes(nb::module_ &m) {
    nb::class_<Nodes>(m, "Nodes", "Rows of a data set that are nodes of a graph.")
        .def(nb::init<nb::object, nb::handle, nb::handle>(), nb::arg("edges"), nb::arg("rows"),
             nb::arg("valid"));
    m.def("draw_nodes", draw, nb::arg("data"), nb::arg("per_class"), nb::arg("valid"),
          nb::arg("test"), nb::arg("seed"));
    m.def("evaluate_nodes", evaluate, nb::arg("context"), nb::arg("model"), nb::arg("data"),
          nb::arg("nodes"));
    m.def("predict_nodes", predict, nb::arg("context"), nb::arg("model"), nb::arg("data"),
          nb::arg("nodes"), nb::arg("label"), nb::arg("probability"));
}
