/* options.h: the table of a command. Parsing, help, manual pages and completions are generated from
 * it.
 */
#ifndef SPARCL_TOOL_OPTIONS_H
#define SPARCL_TOOL_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "exit_codes.h"

typedef enum option_type {
    OPTION_FLAG,   /* int: becomes `set` */
    OPTION_TEXT,   /* const char * */
    OPTION_COUNT,  /* int64_t, at least `minimum`; the word in `choices`, if given, means 0 */
    OPTION_SEED,   /* uint64_t */
    OPTION_BYTES,  /* int64_t; the suffixes K, M, G and T are powers of 1024 */
    OPTION_REAL,   /* double, finite and not negative */
    OPTION_CHOICE, /* int: position among the words of `choices`, which are separated by '|' */
    OPTION_TEXTS,  /* option_texts: every one that is given */
    OPTION_LINES,  /* const char *: all that are given, with a line end between them; or NULL */
} option_type;

enum { MAX_TEXTS = 32 };

/* What an option or an operand that names a file is for. */
typedef enum file_role {
    FILE_NONE,
    FILE_READ,
    FILE_WRITTEN,   /* made or replaced; a device or a pipe is written directly */
    FILE_SAVED,     /* the same, but read again by the command: a regular file */
    FILE_KEPT,      /* the same, and FILE.previous is the one before it */
    FOLDER_WRITTEN, /* made where it is missing */
    FOLDER_USED     /* must exist */
} file_role;

typedef struct option_texts {
    const char *texts[MAX_TEXTS];
    int count;
} option_texts;

typedef struct tool_option {
    const char *name; /* without dashes; NULL ends a table */
    char letter;      /* '\0': none */
    option_type type;
    void *value;          /* unchanged when the option is not given */
    const char *argument; /* name of the value in the help; NULL for a flag, or for a choice whose
                             words are shown */
    const char *help;
    const char *alone;   /* "--name=VALUE" where no value follows; NULL: one must */
    const char *choices; /* for OPTION_TEXT: words for completion, others are allowed */
    int set;             /* for a flag */
    int64_t minimum;     /* for a count or bytes */
    file_role file;
    bool to_stdout; /* - is standard output, where nothing else is then printed */
} tool_option;

typedef enum common_option {
    COMMON_HELP,
    COMMON_QUIET,
    COMMON_VERBOSE,
    COMMON_VERSION,
    COMMON_OPTIONS
} common_option;

/* What every command has; a name of NULL ends them. */
extern const tool_option common_options[];

/* What many tables have. */
#define OPTION_OUTPUT_AS(role, dash, path, what, does)                                             \
    {                                                                                              \
        .name = "output", .letter = 'o', .type = OPTION_TEXT, .value = &(path),                    \
        .argument = (what), .help = (does), .file = (role), .to_stdout = (dash)                    \
    }
#define OPTION_OUTPUT(path, what, does) OPTION_OUTPUT_AS(FILE_WRITTEN, true, path, what, does)
#define OPTION_JSON(flag)                                                                          \
    { .name = "json", .type = OPTION_FLAG, .value = &(flag), .set = 1, .help = "print JSON" }
/* Of commands that write it, too. */
#define OPTION_JSON_FILE(path)                                                                     \
    {                                                                                              \
        .name = "json", .type = OPTION_TEXT, .value = &(path), .argument = "[FILE]",               \
        .alone = "--json=-", .file = FILE_WRITTEN, .to_stdout = true,                              \
        .help = "print JSON in place of tables; with FILE write it, too"                           \
    }

typedef struct json_key {
    const char *name; /* NULL ends a table */
    const char *meaning;
} json_key;

enum { MAX_OPERANDS = 4096 }; /* of a command */

typedef struct tool_command {
    const char *name, *summary;
    const char *operands; /* as in the usage line */
    int operands_min, operands_max;
    /* Operands that are files: those that are read, then those that are written; with neither, all
     * are read. */
    int operand_inputs, operand_outputs;
    /* Takes other files that the command will write, by files_add; NULL: there are none. */
    exit_code (*files)(int operand_count, const char *const *operands);
    /* The words of an operand, by index; returns NULL after the last. NULL: operands are files. */
    const char *(*operand_word)(int index);
    /* What a word means, for the help, which lists them under this heading; NULL for words that the
     * notes explain. The function may be NULL. */
    const char *(*operand_meaning)(int index);
    const char *operand_heading;
    const char *const *examples; /* pairs of purpose and command line; NULL ends them */
    const tool_option *options;
    const json_key *keys; /* NULL: the command has no JSON */
    const char *notes;    /* more text for the help, or NULL */
    /* The value of the option with a file of options, and the name of the operand in it; NULL: the
     * command has none. */
    const char *const *config;
    const char *operand_key;
    exit_code (*run)(int operand_count, const char *const *operands);
} tool_command;

/* Every command, in the order of the help; NULL ends them. */
extern const tool_command *const commands[];

const tool_command *find_command(const char *name);

/*
 * Parse the command line after the command's name into the values of its table, and run the
 * command; --help prints its help. Errors of the command line are printed, with a suggestion.
 */
exit_code run_command(const tool_command *command, int argc, const char **argv);

/* Where the value of an option is from. */
typedef enum option_origin { FROM_DEFAULT, FROM_CONFIG, FROM_COMMAND_LINE } option_origin;

/* That of option `i` of the command that runs, and the text that was given; NULL for a flag. */
option_origin option_origin_of(int i);
const char *option_text(int i);

/* Read a text into the value of an option; a wrong one is an error of the command line. */
exit_code take_option_value(const tool_option *option, const char *text);

void print_command_help(const tool_command *command, FILE *out);

/* The name of an option's value in help and manual; NULL for a flag. */
const char *option_argument(const tool_option *option);

/* Refuse an operand that is no operand_word. `what` they are: "operation". */
exit_code check_operand_words(const char *(*operand_word)(int index), const char *what, int count,
                              const char *const *operands);

#endif
