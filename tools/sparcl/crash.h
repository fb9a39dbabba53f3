/* crash.h: the message when the OpenCL driver ends the process. */
#ifndef SPARCL_TOOL_CRASH_H
#define SPARCL_TOOL_CRASH_H

/* If the platform is PoCL, install a handler that prints how to fix a damaged cache before a signal
 * ends the process. The signal still ends it. */
void crash_install(const char *platform);

#endif
