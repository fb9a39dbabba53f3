/* place.c: positions in the file of a data set, for messages. */
#include <inttypes.h>

#include "base/error.h"
#include "base/text.h"
#include "data/io/line_marks.h"

int64_t sparcl_data_line(const sparcl_data *data, int64_t row) {
    if (!data->by_line || row < 0 || row >= data->info.rows) return 0;
    return 1 + spc_line_marks_find(&data->marks, spc_data_row(data, row));
}

const char *sparcl_data_place(const sparcl_data *data, int64_t row, char *place, size_t bytes) {
    const int64_t line = sparcl_data_line(data, row);
    spc_text text = spc_text_in(place, bytes);
    if (data->labels_name[0] && row >= 0 && row < data->info.rows)
        spc_text_add(&text, "%s[%" PRId64 "]", data->labels_name, spc_data_row(data, row));
    else
        spc_text_add(&text, "%s", data->name);
    if (line > 0) spc_text_add(&text, ":%" PRId64 ":1", line);
    return place;
}

/* Add the position of the first value that is not finite: "file:line:column",
 * "file:data.npy[element]". */
static void add_bad_place(spc_text *text, const sparcl_data *data) {
    spc_text_add(text, "%s", data->name);
    if (data->bad_line > 0)
        spc_text_add(text, ":%" PRId64 ":%" PRId64, data->bad_line, data->bad_column);
    else if (data->bad_column >= 0)
        spc_text_add(text, "%s%s[%" PRId64 "]", data->member[0] ? ":" : "", data->member,
                     data->bad_column);
}

sparcl_status sparcl_data_check_finite(const sparcl_data *data, sparcl_error *error) {
    char place[SPC_NAME_CAPACITY + 64];
    spc_text text = spc_text_in(place, sizeof place);
    if (!data) return spc_fail(error, SPARCL_E_ARG, "data: data is NULL");
    const sparcl_data_info *info = &data->info;
    const char *found = info->inf_values == 0   ? "nan"
                        : info->nan_values == 0 ? "inf"
                                                : "nan or inf";
    if (info->nan_values == 0 && info->inf_values == 0) return SPARCL_OK;
    add_bad_place(&text, data);
    return spc_fail(error, SPARCL_E_FORMAT,
                    "%s: expected a finite value, found %s (in total %" PRId64 " NaN and %" PRId64
                    " infinite values); omit missing values, an absent index means 0",
                    place, found, info->nan_values, info->inf_values);
}
