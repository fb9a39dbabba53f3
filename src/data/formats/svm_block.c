/* svm_block.c: parses the rows of one block of LIBSVM text, and of libFFM text, which has fields.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "data/io/cursor.h"
#include "data/io/hashes.h"
#include "data/io/number.h"
#include "data/io/words.h"
#include "data/set/kept_names.h"

static bool stop_at_index(spc_cursor *c, const char *at) {
    if (*at == '-')
        return spc_cursor_stop(c, at, "an index of at least 0",
                               "indices cannot be negative; remove the entry");
    if (strncmp(at, "qid:", 4) == 0)
        return spc_cursor_stop(c, at, "qid: only once, with digits, directly after the label",
                               "fix or remove it");
    return spc_cursor_stop(c, at, "index:value",
                           "write every feature as index:value, a comment after \"#\"");
}

/* The query number of ranking data is not used, but counted. */
static bool skip_query(spc_cursor *c, const char **at) {
    const char *end = spc_skip_blanks(*at);
    if (strncmp(end, "qid:", 4) != 0) return true;
    const char *const digits = end + 4;
    for (end = digits; *end >= '0' && *end <= '9';)
        end++;
    if (end == digits || !spc_ends_word(*end)) return stop_at_index(c, spc_skip_blanks(*at));
    c->block->queries++;
    *at = end;
    return true;
}

static bool stop_without_colon(spc_cursor *c, const char *at) {
    if (spc_ends_word(*at))
        return spc_cursor_stop(c, at, "\":\" and a value after the index",
                               "write every feature as index:value, such as 5:1, or name another "
                               "format (--format csv)");
    return spc_cursor_stop(c, at, "\":\" after the index",
                           "write every feature as index:value, or name another format "
                           "(--format csv)");
}

static bool stop_below(spc_cursor *c, const char *at) {
    return spc_cursor_stop(
        c, at, "an index of at least 1",
        "the file is read with indices from 1; read it with indices from 0, or renumber it");
}

/* Parse "index:"; moves *at to the value, or to the end of an index alone. */
static inline bool read_index(spc_cursor *c, const char **at, int64_t *index) {
    const char *const begin = *at;
    if (!spc_cursor_read_digits(c, at, index)) return false;
    if (*at == begin) return stop_at_index(c, begin);
    if (**at == ':')
        ++*at;
    else if (!c->rules->bare || !spc_ends_word(**at))
        return stop_without_colon(c, *at);
    return *index >= c->rules->min_index || stop_below(c, begin);
}

static void keep_id(const spc_block_rules *rules, int64_t column, int64_t id) {
    char text[24];
    const int length = snprintf(text, sizeof text, "%" PRId64, id);
    spc_kept_names_note(rules->kept, column, (spc_name_part){"", 0}, "",
                        (spc_name_part){text, (size_t)length});
}

/* The hash of an id, in no order: rows are sorted in any case. */
static inline int64_t hash_column(const spc_block_rules *rules, int64_t id) {
    const uint64_t hash = spc_hash_id((uint64_t)id);
    const uint64_t column = hash & (((uint64_t)1 << rules->hash_bits) - 1);
    if ((column & (((uint64_t)1 << rules->watch_shift) - 1)) == 0)
        spc_owners_note(rules->owners, column >> rules->watch_shift, hash);
    if (rules->kept) keep_id(rules, (int64_t)column, id);
    return (int64_t)column;
}

/* The column of an index, or -1 where its entry is left out. False after spc_cursor_stop. */
static inline bool find_column(spc_cursor *c, const char *begin, int64_t *before, int64_t *index,
                               bool *unsorted, bool *disorder) {
    if (c->rules->index_kind == SPC_INDEX_HASHED) {
        *index = hash_column(c->rules, *index);
        return true;
    }
    if (c->rules->index_kind == SPC_INDEX_KNOWN) {
        *index = spc_id_table_find(c->rules->known, *index);
        c->block->unknown_ids += *index < 0;
        if (*index < 0) return true;
    }
    if (*index <= *before) {
        *disorder = true;
        if (!spc_cursor_check_disorder(c, begin, *index, *before, unsorted)) return false;
    }
    if (*index >= c->rules->width) spc_cursor_note_width(c, begin, *index);
    *before = *index;
    return true;
}

static const char one_colon[] =
    "an entry is index:value with one colon (field:index:value triples are another format)";

