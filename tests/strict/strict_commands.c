/* strict_commands.c: commands that move bytes, and what waits for commands. */
#include "layer_strict.h"

cl_context strict_context_of(cl_command_queue queue) {
    cl_context context = NULL;
    strict_next->clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
    return context;
}

cl_device_id strict_device_of(cl_command_queue queue) {
    cl_device_id device = NULL;
    strict_next->clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
    return device;
}

static cl_context event_context(cl_event event) {
    cl_context context = NULL;
    strict_next->clGetEventInfo(event, CL_EVENT_CONTEXT, sizeof context, &context, NULL);
    return context;
}

cl_int strict_check_queue(const char *call, cl_command_queue queue, cl_uint waits,
                          const cl_event *wait) {
    REQUIRE(CL_INVALID_COMMAND_QUEUE, strict_lives(STRICT_QUEUE, queue));
    REQUIRE(CL_INVALID_EVENT_WAIT_LIST, !wait == !waits);
    for (cl_uint i = 0; i < waits; ++i) {
        REQUIRE(CL_INVALID_EVENT_WAIT_LIST, strict_lives(STRICT_EVENT, wait[i]));
        REQUIRE(CL_INVALID_CONTEXT, event_context(wait[i]) == strict_context_of(queue));
    }
    return CL_SUCCESS;
}

static size_t memory_number(cl_mem memory, cl_mem_info what) {
    size_t number = 0;
    strict_next->clGetMemObjectInfo(memory, what, sizeof number, &number, NULL);
    return number;
}

static cl_mem_flags memory_flags(cl_mem memory) {
    cl_mem_flags flags = 0;
    strict_next->clGetMemObjectInfo(memory, CL_MEM_FLAGS, sizeof flags, &flags, NULL);
    return flags;
}

static cl_mem parent_of(cl_mem memory) {
    cl_mem parent = NULL;
    strict_next->clGetMemObjectInfo(memory, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent,
                                    NULL);
    return parent;
}

cl_int strict_check_memory(const char *call, cl_command_queue queue, cl_mem memory) {
    cl_context context = NULL;
    cl_mem_object_type type = 0;
    REQUIRE(CL_INVALID_MEM_OBJECT, strict_lives(STRICT_MEMORY, memory));
    strict_next->clGetMemObjectInfo(memory, CL_MEM_TYPE, sizeof type, &type, NULL);
    strict_next->clGetMemObjectInfo(memory, CL_MEM_CONTEXT, sizeof context, &context, NULL);
    REQUIRE(CL_INVALID_MEM_OBJECT, type == CL_MEM_OBJECT_BUFFER);
    REQUIRE(CL_INVALID_CONTEXT, context == strict_context_of(queue));
    return CL_SUCCESS;
}

/* Some drivers refuse a size of 0, as OpenCL 1.0 did. */
static cl_int check_range(const char *call, cl_command_queue queue, cl_mem memory, size_t at,
                          size_t n) {
    TRY(strict_check_memory(call, queue, memory));
    const size_t size = memory_number(memory, CL_MEM_SIZE);
    REQUIRE(CL_INVALID_VALUE, n > 0);
    REQUIRE(CL_INVALID_VALUE, at <= size && n <= size - at);
    return CL_SUCCESS;
}

#define HOST_READS(memory)                                                                         \
    REQUIRE(CL_INVALID_OPERATION,                                                                  \
            !(memory_flags(memory) & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS)))
#define HOST_WRITES(memory)                                                                        \
    REQUIRE(CL_INVALID_OPERATION,                                                                  \
            !(memory_flags(memory) & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS)))

CHECKED_COMMAND(clEnqueueReadBuffer,
                (cl_command_queue q, cl_mem from, cl_bool wait_now, size_t at, size_t n, void *to,
                 WAITS),
                (q, from, wait_now, at, n, to, waits, wait, event)) {
    TRY(strict_check_queue(call, q, waits, wait));
    TRY(check_range(call, q, from, at, n));
    REQUIRE(CL_INVALID_VALUE, to);
    HOST_READS(from);
    return CL_SUCCESS;
}

CHECKED_COMMAND(clEnqueueWriteBuffer,
                (cl_command_queue q, cl_mem to, cl_bool wait_now, size_t at, size_t n,
                 const void *from, WAITS),
                (q, to, wait_now, at, n, from, waits, wait, event)) {
    TRY(strict_check_queue(call, q, waits, wait));
    TRY(check_range(call, q, to, at, n));
    REQUIRE(CL_INVALID_VALUE, from);
    HOST_WRITES(to);
    return CL_SUCCESS;
}

/* --- rectangles --------------------------------------------------------------------------------
 */

/* One side of a rectangle. A pitch of 0 is that of rows, or slices, without gaps. */
typedef struct side {
    const size_t *at;
    size_t row, slice;
} side;

