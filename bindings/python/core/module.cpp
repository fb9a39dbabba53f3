/* module.cpp: the extension module sparcl._core. */
#include "binding.h"

NB_MODULE(_core, m) {
    /* Objects that live until the interpreter ends, as those of PyTorch's graphs, are no leaks. */
    nb::set_leak_warnings(false);
    m.doc() = "The C library: contexts, buffers, views on them, and operations on views.";
    bind_errors(m);
    bind_context(m);
    bind_arrays(m);
    bind_operations(m);
    bind_optimizer(m);
    bind_values(m);
    bind_graph(m);
    bind_csv_text(m);
    bind_data_sets(m);
    bind_models(m);
    bind_nodes(m);
    bind_training(m);
    bind_prediction(m);
    bind_host_steps(m);
    bind_host_optimizer(m);
    bind_host_product(m);
}
