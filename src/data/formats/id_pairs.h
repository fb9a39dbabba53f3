/* id_pairs.h: reads lines of two ids and up to two numbers, with several threads: edges of a graph,
 * and ratings. */
#ifndef SPC_DATA_ID_PAIRS_H
#define SPC_DATA_ID_PAIRS_H

#include "data/formats/rating_names.h"
#include "data/io/lines.h"

/* Between two fields stand blanks, a comma, a semicolon, or "::". Lines that begin with "#" or "%"
 * are comments; a first line of letters without digits is a
 * heading. */
typedef struct spc_id_pairs {
    const char *what; /* for messages: "an edge is \"node node [weight]\"" */
    int columns_max;
    bool is_weighted; /* the third field is a weight, in the range of float */
    /* Called for the pairs of a block, in file order; their lines count from `lines_before`. The
     * third field is 1 where there is none. */
    sparcl_status (*add)(void *user, const spc_id_pair *pairs, int64_t count, int64_t lines_before);
    void *user;
    const spc_rating_heading *names; /* of the heading, which say where ratings are; or NULL: the
                                        first fields are the pair and its number */
    int64_t heading_fields;          /* that every line must have; 0: as many as the first one */
    bool heading;                    /* output */
    int columns;                     /* of every line, output; 0: the first lines cannot be read */
} spc_id_pairs;

/* Read all lines; `desc` says how many threads. */
SPARCL_MUST_CHECK sparcl_status spc_id_pairs_read(spc_id_pairs *pairs, sparcl_data *data,
                                                  spc_input *input, const sparcl_data_desc *desc,
                                                  sparcl_error *error);

/* An id at *at, and what may follow a field. */
SPARCL_MUST_CHECK sparcl_status spc_id_read(const spc_lines *lines, const char **at,
                                            const char *what, int64_t *id);

#endif
