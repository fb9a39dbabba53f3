/* lost_file.h: the message when a file that is mapped becomes shorter while it is used, which is a
 * SIGBUS. */
#ifndef SPARCL_TOOL_LOST_FILE_H
#define SPARCL_TOOL_LOST_FILE_H

#include <signal.h>

/* For SIGBUS at an address of a mapped file: print its name and how to fix it, and end the process
 * with EXIT_RUNTIME; else return. Async-signal-safe. */
void lost_file_exit(int number, const siginfo_t *about);

/* Install a handler that does that, and lets other signals end the process as before. */
void lost_file_install(void);

#endif
