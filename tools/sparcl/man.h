/* man.h: prints manual pages, generated from the same tables as the help. */
#ifndef SPARCL_TOOL_MAN_H
#define SPARCL_TOOL_MAN_H

#include "help.h"
#include "options.h"

/* sparcl(1): the commands, the topics of the help, the exit status. */
void print_man_overview(FILE *out);

/* sparcl-COMMAND(1) */
void print_man_command(const tool_command *command, FILE *out);

/* sparcl-TOPIC(7) */
void print_man_topic(const help_topic *topic, FILE *out);

#endif
