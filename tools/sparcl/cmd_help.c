/* cmd_help.c: sparcl help: the overview, a command's page, and topics that several commands share.
 */
#include <string.h>

#include "base/nearest.h"
#include "completion.h"
#include "help.h"
#include "man.h"
#include "message.h"
#include "options.h"
#include "output.h"

static struct { int man, completion; /* completion: a shell, or -1 */ } given = {.completion = -1};

void print_overview(FILE *out) {
    fprintf(out, "sparcl: %s\n\nExamples:\n", overview_summary);
    for (const char *const *e = overview_examples; *e; e += 2)
        fprintf(out, "  %s\n", e[1]);
    fputs("\nCommands:\n", out);
    for (const tool_command *const *c = commands; *c; c++)
        fprintf(out, "  %-14s%s\n", (*c)->name, (*c)->summary);
    fputs("\nTopics, for sparcl help TOPIC:\n", out);
    for (const help_topic *t = topics; t->name; t++)
        fprintf(out, "  %-14s%s\n", t->name, t->summary);
    fputs("\nsparcl COMMAND --help describes a command. Pages such as cookbook.md and runs.md are\n"
          "in share/doc/sparcl/docs of the installation.\n",
          out);
}

extern const tool_command command_help;

static exit_code unknown_topic(const char *name) {
    spc_nearest meant = {.word = name};
    for (const tool_command *const *c = commands; *c; c++)
        spc_nearest_offer(&meant, (*c)->name);
    for (const help_topic *t = topics; t->name; t++)
        spc_nearest_offer(&meant, t->name);
    set_command_name(NULL);
    return usage_error("there is no help on \"%s\"%s", name, spc_nearest_hint(&meant, "", ""));
}

static const help_topic *find_topic(const char *name) {
    for (const help_topic *t = topics; t->name; t++)
        if (strcmp(t->name, name) == 0) return t;
    return NULL;
}

static exit_code print_man(const char *name) {
    const tool_command *const command = name ? find_command(name) : NULL;
    const help_topic *const topic = name ? find_topic(name) : NULL;
    if (name && !command && !topic)
        return usage_error("--man: expected a command or a topic, found \"%s\"", name);
    if (command)
        print_man_command(command, stdout);
    else if (topic)
        print_man_topic(topic, stdout);
    else
        print_man_overview(stdout);
    return flush_results();
}

static exit_code run(int operand_count, const char *const *operands) {
    const char *const name = operand_count > 0 ? operands[0] : NULL;
    if (given.man) return print_man(name);
    const tool_command *const command = name ? find_command(name) : NULL;
    const help_topic *const topic = name ? find_topic(name) : NULL;
    if (given.completion >= 0)
        print_completion((shell)given.completion, stdout);
    else if (!name)
        print_overview(stdout);
    else if (command)
        print_command_help(command, stdout);
    else if (topic && topic->print)
        topic->print(stdout);
    else if (topic)
        fputs(topic->text, stdout);
    else
        return unknown_topic(name);
    return flush_results();
}

/* The commands, then the topics. */
static const char *operand_word(int index) {
    for (const tool_command *const *c = commands; *c; c++, index--)
        if (index == 0) return (*c)->name;
    return topics[index].name;
}

static const char *const examples[] = {
    "the help of a command",
    "sparcl help train",
    "how to select a device",
    "sparcl help device",
    "the manual page of a command",
    "sparcl help train --man | man -l -",
    "completion in the current bash, if it is not installed",
    "source <(sparcl help --completion bash)",
    NULL,
};

static const tool_option options[] = {
    {.name = "man",
     .type = OPTION_FLAG,
     .value = &given.man,
     .set = 1,
     .help = "print the source of the manual page of that, or of the tool"},
    {.name = "completion",
     .type = OPTION_CHOICE,
     .value = &given.completion,
     .choices = SHELL_WORDS,
     .help = "print the completion script for this shell"},
    {0},
};

const tool_command command_help = {
    .name = "help",
    .summary = "explain a command or a topic",
    .operands = "[COMMAND|TOPIC] [--man] [--completion SHELL]",
    .operands_max = 1,
    .operand_word = operand_word,
    .examples = examples,
    .options = options,
    .run = run,
};
