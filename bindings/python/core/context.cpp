/* context.cpp: devices, contexts and buffers. */
#include <atomic>
#include <cstdio>

#include <unistd.h>

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "binding.h"

/* ---- contexts ------------------------------------------------------------------------------- */

/* What a driver's threads have locked when a process forks stays locked in the child: there it
 * would wait for ever. */
static void claim_drivers() {
    static std::atomic<pid_t> owner{0};
    pid_t first = 0;
    if (owner.compare_exchange_strong(first, getpid()) || first == getpid()) return;
    const std::string message =
        "expected a process whose parent had not used OpenCL before the fork, found one of the "
        "process " +
        std::to_string(first) +
        ", which had; start processes without a fork, as multiprocessing's spawn and "
        "joblib's loky do, or list devices and open contexts only after the fork";
    raise_status(SPARCL_E_UNSUPPORTED, message.c_str());
}

Context::Context(const std::string &device, sparcl_class device_class, const std::string &cache_dir,
                 bool with_host, double patience)
    : owner(getpid()), shares(with_host), builds(std::make_shared<Builds>(patience)) {
    sparcl_ctx_desc desc{};
    claim_drivers();
    desc.device = c_text(device, "device");
    desc.device_class = device_class;
    desc.cache_dir = cache_dir.empty() ? nullptr : c_text(cache_dir, "cache");
    run_on_host([&](sparcl_error *error) { return sparcl_ctx_open(&ctx, &desc, error); });
    builds->device = sparcl_ctx_device(ctx)->name;
    sparcl_ctx_on_build(ctx, on_build, &builds);
}

bool Context::is_ours() const {
    return getpid() == owner;
}

void Context::check() const {
    if (is_ours()) return;
    const std::string message = "expected a context of this process, found one of the process " +
                                std::to_string(owner) +
                                " before a fork; open contexts only after the fork";
    raise_status(SPARCL_E_UNSUPPORTED, message.c_str());
}

sparcl_status Context::refuse(sparcl_error &error) {
    snprintf(error.message, sizeof error.message,
             "context: expected an open one, found one that was closed; use its arrays and models "
             "before it is closed, or copy them with numpy()");
    return SPARCL_E_ARG;
}

void Context::close() {
    release([&] {
        is_closed = true;
        (void)!sparcl_ctx_finish(ctx);
        for (Buffer *const buffer : buffers)
            buffer->free();
        buffers.clear();
    });
}

Context::~Context() {
    if (ctx && is_ours()) sparcl_ctx_close(ctx);
}

/* ---- buffers -------------------------------------------------------------------------------- */

HostMemory::HostMemory(nb::handle array, bool writable) {
    const int flags = PyBUF_C_CONTIGUOUS | (writable ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(array.ptr(), &buffer, flags) != 0) throw nb::python_error();
}

Buffer::Buffer(ContextRef of, int64_t bytes) : context(std::move(of)) {
    run(*context, [&](sparcl_ctx *ctx) { return sparcl_buf_create(ctx, &buf, bytes); });
    context->buffers.insert(this);
}

Buffer::Buffer(ContextRef of, nb::handle array) : context(std::move(of)) {
    auto memory = std::make_unique<HostMemory>(array, false);
    void *const at = memory->buffer.buf;
    const int64_t size = memory->buffer.len;
    const bool shares = context->shares_memory() && size > 0;
    run(*context, [&](sparcl_ctx *ctx) {
        if (!shares) return sparcl_buf_upload(ctx, &buf, at, size);
        return memory->buffer.readonly ? sparcl_buf_wrap_const(ctx, &buf, at, size)
                                       : sparcl_buf_wrap(ctx, &buf, at, size);
    });
    if (shares)
        host = std::move(memory);
    else
        context->copied += size;
    context->buffers.insert(this);
}

Buffer::Buffer(ContextRef of, sparcl_buf *owned) : context(std::move(of)), buf(owned) {
    context->buffers.insert(this);
}

void Buffer::free() {
    sparcl_buf_free(buf);
    buf = nullptr;
}

Buffer::~Buffer() {
    context->buffers.erase(this);
    if (buf) context->release([&] { free(); });
}

