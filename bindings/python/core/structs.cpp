/* structs.cpp: the structs that operations take beside views. */
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "structs.h"

static sparcl_buf *keep(BufferRef &place, BufferRef buffer) {
    place = std::move(buffer);
    return place ? place->buf : nullptr;
}

/* A buffer or None for each of these members of a struct, in the order of its buffers. */
template <auto Member> using Given = BufferRef;
template <class Held, auto... Member> static Held *hold(Given<Member>... buffers) {
    auto made = std::make_unique<Held>();
    size_t at = 0;
    ((made->value.*Member = keep(made->buffers[at++], std::move(buffers))), ...);
    return made.release();
}

static Bags *make_bags(int64_t bags, const List &indices, int offset_type, bool include_last,
                       BufferRef offsets, BufferRef weights, int mode, int bounds, bool has_padding,
                       int64_t padding_index, bool scale_by_frequency) {
    auto made = std::make_unique<Bags>();
    sparcl_bags &v = made->value;
    v.bags = bags;
    v.indices = indices.view;
    made->buffers[0] = indices.buffers[0];
    v.offset_type = (sparcl_itype)offset_type;
    v.include_last = include_last;
    v.offsets = keep(made->buffers[1], std::move(offsets));
    v.weights = keep(made->buffers[2], std::move(weights));
    v.mode = (sparcl_bag_mode)mode;
    v.bounds = (sparcl_bounds)bounds;
    v.has_padding = has_padding;
    v.padding_index = padding_index;
    v.scale_by_frequency = scale_by_frequency;
    return made.release();
}

static Segments *make_segments(const List *ids, const Csr *rows) {
    auto made = std::make_unique<Segments>();
    made->value.ids = ids ? &ids->view : nullptr;
    made->value.rows = rows ? &rows->view : nullptr;
    return made.release();
}

/* A view as a matrix, and the view that an operation has written back. */
template <class H, sparcl_format Format, auto View> static void bind_format(nb::class_<Matrix> &m) {
    m.def(
        "__init__",
        [](Matrix *self, const H &holder) {
            new (self) Matrix();
            self->value.format = Format;
            self->value.as.*View = holder.view;
        },
        nb::arg("view"));
    m.def(
        "store", [](const Matrix &self, H &holder) { holder.view = self.value.as.*View; },
        nb::arg("into"));
}

using Union = decltype(sparcl_matrix::as);

Spgemm::Spgemm(ContextRef of) : context(std::move(of)) {
    run(*context, [&](sparcl_ctx *ctx) { return sparcl_spgemm_create(ctx, &plan); });
}

Spgemm::~Spgemm() {
    if (plan) context->release([&] { sparcl_spgemm_free(plan); });
}

int64_t Spgemm::entries() const {
    int64_t found = 0;
    run(*context, [&](sparcl_ctx *ctx) { return sparcl_spgemm_entries(ctx, plan, &found); });
    return found;
}

static void add_dense(Terms &terms, double factor, const Dense &x) {
    terms.values.push_back({factor, &x.view, nullptr});
}

static void add_rows(Terms &terms, double factor, const Rows &x) {
    terms.values.push_back({factor, nullptr, &x.view});
}

void bind_structs(nb::module_ &m) {
    nb::class_<Moved>(m, "Moved")
        .def(nb::new_(&hold<Moved, &sparcl_moved::source, &sparcl_moved::needed>),
             nb::arg("source").none(), nb::arg("needed").none());
    nb::class_<Filled>(m, "Filled")
        .def(nb::new_(&hold<Filled, &sparcl_filled::is_empty, &sparcl_filled::inverse,
                            &sparcl_filled::source, &sparcl_filled::value>),
             nb::arg("is_empty").none(), nb::arg("inverse").none(), nb::arg("source").none(),
             nb::arg("value").none());
    nb::class_<Coalesced>(m, "Coalesced")
        .def(nb::new_(&hold<Coalesced, &sparcl_coalesced::inverse, &sparcl_coalesced::counts,
                            &sparcl_coalesced::source>),
             nb::arg("inverse").none(), nb::arg("counts").none(), nb::arg("source").none());
    nb::class_<Unique>(m, "Unique")
        .def(nb::new_(&hold<Unique, &sparcl_unique_result::found, &sparcl_unique_result::indices,
                            &sparcl_unique_result::inverse, &sparcl_unique_result::counts,
                            &sparcl_unique_result::first>),
             nb::arg("found"), nb::arg("indices").none(), nb::arg("inverse").none(),
             nb::arg("counts").none(), nb::arg("first").none());
    nb::class_<Sources>(m, "Sources")
        .def(nb::new_(&hold<Sources, &sparcl_csr_sources::a, &sparcl_csr_sources::b,
                            &sparcl_csr_sources::needed>),
             nb::arg("a").none(), nb::arg("b").none(), nb::arg("needed").none());
    nb::class_<Bags>(m, "Bags").def(nb::new_(&make_bags), nb::arg("bags"), nb::arg("indices"),
                                    nb::arg("offset_type"), nb::arg("include_last"),
                                    nb::arg("offsets").none(), nb::arg("weights").none(),
                                    nb::arg("mode"), nb::arg("bounds"), nb::arg("has_padding"),
                                    nb::arg("padding_index"), nb::arg("scale_by_frequency"));
    nb::class_<Segments>(m, "Segments", "Names the views that it is made of.")
        .def(nb::new_(&make_segments), nb::arg("ids").none(), nb::arg("rows").none(),
             nb::keep_alive<0, 1>(), nb::keep_alive<0, 2>());
    nb::class_<Terms>(m, "Terms", "Names the views that are added.")
        .def(nb::init<>())
        .def("dense", &add_dense, nb::arg("factor"), nb::arg("x"), nb::keep_alive<1, 3>())
        .def("rows", &add_rows, nb::arg("factor"), nb::arg("x"), nb::keep_alive<1, 3>());
    nb::class_<Matrix> matrix(m, "Matrix", "A copy of a view, whose buffers its holder keeps.");
    bind_format<Dense, SPARCL_FORMAT_DENSE, &Union::dense>(matrix);
    bind_format<Csr, SPARCL_FORMAT_CSR, &Union::csr>(matrix);
    bind_format<Csc, SPARCL_FORMAT_CSC, &Union::csc>(matrix);
    bind_format<Coo, SPARCL_FORMAT_COO, &Union::coo>(matrix);
    bind_format<Rows, SPARCL_FORMAT_ROWS, &Union::rows>(matrix);
    bind_format<Bsr, SPARCL_FORMAT_BSR, &Union::bsr>(matrix);
    nb::class_<Spgemm>(m, "Spgemm")
        .def(nb::init<ContextRef>(), nb::arg("context"))
        .def("entries", &Spgemm::entries);
}
