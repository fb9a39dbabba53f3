/* graph.cpp: graphs: their inputs, parameters, runs and values. */
#include <algorithm>
#include <vector>

#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <sparcl/model.h>

#include "graph_holder.h"

Graph::Graph(ContextRef of) : context(std::move(of)) {
    run(*context, [&](sparcl_ctx *ctx) { return sparcl_graph_create(ctx, &graph); });
}

Graph::~Graph() {
    if (graph) context->release([&] { sparcl_graph_free(graph); });
}

/* ---- inputs and parameters ------------------------------------------------------------------ */

static int64_t add_dim(Graph &g, const std::string &name, int64_t capacity) {
    int64_t dim = 0;
    run(*g.context, [&](sparcl_ctx *) {
        dim = sparcl_graph_dim(g.graph, c_text(name, "name"), capacity);
        return sparcl_graph_take_error(g.graph);
    });
    return dim;
}

static int add_csr(Graph &g, const std::string &name, int64_t rows, int64_t cols, int64_t entries) {
    return g.add([&](sparcl_graph *of) {
        return sparcl_graph_csr(of, c_text(name, "name"), rows, cols, entries);
    });
}

static int add_dense(Graph &g, const std::string &name, const Sizes &shape) {
    return g.add([&](sparcl_graph *of) {
        return sparcl_graph_dense(of, c_text(name, "name"), (int)shape.size(), shape.data());
    });
}

static int add_list(Graph &g, const std::string &name, int64_t count, int64_t limit) {
    return g.add([&](sparcl_graph *of) {
        return sparcl_graph_list(of, c_text(name, "name"), count, limit);
    });
}

static int add_rows(Graph &g, const std::string &name, const Sizes &shape, int64_t stored) {
    return g.add([&](sparcl_graph *of) {
        return sparcl_graph_rows(of, c_text(name, "name"), (int)shape.size(), shape.data(), stored);
    });
}

static int add_coo(Graph &g, const std::string &name, const Sizes &shape, int64_t entries) {
    return g.add([&](sparcl_graph *of) {
        return sparcl_graph_coo(of, c_text(name, "name"), (int)shape.size(), shape.data(), entries);
    });
}

static int add_parameter(Graph &g, const std::string &name, const Sizes &shape,
                         const std::string &text) {
    const sparcl_optim optim = parse_optimizer(text);
    return g.add([&](sparcl_graph *of) {
        return sparcl_graph_parameter(of, c_text(name, "name"), (int)shape.size(), shape.data(),
                                      &optim);
    });
}

template <auto Bind, class H> static void bind_input(Graph &g, int node, const H &view) {
    run(*g.context, [&](sparcl_ctx *) { return Bind(g.graph, node, &view.view); });
}

/* ---- runs ----------------------------------------------------------------------------------- */

template <auto Function> static void call(Graph &g) {
    run(*g.context, [&](sparcl_ctx *) { return Function(g.graph); });
}

static std::pair<int64_t, int64_t> memory(Graph &g) {
    std::pair<int64_t, int64_t> found{0, 0};
    run(*g.context,
        [&](sparcl_ctx *) { return sparcl_graph_memory(g.graph, &found.first, &found.second); });
    return found;
}

/* ---- values --------------------------------------------------------------------------------- */

/* A view of memory of the graph, which changes in its next run. */
template <class H, auto Get> static H *value(Graph &g, int node) {
    auto found = std::make_unique<H>();
    run(*g.context, [&](sparcl_ctx *) { return Get(g.graph, node, &found->view); });
    return found.release();
}

static nb::typed<nb::dict, nb::str, nb::any> node_info(Graph &g, int node) {
    sparcl_node_info info{};
    run(*g.context, [&](sparcl_ctx *) { return sparcl_graph_node_info(g.graph, node, &info); });
    nb::typed<nb::dict, nb::str, nb::any> found;
    found["name"] = info.name;
    found["operation"] = info.operation;
    found["kind"] = info.kind;
    found["dtype"] = (int)info.dtype;
    found["shape"] = Sizes(info.shape, info.shape + info.rank);
    found["stored"] = info.stored;
    found["runs"] = info.runs != 0;
    found["bytes"] = info.bytes;
    return found;
}