void Buffer::read(nb::handle into, int64_t at) {
    HostMemory memory(into, false);
    const bool same = host && memory.buffer.buf == (char *)host->buffer.buf + at;
    if (!same && memory.buffer.readonly)
        throw nb::value_error("expected a writable array, found one that is read-only");
    run(*context, [&](sparcl_ctx *ctx) {
        return sparcl_buf_read(ctx, buf, at, memory.buffer.len, memory.buffer.buf);
    });
    if (!same) context->copied += memory.buffer.len;
}

void Buffer::write(nb::handle from) {
    HostMemory memory(from, false);
    run(*context, [&](sparcl_ctx *ctx) {
        return sparcl_buf_write(ctx, buf, 0, memory.buffer.len, memory.buffer.buf);
    });
    context->copied += memory.buffer.len;
}

/* ---- Python --------------------------------------------------------------------------------- */

static nb::typed<nb::dict, nb::str, nb::any> describe(const sparcl_device &d) {
    nb::typed<nb::dict, nb::str, nb::any> found;
    found["name"] = d.name;
    found["vendor"] = d.vendor;
    found["driver"] = d.driver;
    found["version"] = d.version;
    found["platform"] = d.platform;
    found["number"] = d.number;
    found["device_class"] = (int)d.device_class;
    found["units"] = d.units;
    found["memory"] = d.memory;
    found["max_allocation"] = d.max_allocation;
    found["has_f64"] = d.has_f64 != 0;
    found["has_f16"] = d.has_f16 != 0;
    found["host_unified"] = d.host_unified != 0;
    found["usable"] = d.usable != 0;
    found["why_not"] = d.why_not;
    return found;
}

static nb::typed<nb::list, nb::typed<nb::dict, nb::str, nb::any>> list_devices() {
    claim_drivers();
    sparcl_device_list list{};
    run_on_host([&](sparcl_error *error) { return sparcl_device_list_get(&list, nullptr, error); });
    nb::typed<nb::list, nb::typed<nb::dict, nb::str, nb::any>> found;
    for (int i = 0; i < list.device_count; i++) {
        nb::dict one = describe(list.devices[i]);
        one["platform_name"] = list.platforms[list.devices[i].platform].name;
        found.append(one);
    }
    sparcl_device_list_free(&list);
    return found;
}

void bind_context(nb::module_ &m) {
    m.def("devices", list_devices, "The devices of all platforms, as dictionaries.");
    nb::class_<Context>(m, "Context", "A device and its queue.")
        .def(
            "__init__",
            [](Context *self, const std::string &device, int device_class,
               const std::string &cache_dir, bool shares, double patience) {
                new (self) Context(device, (sparcl_class)device_class, cache_dir, shares, patience);
            },
            nb::arg("device"), nb::arg("device_class"), nb::arg("cache_dir"), nb::arg("shares"),
            nb::arg("patience"))
        .def_prop_ro("device", [](Context &c) { return describe(*sparcl_ctx_device(c.ctx)); })
        .def_prop_ro("platform", [](Context &c) { return sparcl_ctx_platform(c.ctx); })
        .def_prop_ro("memory", [](Context &c) { return sparcl_ctx_memory(c.ctx); })
        .def_prop_ro("peak_memory", [](Context &c) { return sparcl_ctx_peak_memory(c.ctx); })
        .def_prop_ro("shares_memory", &Context::shares_memory)
        .def_ro("bytes_copied", &Context::copied)
        .def("count_copied", [](Context &c, int64_t bytes) { c.copied += bytes; })
        .def("finish", [](Context &c) { run(c, sparcl_ctx_finish); })
        .def("close", &Context::close);
    nb::class_<Buffer>(m, "Buffer", "Memory of a device, or of the host where it is shared.")
        .def(nb::init<ContextRef, int64_t>(), nb::arg("context"), nb::arg("bytes"))
        .def(nb::init<ContextRef, nb::handle>(), nb::arg("context"), nb::arg("array"))
        .def_prop_ro("bytes", &Buffer::bytes)
        .def_prop_ro("uses_host", [](const Buffer &b) { return b.host != nullptr; })
        .def_prop_ro("is_const", [](const Buffer &b) { return sparcl_buf_is_const(b.buf) != 0; })
        .def("write", &Buffer::write, nb::arg("from_array"), "Copy from an array.")
        .def("read", &Buffer::read, nb::arg("into"), nb::arg("at") = 0,
             "Copy from a position in bytes to an array, which is up to date on return; nothing is "
             "copied to the buffer's "
             "own array.");
}
