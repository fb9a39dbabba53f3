/* column_names.h: what the columns of a model are called, or the users and items of a ranking. */
#ifndef SPARCL_TOOL_COLUMN_NAMES_H
#define SPARCL_TOOL_COLUMN_NAMES_H

#include <jansson.h>
#include <stdbool.h>

#include "exit_codes.h"
#include "sparcl/data.h"
#include "sparcl/model.h"

enum { COLUMN_NAME_BYTES = 256 };

/* The note of a model with names of hashed columns: JSON, {"17": "city=Paris", ...}. */
#define COLUMN_NAMES_NOTE "column_names"

typedef struct column_names {
    const sparcl_model *model;
    const sparcl_model_info *info;
    int64_t count;             /* columns; of a ranking users and items */
    int64_t users;             /* of those the users, which come first; 0: there are none */
    sparcl_csv_columns *table; /* NULL: the model is not of a table */
    json_t *kept;              /* of that note, or NULL */
    char **lines;              /* of a file of names; NULL: there is none */
    int64_t line_count;
} column_names;

/* Names for a model, which must stay: those of a file with one in each line, or of a map of ids
 * (inspect --save-ids); without a file (NULL) of the table, ids, or numbers as in the data. Close
 * it also after a failure. */
exit_code column_names_open(column_names *names, const sparcl_model *model, const char *path);
void column_names_close(column_names *names);

/* The name of a column, from 0; returns `name`. */
const char *column_name(const column_names *names, int64_t column, char name[COLUMN_NAME_BYTES]);
/* The column with a name, to which a word of a table is hashed, or with a number as the data have
 * it; -1: there is none. */
int64_t column_of_name(const column_names *names, const char *name);

#endif
