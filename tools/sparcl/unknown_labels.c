/* unknown_labels.c: rows that are evaluated with a label that the model does not know. */
#include "unknown_labels.h"

#include <stdbool.h>

#include "message.h"
#include "output.h"

static bool is_known(const sparcl_model_info *info, double label) {
    for (int64_t c = 0; c < info->classes; c++)
        if (info->labels[c] == label) return true;
    return false;
}

void print_unknown_labels(const sparcl_model *model, const sparcl_data *data,
                          const sparcl_metrics *metrics) {
    const sparcl_model_info *const info = sparcl_model_get_info(model);
    const double *const labels = sparcl_data_labels(data);
    char place[256], number[NUMBER_BYTES];
    int64_t first = 0;
    if (metrics->unknown_labels == 0 || !labels) return;
    while (is_known(info, labels[first]))
        first++;
    const bool has_words = sparcl_model_label_name(model, 0) != NULL;
    print_note("%s: %lld of %lld rows have a label that the model does not know%s%s: they "
               "are wrong in the accuracy, and left out of the loss and all else; train with such "
               "rows",
               sparcl_data_place(data, first, place, sizeof place),
               (long long)metrics->unknown_labels, (long long)metrics->rows,
               has_words ? "" : ", such as ",
               has_words ? "" : shortest_number(number, labels[first]));
}
