/* threads.h: where the threads of a CPU driver run. */
#ifndef SPARCL_TOOL_THREADS_H
#define SPARCL_TOOL_THREADS_H

/*
 * Ask PoCL to give each of its threads a CPU of its own, before its first call. Else Linux often
 * wakes two of them on one CPU: a product of 1 ms then takes up to 2 (docs/tuning.md). Not where
 * the user has said how (POCL_AFFINITY, POCL_MAX_PTHREAD_COUNT), nor where the process may not use
 * every CPU: PoCL ends a process whose thread cannot have the CPU of its number.
 */
void spread_threads(void);

#endif
