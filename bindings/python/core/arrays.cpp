/* arrays.cpp: views on buffers: dense, csr, csc, coo, rows, bsr and list. */
#include <algorithm>
#include <vector>

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "binding.h"

using Shape = std::vector<int64_t>;

template <class View> static void set_shape(View &view, const Shape &shape) {
    if (shape.empty() || shape.size() > SPARCL_MAX_RANK)
        throw nb::value_error("expected 1 to 8 dimensions");
    view.rank = (int)shape.size();
    std::copy(shape.begin(), shape.end(), view.shape);
}

static sparcl_buf *buf_of(const BufferRef &buffer) {
    return buffer ? buffer->buf : nullptr;
}

static Dense *make_dense(const Shape &shape, int dtype, BufferRef values, int64_t values_at,
                         int64_t ld, int order) {
    auto made = std::make_unique<Dense>();
    set_shape(made->view, shape);
    made->view.dtype = (sparcl_dtype)dtype;
    made->view.ld = ld;
    made->view.order = (sparcl_order)order;
    made->view.values = buf_of(values);
    made->view.values_at = values_at;
    made->buffers[0] = std::move(values);
    return made.release();
}

/* What csr, csc and bsr have; they differ in what is compressed, and what an entry is. */
template <class H>
static std::unique_ptr<H> compressed(int64_t rows, int64_t cols, int dtype, int offset_type,
                                     int index_type, BufferRef offsets, BufferRef indices,
                                     BufferRef values) {
    auto made = std::make_unique<H>();
    auto &v = made->view;
    v.rows = rows;
    v.cols = cols;
    v.dtype = (sparcl_dtype)dtype;
    v.offset_type = (sparcl_itype)offset_type;
    v.index_type = (sparcl_itype)index_type;
    v.offsets = buf_of(offsets);
    v.indices = buf_of(indices);
    v.values = buf_of(values);
    made->buffers = {std::move(offsets), std::move(indices), std::move(values)};
    return made;
}

template <class H>
static H *make_compressed(int64_t rows, int64_t cols, int64_t nnz, int dtype, int offset_type,
                          int index_type, BufferRef offsets, BufferRef indices, BufferRef values) {
    auto made = compressed<H>(rows, cols, dtype, offset_type, index_type, std::move(offsets),
                              std::move(indices), std::move(values));
    made->view.nnz = nnz;
    return made.release();
}

static Coo *make_coo(const Shape &shape, int64_t nnz, int dtype, int index_type,
                     const std::vector<BufferRef> &indices, BufferRef values, BufferRef count) {
    auto made = std::make_unique<Coo>();
    auto &v = made->view;
    set_shape(v, shape);
    if (indices.size() != shape.size())
        throw nb::value_error("expected an array of indices for each dimension");
    v.nnz = nnz;
    v.dtype = (sparcl_dtype)dtype;
    v.index_type = (sparcl_itype)index_type;
    v.values = buf_of(values);
    v.count = buf_of(count);
    for (size_t d = 0; d < indices.size(); d++) {
        v.indices[d] = buf_of(indices[d]);
        made->buffers[d] = indices[d];
    }
    made->buffers[SPARCL_MAX_RANK] = std::move(values);
    made->buffers[SPARCL_MAX_RANK + 1] = std::move(count);
    return made.release();
}

static Rows *make_rows(const Shape &shape, int64_t nnr, int dtype, int index_type,
                       BufferRef indices, BufferRef values, BufferRef count) {
    auto made = std::make_unique<Rows>();
    auto &v = made->view;
    set_shape(v, shape);
    v.nnr = nnr;
    v.dtype = (sparcl_dtype)dtype;
    v.index_type = (sparcl_itype)index_type;
    v.indices = buf_of(indices);
    v.values = buf_of(values);
    v.count = buf_of(count);
    made->buffers = {std::move(indices), std::move(values), std::move(count)};
    return made.release();
}

static Bsr *make_bsr(int64_t rows, int64_t cols, int64_t block_rows, int64_t block_cols,
                     int64_t nnzb, int dtype, int offset_type, int index_type, BufferRef offsets,
                     BufferRef indices, BufferRef values) {
    auto made = compressed<Bsr>(rows, cols, dtype, offset_type, index_type, std::move(offsets),
                                std::move(indices), std::move(values));
    made->view.block_rows = block_rows;
    made->view.block_cols = block_cols;
    made->view.nnzb = nnzb;
    return made.release();
}

static List *make_list(int64_t count, int64_t limit, int index_type, BufferRef indices) {
    auto made = std::make_unique<List>();
    auto &v = made->view;
    v.count = count;
    v.limit = limit;
    v.index_type = (sparcl_itype)index_type;
    v.indices = buf_of(indices);
    made->buffers[0] = std::move(indices);
    return made.release();
}

