/* options.c: parses a command line, and runs the command, from its table. */
#include "options.h"

#include <popt.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "config.h"
#include "files.h"
#include "live_line.h"
#include "message.h"
#include "output.h"
#include "stop.h"
#include "verbose.h"

enum { MAX_OPTIONS = 128, COMMON = 1000 };

const tool_command *find_command(const char *name) {
    for (const tool_command *const *c = commands; *c; c++) {
        if (strcmp((*c)->name, name) == 0) return *c;
    }
    return NULL;
}

exit_code check_operand_words(const char *(*operand_word)(int index), const char *what, int count,
                              const char *const *operands) {
    for (int i = 0; i < count; i++) {
        spc_nearest meant = {.word = operands[i]};
        const char *word;
        for (int j = 0; (word = operand_word(j)) && strcmp(word, operands[i]) != 0; j++)
            spc_nearest_offer(&meant, word);
        if (!word)
            return usage_error("there is no %s \"%s\"%s", what, operands[i],
                               spc_nearest_hint(&meant, "\"", "\""));
    }
    return EXIT_OK;
}

/* ---- options whose value may be missing ------------------------------------------------------ */

/* The word "--json" becomes "--json=-" where no value follows. */
static const char *complete_word(const tool_command *command, const char *word, const char *next) {
    if (strncmp(word, "--", 2) != 0 || (next && (next[0] != '-' || next[1] == '\0'))) return word;
    for (const tool_option *o = command->options; o->name; o++)
        if (o->alone && strcmp(word + 2, o->name) == 0) return o->alone;
    return word;
}

static void complete_words(const tool_command *command, int argc, const char **argv) {
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        argv[i] = complete_word(command, argv[i], i + 1 < argc ? argv[i + 1] : NULL);
}

/* ---- parsing -------------------------------------------------------------------------------- */

/* Fill in popt's table from the command's; option i has the value i + 1 in popt. */
static void make_popt_table(const tool_option *options, struct poptOption *table) {
    int n = 0;
    for (const tool_option *o = options; o->name && n < MAX_OPTIONS; o++, n++) {
        table[n] = (struct poptOption){
            .longName = o->name,
            .shortName = o->letter,
            .argInfo = o->type == OPTION_FLAG ? POPT_ARG_NONE : POPT_ARG_STRING,
            .val = n + 1,
        };
    }
    for (int i = 0; i < COMMON_OPTIONS; i++)
        table[n++] = (struct poptOption){.longName = common_options[i].name,
                                         .shortName = common_options[i].letter,
                                         .val = COMMON + i};
    table[n] = (struct poptOption)POPT_TABLEEND;
}

static exit_code bad_option(const tool_command *command, poptContext context, int failure) {
    const char *const given = poptBadOption(context, POPT_BADOPTION_NOALIAS);
    if (failure == POPT_ERROR_NOARG) return usage_error("%s: its value is missing", given);
    if (failure == POPT_ERROR_UNWANTEDARG)
        return usage_error("%s: the option takes no value%s", given,
                           strncmp(given, "--json=", 7) == 0 ? "; > FILE writes what is printed"
                                                             : "");
    if (failure != POPT_ERROR_BADOPT) return usage_error("%s: %s", given, poptStrerror(failure));
    char word[32] = "";
    const char *const bare = given + strspn(given, "-");
    snprintf(word, sizeof word, "%.*s", (int)strcspn(bare, "="), bare);
    spc_nearest meant = {.word = word};
    for (const tool_option *o = common_options; o->name; o++)
        spc_nearest_offer(&meant, o->name);
    for (const tool_option *o = command->options; o->name; o++)
        spc_nearest_offer(&meant, o->name);
    return usage_error("%s has no option %s%s", command->name, given,
                       spc_nearest_hint(&meant, "--", ""));
}

/* An option as it was given; popt returns copies of the values, which commands use until they end.
 */
typedef struct given_option {
    int option;
    char *text; /* NULL for a flag */
} given_option;

typedef struct parsed_line {
    given_option given[4 * MAX_OPTIONS], config[MAX_OPTIONS];
    int given_count, config_count;
    char *operand; /* from the file of options */
    const char *operands[MAX_OPERANDS];
    int operand_count;
    bool help, version;
} parsed_line;

