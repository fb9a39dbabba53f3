/* rating_names.h: which fields of ratings are users, items and ratings, by the names in the
 * heading. */
#ifndef SPC_DATA_RATING_NAMES_H
#define SPC_DATA_RATING_NAMES_H

#include "base/text.h"
#include "data/formats/csv/csv_text.h"

typedef struct spc_rating_fields {
    int64_t user, item, rating; /* positions of fields; rating -1: there is none */
    int64_t count;              /* fields of a row */
    bool by_name;               /* users and items have known names; else they are the first two */
    bool has_rating_name, ends_in_time;
} spc_rating_fields;

spc_rating_fields spc_rating_fields_of(const spc_csv_field *names, int64_t count);

/* Known names of "user,item[,rating[,time]]". */
bool spc_rating_fields_are_usual(const spc_rating_fields *fields);

/* Which columns were taken for what, and which are not used. Without a heading `names` is NULL. */
void spc_rating_fields_note(spc_text *text, const spc_rating_fields *fields,
                            const spc_csv_field *names, bool ranks);

enum { SPC_HEADING_BYTES = 2048, SPC_HEADING_NAMES = 128 };

/* A line that may be the heading of ratings. */
typedef struct spc_rating_heading {
    char text[SPC_HEADING_BYTES];
    spc_csv_field names[SPC_HEADING_NAMES]; /* in `text`, without quotes */
    spc_rating_fields fields;
    char delimiter; /* a comma, semicolon, tab, or blank, which stands for any number of them */
} spc_rating_heading;

/* The line from `at` to `end`; of one that is too long, or has "::", no names are found. */
void spc_rating_heading_read(spc_rating_heading *heading, const char *at, const char *end);

#endif
