/* graph_operations.cpp: the operations that add nodes to a graph, each bound by its C declaration.
 */
#include <type_traits>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "graph_holder.h"

using Nodes = std::vector<int>;
using Axes = std::vector<int>;

/* Enumerations are numbers in Python. */
template <class T> using Number = std::conditional_t<std::is_enum_v<T>, int, T>;

template <class... A>
static void bind_one(nb::class_<Graph> &graph, const char *name,
                     sparcl_node (*function)(sparcl_graph *, A...)) {
    graph.def(name, [function](Graph &g, Number<A>... arguments) {
        return g.add([&](sparcl_graph *of) { return function(of, (A)arguments...); });
    });
}

#define BIND(name) bind_one(graph, #name, sparcl_graph_##name)

/* Operations of several nodes. */
template <auto Function> static int add_several(Graph &g, const Nodes &in) {
    return g.add([&](sparcl_graph *of) { return Function(of, in.data(), (int)in.size()); });
}

template <auto Function> static int add_along(Graph &g, const Nodes &in, int axis) {
    return g.add([&](sparcl_graph *of) { return Function(of, in.data(), (int)in.size(), axis); });
}

/* ---- embeddings ----------------------------------------------------------------------------- */

static sparcl_embedding_options embedding_options(int mode, std::optional<int64_t> padding,
                                                  bool scale_by_frequency, double max_norm,
                                                  double norm_type, int bounds) {
    sparcl_embedding_options options{};
    options.mode = (sparcl_bag_mode)mode;
    options.has_padding = padding.has_value();
    options.padding_index = padding.value_or(0);
    options.scale_by_frequency = scale_by_frequency;
    options.max_norm = max_norm;
    options.norm_type = norm_type;
    options.bounds = (sparcl_bounds)bounds;
    return options;
}

static int embedding(Graph &g, int table, int list, std::optional<int64_t> padding,
                     bool scale_by_frequency, double max_norm, double norm_type, int bounds) {
    const auto options =
        embedding_options(0, padding, scale_by_frequency, max_norm, norm_type, bounds);
    return g.add(
        [&](sparcl_graph *of) { return sparcl_graph_embedding(of, table, list, &options); });
}

static int embedding_bag(Graph &g, int mode, int matrix, int table, std::optional<int64_t> padding,
                         bool scale_by_frequency, double max_norm, double norm_type) {
    const auto options =
        embedding_options(mode, padding, scale_by_frequency, max_norm, norm_type, 0);
    return g.add(
        [&](sparcl_graph *of) { return sparcl_graph_embedding_bag(of, matrix, table, &options); });
}

static int bag_matrix(Graph &g, int ids, std::optional<int> offsets, int64_t bags,
                      std::optional<int> weights, int bounds, bool include_last,
                      std::optional<int64_t> padding) {
    sparcl_bag_options options{};
    options.bounds = (sparcl_bounds)bounds;
    options.include_last = include_last;
    options.has_padding = padding.has_value();
    options.padding_index = padding.value_or(0);
    return g.add([&](sparcl_graph *of) {
        return sparcl_graph_bag_matrix(of, ids, offsets.value_or(SPARCL_NO_NODE), bags,
                                       weights.value_or(SPARCL_NO_NODE), &options);
    });
}

/* ---- COO arrays ----------------------------------------------------------------------------- */

static int coo_permute(Graph &g, int a, const Axes &axes) {
    return g.add([&](sparcl_graph *of) {
        return sparcl_graph_coo_permute(of, a, (int)axes.size(), axes.data());
    });
}

static int reshape(Graph &g, int a, const Sizes &shape) {
    return g.add([&](sparcl_graph *of) {
        return sparcl_graph_reshape(of, a, (int)shape.size(), shape.data());
    });
}

static int coo_project(Graph &g, int a, const Axes &axes) {
    return g.add([&](sparcl_graph *of) {
        return sparcl_graph_coo_project(of, a, (int)axes.size(), axes.data());
    });
}

static int coo_slice(Graph &g, int a, const Sizes &start, const Sizes &shape) {
    if (start.size() != shape.size()) throw nb::value_error("start and shape: different lengths");
    return g.add([&](sparcl_graph *of) {
        return sparcl_graph_coo_slice(of, a, (int)shape.size(), start.data(), shape.data());
    });
}

