/* doctor.c: the findings of 'sparcl doctor'. */
#include "doctor.h"

#include <stdarg.h>

static const char *const level_names[] = {"ok", "note", "FAILED"};

static void store_finding(doctor *d, finding_level level, const char *part, const char *format,
                          va_list args) {
    char text[1024];
    vsnprintf(text, sizeof text, format, args);
    /* Texts of drivers may contain any byte. */
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || (unsigned char)*c >= 0x7f) *c = *c == '\n' ? ' ' : '?';
    json_array_append_new(d->findings, json_pack("{s:s, s:s, s:s}", "level", level_names[level],
                                                 "part", part, "text", text));
    if (level == FINDING_NOTE) d->notes++;
    if (level == FINDING_FAILED && !d->failure[0])
        snprintf(d->failure, sizeof d->failure, "%s: %s", part, text);
}

void add_finding(doctor *d, finding_level level, const char *part, const char *format, ...) {
    va_list args;
    va_start(args, format);
    store_finding(d, level, part, format, args);
    va_end(args);
}

void add_failure(doctor *d, exit_code code, const char *part, const char *format, ...) {
    va_list args;
    va_start(args, format);
    store_finding(d, FINDING_FAILED, part, format, args);
    va_end(args);
    if (d->code == EXIT_OK) d->code = code;
}
