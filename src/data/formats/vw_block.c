/* vw_block.c: parses the rows of one block of Vowpal Wabbit text; names are hashed as it does. */
#include <math.h>
#include <string.h>

#include "data/io/cursor.h"
#include "data/io/hashes.h"
#include "data/io/murmur3.h"
#include "data/io/number.h"
#include "data/io/words.h"
#include "data/set/crosses.h"
#include "data/set/kept_names.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

/* A namespace: the hash of its name, and its weight. */
typedef struct space {
    uint64_t hash;
    float weight;
    uint64_t anonymous; /* features without a name so far */
    spc_name_part name;
    int64_t source; /* of its features in crosses, or -1 */
} space;

/* What ends a name; a table, because it is asked for every byte of the text. */
static const bool name_ends[256] = {[0] = true,   ['\t'] = true, ['\n'] = true, ['\r'] = true,
                                    [' '] = true, [':'] = true,  ['|'] = true};

static bool ends_name(char c) {
    return name_ends[(unsigned char)c];
}

static const char *find_name_end(const char *at) {
    while (!ends_name(*at))
        at++;
    return at;
}

static const char form[] = "a row is \"label [importance] ['tag] |namespace feature:value ...\"";

/* A decimal number before the first "|". */
static bool read_number(spc_cursor *c, const char **at, const char *what, double *value,
                        spc_rounded *rounded) {
    const char *const begin = *at;
    const spc_number result = spc_read_f64(at, value, rounded);
    if (result == SPC_NUMBER_READ && isfinite(*value) && spc_ends_word(**at)) return true;
    if (result != SPC_NUMBER_NONE && **at == '|')
        return spc_cursor_stop(c, *at, "a blank before \"|\"",
                               "what touches it is a tag, not a label");
    return spc_cursor_stop(c, begin, what, form);
}

static bool at_tag(const char *at) {
    const char *end = at;
    while (!spc_is_blank(*end) && *end != '|' && *end != '\n' && *end != '\0')
        end++;
    return *at == '\'' || (*end == '|' && end > at);
}

static bool read_importance(spc_cursor *c, const char **at, float *weight) {
    const char *const begin = *at;
    double value = 0;
    spc_rounded rounded;
    if (!read_number(c, at, "an importance, a finite decimal number", &value, &rounded))
        return false;
    *weight = (float)value;
    c->block->narrowed += rounded.f32;
    if (value < 0 || !isfinite(*weight))
        return spc_cursor_stop(c, begin, "an importance of at least 0", "correct or remove it");
    return true;
}

/* An initial prediction would change every training silently. */
static bool read_base(spc_cursor *c, const char **at) {
    const char *const begin = *at;
    double value = 0;
    spc_rounded unused;
    if (!read_number(c, at, "a tag or \"|\"", &value, &unused)) return false;
    return value == 0 || spc_cursor_stop(c, begin, "no initial prediction, or 0",
                                         "remove the third number of the row");
}

/* The row has no label: it begins with its features, or with a tag that is no number. */
static bool has_no_label(const char *at) {
    double value = 0;
    spc_rounded unused;
    return *at == '|' || (at_tag(at) && spc_read_f64(&at, &value, &unused) == SPC_NUMBER_NONE);
}

static bool read_label(spc_cursor *c, const char **at) {
    spc_block *const block = c->block;
    double label = 0;
    spc_rounded rounded;
    if (has_no_label(*at)) {
        spc_cursor_no_label(c, *at);
        return true;
    }
    if (!read_number(c, at, "a label, a finite decimal number", &label, &rounded)) return false;
    block->narrowed += rounded.f64;
    block->labels[block->label_count++] = label;
    return true;
}

/* Everything before the first "|". */
static bool read_head(spc_cursor *c, const char **at) {
    spc_block *const block = c->block;
    float weight = 1;
    if (!read_label(c, at)) return false;
    *at = spc_skip_blanks(*at);
    bool tag = at_tag(*at);
    for (int i = 0; i < 2 && !tag && **at != '|' && !spc_at_line_end(*at); i++) {
        if (i == 0 ? !read_importance(c, at, &weight) : !read_base(c, at)) return false;
        *at = spc_skip_blanks(*at);
        tag = at_tag(*at);
    }
    const char *const begin = *at + (**at == '\'');
    while (tag && !spc_is_blank(**at) && **at != '|' && **at != '\n' && **at != '\0')
        ++*at;
    spc_cursor_tag(c, begin, *at > begin ? (size_t)(*at - begin) : 0);
    *at = spc_skip_blanks(*at);
    if (**at != '|' && !spc_at_line_end(*at))
        return spc_cursor_stop(c, *at, "\"|\" before the features", form);
    block->weights[block->rows] = weight;
    return true;
}

