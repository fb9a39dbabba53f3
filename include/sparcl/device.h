/* device.h: which platforms and devices there are, and the text that selects one. */
#ifndef SPARCL_DEVICE_H
#define SPARCL_DEVICE_H

#include "sparcl/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Which kernels a device gets: those for few wide cores, or those for many lanes. */
typedef enum sparcl_class {
    SPARCL_CLASS_AUTO = 0, /**< from the device's properties */
    SPARCL_CLASS_CPU = 1,
    SPARCL_CLASS_GPU = 2
} sparcl_class;

/** Bits of sparcl_device.types. */
enum { SPARCL_TYPE_CPU = 1, SPARCL_TYPE_GPU = 2, SPARCL_TYPE_OTHER = 4 };

/** A device, with what OpenCL says of it. */
typedef struct sparcl_device {
    int platform; /**< position of its platform in the list; -1: adopted, of no list */
    int number;   /**< position among the devices of its platform, or -1 */
    char name[128], vendor[128], driver[64], version[128], c_version[64]; /**< as OpenCL has them */
    uint32_t types;                       /**< a device may claim several */
    sparcl_class device_class;            /**< which kernels it gets */
    int64_t units;                        /**< compute units */
    int64_t memory;                       /**< global memory, bytes */
    int64_t max_allocation;               /**< largest buffer, bytes */
    int64_t local_memory;                 /**< bytes */
    int64_t max_group;                    /**< largest work-group */
    int has_f64, has_f16, has_sub_groups; /**< offers double, half, sub-groups */
    int host_unified;                     /**< shares memory with the host */
    int has_denormals;                    /**< claims to keep subnormal numbers */
    int has_rounded_divide;               /**< offers correctly rounded divide and square root */
    int float_width;                      /**< preferred vector width for float */
    char pci[16];                         /**< "0000:01:00.0", or "" where unknown */
    int usable;                           /**< 0: see why_not */
    char why_not[160];                    /**< why it cannot be used, or "" */
} sparcl_device;

/** An OpenCL platform: what one vendor's library offers. */
typedef struct sparcl_platform {
    char name[128], vendor[128], version[128]; /**< as OpenCL has them */
    int devices;                               /**< how many it has; may be 0 */
    char note[160]; /**< a sentence when there is something to say, such as that it has no device */
} sparcl_platform;

/** What the loader offers. Owned. */
typedef struct sparcl_device_list {
    int platform_count, device_count; /**< lengths of the arrays */
    sparcl_platform *platforms;       /**< in loader order */
    sparcl_device *devices;           /**< in loader order: platform by platform */
    sparcl_allocator allocator;       /**< of this list */
} sparcl_device_list;

/**
 * List every platform and device. No platform at all is success with an empty list.
 *
 * Errors    E_ARG: list is NULL; E_OPENCL, E_DEVICE, E_MEMORY; *list is then empty.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_device_list_get(sparcl_device_list *list,
                                                                  const sparcl_allocator *allocator,
                                                                  sparcl_error *error);

/** Frees what sparcl_device_list_get made; a zeroed list is allowed. */
SPARCL_API void sparcl_device_list_free(sparcl_device_list *list);

/**
 * Find the device that a text selects.
 *
 *   auto              the best GPU, else a CPU (also: NULL or "")
 *   gpu, cpu          the first device of just that type, in loader order
 *   pocl              the first device of the platform "Portable Computing Language"
 *   0:1               platform 0, device 1
 *   pci:0000:01:00.0  by PCI address (a part of it, not empty, will do: pci:01:00.0)
 *   anything else     part of a device, vendor or platform name, letter case ignored; with :N at
 *                     the end, the N-th of those, from 0
 *
 * Several texts separated by commas are tried in turn. auto, gpu and cpu never pick a device that
 * claims more than one type. "Best" is: most compute units, then loader order.
 *
 * *index is the position in list->devices; *matches, where not NULL, says how many devices the
 * matching text fits (more than 1: a longer text could name another).
 * Errors    E_ARG: NULL. E_DEVICE: nothing fits, and the message holds the list of devices, or as
 *           many as there is room for; or all that fits is named by platform and device and cannot
 *           be used. *index is then -1.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_device_select(const sparcl_device_list *list,
                                                                const char *text, int *index,
                                                                int *matches, sparcl_error *error);

#ifdef __cplusplus
}
#endif

#endif
