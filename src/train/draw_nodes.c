/* draw_nodes.c: which nodes train, validate and test, drawn by a seed. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "train/problem.h"

/* Rows in a random order, of which each part takes the first that it can use. */
typedef struct drawing {
    const double *labels;
    int64_t rows;
    int64_t *order; /* [rows] */
    char *taken;    /* [rows] */
    int64_t *to;    /* [rows] */
    int64_t count;
} drawing;

static int compare(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* `count` more rows, of one label or (NULL) of any; returns how many there were. */
static int64_t take(drawing *d, int64_t count, const double *label) {
    int64_t found = 0;
    for (int64_t i = 0; i < d->rows && found < count; ++i) {
        const int64_t row = d->order[i];
        if (d->taken[row] || (label && d->labels[row] != *label)) continue;
        d->taken[row] = 1;
        d->to[d->count++] = row;
        ++found;
    }
    return found;
}

static sparcl_status take_classes(drawing *d, const sparcl_data *data, const spc_classes *classes,
                                  int64_t per_class, sparcl_error *error) {
    for (int64_t c = 0; c < classes->count; ++c) {
        const int64_t found = take(d, per_class, &classes->labels[c]);
        if (found < per_class)
            return spc_refuse_data(data, -1, error,
                                   "expected %lld rows of label %.17g to train with, found %lld; "
                                   "use fewer for each class",
                                   (long long)per_class, classes->labels[c], (long long)found);
    }
    return SPARCL_OK;
}

static sparcl_status take_parts(drawing *d, const sparcl_data *data, const spc_classes *classes,
                                const int64_t wanted[3], int64_t counts[3], sparcl_error *error) {
    for (int part = 0; part < 3; ++part) {
        const int64_t first = d->count;
        if (part == 0) {
            SPC_TRY(take_classes(d, data, classes, wanted[0], error));
        } else if (take(d, wanted[part], NULL) < wanted[part]) {
            return spc_refuse_data(data, -1, error,
                                   "expected %lld rows to validate and %lld to test with beside "
                                   "those of the training, found %lld",
                                   (long long)wanted[1], (long long)wanted[2],
                                   (long long)(d->rows - counts[0]));
        }
        counts[part] = d->count - first;
        qsort(d->to + first, (size_t)counts[part], sizeof *d->to, compare);
    }
    return SPARCL_OK;
}

sparcl_status sparcl_draw_nodes(const sparcl_data *data, int64_t per_class, int64_t valid,
                                int64_t test, uint64_t seed, int64_t **rows, int64_t counts[3],
                                sparcl_error *error) {
    const int64_t wanted[] = {per_class, valid, test};
    spc_classes classes = {0};
    drawing d = {0};
    sparcl_status status = SPARCL_OK;
    if (rows) *rows = NULL;
    if (!data || !rows || !counts)
        return spc_fail(error, SPARCL_E_ARG, "draw: data, rows or counts is NULL");
    if (per_class < 0 || valid < 0 || test < 0)
        return spc_fail(error, SPARCL_E_ARG, "draw: %lld, %lld and %lld rows, expected at least 0",
                        (long long)per_class, (long long)valid, (long long)test);
    SPC_TRY(spc_classes_find(&classes, SPARCL_TASK_NODES, SPARCL_LOSS_SOFTMAX, data, error));
    d.labels = sparcl_data_labels(data);
    d.rows = sparcl_data_get_info(data)->rows;
    d.order = malloc((size_t)d.rows * sizeof *d.order);
    d.taken = calloc(1, (size_t)d.rows);
    d.to = malloc((size_t)d.rows * sizeof *d.to);
    if (!d.order || !d.taken || !d.to) SPC_GO(spc_fail_memory(error, "rows", (size_t)d.rows * 17));
    sparcl_train_order(seed, 0, d.rows, d.order);
    SPC_GO(take_parts(&d, data, &classes, wanted, counts, error));
    *rows = d.to;
    d.to = NULL;
done:
    spc_classes_free(&classes);
    free(d.order);
    free(d.taken);
    free(d.to);
    return status;
}
