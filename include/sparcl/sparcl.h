/* sparcl.h: all headers of the core, except opencl.h. */
#ifndef SPARCL_SPARCL_H
#define SPARCL_SPARCL_H

#include "sparcl/add_n.h"
#include "sparcl/batches.h"
#include "sparcl/context.h"
#include "sparcl/convert.h"
#include "sparcl/coo_ops.h"
#include "sparcl/dense_ops.h"
#include "sparcl/device.h"
#include "sparcl/elementwise.h"
#include "sparcl/embedding.h"
#include "sparcl/graph.h"
#include "sparcl/graph_coo.h"
#include "sparcl/graph_operations.h"
#include "sparcl/graph_state.h"
#include "sparcl/interactions.h"
#include "sparcl/layers.h"
#include "sparcl/lazy.h"
#include "sparcl/loss.h"
#include "sparcl/matmul.h"
#include "sparcl/ops.h"
#include "sparcl/optim.h"
#include "sparcl/plan.h"
#include "sparcl/probe.h"
#include "sparcl/profile.h"
#include "sparcl/reductions.h"
#include "sparcl/result_format.h"
#include "sparcl/sampling.h"
#include "sparcl/sharded.h"
#include "sparcl/sparse_products.h"
#include "sparcl/status.h"
#include "sparcl/structure.h"
#include "sparcl/tensor.h"
#include "sparcl/tune.h"
#include "sparcl/views.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The version of these headers. */
#define SPARCL_VERSION_MAJOR 0
#define SPARCL_VERSION_MINOR 1
#define SPARCL_VERSION_PATCH 0
#define SPARCL_VERSION_TEXT  "0.1.0"

/** The version of the library at run time, "major.minor.patch"; compare it with
 * SPARCL_VERSION_TEXT. */
SPARCL_API const char *sparcl_version(void);

#ifdef __cplusplus
}
#endif

#endif