/* What was read of a number from `begin` to *at. */
static bool end_weight(spc_cursor *c, const char *begin, const char **at, spc_number result,
                       bool rounded, float value) {
    if (result == SPC_NUMBER_RANGE)
        return spc_cursor_stop(c, begin, "a number in the range of a 32-bit float, up to 3.4e38",
                               "scale the feature");
    if (result == SPC_NUMBER_NONE || !(ends_name(**at) && **at != ':' && **at != '\0'))
        return spc_cursor_stop(c, begin, "a number after \":\"",
                               "write name:value with a decimal value");
    if (!isfinite(value)) spc_cursor_note_not_finite(c, begin);
    if (rounded) c->block->narrowed++;
    return true;
}

static bool read_weight(spc_cursor *c, const char **at, float *value) {
    const char *const begin = *at;
    bool rounded = false;
    const spc_number result = spc_read_f32(at, value, &rounded);
    return end_weight(c, begin, at, result, rounded, *value);
}

/* "|name:weight"; a blank after "|" is the namespace without a name. */
static bool read_space(spc_cursor *c, const char **at, space *s) {
    const char *const name = ++*at;
    *at = find_name_end(name);
    *s = (space){.weight = 1, .name = {name, (size_t)(*at - name)}};
    if (*at > name) s->hash = spc_hash_name(name, (size_t)(*at - name), 0);
    s->source = spc_crossing_source(c->rules->crossing, name, (size_t)(*at - name));
    if (**at != ':') return true;
    ++*at;
    return read_weight(c, at, &s->weight);
}

static void note_owner(spc_cursor *c, const space *s, const char *name, const char *end,
                       uint64_t column) {
    const spc_name_part part = {name, (size_t)(end - name)};
    if (c->rules->kept)
        spc_kept_names_note(c->rules->kept, (int64_t)column, s->name, s->name.length ? "^" : "",
                            part);
    if (!c->rules->owners) return;
    const uint64_t text = XXH3_64bits_withSeed(name, (size_t)(end - name), s->hash);
    spc_owners_note(c->rules->owners, column, text);
}

/* As Vowpal Wabbit has it, a feature of value 1 has no square. */
static void add_factor(spc_cursor *c, const space *s, const spc_name_part *name, uint64_t hash,
                       float value) {
    const spc_factor factor = {.hash = hash,
                               .name = XXH3_64bits_withSeed(name->at, name->length, s->hash),
                               .order = s->hash,
                               .value = value,
                               .range = -1,
                               .has_square = value != 1,
                               .source = s->name,
                               .text = *name};
    spc_factors_add(c->block, s->source, &factor);
}

/* What follows ":" is a number, or a text that is hashed with the name as its namespace. Moves
 * *name_end behind a text. */
static bool read_feature_value(spc_cursor *c, const char **at, uint64_t *hash,
                               const char **name_end, float *value) {
    const char *const begin = *at, *const end = find_name_end(begin);
    const char *number = begin;
    bool rounded = false;
    const spc_number result = spc_read_f32(&number, value, &rounded);
    if (end == begin || result != SPC_NUMBER_NONE) {
        *at = number;
        return end_weight(c, begin, at, result, rounded, *value);
    }
    *value = 1;
    *hash = spc_hash_name(begin, (size_t)(end - begin), *hash);
    *at = *name_end = end;
    return true;
}

