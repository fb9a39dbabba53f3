/* stop.c: what SIGINT and SIGTERM do. The handler calls only what a handler may. */
#include "stop.h"

#include <signal.h>
#include <unistd.h>

#include "exit_codes.h"

static volatile sig_atomic_t mode, asked;

static void handle(int signal_number) {
    static const char words[] = "\nsparcl: interrupted; no model was written\n";
    (void)signal_number;
    if (mode == STOP_NEVER || (mode == STOP_SOON && !asked)) {
        asked = 1;
        return;
    }
    const ssize_t ignored = write(STDERR_FILENO, words, sizeof words - 1);
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
    return asked != 0;
}
