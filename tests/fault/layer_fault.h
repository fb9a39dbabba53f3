/* layer_fault.h: how a test controls the OpenCL layer of layer_fault.c, and what that counted. */
#ifndef TESTS_LAYER_FAULT_H
#define TESTS_LAYER_FAULT_H

enum {
    LAYER_CONTEXT,
    LAYER_QUEUE,
    LAYER_MEMORY,
    LAYER_PROGRAM,
    LAYER_KERNEL,
    LAYER_EVENT,
    LAYER_TYPES
};

typedef struct layer_control {
    long calls;       /* that could have failed, since the test set this to 0 */
    long fail_at;     /* the call that fails, from 1; 0: none */
    int persistent;   /* all later calls fail too */
    int flavor;       /* which of the codes that fit the function */
    int fired;        /* how many calls failed */
    const char *name; /* the function that failed first */
    int code;
    long live[LAYER_TYPES]; /* objects: made and retained, less released */
} layer_control;

/* The layer's one exported function of its own: "layer_get_control". */
typedef layer_control *(*layer_get_control_fn)(void);

#endif
