/* printable.h: text of files and drivers as a terminal may show it. */
#ifndef SPARCL_TOOL_PRINTABLE_H
#define SPARCL_TOOL_PRINTABLE_H

/* What may come from a file and control a terminal (control characters, also those of 8 bits, and
 * marks of direction) becomes question marks; returns `text`. All messages are printed so. */
char *make_printable(char *text);

/* How many bytes of a text to print where `most` fit: not a part of a character of UTF-8. */
int fitting_bytes(const char *text, int most);

#endif