static bool read_features(spc_cursor *c, const char **from) {
    spc_block *const block = c->block;
    const int64_t first = block->entries;
    const char *at = *from;
    int64_t entries = first, before = -1, minimum = block->minimum, maximum = block->maximum;
    bool unsorted = false, disorder = c->rules->index_kind == SPC_INDEX_HASHED;
    for (;;) {
        at = spc_skip_blanks(at);
        if (*at == '\n' || *at == '\r' || *at == '#') break;
        const char *const begin = at;
        int64_t index = 0;
        if (!read_index(c, &at, &index)) return false;
        if (c->rules->bare && at[-1] != ':')
            block->values[entries] = 1;
        else if (!spc_cursor_read_value(c, &at, &block->values[entries], one_colon))
            return false;
        if (index > maximum) maximum = index;
        if (index < minimum) minimum = index;
        if (!find_column(c, begin, &before, &index, &unsorted, &disorder)) return false;
        if (index < 0) continue;
        block->indices[entries++] = index;
    }
    block->entries = entries;
    block->minimum = minimum;
    block->maximum = maximum;
    *from = at;
    return spc_cursor_end_row(c, first, unsorted, disorder);
}

static bool read_row(spc_cursor *c, const char **at) {
    return spc_cursor_read_labels(c, at) && skip_query(c, at) && read_features(c, at);
}

static void read_svm(spc_block *block, const spc_block_rules *rules) {
    spc_cursor_read_lines(block, rules, read_row, true);
}

const spc_block_format spc_svmlight_format = {
    .what = "LIBSVM text, \"label index:value index:value ...\"",
    .read = read_svm,
    .entry_bytes = 4}; /* " 1:1" */

const spc_block_format spc_indices_format = {
    .what = "text of \"label index index ...\"", .read = read_svm, .entry_bytes = 2};

static const char triple[] = "write every feature as field:index:value, such as 0:5:1";

/* Parse "field:", a number up to 2^31 - 2. */
static inline bool read_field(spc_cursor *c, const char **at, int32_t *field) {
    const char *const begin = *at;
    int64_t number = 0;
    if (!spc_cursor_read_digits(c, at, &number)) return false;
    if (*at == begin) return spc_cursor_stop(c, begin, "field:index:value", triple);
    if (**at != ':') return spc_cursor_stop(c, *at, "\":\" after the field", triple);
    if (number >= INT32_MAX)
        return spc_cursor_stop(c, begin, "a field up to 2147483646", "renumber the fields");
    ++*at;
    *field = (int32_t)number;
    if (*field > c->block->max_field) c->block->max_field = *field;
    return true;
}

static inline bool read_triple(spc_cursor *c, const char **at, int64_t entry, int64_t *index) {
    if (!read_field(c, at, &c->block->fields[entry])) return false;
    const char *const begin = *at;
    if (!spc_cursor_read_digits(c, at, index)) return false;
    if (*at == begin) return spc_cursor_stop(c, begin, "an index after the field", triple);
    if (**at != ':') return spc_cursor_stop(c, *at, "\":\" and a value after the index", triple);
    if (*index < c->rules->min_index) return stop_below(c, begin);
    ++*at;
    return spc_cursor_read_value(c, at, &c->block->values[entry],
                                 "an entry is field:index:value with two colons");
}

static bool read_triples(spc_cursor *c, const char **from) {
    spc_block *const block = c->block;
    const int64_t first = block->entries;
    const char *at = *from;
    int64_t entries = first, before = -1;
    bool unsorted = false, disorder = c->rules->index_kind == SPC_INDEX_HASHED;
    for (;;) {
        at = spc_skip_blanks(at);
        if (*at == '\n' || *at == '\r' || *at == '#') break;
        const char *const begin = at;
        int64_t index = 0;
        if (!read_triple(c, &at, entries, &index)) return false;
        if (index > block->maximum) block->maximum = index;
        if (index < block->minimum) block->minimum = index;
        if (!find_column(c, begin, &before, &index, &unsorted, &disorder)) return false;
        if (index < 0) continue;
        block->indices[entries++] = index;
    }
    block->entries = entries;
    *from = at;
    return spc_cursor_end_row(c, first, unsorted, disorder);
}

static bool read_ffm_row(spc_cursor *c, const char **at) {
    return spc_cursor_read_labels(c, at) && read_triples(c, at);
}

static void read_ffm(spc_block *block, const spc_block_rules *rules) {
    spc_cursor_read_lines(block, rules, read_ffm_row, true);
}

const spc_block_format spc_libffm_format = {.what = "libFFM text, \"label field:index:value ...\"",
                                            .read = read_ffm,
                                            .entry_bytes = 6, /* " 0:1:1" */
                                            .has_fields = true,
                                            .any_order = true};
