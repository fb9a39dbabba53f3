/* block_pairs.h: reads the pairs of a block: one in each line. */
#ifndef SPC_DATA_BLOCK_PAIRS_H
#define SPC_DATA_BLOCK_PAIRS_H

#include "data/io/lines.h"

typedef sparcl_status (*spc_read_pair)(const void *plan, const spc_lines *lines, spc_id_pair *pair);

/*
 * Read the pairs of a block, one from each line that is not blank and does not begin with one of
 * the characters of `comments`, up to the first that is refused. `read` is called by several
 * threads; `plan` is that of the rules.
 */
void spc_block_read_pairs(spc_block *block, const spc_block_rules *rules, const char *comments,
                          spc_read_pair read);

#endif
