/* strict_objects.c: the objects that the application holds, how many references it has to each, and
 * the arguments of kernels. What another object holds (a queue its context) does not count. */
#include "layer_strict.h"

#include <pthread.h>
#include <stdlib.h>

/* A buffer is the one with this handle only as long as its serial number is the same. */
typedef struct argument {
    bool is_set;
    cl_mem memory;
    long serial;
} argument;

typedef struct object {
    struct object *next; /* of the same hash */
    const void *handle;
    strict_type type;
    long references, serial, maps;
    cl_uint count;
    argument *arguments;
} object;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static object *objects[4096];
static long serials;

/* Where the object is, or belongs. */
static object **place(const void *handle) {
    object **at = &objects[(uintptr_t)handle / 16 % (sizeof objects / sizeof objects[0])];
    while (*at && (*at)->handle != handle)
        at = &(*at)->next;
    return at;
}

static object *find(const void *handle) {
    return *place(handle);
}

static void drop(object *it) {
    *place(it->handle) = it->next;
    free(it->arguments);
    free(it);
}

static void *need(void *memory) {
    if (!memory) abort();
    return memory;
}

void strict_add(strict_type type, const void *handle) {
    object *const made = need(calloc(1, sizeof *made));
    *made = (object){.handle = handle, .type = type, .references = 1};
    if (type == STRICT_KERNEL) {
        strict_next->clGetKernelInfo((cl_kernel)handle, CL_KERNEL_NUM_ARGS, sizeof made->count,
                                     &made->count, NULL);
        made->arguments = need(calloc(made->count + 1, sizeof *made->arguments));
    }
    pthread_mutex_lock(&lock);
    object *const before = find(handle); /* the driver has freed it and used its address again */
    if (before) drop(before);
    made->serial = ++serials;
    *place(handle) = made;
    pthread_mutex_unlock(&lock);
}

bool strict_lives(strict_type type, const void *handle) {
    pthread_mutex_lock(&lock);
    const object *const it = find(handle);
    const bool lives = it && it->type == type;
    pthread_mutex_unlock(&lock);
    return lives;
}

void strict_retain(const void *handle) {
    pthread_mutex_lock(&lock);
    ++find(handle)->references;
    pthread_mutex_unlock(&lock);
}

void strict_release(const void *handle) {
    pthread_mutex_lock(&lock);
    object *const it = find(handle);
    if (--it->references == 0) drop(it);
    pthread_mutex_unlock(&lock);
}

long strict_map(cl_mem memory, long change) {
    pthread_mutex_lock(&lock);
    const long maps = find(memory)->maps += change;
    pthread_mutex_unlock(&lock);
    return maps;
}

void strict_set_argument(cl_kernel kernel, cl_uint at, cl_mem memory) {
    pthread_mutex_lock(&lock);
    const object *const it = find(memory);
    find(kernel)->arguments[at] =
        (argument){.is_set = true, .memory = memory, .serial = it ? it->serial : 0};
    pthread_mutex_unlock(&lock);
}

bool strict_is_set(cl_kernel kernel, cl_uint at) {
    pthread_mutex_lock(&lock);
    const argument it = find(kernel)->arguments[at];
    const object *const memory = find(it.memory);
    const bool is_set = it.is_set && (!it.memory || (memory && memory->serial == it.serial));
    pthread_mutex_unlock(&lock);
    return is_set;
}

cl_mem strict_buffer_argument(cl_kernel kernel, cl_uint at) {
    pthread_mutex_lock(&lock);
    cl_mem memory = find(kernel)->arguments[at].memory;
    pthread_mutex_unlock(&lock);
    return memory;
}

/* --- retain and release ------------------------------------------------------------------------
 */

/* A reference is given up before the driver may give the address to another object. */
#define REFERENCES(Name, type, object, invalid)                                                    \
    CHECKED_THEN(strict_retain(it), clRetain##Name, (object it), (it)) {                           \
        REQUIRE(invalid, strict_lives(type, it));                                                  \
        return CL_SUCCESS;                                                                         \
    }                                                                                              \
    CHECKED(clRelease##Name, (object it), (it)) {                                                  \
        REQUIRE(invalid, strict_lives(type, it));                                                  \
        strict_release(it);                                                                        \
        return CL_SUCCESS;                                                                         \
    }

REFERENCES(Context, STRICT_CONTEXT, cl_context, CL_INVALID_CONTEXT)
REFERENCES(CommandQueue, STRICT_QUEUE, cl_command_queue, CL_INVALID_COMMAND_QUEUE)
REFERENCES(MemObject, STRICT_MEMORY, cl_mem, CL_INVALID_MEM_OBJECT)
REFERENCES(Program, STRICT_PROGRAM, cl_program, CL_INVALID_PROGRAM)
REFERENCES(Kernel, STRICT_KERNEL, cl_kernel, CL_INVALID_KERNEL)
REFERENCES(Event, STRICT_EVENT, cl_event, CL_INVALID_EVENT)

void strict_take_objects(cl_icd_dispatch *table) {
#define TAKE(Name)                                                                                 \
    table->clRetain##Name = layer_clRetain##Name;                                                  \
    table->clRelease##Name = layer_clRelease##Name;
    TAKE(Context)
    TAKE(CommandQueue)
    TAKE(MemObject)
    TAKE(Program)
    TAKE(Kernel)
    TAKE(Event)
#undef TAKE
}
