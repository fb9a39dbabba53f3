/* optimizer.cpp: an optimizer of one table, with its states and its count of steps. */
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "binding.h"
#include "sparcl/optim_text.h"

struct Optimizer {
    ContextRef context;
    nb::object table_object; /* keeps the table */
    Dense *table;
    sparcl_optim optim{};
    sparcl_dense states[SPARCL_MAX_STATES]{};
    std::vector<BufferRef> buffers; /* of the states */

    Optimizer(ContextRef context, nb::object table, const std::string &text, bool exact);
    ~Optimizer();
    Optimizer(const Optimizer &) = delete;

    int state_count() const {
        return (int)buffers.size();
    }
    void step(Rows *gradient);
    void step_dense(Dense *gradient);
    void catch_up(Rows *rows);
    void begin_lazy();
    void go_on_at(int64_t step);
};

sparcl_optim parse_optimizer(const std::string &text) {
    sparcl_optim optim{};
    run_on_host([&](sparcl_error *error) {
        return sparcl_optim_parse(&optim, c_text(text, "optimizer"), error);
    });
    optim.step = 1;
    return optim;
}

Optimizer::Optimizer(ContextRef of, nb::object of_table, const std::string &text, bool exact)
    : context(std::move(of)), table_object(std::move(of_table)),
      table(nb::cast<Dense *>(table_object)), optim(parse_optimizer(text)) {
    run(*context, [&](sparcl_ctx *ctx) {
        return sparcl_optim_create_states(ctx, &optim, &table->view, states);
    });
    for (int i = 0; i < sparcl_rule_states(optim.rule); i++)
        buffers.push_back(std::make_shared<Buffer>(context, states[i].values));
    if (exact) begin_lazy();
}

/* All rows have had the steps before optim.step. */
void Optimizer::begin_lazy() {
    run(*context, [&](sparcl_ctx *ctx) {
        sparcl_lazy_free(optim.lazy.object);
        optim.lazy.object = nullptr;
        return sparcl_lazy_create(ctx, &optim.lazy.object, &optim, &table->view, 0);
    });
}

void Optimizer::go_on_at(int64_t step) {
    optim.step = step;
    if (optim.lazy.object) begin_lazy();
}

Optimizer::~Optimizer() {
    if (optim.lazy.object) context->release([&] { sparcl_lazy_free(optim.lazy.object); });
}

/* A step that fails is no step. */
void Optimizer::step(Rows *gradient) {
    run(*context, [&](sparcl_ctx *ctx) {
        return sparcl_step(ctx, &optim, &table->view, states, &gradient->view);
    });
    optim.step++;
}

void Optimizer::step_dense(Dense *gradient) {
    run(*context, [&](sparcl_ctx *ctx) {
        return sparcl_step_dense(ctx, &optim, &table->view, states, &gradient->view);
    });
    optim.step++;
}

void Optimizer::catch_up(Rows *rows) {
    if (!optim.lazy.object) return;
    run(*context, [&](sparcl_ctx *ctx) {
        return sparcl_catch_up(ctx, &optim, &table->view, states, rows ? &rows->view : nullptr);
    });
}

static void set(Optimizer &o, const std::string &name, const std::string &value) {
    sparcl_optim changed = o.optim;
    run_on_host([&](sparcl_error *error) {
        const sparcl_status status =
            sparcl_optim_set(&changed, c_text(name, "setting"), c_text(value, "value"), error);
        return status == SPARCL_OK ? sparcl_optim_check(&changed, error) : status;
    });
    o.optim = changed;
}

static std::string get(const Optimizer &o, const std::string &name) {
    char text[64];
    sparcl_optim_get(&o.optim, c_text(name, "setting"), text, sizeof text);
    return text;
}

static std::string print(const Optimizer &o) {
    char text[SPARCL_OPTIM_TEXT];
    sparcl_optim_print(&o.optim, text);
    return text;
}

static nb::typed<nb::dict, nb::str, int> list_rules() {
    nb::typed<nb::dict, nb::str, int> found;
    for (int rule = 0; sparcl_rule_states((sparcl_rule)rule) >= 0; rule++)
        found[sparcl_rule_name((sparcl_rule)rule)] = sparcl_rule_states((sparcl_rule)rule);
    return found;
}

using Settings = nb::typed<nb::dict, nb::str, nb::typed<nb::tuple, nb::str, nb::str, nb::str>>;

/* What a rule uses. */
static Settings list_settings(const std::string &rule) {
    const sparcl_optim optim = parse_optimizer(rule);
    const sparcl_setting *s;
    Settings found;
    for (int i = 0; (s = sparcl_optim_setting(i)); i++) {
        char usual[64];
        if (!sparcl_rule_uses(optim.rule, s->name)) continue;
        sparcl_optim_get(&optim, s->name, usual, sizeof usual);
        found[s->name] = nb::make_tuple(usual, s->meaning, s->expected);
    }
    return found;
}

void bind_optimizer(nb::module_ &m) {
    m.def("optim_rules", list_rules, "The rules, and how many states each has.");
    m.def("optim_settings", list_settings, nb::arg("rule"),
          "The settings of a rule: the default of each, what it is, and what is expected.");
    nb::class_<Optimizer>(m, "Optimizer", "The optimizer of a table.")
        .def(nb::init<ContextRef, nb::object, std::string, bool>(), nb::arg("context"),
             nb::arg("table"), nb::arg("text"), nb::arg("exact"))
        .def("step", &Optimizer::step, nb::arg("gradient"))
        .def("step_dense", &Optimizer::step_dense, nb::arg("gradient"))
        .def("catch_up", &Optimizer::catch_up, nb::arg("rows").none())
        .def("set", set, nb::arg("name"), nb::arg("value"))
        .def("get", get, nb::arg("name"))
        .def("print", print)
        .def_prop_rw(
            "next_step", [](const Optimizer &o) { return o.optim.step; }, &Optimizer::go_on_at)
        .def_prop_ro("states", [](const Optimizer &o) { return o.buffers; })
        .def("state_name",
             [](const Optimizer &o, int i) { return sparcl_rule_state_name(o.optim.rule, i); })
        .def("state_is_row", [](const Optimizer &o, int i) {
            return sparcl_rule_state_is_row(o.optim.rule, i) != 0;
        });
}
