/* roff.h: plain text as the source of a manual page (man(7) macros). */
#ifndef SPARCL_TOOL_ROFF_H
#define SPARCL_TOOL_ROFF_H

#include <stdio.h>

/* Text with every character that roff would read as its own escaped; no newline is added. */
void roff_text(const char *text, FILE *out);

/* The same for what a command line looks like: options are bold, WORDS in capitals italic. */
void roff_syntax(const char *text, FILE *out);

void roff_section(const char *title, FILE *out);

/* The head of an item of a list; what is written next, on a line of its own, is its text. */
void roff_item(const char *term, FILE *out);

/* A command line as it is typed. */
void roff_example(const char *line, FILE *out);

/*
 * A text of the help: paragraphs with blank lines between them. A line "term  meaning", with two
 * blanks or more between, is an item of a list, and lines that are indented further go on with it.
 * An indented line whose second part is a comment (#), or that has none, is an example.
 */
void roff_block(const char *text, FILE *out);

#endif
