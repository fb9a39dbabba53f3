/* roff.c: converts plain text to roff: escapes special characters, and turns the layout of the help
 * into macros. */
#include "roff.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { ITEM_INDENT = 2, LINE_BYTES = 200 };

static const char *escape_of(char c) {
    switch (c) {
    case '\\':
        return "\\e";
    case '-':
        return "\\-";
    case '\'':
        return "\\(aq";
    case '`':
        return "\\(ga";
    case '^':
        return "\\(ha";
    case '~':
        return "\\(ti";
    case '"':
        return "\\(dq";
    default:
        return NULL;
    }
}

static void put(char c, FILE *out) {
    const char *const escape = escape_of(c);
    if (escape)
        fputs(escape, out);
    else
        fputc(c, out);
}

/* A line that begins with a dot would be a request. */
static void put_many(const char *text, size_t length, FILE *out) {
    if (length > 0 && *text == '.') fputs("\\&", out);
    for (size_t i = 0; i < length; i++)
        put(text[i], out);
}

void roff_text(const char *text, FILE *out) {
    put_many(text, strlen(text), out);
}

static void put_font(char font, const char *text, size_t length, FILE *out) {
    fprintf(out, "\\f%c", font);
    put_many(text, length, out);
    fputs("\\fR", out);
}

/* The length of the option, or of the word in capitals, at the beginning of `text`; 0: none. */
static size_t option_length(const char *text) {
    size_t n = 0;
    while (text[0] == '-' && (text[n] == '-' || isalnum((unsigned char)text[n])))
        n++;
    return n > 1 ? n : 0;
}
static size_t capitals_length(const char *text) {
    size_t n = 0;
    while (isupper((unsigned char)text[n]) ||
           (n && (isdigit((unsigned char)text[n]) || text[n] == '_')))
        n++;
    return islower((unsigned char)text[n]) ? 0 : n;
}

void roff_syntax(const char *text, FILE *out) {
    bool inside = false; /* of a word */
    while (*text) {
        const size_t option = inside ? 0 : option_length(text);
        const size_t capitals = inside ? 0 : capitals_length(text);
        const size_t n = option ? option : capitals ? capitals : 1;
        if (option || capitals)
            put_font(option ? 'B' : 'I', text, n, out);
        else
            put(*text, out);
        inside = isalnum((unsigned char)text[n - 1]) || text[n - 1] == '-';
        text += n;
    }
}

void roff_section(const char *title, FILE *out) {
    fputs(".SH ", out);
    for (; *title; title++)
        put((char)toupper((unsigned char)*title), out);
    fputc('\n', out);
}

void roff_item(const char *term, FILE *out) {
    fputs(".TP\n", out);
    put_font('B', term, strlen(term), out);
    fputc('\n', out);
}

void roff_example(const char *line, FILE *out) {
    fputs(".PP\n.RS 4\n.EX\n", out);
    roff_text(line, out);
    fputs("\n.EE\n.RE\n", out);
}

/* ---- the layout of a text ---------------------------------------------------------------------
 */

typedef struct block_state {
    bool in_item, new_paragraph;
} block_state;

static void put_line(const char *line, FILE *out) {
    roff_text(line, out);
    fputc('\n', out);
}

void roff_literal(const char *text, FILE *out) {
    fputs(".EX\n", out);
    while (*text) {
        const size_t length = strcspn(text, "\n");
        put_many(text, length, out);
        fputc('\n', out);
        text += length + (text[length] == '\n');
    }
    fputs(".EE\n", out);
}

static void put_term(char *line, char *gap, FILE *out) {
    const char *const meaning = gap + strspn(gap, " ");
    *gap = '\0';
    roff_item(line, out);
    put_line(meaning, out);
}

static void put_block_line(block_state *state, char *line, FILE *out) {
    const size_t indent = strspn(line, " ");
    char *const text = line + indent;
    char *const gap = strstr(text, "  ");
    const bool is_example = indent > 0 && (!gap || strchr(gap, '#') == gap + strspn(gap, " "));
    if (state->in_item && indent > ITEM_INDENT) {
        put_line(text, out);
        return;
    }
    if (is_example) {
        roff_example(text, out);
        state->new_paragraph = true;
    } else if (gap) {
        put_term(text, gap, out);
    } else {
        if (state->new_paragraph || state->in_item) fputs(".PP\n", out);
        put_line(text, out);
        state->new_paragraph = false;
    }
    state->in_item = gap && !is_example;
}

void roff_block(const char *text, FILE *out) {
    block_state state = {false, false};
    for (bool first = true; *text; first = false) {
        char line[LINE_BYTES];
        const size_t length = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        if (length == 0)
            state = (block_state){false, !first};
        else
            put_block_line(&state, line, out);
        text += length + (text[length] == '\n');
    }
}
