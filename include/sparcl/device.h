/* device.h: lists platforms and devices, and selects a device by a text. */
#ifndef SPARCL_DEVICE_H
#define SPARCL_DEVICE_H

#include "sparcl/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The class of kernels that a device runs: for few wide cores, or for many lanes. */
typedef enum sparcl_class {
    SPARCL_CLASS_AUTO = 0, /**< from the device's properties */
    SPARCL_CLASS_CPU = 1,
    SPARCL_CLASS_GPU = 2
} sparcl_class;

/** Bits of sparcl_device.types. */
enum { SPARCL_TYPE_CPU = 1, SPARCL_TYPE_GPU = 2, SPARCL_TYPE_OTHER = 4 };

/** A device and its properties as OpenCL reports them. */
typedef struct sparcl_device {
    int platform; /**< position of its platform in the list; -1: adopted, not from a list */
    int number;   /**< position among the devices of its platform, or -1 */
    char name[128], vendor[128], driver[64]; /**< as OpenCL reports them */
    char version[128], c_version[64];        /**< as OpenCL reports them */
    uint32_t types;                          /**< a device may report several */
    sparcl_class device_class;               /**< the class of its kernels */
    int64_t units;                           /**< compute units */
    int64_t memory;                          /**< global memory, bytes */
    int64_t max_allocation;                  /**< largest buffer, bytes */
    int64_t local_memory;                    /**< bytes */
    int64_t max_group;                       /**< largest work-group */
    int has_f64, has_f16, has_sub_groups;    /**< supports double, half, sub-groups */
    int host_unified;                        /**< shares memory with the host */
    int has_denormals;                       /**< reports support for subnormal numbers */
    int has_rounded_divide;                  /**< supports correctly rounded division and root */
    int float_width;                         /**< preferred vector width for float */
    char pci[16];                            /**< "0000:01:00.0", or "" where unknown */
    int usable;                              /**< 0: see why_not */
    char why_not[160];                       /**< the reason why it is not usable, or "" */
} sparcl_device;

/** An OpenCL platform: one vendor's implementation. */
typedef struct sparcl_platform {
    char name[128], vendor[128], version[128]; /**< as OpenCL reports them */
    int devices;                               /**< number of its devices; may be 0 */
    char note[160]; /**< a remark, such as that it has no device, or "" */
} sparcl_platform;

/** All platforms and devices of the OpenCL loader. Owned. */
typedef struct sparcl_device_list {
    int platform_count, device_count; /**< lengths of the arrays */
    sparcl_platform *platforms;       /**< in loader order */
    sparcl_device *devices;           /**< in loader order: platform by platform */
    sparcl_allocator allocator;       /**< that allocated this list */
} sparcl_device_list;

/**
 * List every platform and device. No platform at all is success with an empty list.
 *
 * Errors    E_ARG: list is NULL; E_OPENCL, E_DEVICE, E_MEMORY; *list is then empty.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_device_list_get(sparcl_device_list *list,
                                                                  const sparcl_allocator *allocator,
                                                                  sparcl_error *error);

/** Free a list that sparcl_device_list_get filled in; a zeroed list is allowed. */
SPARCL_API void sparcl_device_list_free(sparcl_device_list *list);

/**
 * Find the device that `text` selects.
 *
 *   auto              the best GPU, else a CPU (also: NULL or "")
 *   gpu, cpu          the first device of only that type, in loader order
 *   pocl              the first device of the platform "Portable Computing Language"
 *   0:1               platform 0, device 1
 *   pci:0000:01:00.0  by PCI address, or a non-empty part of it: pci:01:00.0
 *   anything else     a part of a device, vendor or platform name, ignoring case; with :N at the
 *                     end, match N, counted from 0
 *
 * Several selectors may be separated by commas: the first that matches is used. auto, gpu and cpu
 * never select a device that reports more than one type. "Best" is: most compute units, then loader
 * order.
 *
 * *index is the position in list->devices; *matches, where not NULL, is the number of devices that
 * the matching selector matches (more than 1: a longer text could select another).
 * Errors    E_ARG: NULL. E_DEVICE: nothing matches, and the message lists the devices, as many as
 *           fit into it; or the only match is given by platform and device number and is not
 *           usable. *index is then -1.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_device_select(const sparcl_device_list *list,
                                                                const char *text, int *index,
                                                                int *matches, sparcl_error *error);

#ifdef __cplusplus
}
#endif

#endif
