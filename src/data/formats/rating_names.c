/* rating_names.c: which fields of ratings are users, items and ratings, by the names in the
 * heading. */
#include "data/formats/rating_names.h"

#include <string.h>

#include "base/macros.h"
#include "base/size.h"
#include "base/utf8.h"
#include "data/io/words.h"
#include "sparcl/data.h"

/* ---- known names, the surest first ---------------------------------------------------------- */

static const char *const users[] = {"user",    "customer", "member",   "reviewer", "reader",
                                    "visitor", "viewer",   "listener", "client",   "buyer",
                                    "uid",     "person",   "account",  NULL};
static const char *const items[] = {"item",  "movie",  "film",  "product", "book",     "song",
                                    "track", "artist", "album", "article", "game",     "anime",
                                    "show",  "video",  "joke",  "recipe",  "business", "restaurant",
                                    "place", "asin",   "isbn",  "sku",     "iid",      NULL};
static const char *const ratings[] = {"rating", "ratings", "stars",   "star",
                                      "score",  "rate",    "overall", NULL};
static const char *const times[] = {"timestamp", "time", "ts", "date", "datetime", NULL};
static const char *const of_ids[] = {"",    "id",   "idx",    "index", "no",
                                     "key", "code", "number", "name",  "title"};

enum { KEY_BYTES = 40 };

/* "User-ID" and "userId" are "userid"; longer names have no key. */
static void make_key(const spc_csv_field *name, char key[KEY_BYTES]) {
    size_t length = 0;
    for (size_t i = 0; i < name->length && length < KEY_BYTES; i++) {
        const char c = name->at[i], small = (char)(c | 0x20);
        if ((small >= 'a' && small <= 'z') || (c >= '0' && c <= '9'))
            key[length++] = c <= '9' ? c : small;
    }
    key[length < KEY_BYTES ? length : 0] = '\0';
}

static bool is_key(const char *key, const char *word, const char *ending) {
    const size_t length = strlen(word);
    return strncmp(key, word, length) == 0 && strcmp(key + length, ending) == 0;
}

static bool ends_in(const char *key, const char *word) {
    const size_t length = strlen(word), all = strlen(key);
    return all >= length && strcmp(key + all - length, word) == 0;
}

static int64_t find_id(const spc_csv_field *names, int64_t count, const char *const *words) {
    char key[KEY_BYTES];
    for (size_t w = 0; words[w]; w++)
        for (size_t e = 0; e < SPC_COUNT(of_ids); e++)
            for (int64_t i = 0; i < count; i++) {
                make_key(&names[i], key);
                if (is_key(key, words[w], of_ids[e])) return i;
            }
    return -1;
}

/* "Book-Rating" is a rating where no other name is "rating". */
static int64_t find_rating(const spc_csv_field *names, int64_t count) {
    char key[KEY_BYTES];
    for (int whole = 1; whole >= 0; whole--)
        for (size_t w = 0; ratings[w]; w++)
            for (int64_t i = 0; i < count; i++) {
                make_key(&names[i], key);
                if (whole ? is_key(key, ratings[w], "") : ends_in(key, ratings[w])) return i;
            }
    return -1;
}

static bool is_time(const spc_csv_field *name) {
    char key[KEY_BYTES];
    make_key(name, key);
    for (size_t w = 0; times[w]; w++)
        if (is_key(key, times[w], "")) return true;
    return false;
}

/* The first field behind users and items that is no time. */
static int64_t find_behind(const spc_csv_field *names, const spc_rating_fields *f) {
    for (int64_t i = 1 + (f->user > f->item ? f->user : f->item); i < f->count; i++)
        if (!is_time(&names[i])) return i;
    return -1;
}

spc_rating_fields spc_rating_fields_of(const spc_csv_field *names, int64_t count) {
    const int64_t user = find_id(names, count, users), item = find_id(names, count, items);
    spc_rating_fields f = {.user = 0, .item = 1, .rating = count > 2 ? 2 : -1, .count = count};
    f.ends_in_time = count > 0 && is_time(&names[count - 1]);
    if (user < 0 || item < 0) return f;
    f.user = user;
    f.item = item;
    f.by_name = true;
    f.rating = find_rating(names, count);
    f.has_rating_name = f.rating >= 0;
    if (f.rating < 0) f.rating = find_behind(names, &f);
    return f;
}

