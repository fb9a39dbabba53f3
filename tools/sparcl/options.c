/* options.c: parses a command line and prints help, from the table of a command. */
#include "options.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <popt.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "files.h"
#include "message.h"
#include "nearest.h"
#include "output.h"
#include "stop.h"

enum { MAX_OPTIONS = 128, HELP_VALUE = 1000 };

const tool_command *find_command(const char *name) {
    for (const tool_command *const *c = commands; *c; c++) {
        if (strcmp((*c)->name, name) == 0) return *c;
    }
    return NULL;
}

exit_code usage_error(const tool_command *command, const char *format, ...) {
    va_list args;
    va_start(args, format);
    print_error_v(format, args);
    va_end(args);
    if (command)
        fprintf(stderr, "  see: sparcl %s --help\n", command->name);
    else
        fputs("  see: sparcl --help\n", stderr);
    return EXIT_USAGE;
}

/* ---- values --------------------------------------------------------------------------------- */

/* Parse digits, as a number of at most `maximum`; *end is after them. */
static bool read_digits(const char *text, uint64_t maximum, uint64_t *value, const char **end) {
    if (*text < '0' || *text > '9') return false;
    char *behind = NULL;
    errno = 0;
    *value = strtoull(text, &behind, 10);
    *end = behind;
    return errno == 0 && *value <= maximum;
}

static bool read_count(const char *text, const tool_option *option) {
    uint64_t value = 0;
    const char *end = text;
    if (option->choices && strcmp(text, option->choices) == 0) {
        *(int64_t *)option->value = 0;
        return true;
    }
    if (!read_digits(text, INT64_MAX, &value, &end) || *end) return false;
    *(int64_t *)option->value = (int64_t)value;
    return (int64_t)value >= option->minimum;
}

static bool read_seed(const char *text, const tool_option *option) {
    const char *end = text;
    return read_digits(text, UINT64_MAX, option->value, &end) && !*end;
}

static bool read_bytes(const char *text, const tool_option *option) {
    static const char units[] = "KMGT";
    uint64_t value = 0;
    const char *end = text;
    if (!read_digits(text, INT64_MAX, &value, &end)) return false;
    const char *const unit = *end ? strchr(units, *end) : NULL;
    const int shift = unit ? 10 * (int)(unit - units + 1) : 0;
    if (unit) end++;
    if (*end || value > (uint64_t)INT64_MAX >> shift) return false;
    *(int64_t *)option->value = (int64_t)(value << shift);
    return *(int64_t *)option->value >= option->minimum;
}

static bool read_real(const char *text, const tool_option *option) {
    char *end = NULL;
    if (strspn(text, "0123456789+-.eE") != strlen(text) || !*text) return false;
    const double value = strtod(text, &end);
    if (*end || !isfinite(value) || !(value >= 0.0)) return false;
    *(double *)option->value = value;
    return true;
}

static bool read_choice(const char *text, const tool_option *option) {
    const size_t length = strlen(text);
    const char *at = option->choices;
    for (int i = 0; *at; i++) {
        const size_t word = strcspn(at, "|");
        if (word == length && strncmp(at, text, length) == 0) {
            *(int *)option->value = i;
            return true;
        }
        at += word + (at[word] == '|');
    }
    return false;
}

static bool add_text(const char *text, const tool_option *option) {
    option_texts *const all = option->value;
    if (all->count == MAX_TEXTS) return false;
    all->texts[all->count++] = text;
    return true;
}

static bool read_value(const char *text, const tool_option *option) {
    switch (option->type) {
    case OPTION_FLAG:
        *(int *)option->value = option->set;
        return true;
    case OPTION_TEXT:
        *(const char **)option->value = text;
        return true;
    case OPTION_COUNT:
        return read_count(text, option);
    case OPTION_SEED:
        return read_seed(text, option);
    case OPTION_BYTES:
        return read_bytes(text, option);
    case OPTION_REAL:
        return read_real(text, option);
    case OPTION_CHOICE:
        return read_choice(text, option);
    case OPTION_TEXTS:
        return add_text(text, option);
    }
    return false;
}

