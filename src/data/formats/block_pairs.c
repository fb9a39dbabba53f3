/* block_pairs.c: reads the pairs of a block: one in each line. */
#include "data/formats/block_pairs.h"

/* The pairs after a line with a problem replace those before it, which were added. */
static spc_lines lines_of_block(spc_block *block) {
    static const spc_position none = {.column = 0};
    spc_lines lines = {.number = block->resume > 0 ? block->resume_line : 0,
                       .end = block->text + block->length,
                       .text = {.at = block->text, .used = block->length},
                       .next = block->resume,
                       .at_end = true,
                       .block = block};
    if (block->resume == 0) block->not_finite = none;
    if (block->resume == 0) block->narrowed = 0;
    block->problem = none;
    block->rows = 0;
    return lines;
}

void spc_block_read_pairs(spc_block *block, const spc_block_rules *rules, const char *comments,
                          spc_read_pair read) {
    spc_lines lines = lines_of_block(block);
    for (bool any = true; any;) {
        if (spc_lines_next_row(&lines, comments, &any) != SPARCL_OK || !any) return;
        spc_id_pair *const pair = &block->pairs[block->rows];
        if (read(rules->plan, &lines, pair) != SPARCL_OK) return;
        pair->line = lines.number - 1;
        block->rows++;
    }
}
