/* crash.c: prints a message when the OpenCL driver ends the process. The signal handler calls only
 * async-signal-safe functions. */
#include "crash.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "files.h"
#include "lost_file.h"
#include "pocl_cache.h"

static const int signals[] = {SIGABRT, SIGBUS, SIGSEGV};
enum { SIGNALS = sizeof signals / sizeof *signals };

/* The handlers that were installed before: LLVM (a part of PoCL) and sanitizers install some. */
static struct sigaction before[SIGNALS];
static char message[8192];
static size_t message_bytes;

/* The signal is delivered again, to the handler that was installed before: when the faulty
 * instruction runs again, or because it is raised here. */
static void handle(int number, siginfo_t *about, void *context) {
    lost_file_exit(number, about);
    const ssize_t ignored = write(STDERR_FILENO, message, message_bytes);
    (void)ignored, (void)context;
    files_remove_temporaries();
    for (int i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &before[i], NULL);
    if (about->si_code <= 0) raise(number);
}

void crash_install(const char *platform) {
    pocl_cache_name_platform(platform);
    const char *const remedy = pocl_cache_remedy();
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};
    if (message_bytes > 0 || !remedy) return;
    const int length = snprintf(message, sizeof message,
                                "sparcl: the process was ended by a signal, probably in PoCL\n"
                                "  to fix it: %s\n  'sparcl doctor' checks whether it is damaged\n",
                                remedy);
    if (length < 0 || (size_t)length >= sizeof message) return;
    message_bytes = (size_t)length;
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &action, &before[i]);
}
