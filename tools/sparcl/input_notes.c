/* input_notes.c: says what was repaired, skipped and guessed in a data file. */
#include "input_notes.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "column_line.h"
#include "message.h"

/* With more bits of hashed ids, shared columns are an estimate. */
enum { COUNTED_BITS = 14 };

static bool is_format(const sparcl_data_info *info, const char *name) {
    return info->format && strcmp(info->format, name) == 0;
}

static void print_rounded(const char *path, const sparcl_data_info *info) {
    const bool is_array = is_format(info, "npz") || is_format(info, "array");
    if (!info->float64_source && info->narrowed_values == 0) return;
    print_note("%s: its values are %s, the model is float32: %" PRId64 " of %" PRId64 " %s rounded",
               path,
               info->float64_source ? "float64"
               : is_array           ? "integers"
                                    : "numbers with more digits",
               info->narrowed_values, info->nnz, info->narrowed_values == 1 ? "was" : "were");
}

void print_accepted(const char *path, const sparcl_data_info *info) {
    if (info->byte_order_mark)
        print_note("%s: the byte order mark at its beginning was skipped", path);
    if (info->heading && !is_format(info, "csv")) /* of CSV more is said about it */
        print_note("%s: the first line was taken for a heading and skipped", path);
    print_rounded(path, info);
}

static void print_unknown_ids(const char *path, const sparcl_data_info *info) {
    char known[80];
    if (info->unknown_ids == 0) return;
    if (info->users > 0)
        snprintf(known, sizeof known, "%" PRId64 " user%s and %" PRId64 " item%s", info->users,
                 info->users > 1 ? "s" : "", info->items, info->items > 1 ? "s" : "");
    else if (is_format(info, "edges"))
        snprintf(known, sizeof known, "%" PRId64 " node%s", info->rows, info->rows > 1 ? "s" : "");
    else
        snprintf(known, sizeof known, "%" PRId64, info->id_count);
    const bool are_edges = is_format(info, "edges");
    if (info->unknown_ids > 1)
        print_note("%s: %" PRId64 " %s were left out: their ids are none of the %s that the "
                   "training data or the map has",
                   path, info->unknown_ids, are_edges ? "edges" : "entries", known);
    else
        print_note("%s: 1 %s was left out: its %s none of the %s that the training data or the map "
                   "has",
                   path, are_edges ? "edge" : "entry", are_edges ? "ids are" : "id is", known);
}

static void print_unlabelled(const char *path, const sparcl_data_info *info) {
    const int64_t found = info->unlabelled_rows;
    if (found > 0 && info->has_labels)
        print_note("%s:%" PRId64 ": %" PRId64 " of %" PRId64 " rows %s no label and %s left out%s",
                   path, info->unlabelled_line, found, info->rows + found,
                   found > 1 ? "have" : "has", found > 1 ? "are" : "is",
                   found > 1 ? "; this line is the first" : "");
    else if (found > 0 && found < info->rows)
        print_note("%s: %" PRId64 " of %" PRId64
                   " rows %s no label, so that those of the others are not used",
                   path, found, info->rows, found > 1 ? "have" : "has");
}

/* Where one name in ten shares its column, or more: then 0.5 % of the columns are shared.
 * 'inspect --json' has fewer, too. */
static void print_shared(const char *path, const sparcl_data_info *info) {
    enum { PER_SHARED = 200 };
    if (info->shared_columns <= 0 ||
        info->shared_columns < ((int64_t)1 << info->hash_bits) / PER_SHARED)
        return;
    print_note("%s: %s%" PRId64 " of 2^%d columns %s more than one %s (--hash-bits %d has "
               "twice as many columns)",
               path, info->hashed_ids && info->hash_bits > COUNTED_BITS ? "about " : "",
               info->shared_columns, info->hash_bits, info->shared_columns > 1 ? "have" : "has",
               info->hashed_ids ? "id" : "name", info->hash_bits + 1);
}

/* "1 row has", "2 rows have"; nothing of 0. */
static void print_counted(const char *path, int64_t count, const char *of_one,
                          const char *of_several) {
    if (count > 0) print_note("%s: %" PRId64 " %s", path, count, count > 1 ? of_several : of_one);
}

static void print_duplicates(const char *path, const sparcl_data_info *info) {
    if (info->hash_bits > 0)
        print_counted(path, info->duplicates,
                      "entry has the column of an entry before it in the row and was added",
                      "entries have the column of an entry before them in the row and were added");
    else
        print_counted(path, info->duplicates,
                      "duplicate index was added (--strict refuses such indices)",
                      "duplicate indices were added (--strict refuses them)");
}

