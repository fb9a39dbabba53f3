/* host_steps.h: memory of the host that enqueued steps use where it is. */
#ifndef SPARCL_PYTHON_HOST_STEPS_H
#define SPARCL_PYTHON_HOST_STEPS_H

#include <vector>

#include "binding.h"

/* Where an array is in the memory of the host. */
using Address = uintptr_t;

/* Memory of the host that enqueued steps use. It must stay until they are complete; what they wrote
 * is there after finish(). A memory object is made for each use: it begins with what the host has,
 * and it costs less than an update of one that the device keeps, after changes on the host. */
struct HostSteps {
    ContextRef context;

    explicit HostSteps(ContextRef context);
    ~HostSteps();
    HostSteps(const HostSteps &) = delete;

    /* Call with the lock of the context. */
    sparcl_status use(sparcl_ctx *ctx, sparcl_buf **buf, Address address, int64_t bytes,
                      bool writes);
    void finish();

  private:
    struct Piece {
        sparcl_buf *buf;
        bool writes;
    };
    std::vector<Piece> pieces;
    int64_t gradient_bytes = 0; /* of the steps that are enqueued */

    sparcl_status wait(sparcl_ctx *ctx);
    void free_all();
};

#endif
