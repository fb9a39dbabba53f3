/* host_steps.cpp: memory of the host that enqueued steps use where it is. */
#include "host_steps.h"

#include <nanobind/stl/shared_ptr.h>

#include <sparcl/opencl.h>

#include "openmp_rest.h"

HostSteps::HostSteps(ContextRef of) : context(std::move(of)) {
    if (!context->shares_memory())
        raise_status(SPARCL_E_UNSUPPORTED,
                     "expected a device that shares memory with the host, to use tensors where "
                     "they are; open a context on a CPU device");
}

sparcl_status HostSteps::use(sparcl_ctx *ctx, sparcl_buf **buf, Address address, int64_t bytes,
                             bool writes) {
    const cl_mem_flags flags =
        CL_MEM_USE_HOST_PTR | (writes ? CL_MEM_READ_WRITE : CL_MEM_READ_ONLY);
    *buf = nullptr;
    if (bytes == 0) return SPARCL_OK;
    cl_int code = CL_SUCCESS;
    const cl_mem memory = clCreateBuffer(sparcl_ctx_cl_context(ctx), flags, (size_t)bytes,
                                         (void *)address, &code); // NOLINT: an address of Python
    sparcl_status status;
    if (code == CL_SUCCESS) {
        status = sparcl_buf_adopt(ctx, buf, memory);
        clReleaseMemObject(memory); /* the buffer retains it */
    } else {
        status = sparcl_buf_wrap(ctx, buf, (void *)address, bytes); /* with the message */
    }
    if (status == SPARCL_OK) pieces.push_back({*buf, writes});
    if (!writes) gradient_bytes += bytes;
    return status;
}

/* Mapping a buffer makes what kernels wrote visible in the memory of the host. */
sparcl_status HostSteps::wait(sparcl_ctx *ctx) {
    const cl_command_queue queue = sparcl_ctx_cl_queue(ctx);
    for (const Piece &piece : pieces) {
        if (!piece.writes) continue;
        const cl_mem memory = sparcl_buf_cl_mem(piece.buf);
        void *const mapped =
            clEnqueueMapBuffer(queue, memory, CL_FALSE, CL_MAP_READ, 0,
                               (size_t)sparcl_buf_bytes(piece.buf), 0, nullptr, nullptr, nullptr);
        if (mapped) clEnqueueUnmapMemObject(queue, memory, mapped, 0, nullptr, nullptr);
    }
    return sparcl_ctx_finish(ctx);
}

void HostSteps::free_all() {
    for (const Piece &piece : pieces)
        sparcl_buf_free(piece.buf);
    pieces.clear();
    gradient_bytes = 0;
}

/* Steps with that many bytes of gradients take milliseconds, of which threads that spin would take
 * a part; to let them rest costs microseconds. */
static const int64_t LONG_STEPS = 16 << 20;

void HostSteps::finish() {
    if (pieces.empty()) return;
    run(*context, [&](sparcl_ctx *ctx) {
        const bool is_long = gradient_bytes >= LONG_STEPS;
        sparcl_status status = SPARCL_OK;
        const auto wait_for_all = [&] { status = wait(ctx); };
        if (is_long)
            while_openmp_rests(wait_for_all);
        else
            wait_for_all();
        free_all();
        return status;
    });
}

HostSteps::~HostSteps() {
    if (pieces.empty() || !context->is_ours()) return;
    std::lock_guard<std::mutex> guard(context->lock);
    (void)!wait(context->ctx);
    free_all();
}

void bind_host_steps(nb::module_ &m) {
    nb::class_<HostSteps>(m, "HostSteps", "Memory of the host that enqueued steps use.")
        .def(nb::init<ContextRef>(), nb::arg("context"))
        .def("finish", &HostSteps::finish, "Wait; then the host has what the steps wrote.");
}