static void print_unknown_words(const char *path, const sparcl_data_info *info, bool ranks) {
    if (ranks)
        print_counted(path, info->unknown_words,
                      "word is no user or item of the training data: there are no ratings of it",
                      "words are no users or items of the training data: there are no ratings of "
                      "them");
    else
        print_counted(
            path, info->unknown_words,
            "word that the dictionaries of the description do not have is a missing value",
            "words that the dictionaries of the description do not have are missing values");
}

static void print_changes(const char *path, const sparcl_data_info *info, bool lists_missing) {
    print_accepted(path, info);
    print_duplicates(path, info);
    print_shared(path, info);
    print_unknown_ids(path, info);
    print_counted(path, info->other_columns,
                  "column that the training data does not have is skipped",
                  "columns that the training data does not have are skipped");
    print_counted(path, info->query_rows, "row has a qid, which is neither used nor written",
                  "rows have a qid, which is neither used nor written");
    print_unlabelled(path, info);
    print_counted(path, info->negative_logs,
                  "number below 0 in columns of the kind log: -log(1 - x)",
                  "numbers below 0 in columns of the kind log: -log(1 - x)");
    if (!lists_missing)
        print_counted(path, info->missing_values, "missing value is no entry",
                      "missing values are no entries");
    print_counted(path, info->unsorted_rows,
                  "row had unsorted indices and was sorted (--strict refuses such rows)",
                  "rows had unsorted indices and were sorted (--strict refuses them)");
}

void print_repairs(const char *path, const sparcl_data_info *info) {
    print_changes(path, info, false);
    print_unknown_words(path, info, false);
}

/* "age 3, name 1 and 2 more": of lines NAME,COUNT. */
static void print_missing(const char *path, const sparcl_data *data) {
    enum { SHOWN = 5 };
    const int64_t count = sparcl_data_get_info(data)->missing_values;
    const char *at = sparcl_data_csv_missing(data);
    char list[256] = "";
    size_t used = 0;
    int columns = 0;
    for (; at && *at; columns++) {
        const char *const end = at + strcspn(at, "\n");
        const char *comma = end;
        while (*comma != ',')
            comma--;
        if (columns < SHOWN && (size_t)(end - at) + 4 < sizeof list - used)
            used +=
                (size_t)snprintf(list + used, sizeof list - used, "%s%.*s %.*s", used ? ", " : "",
                                 (int)(comma - at), at, (int)(end - comma - 1), comma + 1);
        at = end + (*end == '\n');
    }
    if (columns > 0)
        print_note("%s: %" PRId64 " missing value%s (empty, NA, nan, null, ?) %s: of column %s%s",
                   path, count, count > 1 ? "s" : "", count > 1 ? "are no entries" : "is no entry",
                   list, columns > SHOWN ? ", ..." : "");
}

/* Columns without a name of their own. */
static bool is_unnamed(const column_line *line) {
    return strncmp(line->name, "Unnamed: ", 9) == 0;
}

/* "a, b, c, ...": the first names of a list. */
typedef struct name_list {
    char text[5 * 42 + 1], first[41];
    int count;
    size_t used;
} name_list;

static void add_name(name_list *list, const column_line *line) {
    enum { SHOWN = 5, NAME_SHOWN = 40 };
    const int shown = line->name_length < NAME_SHOWN ? line->name_length : NAME_SHOWN;
    if (list->count == 0) snprintf(list->first, sizeof list->first, "%.*s", shown, line->name);
    if (list->count++ < SHOWN)
        list->used += (size_t)snprintf(list->text + list->used, sizeof list->text - list->used,
                                       "%s%.*s", list->used ? ", " : "", shown, line->name);
    else
        snprintf(list->text + list->used, sizeof list->text - list->used, ", ...");
}

/* What the columns of a table are. */
typedef struct column_counts {
    int numbers, buckets, hashed, dictionaries, texts, crosses, unnamed;
    name_list ids, standardized, logs;
    column_line label;
} column_counts;

static void count_columns(const char *columns, column_counts *c) {
    column_line line;
    *c = (column_counts){0};
    while (next_column(&columns, &line)) {
        const bool is_log = is_kind(&line, "log"), is_number = is_log || is_kind(&line, "numeric");
        c->numbers += is_number;
        c->hashed += is_kind(&line, "hashed");
        c->buckets += is_kind(&line, "buckets");
        c->dictionaries += is_kind(&line, "dictionary");
        c->texts += is_kind(&line, "text") || is_kind(&line, "tfidf");
        c->crosses += is_kind(&line, "cross");
        if (is_kind(&line, "label")) c->label = line;
        if (is_log || (is_number && line.has_more))
            add_name(is_log ? &c->logs : &c->standardized, &line);
        if (!is_kind(&line, "skip")) continue;
        if (is_unnamed(&line))
            c->unnamed++;
        else
            add_name(&c->ids, &line);
    }
}

