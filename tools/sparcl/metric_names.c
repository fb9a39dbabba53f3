/* metric_names.c: the metrics among the results of runs. */
#include "metric_names.h"

#include <stddef.h>
#include <string.h>

const char *const metric_names[] = {
    "valid_loss",     "valid_accuracy", "valid_auc",         "valid_recall", "valid_ndcg",
    "valid_hit_rate", "test_loss",      "test_accuracy",     "probe_loss",   "probe_accuracy",
    "dead_units",     "held_out_loss",  "held_out_accuracy", "loss",         NULL};

bool metric_is_known(const char *name) {
    for (int i = 0; metric_names[i]; i++)
        if (strcmp(metric_names[i], name) == 0) return true;
    return false;
}

/* The last word of a name decides: valid_accuracy, probe_accuracy. */
bool metric_is_better_larger(const char *name) {
    static const char *const large[] = {"accuracy", "auc",      "recall", "precision",
                                        "ndcg",     "hit_rate", "f1",     "r2"};
    const size_t length = strlen(name);
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        const size_t part = strlen(large[i]);
        if (length >= part && strcmp(name + length - part, large[i]) == 0) return true;
    }
    return false;
}
