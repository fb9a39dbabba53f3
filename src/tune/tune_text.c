/* tune_text.c: a tuning as text: reading, writing, and storing it in the kernel cache. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "device/ctx_impl.h"
#include "program/facts.h"
#include "tune/tuned.h"

#define FIRST_LINE "sparcl tuning 1"
/* The name and bytes of the stored fact: a text, padded with zeros. */
#define FACT       "tuning 1"
#define TEXT_BYTES ((size_t)16 << 10)
#define MAX_WORDS  7
/* Gains and spreads have three decimal places. */
#define MILLI      1000

/* --- reading ------------------------------------------------------------------------------------
 */

typedef struct word {
    const char *at;
    size_t length;
} word;

typedef struct line {
    int64_t number;
    word words[MAX_WORDS]; /* without a comment */
    int count;
} line;

typedef struct reader {
    sparcl_error *error;
    spc_tuning tuning;
    int64_t set[SPC_TUNE_COUNT][SPARCL_TUNE_CLASSES]; /* the line of each setting, or 0 */
} reader;

static bool word_is(word w, const char *text) {
    return strlen(text) == w.length && memcmp(w.at, text, w.length) == 0;
}

/* A word with escapes, truncated if it is long. */
typedef struct shown {
    char text[100];
} shown;

static shown show(word w) {
    shown s;
    spc_text text = spc_text_in(s.text, sizeof s.text);
    spc_text_add_shown(&text, w.at, w.length < 40 ? w.length : 40);
    return s;
}

/* Space, tab, or the carriage return of a Windows line. */
static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

/* The next line of *text, which is moved past it. */
static word next_line(const char **text) {
    const size_t length = strcspn(*text, "\n");
    word w = {*text, length};
    *text += length + ((*text)[length] == '\n');
    while (w.length > 0 && is_space(w.at[w.length - 1]))
        --w.length;
    return w;
}

/* Finds one word more than allowed, so that the message can name it. */
static void find_words(line *l, word all) {
    const char *at = all.at, *const end = all.at + all.length;
    l->count = 0;
    while (l->count < MAX_WORDS) {
        while (at < end && is_space(*at))
            ++at;
        if (at == end || *at == '#') return;
        word *const w = &l->words[l->count++];
        for (w->at = at; at < end && !is_space(*at) && *at != '#'; ++at)
            ++w->length;
    }
}

/* An integer, or with `milli` a decimal number with up to three places, as thousandths. */
static bool read_number(word w, bool milli, int64_t *number) {
    int64_t x = 0;
    size_t i = 0;
    int decimals = milli ? 3 : 0;
    for (; i < w.length && w.at[i] >= '0' && w.at[i] <= '9'; ++i) {
        if (i >= 15) return false;
        x = 10 * x + (w.at[i] - '0');
    }
    if (i == 0) return false;
    if (milli && i + 1 < w.length && w.at[i] == '.')
        for (++i; decimals > 0 && i < w.length && w.at[i] >= '0' && w.at[i] <= '9'; ++i, --decimals)
            x = 10 * x + (w.at[i] - '0');
    for (; decimals > 0; --decimals)
        x *= 10;
    *number = x;
    return i == w.length;
}

static int find_tunable(word name) {
    int t = 0;
    while (t < SPC_TUNE_COUNT && !word_is(name, sparcl_tune_at(t)->name))
        ++t;
    return t;
}

/* "gain=", "spread=" and "when=", each at most once. */
static bool read_measure(word w, sparcl_tuned *tuned) {
    static const char *const keys[] = {"gain=", "spread=", "when="};
    for (size_t i = 0; i < SPC_COUNT(keys); ++i) {
        const size_t length = strlen(keys[i]);
        int64_t x = 0;
        if (w.length <= length || memcmp(w.at, keys[i], length) != 0) continue;
        if (!read_number((word){w.at + length, w.length - length}, i < 2, &x)) return false;
        if (i == 0) tuned->gain = (double)x / MILLI;
        if (i == 1) tuned->spread = (double)x / MILLI;
        if (i == 2) tuned->when = x;
        return true;
    }
    return false;
}

