/* lost_file.c: the message when a file that is mapped becomes shorter while it is used. Everything
 * in the handler is async-signal-safe. */
#include "lost_file.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "exit_codes.h"
#include "files.h"

enum { LINE_BYTES = 8192 };

/* ---- the mapping of an address -------------------------------------------------------------- */

static const char *read_hex(const char *at, uintptr_t *value) {
    for (*value = 0;; at++) {
        const char c = *at;
        if (c >= '0' && c <= '9')
            *value = *value * 16 + (uintptr_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            *value = *value * 16 + (uintptr_t)(c - 'a' + 10);
        else
            return at;
    }
}

/* A line "start-end permissions offset device inode path": the path, if the address is in it. */
static char *path_of(char *line, uintptr_t address) {
    uintptr_t start = 0, end = 0;
    const char *const dash = read_hex(line, &start);
    if (*dash != '-') return NULL;
    (void)read_hex(dash + 1, &end);
    return address >= start && address < end ? strchr(line, '/') : NULL;
}

/* The path of the file that is mapped at this address, in `line`; NULL: none. */
static char *find_path(uintptr_t address, char line[LINE_BYTES]) {
    const int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    size_t used = 0;
    char c, *found = NULL;
    while (maps >= 0 && !found && read(maps, &c, 1) == 1) {
        if (c != '\n') {
            if (used + 1 < LINE_BYTES) line[used++] = c;
            continue;
        }
        line[used] = '\0';
        used = 0;
        found = path_of(line, address);
    }
    if (maps >= 0) (void)close(maps);
    return found;
}

/* ---- the handler ---------------------------------------------------------------------------- */

static void print(const char *text) {
    const ssize_t ignored = write(STDERR_FILENO, text, strlen(text));
    (void)ignored;
}

void lost_file_exit(int number, const siginfo_t *about) {
    static char line[LINE_BYTES];
    if (number != SIGBUS || about->si_code <= 0) return;
    char *const path = find_path((uintptr_t)about->si_addr, line);
    if (!path) return;
    for (char *c = path; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f) *c = '?';
    print("sparcl: ");
    print(path);
    print(
        ": the file became shorter while it was used, or its disk failed\n"
        "  to fix it: write it again with 'sparcl convert', and replace files by renaming new ones"
        "\n");
    files_remove_temporaries();
    _exit(EXIT_RUNTIME);
}

static void handle(int number, siginfo_t *about, void *context) {
    (void)context;
    lost_file_exit(number, about);
    (void)signal(number, SIG_DFL);
    if (about->si_code <= 0) raise(number);
}

void lost_file_install(void) {
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, NULL);
}