static int coo_reduce(Graph &g, int how, int a, const std::optional<Axes> &axes) {
    return g.add([&](sparcl_graph *of) {
        return sparcl_graph_coo_reduce(of, (sparcl_duplicates)how, a, axes ? (int)axes->size() : 0,
                                       axes ? axes->data() : nullptr);
    });
}

/* ---- Python --------------------------------------------------------------------------------- */

static void bind_products(nb::class_<Graph> &graph) {
    BIND(bag);
    BIND(spmm);
    BIND(spmm_t);
    BIND(spmm_rows);
    BIND(spmm_t_rows);
    BIND(matmul);
    BIND(gemm);
    BIND(sddmm);
    BIND(spmm_reduce);
    BIND(spgemm);
}

static void bind_elements(nb::class_<Graph> &graph) {
    BIND(unary);
    BIND(binary);
    BIND(binary_scalar);
    graph.def("add_n", add_several<sparcl_graph_add_n>);
    BIND(clip);
    BIND(cast);
    BIND(csr_broadcast);
    BIND(add);
    BIND(multiply);
    BIND(values);
    BIND(with_values);
}

static void bind_reductions(nb::class_<Graph> &graph) {
    BIND(dot_rows);
    BIND(sum);
    BIND(mean);
    BIND(reduce);
    graph.def("coo_reduce", coo_reduce, nb::arg(), nb::arg(), nb::arg().none());
    BIND(segment_reduce);
    BIND(csr_softmax);
    BIND(csr_softmax_heads);
}

static void bind_structure(nb::class_<Graph> &graph) {
    BIND(gather);
    BIND(columns);
    BIND(transpose);
    BIND(triangle);
    BIND(slice);
    BIND(take_rows);
    BIND(take_columns);
    BIND(retain_rows);
    graph.def("concat", add_along<sparcl_graph_concat>);
    graph.def("block_diagonal", add_several<sparcl_graph_block_diagonal>);
    BIND(fill_empty_rows);
    BIND(as_rows);
    BIND(rows_retain_all);
    BIND(rows_retain_stored);
    BIND(sort);
    BIND(coalesce);
    graph.def("coo_permute", coo_permute);
    graph.def("reshape", reshape);
    BIND(coo_expand_dims);
    BIND(coo_squeeze);
    graph.def("coo_project", coo_project);
    graph.def("coo_slice", coo_slice);
}

static void bind_conversions(nb::class_<Graph> &graph) {
    BIND(to_dense);
    BIND(sparse_mask);
    BIND(to_csr);
    BIND(prune);
    BIND(topk_rows);
    BIND(to_rows);
    BIND(to_coo);
}

static void bind_layers(nb::class_<Graph> &graph) {
    graph.def("embedding", embedding, nb::arg(), nb::arg(), nb::arg("padding").none(),
              nb::arg("scale_by_frequency"), nb::arg("max_norm"), nb::arg("norm_type"),
              nb::arg("bounds"));
    graph.def("embedding_bag", embedding_bag, nb::arg(), nb::arg(), nb::arg(),
              nb::arg("padding").none(), nb::arg("scale_by_frequency"), nb::arg("max_norm"),
              nb::arg("norm_type"));
    graph.def("bag_matrix", bag_matrix, nb::arg(), nb::arg("offsets").none(), nb::arg(),
              nb::arg("weights").none(), nb::arg("bounds"), nb::arg("include_last"),
              nb::arg("padding").none());
    BIND(dropout);
    BIND(layer_norm);
    BIND(batch_norm);
    BIND(batch_norm_running);
    BIND(interactions);
    BIND(field_interactions);
}

static void bind_losses(nb::class_<Graph> &graph) {
    BIND(loss);
}

void bind_graph_operations(nb::class_<Graph> &graph) {
    bind_products(graph);
    bind_elements(graph);
    bind_reductions(graph);
    bind_structure(graph);
    bind_conversions(graph);
    bind_layers(graph);
    bind_losses(graph);
}
