/* mtx_head.c: the head of a Matrix Market file: the banner, the comments and the size. */
#include "data/formats/mtx_head.h"

#include <inttypes.h>
#include <string.h>

#include "base/size.h"
#include "data/io/words.h"

static const char banner_words[] = "the banner is %%MatrixMarket matrix coordinate|array "
                                   "real|integer|pattern general|symmetric|skew-symmetric";

typedef struct word {
    const char *at;
    size_t length;
} word;

static word next_word(const char **at) {
    const char *const begin = spc_skip_blanks(*at);
    const char *end = begin;
    while (!spc_is_blank(*end) && !spc_at_line_end(end) && *end != '\0')
        end++;
    *at = end;
    return (word){begin, (size_t)(end - begin)};
}

static bool is(word w, const char *name) {
    return spc_same_word(w.at, w.length, name);
}

static sparcl_status take_format(const spc_lines *lines, spc_mtx_head *head, word w) {
    head->array = is(w, "array");
    if (head->array || is(w, "coordinate")) return SPARCL_OK;
    return spc_lines_refuse(lines, w.at, "coordinate or array", banner_words);
}

static sparcl_status take_field(const spc_lines *lines, spc_mtx_head *head, word w) {
    if (is(w, "complex"))
        return spc_lines_refuse(lines, w.at, "real, integer or pattern",
                                "complex values are not supported: save the real part");
    head->field = is(w, "pattern")   ? SPC_MTX_PATTERN
                  : is(w, "integer") ? SPC_MTX_INTEGER
                                     : SPC_MTX_REAL;
    if (head->field == SPC_MTX_REAL && !is(w, "real") && !is(w, "double"))
        return spc_lines_refuse(lines, w.at, "real, integer or pattern", banner_words);
    if (head->field == SPC_MTX_PATTERN && head->array)
        return spc_lines_refuse(lines, w.at, "real or integer for an array",
                                "an array has values; write it as coordinate pattern");
    return SPARCL_OK;
}

static sparcl_status take_symmetry(const spc_lines *lines, spc_mtx_head *head, word w) {
    if (is(w, "hermitian"))
        return spc_lines_refuse(lines, w.at, "general, symmetric or skew-symmetric",
                                "only complex matrices are hermitian; a real one is symmetric");
    head->mirror = is(w, "symmetric")        ? SPC_MIRROR_SAME
                   : is(w, "skew-symmetric") ? SPC_MIRROR_NEGATED
                                             : SPC_MIRROR_NONE;
    if (head->mirror == SPC_MIRROR_NONE && !is(w, "general"))
        return spc_lines_refuse(lines, w.at, "general, symmetric or skew-symmetric", banner_words);
    if (head->mirror == SPC_MIRROR_NEGATED && head->field == SPC_MTX_PATTERN)
        return spc_lines_refuse(lines, w.at, "general or symmetric for a pattern",
                                "a skew-symmetric matrix needs signs: write it with values");
    return SPARCL_OK;
}

static sparcl_status read_banner(const spc_lines *lines, spc_mtx_head *head) {
    const char *at = spc_skip_blanks(lines->line) + strlen("%%MatrixMarket");
    const word object = next_word(&at);
    if (!is(object, "matrix")) return spc_lines_refuse(lines, object.at, "matrix", banner_words);
    SPC_TRY(take_format(lines, head, next_word(&at)));
    SPC_TRY(take_field(lines, head, next_word(&at)));
    SPC_TRY(take_symmetry(lines, head, next_word(&at)));
    const word rest = next_word(&at);
    if (rest.length == 0) return SPARCL_OK;
    return spc_lines_refuse(lines, rest.at, "the end of the banner", banner_words);
}

static const spc_mtx_type types[] = {
    {"bool", 0, 1},
    {"int8_t", -128, 127},
    {"int16_t", -32768, 32767},
    {"int32_t", -2147483648.0, 2147483647.0},
    {"int64_t", -0x1p63, 0x1p63}, /* 2^63 - 1 rounds to it */
    {"uint8_t", 0, 255},
    {"uint16_t", 0, 65535},
    {"uint32_t", 0, 4294967295.0},
    {"uint64_t", 0, 0x1p64}, /* 2^64 - 1 rounds to it */
    {"float", 0, 0},
    {"double", 0, 0},
};

/* "%%GraphBLAS type int8_t", which other comments may look like; a float type has no bounds here.
 */
static sparcl_status take_type(const spc_lines *lines, spc_mtx_head *head) {
    const char *at = lines->line;
    if (!is(next_word(&at), "%%GraphBLAS") || !is(next_word(&at), "type")) return SPARCL_OK;
    const word name = next_word(&at);
    const char *const expected = "a type such as bool, int32_t, uint8_t, float or double";
    const char *const remedy = "correct or remove this comment";
    const spc_mtx_type *found = NULL;
    for (size_t i = 0; i < SPC_COUNT(types); i++)
        if (is(name, types[i].name)) found = &types[i];
    if (!found || next_word(&at).length > 0)
        return spc_lines_refuse(lines, name.at, expected, remedy);
    if (head->mirror == SPC_MIRROR_NEGATED && found->least == 0 && found->most > 0)
        return spc_lines_refuse(lines, name.at, "a signed type for a skew-symmetric matrix",
                                remedy);
    head->type = found->most > 0 && head->field != SPC_MTX_REAL ? found : NULL;
    return SPARCL_OK;
}