/* ---- states --------------------------------------------------------------------------------- */

using Counters = std::pair<std::vector<int64_t>, std::vector<double>>;

static Counters counters(Graph &g, int parameter) {
    sparcl_counters c{};
    run(*g.context, [&](sparcl_ctx *) { return sparcl_graph_counters(g.graph, parameter, &c); });
    return {{std::begin(c.integers), std::end(c.integers)},
            {std::begin(c.numbers), std::end(c.numbers)}};
}

static void set_counters(Graph &g, int parameter, const Counters &from) {
    sparcl_counters c{};
    if (from.first.size() != std::size(c.integers) || from.second.size() != std::size(c.numbers))
        throw nb::value_error("expected 6 integers and 3 numbers");
    std::copy(from.first.begin(), from.first.end(), c.integers);
    std::copy(from.second.begin(), from.second.end(), c.numbers);
    run(*g.context,
        [&](sparcl_ctx *) { return sparcl_graph_set_counters(g.graph, parameter, &c); });
}

static sparcl_state_array state_array(Graph &g, int index) {
    sparcl_state_array array{};
    run(*g.context, [&](sparcl_ctx *) { return sparcl_graph_state_array(g.graph, index, &array); });
    return array;
}

static nb::typed<nb::list, nb::typed<nb::dict, nb::str, nb::any>> state_arrays(Graph &g) {
    nb::typed<nb::list, nb::typed<nb::dict, nb::str, nb::any>> found;
    for (int i = 0;; i++) {
        const sparcl_state_array array = state_array(g, i);
        if (!array.type) return found;
        nb::typed<nb::dict, nb::str, nb::any> one;
        one["parameter"] = (int)array.parameter;
        one["part"] = array.part;
        one["type"] = array.type;
        one["count"] = array.count;
        one["least"] = array.least;
        one["most"] = array.most;
        found.append(one);
    }
}

/* Copy array i of the state to or from an array of the host of its size. */
static void copy_state(Graph &g, int index, nb::handle host, bool write) {
    HostMemory memory(host, !write);
    const sparcl_state_array array = state_array(g, index);
    if (memory.buffer.len != array.bytes)
        throw nb::value_error("expected an array of the size of the state");
    if (!array.bytes) return;
    run(*g.context, [&](sparcl_ctx *ctx) {
        return write ? sparcl_buf_write(ctx, array.buf, array.at, array.bytes, memory.buffer.buf)
                     : sparcl_buf_read(ctx, array.buf, array.at, array.bytes, memory.buffer.buf);
    });
}

/* ---- files ---------------------------------------------------------------------------------- */

template <auto Function> static void use_file(Graph &g, const std::string &path) {
    run_with(*g.context, [&](sparcl_ctx *ctx, sparcl_error *error) {
        return Function(ctx, g.graph, c_text(path, "path"), error);
    });
}

/* ---- Python --------------------------------------------------------------------------------- */

static nb::typed<nb::list, nb::typed<nb::dict, nb::str, nb::str>> list_operations() {
    nb::typed<nb::list, nb::typed<nb::dict, nb::str, nb::str>> found;
    for (int i = 0; const sparcl_operation_info *const info = sparcl_graph_operation(i); i++) {
        if (!info->gradients) continue;
        nb::typed<nb::dict, nb::str, nb::str> one;
        one["kind"] = sparcl_graph_operation_kind(i);
        one["name"] = info->name;
        one["operands"] = info->operands;
        one["result"] = info->result;
        one["gradients"] = info->gradients;
        found.append(one);
    }
    return found;
}

