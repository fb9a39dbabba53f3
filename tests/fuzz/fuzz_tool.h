/* fuzz_tool.h: what the targets of files that the tool reads share. */
#ifndef FUZZ_TOOL_H
#define FUZZ_TOOL_H

#include "fuzz_file.h"

#include "options.h"

/* Messages and results are dropped. The fuzzer and the sanitizers have kept what they write to. */
static inline void fuzz_quiet(void) {
    static FILE *nowhere;
    if (nowhere) return;
    nowhere = fopen("/dev/null", "w");
    if (!nowhere) abort();
    stderr = stdout = nowhere;
}

#endif