static cl_int check_side(const char *call, const size_t *region, side *s) {
    REQUIRE(CL_INVALID_VALUE, s->at && region);
    REQUIRE(CL_INVALID_VALUE, region[0] > 0 && region[1] > 0 && region[2] > 0);
    if (s->row == 0) s->row = region[0];
    REQUIRE(CL_INVALID_VALUE, s->row >= region[0]);
    if (s->slice == 0) s->slice = region[1] * s->row;
    REQUIRE(CL_INVALID_VALUE, s->slice >= region[1] * s->row);
    REQUIRE(CL_INVALID_VALUE, s->slice % s->row == 0);
    return CL_SUCCESS;
}

/* Some drivers take the rectangle as a part of rows and slices of a whole array: it ends in its row
 * and its slice, and its last row lies in the buffer up to the next, not only up to its last byte.
 */
static cl_int check_bounds(const char *call, size_t size, const size_t *region, const side *s) {
    REQUIRE(CL_INVALID_VALUE, s->at[0] <= s->row && region[0] <= s->row - s->at[0]);
    const size_t last = (s->at[2] + region[2] - 1) * s->slice + (s->at[1] + region[1]) * s->row;
    REQUIRE(CL_INVALID_VALUE, last <= size);
    return CL_SUCCESS;
}

static cl_int check_rectangle(const char *call, cl_command_queue queue, cl_mem memory,
                              const size_t *region, side device, side host) {
    TRY(strict_check_memory(call, queue, memory));
    TRY(check_side(call, region, &device));
    TRY(check_side(call, region, &host));
    return check_bounds(call, memory_number(memory, CL_MEM_SIZE), region, &device);
}

#define RECT                                                                                       \
    const size_t *at, const size_t *host_at, const size_t *region, size_t pitch, size_t slice,     \
        size_t host_pitch, size_t host_slice
#define RECT_ARGS at, host_at, region, pitch, slice, host_pitch, host_slice
#define RECT_SIDES                                                                                 \
    region, (side){at, pitch, slice}, (side) {                                                     \
        host_at, host_pitch, host_slice                                                            \
    }

CHECKED_COMMAND(clEnqueueReadBufferRect,
                (cl_command_queue q, cl_mem from, cl_bool wait_now, RECT, void *to, WAITS),
                (q, from, wait_now, RECT_ARGS, to, waits, wait, event)) {
    TRY(strict_check_queue(call, q, waits, wait));
    TRY(check_rectangle(call, q, from, RECT_SIDES));
    REQUIRE(CL_INVALID_VALUE, to);
    HOST_READS(from);
    return CL_SUCCESS;
}

CHECKED_COMMAND(clEnqueueWriteBufferRect,
                (cl_command_queue q, cl_mem to, cl_bool wait_now, RECT, const void *from, WAITS),
                (q, to, wait_now, RECT_ARGS, from, waits, wait, event)) {
    TRY(strict_check_queue(call, q, waits, wait));
    TRY(check_rectangle(call, q, to, RECT_SIDES));
    REQUIRE(CL_INVALID_VALUE, from);
    HOST_WRITES(to);
    return CL_SUCCESS;
}

/* --- inside the device -------------------------------------------------------------------------
 */

static bool overlaps(cl_mem a, size_t a_at, cl_mem b, size_t b_at, size_t n) {
    cl_mem a_parent = parent_of(a), b_parent = parent_of(b);
    if ((a_parent ? a_parent : a) != (b_parent ? b_parent : b)) return false;
    const size_t a_first = a_at + memory_number(a, CL_MEM_OFFSET);
    const size_t b_first = b_at + memory_number(b, CL_MEM_OFFSET);
    return a_first < b_first + n && b_first < a_first + n;
}

CHECKED_COMMAND(clEnqueueCopyBuffer,
                (cl_command_queue q, cl_mem from, cl_mem to, size_t from_at, size_t to_at, size_t n,
                 WAITS),
                (q, from, to, from_at, to_at, n, waits, wait, event)) {
    TRY(strict_check_queue(call, q, waits, wait));
    TRY(check_range(call, q, from, from_at, n));
    TRY(check_range(call, q, to, to_at, n));
    REQUIRE(CL_MEM_COPY_OVERLAP, !overlaps(from, from_at, to, to_at, n));
    return CL_SUCCESS;
}

CHECKED_COMMAND(clEnqueueFillBuffer,
                (cl_command_queue q, cl_mem to, const void *pattern, size_t size, size_t at,
                 size_t n, WAITS),
                (q, to, pattern, size, at, n, waits, wait, event)) {
    TRY(strict_check_queue(call, q, waits, wait));
    TRY(check_range(call, q, to, at, n));
    REQUIRE(CL_INVALID_VALUE, pattern);
    REQUIRE(CL_INVALID_VALUE, size > 0 && size <= 128 && (size & (size - 1)) == 0);
    REQUIRE(CL_INVALID_VALUE, at % size == 0 && n % size == 0);
    return CL_SUCCESS;
}

