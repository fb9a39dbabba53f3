/* option_values.c: the options of every command; reads the texts of options into their values. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "options.h"

const tool_option common_options[] = {
    [COMMON_HELP] = {.name = "help", .type = OPTION_FLAG, .letter = 'h', .help = "print this page"},
    [COMMON_QUIET] = {.name = "quiet",
                      .type = OPTION_FLAG,
                      .letter = 'q',
                      .help = "print no notes and no progress"},
    [COMMON_VERBOSE] = {.name = "verbose",
                        .type = OPTION_FLAG,
                        .letter = 'v',
                        .help = "print the device, the kernels that are built, and seconds"},
    [COMMON_VERSION] = {.name = "version", .type = OPTION_FLAG, .help = "print the version"},
    [COMMON_OPTIONS] = {0}};

static bool set_flag(const char *text, const tool_option *option) {
    (void)text;
    *(int *)option->value = option->set;
    return true;
}

static bool take_text(const char *text, const tool_option *option) {
    *(const char **)option->value = text;
    return true;
}

/* Parse digits, as a number of at most `maximum`; *end is after them. */
static bool read_digits(const char *text, uint64_t maximum, uint64_t *value, const char **end) {
    if (*text < '0' || *text > '9') return false;
    char *behind = NULL;
    errno = 0;
    *value = strtoull(text, &behind, 10);
    *end = behind;
    return errno == 0 && *value <= maximum;
}

static bool read_count(const char *text, const tool_option *option) {
    uint64_t value = 0;
    const char *end = text;
    if (option->choices && strcmp(text, option->choices) == 0) {
        *(int64_t *)option->value = 0;
        return true;
    }
    if (!read_digits(text, INT64_MAX, &value, &end) || *end) return false;
    *(int64_t *)option->value = (int64_t)value;
    return (int64_t)value >= option->minimum;
}

static bool read_seed(const char *text, const tool_option *option) {
    const char *end = text;
    return read_digits(text, UINT64_MAX, option->value, &end) && !*end;
}

static bool read_bytes(const char *text, const tool_option *option) {
    static const char units[] = "KMGT";
    uint64_t value = 0;
    const char *end = text;
    if (!read_digits(text, INT64_MAX, &value, &end)) return false;
    const char *const unit = *end ? strchr(units, *end) : NULL;
    const int shift = unit ? 10 * (int)(unit - units + 1) : 0;
    if (unit) end++;
    if (*end || value > (uint64_t)INT64_MAX >> shift) return false;
    *(int64_t *)option->value = (int64_t)(value << shift);
    return *(int64_t *)option->value >= option->minimum;
}

static bool read_real(const char *text, const tool_option *option) {
    char *end = NULL;
    if (strspn(text, "0123456789+-.eE") != strlen(text) || !*text) return false;
    const double value = strtod(text, &end);
    if (*end || !isfinite(value) || !(value >= 0.0)) return false;
    *(double *)option->value = value;
    return true;
}

static bool read_choice(const char *text, const tool_option *option) {
    const size_t length = strlen(text);
    const char *at = option->choices;
    for (int i = 0; *at; i++) {
        const size_t word = strcspn(at, "|");
        if (word == length && strncmp(at, text, length) == 0) {
            *(int *)option->value = i;
            return true;
        }
        at += word + (at[word] == '|');
    }
    return false;
}

static bool add_text(const char *text, const tool_option *option) {
    option_texts *const all = option->value;
    if (all->count == MAX_TEXTS) return false;
    all->texts[all->count++] = text;
    return true;
}

static bool add_line(const char *text, const tool_option *option) {
    const char **const all = option->value;
    const size_t before = *all ? strlen(*all) + 1 : 0, length = strlen(text);
    char *const grown = realloc((char *)*all, before + length + 1);
    if (!grown) return false;
    if (before > 0) grown[before - 1] = '\n';
    memcpy(grown + before, text, length + 1);
    *all = grown;
    return true;
}

_Static_assert(MAX_TEXTS == 32, "as the table says");
static const struct {
    bool (*read)(const char *text, const tool_option *option);
    const char *expected;
} types[] = {
    [OPTION_FLAG] = {set_flag, ""},
    [OPTION_TEXT] = {take_text, ""},
    [OPTION_COUNT] = {read_count, "an integer of at least "},
    [OPTION_SEED] = {read_seed, "an integer from 0 to 2^64 - 1"},
    [OPTION_BYTES] = {read_bytes, "a size such as 16M or 2G"},
    [OPTION_REAL] = {read_real, "a number of at least 0, such as 0.1"},
    [OPTION_CHOICE] = {read_choice, "one of "},
    [OPTION_TEXTS] = {add_text, "at most 32 of them"},
    [OPTION_LINES] = {add_line, "less, for want of memory"},
};

exit_code take_option_value(const tool_option *option, const char *text) {
    const bool is_count = option->type == OPTION_COUNT, is_choice = option->type == OPTION_CHOICE;
    char least[32] = "";
    if (types[option->type].read(text, option)) return EXIT_OK;
    if (is_count)
        snprintf(least, sizeof least, "%" PRId64 "%s", option->minimum,
                 option->choices ? ", or " : "");
    return usage_error("--%s: expected %s%s%s, found \"%s\"", option->name,
                       types[option->type].expected, least,
                       (is_count || is_choice) && option->choices ? option->choices : "", text);
}
