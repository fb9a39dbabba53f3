/* stop.c: handles SIGINT, SIGTERM and SIGUSR1. The handler calls only async-signal-safe functions.
 */
#include "stop.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "exit_codes.h"

static volatile sig_atomic_t mode, requested;

static void handle(int signal_number) {
    static const char message[] = "\nsparcl: interrupted; no model was written\n";
    (void)signal_number;
    if (mode == STOP_NEVER || (mode == STOP_SOON && !requested)) {
        requested = 1;
        return;
    }
    const ssize_t ignored = write(STDERR_FILENO, message, sizeof message - 1);
    (void)ignored;
    _exit(EXIT_INTERRUPTED);
}

void stop_install(void) {
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    action.sa_handler = SIG_IGN; /* then a write beyond a limit of file sizes is an error */
    sigaction(SIGXFSZ, &action, NULL);
    /* How batch systems announce the end of a job. LLVM, in drivers, takes this signal for itself
     * when it compiles: so it is not handled, but waits until it is looked for. */
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