static bool read_feature(spc_cursor *c, const char **at, space *s) {
    spc_block *const block = c->block;
    const char *const name = *at, *name_end = find_name_end(name);
    float value = 1;
    uint64_t hash = name_end > name ? spc_hash_name(name, (size_t)(name_end - name), s->hash)
                                    : s->hash + s->anonymous;
    *at = name_end;
    if (**at == ':') {
        ++*at;
        if (!read_feature_value(c, at, &hash, &name_end, &value)) return false;
    }
    if (*at == name || !(spc_is_blank(**at) || **at == '|' || spc_at_line_end(*at)))
        return spc_cursor_stop(c, *at, "a blank after the feature", form);
    value *= s->weight;
    if (value == 0) return true;
    s->anonymous += name[0] == ':';
    const int64_t column = (int64_t)(hash & (((uint64_t)1 << c->rules->hash_bits) - 1));
    note_owner(c, s, name, name_end, (uint64_t)column);
    if (s->source >= 0)
        add_factor(c, s, &(spc_name_part){name, (size_t)(name_end - name)}, hash, value);
    block->indices[block->entries] = column;
    block->values[block->entries++] = value;
    return true;
}

static bool read_features(spc_cursor *c, const char **at) {
    space s = {.weight = 1, .name = {"", 0}, .source = -1};
    for (;;) {
        *at = spc_skip_blanks(*at);
        if (spc_at_line_end(*at)) return true;
        if (**at == '|' ? !read_space(c, at, &s) : !read_feature(c, at, &s)) return false;
    }
}

static void note_columns(spc_cursor *c, int64_t first, bool *disorder) {
    spc_block *const block = c->block;
    for (int64_t k = first; k < block->entries; k++) {
        const int64_t index = block->indices[k];
        if (k > first && index <= block->indices[k - 1]) *disorder = true;
        if (index < block->minimum) block->minimum = index;
        if (index > block->maximum) block->maximum = index;
    }
}

static bool read_row(spc_cursor *c, const char **at) {
    const int64_t first = c->block->entries;
    bool disorder = false;
    spc_factors_begin(c->block, c->rules->crossing);
    if (!read_head(c, at) || !read_features(c, at)) return false;
    spc_factors_cross(c->block, c->rules->crossing);
    note_columns(c, first, &disorder);
    return spc_cursor_end_row(c, first, false, disorder);
}

static void read_vw(spc_block *block, const spc_block_rules *rules) {
    spc_cursor_read_lines(block, rules, read_row, false);
}

/* ---- how many crosses there may be ---------------------------------------------------------- */

/* Count the features of a line by their sources; at most as many as its words. */
static void count_features(const char *at, const char *end, const spc_crossing *how,
                           int32_t *counts) {
    int64_t source = -1;
    memset(counts, 0, (size_t)how->sources * sizeof *counts);
    while (at < end) {
        if (*at == '|') {
            const char *const name = ++at;
            while (at < end && !ends_name(*at))
                at++;
            source = spc_crossing_source(how, name, (size_t)(at - name));
        } else if (spc_is_blank(*at)) {
            at++;
            continue;
        } else if (source >= 0)
            counts[source]++;
        while (at < end && !spc_is_blank(*at) && *at != '|')
            at++;
    }
}

static size_t count_crosses(const spc_crossing *how, const int32_t *counts) {
    const spc_cross *const crosses = how->crosses.at;
    size_t sum = 0;
    for (int64_t i = 0; i < spc_cross_count(how); i++) {
        const size_t left = (size_t)counts[crosses[i].left];
        const size_t right = (size_t)counts[crosses[i].right];
        sum = spc_room_add(sum, crosses[i].left == crosses[i].right ? left * (left + 1) / 2
                                                                    : left * right);
    }
    return sum;
}

static spc_cross_room count_room(const spc_block *block, const spc_block_rules *rules) {
    spc_cross_room room = {0, 0};
    const char *at = block->text, *const end = at + block->length;
    while (at < end) {
        const char *const stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop) break;
        count_features(at, stop, rules->crossing, block->last_factors);
        const size_t row = count_crosses(rules->crossing, block->last_factors);
        room.block = spc_room_add(room.block, row);
        if (row > room.row) room.row = row;
        at = stop + 1;
    }
    return room;
}

const spc_block_format spc_vw_format = {.what = "Vowpal Wabbit text",
                                        .read = read_vw,
                                        .cross_room = count_room,
                                        .entry_bytes = 2,
                                        .has_weights = true,
                                        .any_order = true,
                                        .is_hashed = true};