const char *describe_table(const char *description, char *text, size_t bytes) {
    column_counts c;
    count_columns(description, &c);
    const struct {
        int count;
        const char *what;
    } parts[] = {{c.numbers, "numbers"},    {c.buckets, "ranges"}, {c.hashed, "hashed words"},
                 {c.dictionaries, "words"}, {c.texts, "text"},     {c.crosses, "crosses"}};
    size_t used = (size_t)snprintf(text, bytes, "CSV");
    if (c.label.name)
        used += (size_t)snprintf(text + used, bytes - used, "; label %.*s",
                                 c.label.name_length < 40 ? c.label.name_length : 40, c.label.name);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].count > 0 && used < bytes)
            used += (size_t)snprintf(text + used, bytes - used, "; %s: %d", parts[i].what,
                                     parts[i].count);
    return text;
}

/* Columns that are skipped though they have a name. */
static void print_ids(const char *path, const name_list *ids) {
    if (ids->count > 0)
        print_note(
            "%s: %s %s skipped: whole numbers that count up, or all differ beyond 2^53, "
            "are ids of rows; in a file of --csv-columns, with the line *,auto, %s,numeric or "
            "%s,hashed keeps "
            "%s",
            path, ids->text, ids->count > 1 ? "are" : "is", ids->first, ids->first,
            ids->count > 1 ? "one" : "it");
}

static void print_standardized(const char *path, const column_counts *c) {
    const int count = c->standardized.count + c->logs.count;
    char logs[sizeof c->logs.text + 64] = "";
    if (c->logs.count > 0)
        snprintf(logs, sizeof logs, ", %d of them as logarithms: %s", c->logs.count, c->logs.text);
    if (count > 0)
        print_note("%s: %d %s of numbers %s standardized%s (--csv-numbers %sraw: as they are)",
                   path, count, count > 1 ? "columns" : "column", count > 1 ? "are" : "is", logs,
                   c->logs.count > 0 ? "standardized: without logarithms; " : "");
}

static void print_logs(const char *path, const column_counts *c) {
    const int count = c->logs.count;
    if (count > 0)
        print_note("%s: %d %s of counts %s as logarithms: %s (--csv-numbers raw: as %s)", path,
                   count, count > 1 ? "columns" : "column", count > 1 ? "are" : "is", c->logs.text,
                   count > 1 ? "they are" : "it is");
}

/* Of ratings whose users and items are words. */
static void print_words(const char *path, const sparcl_data_info *info) {
    print_note("%s: users and items are words, %" PRId64 " together, each with a column", path,
               info->columns);
}

/* "3 numeric, 1 hashed, 1 skipped, without a name" */
static void describe_kinds(const column_counts *found, char *text, size_t bytes) {
    const struct {
        int count;
        const char *what;
    } kinds[] = {{found->numbers, "numeric"},
                 {found->hashed, "hashed"},
                 {found->texts, "text"},
                 {found->unnamed, "without a name, skipped"}};
    size_t used = (size_t)snprintf(text, bytes, "none");
    for (size_t i = 0, any = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (kinds[i].count == 0) continue;
        used = any++ ? used : 0;
        used += (size_t)snprintf(text + used, bytes - used, "%s%d %s", any > 1 ? ", " : "",
                                 kinds[i].count, kinds[i].what);
    }
}

/* Without a description: what the columns were taken for. */
static void print_guess(const char *path, const input_options *options, const sparcl_data *data) {
    const char *const columns = sparcl_data_csv_columns(data);
    const sparcl_data_info *const info = sparcl_data_get_info(data);
    column_counts found;
    char kinds[160];
    if (!columns || options->csv_description) return;
    if (is_format(info, "ratings")) {
        if (!options->csv_columns) print_words(path, info);
        return;
    }
    count_columns(columns, &found);
    if (options->csv_numbers >= NUMBERS_STANDARDIZED) print_standardized(path, &found);
    if (options->csv_columns) return;
    if (options->csv_numbers == NUMBERS_LOG) print_logs(path, &found);
    print_ids(path, &found.ids);
    describe_kinds(&found, kinds, sizeof kinds);
    print_note("%s: %s; its label is the column %.*s%s, other columns: %s "
               "('sparcl inspect --save-columns FILE' writes this, to be changed and read with "
               "--csv-columns)",
               path,
               info->heading
                   ? "the table's first line was taken for a heading (--csv-heading no: for a row)"
                   : "read as CSV without a heading (--csv-heading yes: with one; --format names "
                     "another format)",
               found.label.name_length, found.label.name,
               !info->label_guessed ? ""
               : info->heading
                   ? ", for want of a known name: train and convert ask for --label NAME"
                   : ", for want of a known name (--label names another)",
               kinds);
    if (info->label_names > 1)
        print_note("%s: %d columns have a name that labels usually have; the label is the column "
                   "%.*s (--label names another)",
                   path, info->label_names, found.label.name_length, found.label.name);
}