static sparcl_status read_value(reader *r, const line *l, const sparcl_tunable *about,
                                sparcl_tuned *tuned) {
    int64_t value = 0;
    if (!read_number(l->words[2], false, &value) || value < about->minimum ||
        value > about->maximum)
        return spc_fail(r->error, SPARCL_E_ARG,
                        "tuning, line %lld: %s is \"%s\", expected a whole number from %d to %d",
                        (long long)l->number, about->name, show(l->words[2]).text,
                        (int)about->minimum, (int)about->maximum);
    *tuned = (sparcl_tuned){.value = (int32_t)value};
    for (int i = 3; i < l->count; ++i)
        if (i == MAX_WORDS - 1 || !read_measure(l->words[i], tuned))
            return spc_fail(r->error, SPARCL_E_ARG,
                            "tuning, line %lld: found \"%s\" after the value, expected nothing, or "
                            "gain=1.234, spread=0.123 and when=SECONDS; a comment begins with #",
                            (long long)l->number, show(l->words[i]).text);
    return SPARCL_OK;
}

static sparcl_status fail_class(reader *r, const line *l, const sparcl_tunable *about) {
    char names[400];
    spc_text text = spc_text_in(names, sizeof names);
    for (int c = 0; c < about->class_count; ++c)
        spc_text_add(&text, "%s, ", about->classes[c]);
    return spc_fail(r->error, SPARCL_E_ARG,
                    "tuning, line %lld: %s has no class \"%s\", expected %sor * for all",
                    (long long)l->number, about->name, show(l->words[1]).text, names);
}

static sparcl_status read_setting(reader *r, const line *l) {
    const int t = find_tunable(l->words[0]);
    const sparcl_tunable *const about = sparcl_tune_at(t);
    sparcl_tuned tuned;
    bool found = false;
    if (!about)
        return spc_fail(
            r->error, SPARCL_E_ARG,
            "tuning, line %lld: there is no tunable \"%s\"; sparcl tune --explain lists "
            "all tunables",
            (long long)l->number, show(l->words[0]).text);
    if (l->count < 3)
        return spc_fail(r->error, SPARCL_E_ARG,
                        "tuning, line %lld: found %d words, expected: %s CLASS VALUE",
                        (long long)l->number, l->count, about->name);
    SPC_TRY(read_value(r, l, about, &tuned));
    for (int c = 0; c < about->class_count; ++c) {
        if (!word_is(l->words[1], about->classes[c]) && !word_is(l->words[1], "*")) continue;
        if (r->set[t][c])
            return spc_fail(r->error, SPARCL_E_ARG,
                            "tuning, line %lld: %s %s was set in line %lld; remove one of them",
                            (long long)l->number, about->name, about->classes[c],
                            (long long)r->set[t][c]);
        r->set[t][c] = l->number;
        r->tuning.at[t][c] = tuned;
        found = true;
    }
    return found ? SPARCL_OK : fail_class(r, l, about);
}

sparcl_status spc_tuning_read(spc_tuning *tuning, bool is_gpu, const char *text,
                              sparcl_error *error) {
    reader r = {.error = error};
    spc_tuning_default(&r.tuning, is_gpu);
    const word first = next_line(&text);
    if (!word_is(first, FIRST_LINE))
        return spc_fail(error, SPARCL_E_ARG,
                        "tuning, line 1: found \"%s\", expected \"" FIRST_LINE "\"",
                        show(first).text);
    for (int64_t number = 2; *text; ++number) {
        line l = {.number = number};
        find_words(&l, next_line(&text));
        if (l.count > 0) SPC_TRY(read_setting(&r, &l));
    }
    *tuning = r.tuning;
    return SPARCL_OK;
}

/* --- writing ------------------------------------------------------------------------------------
 */

