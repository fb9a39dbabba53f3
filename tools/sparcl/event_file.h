/* event_file.h: scalars for TensorBoard: an event file, which is TFRecords of protobuf messages. */
#ifndef SPARCL_TOOL_EVENT_FILE_H
#define SPARCL_TOOL_EVENT_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "output.h"

typedef struct event_file {
    out_file out;
    char *path;
} event_file;

/* Make the folder, if there is none, and begin a file in it that TensorBoard finds. Not open with a
 * folder of NULL. */
exit_code event_file_open(event_file *events, const char *folder);
/* Write a number of a step, now; NaN is left out. */
void event_file_add(event_file *events, int64_t step, const char *tag, double value);
/* What was added can be read. */
void event_file_flush(event_file *events);
/* An error if something could not be written. */
exit_code event_file_close(event_file *events);

/* CRC-32C (Castagnoli) of bytes. */
uint32_t crc32c(const void *bytes, size_t count);

#endif
