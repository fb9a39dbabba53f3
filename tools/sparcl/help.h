/* help.h: the overview of all commands. */
#ifndef SPARCL_TOOL_HELP_H
#define SPARCL_TOOL_HELP_H

#include <stdio.h>

void print_overview(FILE *out);

#endif
