/* graph_state.h: the training state of a graph, to save it and to go on with it later. */
#ifndef SPARCL_GRAPH_STATE_H
#define SPARCL_GRAPH_STATE_H

#include "sparcl/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What steps change, beside what the caller binds: for each parameter its values, the states of its
 * optimizer, where rows can miss steps what they have missed, and some counters; and the step of
 * the graph. A graph that was built the same way, and was given all of it, goes on with the same
 * bits:
 *
 *     for each parameter: sparcl_graph_set_counters(graph, parameter, &counters);
 *     for (int i = 0; sparcl_graph_state_array(graph, i, &array) == SPARCL_OK && array.type; ++i)
 *         sparcl_buf_write(ctx, array.buf, array.at, array.bytes, ...);
 *     sparcl_graph_set_step(graph, step);
 */

/** Numbers of a parameter that belong to its arrays. What they mean is the library's. */
typedef struct sparcl_counters {
    int64_t integers[6]; /**< such as the number of steps; those that are not used are 0 */
    double numbers[3];   /**< such as the rate of the last step */
} sparcl_counters;

/** The counters of a parameter. E_ARG: no such parameter; *counters is then zeroed. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_graph_counters(sparcl_graph *graph,
                                                                 sparcl_node parameter,
                                                                 sparcl_counters *counters);
/**
 * Set the counters of a parameter, after sparcl_graph_backward; its arrays then have the sizes that
 * belong to them, and undefined contents until they are written.
 *
 * Errors    E_ARG: no such parameter, or these are not counters of one like it: nothing has
 *           changed; E_MEMORY.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_graph_set_counters(
    sparcl_graph *graph, sparcl_node parameter, const sparcl_counters *counters);

/** An array of the state: `bytes` bytes of a buffer, from `at` on. */
typedef struct sparcl_state_array {
    sparcl_node parameter; /**< whose it is */
    const char *part;      /**< "values", "state0" to "state2", "last_steps", or "exact_..." */
    const char *type;      /**< "F32", "F64", "F16", "BF16", "I32" or "I64"; NULL: none */
    int64_t count;         /**< elements */
    sparcl_buf *buf;       /**< to be read and written by the caller; NULL without elements */
    int64_t at, bytes;     /**< where they are */
    int64_t least, most;   /**< of its integers: write no others */
} sparcl_state_array;

/** Array 0, 1, ... of all parameters. After the last one its type is NULL. E_ARG: index
 * is negative. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_graph_state_array(sparcl_graph *graph, int index,
                                                                    sparcl_state_array *array);

/** The number of training steps so far, as sparcl_graph_set_step sets it. */
SPARCL_API int64_t sparcl_graph_get_step(const sparcl_graph *graph);

#ifdef __cplusplus
}
#endif

#endif
