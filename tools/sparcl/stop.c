/* stop.c: handles SIGINT, SIGTERM, SIGHUP and SIGUSR1. The handler calls only async-signal-safe
 * functions. */
#include "stop.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "exit_codes.h"
#include "files.h"

static volatile sig_atomic_t mode, requested;
static pid_t owner; /* not a child of it */

static void put(const char *text) {
    const ssize_t ignored = write(STDERR_FILENO, text, strlen(text));
    (void)ignored;
}

static void handle(int signal_number) {
    (void)signal_number;
    if (mode == STOP_NEVER || (mode == STOP_SOON && !requested)) {
        if (!requested && mode == STOP_SOON && getpid() == owner)
            put("\nsparcl: ending after this step; interrupt it again to end at once\n");
        requested = 1;
        return;
    }
    if (getpid() == owner) {
        files_remove_temporaries();
        put("\nsparcl: ");
        put(files_interrupted());
        put("\n");
    }
    _exit(EXIT_INTERRUPTED);
}

/* A program that was started with nohup goes on when its terminal is closed. */
static void handle_hangup(const struct sigaction *action) {
    struct sigaction before;
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(SIGHUP, action, NULL);
}

void stop_install(void) {
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    owner = getpid();
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGUSR1, &action, NULL);
    handle_hangup(&action);
    action.sa_handler = SIG_IGN; /* then a write beyond a limit of file sizes is an error */
    sigaction(SIGXFSZ, &action, NULL);
}

/* LLVM, in drivers, takes this signal for itself when it compiles: so it is not handled, but waits
 * until it is looked for. */
void stop_hold_announcement(void) {
    sigset_t held;
    sigemptyset(&held);
    sigaddset(&held, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &held, NULL);
}

void stop_set_mode(stop_mode now) {
    mode = (sig_atomic_t)now;
}

bool stop_was_requested(void) {
    sigset_t waiting;
    return requested != 0 || (sigpending(&waiting) == 0 && sigismember(&waiting, SIGUSR1) == 1);
}
