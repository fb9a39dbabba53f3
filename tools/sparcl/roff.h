/* roff.h: converts plain text to the source of a manual page (man(7) macros). */
#ifndef SPARCL_TOOL_ROFF_H
#define SPARCL_TOOL_ROFF_H

#include <stdio.h>

/* Write text with roff's special characters escaped; without a newline. */
void roff_text(const char *text, FILE *out);

/* The same for the syntax of a command line: options are bold, WORDS in capitals italic. */
void roff_syntax(const char *text, FILE *out);

void roff_section(const char *title, FILE *out);

/* The term of a list item; the next line is its text. */
void roff_item(const char *term, FILE *out);

/* A command line as an example. */
void roff_example(const char *line, FILE *out);

/*
 * A text of the help: paragraphs separated by blank lines. A line "term meaning", separated by two
 * or more blanks, is a list item; lines with a larger indent continue it. An indented line without
 * a second part, or whose second part is a comment (#), is an example.
 */
void roff_block(const char *text, FILE *out);

/* A text whose lines stay as they are. */
void roff_literal(const char *text, FILE *out);

#endif