static exit_code bad_value(const tool_command *command, const tool_option *option,
                           const char *text) {
    char expected[160] = "";
    switch (option->type) {
    case OPTION_COUNT:
        snprintf(expected, sizeof expected, "an integer of at least %" PRId64 "%s%s",
                 option->minimum, option->choices ? ", or " : "",
                 option->choices ? option->choices : "");
        break;
    case OPTION_SEED:
        snprintf(expected, sizeof expected, "an integer from 0 to 2^64 - 1");
        break;
    case OPTION_BYTES:
        snprintf(expected, sizeof expected, "a size such as 16M or 2G");
        break;
    case OPTION_REAL:
        snprintf(expected, sizeof expected, "a number of at least 0, such as 0.1");
        break;
    case OPTION_CHOICE:
        snprintf(expected, sizeof expected, "one of %s", option->choices);
        break;
    case OPTION_TEXTS:
        snprintf(expected, sizeof expected, "at most %d of them", MAX_TEXTS);
        break;
    case OPTION_FLAG:
    case OPTION_TEXT:
        break;
    }
    return usage_error(command, "--%s: expected %s, found \"%s\"", option->name, expected, text);
}

exit_code take_option_value(const tool_command *command, const tool_option *option,
                            const char *text) {
    return read_value(text, option) ? EXIT_OK : bad_value(command, option, text);
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
    table[n++] = (struct poptOption){.longName = "help", .shortName = 'h', .val = HELP_VALUE};
    table[n] = (struct poptOption)POPT_TABLEEND;
}

static exit_code bad_option(const tool_command *command, poptContext context, int failure) {
    const char *const given = poptBadOption(context, POPT_BADOPTION_NOALIAS);
    if (failure == POPT_ERROR_NOARG) return usage_error(command, "%s: its value is missing", given);
    if (failure != POPT_ERROR_BADOPT)
        return usage_error(command, "%s: %s", given, poptStrerror(failure));
    char word[32] = "";
    const char *const bare = given + strspn(given, "-");
    snprintf(word, sizeof word, "%.*s", (int)strcspn(bare, "="), bare);
    nearest_word meant = {word, NULL, 0};
    nearest_offer(&meant, "help");
    for (const tool_option *o = command->options; o->name; o++)
        nearest_offer(&meant, o->name);
    if (!meant.best) return usage_error(command, "%s has no option %s", command->name, given);
    return usage_error(command, "%s has no option %s; did you mean --%s?", command->name, given,
                       meant.best);
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
    bool help;
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
        if (value == HELP_VALUE) {
            parsed->help = true;
            return EXIT_OK;
        }
        char *const text = poptGetOptArg(context);
        if (parsed->given_count == 4 * MAX_OPTIONS) {
            free(text);
            return usage_error(command, "expected fewer options");
        }
        parsed->given[parsed->given_count++] = (given_option){value - 1, text};
    }
    return value < -1 ? bad_option(command, context, value) : EXIT_OK;
}

static exit_code apply(const tool_command *command, const given_option *given, int count,
                       option_origin from) {
    for (int i = 0; i < count; i++) {
        const tool_option *const option = &command->options[given[i].option];
        const exit_code code = take_option_value(command, option, given[i].text);
        if (code != EXIT_OK) return code;
        records[given[i].option].from = from;
        records[given[i].option].text = given[i].text;
    }
    return EXIT_OK;
}

/* ---- the file of options -------------------------------------------------------------------- */

static exit_code unknown_key(const tool_command *command, const char *path, const char *key) {
    nearest_word meant = {key, NULL, 0};
    for (const tool_option *o = command->options; o->name; o++)
        nearest_offer(&meant, o->name);
    if (!meant.best) return usage_error(command, "%s: there is no option \"%s\"", path, key);
    return usage_error(command, "%s: there is no option \"%s\"; did you mean \"%s\"?", path, key,
                       meant.best);
}

