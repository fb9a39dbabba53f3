/* input_notes.h: says what was repaired, skipped and guessed in a data file. */
#ifndef SPARCL_TOOL_INPUT_NOTES_H
#define SPARCL_TOOL_INPUT_NOTES_H

#include "input_file.h"

/* All that read_input says of a good file. */
void print_input_notes(const char *path, const input_options *options, const sparcl_data *data);

/* What reading a table, or its first part, guessed and skipped. */
void print_csv_notes(const char *path, const sparcl_data *data);

#endif
