/* binding.h: what Python objects of sparcl._core hold: contexts, buffers and views on buffers. */
#ifndef SPARCL_PYTHON_BINDING_H
#define SPARCL_PYTHON_BINDING_H

#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_set>

#include <sys/types.h>

#include <nanobind/nanobind.h>

#include <sparcl/sparcl.h>

#include "builds.h"

namespace nb = nanobind;

/* Throw the exception of a status; `message` is that of the library. */
[[noreturn]] void raise_status(sparcl_status status, const char *message);

/* A text for the library, which would end it at a NUL inside: then ValueError with the argument. */
const char *c_text(const std::string &text, const char *argument);

struct Buffer;

/* A context of one process. One thread at a time calls the library with it. */
struct Context {
    sparcl_ctx *ctx = nullptr;
    pid_t owner = 0;    /* after a fork, the child must not use it */
    int64_t copied = 0; /* bytes moved between host and device */
    bool shares;        /* where the device can, arrays of the host are used where they are */
    std::mutex lock;
    bool is_closed = false;               /* under the lock */
    std::unordered_set<Buffer *> buffers; /* that exist; under the GIL */

    BuildsRef builds;

    Context(const std::string &device, sparcl_class device_class, const std::string &cache_dir,
            bool shares, double patience);
    ~Context();
    Context(const Context &) = delete;

    bool is_ours() const;
    void check() const; /* throws in a child process */
    void close();       /* frees the memory of all buffers; what is left may only be freed */
    static sparcl_status refuse(sparcl_error &error); /* of a closed one */
    bool shares_memory() const {
        return shares && sparcl_ctx_device(ctx)->host_unified != 0;
    }

    /* Free something of it; other threads go on while one computes, as in a long training. */
    template <class F> void release(F &&free) {
        if (!is_ours()) return;
        std::unique_lock<std::mutex> guard(lock, std::try_to_lock);
        if (!guard.owns_lock()) {
            nb::gil_scoped_release without;
            guard.lock();
        }
        free();
    }
};
using ContextRef = std::shared_ptr<Context>;

/* Call the library without the GIL, and throw what it reports. */
template <class F> void run(Context &context, F &&call) {
    sparcl_error error{};
    sparcl_status status;
    context.check();
    {
        nb::gil_scoped_release release;
        std::lock_guard<std::mutex> guard(context.lock);
        status = context.is_closed ? context.refuse(error) : call(context.ctx);
        if (status != SPARCL_OK && !context.is_closed) error = *sparcl_ctx_error(context.ctx);
    }
    if (status != SPARCL_OK) raise_status(status, error.message);
}

/* Call what reports errors by a record, without the GIL. */
template <class F> void run_on_host(F &&call) {
    sparcl_error error{};
    sparcl_status status;
    {
        nb::gil_scoped_release release;
        status = call(&error);
    }
    if (status != SPARCL_OK) raise_status(status, error.message);
}

/* The same with a context. */
template <class F> void run_with(Context &context, F &&call) {
    context.check();
    run_on_host([&](sparcl_error *error) {
        std::lock_guard<std::mutex> guard(context.lock);
        return context.is_closed ? context.refuse(*error) : call(context.ctx, error);
    });
}

/* The optimizer of a text such as "adam:lr=0.01", before its first step. */
sparcl_optim parse_optimizer(const std::string &text);

/* Memory of an object with the buffer protocol, which stays as long as this does. */
struct HostMemory {
    Py_buffer buffer{};

    HostMemory(nb::handle array, bool writable);
    ~HostMemory() {
        PyBuffer_Release(&buffer);
    }
    HostMemory(const HostMemory &) = delete;
};

/* A buffer; one that uses host memory keeps it. */
struct Buffer {
    ContextRef context;
    sparcl_buf *buf = nullptr;
    std::unique_ptr<HostMemory> host; /* empty: memory of the device */

    Buffer(ContextRef context, int64_t bytes);
    Buffer(ContextRef context, nb::handle array);
    Buffer(ContextRef context, sparcl_buf *owned);
    ~Buffer();
    void free(); /* the context is locked */
    Buffer(const Buffer &) = delete;

    int64_t bytes() const {
        return sparcl_buf_bytes(buf);
    }
    void read(nb::handle into, int64_t at);
    void write(nb::handle from);
};
using BufferRef = std::shared_ptr<Buffer>;

/* The sorted transpose of a matrix, for its products with the transpose. */
struct Pattern {
    ContextRef context;
    sparcl_pattern *pattern = nullptr;

    explicit Pattern(ContextRef context);
    ~Pattern();
    Pattern(const Pattern &) = delete;
};

/* A view of the library, and the buffers that it names. */
template <class View> struct Holder {
    View view{};
    std::array<BufferRef, SPARCL_MAX_RANK + 2> buffers;
};
using Dense = Holder<sparcl_dense>;
using Csr = Holder<sparcl_csr>;
using Csc = Holder<sparcl_csc>;
using Coo = Holder<sparcl_coo>;
using Rows = Holder<sparcl_rows>;
using Bsr = Holder<sparcl_bsr>;
using List = Holder<sparcl_list>;

void bind_errors(nb::module_ &m);
void bind_context(nb::module_ &m);
void bind_arrays(nb::module_ &m);
void bind_operations(nb::module_ &m);
void bind_optimizer(nb::module_ &m);
void bind_values(nb::module_ &m);
void bind_graph(nb::module_ &m);
void bind_csv_text(nb::module_ &m);
void bind_data_sets(nb::module_ &m);
void bind_models(nb::module_ &m);
void bind_nodes(nb::module_ &m);
void bind_training(nb::module_ &m);
void bind_prediction(nb::module_ &m);
void bind_host_optimizer(nb::module_ &m);
void bind_host_product(nb::module_ &m);
void bind_host_steps(nb::module_ &m);

#endif
