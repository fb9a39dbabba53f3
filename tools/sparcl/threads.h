/* threads.h: binds the threads of a CPU driver to CPUs. */
#ifndef SPARCL_TOOL_THREADS_H
#define SPARCL_TOOL_THREADS_H

/*
 * Let PoCL bind each of its threads to a CPU of its own; must be called before its first call. The
 * effect is in docs/tuning.md. Does nothing where the user has decided (POCL_AFFINITY,
 * POCL_MAX_PTHREAD_COUNT), or where the process may not use all CPUs: PoCL binds thread i to CPU i,
 * even if the process must not use that CPU.
 */
void spread_threads(void);

#endif
