/* options.h: one table per command, from which parsing, help, the table of JSON keys, manual pages
 * and completions are made.
 */
#ifndef SPARCL_TOOL_OPTIONS_H
#define SPARCL_TOOL_OPTIONS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "exit_codes.h"

typedef enum option_type {
    OPTION_FLAG,   /* int: becomes `set` */
    OPTION_TEXT,   /* const char * */
    OPTION_COUNT,  /* int64_t from `least`; the word in `choices`, where given, is 0 */
    OPTION_SEED,   /* uint64_t */
    OPTION_BYTES,  /* int64_t; K, M, G and T at the end are powers of 1024 */
    OPTION_REAL,   /* double, finite and not negative */
    OPTION_CHOICE, /* int: position among the words of `choices`, which '|' separates */
} option_type;

typedef struct tool_option {
    const char *name; /* without dashes; NULL ends a table */
    char letter;      /* or '\0' */
    option_type type;
    void *value;          /* stays as it is when the option is not given */
    const char *argument; /* how the help names the value; NULL for a flag or a choice */
    const char *help;
    const char *choices; /* of a text: words that completion offers, others are allowed */
    int set;             /* of a flag */
    int64_t minimum;     /* of a count or of bytes */
} tool_option;

typedef struct json_key {
    const char *name; /* NULL ends a table */
    const char *meaning;
} json_key;

typedef struct tool_command {
    const char *name, *summary;
    const char *operands; /* as the usage line shows them */
    int operands_min, operands_max;
    /* The words that an operand may be, by number; NULL behind the last. Without it: files. */
    const char *(*operand_word)(int index);
    const char *const *examples; /* pairs of what for and command line; NULL ends them */
    const tool_option *options;
    const json_key *keys; /* NULL: the command has no JSON */
    const char *notes;    /* what else the help should say, or NULL */
    exit_code (*run)(int operand_count, const char *const *operands);
} tool_command;

/* Every command, in the order of the help; NULL ends them. */
extern const tool_command *const commands[];

const tool_command *find_command(const char *name);

/*
 * Read the command line behind the command's name into the values of its table, and run it;
 * --help is answered here. What the command line says wrongly is told with what was meant.
 */
exit_code run_command(const tool_command *command, int argc, const char **argv);

void print_command_help(const tool_command *command, FILE *out);

/* How help and manual name the value of an option; NULL for a flag. */
const char *option_argument(const tool_option *option);

/* Say on standard error what is wrong with the command line; returns EXIT_USAGE. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
exit_code
usage_error(const tool_command *command, const char *format, ...);

#endif
