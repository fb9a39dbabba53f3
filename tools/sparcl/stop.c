/* stop.c: handles SIGINT and SIGTERM. The handler calls only async-signal-safe functions. */
#include "stop.h"

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
}

void stop_set_mode(stop_mode now) {
    mode = (sig_atomic_t)now;
}

bool stop_was_requested(void) {
    return requested != 0;
}
