/* sparcl.h: all headers of the core, except opencl.h. */
#ifndef SPARCL_SPARCL_H
#define SPARCL_SPARCL_H

#include "sparcl/context.h"
#include "sparcl/deprecated.h"
#include "sparcl/device.h"
#include "sparcl/graph.h"
#include "sparcl/graph_operations.h"
#include "sparcl/ops.h"
#include "sparcl/optim.h"
#include "sparcl/optim_text.h"
#include "sparcl/plan.h"
#include "sparcl/probe.h"
#include "sparcl/profile.h"
#include "sparcl/sharded.h"
#include "sparcl/status.h"
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

/** The version as one number, for #if: 10000 major + 100 minor + patch. */
#define SPARCL_VERSION                                                                             \
    (SPARCL_VERSION_MAJOR * 10000 + SPARCL_VERSION_MINOR * 100 + SPARCL_VERSION_PATCH)

/** The version of the library at run time, "major.minor.patch"; compare it with
 * SPARCL_VERSION_TEXT. */
SPARCL_API const char *sparcl_version(void);

#ifdef __cplusplus
}
#endif

#endif