static void bind_runs(nb::class_<Graph> &graph) {
    graph.def("step", call<sparcl_graph_step>)
        .def("forward", call<sparcl_graph_forward>)
        .def("finish", call<sparcl_graph_finish>)
        .def("allocate", call<sparcl_graph_allocate>)
        .def("vary_rates", call<sparcl_graph_vary_rates>)
        .def("backward",
             [](Graph &g, int loss) {
                 run(*g.context, [&](sparcl_ctx *) {
                     const sparcl_status status = sparcl_graph_backward(g.graph, loss);
                     return status == SPARCL_OK ? status : sparcl_graph_take_error(g.graph);
                 });
             })
        .def("set_rate",
             [](Graph &g, double factor) {
                 run(*g.context,
                     [&](sparcl_ctx *) { return sparcl_graph_set_rate(g.graph, factor); });
             })
        .def("clip_global_norm",
             [](Graph &g, double limit) {
                 run(*g.context,
                     [&](sparcl_ctx *) { return sparcl_graph_clip_global_norm(g.graph, limit); });
             })
        .def("set_training", [](Graph &g, bool on) { sparcl_graph_set_training(g.graph, on); })
        .def("set_fusion", [](Graph &g, bool on) { sparcl_graph_set_fusion(g.graph, on); })
        .def_prop_rw(
            "step_number", [](const Graph &g) { return sparcl_graph_get_step(g.graph); },
            [](Graph &g, int64_t step) { sparcl_graph_set_step(g.graph, step); });
}

static void bind_values(nb::class_<Graph> &graph) {
    const auto stays = nb::keep_alive<0, 1>();
    graph.def("value", value<Dense, sparcl_graph_value>, stays)
        .def("current", value<Dense, sparcl_graph_current>, stays)
        .def("csr_value", value<Csr, sparcl_graph_csr_value>, stays)
        .def("rows_value", value<Rows, sparcl_graph_rows_value>, stays)
        .def("coo_value", value<Coo, sparcl_graph_coo_value>, stays)
        .def("output", [](Graph &g, int node) { sparcl_graph_output(g.graph, node); })
        .def("bind_output", bind_input<sparcl_graph_bind_output, Dense>)
        .def("gradient", [](Graph &g, int node) { return sparcl_graph_gradient(g.graph, node); })
        .def("global_norm", [](Graph &g) { return sparcl_graph_global_norm(g.graph); })
        .def("info", node_info)
        .def("memory", memory)
        .def("counters", counters)
        .def("set_counters", set_counters)
        .def("state_arrays", state_arrays)
        .def("copy_state", copy_state, nb::arg("index"), nb::arg("host"), nb::arg("write"))
        .def("save", use_file<sparcl_parameters_save>)
        .def("load", use_file<sparcl_parameters_load>);
}

void bind_graph(nb::module_ &m) {
    m.def("graph_operations", list_operations, "The operations of graphs.");
    nb::class_<Graph> graph(m, "Graph", "A model as a graph.");
    graph.def(nb::init<ContextRef>(), nb::arg("context"))
        .def("add_dim", add_dim)
        .def("reserve",
             [](Graph &g, int64_t dim, int64_t capacity) {
                 run(*g.context,
                     [&](sparcl_ctx *) { return sparcl_graph_reserve(g.graph, dim, capacity); });
             })
        .def("set_dtype",
             [](Graph &g, int dtype) {
                 run(*g.context, [&](sparcl_ctx *) {
                     sparcl_graph_set_dtype(g.graph, (sparcl_dtype)dtype);
                     return sparcl_graph_take_error(g.graph);
                 });
             })
        .def("add_csr", add_csr)
        .def("add_dense", add_dense)
        .def("add_list", add_list)
        .def("add_rows", add_rows)
        .def("add_coo", add_coo)
        .def("add_parameter", add_parameter)
        .def("bind_csr", bind_input<sparcl_graph_bind_csr, Csr>)
        .def("bind_dense", bind_input<sparcl_graph_bind_dense, Dense>)
        .def("bind_list", bind_input<sparcl_graph_bind_list, List>)
        .def("bind_rows", bind_input<sparcl_graph_bind_rows, Rows>)
        .def("bind_coo", bind_input<sparcl_graph_bind_coo, Coo>)
        .def_prop_ro("nodes", [](const Graph &g) { return sparcl_graph_nodes(g.graph); })
        .def("name", [](const Graph &g, int node) { return sparcl_graph_node_name(g.graph, node); })
        .def("set_name",
             [](Graph &g, int node, const std::string &name) {
                 sparcl_graph_name(g.graph, node, c_text(name, "name"));
             })
        .def("is_parameter", [](const Graph &g, int node) {
            return sparcl_graph_is_parameter(g.graph, node) != 0;
        });
    bind_runs(graph);
    bind_values(graph);
    bind_graph_operations(graph);
}
