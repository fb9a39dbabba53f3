/* layer_strict.h: what the parts of the strict layer share, and how a test reads what it found. */
#ifndef TESTS_LAYER_STRICT_H
#define TESTS_LAYER_STRICT_H

#include <stdbool.h>

#include <CL/cl_layer.h>

/* A test of the layer itself sets `expected`: what is wrong is then only recorded. */
typedef struct strict_control {
    int expected;
    long count;
    char last[256];
} strict_control;

/* The layer's one exported function of its own: "strict_get_control". */
typedef strict_control *(*strict_get_control_fn)(void);

/* --- layer_strict.c -------------------------------------------------------------------------- */

extern const cl_icd_dispatch *strict_next;

/* A call is wrong: prints it, and returns `code`. */
cl_int strict_wrong(const char *call, const char *code_name, cl_int code, const char *condition);

#define REQUIRE(code, condition)                                                                   \
    do {                                                                                           \
        if (!(condition)) return strict_wrong(call, #code, code, #condition);                      \
    } while (0)

#define TRY(checks)                                                                                \
    do {                                                                                           \
        const cl_int try_code_ = (checks);                                                         \
        if (try_code_ != CL_SUCCESS) return try_code_;                                             \
    } while (0)

#define UNPACK(...) __VA_ARGS__

/* A function that stands in front of a call of OpenCL: the body that follows checks its arguments
 * and returns CL_SUCCESS, or the code of the condition that they violate. */
#define CHECKED_THEN(then, name, params, args)                                                     \
    static cl_int check_##name(const char *call, UNPACK params);                                   \
    static cl_int CL_API_CALL layer_##name params {                                                \
        TRY(check_##name(#name, UNPACK args));                                                     \
        const cl_int code = strict_next->name args;                                                \
        if (code == CL_SUCCESS) {                                                                  \
            then;                                                                                  \
        }                                                                                          \
        return code;                                                                               \
    }                                                                                              \
    static cl_int check_##name(const char *call, UNPACK params)

#define CHECKED(name, params, args) CHECKED_THEN((void)0, name, params, args)

/* Likewise, of a call that makes an object and takes the address of the error last. */
#define CHECKED_MAKE(type, object, name, params, args)                                             \
    static cl_int check_##name(const char *call, UNPACK params);                                   \
    static object CL_API_CALL layer_##name(UNPACK params, cl_int *error) {                         \
        const cl_int code = check_##name(#name, UNPACK args);                                      \
        if (code != CL_SUCCESS) {                                                                  \
            if (error) *error = code;                                                              \
            return NULL;                                                                           \
        }                                                                                          \
        object made = strict_next->name(UNPACK args, error);                                       \
        if (made) strict_add(type, made);                                                          \
        return made;                                                                               \
    }                                                                                              \
    static cl_int check_##name(const char *call, UNPACK params)

#define INFO size_t size, void *value, size_t *bytes

/* --- strict_objects.c: what the application holds -------------------------------------------- */

typedef enum strict_type {
    STRICT_CONTEXT,
    STRICT_QUEUE,
    STRICT_MEMORY,
    STRICT_PROGRAM,
    STRICT_KERNEL,
    STRICT_EVENT
} strict_type;

void strict_add(strict_type type, const void *handle);
/* Does the application have a reference to it? */
bool strict_lives(strict_type type, const void *handle);
void strict_retain(const void *handle);
void strict_release(const void *handle);
/* The next map of a buffer, or, with -1, its end; the maps that there are. */
long strict_map(cl_mem memory, long change);
/* Argument `at` has this value; a buffer that is released is no value any more. */
void strict_set_argument(cl_kernel kernel, cl_uint at, cl_mem memory);
bool strict_is_set(cl_kernel kernel, cl_uint at);
/* The buffer that is argument `at`, or NULL. */
cl_mem strict_buffer_argument(cl_kernel kernel, cl_uint at);
void strict_take_objects(cl_icd_dispatch *table);

/* --- strict_queries.c ------------------------------------------------------------------------ */

/* A number of at most 8 bytes that describes a device. */
cl_ulong strict_number(cl_device_id device, cl_device_info what);
/* 12 for OpenCL 1.2. */
int strict_version(cl_device_id device);
void strict_take_queries(cl_icd_dispatch *table);

/* --- strict_make.c, strict_commands.c, strict_kernels.c --------------------------------------- */

void strict_take_make(cl_icd_dispatch *table);
void strict_take_commands(cl_icd_dispatch *table);
void strict_take_kernels(cl_icd_dispatch *table);
/* What all commands have in common: the queue, and the events that are waited for. */
cl_int strict_check_queue(const char *call, cl_command_queue queue, cl_uint waits,
                          const cl_event *wait);
/* A buffer that commands of this queue may use. */
cl_int strict_check_memory(const char *call, cl_command_queue queue, cl_mem memory);
cl_context strict_context_of(cl_command_queue queue);
cl_device_id strict_device_of(cl_command_queue queue);

#define WAITS cl_uint waits, const cl_event *wait, cl_event *event
/* A command, which may make an event. */
#define CHECKED_COMMAND(name, params, args)                                                        \
    CHECKED_THEN(if (event) strict_add(STRICT_EVENT, *event), name, params, args)

#endif
