/* format_words.c: the words of data formats. */
#include "data/formats/format_words.h"

#include "base/text.h"
#include "data/formats/formats.h"
#include "sparcl/data.h"

static const struct {
    const char *word;
    int flags;
} formats[] = {
#define FORMAT(NAME, word, found, flags, ...) [SPARCL_DATA_##NAME] = {#word, flags},
    [SPARCL_DATA_AUTO] = {"auto", 0}, SPC_FORMATS(FORMAT)};
#define ONE(...) +1
_Static_assert(SPC_COUNT(formats) == 1 + SPC_FORMATS(ONE), "each sparcl_data_format has a row");

const char *sparcl_data_format_name(sparcl_data_format format) {
    const bool known = format >= 0 && (size_t)format < SPC_COUNT(formats);
    return known ? formats[format].word : "unknown";
}

const char *spc_format_words(spc_format_list *list, int flags) {
    spc_text text = spc_text_in(list->text, sizeof list->text);
    for (size_t i = 0; i < SPC_COUNT(formats); i++)
        if (formats[i].flags & flags)
            spc_text_add(&text, "%s%s", text.length > 0 ? ", " : "", formats[i].word);
    return list->text;
}
