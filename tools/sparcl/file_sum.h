/* file_sum.h: the SHA-256 of a file. */
#ifndef SPARCL_TOOL_FILE_SUM_H
#define SPARCL_TOOL_FILE_SUM_H

#include "exit_codes.h"

enum { SUM_TEXT = 65 };

/* In hexadecimal digits. */
exit_code file_sum(const char *path, char text[SUM_TEXT]);

#endif
