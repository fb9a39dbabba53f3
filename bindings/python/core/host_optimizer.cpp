/* host_optimizer.cpp: optimizers of tables in the memory of the host, whose states the caller has.
 */
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "host_steps.h"

/* The rule, the settings and the steps of a table. Arrays are the addresses of the table and of its
 * states, in the order of the rule. */
struct HostOptimizer {
    ContextRef context;
    sparcl_optim optim{};
    sparcl_dense like{}; /* the table without memory */

    HostOptimizer(ContextRef context, const std::string &text, const std::vector<int64_t> &shape,
                  int dtype);
    ~HostOptimizer();
    HostOptimizer(const HostOptimizer &) = delete;

    void configure(const std::string &text);
    void begin_lazy(HostSteps &steps, int64_t step, const std::vector<Address> &arrays);
    void end_lazy();
    void step_rows(HostSteps &steps, int64_t step, double lr, const std::vector<Address> &arrays,
                   Address indices, bool wide, Address values, int64_t count);
    void step_dense(HostSteps &steps, int64_t step, double lr, const std::vector<Address> &arrays,
                    Address gradient);
    void catch_up(HostSteps &steps, int64_t step, const std::vector<Address> &arrays,
                  Address indices, bool wide, int64_t count);
    void catch_up_all(HostSteps &steps, int64_t step, const std::vector<Address> &arrays);

  private:
    sparcl_dense table{};
    sparcl_dense states[SPARCL_MAX_STATES]{};

    int64_t bytes() const;
    void check(const std::vector<Address> &arrays) const;
    sparcl_status use_arrays(sparcl_ctx *ctx, HostSteps &steps, const std::vector<Address> &arrays);
    /* Call the library, in whose memory the table and its states then are. */
    template <class F>
    void with_arrays(HostSteps &steps, int64_t step, const std::vector<Address> &arrays, F &&call);
    sparcl_rows rows_of(Address indices, bool wide, int64_t count) const;
};

HostOptimizer::HostOptimizer(ContextRef of, const std::string &text,
                             const std::vector<int64_t> &shape, int dtype)
    : context(std::move(of)), optim(parse_optimizer(text)) {
    if (shape.empty() || shape.size() > SPARCL_MAX_RANK)
        throw nb::value_error("expected 1 to 8 dimensions");
    like.rank = (int)shape.size();
    like.dtype = (sparcl_dtype)dtype;
    std::copy(shape.begin(), shape.end(), like.shape);
}

HostOptimizer::~HostOptimizer() {
    end_lazy();
}

void HostOptimizer::configure(const std::string &text) {
    sparcl_optim changed = parse_optimizer(text);
    if (changed.rule != optim.rule) throw nb::value_error("expected the same rule");
    changed.lazy.object = optim.lazy.object;
    optim = changed;
}

int64_t HostOptimizer::bytes() const {
    return like.shape[0] * sparcl_row_width(like.rank, like.shape) *
           (int64_t)sparcl_dtype_size(like.dtype);
}

void HostOptimizer::check(const std::vector<Address> &arrays) const {
    const size_t expected = 1 + (size_t)sparcl_rule_states(optim.rule);
    if (arrays.size() == expected) return;
    const std::string message =
        "expected the addresses of a table and its states: " + std::to_string(expected) +
        ", found " + std::to_string(arrays.size());
    throw nb::value_error(message.c_str());
}

sparcl_status HostOptimizer::use_arrays(sparcl_ctx *ctx, HostSteps &steps,
                                        const std::vector<Address> &arrays) {
    for (size_t i = 0; i < arrays.size(); i++) {
        sparcl_dense &array = i == 0 ? table : states[i - 1];
        array = like;
        const sparcl_status status = steps.use(ctx, &array.values, arrays[i], bytes(), true);
        if (status != SPARCL_OK) return status;
    }
    return SPARCL_OK;
}

template <class F>
void HostOptimizer::with_arrays(HostSteps &steps, int64_t step, const std::vector<Address> &arrays,
                                F &&call) {
    check(arrays);
    optim.step = step;
    run(*context, [&](sparcl_ctx *ctx) {
        const sparcl_status status = use_arrays(ctx, steps, arrays);
        return status == SPARCL_OK ? call(ctx) : status;
    });
}

/* All rows have had the steps before this one. */
void HostOptimizer::begin_lazy(HostSteps &steps, int64_t step, const std::vector<Address> &arrays) {
    check(arrays);
    end_lazy();
    with_arrays(steps, step, arrays, [&](sparcl_ctx *ctx) {
        return sparcl_lazy_create(ctx, &optim.lazy.object, &optim, &table, 0);
    });
}

void HostOptimizer::end_lazy() {
    if (!optim.lazy.object || !context->is_ours()) return;
    std::lock_guard<std::mutex> guard(context->lock);
    sparcl_lazy_free(optim.lazy.object);
    optim.lazy.object = nullptr;
}

/* Checked on the host, in one pass that also finds out whether rows are sorted and unique: the bits
 * of a proof, or 0 where `bad` is the first position that is outside. */
template <class T>
static uint32_t prove(const T *indices, int64_t count, int64_t limit, int64_t &bad) {
    bool outside = false, ascending = true;
    for (int64_t i = 0; i < count; i++)
        outside |= (uint64_t)(int64_t)indices[i] >= (uint64_t)limit;
    for (bad = 0; outside && (uint64_t)(int64_t)indices[bad] < (uint64_t)limit;)
        bad++;
    if (outside) return 0;
    for (int64_t i = 1; i < count && ascending; i++)
        ascending = indices[i - 1] < indices[i];
    return SPARCL_TRUSTED | (ascending ? SPARCL_SORTED | SPARCL_UNIQUE : 0);
}

