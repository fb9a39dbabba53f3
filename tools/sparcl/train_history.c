/* train_history.c: what a training has reported of its passes. */
#include "train_history.h"

#include <stdlib.h>

#include "output.h"

void history_add(train_history *history, const sparcl_train_progress *now) {
    const int64_t last = history->count ? history->passes[history->count - 1].epoch : 0;
    if (now->epoch <= last || history->out_of_memory) return;
    if (history->count == history->capacity) {
        const int capacity = 2 * history->capacity + 64;
        sparcl_train_progress *const more =
            realloc(history->passes, (size_t)capacity * sizeof *more);
        history->out_of_memory = !more;
        if (!more) return;
        history->passes = more;
        history->capacity = capacity;
    }
    history->passes[history->count++] = *now;
}

double history_last_fall(const train_history *history) {
    if (history->count < 2) return 0;
    const sparcl_train_progress *const last = history->passes + history->count - 1;
    if (last->valid_loss >= last[-1].valid_loss) return 0;
    const double fall = (last[-1].loss - last->loss) / last[-1].loss;
    return last[-1].loss > 0 && fall > 0 ? fall : 0;
}

json_t *progress_describe(const sparcl_train_progress *now) {
    return json_pack("{s:I, s:I, s:I, s:o, s:o, s:o, s:o}", "epoch", (json_int_t)now->epoch, "step",
                     (json_int_t)now->step, "rows", (json_int_t)now->rows, "seconds",
                     json_number(now->seconds), "loss", json_number(now->loss), "valid_loss",
                     json_number(now->valid_loss), "lr", json_number(now->lr));
}

json_t *history_describe(const train_history *history) {
    json_t *const list = json_array();
    for (int i = 0; i < history->count; i++)
        json_array_append_new(list, progress_describe(&history->passes[i]));
    return list;
}

void history_free(train_history *history) {
    free(history->passes);
}