/* Independent of the locale's decimal point. */
static void add_milli(spc_text *text, const char *key, double x) {
    const long long n = x < 1e9 ? (long long)(x * MILLI + 0.5) : (long long)1e12;
    spc_text_add(text, " %s=%lld.%03d", key, n / MILLI, (int)(n % MILLI));
}

static void add_setting(spc_text *text, const sparcl_tunable *about, int c, const sparcl_tuned *x) {
    spc_text_add(text, "%s %s %d", about->name, about->classes[c], (int)x->value);
    if (x->when) {
        add_milli(text, "gain", x->gain);
        add_milli(text, "spread", x->spread);
        spc_text_add(text, " when=%lld", (long long)x->when);
    }
    spc_text_add(text, "\n");
}

static size_t write_text(const sparcl_ctx *ctx, char buffer[TEXT_BYTES]) {
    spc_text text = spc_text_in(buffer, TEXT_BYTES);
    spc_text_add(&text, FIRST_LINE "\n");
    for (int t = 0; t < SPC_TUNE_COUNT; ++t) {
        const sparcl_tunable *const about = sparcl_tune_at(t);
        for (int c = 0; c < about->class_count; ++c) {
            const sparcl_tuned *const x = &ctx->tuning->at[t][c];
            if (x->when || x->value != about->defaults[spc_ctx_is_gpu(ctx)][c])
                add_setting(&text, about, c, x);
        }
    }
    return text.length;
}

size_t sparcl_tune_text(const sparcl_ctx *ctx, char *text, size_t capacity) {
    char buffer[TEXT_BYTES];
    if (text && capacity > 0) text[0] = '\0';
    if (!ctx) return 0;
    const size_t length = write_text(ctx, buffer);
    if (text && capacity > 0) {
        const size_t fit = length < capacity ? length : capacity - 1;
        memcpy(text, buffer, fit);
        text[fit] = '\0';
    }
    return length;
}

/* --- storing ------------------------------------------------------------------------------------
 */

sparcl_status sparcl_tune_store(sparcl_ctx *ctx) {
    char text[TEXT_BYTES] = {0}, stored[TEXT_BYTES];
    if (!ctx) return SPARCL_E_ARG;
    (void)write_text(ctx, text);
    spc_fact_store(ctx, FACT, text, sizeof text);
    if (spc_fact_load(ctx, FACT, stored, sizeof stored) && memcmp(text, stored, sizeof text) == 0)
        return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_IO,
                        "tuning: not stored: %s; expected a folder that you own and that only you "
                        "can write to",
                        ctx->cache_dir ? ctx->cache_dir : "the context has no cache folder");
}

/* Load the stored tuning; anything wrong with it is only logged. */
static void load_stored(sparcl_ctx *ctx) {
    char text[TEXT_BYTES];
    sparcl_error error = {0};
    if (!spc_fact_load(ctx, FACT, text, sizeof text)) return;
    const bool complete = memchr(text, 0, sizeof text) != NULL;
    if (complete && spc_tuning_read(ctx->tuning, spc_ctx_is_gpu(ctx), text, &error) == SPARCL_OK)
        return;
    spc_ctx_log(ctx, SPARCL_LOG_WARNING, "the stored tuning is not used: %s",
                complete ? error.message : "it is truncated");
}

static void close_tuning(sparcl_ctx *ctx) {
    spc_free(&ctx->allocator, ctx->tuning, sizeof *ctx->tuning);
    ctx->tuning = NULL;
}

sparcl_status spc_tuning_open(sparcl_ctx *ctx, const char *text, sparcl_error *error) {
    ctx->tuning = spc_alloc_zero(&ctx->allocator, 1, sizeof *ctx->tuning);
    if (!ctx->tuning) return spc_fail_memory(error, "tuning", sizeof *ctx->tuning);
    spc_ctx_on_close(ctx, close_tuning);
    spc_tuning_default(ctx->tuning, spc_ctx_is_gpu(ctx));
    if (!text) load_stored(ctx);
    if (!text || !*text) return SPARCL_OK;
    return spc_tuning_read(ctx->tuning, spc_ctx_is_gpu(ctx), text, error);
}