sparcl_rows HostOptimizer::rows_of(Address indices, bool wide, int64_t count) const {
    sparcl_rows rows{};
    int64_t bad = 0;
    rows.rank = like.rank;
    rows.dtype = like.dtype;
    rows.index_type = wide ? SPARCL_INDEX64 : SPARCL_INDEX32;
    rows.nnr = count;
    std::copy(like.shape, like.shape + like.rank, rows.shape);
    {
        nb::gil_scoped_release release;
        rows.proof.flags = wide ? prove((const int64_t *)indices, count, like.shape[0], bad)
                                : prove((const int32_t *)indices, count, like.shape[0], bad);
    }
    if (rows.proof.flags) return rows;
    const int64_t found = wide ? ((const int64_t *)indices)[bad] : ((const int32_t *)indices)[bad];
    const std::string message = "row " + std::to_string(found) + " at position " +
                                std::to_string(bad) + " is not a row of the table, expected 0 to " +
                                std::to_string(like.shape[0] - 1);
    raise_status(SPARCL_E_DATA, message.c_str());
}

static int64_t index_bytes(const sparcl_rows &rows) {
    return rows.nnr * (int64_t)sparcl_itype_size(rows.index_type);
}

void HostOptimizer::step_rows(HostSteps &steps, int64_t step, double lr,
                              const std::vector<Address> &arrays, Address indices, bool wide,
                              Address values, int64_t count) {
    sparcl_rows rows = rows_of(indices, wide, count);
    const int64_t width = sparcl_row_width(like.rank, like.shape);
    const int64_t size = count * width * (int64_t)sparcl_dtype_size(like.dtype);
    optim.lr = lr;
    with_arrays(steps, step, arrays, [&](sparcl_ctx *ctx) {
        sparcl_status status = steps.use(ctx, &rows.indices, indices, index_bytes(rows), false);
        if (status == SPARCL_OK) status = steps.use(ctx, &rows.values, values, size, false);
        return status == SPARCL_OK ? sparcl_step(ctx, &optim, &table, states, &rows) : status;
    });
}

void HostOptimizer::step_dense(HostSteps &steps, int64_t step, double lr,
                               const std::vector<Address> &arrays, Address gradient) {
    sparcl_dense g = like;
    optim.lr = lr;
    with_arrays(steps, step, arrays, [&](sparcl_ctx *ctx) {
        const sparcl_status status = steps.use(ctx, &g.values, gradient, bytes(), false);
        return status == SPARCL_OK ? sparcl_step_dense(ctx, &optim, &table, states, &g) : status;
    });
}

void HostOptimizer::catch_up(HostSteps &steps, int64_t step, const std::vector<Address> &arrays,
                             Address indices, bool wide, int64_t count) {
    sparcl_rows rows = rows_of(indices, wide, count);
    with_arrays(steps, step, arrays, [&](sparcl_ctx *ctx) {
        const sparcl_status status =
            steps.use(ctx, &rows.indices, indices, index_bytes(rows), false);
        return status == SPARCL_OK ? sparcl_catch_up(ctx, &optim, &table, states, &rows) : status;
    });
}

void HostOptimizer::catch_up_all(HostSteps &steps, int64_t step,
                                 const std::vector<Address> &arrays) {
    with_arrays(steps, step, arrays, [&](sparcl_ctx *ctx) {
        return sparcl_catch_up(ctx, &optim, &table, states, nullptr);
    });
}

static std::vector<std::string> state_names(const HostOptimizer &o) {
    std::vector<std::string> names;
    for (int i = 0; i < sparcl_rule_states(o.optim.rule); i++)
        names.push_back(sparcl_rule_state_name(o.optim.rule, i));
    return names;
}

void bind_host_optimizer(nb::module_ &m) {
    nb::class_<HostOptimizer>(m, "HostOptimizer",
                              "The optimizer of a table in the memory of the host.")
        .def(nb::init<ContextRef, std::string, std::vector<int64_t>, int>(), nb::arg("context"),
             nb::arg("text"), nb::arg("shape"), nb::arg("dtype"))
        .def("configure", &HostOptimizer::configure, nb::arg("text"))
        .def_prop_ro("state_names", state_names)
        .def_prop_ro("is_lazy",
                     [](const HostOptimizer &o) { return o.optim.lazy.object != nullptr; })
        .def("begin_lazy", &HostOptimizer::begin_lazy, nb::arg("steps"), nb::arg("step"),
             nb::arg("arrays"))
        .def("end_lazy", &HostOptimizer::end_lazy)
        .def("step_rows", &HostOptimizer::step_rows, nb::arg("steps"), nb::arg("step"),
             nb::arg("lr"), nb::arg("arrays"), nb::arg("indices"), nb::arg("wide"),
             nb::arg("values"), nb::arg("count"))
        .def("step_dense", &HostOptimizer::step_dense, nb::arg("steps"), nb::arg("step"),
             nb::arg("lr"), nb::arg("arrays"), nb::arg("gradient"))
        .def("catch_up", &HostOptimizer::catch_up, nb::arg("steps"), nb::arg("step"),
             nb::arg("arrays"), nb::arg("indices"), nb::arg("wide"), nb::arg("count"))
        .def("catch_up_all", &HostOptimizer::catch_up_all, nb::arg("steps"), nb::arg("step"),
             nb::arg("arrays"));
}
