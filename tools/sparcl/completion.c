/* completion.c: completions for bash, zsh and fish: commands, options, the values of options that
 * are words, files. */
#include "completion.h"

#include <stdbool.h>
#include <string.h>

#include "options.h"

/* ---- what all shells need ---------------------------------------------------------------------
 */

static bool takes_file(const tool_option *option) {
    const char *const a = option->argument;
    return a && (strncmp(a, "FILE", 4) == 0 || strncmp(a, "MODEL", 5) == 0);
}

static bool takes_value(const tool_option *option) {
    return option->type != OPTION_FLAG;
}

static bool takes_files(const tool_command *command) {
    return command->operands_max > 0 && !command->operand_word;
}

static void put_origin(const char *name, FILE *out) {
    fprintf(out, "# Made by 'sparcl help --completion %s' from the tables of the tool.\n\n", name);
}

/* The words of a choice, with blanks between. */
static void put_choices(const char *choices, FILE *out) {
    for (; choices && *choices; choices++)
        fputc(*choices == '|' ? ' ' : *choices, out);
}

static void put_operand_words(const tool_command *command, FILE *out) {
    const char *word;
    for (int i = 0; command->operand_word && (word = command->operand_word(i)); i++)
        fprintf(out, "%s%s", i ? " " : "", word);
}

static void put_command_names(const char *separator, FILE *out) {
    for (const tool_command *const *c = commands; *c; c++)
        fprintf(out, "%s%s", c == commands ? "" : separator, (*c)->name);
}

/* Text with a backslash before each character of `special`. In the quotes of zsh a quote ends them,
 * is written with a backslash, and they begin again. */
static void put_escaped(const char *text, const char *special, bool zsh, FILE *out) {
    for (; *text; text++) {
        if (zsh && *text == '\'') {
            fputs("'\\''", out);
            continue;
        }
        if (strchr(special, *text)) fputc('\\', out);
        fputc(*text, out);
    }
}

/* ---- bash -------------------------------------------------------------------------------------
 */

static void bash_value(const tool_command *command, const tool_option *o, FILE *out) {
    if (!takes_value(o)) return;
    fprintf(out, "    '%s --%s'", command->name, o->name);
    if (o->letter) fprintf(out, " | '%s -%c'", command->name, o->letter);
    fputs(") words='", out);
    put_choices(o->choices, out);
    fprintf(out, "' files=%s ;;\n", takes_file(o) ? "yes" : "no");
}

static void bash_options(const tool_command *command, FILE *out) {
    fprintf(out, "    %s) words='-h --help", command->name);
    for (const tool_option *o = command->options; o->name; o++) {
        if (o->letter) fprintf(out, " -%c", o->letter);
        fprintf(out, " --%s", o->name);
    }
    fputs("' ;;\n", out);
}

static void bash_operands(const tool_command *command, FILE *out) {
    fprintf(out, "    %s) words='", command->name);
    put_operand_words(command, out);
    fprintf(out, "' files=%s ;;\n", takes_files(command) ? "yes" : "no");
}

static void print_bash(FILE *out) {
    put_origin("bash", out);
    fputs("_sparcl_value() { # COMMAND OPTION; fails where it takes no value\n"
          "    case \"$1 $2\" in\n",
          out);
    for (const tool_command *const *c = commands; *c; c++)
        for (const tool_option *o = (*c)->options; o->name; o++)
            bash_value(*c, o, out);
    fputs("    *) return 1 ;;\n    esac\n}\n\n_sparcl_options() {\n    case $1 in\n", out);
    for (const tool_command *const *c = commands; *c; c++)
        bash_options(*c, out);
    fputs("    esac\n}\n\n_sparcl_operands() {\n    case $1 in\n", out);
    for (const tool_command *const *c = commands; *c; c++)
        bash_operands(*c, out);
    fputs("    esac\n}\n\n"
          "_sparcl() {\n"
          "    local words='' files=no cur=${COMP_WORDS[COMP_CWORD]} "
          "prev=${COMP_WORDS[COMP_CWORD-1]}\n"
          "    # bash cuts --option=value into three words.\n"
          "    if [[ $cur == = ]]; then\n"
          "        cur=\n"
          "    elif [[ $prev == = ]]; then\n"
          "        prev=${COMP_WORDS[COMP_CWORD-2]}\n"
          "    fi\n"
          "    if ((COMP_CWORD == 1)); then\n"
          "        words='",
          out);
    put_command_names(" ", out);
    fputs(" --help --version'\n"
          "    elif ! _sparcl_value \"${COMP_WORDS[1]}\" \"$prev\"; then\n"
          "        if [[ $cur == -?* ]]; then\n"
          "            _sparcl_options \"${COMP_WORDS[1]}\"\n"
          "        else\n"
          "            _sparcl_operands \"${COMP_WORDS[1]}\"\n"
          "        fi\n"
          "    fi\n"
          "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
          "    # Where no word fits, readline completes file names.\n"
          "    if [[ $files == yes ]]; then compopt -o default; fi\n"
          "}\n"
          "complete -F _sparcl sparcl\n",
          out);
}

/* ---- zsh --------------------------------------------------------------------------------------
 */

