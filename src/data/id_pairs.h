/* id_pairs.h: reads lines of two ids and up to two numbers: edges of a graph, and ratings. */
#ifndef SPC_DATA_ID_PAIRS_H
#define SPC_DATA_ID_PAIRS_H

#include "data/lines.h"

/* Between two fields stand blanks, a comma, a semicolon, or "::". Lines that begin with "#" or "%"
 * are comments; a first line that does not begin with a digit is a heading. */
typedef struct spc_pairs {
    spc_lines lines;
    const char *what; /* for messages: "an edge is \"node node [weight]\"" */
    spc_notes *notes; /* lines that cannot be read are noted; NULL: refused */
    int columns_max;
    int columns; /* of every line; 0 before the first */
    bool heading;
    int64_t left, right; /* of the line that was read last */
    double number;       /* the third field; 1 without one */
    const char *number_at, *right_at;
} spc_pairs;

/* Read the next line; *any is false after the last one. */
SPARCL_MUST_CHECK sparcl_status spc_pairs_next(spc_pairs *pairs, bool *any);

/* An id at *at, and what may follow a field. */
SPARCL_MUST_CHECK sparcl_status spc_pairs_read_id(const spc_lines *lines, const char **at,
                                                  const char *what, int64_t *id);

#endif
