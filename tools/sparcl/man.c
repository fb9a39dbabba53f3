/* man.c: manual pages. Their words are those of the commands' tables and of the topics. */
#include "man.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "help.h"
#include "roff.h"
#include "sparcl/sparcl.h"

/* ---- the parts of a page ----------------------------------------------------------------------
 */

/* A page has no date: the same sources make the same bytes. */
static void put_title(const char *command, const char *summary, FILE *out) {
    fputs(".\\\" Made by 'sparcl help --man' from the tables of the tool.\n.TH SPARCL", out);
    if (command) fputs("\\-", out);
    for (const char *c = command; c && *c; c++)
        fputc(toupper((unsigned char)*c), out);
    fputs(" 1 \"\" \"sparcl " SPARCL_VERSION_TEXT
          "\" \"sparcl manual\"\n.nh\n.ad l\n.SH NAME\nsparcl",
          out);
    fprintf(out, "%s%s \\- ", command ? "\\-" : "", command ? command : "");
    roff_text(summary, out);
    fputc('\n', out);
}

static void put_synopsis(const char *name, const char *operands, FILE *out) {
    fprintf(out, "\\fBsparcl%s%s\\fR", name ? " " : "", name ? name : "");
    if (*operands) fputc(' ', out);
    roff_syntax(operands, out);
    fputc('\n', out);
}

static void put_option(const tool_option *option, FILE *out) {
    char head[160];
    const char *const argument = option_argument(option);
    snprintf(head, sizeof head, "%.*s%.*s%s--%s%s%s", option->letter ? 1 : 0, "-",
             option->letter ? 1 : 0, &option->letter, option->letter ? ", " : "", option->name,
             argument ? " " : "", argument ? argument : "");
    fputs(".TP\n", out);
    roff_syntax(head, out);
    fputc('\n', out);
    roff_text(option->help, out);
    fputc('\n', out);
}

static void put_options(const tool_command *command, FILE *out) {
    static const tool_option help = {.name = "help", .letter = 'h', .help = "print the help"};
    roff_section("options", out);
    for (const tool_option *o = command->options; o->name; o++)
        put_option(o, out);
    put_option(&help, out);
}

/* A key without a name goes on with what is said of the one before it, one that is indented is a
 * key of its object. */
static void put_keys(const json_key *keys, FILE *out) {
    roff_section("json keys", out);
    for (const json_key *k = keys; k->name; k++) {
        if (k->name[strspn(k->name, " ")]) roff_item(k->name, out);
        roff_text(*k->meaning ? k->meaning : "the same", out);
        fputc('\n', out);
    }
}

static void put_exit_codes(FILE *out) {
    roff_section("exit status", out);
#define PUT_EXIT_CODE(name, value, text)                                                           \
    roff_item(#value, out);                                                                        \
    roff_text(text, out);                                                                          \
    fputc('\n', out);
    EXIT_CODE_LIST(PUT_EXIT_CODE)
#undef PUT_EXIT_CODE
}

/* Pairs of what for and command line. */
static void put_examples(const char *const *examples, FILE *out) {
    roff_section("examples", out);
    for (const char *const *e = examples; *e; e += 2) {
        const char *const what = e[0];
        if (e != examples) fputs(".PP\n", out);
        fputc(toupper((unsigned char)*what), out);
        roff_text(what + 1, out);
        fputs(isalnum((unsigned char)what[strlen(what) - 1]) ? ":\n" : "\n", out);
        roff_example(e[1], out);
    }
}

static void put_environment(const tool_command *command, FILE *out) {
    for (const tool_option *o = command->options; o->name; o++) {
        if (strcmp(o->name, "device") != 0) continue;
        roff_section("environment", out);
        fputs("SPARCL_DEVICE, SPARCL_CACHE_DIR and others:\n.BR sparcl (1)\nhas the list.\n", out);
    }
}

static void put_see_also(const tool_command *but, FILE *out) {
    roff_section("see also", out);
    if (but) fputs(".BR sparcl (1),\n", out);
    for (const tool_command *const *c = commands; *c; c++) {
        const bool is_last = !c[1] || (c[1] == but && !c[2]);
        if (*c != but) fprintf(out, ".BR sparcl\\-%s (1)%s\n", (*c)->name, is_last ? "" : ",");
    }
}

/* ---- the pages --------------------------------------------------------------------------------
 */

void print_man_command(const tool_command *command, FILE *out) {
    put_title(command->name, command->summary, out);
    roff_section("synopsis", out);
    put_synopsis(command->name, command->operands, out);
    if (command->notes) {
        roff_section("description", out);
        roff_block(command->notes, out);
    }
    put_options(command, out);
    if (command->keys) put_keys(command->keys, out);
    put_exit_codes(out);
    put_environment(command, out);
    put_examples(command->examples, out);
    put_see_also(command, out);
}

void print_man_overview(FILE *out) {
    put_title(NULL, overview_summary, out);
    roff_section("synopsis", out);
    put_synopsis(NULL, "COMMAND [operands] [options]", out);
    fputs(".br\n", out);
    put_synopsis("help", "[COMMAND|TOPIC]", out);
    fputs(".br\n", out);
    put_synopsis("--version", "", out);
    roff_section("commands", out);
    for (const tool_command *const *c = commands; *c; c++) {
        fprintf(out, ".TP\n.BR sparcl\\-%s (1)\n", (*c)->name);
        roff_text((*c)->summary, out);
        fputc('\n', out);
    }
    for (const help_topic *t = topics; t->name; t++) {
        if (!t->text) continue;
        roff_section(t->title, out);
        roff_block(t->text, out);
    }
    put_exit_codes(out);
    put_examples(overview_examples, out);
    put_see_also(NULL, out);
}
