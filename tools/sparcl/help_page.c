/* help_page.c: prints the help of a command from its table. */
#include <string.h>

#include "options.h"

const char *option_argument(const tool_option *option) {
    return option->type == OPTION_CHOICE && !option->argument ? option->choices : option->argument;
}

/* A row of a table; a long word has a line of its own. */
static void print_row(FILE *out, int width, const char *word, const char *meaning) {
    if ((int)strlen(word) > width - 2)
        fprintf(out, "  %s\n  %*s%s\n", word, width, "", meaning);
    else
        fprintf(out, "  %-*s%s\n", width, word, meaning);
}

static void print_option(const tool_option *option, FILE *out) {
    char left[80];
    const char *const argument = option_argument(option);
    snprintf(left, sizeof left, "%c%c%c --%s%s%s", option->letter ? '-' : ' ',
             option->letter ? option->letter : ' ', option->letter ? ',' : ' ', option->name,
             argument ? " " : "", argument ? argument : "");
    print_row(out, 30, left, option->help);
}

void print_command_help(const tool_command *command, FILE *out) {
    const char *word, *meaning;
    fprintf(out, "sparcl %s: %s\n\nExamples:\n", command->name, command->summary);
    for (const char *const *e = command->examples; *e; e += 2)
        fprintf(out, "  # %s\n  %s\n", e[0], e[1]);
    fprintf(out, "\nUsage: sparcl %s%s%s\n\nOptions:\n", command->name,
            *command->operands ? " " : "", command->operands);
    for (const tool_option *o = command->options; o->name; o++)
        print_option(o, out);
    for (const tool_option *o = common_options; o->name; o++)
        print_option(o, out);
    if (command->keys) fputs("\nJSON keys:\n", out);
    for (const json_key *k = command->keys; k && k->name; k++)
        print_row(out, 26, k->name, k->meaning);
    if (command->operand_meaning) fprintf(out, "\n%s:\n", command->operand_heading);
    for (int i = 0; command->operand_meaning && (word = command->operand_word(i)); i++)
        if ((meaning = command->operand_meaning(i))) fprintf(out, "  %-28s%s\n", word, meaning);
    if (command->notes) fprintf(out, "\n%s\n", command->notes);
}
