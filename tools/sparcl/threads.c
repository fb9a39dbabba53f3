/* threads.c: binds the threads of a CPU driver to CPUs. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "threads.h"

#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

void spread_threads(void) {
    cpu_set_t allowed;
    if (getenv("POCL_AFFINITY") || getenv("POCL_MAX_PTHREAD_COUNT")) return;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
    if (CPU_COUNT(&allowed) != sysconf(_SC_NPROCESSORS_CONF)) return;
    setenv("POCL_AFFINITY", "1", 0);
}
