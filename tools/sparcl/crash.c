/* crash.c: prints a message when the OpenCL driver ends the process. The signal handler calls only
 * async-signal-safe functions. */
#include "crash.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "lost_file.h"

enum { PATH_BYTES = 4096 };

/* ---- PoCL's cache --------------------------------------------------------------------------- */

void pocl_cache_folder(char *folder, size_t bytes) {
    const char *const given = getenv("POCL_CACHE_DIR");
    const char *const xdg = getenv("XDG_CACHE_HOME");
    const char *const home = getenv("HOME");
    int length = 0;
    if (given)
        length = snprintf(folder, bytes, "%s", given);
    else if (xdg && xdg[0])
        length = snprintf(folder, bytes, "%s/pocl/kcache", xdg);
    else if (home)
        length = snprintf(folder, bytes, "%s/.cache/pocl/kcache", home);
    else
        length = snprintf(folder, bytes, "/tmp/pocl/kcache");
    if (length < 0 || (size_t)length >= bytes) folder[0] = '\0';
}

/* Write the text in single quotes for a shell; false if it does not fit. */
static int quote(char *to, size_t bytes, const char *text) {
    size_t used = 0;
    if (bytes < 3) return 0;
    to[used++] = '\'';
    for (; *text && used + 6 < bytes; text++) {
        if (*text == '\'') {
            memcpy(to + used, "'\\'", 3);
            used += 3;
        }
        to[used++] = *text;
    }
    to[used++] = '\'';
    to[used] = '\0';
    return !*text;
}

/* The names of PoCL's folders are two letters, each for four bits of a hash. */
void pocl_cache_command(char *command, size_t bytes) {
    char folder[PATH_BYTES], quoted[PATH_BYTES + 64];
    pocl_cache_folder(folder, sizeof folder);
    command[0] = '\0';
    if (!folder[0] || !quote(quoted, sizeof quoted, folder)) return;
    const int length = snprintf(command, bytes, "rm -rf %s%s", quoted,
                                getenv("POCL_CACHE_DIR") ? "/[A-P][A-P]" : "");
    if (length < 0 || (size_t)length >= bytes) command[0] = '\0';
}

/* ---- the handler ---------------------------------------------------------------------------- */

static const int signals[] = {SIGABRT, SIGBUS, SIGSEGV};
enum { SIGNALS = sizeof signals / sizeof *signals };

/* The handlers that were installed before: LLVM (a part of PoCL) and sanitizers install some. */
static struct sigaction before[SIGNALS];
static char message[2 * PATH_BYTES], remedy[2 * PATH_BYTES];
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
    char command[PATH_BYTES + 128];
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};
    if (message_bytes > 0 || strcmp(platform, "Portable Computing Language") != 0) return;
    pocl_cache_command(command, sizeof command);
    for (char *c = command; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f) *c = '?';
    if (!command[0]) return;
    snprintf(remedy, sizeof remedy,
             "if PoCL's kernel cache is damaged, for example after a full disk: %s", command);
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

const char *crash_remedy(void) {
    return message_bytes > 0 ? remedy : NULL;
}
