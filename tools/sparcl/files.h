/* files.h: the files that a command reads and writes: known, and compared, before it begins. */
#ifndef SPARCL_TOOL_FILES_H
#define SPARCL_TOOL_FILES_H

#include <stdbool.h>

#include "options.h"

/* Take the files that operands and options name, and check them: outputs can be written, and none
 * is an input or another output. */
exit_code files_of_command(const tool_command *command, int operand_count,
                           const char *const *operands);
/* Take another file, which the command names `label`. Outputs that cannot be written are errors;
 * files_check then compares it with the others. */
exit_code files_add(const char *label, const char *path, file_role role, bool to_stdout);
exit_code files_check(void);
void files_free(void);

/* Whether the name of a file has this ending, in upper or lower case. */
bool ends_in(const char *path, const char *ending);

/* True for "-", and for what else names standard output. */
bool is_standard_output(const char *path);
/* The path for the library, which has no "-". */
const char *written_path(const char *path);

/* What an interrupt says of the outputs. */
const char *files_interrupted(void);
/* Remove the temporary files that are open. Only async-signal-safe functions are called. */
void files_remove_temporaries(void);

#endif