/* "% sparcl columns: hash_bits 20", as it is written. */
static void take_mark(const spc_lines *lines, spc_mtx_head *head) {
    static const char begin[] = SPC_MTX_MARK;
    const char *at = lines->line, *const end = lines->end;
    size_t length = 0;
    if (end - at < (int64_t)sizeof begin || memcmp(at, begin, sizeof begin - 1) != 0) return;
    at += sizeof begin - 1;
    while (!spc_at_line_end(at + length))
        length++;
    if (length >= sizeof head->mark) length = sizeof head->mark - 1;
    memcpy(head->mark, at, length);
    head->mark[length] = '\0';
}

/* The entries of an array: all, one triangle, or that without its diagonal. */
static bool count_array(spc_mtx_head *head) {
    const int64_t rows = head->rows;
    int64_t twice = 0;
    if (head->mirror == SPC_MIRROR_NONE) return spc_mul_i64(rows, head->columns, &head->stored);
    if (rows == INT64_MAX) return false;
    const int64_t other = head->mirror == SPC_MIRROR_SAME ? rows + 1 : rows - 1;
    if (!spc_mul_i64(rows, other, &twice)) return false;
    head->stored = rows == 0 ? 0 : twice / 2;
    return true;
}

static sparcl_status take_size(const spc_lines *lines, spc_mtx_head *head, int count,
                               const char *const *at) {
    const int expected = head->array ? 2 : 3;
    if (count != expected)
        return spc_lines_refuse(lines, at[count < expected ? count : expected],
                                head->array ? "rows and columns, and no more numbers"
                                            : "rows, columns and entries, three numbers",
                                "the line after the comments has the size of the matrix");
    if (head->mirror != SPC_MIRROR_NONE && head->rows != head->columns)
        return spc_lines_refuse_why(lines, at[0],
                                    "expected a square matrix, as it is symmetric, found %" PRId64
                                    " x %" PRId64 "; correct the banner or the size",
                                    head->rows, head->columns);
    if (head->array && !count_array(head))
        return spc_lines_refuse(lines, at[0], "a size that fits in memory", "correct the size");
    return SPARCL_OK;
}

static sparcl_status check_width(const spc_lines *lines, const spc_mtx_head *head, const char *at,
                                 const sparcl_data_desc *desc) {
    if (desc->columns <= 0 || head->columns <= desc->columns || desc->widen) return SPARCL_OK;
    return spc_lines_refuse_why(lines, at,
                                "expected at most %" PRId64 " columns, found %" PRId64 "; %" PRId64
                                " columns were requested",
                                desc->columns, head->columns, desc->columns);
}

static sparcl_status read_size(const spc_lines *lines, spc_mtx_head *head, bool has_banner,
                               const sparcl_data_desc *desc) {
    int64_t *const numbers[] = {&head->rows, &head->columns, &head->stored};
    const char *at[4], *next = spc_skip_blanks(lines->line);
    int count = 0;
    for (; count < 3 && !spc_at_line_end(next); count++) {
        at[count] = next;
        if (!spc_read_count(&next, numbers[count]) || !spc_ends_word(*next))
            return spc_lines_refuse(lines, at[count], "a size, a number of at least 0",
                                    "the line after the comments has rows, columns and entries");
        next = spc_skip_blanks(next);
    }
    for (int i = count; i < 4; i++)
        at[i] = next;
    if (count == 3 && !spc_at_line_end(next)) count = 4;
    if (!has_banner) head->array = count == 2;
    SPC_TRY(take_size(lines, head, count, at));
    return check_width(lines, head, at[1], desc);
}

sparcl_status spc_mtx_read_head(spc_lines *lines, spc_mtx_head *head,
                                const sparcl_data_desc *desc) {
    static const char start[] = "%%MatrixMarket";
    bool any = false;
    *head = (spc_mtx_head){.field = SPC_MTX_REAL};
    SPC_TRY(spc_lines_next_row(lines, "", &any));
    const char *const first = any ? spc_skip_blanks(lines->line) : NULL;
    const int64_t banner_line = lines->number;
    const bool has_banner = any && lines->end - first >= (int64_t)sizeof start &&
                            spc_same_word(first, sizeof start - 1, start);
    if (has_banner) SPC_TRY(read_banner(lines, head));
    while (any && (*spc_skip_blanks(lines->line) == '%' ||
                   spc_at_line_end(spc_skip_blanks(lines->line)))) {
        if (has_banner && lines->number > banner_line) SPC_TRY(take_type(lines, head));
        take_mark(lines, head);
        SPC_TRY(spc_lines_next(lines, &any));
    }
    if (!any)
        return spc_lines_refuse(lines, NULL, "the size of the matrix",
                                "the file is truncated: fetch or save it again");
    return read_size(lines, head, has_banner, desc);
}