/* What is completed: ":message:action". */
static void zsh_action(const char *message, const char *choices, bool files, FILE *out) {
    fputc(':', out);
    put_escaped(message, ":\\", true, out);
    fputc(':', out);
    if (files) {
        fputs(" _sparcl_file ", out);
        put_choices(choices, out);
    } else if (choices) {
        fputc('(', out);
        put_choices(choices, out);
        fputc(')', out);
    }
}

static void zsh_option(const tool_option *o, FILE *out) {
    const bool value = takes_value(o);
    fputs(" \\\n        ", out);
    if (o->letter)
        fprintf(out, "'(-%c --%s)'{-%c%s,--%s%s}", o->letter, o->name, o->letter, value ? "+" : "",
                o->name, value ? "=" : "");
    else
        fprintf(out, "--%s%s", o->name, value ? "=" : "");
    fputs("'[", out);
    put_escaped(o->help, "[]\\", true, out);
    fputc(']', out);
    if (value) zsh_action(o->argument ? o->argument : o->name, o->choices, takes_file(o), out);
    fputc('\'', out);
}

static void zsh_command(const tool_command *command, FILE *out) {
    static const tool_option help = {.name = "help", .letter = 'h', .help = "print the help"};
    fprintf(out, "    (%s)\n        _arguments -S", command->name);
    for (const tool_option *o = command->options; o->name; o++)
        zsh_option(o, out);
    zsh_option(&help, out);
    if (takes_files(command)) fputs(" \\\n        '*:file:_files'", out);
    if (command->operand_word) {
        fputs(" \\\n        '*:operand:(", out);
        put_operand_words(command, out);
        fputs(")'", out);
    }
    fputs(" ;;\n", out);
}

static void print_zsh(FILE *out) {
    fputs("#compdef sparcl\n", out);
    put_origin("zsh", out);
    fputs("_sparcl_file() { # WORD...: these or a file\n"
          "    compadd -- \"$@\"\n"
          "    _files\n"
          "}\n\n"
          "_sparcl() {\n"
          "    local -a commands=(\n",
          out);
    for (const tool_command *const *c = commands; *c; c++) {
        fprintf(out, "        '%s:", (*c)->name);
        put_escaped((*c)->summary, "\\", true, out);
        fputs("'\n", out);
    }
    fputs("    )\n"
          "    if ((CURRENT == 2)); then\n"
          "        _describe -t commands command commands -- '(--help --version)'\n"
          "        return\n"
          "    fi\n"
          "    shift words\n"
          "    ((CURRENT--))\n"
          "    case $words[1] in\n",
          out);
    for (const tool_command *const *c = commands; *c; c++)
        zsh_command(*c, out);
    fputs("    esac\n}\n\n_sparcl \"$@\"\n", out);
}

/* ---- fish -------------------------------------------------------------------------------------
 */

static void fish_condition(const tool_command *command, FILE *out) {
    fprintf(out, "complete -c sparcl -n '__sparcl_is %s'", command->name);
}

static void fish_description(const char *text, FILE *out) {
    fputs(" -d '", out);
    put_escaped(text, "'\\", false, out);
    fputs("'\n", out);
}

static void fish_option(const tool_command *command, const tool_option *o, FILE *out) {
    fish_condition(command, out);
    if (o->letter) fprintf(out, " -s %c", o->letter);
    fprintf(out, " -l %s", o->name);
    if (takes_value(o)) fputs(takes_file(o) ? " -r -F" : " -x", out);
    if (o->choices) {
        fputs(" -a '", out);
        put_choices(o->choices, out);
        fputc('\'', out);
    }
    fish_description(o->help, out);
}

static void fish_command(const tool_command *command, FILE *out) {
    fprintf(out, "complete -c sparcl -n __sparcl_is -a %s", command->name);
    fish_description(command->summary, out);
    for (const tool_option *o = command->options; o->name; o++)
        fish_option(command, o, out);
    if (takes_files(command)) {
        fish_condition(command, out);
        fputs(" -F\n", out);
    }
    if (command->operand_word) {
        fish_condition(command, out);
        fputs(" -a '", out);
        put_operand_words(command, out);
        fputs("'\n", out);
    }
}

static void print_fish(FILE *out) {
    put_origin("fish", out);
    fputs("# __sparcl_is COMMAND: a line of this command? Without COMMAND: a line without one?\n"
          "function __sparcl_is\n"
          "    set -l words (commandline -opc)\n"
          "    test \"$words[2]\" = \"$argv[1]\"\n"
          "end\n\n"
          "complete -c sparcl -f\n"
          "complete -c sparcl -s h -l help -d 'print the help'\n"
          "complete -c sparcl -n __sparcl_is -s V -l version -d 'print the version'\n",
          out);
    for (const tool_command *const *c = commands; *c; c++)
        fish_command(*c, out);
}

void print_completion(shell which, FILE *out) {
    switch (which) {
    case SHELL_BASH:
        print_bash(out);
        break;
    case SHELL_ZSH:
        print_zsh(out);
        break;
    case SHELL_FISH:
        print_fish(out);
        break;
    }
}