/* Who has written the file does not decide what is replaced. */
static exit_code refuse_output(const tool_command *command, const parsed_line *parsed,
                               const char *path, int option) {
    const tool_option *const named = &command->options[option];
    if (named->file == FILE_NONE || named->file == FILE_READ) return EXIT_OK;
    for (int i = 0; i < parsed->given_count; i++)
        if (parsed->given[i].option == option) return EXIT_OK;
    return usage_error(command,
                       "%s: \"%s\" names what would be written, which only the command line may: "
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
        return usage_error(command, "%s: \"%s\": expected %s", path, key,
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

static exit_code parse_operands(const tool_command *command, poptContext context,
                                parsed_line *parsed) {
    const char *operand;
    while ((operand = poptGetArg(context))) {
        if (parsed->operand_count == command->operands_max)
            return usage_error(command, "\"%s\" is one operand too many; usage: sparcl %s %s",
                               operand, command->name, command->operands);
        parsed->operands[parsed->operand_count++] = operand;
    }
    if (parsed->operand_count == 0 && parsed->operand)
        parsed->operands[parsed->operand_count++] = parsed->operand;
    if (parsed->operand_count < command->operands_min)
        return usage_error(command, "an operand is missing; usage: sparcl %s %s", command->name,
                           command->operands);
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

static exit_code run_with_files(const tool_command *command, const parsed_line *parsed) {
    exit_code code = files_of_command(command, parsed->operand_count, parsed->operands);
    stop_install();
    if (code == EXIT_OK) code = command->run(parsed->operand_count, parsed->operands);
    stop_set_mode(STOP_NEVER); /* it is over */
    files_free();
    return code;
}

exit_code run_command(const tool_command *command, int argc, const char **argv) {
    struct poptOption table[MAX_OPTIONS + 2];
    parsed_line parsed = {0};
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

/* ---- help ----------------------------------------------------------------------------------- */

const char *option_argument(const tool_option *option) {
    return option->type == OPTION_CHOICE && !option->argument ? option->choices : option->argument;
}

static void print_option(const tool_option *option, FILE *out) {
    char left[80];
    const char *const argument = option_argument(option);
    snprintf(left, sizeof left, "%c%c%c --%s%s%s", option->letter ? '-' : ' ',
             option->letter ? option->letter : ' ', option->letter ? ',' : ' ', option->name,
             argument ? " " : "", argument ? argument : "");
    fprintf(out, strlen(left) > 28 ? "  %s\n  %30s%s\n" : "  %-30s%s%s\n", left, "", option->help);
}

static void print_keys(const json_key *keys, FILE *out) {
    fputs("\nJSON keys:\n", out);
    for (const json_key *k = keys; k->name; k++)
        fprintf(out, strlen(k->name) > 24 ? "  %s\n%28s%s\n" : "  %-26s%s%s\n", k->name, "",
                k->meaning);
}

static void print_words(const tool_command *command, FILE *out) {
    const char *word, *meaning;
    fprintf(out, "\n%s:\n", command->operand_heading);
    for (int i = 0; (word = command->operand_word(i)); i++)
        if ((meaning = command->operand_meaning(i))) fprintf(out, "  %-28s%s\n", word, meaning);
}

void print_command_help(const tool_command *command, FILE *out) {
    fprintf(out, "sparcl %s: %s\n\nExamples:\n", command->name, command->summary);
    for (const char *const *e = command->examples; *e; e += 2)
        fprintf(out, "  # %s\n  %s\n", e[0], e[1]);
    fprintf(out, "\nUsage: sparcl %s%s%s\n\nOptions:\n", command->name,
            *command->operands ? " " : "", command->operands);
    for (const tool_option *o = command->options; o->name; o++)
        print_option(o, out);
    fprintf(out, "  -h, --help                    print this page\n");
    if (command->keys) print_keys(command->keys, out);
    if (command->operand_meaning) print_words(command, out);
    if (command->notes) fprintf(out, "\n%s\n", command->notes);
}