/* --- maps --------------------------------------------------------------------------------------
 */

static cl_int check_clEnqueueMapBuffer(const char *call, cl_command_queue q, cl_mem it,
                                       cl_map_flags flags, size_t at, size_t n, cl_uint waits,
                                       const cl_event *wait) {
    const cl_map_flags writes = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    TRY(strict_check_queue(call, q, waits, wait));
    TRY(check_range(call, q, it, at, n));
    REQUIRE(CL_INVALID_VALUE, flags && !(flags & ~(CL_MAP_READ | writes)));
    REQUIRE(CL_INVALID_VALUE,
            !(flags & CL_MAP_WRITE_INVALIDATE_REGION) || flags == CL_MAP_WRITE_INVALIDATE_REGION);
    if (flags & CL_MAP_READ) HOST_READS(it);
    if (flags & writes) HOST_WRITES(it);
    return CL_SUCCESS;
}

static void *CL_API_CALL layer_clEnqueueMapBuffer(cl_command_queue q, cl_mem it, cl_bool wait_now,
                                                  cl_map_flags flags, size_t at, size_t n, WAITS,
                                                  cl_int *error) {
    const cl_int code =
        check_clEnqueueMapBuffer("clEnqueueMapBuffer", q, it, flags, at, n, waits, wait);
    if (code != CL_SUCCESS) {
        if (error) *error = code;
        return NULL;
    }
    void *mapped =
        strict_next->clEnqueueMapBuffer(q, it, wait_now, flags, at, n, waits, wait, event, error);
    if (mapped) strict_map(it, 1);
    if (mapped && event) strict_add(STRICT_EVENT, *event);
    return mapped;
}

CHECKED_COMMAND(clEnqueueUnmapMemObject, (cl_command_queue q, cl_mem it, void *mapped, WAITS),
                (q, it, mapped, waits, wait, event)) {
    TRY(strict_check_queue(call, q, waits, wait));
    TRY(strict_check_memory(call, q, it));
    REQUIRE(CL_INVALID_VALUE, mapped && strict_map(it, 0) > 0);
    strict_map(it, -1);
    return CL_SUCCESS;
}

/* --- waiting -----------------------------------------------------------------------------------
 */

CHECKED_COMMAND(clEnqueueMarkerWithWaitList, (cl_command_queue q, WAITS), (q, waits, wait, event)) {
    return strict_check_queue(call, q, waits, wait);
}

CHECKED_COMMAND(clEnqueueBarrierWithWaitList, (cl_command_queue q, WAITS),
                (q, waits, wait, event)) {
    return strict_check_queue(call, q, waits, wait);
}

CHECKED(clFlush, (cl_command_queue q), (q)) {
    return strict_check_queue(call, q, 0, NULL);
}

CHECKED(clFinish, (cl_command_queue q), (q)) {
    return strict_check_queue(call, q, 0, NULL);
}

CHECKED(clWaitForEvents, (cl_uint n, const cl_event *list), (n, list)) {
    REQUIRE(CL_INVALID_VALUE, n > 0 && list);
    for (cl_uint i = 0; i < n; ++i) {
        REQUIRE(CL_INVALID_EVENT, strict_lives(STRICT_EVENT, list[i]));
        REQUIRE(CL_INVALID_CONTEXT, event_context(list[i]) == event_context(list[0]));
    }
    return CL_SUCCESS;
}

CHECKED(clSetUserEventStatus, (cl_event it, cl_int status), (it, status)) {
    REQUIRE(CL_INVALID_EVENT, strict_lives(STRICT_EVENT, it));
    REQUIRE(CL_INVALID_VALUE, status <= CL_COMPLETE);
    return CL_SUCCESS;
}

void strict_take_commands(cl_icd_dispatch *table) {
#define TAKE(name) table->name = layer_##name;
    TAKE(clEnqueueReadBuffer)
    TAKE(clEnqueueWriteBuffer)
    TAKE(clEnqueueReadBufferRect)
    TAKE(clEnqueueWriteBufferRect)
    TAKE(clEnqueueCopyBuffer)
    TAKE(clEnqueueFillBuffer)
    TAKE(clEnqueueMapBuffer)
    TAKE(clEnqueueUnmapMemObject)
    TAKE(clEnqueueMarkerWithWaitList)
    TAKE(clEnqueueBarrierWithWaitList)
    TAKE(clFlush)
    TAKE(clFinish)
    TAKE(clWaitForEvents)
    TAKE(clSetUserEventStatus)
#undef TAKE
}
