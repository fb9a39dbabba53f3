/* completion.h: prints completion scripts for shells, generated from the commands' tables. */
#ifndef SPARCL_TOOL_COMPLETION_H
#define SPARCL_TOOL_COMPLETION_H

#include <stdio.h>

#define SHELL_WORDS "bash|zsh|fish"
typedef enum shell { SHELL_BASH, SHELL_ZSH, SHELL_FISH } shell;

void print_completion(shell which, FILE *out);

#endif
