/* values.cpp: what views describe, and copies of their elements on the host. */
#include <nanobind/stl/vector.h>

#include "binding.h"

using Shape = std::vector<int64_t>;

/* Pointers to host arrays, which have the size of the view's arrays. */
struct Target {
    HostMemory memory;

    explicit Target(nb::handle array) : memory(array, true) {}
    void *at() const {
        return memory.buffer.buf;
    }
};

static void read_dense(Dense &h, Context &context, nb::handle values) {
    Target to(values);
    run(context, [&](sparcl_ctx *ctx) { return sparcl_dense_read(ctx, &h.view, to.at()); });
    context.copied += to.memory.buffer.len;
}

static void write_dense(Dense &h, Context &context, nb::handle values) {
    HostMemory from(values, false);
    run(context,
        [&](sparcl_ctx *ctx) { return sparcl_dense_upload(ctx, &h.view, from.buffer.buf); });
    context.copied += from.buffer.len;
}

static int64_t read_csr(Csr &h, Context &context, nb::handle offsets, nb::handle indices,
                        nb::handle values) {
    Target o(offsets), i(indices), v(values);
    int64_t nnz = 0;
    run(context, [&](sparcl_ctx *ctx) {
        return sparcl_csr_read(ctx, &h.view, o.at(), i.at(), v.at(), &nnz);
    });
    return nnz;
}

static int64_t read_rows(Rows &h, Context &context, nb::handle indices, nb::handle values) {
    Target i(indices), v(values);
    int64_t nnr = 0;
    run(context,
        [&](sparcl_ctx *ctx) { return sparcl_rows_read(ctx, &h.view, i.at(), v.at(), &nnr); });
    return nnr;
}

static int64_t read_coo(Coo &h, Context &context, const std::vector<nb::object> &indices,
                        nb::handle values) {
    std::vector<std::unique_ptr<Target>> targets;
    void *at[SPARCL_MAX_RANK] = {};
    if ((int)indices.size() != h.view.rank)
        throw nb::value_error("expected an array of indices for each dimension");
    for (size_t d = 0; d < indices.size(); d++) {
        targets.push_back(std::make_unique<Target>(indices[d]));
        at[d] = targets.back()->at();
    }
    Target v(values);
    int64_t nnz = 0;
    run(context, [&](sparcl_ctx *ctx) { return sparcl_coo_read(ctx, &h.view, at, v.at(), &nnz); });
    return nnz;
}

/* Shape, types and capacity of a view of the library's memory. */
template <class H> static void add_description(nb::handle type) {
    auto c = nb::borrow<nb::class_<H>>(type);
    c.def_prop_ro("dtype", [](const H &h) { return (int)h.view.dtype; });
    if constexpr (std::is_same_v<H, Csr>) {
        c.def_prop_ro("shape", [](const H &h) { return Shape{h.view.rows, h.view.cols}; });
        c.def_prop_ro("offset_type", [](const H &h) { return (int)h.view.offset_type; });
    } else {
        c.def_prop_ro("shape",
                      [](const H &h) { return Shape(h.view.shape, h.view.shape + h.view.rank); });
    }
    if constexpr (!std::is_same_v<H, Dense>)
        c.def_prop_ro("index_type", [](const H &h) { return (int)h.view.index_type; });
    if constexpr (std::is_same_v<H, Rows>)
        c.def_prop_ro("capacity", [](const H &h) { return h.view.nnr; });
    else if constexpr (!std::is_same_v<H, Dense>)
        c.def_prop_ro("capacity", [](const H &h) { return h.view.nnz; });
}

void bind_values(nb::module_ &m) {
    add_description<Dense>(m.attr("Dense"));
    add_description<Csr>(m.attr("Csr"));
    add_description<Rows>(m.attr("Rows"));
    add_description<Coo>(m.attr("Coo"));
    m.def("read_dense", read_dense, "Copy all elements to an array of the host.");
    m.def("write_dense", write_dense, "Copy all elements from an array of the host.");
    m.def("read_csr", read_csr, "Copy a matrix to arrays; returns the number of its entries.");
    m.def("read_rows", read_rows, "Copy to arrays; returns the number of stored rows.");
    m.def("read_coo", read_coo, "Copy to arrays; returns the number of entries.");
}
