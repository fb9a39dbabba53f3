/* help.h: the overview of all commands (cmd_help.c), and the help topics. */
#ifndef SPARCL_TOOL_HELP_H
#define SPARCL_TOOL_HELP_H

#include <stdio.h>

typedef struct help_topic {
    const char *name; /* NULL ends a table */
    const char *summary;
    const char *title; /* of its section in the manual page */
    const char *text;  /* NULL: made by `print`, and not in the manual page of the tool */
    void (*print)(FILE *out);
} help_topic;

extern const help_topic topics[];

extern const char overview_summary[];
extern const char *const overview_examples[]; /* as in tool_command */

extern const char csv_text[]; /* help_csv.c */

void print_overview(FILE *out);

/* The topic "operations": the table of operations of graphs (help_operations.c). */
void print_operations(FILE *out);

#endif