Pattern::Pattern(ContextRef of) : context(std::move(of)) {
    run(*context, [&](sparcl_ctx *ctx) { return sparcl_pattern_create(ctx, &pattern); });
}

Pattern::~Pattern() {
    if (pattern) context->release([&] { sparcl_pattern_free(pattern); });
}

/* Check a view on the device; what was proven is stored in it. */
template <auto Validate, class H> static void validate(H &h, Context &context, uint32_t want) {
    run(context, [&](sparcl_ctx *ctx) { return Validate(ctx, &h.view, want); });
}

/* A view of a closed context has no buffers. */
template <auto Flags, class H> static uint32_t flags_of(const H &h) {
    const BufferRef &first = h.buffers[0];
    return first && first->context->is_closed ? 0 : Flags(&h.view);
}

/* The properties of a view whose indices this one has too hold for it. */
template <class H, class Other, auto Flags> static void trust(H &h, const Other &other) {
    const uint32_t flags = flags_of<Flags>(other);
    if (!(flags & (SPARCL_VALID | SPARCL_TRUSTED))) return;
    h.view.proof = {};
    h.view.proof.flags = flags | SPARCL_TRUSTED;
    h.view.proof.longest_row = other.view.proof.longest_row;
}

template <class H, auto Validate, auto Flags> static void bind_sparse(nb::class_<H> &type) {
    type.def("validate", &validate<Validate, H>, nb::arg("context"), nb::arg("want") = 0)
        .def("trust", &trust<H, H, Flags>, nb::arg("other"))
        .def_prop_ro("flags", [](const H &h) { return flags_of<Flags>(h); });
}

template <class H, auto Validate, auto Flags>
static nb::class_<H> bind_compressed(nb::module_ &m, const char *name) {
    nb::class_<H> type(m, name);
    type.def(nb::new_(&make_compressed<H>), nb::arg("rows"), nb::arg("cols"), nb::arg("nnz"),
             nb::arg("dtype"), nb::arg("offset_type"), nb::arg("index_type"), nb::arg("offsets"),
             nb::arg("indices"), nb::arg("values"));
    bind_sparse<H, Validate, Flags>(type);
    return type;
}

void bind_arrays(nb::module_ &m) {
    nb::class_<Dense>(m, "Dense")
        .def(nb::new_(&make_dense), nb::arg("shape"), nb::arg("dtype"), nb::arg("values"),
             nb::arg("values_at") = 0, nb::arg("ld") = 0, nb::arg("order") = 0);
    auto csr = bind_compressed<Csr, sparcl_csr_validate, sparcl_csr_flags>(m, "Csr");
    auto csc = bind_compressed<Csc, sparcl_csc_validate, sparcl_csc_flags>(m, "Csc");
    csr.def("trust", &trust<Csr, Csc, sparcl_csc_flags>, nb::arg("other"));
    csc.def("trust", &trust<Csc, Csr, sparcl_csr_flags>, nb::arg("other"));
    nb::class_<Pattern>(m, "Pattern").def(nb::init<ContextRef>(), nb::arg("context"));
    nb::class_<Coo> coo(m, "Coo");
    coo.def(nb::new_(&make_coo), nb::arg("shape"), nb::arg("nnz"), nb::arg("dtype"),
            nb::arg("index_type"), nb::arg("indices"), nb::arg("values"),
            nb::arg("count") = nb::none());
    bind_sparse<Coo, sparcl_coo_validate, sparcl_coo_flags>(coo);
    nb::class_<Rows> rows(m, "Rows");
    rows.def(nb::new_(&make_rows), nb::arg("shape"), nb::arg("nnr"), nb::arg("dtype"),
             nb::arg("index_type"), nb::arg("indices"), nb::arg("values"),
             nb::arg("count") = nb::none());
    bind_sparse<Rows, sparcl_rows_validate, sparcl_rows_flags>(rows);
    nb::class_<Bsr> bsr(m, "Bsr");
    bsr.def(nb::new_(&make_bsr), nb::arg("rows"), nb::arg("cols"), nb::arg("block_rows"),
            nb::arg("block_cols"), nb::arg("nnzb"), nb::arg("dtype"), nb::arg("offset_type"),
            nb::arg("index_type"), nb::arg("offsets"), nb::arg("indices"), nb::arg("values"));
    bind_sparse<Bsr, sparcl_bsr_validate, sparcl_bsr_flags>(bsr);
    nb::class_<List> list(m, "List");
    list.def(nb::new_(&make_list), nb::arg("count"), nb::arg("limit"), nb::arg("index_type"),
             nb::arg("indices"));
    bind_sparse<List, sparcl_list_validate, sparcl_list_flags>(list);
}
