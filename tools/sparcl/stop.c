/* stop.c: takes SIGINT, SIGTERM, SIGHUP and SIGUSR1.
 *
 * LLVM, in drivers, takes these signals for itself while it compiles, and then two at once end the
 * process. So they are blocked in every thread; one of ours waits for them, and passes each on to
 * the thread of the command as SIGURG, which nobody else uses. The handler calls only
 * async-signal-safe functions. */
#include "stop.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "exit_codes.h"
#include "files.h"
#include "live_line.h"

enum { PASSED_ON = SIGURG };

static const int requests[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1};
enum { REQUESTS = sizeof requests / sizeof *requests };

/* Seconds in which further requests belong to the first one: 'timeout' and batch systems send a
 * signal to a process and then to its group. */
static const double same_request = 0.3;

static volatile sig_atomic_t mode, requested;
static struct timespec first; /* request */
static pid_t owner;           /* not a child of it */
static pthread_t command_thread;
static sigset_t blocked;

static void put(const char *text) {
    const ssize_t ignored = write(STDERR_FILENO, text, strlen(text));
    (void)ignored;
}

static bool is_same_request(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - first.tv_sec) + 1e-9 * (double)(now.tv_nsec - first.tv_nsec) <
           same_request;
}

static void end_at_once(void) {
    if (getpid() == owner) {
        files_remove_temporaries();
        put(live_line_end_in_handler() ? "sparcl: " : "\nsparcl: ");
        put(files_interrupted());
        put("\n");
    }
    _exit(EXIT_INTERRUPTED);
}

/* What is said at the first request; NULL: nothing. */
static const char *answer(void) {
    if (mode == STOP_SOON)
        return "sparcl: ending after this step; interrupt it again to end at once\n";
    if (mode == STOP_WRITTEN)
        return "sparcl: ending when the result is written; interrupt it again to end at once\n";
    return NULL;
}

static void handle(int signal_number) {
    (void)signal_number;
    if (mode == STOP_AT_ONCE || (answer() && requested && !is_same_request())) end_at_once();
    if (requested) return;
    clock_gettime(CLOCK_MONOTONIC, &first);
    if (answer() && getpid() == owner) {
        put(live_line_clear_in_handler() ? "" : "\n");
        put(answer());
    }
    requested = 1;
}

static void *pass_on(void *unused) {
    (void)unused;
    for (int signal_number; sigwait(&blocked, &signal_number) == 0;)
        pthread_kill(command_thread, PASSED_ON);
    return NULL;
}

/* The set `blocked` of the requests, but for a hangup that is ignored: a program that was started
 * with nohup goes on when its terminal is closed. */
static void find_blocked(void) {
    struct sigaction before;
    sigemptyset(&blocked);
    for (int i = 0; i < REQUESTS; i++)
        if (requests[i] != SIGHUP ||
            (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN))
            sigaddset(&blocked, requests[i]);
}

/* True if there is a thread that waits; it takes no signal itself. */
static bool start_thread(void) {
    sigset_t all, before;
    pthread_t thread;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool is_started = pthread_create(&thread, NULL, pass_on, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return is_started && pthread_detach(thread) == 0;
}

void stop_install(void) {
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    const bool is_first = owner != getpid(); /* a process may run several commands */
    owner = getpid();
    command_thread = pthread_self();
    find_blocked();
    action.sa_mask = blocked;
    sigaction(PASSED_ON, &action, NULL);
    for (int i = 0; i < REQUESTS; i++)
        if (sigismember(&blocked, requests[i]) == 1) sigaction(requests[i], &action, NULL);
    if (is_first) pthread_sigmask(start_thread() ? SIG_BLOCK : SIG_UNBLOCK, &blocked, NULL);
    action.sa_handler = SIG_IGN; /* then a write beyond a limit of file sizes is an error */
    sigaction(SIGXFSZ, &action, NULL);
}

void stop_leave_to_system(void) {
    if (owner == 0) return;
    for (int i = 0; i < REQUESTS; i++)
        if (sigismember(&blocked, requests[i]) == 1) signal(requests[i], SIG_DFL);
    signal(PASSED_ON, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &blocked, NULL);
}

void stop_set_mode(stop_mode now) {
    mode = (sig_atomic_t)now;
}

bool stop_was_requested(void) {
    return requested != 0;
}
