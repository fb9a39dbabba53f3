/* sweep_options.h: the options of sparcl sweep: its own, and those of sparcl train. */
#ifndef SPARCL_TOOL_SWEEP_OPTIONS_H
#define SPARCL_TOOL_SWEEP_OPTIONS_H

#include "options.h"

typedef struct sweep_options {
    option_texts grid;
    const char *folder, *sort, *csv, *json;
    int64_t jobs;
    int stops_on_failure, dry_run, is_quiet;
} sweep_options;

extern sweep_options sweep_given;

/* The options of the command, once they are filled. */
extern tool_option sweep_rows[];

/* Add to the table of the command the options of sparcl train that its runs may have. */
void fill_sweep_options(void);
/* The number of the first one. */
int sweep_first_option(void);

#endif
