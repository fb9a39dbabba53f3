/* csv_form.h: how the numbers of a column of CSV are written: "1.200,50", "12 EUR", "5 %". */
#ifndef SPC_DATA_CSVFORM_H
#define SPC_DATA_CSVFORM_H

#include "base/text.h"
#include "data/formats/csv/csv_text.h"

enum { SPC_CSV_UNIT_BYTES = 12 };

/* All zero: numbers as spc_csv_number reads them. */
typedef struct spc_csv_form {
    char decimal; /* '.' or ','; the other one may stand between thousands. 0: plain numbers */
    bool coerces; /* other values are missing ones */
    char unit[SPC_CSV_UNIT_BYTES]; /* of each number, before or after it, with a NUL; "": none */
} spc_csv_form;

/* A field that may be a number with a unit. */
typedef struct spc_csv_amount {
    bool is_negative;
    const char *digits; /* with decimal marks, and an exponent */
    size_t length;
    bool has_mark;      /* a point or a comma */
    bool is_accounting; /* in parentheses: negative */
    char unit[SPC_CSV_UNIT_BYTES];
} spc_csv_amount;

/* False: it is none. "(12)" is -12. A unit is a sign such as % or a currency's, three capital
 * letters and a blank before the number, or a blank and a word after it. */
bool spc_csv_find_amount(const spc_csv_field *field, spc_csv_amount *amount);

/* The number of an amount, with this decimal mark; false: it has none. */
bool spc_csv_amount_value(const spc_csv_amount *amount, char decimal, double *value,
                          spc_rounded *rounded);

/* As spc_csv_number, of a column that has this form. */
bool spc_csv_read_number(const spc_csv_form *form, const spc_csv_field *field, double *value,
                         spc_rounded *rounded);

/* ":comma:coerce:unit=EUR", which follows a kind in a description; nothing of plain numbers. */
void spc_csv_add_form(spc_text *text, const spc_csv_form *form);

/* Read that, without the first colon; false: it is none. */
bool spc_csv_parse_form(const char *at, size_t length, spc_csv_form *form);

#endif
