/* layer_info.h: what a layer of ours tells the ICD loader about itself. */
#ifndef TESTS_LAYER_INFO_H
#define TESTS_LAYER_INFO_H

#include <stdbool.h>
#include <string.h>

#include <CL/cl_layer.h>

/* clGetLayerInfo of a layer of this name. */
static inline cl_int layer_info(const char *name, cl_layer_info what, size_t size, void *value,
                                size_t *bytes) {
    const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    const bool is_name = what == CL_LAYER_NAME;
    const size_t needed = is_name ? strlen(name) + 1 : sizeof version;
    if (what != CL_LAYER_API_VERSION && !is_name) return CL_INVALID_VALUE;
    if (value && size < needed) return CL_INVALID_VALUE;
    if (value) memcpy(value, is_name ? (const void *)name : &version, needed);
    if (bytes) *bytes = needed;
    return CL_SUCCESS;
}

#endif