bool spc_rating_fields_are_usual(const spc_rating_fields *f) {
    return f->by_name && f->user == 0 && f->item == 1 &&
           (f->count == 2 || (f->rating == 2 && f->has_rating_name)) &&
           (f->count <= 3 || (f->count == 4 && f->ends_in_time));
}

int sparcl_rating_columns(const char *const *names, int64_t count, int64_t found[3]) {
    spc_csv_field fields[SPC_HEADING_NAMES];
    count = spc_min_i64(count, SPC_HEADING_NAMES);
    for (int64_t i = 0; i < count; i++)
        fields[i] = (spc_csv_field){.at = (char *)names[i], .length = strlen(names[i])};
    const spc_rating_fields f = spc_rating_fields_of(fields, count);
    found[0] = f.user;
    found[1] = f.item;
    found[2] = f.rating;
    return f.by_name;
}

/* ---- for the user --------------------------------------------------------------------------- */

static void add_name(spc_text *text, const spc_csv_field *names, int64_t i) {
    spc_text_add_quoted(text, names[i].at, names[i].length);
}

static void add_unused(spc_text *text, const spc_rating_fields *f, const spc_csv_field *names,
                       bool ranks) {
    enum { SHOWN = 5 };
    int64_t count = 0;
    for (int64_t i = 0; i < f->count; i++) {
        if (i == f->user || i == f->item || i == f->rating || names[i].length == 0) continue;
        if (count < SHOWN) spc_text_add(text, count == 0 ? "; not used: " : ", ");
        if (count++ < SHOWN) add_name(text, names, i);
    }
    if (count > SHOWN) spc_text_add(text, " and %d more", (int)(count - SHOWN));
    if (count > 0 && !ranks)
        spc_text_add(text, " (--label NAME reads a table of which all columns are used)");
}

void spc_rating_fields_note(spc_text *text, const spc_rating_fields *f, const spc_csv_field *names,
                            bool ranks) {
    if (!names) {
        spc_text_add(text, "without a heading, the first fields are users, items and ratings\n");
        return;
    }
    spc_text_add(text, "users are the column ");
    add_name(text, names, f->user);
    spc_text_add(text, ", items ");
    add_name(text, names, f->item);
    spc_text_add(text, f->rating < 0 ? ", without ratings" : ", ratings ");
    if (f->rating >= 0) add_name(text, names, f->rating);
    spc_text_add(text, f->by_name ? ", by the names in the heading"
                                  : ", the first ones: no names such as user, item and rating "
                                    "decide");
    add_unused(text, f, names, ranks);
    spc_text_add(text, "\n");
}

/* ---- a line --------------------------------------------------------------------------------- */

static char find_delimiter(const char *text) {
    static const char delimiters[] = "\t,;";
    for (const char *d = delimiters; *d; d++)
        if (strchr(text, *d)) return *d;
    return ' ';
}

/* Without blanks and quotes around it. */
static spc_csv_field trim(char *at, char *end) {
    while (at < end && (spc_is_blank(*at) || *at == '"'))
        at++;
    while (end > at && (spc_is_blank(end[-1]) || end[-1] == '"' || end[-1] == '\r'))
        end--;
    return (spc_csv_field){.at = at, .length = (size_t)(end - at)};
}

static int64_t split(spc_rating_heading *heading) {
    char *at = heading->text;
    int64_t count = 0;
    while (count < SPC_HEADING_NAMES) {
        char *const end = at + strcspn(at, (const char[]){heading->delimiter, '\0'});
        heading->names[count++] = trim(at, end);
        if (!*end) return count;
        at = end + 1;
        while (heading->delimiter == ' ' && *at == ' ')
            at++;
    }
    return 0;
}

void spc_rating_heading_read(spc_rating_heading *heading, const char *at, const char *end) {
    const size_t length = (size_t)(end - at);
    int64_t count = 0;
    heading->text[0] = '\0';
    if (length < sizeof heading->text) {
        memcpy(heading->text, at, length);
        heading->text[length] = '\0';
        heading->delimiter = find_delimiter(heading->text);
        if (!strstr(heading->text, "::")) count = split(heading);
    }
    heading->fields = spc_rating_fields_of(heading->names, count);
}