/* Where columns are described, that says it. */
static void print_tfidf(const char *path, const input_options *options, const sparcl_data *data) {
    column_counts found = {0};
    const char *const columns = sparcl_data_csv_columns(data);
    if (!options->csv_tfidf) return;
    if (columns && !options->csv_columns && !options->csv_description)
        count_columns(columns, &found);
    if (found.texts == 0)
        print_note("%s: --csv-text tfidf has no effect: %s", path,
                   options->csv_columns ? "the file of --csv-columns says it, by NAME,tfidf"
                   : columns            ? "no column is text"
                                        : "only CSV has columns of text");
}

static void print_decimal(const char *path, const input_options *options,
                          const sparcl_data_info *info) {
    if (options->csv_decimal && options->role == INPUT_OWN && !is_format(info, "csv"))
        print_note("%s: --csv-decimal has no effect: only CSV has columns of numbers", path);
}

void print_csv_notes(const char *path, const sparcl_data *data) {
    const char *at = sparcl_data_csv_notes(data);
    while (at && *at) {
        const size_t length = strcspn(at, "\n");
        print_note("%s: %.*s", path, (int)length, at);
        at += length + (at[length] == '\n');
    }
}

/* Crosses that are requested here, or are in the file of --csv-columns. */
static void print_crosses(const char *path, const input_options *options,
                          const sparcl_data_info *info) {
    const bool has_own = is_format(info, "csv") || is_format(info, "vw");
    if (options->role != INPUT_OWN || (!options->crosses && info->crosses == 0)) return;
    if (!has_own)
        print_note("%s: --cross has no effect: %s has its columns already", path, info->format);
    else if (info->crosses > 0)
        print_note("%s: %" PRId64 " %s of %s %s crossed: %" PRId64 " %s in 2^%d hashed columns",
                   path, info->crosses, info->crosses > 1 ? "pairs" : "pair",
                   is_format(info, "vw") ? "namespaces" : "columns",
                   info->crosses > 1 ? "are" : "is", info->cross_entries,
                   info->cross_entries == 1 ? "entry" : "entries", info->hash_bits);
    else
        print_note("%s: all features of a row are crossed: %" PRId64 " %s in 2^%d columns", path,
                   info->cross_entries, info->cross_entries == 1 ? "entry" : "entries",
                   info->hash_bits);
}

/* Labels of text are decimal numbers, which are always rounded. */
static bool has_own_labels(const sparcl_data_info *info) {
    return spc_format_flags(info->format) & (SPC_HAS_LABELS | SPC_HAS_NAMES);
}

void print_narrowed_labels(const char *path, sparcl_loss loss, const sparcl_data *data) {
    const sparcl_data_info *const info = sparcl_data_get_info(data);
    const double *const labels = sparcl_data_labels(data);
    int64_t narrowed = 0;
    if ((loss != SPARCL_LOSS_SQUARED && loss != SPARCL_LOSS_POISSON) || !labels ||
        has_own_labels(info))
        return;
    for (int64_t i = 0; i < info->label_count; i++)
        narrowed += (double)(float)labels[i] != labels[i];
    if (narrowed > 0)
        print_note("%s: %" PRId64 " of %" PRId64
                   " label%s %s rounded: the model computes with float32, "
                   "which does not represent %s exactly",
                   path, narrowed, info->label_count, info->label_count > 1 ? "s" : "",
                   narrowed > 1 ? "were" : "was", narrowed > 1 ? "them" : "it");
}

/* Training refuses a guess between named columns, which nothing then depends on. */
static bool refuses_guess(const input_options *options, const sparcl_data_info *info) {
    return options->labelled_only && info->label_guessed && info->heading;
}

void print_input_notes(const char *path, const input_options *options, const sparcl_data *data) {
    const sparcl_data_info *const info = sparcl_data_get_info(data);
    if (refuses_guess(options, info)) return;
    print_changes(path, info, true);
    print_unknown_words(path, info, options->ratings);
    if (!options->ratings || info->missing_values > info->unknown_words) print_missing(path, data);
    print_guess(path, options, data);
    print_csv_notes(path, data);
    print_tfidf(path, options, data);
    print_decimal(path, options, info);
    print_crosses(path, options, info);
}
