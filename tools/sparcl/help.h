/* help.h: the overview of all commands, and the help topics. */
#ifndef SPARCL_TOOL_HELP_H
#define SPARCL_TOOL_HELP_H

#include <stdio.h>

typedef struct help_topic {
    const char *name; /* NULL ends a table */
    const char *summary;
    const char *title; /* of its section in the manual page */
    const char *text;  /* NULL: the exit codes */
} help_topic;

extern const help_topic topics[];

extern const char overview_summary[];
extern const char *const overview_examples[]; /* as in tool_command */

void print_overview(FILE *out);

#endif