/* Of the command that runs. */
static struct {
    option_origin from;
    const char *text;
} records[MAX_OPTIONS];

option_origin option_origin_of(int i) {
    return records[i].from;
}

const char *option_text(int i) {
    return records[i].text;
}

static exit_code parse_options(const tool_command *command, poptContext context,
                               parsed_line *parsed) {
    int value;
    while ((value = poptGetNextOpt(context)) >= 0) {
        if (value == COMMON + COMMON_HELP || value == COMMON + COMMON_VERSION) {
            parsed->help = value == COMMON + COMMON_HELP;
            parsed->version = !parsed->help;
            return EXIT_OK;
        }
        if (value == COMMON + COMMON_QUIET) set_quiet();
        if (value == COMMON + COMMON_VERBOSE) set_verbose();
        if (is_quiet() && is_verbose())
            return usage_error("--quiet and --verbose are both given, expected one");
        if (value >= COMMON) continue;
        char *const text = poptGetOptArg(context);
        if (parsed->given_count == 4 * MAX_OPTIONS) {
            free(text);
            return usage_error("expected fewer options");
        }
        parsed->given[parsed->given_count++] = (given_option){value - 1, text};
    }
    return value < -1 ? bad_option(command, context, value) : EXIT_OK;
}

static exit_code apply(const tool_command *command, const given_option *given, int count,
                       option_origin from) {
    for (int i = 0; i < count; i++) {
        const tool_option *const option = &command->options[given[i].option];
        const bool has_lines = option->type == OPTION_LINES;
        const char **const lines = has_lines ? option->value : NULL;
        if (has_lines && records[given[i].option].from != from) { /* those of a file are replaced */
            free((char *)*lines);
            *lines = NULL;
        }
        const exit_code code = take_option_value(option, given[i].text);
        if (code != EXIT_OK) return code;
        records[given[i].option].from = from;
        records[given[i].option].text = has_lines ? *lines : given[i].text;
    }
    return EXIT_OK;
}

/* ---- the file of options -------------------------------------------------------------------- */

static exit_code unknown_key(const tool_command *command, const char *path, const char *key) {
    spc_nearest meant = {.word = key};
    for (const tool_option *o = command->options; o->name; o++)
        spc_nearest_offer(&meant, o->name);
    return usage_error("%s: there is no option \"%s\"%s", path, key,
                       spc_nearest_hint(&meant, "\"", "\""));
}

/* Who has written the file does not decide what is replaced. */
static exit_code refuse_output(const tool_command *command, const parsed_line *parsed,
                               const char *path, int option) {
    const tool_option *const named = &command->options[option];
    if (named->file == FILE_NONE || named->file == FILE_READ) return EXIT_OK;
    for (int i = 0; i < parsed->given_count; i++)
        if (parsed->given[i].option == option) return EXIT_OK;
    return usage_error("%s: \"%s\" names what would be written, which only the command line may: "
                       "expected --%s there",
                       path, named->name, named->name);
}

/* False flags are as if they were not there. */
static exit_code take_key(const tool_command *command, parsed_line *parsed, const char *path,
                          const char *key, const json_t *value) {
    int at = 0;
    if (command->operand_key && strcmp(key, command->operand_key) == 0 && json_is_string(value)) {
        parsed->operand = config_text(value);
        return parsed->operand ? EXIT_OK : EXIT_MEMORY;
    }
    while (command->options[at].name && strcmp(command->options[at].name, key) != 0)
        at++;
    const tool_option *const option = &command->options[at];
    if (!option->name || option->value == (const void *)command->config)
        return unknown_key(command, path, key);
    const exit_code code = refuse_output(command, parsed, path, at);
    if (code != EXIT_OK) return code;
    const bool is_flag = option->type == OPTION_FLAG;
    char *const text = is_flag ? NULL : config_text(value);
    if (is_flag ? !json_is_boolean(value) : !text)
        return usage_error("%s: \"%s\": expected %s", path, key,
                           is_flag ? "true or false" : "a text or a number");
    if (!is_flag || json_is_true(value))
        parsed->config[parsed->config_count++] = (given_option){at, text};
    return EXIT_OK;
}

