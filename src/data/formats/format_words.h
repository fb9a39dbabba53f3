/* format_words.h: the words of data formats, for messages. */
#ifndef SPC_DATA_FORMAT_WORDS_H
#define SPC_DATA_FORMAT_WORDS_H

typedef struct spc_format_list {
    char text[128];
} spc_format_list;

/* Those that have one of the flags, in list->text, separated by commas. */
const char *spc_format_words(spc_format_list *list, int flags);

#endif
