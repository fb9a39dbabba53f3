/* threads.h: where the threads of a CPU driver run. */
#ifndef SPARCL_TOOL_THREADS_H
#define SPARCL_TOOL_THREADS_H

/*
 * Ask PoCL to give each of its threads a CPU of its own, before its first call: docs/tuning.md has
 * what that gives. Not where the user has said how (POCL_AFFINITY, POCL_MAX_PTHREAD_COUNT), nor
 * where the process may not use every CPU: PoCL binds thread i to CPU i, also one that it was kept
 * from.
 */
void spread_threads(void);

#endif