/* The path of the last --config; NULL: none. */
static const char *config_path(const tool_command *command, const parsed_line *parsed) {
    const char *path = NULL;
    for (int i = 0; command->config && i < parsed->given_count; i++)
        if (command->options[parsed->given[i].option].value == (const void *)command->config)
            path = parsed->given[i].text;
    return path;
}

static exit_code read_config(const tool_command *command, parsed_line *parsed) {
    const char *const path = config_path(command, parsed), *key;
    json_t *options = NULL, *value;
    if (!path) return EXIT_OK;
    exit_code code = config_read(path, &options);
    json_object_foreach(options, key, value) {
        if (code == EXIT_OK) code = take_key(command, parsed, path, key, value);
    }
    json_decref(options);
    return code;
}

/* What may have been meant for an operand. */
static const char *taken_by_json(const tool_command *command, const parsed_line *parsed) {
    for (int i = 0; i < parsed->given_count; i++)
        if (command->options[parsed->given[i].option].alone &&
            strcmp(parsed->given[i].text, "-") != 0)
            return " (the word after --json is a file to write; put --json last)";
    return "";
}

static exit_code parse_operands(const tool_command *command, poptContext context,
                                parsed_line *parsed) {
    const char *operand;
    while ((operand = poptGetArg(context))) {
        if (parsed->operand_count == command->operands_max)
            return usage_error("\"%s\" is one operand too many; usage: sparcl %s %s", operand,
                               command->name, command->operands);
        parsed->operands[parsed->operand_count++] = operand;
    }
    if (parsed->operand_count == 0 && parsed->operand)
        parsed->operands[parsed->operand_count++] = parsed->operand;
    if (parsed->operand_count < command->operands_min)
        return usage_error("an operand is missing%s; usage: sparcl %s %s",
                           taken_by_json(command, parsed), command->name, command->operands);
    return EXIT_OK;
}

static void free_parsed(parsed_line *parsed) {
    for (int i = 0; i < parsed->given_count; i++)
        free(parsed->given[i].text);
    for (int i = 0; i < parsed->config_count; i++)
        free(parsed->config[i].text);
    free(parsed->operand);
    config_end();
}

/* Standard input is read, and is a terminal: what is typed is on the line. */
static bool types_input(const parsed_line *parsed) {
    bool is_read = false;
    for (int i = 0; i < parsed->operand_count; i++)
        is_read = is_read || strcmp(parsed->operands[i], "-") == 0;
    return is_read && isatty(STDIN_FILENO);
}

static exit_code run_with_files(const tool_command *command, const parsed_line *parsed) {
    exit_code code = files_of_command(command, parsed->operand_count, parsed->operands);
    stop_install();
    if (types_input(parsed)) live_line_force(false);
    begin_part("sparcl %s", command->name);
    if (code == EXIT_OK) code = command->run(parsed->operand_count, parsed->operands);
    live_line_end();
    verbose_end();
    stop_set_mode(STOP_NEVER); /* it is over */
    files_free();
    return code;
}

exit_code run_command(const tool_command *command, int argc, const char **argv) {
    struct poptOption table[MAX_OPTIONS + COMMON_OPTIONS + 1];
    parsed_line parsed = {0};
    set_command_name(command->name);
    complete_words(command, argc, argv);
    make_popt_table(command->options, table);
    poptContext context = poptGetContext(NULL, argc, argv, table, 0);
    if (!context) {
        fputs("sparcl: no host memory for the command line\n", stderr);
        return EXIT_MEMORY;
    }
    exit_code code = parse_options(command, context, &parsed);
    if (code == EXIT_OK && parsed.help) {
        print_command_help(command, stdout);
        code = flush_results();
    } else if (code == EXIT_OK && parsed.version) {
        code = find_command("version")->run(0, NULL);
    } else if (code == EXIT_OK) {
        code = read_config(command, &parsed);
        if (code == EXIT_OK) code = apply(command, parsed.config, parsed.config_count, FROM_CONFIG);
        if (code == EXIT_OK)
            code = apply(command, parsed.given, parsed.given_count, FROM_COMMAND_LINE);
        if (code == EXIT_OK) code = parse_operands(command, context, &parsed);
        if (code == EXIT_OK) code = run_with_files(command, &parsed);
    }
    poptFreeContext(context);
    free_parsed(&parsed);
    return code;
}
