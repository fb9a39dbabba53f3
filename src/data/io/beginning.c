/* beginning.c: where a file of text begins: its byte order mark, and the encodings that are
 * refused.
 */
#include <string.h>

#include "base/error.h"
#include "data/io/input.h"

typedef struct mark {
    const char *bytes;
    size_t size;
    const char *name; /* as iconv calls it; NULL: it is skipped */
} mark;

/* Those of UTF-32 before those of UTF-16, with which they begin. */
static const mark marks[] = {{"\xef\xbb\xbf", 3, NULL},
                             {"\xff\xfe\0\0", 4, "UTF-32"},
                             {"\0\0\xfe\xff", 4, "UTF-32"},
                             {"\xff\xfe", 2, "UTF-16"},
                             {"\xfe\xff", 2, "UTF-16"}};

static bool is_ascii(char c) {
    return c == '\t' || c == '\n' || c == '\r' || (c >= ' ' && c <= '~');
}

/* Without a mark: two characters of ASCII in UTF-16. No binary format begins so. */
static const char *find_wide(const char *at, size_t size) {
    if (size < 4) return NULL;
    if (is_ascii(at[0]) && !at[1] && is_ascii(at[2]) && !at[3]) return "UTF-16LE";
    return !at[0] && is_ascii(at[1]) && !at[2] && is_ascii(at[3]) ? "UTF-16BE" : NULL;
}

static const mark *find_mark(const char *at, size_t size) {
    for (size_t i = 0; i < SPC_COUNT(marks); i++)
        if (size >= marks[i].size && memcmp(at, marks[i].bytes, marks[i].size) == 0)
            return &marks[i];
    return NULL;
}

sparcl_status spc_text_begin(const char *bytes, size_t size, const char *name, size_t *skipped,
                             sparcl_error *error) {
    const mark *const found = find_mark(bytes, size);
    const char *const encoding = found ? found->name : find_wide(bytes, size);
    *skipped = found ? found->size : 0;
    if (!encoding) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_FORMAT,
                    "%s:1:1: expected text in ASCII or UTF-8, found %s; write it as UTF-8: "
                    "iconv -f %s -t UTF-8 FILE > OTHER",
                    name, encoding, encoding);
}

sparcl_status spc_input_begin_text(spc_input *input, bool *skipped, sparcl_error *error) {
    sparcl_error why = {.status = SPARCL_OK};
    const char *bytes = NULL;
    size_t size = 0, mark_bytes = 0;
    *skipped = false;
    const sparcl_status status = spc_input_peek(input, &bytes, &size, &why);
    if (status == SPARCL_E_FORMAT)
        return spc_fail(error, status, "%s:1:1: %s", input->raw.name, why.message);
    if (status != SPARCL_OK) return spc_fail(error, status, "%s", why.message);
    SPC_TRY(spc_text_begin(bytes, size, input->raw.name, &mark_bytes, error));
    *skipped = mark_bytes > 0;
    input->window += mark_bytes;
    input->window_size -= mark_bytes;
    return SPARCL_OK;
}
