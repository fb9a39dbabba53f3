/* layer_strict.c: an OpenCL layer (OPENCL_LAYERS) that holds the arguments of each call to the
 * specification of OpenCL 1.2, and where drivers read it differently to the strictest reading. A
 * call that is wrong does not reach the driver: it returns the code that the specification has for
 * it, and a line on stderr and in the file SPARCL_STRICT_LOG names the call and the condition. */
#include "layer_strict.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "layer_info.h"

#define EXPORT __attribute__((visibility("default")))

const cl_icd_dispatch *strict_next;
static cl_icd_dispatch dispatch;
static strict_control control;

EXPORT strict_control *strict_get_control(void);
EXPORT strict_control *strict_get_control(void) {
    return &control;
}

/* The file is there as soon as the layer is: on_device.sh demands it. */
static void write_log(const char *text) {
    const char *const path = getenv("SPARCL_STRICT_LOG");
    const int file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
    if (file < 0) return;
    if (write(file, text, strlen(text)) < 0) perror(path);
    close(file);
}

cl_int strict_wrong(const char *call, const char *code_name, cl_int code, const char *condition) {
    char line[sizeof control.last];
    snprintf(line, sizeof line, "strict: %s: %s (%d), as this does not hold: %s\n", call, code_name,
             (int)code, condition);
    __atomic_add_fetch(&control.count, 1, __ATOMIC_RELAXED);
    if (control.expected) {
        memcpy(control.last, line, sizeof line);
    } else {
        fputs(line, stderr);
        write_log(line);
    }
    return code;
}

EXPORT cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t size, void *value,
                                         size_t *bytes) {
    return layer_info("sparcl strict layer", what, size, value, bytes);
}

EXPORT cl_int CL_API_CALL clInitLayer(cl_uint count, const cl_icd_dispatch *target,
                                      cl_uint *count_back, const cl_icd_dispatch **layer) {
    if (!target || !count_back || !layer || count < sizeof dispatch / sizeof(void *))
        return CL_INVALID_VALUE;
    strict_next = target;
    dispatch = *target;
    strict_take_objects(&dispatch);
    strict_take_queries(&dispatch);
    strict_take_make(&dispatch);
    strict_take_commands(&dispatch);
    strict_take_kernels(&dispatch);
    *layer = &dispatch;
    *count_back = sizeof dispatch / sizeof(void *);
    write_log("");
    return CL_SUCCESS;
}
