/* child_clock.c: the time of a child process, to find one that hangs also where the machine is
 * busy. */
#include "child_clock.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"

/* Linux: proc(5), /proc/PID/schedstat, here of each thread, in nanoseconds. */
static void add_thread(pid_t child, const char *thread, double *run, double *wait) {
    char path[64];
    double on_core = 0, ready = 0;
    snprintf(path, sizeof path, "/proc/%ld/task/%.20s/schedstat", (long)child, thread);
    FILE *const file = fopen(path, "r");
    if (!file) return;
    if (fscanf(file, "%lf %lf", &on_core, &ready) == 2) {
        *run += on_core * 1e-9;
        *wait += ready * 1e-9;
    }
    fclose(file);
}

static void read_threads(pid_t child, double *run, double *wait) {
    char path[64];
    *run = *wait = 0;
    snprintf(path, sizeof path, "/proc/%ld/task", (long)child);
    DIR *const threads = opendir(path);
    if (!threads) return;
    for (const struct dirent *thread; (thread = readdir(threads));)
        if (thread->d_name[0] != '.') add_thread(child, thread->d_name, run, wait);
    closedir(threads);
}

void child_clock_start(child_clock *clock, pid_t child) {
    *clock = (child_clock){.child = child, .read = spc_clock()};
    read_threads(child, &clock->run, &clock->wait);
}

/* Threads that wait for one another's cores are not held up by others: all cores were then in use.
 * A thread that has ended makes the sums smaller. The system adds the time of a wait when it ends:
 * what was counted before, since the child was last seen to run, is then taken back. */
double child_clock_read(child_clock *clock) {
    const double now = spc_clock(), passed = now - clock->read;
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    double run = 0, wait = 0;
    read_threads(clock->child, &run, &wait);
    const double own = fmax(run - clock->run, 0) / (double)(cores > 0 ? cores : 1);
    const double free_of_others = passed - fmax(wait - clock->wait, 0);
    const double step = fmin(passed, fmax(own - clock->unsure, free_of_others));
    clock->seconds += step;
    clock->unsure = (own > 0 ? 0 : clock->unsure) + fmax(step - own, 0);
    clock->read = now;
    clock->run = run;
    clock->wait = wait;
    return clock->seconds;
}
