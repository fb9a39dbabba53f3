/* sweep_grid.h: the grid of sparcl sweep: which options vary, and the settings of each point. */
#ifndef SPARCL_TOOL_SWEEP_GRID_H
#define SPARCL_TOOL_SWEEP_GRID_H

#include <jansson.h>

#include "options.h"

enum { MAX_AXES = 16, MAX_POINTS = 10000, AXIS_NAME = 64 };

/* What varies: an option, or with OPTION.KEY a key in its text, such as k in autoencoder:k=25. */
typedef struct grid_axis {
    char name[AXIS_NAME]; /* as it was given */
    const tool_option *option;
    const char *key; /* in the name; NULL: the option itself */
    json_t *values;  /* a list of texts */
} grid_axis;

typedef struct sweep_grid {
    grid_axis axes[MAX_AXES];
    int axis_count;
    int point_count; /* the product of the numbers of values */
} sweep_grid;

/*
 * Parse texts such as "optimizer=adam,adam:lr=0.1 model.k=25,100". Blanks separate what varies,
 * commas values; a comma before KEY=VALUE belongs to the value. Errors are printed, with the place.
 * These options may vary.
 */
exit_code grid_parse(sweep_grid *grid, const tool_option *options, const option_texts *texts);
void grid_free(sweep_grid *grid);

/* The value of an axis at a point; the last axis changes first. */
const char *grid_value(const sweep_grid *grid, int point, int axis);

/*
 * The options of a point, to be released: those that all have, with what varies: names and texts,
 * or true for a flag. NULL: out of memory.
 */
json_t *grid_settings(const sweep_grid *grid, int point, const json_t *all);

/* A name for files: the values, such as "optimizer=adam,lr=0.1", to be freed. NULL: out of memory.
 */
char *grid_name(const sweep_grid *grid, int point);

#endif
